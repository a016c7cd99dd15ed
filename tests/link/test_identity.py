"""Ids come from what a raise site is, not from where it stands, what guards it or which class it raises."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import pytest

from extractor.link import link
from extractor.link.identity import Identities
from extractor.link.modules import Modules
from extractor.link.wording import title_of
from extractor.model import Placeholder, Record, Segment
from extractor.scan import scan


def records_of(source: str, path: str = "m.py") -> list[Record]:
    facts = scan(path, source.encode(), context=0)
    return list(link({path: facts}, Modules([path], []), lambda *_: None).records)


def ids_of(source: str, path: str = "m.py") -> list[str]:
    return [record.id for record in records_of(source, path)]


BASE = "def f(x):\n    if x:\n        raise ValueError(f'no {x} here')\n"


@pytest.mark.parametrize(
    "edited",
    [
        "import os\n\n\n" + BASE,  # moved
        BASE.replace("if x", "if x and not x.y"),
        BASE.replace("    if x:\n    ", ""),  # no guard any more
        BASE.replace("{x}", "{y.z!r:>5}"),
        BASE.replace("ValueError", "KeyError"),
        BASE.replace("f'no {x} here'", "'no %s here' % x"),
        BASE.replace("f'no {x} here'", "'no ' + str(x) + ' here'"),
        BASE.replace("raise", "msg = 1\n        raise"),
        BASE.replace("\n", "\r\n"),
        BASE + "def g(x):\n    raise ValueError(f'no {x} here')\n",  # another scope
        BASE + "    raise ValueError('other')\n",
    ],
)
def test_id_survives(edited: str) -> None:
    """Moved lines, edited guards, renamed placeholders, another class or way to write the text keep the id."""
    assert ids_of(BASE)[0] == ids_of(edited)[0]


@pytest.mark.parametrize(
    ("edited", "path"),
    [
        (BASE.replace("here", "there"), "m.py"),
        (BASE.replace("def f", "def g"), "m.py"),
        (BASE, "n.py"),
        (BASE.replace("no {x}", "no"), "m.py"),
        (BASE.replace("f'no", "'no"), "m.py"),  # literal braces are no placeholder
    ],
)
def test_id_changes(edited: str, path: str) -> None:
    """Another text, scope or file is another raise site."""
    assert ids_of(BASE) != ids_of(edited, path)


def test_ids_are_unique() -> None:
    """Equal texts in a scope are told apart by their order, whatever else differs."""
    same = "".join(f"    if x == {number}: raise ValueError('bad shape')\n" for number in range(50))
    silent = "    if x: raise ValueError\n" * 20
    ids = ids_of(
        f"def f(x):\n{same}{silent}def g(x):\n{same}{silent}class K:\n    def f(self, x):\n        raise ValueError('bad shape')\n"
    )

    assert len(ids) == len(set(ids)) == 141
    assert all(len(each) == 16 and int(each, 16) >= 0 for each in ids)


def test_ordinal_counts_equals_only() -> None:
    """A site with another text in between does not shift those behind it."""
    one = ids_of("def f():\n    if a: raise E('x')\n    if b: raise E('x')\n")
    two = ids_of("def f():\n    if a: raise E('x')\n    if c: raise E('other')\n    if b: raise E('x')\n")

    assert one == [two[0], two[2]]


def test_redefined_functions_share_their_scope() -> None:
    """Two functions of the same name are one scope; their sites are numbered through."""
    ids = ids_of("if a:\n    def f(): raise E('x')\nelse:\n    def f(): raise E('x')\n")

    assert len(set(ids)) == 2


def test_a_taken_id_is_never_given_again() -> None:
    """An id that another site has is passed over."""
    identities = Identities()
    given = [identities.next("m.py", "f", ("text",)) for _ in range(100)]

    assert len(given) == len(set(given))


def test_template_id_is_that_of_the_text() -> None:
    """Sites with the same text share it, in whatever scope and with whatever placeholders; without text there is none."""
    records = records_of(
        "def f(x): raise E(f'no {x}')\ndef g(y): raise F('no %s' % y)\ndef h(y): raise E('yes')\ndef i(y): raise E(y)\ndef j(): raise E\ndef k(y): raise E(f'{y} ')\n"
    )
    first, second, other, value, nothing, blank = (record.template_id for record in records)

    assert first == second
    assert first is not None
    assert other not in {None, first}
    assert (None, None, None) == (value, nothing, blank)


X = Placeholder("x")


@pytest.mark.parametrize(
    ("segments", "expected"),
    [
        (("short",), "short"),
        (("a\n  b\tc",), "a b c"),
        (("  padded  ",), "padded"),
        ((), "fallback"),
        (("   ",), "fallback"),
        (("word " * 12,), "word " * 11 + "word"),  # 59 characters
        (("word " * 13,), "word " * 11 + "word"),
        (("a" * 61,), "a" * 60),
        (("short " + "a" * 61,), "short"),
        (("value of the thing is not what it should be: ", Placeholder("a_long_expression.of_attributes")), "value of the thing is not what it should be"),
        ((Placeholder("x" * 70), " is bad"), "fallback"),
        (("no ", X, " here"), "no {x} here"),
        (("no", X, "here"), "no{x}here"),
        (("a, b, c (" + "d" * 60 + ")",), "a, b, c"),
        (("é" * 61,), "é" * 60),
    ],
)  # fmt: skip
def test_title(segments: tuple[Segment, ...], expected: str) -> None:
    """A title ends at a word or segment border within 60 characters, never inside a placeholder."""
    actual = title_of(segments, "fallback")

    assert expected == actual
    assert len(actual) <= 60
