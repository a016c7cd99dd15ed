"""One file's bytes in, its facts out: decode, locate, parse, visit, and fall back where a step does not work.

Pure: the facts depend on the arguments alone.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider

from extractor.facts import NOTHING, FileFacts, Wanted
from extractor.model import Diagnostic
from extractor.scan.collector import Collector
from extractor.scan.cuts import called_names, cuts_of
from extractor.scan.decode import UndecodableError, decode
from extractor.scan.decorators import handed_on, with_applications
from extractor.scan.locate import Structure, class_ranges, landmarks, reduced, structure_of, too_deep
from extractor.scan.managers import swallowing_managers
from extractor.scan.own_methods import OwnMethods
from extractor.scan.positions import AlignedPositions, AlignmentError, Positions, ProvidedPositions
from extractor.scan.salvage import Dropped, is_indented_too_deep, raises_in, salvage
from extractor.scan.stored import collected_tables, stored_names
from extractor.scan.visitor import RaiseVisitor

# LibCST's visit takes several Python frames for each level of a tree.
_RECURSION_LIMIT = 20_000


def scan(path: str, data: bytes, *, context: int, wanted: Wanted = NOTHING, whole: bool = False) -> FileFacts:
    """Return the facts of one file.

    Args:
        path: Where the file stands in its tree; only handed on.
        data: The file's bytes.
        context: How many lines to keep before and after each raise line.
        wanted: What link wants to know of the file besides.
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
        return _Scan(path, text, lines, context).run(wanted, whole=whole)


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

    def run(self, wanted: Wanted, *, whole: bool) -> FileFacts:
        """Return the facts, of the file as it is or else of what can be read of it."""
        facts = None if is_indented_too_deep(self._text) else self._read(self._text, wanted, whole=whole)
        return facts if facts is not None else self._salvaged(wanted)

    def _read(
        self, text: str, wanted: Wanted, *, whole: bool = False, dropped: Sequence[Dropped] = ()
    ) -> FileFacts | None:
        """Return the facts of a text, None where LibCST does not read it."""
        structure = structure_of(text.encode())
        if too_deep(structure.tree.root_node):
            return None
        wanted |= Wanted(frozenset(name.decode() for name in called_names(structure)))
        try:
            # What tree-sitter stumbles over may still be Python to LibCST.
            if not whole and not structure.has_error:
                return self._reduced(structure, wanted, dropped)
        except AlignmentError:
            pass
        except (cst.ParserSyntaxError, RecursionError):
            return None
        return self._whole(structure, wanted, dropped)

    def _reduced(self, structure: Structure, wanted: Wanted, dropped: Sequence[Dropped]) -> FileFacts:
        cuts = cuts_of(structure, wanted)
        module = cst.parse_module(reduced(structure.source, cuts).decode())
        positions = AlignedPositions(landmarks(structure, cuts))
        facts = self._facts(module, positions, structure, wanted, dropped)
        positions.finish()
        return facts

    def _whole(self, structure: Structure, wanted: Wanted, dropped: Sequence[Dropped]) -> FileFacts | None:
        try:
            wrapper = MetadataWrapper(cst.parse_module(structure.source.decode()), unsafe_skip_copy=True)
            positions = ProvidedPositions(wrapper.resolve(PositionProvider))
            return self._facts(wrapper.module, positions, structure, wanted, dropped)
        except (cst.ParserSyntaxError, RecursionError):
            return None

    def _salvaged(self, wanted: Wanted) -> FileFacts:
        saved = salvage(self._text)
        facts = self._read(saved.text, wanted, dropped=saved.dropped)
        if facts is not None:
            return facts
        lost = Dropped(1, "the file", raises_in(self._text))
        return _nothing(self._path, len(self._lines), self._diagnostic(lost))

    def _facts(
        self,
        module: cst.Module,
        positions: Positions,
        structure: Structure,
        wanted: Wanted,
        dropped: Sequence[Dropped],
    ) -> FileFacts:
        methods = OwnMethods(structure)
        managers = swallowing_managers(structure)
        collector = Collector(positions, self._lines, methods, managers, context=self._context, wanted=wanted)
        module.visit(RaiseVisitor(collector))
        ranges, scopes = class_ranges(structure), {each.line: each.scope for each in collector.classes}
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
            functions=collector.functions.facts(),
            calls=tuple(collector.calls),
            constants=collector.constants.found(),
            stored=stored_names(structure.source, ranges, scopes),
            collected=collected_tables(structure.source, ranges, scopes),
            diagnostics=tuple(map(self._diagnostic, dropped)),
        )

    def _diagnostic(self, dropped: Dropped) -> Diagnostic:
        lost = f"; raise statements lost: {dropped.raises}" if dropped.raises else ""
        return Diagnostic(
            self._path, dropped.line, "syntax-error", f"{dropped.what} is not Python that LibCST reads{lost}"
        )
