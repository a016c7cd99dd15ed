"""The structural parse of a file with tree-sitter, before LibCST sees anything.

LibCST is shown the source without what `cuts` finds to say nothing, and tree-sitter's positions of the statements that
stay save LibCST's own, which cost several times the parse.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from extractor.scan.stored import ClassRange

if TYPE_CHECKING:
    from tree_sitter import Node, Parser, Query, Tree

# What the visitor asks positions of; the names are those of the LibCST nodes.
_KINDS = {
    "raise_statement": "Raise",
    "if_statement": "If",
    "elif_clause": "If",
    "while_statement": "While",
    "for_statement": "For",
    "except_clause": "ExceptHandler",
    "with_statement": "With",
    "case_clause": "MatchCase",
    "assert_statement": "Assert",
    "function_definition": "FunctionDef",
    "class_definition": "ClassDef",
    "try_statement": "Try",
    "assignment": "Assign",
    "expression_statement": "Expr",
}
# Of assignments and calls only those are asked for that may hold a conditional expression, whose test becomes
# a guard; `positions.may_be_conditional` says the same of LibCST's nodes.
_CONDITIONAL = "(conditional_expression) (boolean_operator) (binary_operator)"
_QUERY = f"""
    [{" ".join(f"({kind})" for kind in _KINDS if kind not in {"assignment", "expression_statement"})}] @node
    (assignment right: [{_CONDITIONAL} (parenthesized_expression [{_CONDITIONAL}])]) @node
    (expression_statement (call arguments: (argument_list [
        {_CONDITIONAL} (parenthesized_expression [{_CONDITIONAL}])
    ]))) @node
"""
_EXCEPTION_WORDS = (b"Error", b"Exception", b"Warning", b"Exit", b"Interrupt", b"Failure", b"Fault", b"Abort", b"Stop")
# LibCST's parser recurses in native code and takes the process down on a deeper nesting.
_DEEPEST = 600
_MANY_DESCENDANTS = 400
_MOST_ELIFS = 300
# What opens a level for LibCST; tree-sitter leaves it flat where it does not find the end.
_OPENERS = frozenset("( [ { not - + ~ * ** await lambda if else elif".split())


@dataclass(frozen=True, slots=True)
class Landmark:
    """A statement that stays, by the name of its LibCST node. Lines from 1, columns from 0 in characters."""

    kind: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Cut:
    """A range of bytes that LibCST is not shown, and what stands there instead."""

    start: int
    end: int
    replacement: bytes


@dataclass(frozen=True, slots=True)
class Structure:
    """The structural parse of one file: its tree and the nodes of the kinds that matter, in source order."""

    source: bytes
    tree: Tree
    nodes: tuple[Node, ...]

    @property
    def has_error(self) -> bool:
        """Whether tree-sitter could not make sense of some part."""
        return self.tree.root_node.has_error

    def raises(self) -> list[int]:
        """The first bytes of the raise statements."""
        return [node.start_byte for node in self.nodes if node.type == "raise_statement"]


@cache
def _parser() -> tuple[Parser, Query]:
    import tree_sitter
    import tree_sitter_python

    language = tree_sitter.Language(tree_sitter_python.language())
    return tree_sitter.Parser(language), tree_sitter.Query(language, _QUERY)


def structure_of(source: bytes) -> Structure:
    """Return the structural parse of UTF-8 source."""
    import tree_sitter

    parser, query = _parser()
    tree = parser.parse(source)
    nodes = tree_sitter.QueryCursor(query).captures(tree.root_node).get("node", [])
    return Structure(source, tree, tuple(sorted(nodes, key=lambda node: (node.start_byte, -node.end_byte))))


def class_ranges(structure: Structure) -> list[ClassRange]:
    """Return where the class statements stand, outer ones first."""
    return [
        ClassRange(node.start_byte, node.end_byte, node.start_point.row + 1)
        for node in structure.nodes
        if node.type == "class_definition"
    ]


def name_of(node: Node) -> bytes:
    """Return the name of a function or class."""
    name = node.child_by_field_name("name")
    return name.text if name is not None and name.text else b"_"


def holds(places: Sequence[int], node: Node) -> bool:
    """Say whether one of these places, which are in order, is in a node."""
    index = bisect_left(places, node.start_byte)
    return index < len(places) and places[index] < node.end_byte


def class_of(node: Node) -> Node | None:
    """Return the class whose block a function stands in."""
    block = node.parent
    if block is not None and block.type == "decorated_definition":
        block = block.parent
    owner = block.parent if block is not None else None
    return owner if owner is not None and owner.type == "class_definition" else None


def looks_like_exception(header: bytes) -> bool:
    """Say whether a class's name and bases read like those of an exception."""
    return any(word in header for word in _EXCEPTION_WORDS)


def reduced(source: bytes, cuts: Iterable[Cut]) -> bytes:
    """Return the source with the cuts made."""
    pieces, end = [], 0
    for cut in cuts:
        pieces += [source[end : cut.start], cut.replacement]
        end = cut.end
    return b"".join([*pieces, source[end:]])


def landmarks(structure: Structure, cuts: Sequence[Cut]) -> Iterator[Landmark]:
    """Yield the statements that are left, in source order."""
    lines = _Columns(structure.source)
    starts = [cut.start for cut in cuts]
    for node in structure.nodes:
        index = bisect_right(starts, node.start_byte) - 1
        if index >= 0 and node.start_byte < cuts[index].end:
            continue
        start, end = node.start_point, node.end_point
        yield Landmark(_KINDS[node.type], start.row + 1, lines.column(start), end.row + 1, lines.column(end))


class _Columns:
    """Turns byte columns into character columns."""

    def __init__(self, source: bytes) -> None:
        self._lines = None if source.isascii() else source.split(b"\n")

    def column(self, point: tuple[int, int]) -> int:
        row, column = point
        return column if self._lines is None else len(self._lines[row][:column].decode("utf-8", "replace"))


def too_deep(node: Node) -> bool:
    """Say whether something is nested so deep that LibCST must not see it.

    Only nodes with many descendants can be on top of a deep nesting, so the walk skips all others.
    """
    pending = [(node, 0)]
    while pending:
        current, depth = pending.pop()
        if depth > _DEEPEST:
            return True
        big = [child for child in current.children if child.descendant_count > _MANY_DESCENDANTS]
        if current.type == "if_statement" and len(current.children) > _MOST_ELIFS:
            return True
        if current.type == "ERROR" and sum(child.type in _OPENERS for child in current.children) > _DEEPEST:
            return True
        pending.extend((child, depth + 1) for child in big)
    return False
