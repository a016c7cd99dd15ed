"""Context managers of a file that swallow exceptions, told from the structural parse: LibCST is not shown most of them.

Read are `__exit__` methods that return something true, generators of `contextlib.contextmanager` whose `yield` stands
in a `try` that goes on behind it, and functions that return one of these or of those that everybody knows.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from extractor.scan.handlers import SWALLOWING_NAMES
from extractor.scan.locate import Structure, class_of, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

# Without one of these words a file has none.
_TELLING = re.compile(rb"__a?exit__|contextmanager|\b(?:%s)\b" % "|".join(sorted(SWALLOWING_NAMES)).encode())
_EXITS = frozenset({b"__exit__", b"__aexit__"})
_MANAGERS = re.compile(rb"@\s*+(?:\w++\.)*+a?(?:sync)?contextmanager\b")
# What another manager's `__exit__` gives is mostly nothing.
_NOTHING = re.compile(rb"(?:None|False|0|(?:await\s)?.*__a?exit__\s*\(.*)", re.DOTALL)
_SCOPES = frozenset({"function_definition", "class_definition", "lambda"})


def swallowing_managers(structure: Structure) -> frozenset[str]:
    """Return the names of the classes and functions of a file whose result in a `with` swallows some exceptions."""
    if _TELLING.search(structure.source) is None:
        return frozenset()
    functions = [node for node in structure.nodes if node.type == "function_definition"]
    found = {name_of(owner) for node in functions if (owner := _swallowing_class(node)) is not None}
    found |= {name_of(node) for node in functions if _is_manager(node) and _goes_on(node)}
    known = found | {name.encode() for name in SWALLOWING_NAMES}
    classes = [node for node in structure.nodes if node.type == "class_definition"]
    new = known
    while new:
        makers = {name_of(node) for node in _returning(structure.source, functions, new)} - _EXITS
        heirs = {name_of(node) for node in classes if not new.isdisjoint(_bases(node)) and not _has_exit(node)}
        new = (makers | heirs) - known
        known |= new
        found |= new
    return frozenset(name.decode() for name in found)


def _swallowing_class(node: Node) -> Node | None:
    """Return the class whose `__exit__` this is, where it may return something true."""
    if name_of(node) not in _EXITS or not any(_NOTHING.fullmatch(value) is None for value in _returned(node)):
        return None
    return class_of(node)


def _is_manager(node: Node) -> bool:
    outer = node.parent
    if outer is None or outer.type != "decorated_definition":
        return False
    return any(_MANAGERS.match(each.text or b"") for each in outer.named_children if each.type == "decorator")


def _goes_on(node: Node) -> bool:
    """Say whether a generator may go on behind a `yield` that raises."""
    for each in _inside(node):
        body = each.child_by_field_name("body")
        if body is None or not any(inner.type == "yield" for inner in _inside(body)):
            continue
        if each.type == "with_statement" and _mentions(each, body, SWALLOWING_NAMES):
            return True
        if each.type == "try_statement" and any(map(_falls_through, each.named_children)):
            return True
    return False


def _mentions(node: Node, body: Node, names: frozenset[str]) -> bool:
    head = (node.text or b"")[: body.start_byte - node.start_byte].decode("utf-8", "replace")
    return not names.isdisjoint(re.findall(r"\w+", head))


def _falls_through(clause: Node) -> bool:
    if clause.type not in {"except_clause", "except_group_clause"}:
        return False
    # A `raise` somewhere in it leaves open when it goes on; mostly that is for exceptions that are not meant.
    block = clause.named_children[-1]
    statements = [each for each in block.named_children if each.type != "comment"] if block.type == "block" else []
    return not statements or statements[-1].type != "raise_statement"


def _returning(source: bytes, functions: Sequence[Node], names: set[bytes]) -> Iterator[Node]:
    """Yield the functions that return a call of one of these names."""
    returned = re.compile(rb"\breturn\s++(?:\w++\.)*+(?:%s)\s*+\(" % b"|".join(sorted(names)))
    for match in returned.finditer(source):
        around = [node for node in functions if node.start_byte <= match.start() < node.end_byte]
        yield from around[-1:]


def _returned(node: Node) -> Iterator[bytes]:
    for each in _inside(node):
        if each.type == "return_statement" and each.named_children:
            yield each.named_children[0].text or b""


def _bases(node: Node) -> Iterator[bytes]:
    bases = node.child_by_field_name("superclasses")
    for base in bases.named_children if bases is not None else ():
        yield (base.text or b"").rpartition(b".")[2]


def _has_exit(node: Node) -> bool:
    body = node.child_by_field_name("body")
    inner = (each.child_by_field_name("definition") or each for each in (body.named_children if body else ()))
    return any(each.type == "function_definition" and name_of(each) in _EXITS for each in inner)


def _inside(node: Node) -> Iterator[Node]:
    """Yield what stands in a node, but for what functions and classes in it hold."""
    pending = list(reversed(node.named_children))
    while pending:
        current = pending.pop()
        yield current
        if current.type not in _SCOPES:
            pending += reversed(current.named_children)
