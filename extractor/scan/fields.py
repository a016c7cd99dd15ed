"""f-strings: their literal texts and fields, and how they are written again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from extractor.quoting import quote
from extractor.scan.literals import field_text, string_value
from extractor.scan.writer import Writer


def string_parts(node: cst.BaseExpression) -> list[cst.SimpleString | cst.FormattedString | cst.TemplatedString]:
    """Return the literals of an implicit concatenation in order, or the one literal itself."""
    parts: list[Any] = []
    while isinstance(node, cst.ConcatenatedString):
        parts.append(node.left)
        node = node.right
    return [*parts, node]


def write_literals(writer: Writer, literals: Sequence[Any]) -> None:
    """Write adjacent literals, at least one of them with fields, as one."""
    inner = writer.inner()
    for literal in literals:
        if isinstance(literal, cst.SimpleString):
            inner.text(_field_literal(string_value(literal) or ""))
        else:
            write_parts(inner, literal.parts, literal.prefix)
    kind = "t" if any(isinstance(literal, cst.TemplatedString) for literal in literals) else "f"
    mark = next((mark for mark in ("'", '"', "'''") if mark not in "".join(inner.pieces())), '"""')
    writer.text(kind + mark)
    writer.insert(inner)
    writer.text(mark)


def write_parts(writer: Writer, parts: Sequence[Any], prefix: str) -> None:
    """Write the texts and fields of an f-string with this prefix, without its quotes."""
    for part in parts:
        if isinstance(part, (cst.FormattedStringText, cst.TemplatedStringText)):
            writer.text(_field_literal(field_text(part, prefix)))
            continue
        if part.equal is not None:
            writer.text(_field_literal(equal_text(part)))
        writer.text("{")
        _field_value(writer, part.expression)
        conversion = part_conversion(part)
        writer.text(f"!{conversion}" if conversion else "")
        if part.format_spec:
            writer.text(":")
            write_parts(writer, part.format_spec, prefix)
        writer.text("}")


def _field_value(writer: Writer, node: cst.BaseExpression) -> None:
    # A brace at the start of a field would be read as an escaped one.
    starts_with_brace = isinstance(node, (cst.Dict, cst.Set, cst.DictComp, cst.SetComp))
    writer.text(" " if starts_with_brace else "")
    if isinstance(node, (cst.Lambda, cst.NamedExpr)):
        writer.parenthesized(node)
    else:
        writer.write(node)


def _field_literal(text: str) -> str:
    escaped = quote(text.replace("{", "{{").replace("}", "}}"))[1:-1]
    return escaped.replace("\\'", "'")


def equal_text(part: Any) -> str:
    """Return what `{name = }` prints before the value: the source up to and with the equal sign."""
    code = cst.Module([]).code_for_node
    return "".join(
        code(piece)
        for piece in (part.whitespace_before_expression, part.expression, part.whitespace_after_expression, part.equal)
    )


def part_conversion(part: Any) -> str | None:
    """Return the conversion of an f-string field; `{name=}` without another one or a spec means `!r`."""
    if part.conversion is None and part.equal is not None and part.format_spec is None:
        return "r"
    conversion: str | None = part.conversion
    return conversion
