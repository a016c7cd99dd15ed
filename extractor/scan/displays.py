"""What `str()` shows of numbers, bytes and displays that stand in the source: `-1`, `b"x"`, `("a", 1)`, `[name]`."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import libcst as cst

from extractor.facts import Hole
from extractor.quoting import quote, represent
from extractor.scan.literals import string_value

# What makes the placeholder of an expression with its `repr`.
HoleOf = Callable[[cst.BaseExpression], Hole]
_DEEPEST = 3
_MOST_ELEMENTS = 16
_CONSTANTS = frozenset({"None", "True", "False"})
_SEQUENCES = {cst.Tuple: "()", cst.List: "[]"}


def shown_display(node: cst.BaseExpression, hole_of: HoleOf) -> list[str | Hole] | None:
    """Return the parts of the text of a number, bytes, tuple, list or dictionary, None where it is none of these."""
    number = _number(node)
    if number is not None:
        return [number]
    if isinstance(node, cst.SimpleString) and "b" in node.prefix.lower():
        return _bytes(node)
    return _display(node, hole_of, 0)


def _number(node: cst.BaseExpression) -> str | None:
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Minus):
        positive = _number(node.expression)
        return f"-{positive}" if positive is not None and positive[0] != "-" and positive != "0" else None
    if isinstance(node, cst.Integer):
        # Long ones are more than `int` reads by default.
        return str(int(node.value, 0)) if len(node.value) < 100 else None
    return repr(float(node.value)) if isinstance(node, cst.Float) else None


def _bytes(node: cst.SimpleString) -> list[str | Hole] | None:
    plain = node.raw_value
    return [quote(plain, is_bytes=True)] if plain.isascii() and "\\" not in plain else None


def _display(node: cst.BaseExpression, hole_of: HoleOf, depth: int) -> list[str | Hole] | None:
    if depth >= _DEEPEST:
        return None
    if isinstance(node, cst.Dict):
        return _dictionary(node, hole_of, depth)
    marks = _SEQUENCES.get(type(node))
    if marks is None or not isinstance(node, (cst.Tuple, cst.List)) or len(node.elements) > _MOST_ELEMENTS:
        return None
    if not all(isinstance(element, cst.Element) for element in node.elements):
        return None
    parts = _separated([_represented(element.value, hole_of, depth) for element in node.elements])
    closing = f",{marks[1]}" if isinstance(node, cst.Tuple) and len(node.elements) == 1 else marks[1]
    return [marks[0], *parts, closing]


def _dictionary(node: cst.Dict, hole_of: HoleOf, depth: int) -> list[str | Hole] | None:
    elements = [element for element in node.elements if isinstance(element, cst.DictElement)]
    if len(elements) < len(node.elements) or len(elements) > _MOST_ELEMENTS:
        return None
    # A key that comes twice is there once.
    if any(not isinstance(each.key, cst.SimpleString) for each in elements):
        return None
    keys = [string_value(each.key) for each in elements if isinstance(each.key, cst.SimpleString)]
    if None in keys or len(set(keys)) < len(keys):
        return None
    entries = [
        [*_represented(each.key, hole_of, depth), ": ", *_represented(each.value, hole_of, depth)] for each in elements
    ]
    return ["{", *_separated(entries), "}"]


def _separated(entries: Sequence[Sequence[str | Hole]]) -> list[str | Hole]:
    parts: list[str | Hole] = []
    for entry in entries:
        parts += [", ", *entry] if parts else entry
    return parts


def _represented(node: cst.BaseExpression, hole_of: HoleOf, depth: int) -> list[str | Hole]:
    if isinstance(node, cst.SimpleString) and (text := string_value(node)) is not None:
        return [represent(text)]
    if isinstance(node, cst.Name) and node.value in _CONSTANTS:
        return [node.value]
    number = _number(node)
    if number is not None:
        return [number]
    return _display(node, hole_of, depth + 1) or [hole_of(node)]
