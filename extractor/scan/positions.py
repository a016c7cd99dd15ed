"""Where the statements of a tree stand in the file: from tree-sitter's landmarks, or from LibCST itself."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Protocol

import libcst as cst
from libcst.metadata import CodeRange

from extractor.scan.locate import Landmark

_SAME = {"ExceptStarHandler": "ExceptHandler", "TryStar": "Try", "AnnAssign": "Assign"}


class AlignmentError(ValueError):
    """The landmarks are not the statements of the tree."""


def may_be_conditional(node: cst.BaseExpression | None) -> bool:
    """Say whether an assigned or appended value is of a kind whose statement has a landmark."""
    if len(getattr(node, "lpar", ())) > 1:
        return False
    return isinstance(node, (cst.IfExp, cst.BooleanOperation, cst.BinaryOperation))


@dataclass(frozen=True, slots=True)
class Span:
    """A range of source: lines from 1, columns from 0 in characters, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Positions(Protocol):
    """Gives the span of a statement. The visitor asks for each kind in source order, and once for each node."""

    def of(self, node: cst.CSTNode) -> Span:
        """Return where a node stands."""
        ...


class AlignedPositions:
    """Positions from landmarks, which come in the order in which a visitor meets the nodes."""

    def __init__(self, landmarks: Iterable[Landmark]) -> None:
        self._landmarks = iter(landmarks)

    def of(self, node: cst.CSTNode) -> Span:
        """Return where a node stands.

        Raises:
            AlignmentError: The next landmark is of another kind.

        """
        landmark = next(self._landmarks, None)
        kind = type(node).__name__
        if landmark is None or landmark.kind != _SAME.get(kind, kind):
            raise AlignmentError(f"{kind} where {landmark} was expected")
        return Span(landmark.line, landmark.column, landmark.end_line, landmark.end_column)

    def finish(self) -> None:
        """Check that no landmark is left.

        Raises:
            AlignmentError: One is.

        """
        if (landmark := next(self._landmarks, None)) is not None:
            raise AlignmentError(f"{landmark} was not met")


class ProvidedPositions:
    """Positions that LibCST computed for a whole module."""

    def __init__(self, ranges: Mapping[cst.CSTNode, CodeRange]) -> None:
        self._ranges = ranges

    def of(self, node: cst.CSTNode) -> Span:
        """Return where a node stands."""
        found = self._ranges[node]
        return Span(found.start.line, found.start.column, found.end.line, found.end.column)
