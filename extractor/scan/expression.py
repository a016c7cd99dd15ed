"""An expression tree as normalized source text, with the names that it reads.

The text is the same for the same tree, however it was laid out: one line, no comments, single quotes, one space around
operators, the parentheses as written except around the whole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import libcst as cst

from extractor.quoting import quote
from extractor.scan.attributes import path_of, read_by_name
from extractor.scan.fields import string_parts, write_literals, write_parts
from extractor.scan.literals import string_value, unescape
from extractor.scan.operators import COMPARISONS, OPERATORS
from extractor.scan.writer import Table, Writer, dotted_name, target_names

_ATOMS = frozenset({
    cst.Name, cst.Attribute, cst.Call, cst.Subscript, cst.SimpleString, cst.Integer, cst.Float, cst.Imaginary,
    cst.List, cst.Dict, cst.Set, cst.ListComp, cst.DictComp, cst.SetComp, cst.Ellipsis,
})  # fmt: skip
# Not an expression on their own unless they stand in parentheses.
_ALWAYS_PARENTHESIZED = frozenset({cst.NamedExpr, cst.GeneratorExp, cst.Yield})


@dataclass(frozen=True, slots=True)
class Expression:
    """Normalized text, cut at the given parameters (see `facts.Hole`), and the dotted names it reads."""

    pieces: tuple[str, ...]
    names: frozenset[str]
    atomic: bool

    @property
    def text(self) -> str:
        """The whole text."""
        return "".join(self.pieces)


def express(
    node: cst.BaseExpression, parameters: frozenset[str] = frozenset(), *, in_braces: bool = False
) -> Expression:
    """Return the normalized text of an expression, cut where it reads one of these parameters.

    `in_braces` says that it stands in those of a placeholder, where a tuple without parentheses would read like a set.
    """
    writer = Writer(_WRITERS, parameters)
    # By type, since `isinstance` on LibCST's abstract classes is slow.
    kind = type(node)
    is_closed = kind in _ALWAYS_PARENTHESIZED or (isinstance(node, cst.Tuple) and (in_braces or not node.elements))
    (writer.parenthesized if is_closed else writer.bare)(node)
    return Expression(writer.pieces(), frozenset(writer.names), is_closed or kind in _ATOMS)


def spec_text(parts: Sequence[Any] | None, prefix: str) -> str | None:
    """Return a format spec as source text, None where there is none."""
    if not parts:
        return None
    writer = Writer(_WRITERS)
    write_parts(writer, parts, prefix)
    return "".join(writer.pieces())


def express_part(node: cst.BaseExpression) -> Expression:
    """Return the normalized text of an expression inside a statement, where its own parentheses count."""
    writer = Writer(_WRITERS)
    writer.write(node)
    return Expression(writer.pieces(), frozenset(writer.names), type(node) in _ATOMS)


def _attribute(writer: Writer, node: cst.Attribute) -> None:
    dotted = dotted_name(node)
    if dotted is not None and not _has_parentheses(node.value):
        root, _, rest = dotted.partition(".")
        writer.name(root)
        writer.read(dotted)
        writer.text("." + rest)
        return
    path = path_of(node) if dotted is None else None
    if path is not None:
        writer.read(path)
    writer.write(node.value)
    writer.text("." + node.attr.value)


def _has_parentheses(node: cst.BaseExpression) -> bool:
    while isinstance(node, cst.Attribute):
        if node.lpar:
            return True
        node = node.value
    return bool(getattr(node, "lpar", ()))


def _call(writer: Writer, node: cst.Call) -> None:
    _read_by_name(writer, node)
    writer.write(node.func)
    writer.text("(")
    writer.separated(node.args, lambda argument: _argument(writer, argument))
    writer.text(")")


def _read_by_name(writer: Writer, node: cst.BaseExpression) -> None:
    for path in read_by_name(node):
        writer.read(path)


def _argument(writer: Writer, node: cst.Arg) -> None:
    writer.text(node.star + (f"{node.keyword.value}=" if node.keyword else ""))
    writer.write(node.value)


def _subscript(writer: Writer, node: cst.Subscript) -> None:
    _read_by_name(writer, node)
    writer.write(node.value)
    writer.text("[")
    writer.separated(node.slice, lambda element: _slice(writer, element.slice))
    # `x[1,]` is a tuple of one; anything longer is a tuple anyway.
    if len(node.slice) == 1 and isinstance(node.slice[0].comma, cst.Comma):
        writer.text(",")
    writer.text("]")


def _slice(writer: Writer, node: cst.BaseSlice) -> None:
    if isinstance(node, cst.Index):
        writer.text(node.star or "")
        writer.write(node.value)
        return
    assert isinstance(node, cst.Slice)
    parts = [node.lower, node.upper] + ([node.step] if node.step else [])
    for index, part in enumerate(parts):
        if index:
            writer.text(":")
        if part is not None:
            writer.write(part)


def _binary(writer: Writer, node: cst.BinaryOperation | cst.BooleanOperation) -> None:
    # Long chains lean to the left, so they are walked in a loop rather than by recursion.
    chain: list[cst.BinaryOperation | cst.BooleanOperation] = [node]
    first = node.left
    while isinstance(first, (cst.BinaryOperation, cst.BooleanOperation)) and not first.lpar:
        chain.append(first)
        first = first.left
    writer.write(first)
    for link in reversed(chain):
        writer.text(f" {OPERATORS[type(link.operator)]} ")
        writer.write(link.right)


def _comparison(writer: Writer, node: cst.Comparison) -> None:
    _read_by_name(writer, node)
    writer.write(node.left)
    for target in node.comparisons:
        writer.text(f" {COMPARISONS[type(target.operator)]} ")
        writer.write(target.comparator)


def _unary(writer: Writer, node: cst.UnaryOperation) -> None:
    writer.text(OPERATORS[type(node.operator)])
    writer.write(node.expression)


def _conditional(writer: Writer, node: cst.IfExp) -> None:
    writer.write(node.body)
    writer.text(" if ")
    writer.write(node.test)
    writer.text(" else ")
    writer.write(node.orelse)


def _string(writer: Writer, node: cst.SimpleString) -> None:
    value = string_value(node)
    writer.text(quote(_bytes_text(node), is_bytes=True) if value is None else quote(value))


def _bytes_text(node: cst.SimpleString) -> str:
    return node.raw_value if "r" in node.prefix.lower() else unescape(node.raw_value)


def _concatenated(writer: Writer, node: cst.ConcatenatedString) -> None:
    parts = string_parts(node)
    if all(isinstance(part, cst.SimpleString) for part in parts):
        strings = [part for part in parts if isinstance(part, cst.SimpleString)]
        values = [string_value(part) for part in strings]
        if None in values:
            writer.text(quote("".join(map(_bytes_text, strings)), is_bytes=True))
        else:
            writer.text(quote("".join(value or "" for value in values)))
        return
    write_literals(writer, parts)


def _formatted(writer: Writer, node: cst.FormattedString | cst.TemplatedString) -> None:
    write_literals(writer, [node])


def _tuple(writer: Writer, node: cst.Tuple) -> None:
    writer.separated(node.elements, lambda element: _element(writer, element))
    writer.text("," if len(node.elements) == 1 else "")


def _element(writer: Writer, node: Any) -> None:
    if isinstance(node, (cst.StarredElement, cst.StarredDictElement)):
        writer.text("**" if isinstance(node, cst.StarredDictElement) else "*")
        writer.write(node.value)
    elif isinstance(node, cst.DictElement):
        writer.write(node.key)
        writer.text(": ")
        writer.write(node.value)
    else:
        writer.write(node.value)


def _enclosed(opening: str, closing: str) -> Callable[[Writer, Any], None]:
    def write(writer: Writer, node: Any) -> None:
        writer.text(opening)
        writer.separated(node.elements, lambda element: _element(writer, element))
        writer.text(closing)

    return write


def _comprehension(opening: str, closing: str) -> Callable[[Writer, Any], None]:
    def write(writer: Writer, node: Any) -> None:
        writer.text(opening)
        writer.hide(frozenset(_comprehension_targets(node.for_in)))
        if isinstance(node, cst.DictComp):
            writer.write(node.key)
            writer.text(": ")
            writer.write(node.value)
        else:
            writer.text("**" if not hasattr(node, "elt") else "")
            writer.write(node.elt if hasattr(node, "elt") else node.value)
        _clauses(writer, node.for_in)
        writer.reveal()
        writer.text(closing)

    return write


def _clauses(writer: Writer, clause: cst.CompFor | None) -> None:
    while clause is not None:
        writer.text(" async for " if clause.asynchronous else " for ")
        writer.bare(clause.target)
        writer.text(" in ")
        writer.write(clause.iter)
        for condition in clause.ifs:
            writer.text(" if ")
            writer.write(condition.test)
        clause = clause.inner_for_in


def _comprehension_targets(clause: cst.CompFor | None) -> list[str]:
    names: list[str] = []
    while clause is not None:
        names += target_names(clause.target)
        clause = clause.inner_for_in
    return names


def _generator(writer: Writer, node: cst.GeneratorExp) -> None:
    _comprehension("", "")(writer, node)


def _lambda(writer: Writer, node: cst.Lambda) -> None:
    writer.text("lambda")
    every = list(_parameters(node.params))
    for index, (mark, parameter) in enumerate(every):
        writer.text((", " if index else " ") + mark)
        if parameter is not None:
            _parameter(writer, parameter)
    writer.text(": ")
    writer.hide(frozenset(parameter.name.value for _, parameter in every if parameter is not None))
    writer.write(node.body)
    writer.reveal()


def _parameters(node: cst.Parameters) -> Iterator[tuple[str, cst.Param | None]]:
    """Yield the parameters in order, and the marks between them, each with what stands before its name."""
    yield from (("", parameter) for parameter in node.posonly_params)
    if node.posonly_params:
        yield "/", None
    yield from (("", parameter) for parameter in node.params)
    if isinstance(node.star_arg, cst.Param):
        yield "*", node.star_arg
    elif node.kwonly_params:
        yield "*", None
    yield from (("", parameter) for parameter in node.kwonly_params)
    if node.star_kwarg is not None:
        yield "**", node.star_kwarg


def _parameter(writer: Writer, node: cst.Param) -> None:
    writer.text(node.name.value)
    if node.default is not None:
        writer.text("=")
        writer.write(node.default)


def _await(writer: Writer, node: cst.Await) -> None:
    writer.text("await ")
    writer.write(node.expression)


def _yield(writer: Writer, node: cst.Yield) -> None:
    writer.text("yield")
    if isinstance(node.value, cst.From):
        writer.text(" from ")
        writer.write(node.value.item)
    elif node.value is not None:
        writer.text(" ")
        writer.write(node.value)


def _named(writer: Writer, node: cst.NamedExpr) -> None:
    writer.write(node.target)
    writer.text(" := ")
    writer.write(node.value)


def _verbatim(writer: Writer, node: cst.Integer | cst.Float | cst.Imaginary) -> None:
    writer.text(node.value)


_WRITERS: Table = {
    cst.Name: lambda writer, node: writer.name(node.value),
    cst.Attribute: _attribute,
    cst.Call: _call,
    cst.Subscript: _subscript,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _binary,
    cst.Comparison: _comparison,
    cst.UnaryOperation: _unary,
    cst.IfExp: _conditional,
    cst.SimpleString: _string,
    cst.ConcatenatedString: _concatenated,
    cst.FormattedString: _formatted,
    cst.TemplatedString: _formatted,
    cst.Tuple: _tuple,
    cst.List: _enclosed("[", "]"),
    cst.Set: _enclosed("{", "}"),
    cst.Dict: _enclosed("{", "}"),
    cst.ListComp: _comprehension("[", "]"),
    cst.SetComp: _comprehension("{", "}"),
    cst.DictComp: _comprehension("{", "}"),
    cst.StarredDictComp: _comprehension("{", "}"),
    cst.GeneratorExp: _generator,
    cst.Lambda: _lambda,
    cst.Await: _await,
    cst.Yield: _yield,
    cst.NamedExpr: _named,
    cst.Integer: _verbatim,
    cst.Float: _verbatim,
    cst.Imaginary: _verbatim,
    cst.Ellipsis: lambda writer, node: writer.text("..."),
    cst.StarredElement: lambda writer, node: _element(writer, node),
}
