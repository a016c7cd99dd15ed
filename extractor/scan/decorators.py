"""Decorators: what is written above a definition, and what the wrapper that a decorator makes is put around.

What is decorated is taken from the structural parse, since LibCST is not shown functions that hold no raise statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import libcst as cst

from extractor.facts import RaiseSite, Reference
from extractor.scan.locate import Structure
from extractor.scan.writer import dotted_name

if TYPE_CHECKING:
    from tree_sitter import Node

_MOST_APPLICATIONS = 16
_LOCALS = ".<locals>."
_DEFINITIONS = frozenset({"function_definition", "class_definition"})


def decorator_references(
    node: cst.FunctionDef | cst.ClassDef, scopes: tuple[str, ...], line: int
) -> tuple[Reference, ...]:
    """Return the decorators that are dotted names or calls of one, from the top down."""
    made = (each.decorator for each in node.decorators)
    names = (dotted_name(each.func if isinstance(each, cst.Call) else each) for each in made)
    return tuple(Reference(name, scopes, line) for name in names if name is not None)


def with_applications(sites: Sequence[RaiseSite], structure: Structure) -> tuple[RaiseSite, ...]:
    """Return the sites with what is decorated by the decorators whose wrappers they stand in."""
    if not any(_LOCALS in site.scope for site in sites):
        return tuple(sites)
    uses: dict[str, list[_Use]] = {}
    for use in _uses(structure):
        uses.setdefault(use.decorator, []).append(use)
    if not uses:
        return tuple(sites)
    returned = _Returned(structure)
    applied = {scope: _applied_to(scope, uses, returned) for scope in {site.scope for site in sites}}
    return tuple(replace(site, applied_to=applied[site.scope]) for site in sites)


@dataclass(frozen=True, slots=True)
class _Use:
    """One decorator above a definition: the function that it is, and whether it is called there."""

    decorator: str
    is_called: bool
    decorated: str


def handed_on(structure: Structure) -> Iterator[tuple[str, str]]:
    """Yield the functions of the module that return what another one makes of their argument, with that one's name.

    As decorators they are pydantic's under another name; of other packages nothing is asked.
    """
    if b"pydantic" not in structure.source:
        return
    for node in structure.nodes:
        if node.type == "function_definition" and len(around := _around(node)) < 2:
            outermost = around[-1] if around else node
            if outermost.type == "function_definition":
                yield from ((_name(outermost), name) for name in _called_with_parameter(node))


def _called_with_parameter(function: Node) -> Iterator[str]:
    parameters = _parameters(function)
    for each in _own_returns(function):
        call = each.named_children[0] if each.named_children else each
        callee, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
        if callee is not None and arguments is not None and arguments.named_children:
            first = arguments.named_children[0]
            if first.type == "identifier" and _text(first) in parameters:
                yield _text(callee)


def _applied_to(scope: str, uses: Mapping[str, Sequence[_Use]], returned: _Returned) -> tuple[str, ...]:
    parts = scope.split(_LOCALS)
    found: dict[str, None] = {}
    for index in range(1, len(parts)):
        decorator = _LOCALS.join(parts[:index])
        given = uses.get(decorator, ())
        depth = _returned_depth(decorator, parts[index:], returned) if given else 0
        # Where a decorator is called, what it gives back makes the wrapper.
        found.update((use.decorated, None) for use in given if depth >= (2 if use.is_called else 1))
    return tuple(found)[:_MOST_APPLICATIONS]


def _returned_depth(outer: str, path: Sequence[str], returned: _Returned) -> int:
    """Return how many of the functions on the way from one to a scope are returned by the one around them."""
    for depth, name in enumerate(path):
        if name not in returned.names(outer):
            return depth
        outer += _LOCALS + name
    return len(path)


class _Returned:
    """The names in the return statements of a function, by its qualified name."""

    def __init__(self, structure: Structure) -> None:
        self._nodes: dict[str, list[Node]] = {}
        for node in structure.nodes:
            if node.type == "function_definition":
                self._nodes.setdefault(_qualified(node), []).append(node)
        self._known: dict[str, frozenset[str]] = {}

    def names(self, function: str) -> frozenset[str]:
        if function not in self._known:
            returns = (each for node in self._nodes.get(function, ()) for each in _own_returns(node))
            self._known[function] = frozenset(name for each in returns for name in _identifiers(each))
        return self._known[function]


def _own_returns(function: Node) -> Iterator[Node]:
    body = function.child_by_field_name("body")
    pending = [body] if body is not None else []
    while pending:
        node = pending.pop()
        if node.type == "return_statement":
            yield node
        elif node.type not in _DEFINITIONS:
            pending.extend(node.children)


def _identifiers(node: Node) -> Iterator[str]:
    pending = [node]
    while pending:
        current = pending.pop()
        if current.type == "identifier":
            yield _text(current)
        pending.extend(current.children)


def _uses(structure: Structure) -> list[_Use]:
    """Return the decorators above definitions that are functions of this file, in source order."""
    definitions = [node for node in structure.nodes if node.type in _DEFINITIONS]
    decorated = [node for node in definitions if node.parent is not None and node.parent.type == "decorated_definition"]
    if not decorated:
        return []
    functions = {_qualified(node) for node in definitions if node.type == "function_definition"}
    return [use for node in decorated for use in _uses_above(node, functions)]


def _uses_above(node: Node, functions: set[str]) -> Iterator[_Use]:
    assert node.parent is not None
    for decorator in node.parent.children:
        if decorator.type != "decorator":
            continue
        made = decorator.children[1]
        function = made.child_by_field_name("function") if made.type == "call" else made
        if function is None or function.type not in {"identifier", "attribute"}:
            continue
        meant = _meant(_text(function), node, functions)
        if meant is not None:
            yield _Use(meant, made.type == "call", _qualified(node))


def _meant(name: str, node: Node, functions: set[str]) -> str | None:
    """Return the function of this file that a name above a definition means."""
    around = _around(node)
    for index, outer in enumerate(around):
        if outer.type == "class_definition" and index:
            continue
        own = f"{_qualified(outer)}{_LOCALS if outer.type == 'function_definition' else '.'}{name}"
        if own in functions:
            return own
        if name.partition(".")[0] in _parameters(outer):
            return None
    return name if name in functions else None


def _parameters(node: Node) -> set[str]:
    parameters = node.child_by_field_name("parameters")
    return set(_identifiers(parameters)) if parameters is not None else set()


def _qualified(node: Node) -> str:
    """Return the qualified name of a definition, as `__qualname__` has it."""
    parts = [_name(node)]
    for outer in _around(node):
        parts += ["<locals>"] if outer.type == "function_definition" else []
        parts.append(_name(outer))
    return ".".join(reversed(parts))


def _around(node: Node) -> list[Node]:
    """Return the definitions around one, innermost first."""
    found: list[Node] = []
    outer = node.parent
    while outer is not None:
        if outer.type in _DEFINITIONS:
            found.append(outer)
        outer = outer.parent
    return found


def _name(node: Node) -> str:
    name = node.child_by_field_name("name")
    return _text(name) if name is not None else "_"


def _text(node: Node) -> str:
    return node.text.decode() if node.text is not None else ""
