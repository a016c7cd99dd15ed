"""One file's bytes in, its facts out: decode, locate, parse, visit, and fall back where a step does not work.

Pure: the facts depend on the arguments alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from extractor.facts import FileFacts
from extractor.model import Diagnostic
from extractor.scan.collector import Collector
from extractor.scan.decode import UndecodableError, decode
from extractor.scan.locate import Cut, Structure, function_cuts, landmarks, reduced, structure_of, too_deep
from extractor.scan.positions import AlignedPositions, AlignmentError, Positions, ProvidedPositions
from extractor.scan.salvage import Dropped, salvage
from extractor.scan.visitor import RaiseVisitor

# LibCST's visit takes several Python frames for each level of a tree.
_RECURSION_LIMIT = 20_000


def scan(path: str, data: bytes, *, context: int, thorough: bool = False, whole: bool = False) -> FileFacts:
    """Return the facts of one file.

    Args:
        path: Where the file stands in its tree; only handed on.
        data: The file's bytes.
        context: How many lines to keep before and after each raise line.
        thorough: Read the initializers of all classes, not only of those that look like exceptions.
        whole: Let LibCST parse the whole file and compute all positions itself; slow, for comparison.

    """
    try:
        text = decode(data)
    except UndecodableError as error:
        return _nothing(path, 0, Diagnostic(path, None, "encoding", str(error)))
    lines = text.split("\n")
    if lines[-1] == "":
        lines.pop()
    with _deep_recursion():
        return _Scan(path, text, lines, context).run(thorough=thorough, whole=whole)


def _nothing(path: str, lines: int, *diagnostics: Diagnostic) -> FileFacts:
    return FileFacts(path, lines, (), (), {}, (), diagnostics)


@contextmanager
def _deep_recursion() -> Iterator[None]:
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(max(before, _RECURSION_LIMIT))
    try:
        yield
    finally:
        sys.setrecursionlimit(before)


class _Scan:
    """The scan of one decoded file."""

    def __init__(self, path: str, text: str, lines: Sequence[str], context: int) -> None:
        self._path, self._text, self._lines, self._context = path, text, lines, context

    def run(self, *, thorough: bool, whole: bool) -> FileFacts:
        structure = structure_of(self._text.encode())
        if whole or (structure.has_error and not too_deep(structure.tree.root_node)):
            # What tree-sitter stumbles over may still be Python to LibCST.
            facts = self._whole()
            return facts if facts is not None else self._salvaged(structure, function_cuts(structure, thorough=True))
        cuts = function_cuts(structure, thorough=thorough)
        if structure.has_error or too_deep(structure.tree.root_node):
            return self._salvaged(structure, cuts)
        try:
            return self._reduced(structure, cuts)
        except (cst.ParserSyntaxError, RecursionError):
            return self._salvaged(structure, cuts)
        except AlignmentError:
            return self._whole() or self._salvaged(structure, cuts)

    def _reduced(self, structure: Structure, cuts: Sequence[Cut], dropped: Sequence[Dropped] = ()) -> FileFacts:
        module = cst.parse_module(reduced(structure.source, cuts).decode())
        positions = AlignedPositions(landmarks(structure, cuts))
        facts = self._facts(module, positions, dropped)
        positions.finish()
        return facts

    def _whole(self) -> FileFacts | None:
        try:
            wrapper = MetadataWrapper(cst.parse_module(self._text), unsafe_skip_copy=True)
            return self._facts(wrapper.module, ProvidedPositions(wrapper.resolve(PositionProvider)))
        except (cst.ParserSyntaxError, RecursionError):
            return None

    def _salvaged(self, structure: Structure, cuts: Sequence[Cut]) -> FileFacts:
        saved = salvage(structure, cuts)
        try:
            return self._reduced(structure, saved.cuts, saved.dropped)
        except (cst.ParserSyntaxError, RecursionError, AlignmentError):
            lost = Dropped(1, "the file", len(structure.raises()))
            return _nothing(self._path, len(self._lines), self._diagnostic(lost))

    def _facts(self, module: cst.Module, positions: Positions, dropped: Sequence[Dropped] = ()) -> FileFacts:
        collector = Collector(positions, self._lines, context=self._context)
        module.visit(RaiseVisitor(collector))
        return FileFacts(
            path=self._path,
            lines=len(self._lines),
            sites=tuple(collector.sites),
            classes=tuple(collector.classes),
            bindings=collector.scopes.relevant(collector.references()),
            star_imports=tuple(collector.scopes.star_imports),
            diagnostics=tuple(map(self._diagnostic, dropped)),
        )

    def _diagnostic(self, dropped: Dropped) -> Diagnostic:
        lost = f"; raise statements lost: {dropped.raises}" if dropped.raises else ""
        return Diagnostic(
            self._path, dropped.line, "syntax-error", f"{dropped.what} is not Python that LibCST reads{lost}"
        )
