"""How a block of statements can end: by going on, by `return`, `break` or `continue`, or never but by an exception.

The path through a function that is visited is kept by `path`; this looks ahead at functions that are only called.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

import libcst as cst

from extractor.scan.bindings import children
from extractor.scan.guards import is_catch_all, static_truth
from extractor.scan.handlers import is_swallowing
from extractor.scan.statements import block_statements

_SCOPES = frozenset({cst.FunctionDef, cst.ClassDef, cst.Lambda})


class End(Enum):
    """One way in which a block can end."""

    NEXT = auto()
    RETURN = auto()
    BREAK = auto()
    CONTINUE = auto()


_NEXT = frozenset({End.NEXT})
_NEVER: frozenset[End] = frozenset()
# The statements that can be the last to run, some of them only with an `else`.
_STOPPING = frozenset({cst.Raise, cst.Try, cst.TryStar, cst.With, cst.Match, cst.While})
_BRANCHING = frozenset({cst.If, cst.For})
_OF_LOOP = frozenset({End.BREAK, End.CONTINUE})


@dataclass(frozen=True, slots=True)
class Ends:
    """Finds the ends of blocks; `is_exit` knows the calls that never return, `full_name` what dotted names mean."""

    is_exit: Callable[[cst.BaseExpression], bool]
    full_name: Callable[[str], str | None]

    def never_returns(self, node: cst.FunctionDef) -> bool:
        """Say whether a function ends only by an exception, if at all."""
        # Most functions are no such ones, which a look at their outermost statements tells.
        if not any(map(self._may_stop, block_statements(node.body))):
            return False
        return self.of(node.body).isdisjoint({End.NEXT, End.RETURN})

    def _may_stop(self, statement: cst.CSTNode) -> bool:
        kind = type(statement)
        if kind in _STOPPING or (kind in _BRANCHING and statement.orelse is not None):  # type: ignore[attr-defined]
            return True
        value = getattr(statement, "value", None)
        return isinstance(value, cst.BaseExpression) and self.is_exit(value)

    def of(self, block: cst.BaseSuite) -> frozenset[End]:
        """Return the ways in which a block can end."""
        ends: frozenset[End] = _NEVER
        for statement in block_statements(block):
            found = self._of_statement(statement)
            ends |= found - _NEXT
            if End.NEXT not in found:
                return ends
        return ends | _NEXT

    def _of_statement(self, node: cst.CSTNode) -> frozenset[End]:
        compound = _COMPOUND.get(type(node))
        if compound is not None:
            return compound(self, node)  # type: ignore[no-any-return]
        kind = _SIMPLE.get(type(node))
        value = getattr(node, "value", None)
        if isinstance(value, cst.BaseExpression) and self.is_exit(value):
            return _NEVER
        return _NEXT if kind is None else kind

    def _of_if(self, node: cst.If) -> frozenset[End]:
        truth = static_truth(node.test, self.full_name)
        body = self.of(node.body) if truth is not False else _NEVER
        return body | self._of_orelse(node.orelse) if truth is not True else body

    def _of_orelse(self, node: cst.If | cst.Else | None) -> frozenset[End]:
        if node is None:
            return _NEXT
        return self._of_if(node) if isinstance(node, cst.If) else self.of(node.body)

    def _of_loop(self, node: cst.For | cst.While) -> frozenset[End]:
        truth = static_truth(node.test, self.full_name) if isinstance(node, cst.While) else None
        body = self.of(node.body) if truth is not False else _NEVER
        after = self._of_orelse(node.orelse) if truth is not True else _NEVER
        return (body - _OF_LOOP - _NEXT) | after | (_NEXT if End.BREAK in body else _NEVER)

    def _of_try(self, node: cst.Try | cst.TryStar) -> frozenset[End]:
        body = self.of(node.body)
        if End.NEXT in body and node.orelse is not None:
            body = (body - _NEXT) | self.of(node.orelse.body)
        ends = body.union(*(self.of(handler.body) for handler in node.handlers))
        last = self.of(node.finalbody.body) if node.finalbody is not None else _NEXT
        return ends | (last - _NEXT) if End.NEXT in last else last

    def _of_with(self, node: cst.With) -> frozenset[End]:
        body = self.of(node.body)
        if End.NEXT in body or not any(is_swallowing(item.item, self.full_name) for item in node.items):
            return body
        return body | _NEXT

    def _of_match(self, node: cst.Match) -> frozenset[End]:
        ends = _NEVER if any(is_catch_all(case) for case in node.cases) else _NEXT
        return ends.union(*(self.of(case.body) for case in node.cases))


_COMPOUND: dict[type[cst.CSTNode], Any] = {
    cst.If: Ends._of_if,
    cst.For: Ends._of_loop,
    cst.While: Ends._of_loop,
    cst.Try: Ends._of_try,
    cst.TryStar: Ends._of_try,
    cst.With: Ends._of_with,
    cst.Match: Ends._of_match,
    cst.FunctionDef: lambda ends, node: _NEXT,
    cst.ClassDef: lambda ends, node: _NEXT,
}
_SIMPLE: dict[type[cst.CSTNode], frozenset[End]] = {
    cst.Raise: _NEVER,
    cst.Return: frozenset({End.RETURN}),
    cst.Break: frozenset({End.BREAK}),
    cst.Continue: frozenset({End.CONTINUE}),
}


def is_generator(node: cst.FunctionDef) -> bool:
    """Say whether a function yields, so that calling it runs nothing of it."""
    pending: list[cst.CSTNode] = [node.body]
    while pending:
        current = pending.pop()
        if type(current) is cst.Yield:
            return True
        pending.extend(child for child in children(current) if type(child) not in _SCOPES)
    return False
