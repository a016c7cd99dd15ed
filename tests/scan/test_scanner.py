"""The facts of real files: places as `ast` has them, and the same whether LibCST sees a part of a file or all of it."""

from __future__ import annotations

import ast
import sysconfig
import warnings
from itertools import pairwise
from pathlib import Path

import pytest

from extractor.facts import NOTHING
from extractor.scan import scan
from extractor.scan.cuts import cuts_of
from extractor.scan.decode import decode
from extractor.scan.locate import landmarks, reduced, structure_of
from extractor.scan.tables import table_cuts

STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
# Every so many files with a raise statement, so that the whole takes some seconds.
STRIDE = 9
STRIDE_OF_WHOLE = 36


def sample(stride: int) -> list[Path]:
    paths = (path for path in sorted(STANDARD_LIBRARY.rglob("*.py")) if "site-packages" not in path.parts)
    return [path for path in paths if b"raise" in path.read_bytes()][::stride]


Place = tuple[int, int, int, int]


def places_by_ast(data: bytes) -> list[Place] | None:
    """Return where `ast` finds a raise statement, in characters; None where it does not read the file."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
    except (SyntaxError, ValueError):
        return None
    lines = decode(data).split("\n")
    nodes = sorted(
        (node for node in ast.walk(tree) if isinstance(node, ast.Raise)),
        key=lambda each: (each.lineno, each.col_offset),
    )
    return [
        (node.lineno, characters(lines[node.lineno - 1], node.col_offset), end, characters(lines[end - 1], column))
        for node in nodes
        if (end := node.end_lineno) is not None and (column := node.end_col_offset) is not None
    ]


def characters(line: str, column: int) -> int:
    return len(line.encode()[:column].decode())


def test_places_are_those_of_ast() -> None:
    """Every raise statement of the standard library is found where `ast` finds it, with its end."""
    wrong = []
    count = 0
    for path in sample(STRIDE):
        data = path.read_bytes()
        expected = places_by_ast(data)
        if expected is None:
            continue
        facts = scan(path.name, data, context=0)
        count += len(expected)
        actual = sorted((site.line, site.column, site.end_line, site.end_column) for site in facts.sites)
        if expected != actual:
            wrong.append((path.name, expected[:3], actual[:3]))

    assert not wrong, wrong[:5]
    assert count > 500


def test_part_of_a_file_says_what_the_whole_file_says() -> None:
    """Raise sites from the functions that hold them are those that LibCST gives for all of the file."""
    wrong = []
    for path in sample(STRIDE_OF_WHOLE):
        part = scan(path.name, path.read_bytes(), context=2)
        whole = scan(path.name, path.read_bytes(), context=2, whole=True)
        if not part.diagnostics and (part.sites, part.star_imports) != (whole.sites, whole.star_imports):
            wrong.append(
                (path.name, [one for one, other in zip(part.sites, whole.sites, strict=False) if one != other][:1])
            )

    assert not wrong, wrong[:2]


def test_cuts_are_apart_and_leave_valid_code() -> None:
    """Cuts never overlap, come in order, and what they leave parses with the landmarks in order."""
    for path in sample(STRIDE):
        source = decode(path.read_bytes()).encode()
        structure = structure_of(source)
        cuts = cuts_of(structure, NOTHING)
        places = [(each.line, each.column) for each in landmarks(structure, cuts)]

        assert all(one.end <= other.start for one, other in pairwise(cuts))
        assert places == sorted(places)
        if not structure.has_error and places_by_ast(path.read_bytes()) is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(reduced(source, cuts))


@pytest.mark.parametrize(
    ("source", "is_cut"),
    [
        ("T = [{}]", True),
        ("T = ({})", True),
        ("T: list[int] = [{}]", True),
        ("T = frozenset({{{}}})", True),
        ("class K:\n    T = [{}]", True),
        ("def f():\n    T = [{}]\n    raise E(T)", True),
        ("def f():\n    T = str([{}])\n    raise E(T)", False),  # its text is the message
        ("def f():\n    raise E([{}])", False),
        ("try:\n    T = [{}]\nexcept E:\n    raise", False),  # shown as what was tried
        ("T = [{}, (x := 1)]", False),  # binds a name
        ("T = [{}, x.append(1)]", False),  # changes a name
        ("f([{}])", False),  # assigned to nothing
    ],
)
def test_large_tables_are_cut(source: str, *, is_cut: bool) -> None:
    """A large display of constants is not shown to LibCST unless something of it could be seen in a record."""
    text = source.format(", ".join(map(str, range(3000))))
    cuts = table_cuts(structure_of(text.encode()))
    part, whole = (scan("m.py", f"{text}\nraise Last\n".encode(), context=0, whole=each) for each in (False, True))

    assert is_cut == bool(cuts)
    assert whole.sites == part.sites


LINES = "x = 1\nraise E('a')\n\n\ndef f():\n    raise E('b')\n"


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("prefix", ["", "\ufeff"])
def test_line_ends_and_byte_order_marks_do_not_move_anything(line_end: str, prefix: str) -> None:
    data = (prefix + LINES.replace("\n", line_end)).encode()
    sites = scan("m.py", data, context=1).sites

    assert [(2, 0), (6, 4)] == [(site.line, site.column) for site in sites]
    assert ("x = 1", "raise E('a')", "") == sites[0].context.lines


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("é = 1; raise E('é')\n", (1, 7, 1, 19)),
        ("if '😀': raise E(\n  '😀')\n", (1, 8, 2, 6)),
        ("\traise_ = 1; raise E\n".lstrip("\t"), (1, 12, 1, 19)),
        ("x = 'a\u2028b'; raise E\n", (1, 11, 1, 18)),  # no line end for Python
        ("x = 'a\x0cb'; raise E\n", (1, 11, 1, 18)),
        ("x = 1; \\\n  raise E\n", (2, 2, 2, 9)),
        ("raise E; raise F\n", (1, 0, 1, 7)),
        ("raise (E\n  # why\n  )\n", (1, 0, 3, 3)),
    ],
)
def test_columns_count_characters(source: str, expected: Place) -> None:
    site = scan("m.py", source.encode(), context=0).sites[0]

    assert expected == (site.line, site.column, site.end_line, site.end_column)
