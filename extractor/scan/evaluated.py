"""What the parts of a test do to each other, in the order in which they are evaluated."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from extractor.scan.bindings import children, expression_changes, target_paths
from extractor.scan.expression import express
from extractor.scan.flow import reads
from extractor.scan.own_object import OwnObject


def outdates_itself(test: cst.BaseExpression, own: OwnObject | None) -> bool:
    """Say whether a part of a test changes what it or a part before it reads: `items and items.pop() == 1`."""
    before: frozenset[str] = frozenset()
    for operand in _operands(test):
        changed = frozenset(expression_changes(operand, own))
        read, assigned = express(operand).names, list(_assigned(operand)) if changed else []
        targets = {path for each in assigned for path in target_paths(each.target)}
        is_counted = any(reads(express(each.value).names, target_paths(each.target)) for each in assigned)
        # `items.pop() == 1` alone is what came out once; nobody takes it for a state that lasts.
        if changed and (is_counted or reads(before, changed)):
            return True
        # What a part sets itself it has whenever it is read.
        before |= read - targets
    return False


def _assigned(node: cst.CSTNode) -> Iterator[cst.NamedExpr]:
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, cst.NamedExpr):
            yield current
        pending.extend(children(current))


def _operands(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    """Yield the parts of a test that are evaluated one after the other."""
    if isinstance(node, cst.BooleanOperation):
        yield from _operands(node.left)
        yield from _operands(node.right)
    elif isinstance(node, cst.Comparison):
        yield node.left
        yield from (each.comparator for each in node.comparisons)
    elif isinstance(node, cst.UnaryOperation):
        yield from _operands(node.expression)
    else:
        yield node
