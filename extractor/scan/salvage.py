"""What is left to read of a file that does not parse: the statements that parse by themselves.

A class or other block that does not parse is gone into; what is dropped becomes a diagnostic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from extractor.scan.locate import Cut, Structure, definition_cut, reduced, too_deep

if TYPE_CHECKING:
    from tree_sitter import Node

_GONE_INTO = frozenset(
    "module block ERROR class_definition decorated_definition if_statement elif_clause else_clause try_statement "
    "except_clause finally_clause with_statement for_statement while_statement".split()
)
_PLACEHOLDER = b"..."


@dataclass(frozen=True, slots=True)
class Dropped:
    """A statement that could not be read. `line` counts from 1; `raises` raise statements are lost with it."""

    line: int
    what: str
    raises: int


@dataclass(frozen=True, slots=True)
class Salvage:
    """The cuts that leave what can be read, sorted and apart from each other, and what they drop."""

    cuts: tuple[Cut, ...]
    dropped: tuple[Dropped, ...]


def salvage(structure: Structure, cuts: Sequence[Cut]) -> Salvage:
    """Return the given cuts with all those added that LibCST needs to read the rest."""
    finder = _Finder(structure, cuts)
    finder.block(structure.tree.root_node)
    added = finder.added
    kept = [cut for cut in cuts if not any(other.start <= cut.start < other.end for other in added)]
    return Salvage(tuple(sorted([*kept, *added], key=lambda cut: cut.start)), tuple(finder.dropped))


def error_line(text: bytes) -> int | None:
    """Return the line of a text that LibCST stumbles over as a module, None where it reads all of it."""
    try:
        cst.parse_module(text.decode())
    except cst.ParserSyntaxError as error:
        # LibCST says where it gave up, which is the line after.
        return max(error.raw_line - 1, 1)
    except (RecursionError, UnicodeDecodeError):
        return 1
    return None


class _Finder:
    """Walks down a structural parse to the statements that do not parse."""

    def __init__(self, structure: Structure, cuts: Sequence[Cut]) -> None:
        self.added: list[Cut] = []
        self.dropped: list[Dropped] = []
        self._structure, self._cuts = structure, cuts
        self._raises = structure.raises()

    def block(self, node: Node) -> None:
        """Go through the statements of a block."""
        for child in node.named_children:
            if child.type not in {"comment"}:
                self._statement(child)

    def _statement(self, node: Node) -> None:
        line = self._error_line(node)
        if line is None:
            return
        inner = list(_blocks(node)) if node.type in _GONE_INTO and node.type != "ERROR" else []
        for block in inner:
            self.block(block)
        if not inner or self._error_line(node) is not None:
            self._drop(node, line)

    def _error_line(self, node: Node) -> int | None:
        first, last = node.start_point.row + 1, node.end_point.row + 1
        if too_deep(node):
            return first
        text, is_wrapped = self._text(node)
        line = error_line(text)
        if line is None:
            return first if node.type == "ERROR" else None
        return min(first + line - 1 - is_wrapped, last)

    def _text(self, node: Node) -> tuple[bytes, bool]:
        source = self._structure.source
        start = source.rfind(b"\n", 0, node.start_byte) + 1
        every = [*self.added, *(cut for cut in self._cuts if not _is_inside(cut, self.added))]
        cuts = [
            Cut(cut.start - start, cut.end - start, cut.replacement)
            for cut in sorted(every, key=lambda cut: cut.start)
            if node.start_byte <= cut.start and cut.end <= node.end_byte
        ]
        text = reduced(source[start : node.end_byte], cuts)
        is_indented = node.start_byte > start and source[start : node.start_byte].isspace()
        return (b"if 1:\n" if is_indented else b"") + text + b"\n", is_indented

    def _drop(self, node: Node, line: int) -> None:
        self.added = [cut for cut in self.added if not node.start_byte <= cut.start < node.end_byte]
        is_definition = node.type in {"function_definition", "class_definition"}
        cut = definition_cut(node) if is_definition else Cut(node.start_byte, node.end_byte, _PLACEHOLDER)
        self.added.append(cut)
        self.added.sort(key=lambda each: each.start)
        lost = sum(node.start_byte <= start < node.end_byte for start in self._raises)
        first = node.start_point.row + 1
        self.dropped = [each for each in self.dropped if not first <= each.line <= node.end_point.row + 1]
        self.dropped.append(Dropped(max(first, line), _name(node), lost))


def _blocks(node: Node) -> Iterator[Node]:
    for child in node.named_children:
        if child.type == "block":
            yield child
        elif child.type in _GONE_INTO:
            yield from _blocks(child)


def _is_inside(cut: Cut, others: Sequence[Cut]) -> bool:
    return any(other.start <= cut.start < other.end for other in others)


def _name(node: Node) -> str:
    name = node.child_by_field_name("name")
    if node.type == "decorated_definition":
        definition = node.child_by_field_name("definition")
        name = definition.child_by_field_name("name") if definition is not None else None
    if name is not None and name.text:
        return name.text.decode("utf-8", "replace")
    return "a statement"
