"""Calls of functions whose messages come from their callers."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import libcst as cst

from extractor.facts import CallFact
from extractor.scan.bindings import children
from extractor.scan.known import Flow
from extractor.scan.message import arguments_of
from extractor.scan.surroundings import Surroundings, looked_up_name

_SKIPPED = frozenset({cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Lambda})


def calls_in(
    node: cst.CSTNode, names: frozenset[str], scope: str, flow: Flow, around: Callable[[], Surroundings]
) -> Iterator[CallFact]:
    """Yield the calls of these functions that a statement makes, in source order."""
    for call in _calls(node, names):
        there = around()
        reference = there.reference(looked_up_name(call.func))
        if reference is not None and flow.reachable:
            guards = tuple(condition.guard for condition in flow.conditions)
            yield CallFact(scope, reference, arguments_of(call.args, there), guards)


def _calls(node: cst.CSTNode, names: frozenset[str]) -> Iterator[cst.Call]:
    if type(node) in _SKIPPED:
        return
    if isinstance(node, cst.Call):
        name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
        if isinstance(name, cst.Name) and name.value in names:
            yield node
    for child in children(node):
        yield from _calls(child, names)
