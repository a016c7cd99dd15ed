"""Include and exclude patterns."""

from __future__ import annotations

import pytest

from extractor.errors import InvalidPatternError
from extractor.source.selection import make_selection


@pytest.mark.parametrize(
    ("pattern", "path", "expected"),
    [
        ("*.py", "a/b.py", True),  # without a slash, at any depth
        ("tests", "a/tests/b.py", True),  # a folder stands for what is below it
        ("tests", "a/tests.py", False),
        ("tests/", "tests", False),  # a slash at the end: only a folder
        ("tests/", "a/tests/b.py", True),
        ("a/*.py", "a/b.py", True),
        ("a/*.py", "a/b/c.py", False),  # a star stays in its part
        ("a/*.py", "x/a/b.py", False),  # with a slash, from the root
        ("/b.py", "a/b.py", False),
        ("/b.py", "b.py", True),
        ("./a/b.py", "a/b.py", True),
        ("a/**", "a/b/c.py", True),
        ("a/**/c.py", "a/c.py", True),  # `**` may stand for no folder
        ("a/**/c.py", "a/b/b/c.py", True),
        ("**/c.py", "c.py", True),
        ("?.py", "ab.py", False),
        ("a?b.py", "a/b.py", False),
        ("[ab].py", "a.py", False),  # no other character is special
        ("[ab].py", "[ab].py", True),
        ("*.py", "a\nb.py", True),
        ("*.py", "\udcff.py", True),
    ],
)
def test_pattern_matches_as_documented(pattern: str, path: str, expected: bool) -> None:
    """Each rule of the pattern language has its case here."""
    assert expected == make_selection([pattern]).accepts(path)
    assert expected != make_selection(exclude=[pattern]).accepts(path)


def test_exclusion_wins() -> None:
    """What is both included and excluded is not read."""
    selection = make_selection(["a"], ["a/b"])

    assert [True, False, False] == [selection.accepts(path) for path in ("a/c.py", "a/b/c.py", "d.py")]


@pytest.mark.parametrize("pattern", ["", "/", "./", "//"])
def test_empty_pattern_is_refused(pattern: str) -> None:
    """A pattern that can match nothing is a mistake."""
    with pytest.raises(InvalidPatternError, match="give a path"):
        make_selection([pattern])
