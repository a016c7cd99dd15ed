"""Which errors a file of tests expects: calls of `pytest.raises` and of unittest's `assertRaises…` with a text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import libcst as cst

from extractor.scan.decode import UndecodableError, decode
from extractor.scan.literals import field_text, string_value
from extractor.scan.locate import structure_of

if TYPE_CHECKING:
    from tree_sitter import Node

_WORDS = (b"raises", b"assertRaises", b"RaisesExc")
# By name which argument is the regular expression, where it is not given as `match`.
_CALLS = {"raises": None, "RaisesExc": None, "assertRaisesRegex": 1, "assertRaisesRegexp": 1}
_ANYTHING = ".*"
# LibCST recurses in native code, which ends the process on what is nested deeper than any text.
_MOST_BRACKETS, _LONGEST = 100, 10_000


@dataclass(frozen=True, slots=True)
class Expectation:
    """An error that a test expects: the names of its classes without a qualifier, and the regular expression."""

    line: int
    classes: tuple[str, ...]
    pattern: str


def find_expectations(content: bytes) -> tuple[Expectation, ...]:
    """Return the errors that a file expects by their text; those without one could be any of their class.

    What of the text is known only at run time is `.*` in the regular expression. A file that cannot be read expects
    nothing.
    """
    if not any(word in content for word in _WORDS):
        return ()
    try:
        source = decode(content).encode()
    except UndecodableError:
        return ()
    calls = _calls(structure_of(source).tree.root_node)
    return tuple(found for call in calls if (found := _expectation(call)) is not None)


def _calls(root: Node) -> Iterator[Node]:
    pending = [root]
    while pending:
        node = pending.pop()
        if node.type == "call":
            yield node
        pending += reversed(node.named_children)


def _expectation(call: Node) -> Expectation | None:
    function, arguments = call.child_by_field_name("function"), call.child_by_field_name("arguments")
    name = _last_name(function)
    if name not in _CALLS or arguments is None:
        return None
    given = [each for each in arguments.named_children if each.type != "comment"]
    positional = [each for each in given if each.type != "keyword_argument"]
    match = next((each for each in given if _keyword(each) == "match"), None)
    position = _CALLS[name]
    text = match.child_by_field_name("value") if match is not None else None
    if position is not None and len(positional) > position:
        text = positional[position]
    if not positional or text is None:
        return None
    pattern = _pattern(text)
    classes = tuple(_class_names(positional[0]))
    return Expectation(call.start_point[0] + 1, classes, pattern) if pattern is not None and classes else None


def _keyword(node: Node) -> str | None:
    name = node.child_by_field_name("name") if node.type == "keyword_argument" else None
    return _text(name) if name is not None else None


def _class_names(node: Node) -> Iterator[str]:
    if node.type in ("tuple", "list", "parenthesized_expression"):
        for each in node.named_children:
            yield from _class_names(each)
    elif (name := _last_name(node)) is not None:
        yield name


def _last_name(node: Node | None) -> str | None:
    if node is None:
        return None
    if node.type == "attribute":
        node = node.child_by_field_name("attribute")
    return _text(node) if node is not None and node.type == "identifier" else None


def _text(node: Node) -> str:
    return (node.text or b"").decode("utf-8", "replace")


def _pattern(node: Node) -> str | None:
    """Return the regular expression that an expression gives, None where no part of it is known."""
    if node.type == "call" and _last_name(node.child_by_field_name("function")) == "escape":
        arguments = node.child_by_field_name("arguments")
        inner = arguments.named_children[0] if arguments is not None and arguments.named_children else None
        return _written(inner, escaped=True) if inner is not None else None
    return _written(node, escaped=False)


def _written(node: Node, *, escaped: bool) -> str | None:
    source = _text(node)
    if len(source) > _LONGEST or sum(map(source.count, "([{-+~")) > _MOST_BRACKETS:
        return None
    try:
        expression = cst.parse_expression(source)
    except (cst.ParserSyntaxError, RecursionError):
        return None
    pieces = list(_pieces(expression))
    if all(piece is None for piece in pieces):
        return None
    return "".join(_ANYTHING if each is None else _quoted(each) if escaped else each for each in pieces)


def _pieces(node: cst.BaseExpression) -> Iterator[str | None]:
    """Yield the literal parts of an expression, None for what is known only at run time."""
    if isinstance(node, cst.SimpleString):
        yield string_value(node)
    elif isinstance(node, cst.ConcatenatedString):
        yield from _pieces(node.left)
        yield from _pieces(node.right)
    elif isinstance(node, cst.FormattedString):
        prefix = node.start.rstrip("'\"")
        for part in node.parts:
            yield field_text(part, prefix) if isinstance(part, cst.FormattedStringText) else None
    elif isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        yield from _pieces(node.left)
        yield from _pieces(node.right)
    else:
        yield None


def _quoted(text: str) -> str:
    return "".join(letter if letter.isalnum() or letter.isspace() else f"\\{letter}" for letter in text)
