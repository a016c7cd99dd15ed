"""Calls of functions whose messages come from their callers."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence

import libcst as cst

from extractor.facts import CallFact
from extractor.scan.bindings import children
from extractor.scan.known import Flow
from extractor.scan.message import arguments_of
from extractor.scan.surroundings import Surroundings, looked_up_name

_MODULE = cst.Module(())
_SKIPPED = frozenset({cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Lambda})


class CallLines:
    """Finds the lines of calls by their text: ask in source order, since what was found before is not found again.

    Positions of expressions cost more than all else of a scan, and such calls are few.
    """

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines
        self._line, self._column = 1, 0

    def line_of(self, call: cst.Call, *, behind: int) -> int | None:
        """Return the line that a call starts on, which is this one or one behind it."""
        text = _MODULE.code_for_node(call.with_changes(lpar=(), rpar=())).partition("\n")[0].rstrip()
        pattern = re.compile(rf"(?<![\w.]){re.escape(text)}")
        first, column = max((behind, 0), (self._line, self._column))
        for line, source in enumerate(self._lines[first - 1 :], start=first):
            found = pattern.search(source, column if line == first else 0)
            if found is not None:
                self._line, self._column = line, found.start() + 1
                return line
        return None


def calls_in(
    node: cst.CSTNode,
    names: frozenset[str],
    scope: str,
    flow: Flow,
    around: Callable[[], Surroundings],
    line_of: Callable[[cst.Call], int | None],
) -> Iterator[CallFact]:
    """Yield the calls of these functions that a statement makes, in source order."""
    for call in _calls(node, names):
        there = around()
        line = line_of(call)
        reference = there.reference(looked_up_name(call.func))
        if reference is not None and flow.reachable:
            guards = tuple(condition.guard for condition in flow.conditions)
            yield CallFact(scope, reference, arguments_of(call.args, there), guards, line)


def _calls(node: cst.CSTNode, names: frozenset[str]) -> Iterator[cst.Call]:
    if type(node) in _SKIPPED:
        return
    if isinstance(node, cst.Call):
        name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
        if isinstance(name, cst.Name) and name.value in names:
            yield node
    for child in children(node):
        yield from _calls(child, names)
