"""The LibCST visitor: walks one module in source order and hands what it meets to the path, the scopes and the facts.

The hooks only open, turn and close; what a statement means is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import libcst as cst

from extractor.scan.collector import Collector
from extractor.scan.small_statements import SMALL_STATEMENTS

# Everything else has no statements in it; a visitor that goes there costs more than the rest of the scan. Looked up by
# type, since LibCST's classes are abstract base classes and `isinstance` on those is slow.
_COMPOUND = frozenset({
    cst.FunctionDef, cst.ClassDef, cst.If, cst.For, cst.While, cst.Try, cst.TryStar, cst.With, cst.Match,
})  # fmt: skip
_PARTS = frozenset({
    cst.Module, cst.IndentedBlock, cst.Else, cst.ExceptHandler, cst.ExceptStarHandler, cst.Finally, cst.MatchCase,
})  # fmt: skip
_LINES = frozenset({cst.SimpleStatementLine, cst.SimpleStatementSuite})


class RaiseVisitor(cst.CSTVisitor):
    """Visits one module for a collector."""

    def __init__(self, collector: Collector) -> None:
        super().__init__()
        self._collector = collector

    def on_visit(self, node: cst.CSTNode) -> bool:
        kind = type(node)
        if kind in _LINES:
            self._pass_line(node)
            return False
        if kind in _COMPOUND:
            self._collector.path.resume()
        elif kind not in _PARTS:
            return False
        hook = _HOOKS.get(f"visit_{kind.__name__}")
        if hook is not None:
            hook(self, node)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        hook = _HOOKS.get(f"leave_{type(original_node).__name__}")
        if hook is not None:
            hook(self, original_node)

    def on_visit_attribute(self, node: cst.CSTNode, attribute: str) -> None:
        if attribute in _TURNS:
            hook = _HOOKS.get(f"visit_{type(node).__name__}_{attribute}")
            if hook is not None:
                hook(self, node)

    def on_leave_attribute(self, original_node: cst.CSTNode, attribute: str) -> None:
        """Do nothing: a part of a statement ends where the next one begins."""

    def _pass_line(self, line: Any) -> None:
        collector = self._collector
        if type(line) is cst.SimpleStatementLine:
            collector.path.resume()
        for statement in line.body:
            if type(statement) in SMALL_STATEMENTS:
                collector.statement(statement)

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


# LibCST looks for a hook by name at each node and each of its parts, also where there is none.
_HOOKS: dict[str, Callable[[RaiseVisitor, Any], None]] = {
    name: hook for name, hook in vars(RaiseVisitor).items() if name.startswith(("visit_", "leave_"))
}
_TURNS = frozenset(name.split("_", 2)[2] for name in _HOOKS if name.count("_") > 1)
