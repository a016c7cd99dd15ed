"""Conditions that what a function is called with can decide, read from the tests of its branches."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from extractor.facts import Test
from extractor.scan.known import Conditions
from extractor.scan.lookups import key_text
from extractor.scan.surroundings import ArgumentOf, Surroundings
from extractor.scan.writer import dotted_name

# Holds or does not, as far as a caller can tell.
_UNDECIDED = Test("truth", holds=True)
_SAME = {cst.Is: True, cst.IsNot: False, cst.Equal: True, cst.NotEqual: False}


def tests_for(conditions: Conditions, around: Surroundings, argument_of: ArgumentOf) -> tuple[Test, ...]:
    """Return each condition as a test for callers; nothing where no other function uses the text."""
    if not around.exported:
        return ()
    return tuple(
        test_of(each.node, replace(around, values=each.values), argument_of, holds=each.guard.holds)
        if each.node is not None and each.values is not None
        else _UNDECIDED
        for each in conditions
    )


def test_of(node: cst.BaseExpression, around: Surroundings, argument_of: ArgumentOf, *, holds: bool) -> Test:
    """Return what a test asks."""
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        return test_of(node.expression, around, argument_of, holds=not holds)
    if isinstance(node, cst.BooleanOperation):
        parts = tuple(test_of(side, around, argument_of, holds=True) for side in (node.left, node.right))
        return Test("any" if isinstance(node.operator, cst.Or) else "all", holds, parts=parts)
    if isinstance(node, cst.Comparison):
        return _comparison(node, around, argument_of, holds=holds)
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "isinstance":
        return _instance(node, around, argument_of, holds=holds)
    found = around.gathered(node.value) if isinstance(node, cst.Name) and around.exported else None
    if found is not None:
        # A list is true if one of its items was put in.
        needs = [tests_for(conditions, around, argument_of) for _, conditions in found.items]
        return Test("any", holds, parts=tuple(Test("all", holds=True, parts=each) for each in needs))
    return Test("truth", holds, argument_of(node, around))


def _comparison(node: cst.Comparison, around: Surroundings, argument_of: ArgumentOf, *, holds: bool) -> Test:
    if len(node.comparisons) != 1:
        return _UNDECIDED
    operator, right = node.comparisons[0].operator, node.comparisons[0].comparator
    same = _SAME.get(type(operator))
    if same is None:
        return _UNDECIDED
    if dotted_name(right) == "None":
        return Test("none", holds is same, argument_of(node.left, around))
    literal = key_text(right)
    if literal is None:
        return _UNDECIDED
    left = node.left
    if isinstance(left, cst.Call) and dotted_name(left.func) == "len" and len(left.args) == 1:
        return Test("length", holds is same, argument_of(left.args[0].value, around), (literal,))
    return Test("equal", holds is same, argument_of(left, around), (literal,))


def _instance(node: cst.Call, around: Surroundings, argument_of: ArgumentOf, *, holds: bool) -> Test:
    if len(node.args) != 2:
        return _UNDECIDED
    kinds = node.args[1].value
    members = [each.value for each in kinds.elements] if isinstance(kinds, cst.Tuple) else [kinds]
    names = tuple(name for member in members if (name := dotted_name(member)) is not None)
    if len(names) != len(members):
        return _UNDECIDED
    return Test("instance", holds, argument_of(node.args[0].value, around), names)
