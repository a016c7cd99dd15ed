"""The LibCST visitor: walks one module in source order and hands what it meets to the path, the scopes and the facts.

The hooks only open, turn and close; what a statement means is decided elsewhere.
"""

from __future__ import annotations

import libcst as cst

from extractor.scan.collector import Collector
from extractor.scan.small_statements import SMALL_STATEMENTS

# Everything else has no statements in it; a visitor that goes there costs more than the rest of the scan. Looked up by
# type, since LibCST's classes are abstract base classes and `isinstance` on those is slow.
_ENTERED = frozenset({
    cst.Module, cst.IndentedBlock, cst.SimpleStatementLine, cst.SimpleStatementSuite, cst.FunctionDef, cst.ClassDef,
    cst.If, cst.Else, cst.For, cst.While, cst.Try, cst.TryStar, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally,
    cst.With, cst.Match, cst.MatchCase,
})  # fmt: skip


# A statement of a block, with all that is in it or on its line.
_STATEMENTS = frozenset({
    cst.SimpleStatementLine, cst.FunctionDef, cst.ClassDef, cst.If, cst.For, cst.While, cst.Try, cst.TryStar, cst.With,
    cst.Match,
})  # fmt: skip


class RaiseVisitor(cst.CSTVisitor):
    """Visits one module for a collector."""

    def __init__(self, collector: Collector) -> None:
        super().__init__()
        self._collector = collector

    def on_visit(self, node: cst.CSTNode) -> bool:
        kind = type(node)
        if kind in _STATEMENTS:
            self._collector.path.resume()
        if kind in _ENTERED:
            return super().on_visit(node) is not False
        if kind in SMALL_STATEMENTS:
            self._collector.statement(node)
        return False

    def on_leave(self, original_node: cst.CSTNode) -> None:
        if type(original_node) in _ENTERED:
            super().on_leave(original_node)

    def visit_Module(self, node: cst.Module) -> None:
        self._collector.open_module(node)

    def visit_FunctionDef(self, node: cst.FunctionDef) -> None:
        self._collector.open_function(node)

    def leave_FunctionDef(self, original_node: cst.FunctionDef) -> None:
        self._collector.close_function(original_node)

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._collector.open_class(node)

    def leave_ClassDef(self, original_node: cst.ClassDef) -> None:
        self._collector.close_class(original_node)

    def visit_If(self, node: cst.If) -> None:
        self._collector.path.open_if(node, self._collector.line(node))

    def visit_If_orelse(self, node: cst.If) -> None:
        self._collector.path.turn_if(node)

    def leave_If(self, original_node: cst.If) -> None:
        self._collector.path.close_if()

    def visit_For(self, node: cst.For) -> None:
        self._collector.open_for(node)

    def visit_For_orelse(self, node: cst.For) -> None:
        self._collector.path.turn_loop(node)

    def leave_For(self, original_node: cst.For) -> None:
        self._collector.path.close_loop()

    def visit_While(self, node: cst.While) -> None:
        self._collector.path.open_while(node, self._collector.line(node))

    def visit_While_orelse(self, node: cst.While) -> None:
        self._collector.path.turn_loop(node)

    def leave_While(self, original_node: cst.While) -> None:
        self._collector.path.close_loop()

    def visit_With(self, node: cst.With) -> None:
        self._collector.open_with(node)

    def leave_With(self, original_node: cst.With) -> None:
        self._collector.close_with(original_node)

    def visit_Match(self, node: cst.Match) -> None:
        self._collector.open_match(node)

    def visit_MatchCase(self, node: cst.MatchCase) -> None:
        self._collector.open_case(node)

    def leave_MatchCase(self, original_node: cst.MatchCase) -> None:
        self._collector.path.close_case()

    def leave_Match(self, original_node: cst.Match) -> None:
        self._collector.close_match(original_node)

    def visit_Try(self, node: cst.Try) -> None:
        self._collector.open_try(node)

    def visit_Try_handlers(self, node: cst.Try) -> None:
        self._collector.turn_to_handlers()

    def visit_ExceptHandler(self, node: cst.ExceptHandler) -> None:
        self._collector.open_handler(node)

    def leave_ExceptHandler(self, original_node: cst.ExceptHandler) -> None:
        self._collector.close_handler(original_node)

    def visit_Try_orelse(self, node: cst.Try) -> None:
        self._collector.turn_to_try_else(node)

    def visit_Try_finalbody(self, node: cst.Try) -> None:
        self._collector.turn_to_finally(node)

    def leave_Try(self, original_node: cst.Try) -> None:
        self._collector.close_try(original_node)

    def visit_TryStar(self, node: cst.TryStar) -> None:
        self._collector.open_try(node)

    def visit_TryStar_handlers(self, node: cst.TryStar) -> None:
        self._collector.turn_to_handlers()

    def visit_ExceptStarHandler(self, node: cst.ExceptStarHandler) -> None:
        self._collector.open_handler(node)

    def leave_ExceptStarHandler(self, original_node: cst.ExceptStarHandler) -> None:
        self._collector.close_handler(original_node)

    def visit_TryStar_orelse(self, node: cst.TryStar) -> None:
        self._collector.turn_to_try_else(node)

    def visit_TryStar_finalbody(self, node: cst.TryStar) -> None:
        self._collector.turn_to_finally(node)

    def leave_TryStar(self, original_node: cst.TryStar) -> None:
        self._collector.close_try(original_node)
