"""Which parts of a file matter: a structural parse with tree-sitter, before LibCST sees anything.

Functions without a raise statement are cut down to a binding of their name, so LibCST reads a small part of the file,
and tree-sitter's positions of the statements that stay save LibCST's own, which cost several times the parse.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from extractor.facts import Wanted
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
_INITIALIZERS = frozenset({b"__init__", b"__new__", b"__str__", b"__repr__"})
# Longer methods of exception classes say more to machines than to people.
_SHORT_METHOD = 4000
_CALLED = re.compile(rb"\b([A-Za-z_]\w*+)\s*+\(")
_EXCEPTION_WORDS = (b"Error", b"Exception", b"Warning", b"Exit", b"Interrupt", b"Failure", b"Fault", b"Abort", b"Stop")
# What functions that never return are annotated with, what they call or how they loop.
_NEVER = re.compile(rb"->[^:]{0,200}\b(?:NoReturn|Never)\b")
_EXIT_WORDS = tuple(b"exit quit _exit abort assert_never fail skip skipTest xfail".split())
_ENDLESS = re.compile(rb"\bwhile\s*+\(?\s*+(?:True|1)\b")
# What may stand before the name that a statement calls: a target, `return`, `await`, `super()`, dotted names.
_BEFORE_CALL = re.compile(rb"[\w.()=\s]*")
_COMPOUND = frozenset("if_statement try_statement with_statement match_statement".split())
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


def called_names(structure: Structure) -> frozenset[bytes]:
    """Return the names of what raise statements call: functions that may make the exception or its text."""
    source = structure.source
    return frozenset(
        name
        for node in structure.nodes
        if node.type == "raise_statement"
        for name in _CALLED.findall(source, node.start_byte, node.end_byte)
    )


def class_ranges(structure: Structure) -> list[ClassRange]:
    """Return where the class statements stand, outer ones first."""
    return [
        ClassRange(node.start_byte, node.end_byte, node.start_point.row + 1)
        for node in structure.nodes
        if node.type == "class_definition"
    ]


def function_cuts(structure: Structure, wanted: Wanted) -> list[Cut]:
    """Return the functions that hold no raise statement, say nothing of an exception class and are not wanted."""
    names = frozenset(name.encode() for name in wanted.functions)
    calls = (
        [match.start() for match in _CALLED.finditer(structure.source) if match[1].decode() in wanted.calls]
        if wanted.calls
        else []
    )
    raises = structure.raises()
    exits = _possible_exits(structure, raises)
    cuts: list[Cut] = []
    for node in structure.nodes:
        if node.type != "function_definition" or (cuts and node.start_byte < cuts[-1].end):
            continue
        if _holds(raises, node) or _holds(calls, node) or _is_kept(node, names) or _rebinds_outside(structure, node):
            continue
        if node.start_byte not in exits:
            cuts.append(definition_cut(node))
    return cuts


def _possible_exits(structure: Structure, raises: Sequence[int]) -> set[int]:
    """Return the first bytes of the functions without a raise that may never return, see `exits`."""
    functions = [node for node in structure.nodes if node.type == "function_definition"]
    names = {_name(node) for node in functions if _holds(raises, node) and _ends_with_raise(node)}
    found: set[int] = set()
    new = [*_EXIT_WORDS, *names]
    while new:
        calls = re.compile(rb"\b(?:%s)\s*\(" % b"|".join(map(re.escape, new)))
        more = [
            node
            for node in functions
            if node.start_byte not in found and not _holds(raises, node) and _may_exit(structure.source, node, calls)
        ]
        found.update(node.start_byte for node in more)
        new = sorted({_name(node) for node in more} - names)
        names.update(new)
    return found


def _name(node: Node) -> bytes:
    name = node.child_by_field_name("name")
    return name.text if name is not None and name.text else b"_"


def _statements(node: Node) -> list[Node]:
    body = node.child_by_field_name("body")
    return [child for child in body.named_children if child.type != "comment"] if body is not None else []


def _ends_with_raise(node: Node) -> bool:
    statements = _statements(node)
    # A stub that is to be overridden returns somewhere else.
    is_stub = len(statements) == 1 and (statements[0].text or b"").startswith(b"raise NotImplementedError")
    return bool(statements) and statements[-1].type in {"raise_statement", *_COMPOUND} and not is_stub


def _may_exit(source: bytes, node: Node, calls: re.Pattern[bytes]) -> bool:
    *_, last = [None, *_statements(node)]
    if last is None:
        return False
    if _NEVER.search(source, node.start_byte, last.start_byte) is not None:
        return True
    if last.type == "while_statement":
        return _ENDLESS.match(source, last.start_byte) is not None
    if last.type == "if_statement" and last.children[-1].type != "else_clause":
        return False
    found = calls.search(source, last.start_byte, last.end_byte)
    if found is None or last.type in _COMPOUND:
        return found is not None
    return _BEFORE_CALL.fullmatch(source, last.start_byte, found.start()) is not None


def definition_cut(node: Node) -> Cut:
    """Return the cut that leaves of a function or class only a binding of its name."""
    outer = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
    return Cut(outer.start_byte, node.end_byte, _name(node) + b" = ...")


def _holds(raises: Sequence[int], node: Node) -> bool:
    index = bisect_left(raises, node.start_byte)
    return index < len(raises) and raises[index] < node.end_byte


def _is_kept(node: Node, wanted: frozenset[bytes]) -> bool:
    name = node.child_by_field_name("name")
    if name is None or name.text in wanted:
        return name is not None
    owner = _class_of(node)
    if owner is None or not looks_like_exception(_header(owner)):
        return False
    return name.text in _INITIALIZERS or node.end_byte - node.start_byte < _SHORT_METHOD


def _rebinds_outside(structure: Structure, node: Node) -> bool:
    # What a function around it knows of its own variables depends on this one.
    text = structure.source[node.start_byte : node.end_byte]
    return b"nonlocal " in text or b"global " in text


def _class_of(node: Node) -> Node | None:
    block = node.parent
    if block is not None and block.type == "decorated_definition":
        block = block.parent
    owner = block.parent if block is not None else None
    return owner if owner is not None and owner.type == "class_definition" else None


def _header(node: Node) -> bytes:
    parts = (node.child_by_field_name("name"), node.child_by_field_name("superclasses"))
    return b" ".join(part.text for part in parts if part is not None and part.text)


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
