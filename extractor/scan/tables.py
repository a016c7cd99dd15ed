"""Large tables of constants, which say nothing of any raise statement but take LibCST seconds and a gigabyte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from extractor.scan.locate import Cut, Structure

if TYPE_CHECKING:
    from tree_sitter import Node

_MANY_DESCENDANTS = 4000
_DISPLAYS = frozenset({"list", "dictionary", "set", "tuple"})
# A `try` shows its first statement as text, and what is raised shows itself.
_SHOWN = frozenset({"try_statement", "raise_statement", "assert_statement", "if_statement", "while_statement"})
_CALLS = frozenset({"call", "argument_list", "keyword_argument", "parenthesized_expression"})
# `:=` and methods such as `append` change names that conditions may read.
_CHANGES = re.compile(rb":=|\.\s*\w+\s*\(")
# A list of which nobody knows what is in it.
_UNKNOWN = b"[*()]"


def table_cuts(structure: Structure) -> list[Cut]:
    """Return the large displays that are assigned to something, by their place."""
    found = (node for node in _large_displays(structure.tree.root_node) if _is_cut(structure.source, node))
    return sorted((Cut(node.start_byte, node.end_byte, _UNKNOWN) for node in found), key=lambda cut: cut.start)


def _large_displays(node: Node) -> Iterator[Node]:
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type in _DISPLAYS:
            yield current
        elif current.type not in _SHOWN:
            pending.extend(child for child in current.children if child.descendant_count > _MANY_DESCENDANTS)


def _is_cut(source: bytes, node: Node) -> bool:
    if _CHANGES.search(source, node.start_byte, node.end_byte) is not None:
        return False
    parent = node.parent
    if parent is not None and parent.type != "assignment" and _is_in_function(parent):
        # What a function makes of it may be the text of an exception.
        return False
    while parent is not None and parent.type in _CALLS:
        parent = parent.parent
    return parent is not None and parent.type == "assignment"


def _is_in_function(node: Node | None) -> bool:
    while node is not None and node.type != "function_definition":
        node = node.parent
    return node is not None
