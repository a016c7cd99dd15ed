"""What of a file LibCST need not see: functions that say nothing of a raise statement, and the ends of others."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from extractor.facts import Wanted
from extractor.scan.locate import Cut, Structure, class_of, holds, looks_like_exception, name_of
from extractor.scan.possible_exits import possible_exits
from extractor.scan.tables import table_cuts

if TYPE_CHECKING:
    from tree_sitter import Node

_CALLED = re.compile(rb"\b([A-Za-z_]\w*+)\s*+\(")
_INITIALIZERS = frozenset({b"__init__", b"__new__", b"__str__", b"__repr__"})
# Longer methods of exception classes say more to machines than to people.
_SHORT_METHOD = 4000
_DEFINITIONS = frozenset({"function_definition", "class_definition"})
# A `yield` anywhere makes a generator of a function.
_YIELD = re.compile(rb"\byield\b")


def called_names(structure: Structure) -> frozenset[bytes]:
    """Return the names of what raise statements call: functions that may make the exception or its text."""
    source = structure.source
    return frozenset(
        name
        for node in structure.nodes
        if node.type == "raise_statement"
        for name in _CALLED.findall(source, node.start_byte, node.end_byte)
    )


def cuts_of(structure: Structure, wanted: Wanted) -> list[Cut]:
    """Return what of a file says nothing of its raise statements nor of what is wanted, in source order."""
    functions = _Functions(structure, wanted)
    cuts = functions.without_raise()
    cuts = _merged(cuts, functions.tails(cuts))
    return _merged(table_cuts(structure), cuts)


def _merged(cuts: list[Cut], others: list[Cut]) -> list[Cut]:
    """Return the cuts of both, but for those that are inside of the others."""
    starts = [other.start for other in others]
    outside = [cut for cut in cuts if not _is_inside(cut.start, others, starts)]
    return sorted([*outside, *others], key=lambda cut: cut.start)


def _is_inside(place: int, cuts: list[Cut], starts: list[int]) -> bool:
    index = bisect_right(starts, place) - 1
    return index >= 0 and place < cuts[index].end


class _Functions:
    """The functions of a file, by what makes them matter."""

    def __init__(self, structure: Structure, wanted: Wanted) -> None:
        self._structure, self._source = structure, structure.source
        self._nodes = [node for node in structure.nodes if node.type in _DEFINITIONS]
        self._raises = structure.raises()
        self._names = frozenset(name.encode() for name in wanted.functions)
        found = _CALLED.finditer(self._source) if wanted.calls else ()
        self._calls = [match.start() for match in found if match[1].decode() in wanted.calls]
        self._exits = possible_exits(structure)

    def without_raise(self) -> list[Cut]:
        """Return the functions that hold no raise statement and do not matter otherwise."""
        cuts: list[Cut] = []
        for node in self._nodes:
            if node.type != "function_definition" or (cuts and node.start_byte < cuts[-1].end):
                continue
            if not (
                holds(self._raises, node) or holds(self._calls, node) or self._is_kept(node) or self._is_inner(node)
            ):
                cuts.append(_definition_cut(node))
        return cuts

    def tails(self, cuts: list[Cut]) -> list[Cut]:
        """Return what stands behind the last raise statement of functions that do not matter otherwise.

        Neither where a function inside may read what is assigned there.
        """
        starts = [cut.start for cut in cuts]
        kept = [node for node in self._nodes if not _is_inside(node.start_byte, cuts, starts)]
        places = [node.start_byte for node in kept]
        tails: list[Cut] = []
        for index, node in enumerate(kept):
            is_outermost = bisect_left(places, node.end_byte) == index + 1
            if node.type == "function_definition" and is_outermost and not self._is_kept(node):
                tails += self._tail(node)
        return tails

    def _tail(self, node: Node) -> list[Cut]:
        body = node.child_by_field_name("body")
        holding = [each for each in body.named_children if holds(self._raises, each)] if body is not None else []
        if not holding or holding[-1].end_byte >= node.end_byte:
            return []
        tail = Cut(holding[-1].end_byte, node.end_byte, b"")
        is_telling = _YIELD.search(self._source, tail.start, tail.end) is not None
        index = bisect_left(self._calls, tail.start)
        is_calling = index < len(self._calls) and self._calls[index] < tail.end
        return [] if is_telling or is_calling else [tail]

    def _is_inner(self, node: Node) -> bool:
        """Say whether a function is part of another one that raises behind it, whose variables it may change."""
        outer = node.parent
        while outer is not None and outer.type not in _DEFINITIONS:
            outer = outer.parent
        if outer is None or outer.type != "function_definition" or node.end_byte - node.start_byte > _SHORT_METHOD:
            return False
        if _says_something_of_exceptions(outer):
            return True
        index = bisect_left(self._raises, node.end_byte)
        return index < len(self._raises) and self._raises[index] < outer.end_byte

    def _is_kept(self, node: Node) -> bool:
        return (
            name_of(node) in self._names
            or node.start_byte in self._exits
            or _says_something_of_exceptions(node)
            or self._rebinds_outside(node)
        )

    def _rebinds_outside(self, node: Node) -> bool:
        # What a function around it knows of its own variables depends on this one.
        text = self._source[node.start_byte : node.end_byte]
        return b"nonlocal " in text or b"global " in text


def _definition_cut(node: Node) -> Cut:
    """Return the cut that leaves of a function only a binding of its name."""
    outer = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
    return Cut(outer.start_byte, node.end_byte, name_of(node) + b" = ...")


def _says_something_of_exceptions(node: Node) -> bool:
    owner = class_of(node)
    if owner is None or not looks_like_exception(_header(owner)):
        return False
    return name_of(node) in _INITIALIZERS or node.end_byte - node.start_byte < _SHORT_METHOD


def _header(node: Node) -> bytes:
    parts = (node.child_by_field_name("name"), node.child_by_field_name("superclasses"))
    return b" ".join(part.text for part in parts if part is not None and part.text)
