"""Which functions may never return, told from the structural parse: LibCST has to see those, and the ends of them."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from extractor.scan.locate import Structure, holds, name_of

if TYPE_CHECKING:
    from tree_sitter import Node

# What functions that never return are annotated with, what they call or how they loop.
_NEVER = re.compile(rb"->[^:]{0,200}\b(?:NoReturn|Never)\b")
_EXIT_WORDS = tuple(b"exit quit _exit abort assert_never fail skip skipTest xfail".split())
_ENDLESS = re.compile(rb"\bwhile\s*+\(?\s*+(?:True|1)\b")
# What may stand before the name that a statement calls: a target, `return`, `await`, `super()`, dotted names.
_BEFORE_CALL = re.compile(rb"[\w.()=\s]*")
_COMPOUND = frozenset("if_statement try_statement with_statement match_statement".split())


def possible_exits(structure: Structure) -> set[int]:
    """Return the first bytes of the functions that may never return, but for those that end with a raise statement.

    `exits` tells which of them do not.
    """
    raises = structure.raises()
    functions = [node for node in structure.nodes if node.type == "function_definition"]
    names = {name_of(node) for node in functions if holds(raises, node) and _ends_with_raise(node)}
    found: set[int] = set()
    new = [*_EXIT_WORDS, *names]
    while new:
        calls = re.compile(rb"\b(?:%s)\s*\(" % b"|".join(map(re.escape, new)))
        more = [node for node in functions if node.start_byte not in found and _may_exit(structure.source, node, calls)]
        found.update(node.start_byte for node in more)
        new = sorted({name_of(node) for node in more} - names)
        names.update(new)
    return found


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
