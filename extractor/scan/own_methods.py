"""What the methods of a class change of their own object, also those that the rest of the scan is not shown.

A method is read when somebody calls it on its own object, and only once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING

import libcst as cst

from extractor.scan.bindings import MUTATING_FUNCTIONS, MUTATORS, changes_in
from extractor.scan.locate import Structure
from extractor.scan.own_object import STATIC, SUPER, OwnCall, OwnObject
from extractor.scan.statements import block_statements

if TYPE_CHECKING:
    from tree_sitter import Node

_SETTER = re.compile(rb"@\s*\w+\.(?:setter|deleter)\b")
_STATIC = re.compile(rb"@\s*staticmethod\b")
# What may call a method of the own object or change an attribute of it, as far as the text tells. Hostile lines may be
# long: no pattern looks far ahead.
_TELLING = rb"""
    \b%(own)s \. (?:
        \w++ (?: \.\w++ | \[ [^]\n]{0,200} \] )*+ [ ]*+ (?: [,)\]][^\n=]{0,200} | :[^\n=]{0,200} )?
            (?: [-+*/%%|&^@] | // | \*\* | << | >> )? = (?!=)
        | \w++ \s*+ \(
        | [^\n]{0,200} \. (?: %(mutators)s ) \(
    )
    | ^ [ \t]*+ [)\]] [ \t]*+ = (?!=)
    | \( \s*+ %(own)s \b
    | \b%(own)s [:(]
    | \b (?: super | del | %(functions)s ) \b
    | \bfor\ %(own)s \b | \bas\ %(own)s \b
    | __dict__ | attr\(
"""
_SCOPES = frozenset({"function_definition", "class_definition", "lambda"})
# Parts of a statement whose headers stand by themselves.
_HEADS = frozenset({"elif_clause", "case_clause", "except_clause"})
_NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Effect:
    """What a method changes by its own statements, and what it calls; paths are those from its object on."""

    changes: frozenset[str]
    calls: frozenset[OwnCall]


@dataclass(slots=True, eq=False)
class _Class:
    """A class of the file: its methods by name, several where it defines one more than once."""

    node: Node
    methods: dict[str, list[Node]] = field(default_factory=dict)
    bases: list[_Class] = field(default_factory=list)
    heirs: list[_Class] = field(default_factory=list)


class OwnMethods:
    """The methods of the classes of one file."""

    def __init__(self, structure: Structure) -> None:
        self._structure = structure
        self._effects: dict[int, _Effect] = {}
        self._changes: dict[tuple[_Class, OwnCall], frozenset[str]] = {}

    def own_object(self, name: str, class_line: int, *, is_made: bool) -> OwnObject:
        """Return the object that a method of the class on this line calls by this name; see the class for `is_made`."""
        return OwnObject(name, partial(self._changed_by, class_line), is_made)

    def _changed_by(self, class_line: int, call: OwnCall) -> frozenset[str]:
        owner = self._classes.get(class_line)
        if owner is None:
            return _NOTHING
        known = self._changes.get((owner, call))
        if known is None:
            known = self._changes[owner, call] = self._followed(owner, call)
        return known

    def _followed(self, owner: _Class, call: OwnCall) -> frozenset[str]:
        """Return what a call changes, with all that it calls in turn."""
        changed: set[str] = set()
        pending = list(self._called(owner, owner, call))
        seen = {node.id for _, _, node in pending}
        while pending:
            own, holder, node = pending.pop()
            effect = self._effect(node)
            changed |= effect.changes
            if any(each.method == "__init__" and each.owner is not None for each in effect.calls):
                # A base's may make the text of an exception.
                changed.add("args")
            for each in effect.calls:
                new = [found for found in self._called(own, holder, each) if found[2].id not in seen]
                seen.update(found[2].id for found in new)
                pending += new
        return frozenset(changed)

    def _called(self, own: _Class, holder: _Class, call: OwnCall) -> Iterator[tuple[_Class, _Class, Node]]:
        """Yield the methods that a call in a class may mean for an object of another, with both classes."""
        starts = [own] if call.owner is None else holder.bases
        if call.owner not in {None, SUPER}:
            starts = [each for each in self._classes.values() if _name(each.node) == call.owner]
        for start in starts:
            yield from ((own, found, node) for found, node in _inherited(start, call.method))
        for heir in _all_heirs(own) if call.owner is None else ():
            yield from ((heir, heir, node) for node in heir.methods.get(call.method, ()))

    def _effect(self, node: Node) -> _Effect:
        known = self._effects.get(node.id)
        if known is None:
            known = self._effects[node.id] = self._read(node)
        return known

    def _read(self, node: Node) -> _Effect:
        name = _first_parameter(node)
        texts = list(dict.fromkeys(self._telling(node, name.encode()))) if name else []
        if not texts:
            return _Effect(_NOTHING, frozenset())
        calls: set[OwnCall] = set()
        own = OwnObject(name, partial(_noted, calls))
        # One text is read faster than many; where one of them is not Python to LibCST, the others are.
        whole = _block("\n ".join(texts)) if all("\n" not in text for text in texts) else None
        blocks = [whole] if whole is not None else [block for text in texts if (block := _block(text)) is not None]
        changed = changes_in(blocks, own)
        prefix = f"{name}."
        paths = frozenset(path[len(prefix) :] for path in changed if path.startswith(prefix))
        return _Effect(paths, frozenset(calls))

    def _telling(self, method: Node, own: bytes) -> Iterator[str]:
        """Yield the small statements and the headers of a method that may change its object: LibCST is slow."""
        source = self._structure.source
        seen = {method.id}
        for match in _telling_pattern(own).finditer(source, method.start_byte, method.end_byte):
            node = method.descendant_for_byte_range(match.start(), match.start() + 1)
            while node is not None and node.parent is not None and node.type not in _HEADS:
                if node.id == method.id or node.parent.type == "block":
                    break
                node = node.parent
            outer = _outer(node) if node is not None else None
            if node is None or node.id in seen or outer is None or outer.id != method.id:
                continue
            seen.add(node.id)
            body = node.child_by_field_name("consequence") or node.child_by_field_name("body")
            text = source[node.start_byte : body.start_byte if body is not None else node.end_byte].decode()
            yield text.removeprefix("el") + (" pass" if body is not None else "")

    @cached_property
    def _classes(self) -> Mapping[int, _Class]:
        """The classes by the line that they start on."""
        nodes = self._structure.nodes
        classes = {node.id: _Class(node) for node in nodes if node.type == "class_definition"}
        for node in nodes:
            outer = _outer(node) if node.type == "function_definition" else None
            owner = classes.get(outer.id) if outer is not None else None
            if owner is not None:
                owner.methods.setdefault(self._kind(node), []).append(node)
        by_name: dict[str, list[_Class]] = {}
        for each in classes.values():
            by_name.setdefault(_name(each.node), []).append(each)
        for each in classes.values():
            for name in _base_names(each.node):
                each.bases += (base for base in by_name.get(name, ()) if _is_seen(base.node, each.node))
            for base in each.bases:
                base.heirs.append(each)
        return {each.node.start_point.row + 1: each for each in classes.values()}

    def _kind(self, node: Node) -> str:
        """Return what a method is called by."""
        parent = node.parent
        if parent is None or parent.type != "decorated_definition":
            return _name(node)
        decorators = self._structure.source[parent.start_byte : node.start_byte]
        if _STATIC.search(decorators):
            return f"{_name(node)}.{STATIC}"
        return f"{_name(node)}.setter" if _SETTER.search(decorators) else _name(node)


@cache
def _telling_pattern(own: bytes) -> re.Pattern[bytes]:
    words = {b"mutators": MUTATORS, b"functions": MUTATING_FUNCTIONS}
    joined = {key: "|".join(sorted(names)).encode() for key, names in words.items()}
    return re.compile(_TELLING % {b"own": own, **joined}, re.VERBOSE | re.MULTILINE)


def _block(text: str) -> cst.BaseSuite | None:
    """Return a function body with one statement, None where it is none by itself."""
    try:
        (function,) = block_statements(cst.parse_module(f"async def _():\n {text}\n"))
    except cst.ParserSyntaxError:
        return None
    return function.body if isinstance(function, cst.FunctionDef) else None


def _noted(calls: set[OwnCall], call: OwnCall) -> frozenset[str]:
    calls.add(call)
    return _NOTHING


def _name(node: Node) -> str:
    name = node.child_by_field_name("name")
    return name.text.decode() if name is not None and name.text else ""


def _first_parameter(node: Node) -> str:
    parameters = node.child_by_field_name("parameters")
    every = [each for each in parameters.named_children if each.type != "comment"] if parameters is not None else []
    name = re.match(rb"\w+", every[0].text or b"") if every else None
    return name[0].decode() if name is not None else ""


def _outer(node: Node) -> Node | None:
    """Return the function or class that a node stands in."""
    outer = node.parent
    while outer is not None and outer.type not in _SCOPES:
        outer = outer.parent
    return outer


def _base_names(node: Node) -> Iterator[str]:
    bases = node.child_by_field_name("superclasses")
    for base in bases.named_children if bases is not None else ():
        name = base.child_by_field_name("value") if base.type == "subscript" else base
        if name is not None and name.type == "identifier" and name.text:
            yield name.text.decode()


def _is_seen(base: Node, heir: Node) -> bool:
    """Say whether the name of one class means it where another is defined."""
    outer = _outer(base)
    return base.id != heir.id and (outer is None or outer.start_byte <= heir.start_byte < outer.end_byte)


def _inherited(start: _Class, method: str) -> Iterator[tuple[_Class, Node]]:
    """Yield the definitions of a method that a class has, its own or else those of its bases."""
    pending, seen = [start], {start}
    while pending:
        current = pending.pop(0)
        own = current.methods.get(method)
        if own:
            yield from ((current, node) for node in own)
            continue
        new = [base for base in current.bases if base not in seen]
        seen.update(new)
        pending += new


def _all_heirs(start: _Class) -> Iterator[_Class]:
    pending, seen = list(start.heirs), {start}
    while pending:
        current = pending.pop()
        if current not in seen:
            seen.add(current)
            pending += current.heirs
            yield current
