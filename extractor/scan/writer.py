"""Collects the text of one expression, piece by piece, and the names that it reads."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import libcst as cst

# How each kind of node is written.
Table = Mapping[type[cst.CSTNode], "Callable[[Writer, Any], None]"]


def dotted_name(node: cst.CSTNode) -> str | None:
    """Return "a.b.c" for a name or a chain of attributes on one, else None."""
    # By type, since LibCST's classes are abstract base classes, of which `isinstance` is slow.
    parts: list[str] = []
    current: Any = node
    while type(current) is cst.Attribute:
        parts.append(current.attr.value)
        current = current.value
    if type(current) is not cst.Name:
        return None
    return ".".join([current.value, *reversed(parts)]) if parts else current.value


def target_names(node: cst.CSTNode) -> list[str]:
    """Return the plain names that an assignment target binds."""
    if isinstance(node, cst.Name):
        return [node.value]
    if isinstance(node, (cst.Tuple, cst.List)):
        return [name for element in node.elements for name in target_names(element.value)]
    return target_names(node.value) if isinstance(node, cst.StarredElement) else []


class Writer:
    """Collects the text of one expression and what it reads."""

    def __init__(self, table: Table, parameters: frozenset[str] = frozenset()) -> None:
        self.names: set[str] = set()
        self._table = table
        self._parameters = parameters
        self._hidden: list[frozenset[str]] = []
        self._out: list[str] = []
        self._cuts: list[int] = []

    def pieces(self) -> tuple[str, ...]:
        """The text so far, parameter names at the odd places."""
        pieces, start = [], 0
        for cut in self._cuts:
            pieces += ["".join(self._out[start:cut]), self._out[cut]]
            start = cut + 1
        return (*pieces, "".join(self._out[start:]))

    def inner(self) -> Writer:
        """Return a writer for a part that is written into this one later."""
        inner = Writer(self._table, self._parameters)
        inner._hidden = self._hidden
        return inner

    def insert(self, inner: Writer) -> None:
        """Write what another writer has written."""
        offset = len(self._out)
        self._cuts += [offset + cut for cut in inner._cuts]
        self._out += inner._out
        self.names |= inner.names

    def text(self, text: str) -> None:
        """Write text as it is."""
        self._out.append(text)

    def write(self, node: cst.BaseExpression) -> None:
        """Write an expression with the parentheses it was written in."""
        if getattr(node, "lpar", ()) or type(node) is cst.NamedExpr:
            self.parenthesized(node)
        else:
            self.bare(node)

    def parenthesized(self, node: cst.BaseExpression) -> None:
        """Write an expression in one pair of parentheses."""
        self.text("(")
        self.bare(node)
        self.text(")")

    def bare(self, node: cst.BaseExpression) -> None:
        """Write an expression without the parentheses around it."""
        self._table[type(node)](self, node)

    def read(self, name: str) -> None:
        """Note that the expression reads a dotted name, unless the expression itself binds it."""
        root = name.partition(".")[0]
        if not any(root in hidden for hidden in self._hidden):
            self.names.add(name)

    def name(self, name: str) -> None:
        """Write a name, as a cut where it is a parameter."""
        self.read(name)
        if name in self._parameters and not any(name in hidden for hidden in self._hidden):
            self._cuts.append(len(self._out))
        self.text(name)

    def hide(self, names: frozenset[str]) -> None:
        """Enter a comprehension or lambda that binds these names."""
        self._hidden.append(names)

    def reveal(self) -> None:
        """Leave it."""
        self._hidden.pop()

    def separated(self, nodes: Sequence[Any], write: Callable[[Any], None]) -> None:
        """Write each node, with commas between."""
        for index, node in enumerate(nodes):
            if index:
                self.text(", ")
            write(node)
