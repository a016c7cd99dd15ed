"""What does not parse costs itself and nothing else: no crash, no silent loss, right places for what is left."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import subprocess
import sys

import pytest

from extractor.facts import FileFacts
from extractor.scan import scan
from extractor.scan.salvage import salvage

BEFORE = "import os\n\ndef first(x):\n    if x:\n        raise ValueError('first')\n\n"
AFTER = "\n\ndef last(x):\n    if not x:\n        raise KeyError('last')\n\nclass K:\n    def m(self):\n        raise TypeError('m')\n"
KEPT = {"first", "last", "K.m"}


def facts_of(source: str | bytes) -> FileFacts:
    return scan("m.py", source.encode() if isinstance(source, str) else source, context=1)


def raising_lines(source: str) -> dict[int, str]:
    """Return the lines that begin with a raise statement, by number."""
    lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    return {number: line for number, line in enumerate(lines, 1) if line.strip().startswith("raise ")}


BROKEN = {
    "statement of a module": ("x = = 3\n", set()),
    "statement of a class": ("class B:\n    x = = 3\n    def m(self):\n        raise E('b')\n", {"B.m"}),
    "one method": ("class B:\n    def m(self):\n        x = = 3\n        raise E('lost')\n    def n(self):\n        raise E('n')\n", {"B.n"}),
    "method of a nested class": ("class B:\n    class C:\n        def m(self): x = =\n        def n(self):\n            raise E('n')\n", {"B.C.n"}),
    "decorated method": ("class B:\n    @a\n    def m(self):\n        x = = 3\n    @b\n    @c\n    def n(self):\n        raise E('n')\n", {"B.n"}),
    "header of a class": ("class :\n    def m(self):\n        raise E('lost')\n", set()),
    "header of a function": ("def f(x)\n    raise E('lost')\n", set()),
    "test without colon": ("def f(x):\n    if x\n        raise E('lost')\n    raise E('lost as well')\n", set()),
    "unclosed bracket": ("x = [1, 2,\n", set()),
    "unclosed bracket in a function": ("def f():\n    g(1, 2\n    raise E('lost')\n", set()),
    "unclosed bracket in a method": ("class B:\n    def m(self):\n        g(1, 2\n    def n(self):\n        raise E('n')\n", {"B.n"}),
    "unclosed bracket in a class": ("class B:\n    x = [\n    def n(self):\n        raise E('n')\n", {"B.n"}),
    "bracket too many": ("x = 1)\n", set()),
    "only closing brackets": (")" * 50 + "\n", set()),
    "unclosed string": ("x = 'abc\n", set()),
    "unclosed string in a function": ("def f():\n    x = 'abc\n    raise E('lost')\n", set()),
    "unclosed triple quotes": ("x = '''abc\n", set()),
    "text in triple quotes": ("x = = '''\ndef g():\n    raise E('no code')\n'''\n", set()),
    "Python 2 print": ("def f():\n    print 'a'\n    raise E('lost')\n", set()),
    "Python 2 raise": ("raise E, 'x', tb\n", set()),
    "Python 2 exec": ("exec 'a' in b\n", set()),
    "Python 2 backticks": ("def f():\n    raise E(`a`)\n", set()),
    "Python 2 operators": ("def f():\n    if a <> 0777:\n        raise E(ur'x')\n", set()),
    "indented too far": ("   y = 3\n", set()),
    "indented between": ("def f():\n        a = 1\n    raise E('lost')\n", {}),
    "null byte": ("x = 1\0\n", set()),
    "merge conflict": ("<<<<<<< HEAD\nx = 1\n=======\nx = 2\n>>>>>>> other\n", set()),
    "merge conflict in a function": ("def f(x):\n    if x:\n<<<<<<< HEAD\n        raise E('lost')\n=======\n        raise E('lost')\n>>>>>>> other\n    return x\n", set()),
    "merge conflict of functions": ("<<<<<<< HEAD\ndef f(x):\n    raise E('f')\n=======\ndef g(x):\n    raise E('g')\n>>>>>>> other\n", {"f", "g"}),
    "half a function": ("def f(", set()),
    "else of nothing": ("else:\n    raise E('lost')\n", set()),
    "except of nothing": ("except E:\n    raise E('lost')\n", set()),
    "branch of a module": ("if a:\n    x = = 3\nelse:\n    def f():\n        raise E('f')\n", {"f"}),
    "body of a try": ("try:\n    x = = 3\nexcept E:\n    raise E('caught')\n", {""}),
    "template": ("{% if x %}\nimport a\n{% endif %}\n", set()),
    "template of a class": ("class {{ name }}(Base):\n    def f(self):\n        raise E('lost')\n", set()),
    "notebook": ("%matplotlib inline\n!ls\n", set()),
    "foreign signs": ("$x = 1\ny = a ? b : c\n", set()),
    "foreign space": ("x\u00a0= 1\n", set()),
    "backslash at the end of a line": ("x = 1 \\ \n", set()),
    "tabs and spaces": ("def f(x):\n\tif x:\n        raise E('lost')\n", set()),
}  # fmt: skip


@pytest.mark.parametrize("name", BROKEN)
def test_what_stands_in_functions_that_parse_is_kept(name: str) -> None:
    """The functions around broken code are there; each raise statement is a record or counted in a diagnostic."""
    broken, kept = BROKEN[name]
    source = BEFORE + broken + AFTER
    facts = facts_of(source)
    expected = {
        number for number, line in raising_lines(source).items() if "lost" not in line and "no code" not in line
    }
    expected -= {site.line for site in facts.sites if site.kind == "unreachable"}

    assert facts.diagnostics
    assert KEPT | set(kept) == {site.scope for site in facts.sites}
    assert all(source.split("\n")[site.line - 1][site.column :].startswith("raise") for site in facts.sites)
    assert all(line in raising_lines(source) for line in (site.line for site in facts.sites))
    assert len(raising_lines(source)) - ("no code" in source) == len(facts.sites) + lost_in(facts)


def lost_in(facts: FileFacts) -> int:
    counts = [each.message.rpartition("raise statements lost: ")[2] for each in facts.diagnostics]
    return sum(int(count) for count in counts if count.isdecimal())


def test_guards_of_what_is_left() -> None:
    """A function beside broken code keeps its conditions."""
    facts = facts_of(BEFORE + "x = = 3\n" + AFTER)

    assert [("x", True)] == [(guard.text, guard.holds) for guard in facts.sites[0].guards]
    assert [("not x", True)] == [(guard.text, guard.holds) for guard in facts.sites[1].guards]


def test_context_is_that_of_the_file() -> None:
    """Lines that were dropped are still shown as they stand in the file."""
    facts = facts_of("x = = 3\nraise E\n")

    assert ("x = = 3", "raise E") == facts.sites[0].context.lines


@pytest.mark.parametrize(
    "source",
    ["", "\n", "\n\n\n", "# raise E\n", "'''raise E'''\n", "x = 'raise E'\n", "'''\nraise E\n'''\n", "def f():\n    '''\n    raise E\n    '''\n",
     "x = f'''\nraise {x}\n'''\n", "raised = 1\n", "x.raise_ = 1\n", "\f\n", "\ufeff", "\ufeff# raise"],
)  # fmt: skip
def test_no_raise_site(source: str) -> None:
    """What only looks like a raise statement is none, and nothing is lost."""
    facts = facts_of(source)

    assert ((), ()) == (facts.sites, facts.diagnostics)


@pytest.mark.parametrize(
    "data", [bytes(range(256)) * 20, b"\xff\xfe", b"# coding: nonsense\nraise E\n", b"raise E('\xff')\n"]
)
def test_bytes_that_are_no_text(data: bytes) -> None:
    """A file that cannot be decoded is one diagnostic."""
    facts = facts_of(data)

    assert ((), ["encoding"]) == (facts.sites, [each.code for each in facts.diagnostics])


def test_salvaged_text_has_the_lines_of_the_file() -> None:
    """Dropping never moves a line."""
    for broken, _ in BROKEN.values():
        source = BEFORE + broken + AFTER

        assert source.count("\n") == salvage(source).text.count("\n")


HUGE = {
    "brackets": "x = " + "(" * 5000 + "1" + ")" * 5000,
    "open brackets": "x = " + "[" * 5000,
    "brackets in a function": "def g():\n    x = " + "(" * 5000 + "1" + ")" * 5000 + "\n    raise E(x)",
    "stars": "x = [" + "*" * 5000 + "]",
    "sum": "x = " + " + ".join(["a"] * 20000),
    "sum in a raise": "def g():\n    raise E(" + " + ".join(["'a'"] * 20000) + ")",
    "and": "def g():\n    if " + " and ".join(["a"] * 20000) + ":\n        raise E('x')",
    "comparison": "def g(x):\n    if " + " < ".join(["x"] * 3000) + ":\n        raise E('x')",
    "strings": "def g():\n    raise E(" + "\n".join(["'a'"] * 20000) + ")",
    "elif": "if x == 0:\n    pass\n" + "".join(f"elif x == {number}:\n    raise E({number})\n" for number in range(5000)),
    "calls": "def g(a):\n    raise E(a" + ".b()" * 5000 + ")",
    "calls in calls": "def g():\n    raise E(" + "h(" * 5000 + ")" * 5000 + ")",
    "subscripts": "def g(a):\n    raise E(a" + "[0]" * 20000 + ")",
    "not": "def g(x):\n    raise E(" + "not " * 5000 + "x)",
    "lambda": "x = " + "lambda: " * 3000 + "x",
    "conditionals": "def g(x):\n    raise E(" + "".join(f"'{number}' if x == {number} else " for number in range(3000)) + "'z')",
    "f-strings": "x = " + "f'{" * 1000 + "1" + "}'" * 1000,
    "dictionaries": "x = " + "{1:" * 3000 + "1" + "}" * 3000,
    "blocks": "def g(x):\n" + "".join(" " * (level + 1) + f"if x > {level}:\n" for level in range(600)) + " " * 601 + "raise E('deep')",
    "blocks of a module": "".join(" " * level + f"if x > {level}:\n" for level in range(600)) + " " * 600 + "raise E('deep')",
    "functions": "".join(" " * level + f"def f{level}():\n" for level in range(400)) + " " * 400 + "raise E('deep')",
    "long line": "x = '" + "a" * 2_000_000 + "'",
    "table": "T = {\n" + "".join(f"    '{number}': ({number}, 'x', [1, {number}]),\n" for number in range(20000)) + "}",
    "variables": "def g():\n    a = 'x'\n" + "    a = a + a + a + a + a + a + a + a + a + a\n" * 60 + "    raise E(a)",
    "classes": "def g(x):\n    e = A if x else B\n" + "    e = e if x else e\n" * 60 + "    raise e('a')",
    "closing brackets": ")" * 20000,
    "quotes": "'" * 5001,
    "dots": "from " + "." * 5000 + " import x",
}  # fmt: skip


def scan_all(names: list[str]) -> None:
    """Scan huge files and print what was lost of what stands around them; runs in a process that may crash."""
    for name in names:
        facts = facts_of(BEFORE + HUGE[name] + "\n" + AFTER)
        scopes = {site.scope for site in facts.sites}
        print(
            name,
            sorted(KEPT - scopes),
            "g" in scopes or bool(facts.diagnostics) or "raise" not in HUGE[name],
            sep=": ",
            flush=True,
        )


def test_huge_files_do_not_crash() -> None:
    """Neither depth nor size ends the process, or costs what stands beside it, or anything silently."""
    command = f"from tests.scan.test_salvage import scan_all; scan_all({list(HUGE)!r})"
    done = subprocess.run([sys.executable, "-c", command], capture_output=True, text=True, timeout=120, check=False)
    lost = [line for line in done.stdout.splitlines() if not line.endswith(": []: True")]

    # Deeper than any Python reads, and all of the file's blocks hang together.
    assert lost in ([], ["blocks of a module: ['K.m', 'first', 'last']: True"])
    assert len(HUGE) == len(done.stdout.splitlines()), done.stderr[-300:]
