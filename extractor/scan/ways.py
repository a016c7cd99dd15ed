"""What is known where ways meet, and behind a loop that ended by itself: which tests did not make the program leave.

A way is the conditions that it has beyond those of the place where the ways parted, in source order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import reduce
from itertools import takewhile

import libcst as cst

from extractor.model import Guard
from extractor.scan.bindings import sure_assignments
from extractor.scan.expression import express
from extractor.scan.flow import aged, staler
from extractor.scan.guards import for_condition, is_plain_test
from extractor.scan.known import Condition, Conditions
from extractor.scan.writer import target_names

# A text with more tests than this in a row is hard to read.
_MOST_TESTS = 8
# What needs parentheses beside an `and`, and behind the `if` of a comprehension.
_LOOSE = (cst.IfExp, cst.Lambda)


def met_by_all(ways: Sequence[Conditions]) -> Conditions:
    """Return what is known where all of these ways meet."""
    return reduce(lambda later, way: met(way, later), reversed(ways[:-1]), ways[-1]) if ways else ()


def met(first: Conditions, second: Conditions) -> Conditions:
    """Return what is known where two ways meet: what they share, and tests that are no longer open on either.

    Where `a` is true on one way, which goes on if `b` is false, and false on the other: `not (a and b)`.
    """
    shared = tuple(takewhile(lambda pair: _is_same(*pair), zip(first, second, strict=False)))
    kept = tuple(staler(sorted(pair, key=lambda each: each.guard.kind != "early_exit")) for pair in shared)
    count = len(kept)
    if count == min(len(first), len(second)):
        return kept
    one, other = first[count], second[count]
    if one.node is None or one.node is not other.node or one.guard.holds is other.guard.holds:
        return kept
    return (*kept, *_not_both(one, other, first[count + 1 :]), *_not_both(other, one, second[count + 1 :]))


def _is_same(one: Condition, other: Condition) -> bool:
    # A branch that a `continue` leaves is an early exit on the ways that go on behind it.
    of_one, of_other = (
        replace(each.guard, stale=False, kind="early_exit" if each.guard.kind in {"if", "else"} else each.guard.kind)
        for each in (one, other)
    )
    return one.node is other.node and of_one == of_other


def _not_both(branch: Condition, opposite: Condition, later: Iterable[Condition]) -> Iterator[Condition]:
    """Yield what the tests behind a branch say where the way past that branch is open as well."""
    if not is_plain_test(branch.guard):
        return
    for each in later:
        if is_plain_test(each.guard) and each.guard.text.split().count("and") + 2 <= _MOST_TESTS:
            yield _combined(branch, opposite, each)


def _combined(branch: Condition, opposite: Condition, later: Condition) -> Condition:
    text = f"{_test_text(branch, holds=branch.guard.holds)} and {_test_text(later, holds=not later.guard.holds)}"
    # One way goes on because the later test came out like this, the other because the branch was not entered.
    stale = later.guard.stale or opposite.guard.stale
    node = None if stale or branch.guard.stale else _both(branch, later)
    guard = Guard("early_exit", text, False, later.guard.line, stale=stale)
    return Condition(guard, branch.names | later.names, node=node, values=later.values)


def _both(branch: Condition, later: Condition) -> cst.BaseExpression | None:
    if branch.node is None or later.node is None:
        return None
    left = branch.node if branch.guard.holds else _negated(branch.node)
    right = _negated(later.node) if later.guard.holds else later.node
    return cst.BooleanOperation(left, cst.And(), right)


def _negated(node: cst.BaseExpression) -> cst.BaseExpression:
    return cst.UnaryOperation(cst.Not(), node)


def _test_text(condition: Condition, *, holds: bool) -> str:
    """Return the test of a condition, or its opposite, as one side of an `and`."""
    text, node = condition.guard.text, condition.node
    if holds:
        is_or = isinstance(node, cst.BooleanOperation) and isinstance(node.operator, cst.Or)
        return f"({text})" if is_or or isinstance(node, _LOOSE) else text
    is_atomic = node is not None and not isinstance(node, cst.BooleanOperation) and express(node).atomic
    return f"not {text}" if is_atomic else f"not ({text})"


def last_round_conditions(exits: Conditions, changed: Collection[str]) -> Conditions:
    """Return that the last round of a `while` loop was not left by these tests, if there was one.

    The loop's own test changes these names.
    """
    return aged((_of_last_round(each) for each in exits if _is_exit(each)), changed)


def _of_last_round(condition: Condition) -> Condition:
    return replace(condition, guard=replace(condition.guard, kind="loop_else", certain=False))


def _is_exit(condition: Condition) -> bool:
    return condition.guard.kind == "early_exit" and is_plain_test(condition.guard)


def whole_loop_condition(node: cst.For, line: int, changed: Collection[str]) -> Condition:
    """Return the condition that a `for` loop, whose rounds change these names, was not left by any item."""
    loop = for_condition(node, line)
    targets = set(target_names(node.target))
    own = Condition(replace(loop.guard, kind="loop_else", holds=False), _outside(loop.names, targets))
    (found,) = aged([own], set(changed) - targets)
    return found


def loop_conditions(whole: Condition, node: cst.For, exits: Conditions, changed: Collection[str]) -> Conditions:
    """Return the same for each test that all items came to, and none of them left the loop by.

    Of a name that a round changes it is not known what it was in the others.
    """
    targets = set(target_names(node.target))
    kept = [each for each in exits if not _is_changed(each, changed, targets)]
    return tuple(
        replace(
            whole,
            guard=replace(whole.guard, text=f"{whole.guard.text} {clause}"),
            names=whole.names | _outside(each.names, targets),
        )
        for each in kept
        if (clause := _clause(each)) is not None
    )


def _clause(condition: Condition) -> str | None:
    guard = condition.guard
    if _is_exit(condition):
        is_plain = not guard.holds and not isinstance(condition.node, _LOOSE)
        return f"if {guard.text if is_plain else _test_text(condition, holds=not guard.holds)}"
    is_loop = guard.kind == "loop_else" and condition.node is None
    return f"for {guard.text}" if is_loop else None


def _is_changed(condition: Condition, changed: Collection[str], targets: Collection[str]) -> bool:
    # What a test assigns itself it has whenever it is read, but an item is what it was before.
    own = sure_assignments(condition.node).keys() - targets if condition.node is not None and changed else ()
    (found,) = aged([condition], set(changed).difference(own))
    return found.guard.stale


def _outside(names: frozenset[str], targets: Collection[str]) -> frozenset[str]:
    """Return the names that mean the same outside of a loop with these targets."""
    return frozenset(name for name in names if name.partition(".")[0] not in targets)
