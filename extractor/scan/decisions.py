"""Conditions that what a function is called with can decide, read from the tests of its branches."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import libcst as cst

from extractor.facts import Argument, Test
from extractor.scan.flow import Conditions
from extractor.scan.lookups import key_text
from extractor.scan.surroundings import Surroundings
from extractor.scan.writer import dotted_name

ArgumentOf = Callable[[cst.BaseExpression, Surroundings], Argument]

_SAME = {cst.Is: True, cst.IsNot: False, cst.Equal: True, cst.NotEqual: False}


def tests_for(conditions: Conditions, around: Surroundings, argument_of: ArgumentOf) -> tuple[Test, ...]:
    """Return what a caller can decide of conditions; nothing where no other function uses the text."""
    if not around.exported:
        return ()
    found = (
        test_of(each.node, replace(around, values=each.values), argument_of, holds=each.guard.holds)
        for each in conditions
        if each.node is not None and each.values is not None
    )
    return tuple(test for test in found if test is not None)


def test_of(node: cst.BaseExpression, around: Surroundings, argument_of: ArgumentOf, *, holds: bool) -> Test | None:
    """Return what a test asks, None for what no caller could decide."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return test_of(node.expression, around, argument_of, holds=not holds)
    if isinstance(node, cst.BooleanOperation):
        sides = (test_of(side, around, argument_of, holds=True) for side in (node.left, node.right))
        # A side that nobody can decide leaves it to the other one.
        parts = tuple(side or Test("truth", holds=True) for side in sides)
        return Test("any" if isinstance(node.operator, cst.Or) else "all", holds, parts=parts)
    if isinstance(node, cst.Comparison):
        return _comparison(node, around, argument_of, holds=holds)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "isinstance":
        return _instance(node, around, argument_of, holds=holds)
    return Test("truth", holds, argument_of(node, around))


def _comparison(node: cst.Comparison, around: Surroundings, argument_of: ArgumentOf, *, holds: bool) -> Test | None:
    if len(node.comparisons) != 1:
        return None
    operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
    same = _SAME.get(type(operator))
    if same is None:
        return None
    if dotted_name(right) == "None":
        return Test("none", holds is same, argument_of(node.left, around))
    literal = key_text(right)
    if literal is None:
        return None
    left = node.left
    if isinstance(left, cst.Call) and dotted_name(left.func) == "len" and len(left.args) == 1:
        return Test("length", holds is same, argument_of(left.args[0].value, around), (literal,))
    return Test("equal", holds is same, argument_of(left, around), (literal,))


def _instance(node: cst.Call, around: Surroundings, argument_of: ArgumentOf, *, holds: bool) -> Test | None:
    if len(node.args) != 2:
        return None
    kinds = node.args[1].value
    members = [each.value for each in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
    names = [dotted_name(member) for member in members]
    if not all(names):
        return None
    return Test("instance", holds, argument_of(node.args[0].value, around), tuple(name for name in names if name))
