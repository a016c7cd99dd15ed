"""Conditions are taken apart and held against each other by their text."""

from __future__ import annotations

import pytest

from extractor.diff import Reach
from extractor.diff.conditions import conjuncts, denied, reach_of
from extractor.model import Guard


@pytest.mark.parametrize(
    ("text", "holds", "expected"),
    [
        ("a and b", True, (("a", True), ("b", True))),
        ("a and b", False, (("a and b", False),)),
        ("a or b", False, (("a", False), ("b", False))),
        ("not (a or b)", True, (("a", False), ("b", False))),
        ("not a and b", True, (("a", False), ("b", True))),
        ("(a and b) and c", True, (("a", True), ("b", True), ("c", True))),
        ("f(a and b)", True, (("f(a and b)", True),)),
        ("x == ' and '", True, (("x == ' and '", True),)),
        ("a if b and c else d", True, (("a if b and c else d", True),)),
        ("lambda: a and b", True, (("lambda: a and b", True),)),
        ("x is not None", True, (("x is None", False),)),
        ("x not in y", False, (("x in y", True),)),
        ("a < b != c", True, (("a < b != c", True),)),  # a chain is two comparisons
        ("()", True, (("()", True),)),
        ("(a, b)", True, (("(a, b)", True),)),
        ("x != ' != '", True, (("x != ' != '", True),)),  # told by text alone, so left as it is
    ],
)
def test_conjuncts(text: str, holds: bool, expected: tuple[tuple[str, bool], ...]) -> None:
    """A test is taken apart only where each part must come out as said."""
    assert expected == conjuncts(text, holds=holds)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (["x < 0"], ["x < 1"], "widened"),
        (["x < 0"], ["x <= 0"], "widened"),
        (["x <= 0"], ["x < 0"], "narrowed"),
        (["x > 3"], ["x > 2.5"], "widened"),
        (["x < 0"], ["x > 0"], "other"),
        (["x < 0"], ["y < 0"], "other"),
        (["a < x < 3"], ["a < x < 5"], "other"),  # a chain is more than its last bound
        (["a"], ["a or b"], "widened"),
        (["a", "b"], ["a or b"], "widened"),
        (["a or b"], ["a"], "narrowed"),
        (["a or b"], ["a or b or c"], "widened"),
        (["a or b"], ["b or a"], None),
        (["not (a and b)"], ["not (a and b and c)"], "widened"),
        (["a"], ["not not a"], None),
        (["k in ('a', 'b')"], ["k in ('a', 'b', 'c')"], "widened"),
        (["k in ('a', 'b')"], ["k in ('a',)"], "narrowed"),
        (["k in ('a', x)"], ["k in ('a', x, y)"], "other"),  # names may mean anything
        (["isinstance(v, str)"], ["isinstance(v, (str, bytes))"], "widened"),
        (["a"], [], "widened"),
        ([], ["a"], "narrowed"),
        (["a", "b"], ["b", "a"], None),
        (["a"], ["b"], "other"),
        (["f(x, 'a or b')"], ["f(x, 'a or b or c')"], "other"),
    ],
)
def test_reach(old: list[str], new: list[str], expected: Reach | None) -> None:
    """A path condition is called wider or narrower only where its text shows it."""
    assert expected == reach_of(_guards(old), _guards(new))


def test_what_was_bound_again_is_not_compared() -> None:
    """A stale condition says nothing of the values at the raise."""
    stale = [Guard("if", "x < 0", True, 1, stale=True)]

    assert "other" == reach_of(stale, _guards(["x < 1"]))


def test_a_loop_is_no_test() -> None:
    """Whether a loop more lets less through cannot be told."""
    loop = Guard("for", "x in xs", True, 1)

    assert "other" == reach_of(_guards(["a"]), [loop, *_guards(["a"])])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x", "not x"),
        ("f(a, b)", "not f(a, b)"),
        ("x is None", "x is not None"),
        ("a.b in (1, 2)", "a.b not in (1, 2)"),
        ("a == b", "a != b"),
        ("k not in y", "k in y"),
        ("x is not None", "x is None"),
        ("a != b", "a == b"),
        ("a < b == c", "not (a < b == c)"),  # a chain is two comparisons
        ("a and b", "not (a and b)"),
        ("(a or b)", "not (a or b)"),
        ("x < 0", "not (x < 0)"),  # what is no number may be neither
        ("a == 'x == y'", "not (a == 'x == y')"),
        ("(a) or (b)", "not ((a) or (b))"),
    ],
)
def test_the_opposite(text: str, expected: str) -> None:
    """The opposite of a test is written as people write it."""
    assert expected == denied(text)


def _guards(texts: list[str]) -> list[Guard]:
    return [Guard("if", text, holds=True, line=number) for number, text in enumerate(texts, start=1)]
