"""What a docstring says of exceptions, in the styles that people write and in what no style foresees."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import time

import pytest

from extractor.facts import DocumentedRaise
from extractor.scan.docstrings import documented_raises


@pytest.mark.parametrize(
    ("docstring", "expected"),
    [
        ("Do.\n\n    Raises:\n        ValueError: If x:\n            all of it.\n    ", [("ValueError", "If x: all of it.")]),
        ("Do.\n    Raises:\n        ValueError:\n            If x.\n\n            Or y.\n    Returns:\n        z", [("ValueError", "If x. Or y.")]),
        ("Raises:\n    A: a\n    B: b\n", []),  # the margin is unknown, so nothing stands below the heading
        ("Do.\n\nRaises:\n  A, B: both\n  pkg.C or D: either", [("A", "both"), ("B", "both"), ("pkg.C", "either"), ("D", "either")]),
        ("Do.\n\nRaises:\n  :exc:`~a.B`: x\n  :py:class:`C`: y\n  ``D``: z\n  [`E`][a.E]: w", [("a.B", "x"), ("C", "y"), ("D", "z"), ("E", "w")]),
        ("Do.\n\nRaises:\n  ValueError if x is bad\n  KeyError - if not", [("ValueError", "if x is bad"), ("KeyError", "if not")]),
        ("Do.\n\nRaises:\n  ValueError: If x\n  goes on badly indented", [("ValueError", "If x goes on badly indented")]),
        ("Do.\n\n**Raises:**\n\n- `ValueError`: if a\n- `KeyError`: if b\n\nMore: no", [("ValueError", "if a"), ("KeyError", "if b")]),
        ("Do.\n\nRaises: ValueError: if a\n    and b\nC: c", [("ValueError", "if a and b")]),
        ("Do.\n\nRaises:\n  If it fails, nobody knows.", []),
        ("Do.\n\n    Raises\n    ------\n    A\n        One\n        line.\n    B, C\n        Two.\n\n    Notes\n    -----\n    D\n        no", [("A", "One line."), ("B", "Two."), ("C", "Two.")]),
        ("Do.\n\n    Raises\n    ------\n    ValueError\n", []),  # an entry without a text says nothing
        (":raises A: a\n    b\n:raise ~p.B: c\n:except C: d\n:exception D: e\n@raise E: f\n:returns: A", [("A", "a b"), ("p.B", "c"), ("C", "d"), ("D", "e"), ("E", "f")]),
        (":raises :exc:`A`: a\n:raises B, C: b\n:raises: D if d\n:raises E:\n:raises", [("A", "a"), ("B", "b"), ("C", "b"), ("D", "if d")]),
        ("Do.\n\nArgs:\n    x: y\n\n:raises A: mixed", [("A", "mixed")]),
        ("Raise ValueError if x, e.g. 1. Raises a `KeyError` when y.", [("ValueError", "if x, e.g. 1"), ("KeyError", "when y")]),
        ("Raises the bar. Raises if it fails. Raise on CUDA errors. Raises an error if bad.", []),
        ("It raises no ValueError: see below.", []),
        ("Do.\n\nRaises:\n    A: a\n\nIt raises B if b.", [("A", "a")]),  # a section leaves nothing to sentences
        ("", []),
    ],
)  # fmt: skip
def test_entries(docstring: str, expected: list[tuple[str, str]]) -> None:
    """Google, NumPy, Sphinx and plain sentences; a line that fits nothing costs only itself."""
    assert [DocumentedRaise(*entry) for entry in expected] == list(documented_raises(docstring))


@pytest.mark.parametrize(
    "docstring",
    [
        "Raises:\n    " + "a" * 200_000,
        "Raises:\n  " + "a, " * 60_000,
        "Raises:\n  a" + " or a" * 40_000 + "!",
        ":raises " * 40_000,
        ":raises X:\n" * 20_000,
        ":raises X" + " " * 100_000 + "Y",
        ":raises " + "`" * 100_000,
        "Raises\n------\n" * 10_000,
        "Raises:\n" + "   \n" * 50_000 + "Raises:\n" * 20_000,
        "Raises\n" * 40_000,
        "raise\n" + "text\n" * 200_000,
        "raise X if " * 40_000,
        ("raise A" + " or A" * 100 + "!") * 2_000,
        "also " * 100_000 + "raise x",
    ],
    ids=lambda docstring: docstring[:12].strip(),
)
def test_no_docstring_takes_long(docstring: str) -> None:
    """Time grows with the length, whatever stands there; a square of it would take minutes."""
    started = time.process_time()

    documented_raises(docstring)

    assert 5 > time.process_time() - started
