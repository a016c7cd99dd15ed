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
from extractor.scan.decorators import handed_on, with_applications
from extractor.scan.locate import Cut, Structure, function_cuts, landmarks, reduced, structure_of, too_deep
from extractor.scan.positions import AlignedPositions, AlignmentError, Positions, ProvidedPositions
from extractor.scan.salvage import Dropped, is_indented_too_deep, raises_in, salvage
from extractor.scan.tables import table_cuts
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


def _cuts(structure: Structure, *, thorough: bool) -> list[Cut]:
    functions = function_cuts(structure, thorough=thorough)
    tables = [cut for cut in table_cuts(structure) if not any(each.start < cut.start < each.end for each in functions)]
    return sorted([*functions, *tables], key=lambda cut: cut.start)


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
        """Return the facts, of the file as it is or else of what can be read of it."""
        facts = None if is_indented_too_deep(self._text) else self._read(self._text, thorough=thorough, whole=whole)
        return facts if facts is not None else self._salvaged()

    def _read(
        self, text: str, *, thorough: bool, whole: bool = False, dropped: Sequence[Dropped] = ()
    ) -> FileFacts | None:
        """Return the facts of a text, None where LibCST does not read it."""
        structure = structure_of(text.encode())
        if too_deep(structure.tree.root_node):
            return None
        try:
            # What tree-sitter stumbles over may still be Python to LibCST.
            if not whole and not structure.has_error:
                return self._reduced(structure, _cuts(structure, thorough=thorough), dropped)
        except AlignmentError:
            pass
        except (cst.ParserSyntaxError, RecursionError):
            return None
        return self._whole(structure, text, dropped)

    def _reduced(self, structure: Structure, cuts: Sequence[Cut], dropped: Sequence[Dropped]) -> FileFacts:
        module = cst.parse_module(reduced(structure.source, cuts).decode())
        positions = AlignedPositions(landmarks(structure, cuts))
        facts = self._facts(module, positions, structure, dropped)
        positions.finish()
        return facts

    def _whole(self, structure: Structure, text: str, dropped: Sequence[Dropped]) -> FileFacts | None:
        try:
            wrapper = MetadataWrapper(cst.parse_module(text), unsafe_skip_copy=True)
            positions = ProvidedPositions(wrapper.resolve(PositionProvider))
            return self._facts(wrapper.module, positions, structure, dropped)
        except (cst.ParserSyntaxError, RecursionError):
            return None

    def _salvaged(self) -> FileFacts:
        saved = salvage(self._text)
        facts = self._read(saved.text, thorough=True, dropped=saved.dropped)
        if facts is not None:
            return facts
        lost = Dropped(1, "the file", raises_in(self._text))
        return _nothing(self._path, len(self._lines), self._diagnostic(lost))

    def _facts(
        self, module: cst.Module, positions: Positions, structure: Structure, dropped: Sequence[Dropped]
    ) -> FileFacts:
        collector = Collector(positions, self._lines, context=self._context)
        module.visit(RaiseVisitor(collector))
        for function, other in handed_on(structure):
            collector.scopes.bind_stand_in(function, other)
        return FileFacts(
            path=self._path,
            lines=len(self._lines),
            sites=with_applications(collector.sites, structure),
            classes=tuple(collector.classes),
            bindings=collector.scopes.relevant(collector.references()),
            star_imports=tuple(collector.scopes.star_imports),
            exports=collector.scopes.exports,
            diagnostics=tuple(map(self._diagnostic, dropped)),
        )

    def _diagnostic(self, dropped: Dropped) -> Diagnostic:
        lost = f"; raise statements lost: {dropped.raises}" if dropped.raises else ""
        return Diagnostic(
            self._path, dropped.line, "syntax-error", f"{dropped.what} is not Python that LibCST reads{lost}"
        )
