"""Statements: what is nested in them, and how one is shown on a line."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, cast

import libcst as cst

from extractor.scan.expression import express, express_part

_MANY = " …"
_WITH_BLOCKS = frozenset({cst.If, cst.For, cst.While, cst.With, cst.Try, cst.TryStar})


def block_statements(block: cst.BaseSuite | cst.Module) -> Iterator[cst.CSTNode]:
    """Yield the statements of one block, small ones on one line each by itself; nothing nested."""
    for statement in block.body:
        if type(statement) is cst.SimpleStatementLine:
            yield from statement.body
        else:
            yield statement


def nested_blocks(statement: cst.CSTNode) -> Iterator[cst.BaseSuite]:
    """Yield the blocks of a compound statement that run in the same scope as the statement."""
    # By type, since `isinstance` on LibCST's abstract classes is slow.
    kind, node = type(statement), cast("Any", statement)
    if kind is cst.Match:
        for case in node.cases:
            yield case.body
    elif kind in _WITH_BLOCKS:
        yield node.body
        for handler in getattr(statement, "handlers", ()):
            yield handler.body
        yield from _tail_blocks(statement)


def _tail_blocks(statement: Any) -> Iterator[cst.BaseSuite]:
    tail = getattr(statement, "orelse", None)
    # An `elif` is an If that stands in `orelse`.
    while isinstance(tail, cst.If):
        yield tail.body
        tail = tail.orelse
    if tail is not None:
        yield tail.body
    if getattr(statement, "finalbody", None) is not None:
        yield statement.finalbody.body


def all_statements(block: cst.BaseSuite | cst.Module) -> Iterator[cst.CSTNode]:
    """Yield every statement of a block and of what is nested in it, but not inside functions and classes."""
    for statement in block_statements(block):
        yield statement
        for nested in nested_blocks(statement):
            yield from all_statements(nested)


def block_text(block: cst.BaseSuite) -> str:
    """Return the first statement of a block on one line, with an ellipsis where the block has more."""
    statements = list(block_statements(block))
    first, is_whole = statement_text(statements[0])
    return first if is_whole and len(statements) == 1 else first + _MANY


def statement_text(node: cst.CSTNode) -> tuple[str, bool]:
    """Return a statement as one normalized line, and whether that is all of it."""
    writer = _SMALL.get(type(node))
    if writer is not None:
        return writer(node), True
    return _header(node), False


def _header(node: cst.CSTNode) -> str:
    if isinstance(node, (cst.If, cst.While)):
        return f"{'if' if isinstance(node, cst.If) else 'while'} {express(node.test).text}:"
    if isinstance(node, cst.For):
        return f"{_asynchronous(node)}for {express_part(node.target).text} in {express_part(node.iter).text}:"
    if isinstance(node, cst.With):
        return f"{_asynchronous(node)}with {with_text(node)}:"
    if isinstance(node, cst.Match):
        return f"match {express(node.subject).text}:"
    if isinstance(node, (cst.FunctionDef, cst.ClassDef)):
        kind = "class" if isinstance(node, cst.ClassDef) else f"{_asynchronous(node)}def"
        return f"{kind} {node.name.value}:"
    return "try:"


def _asynchronous(node: cst.For | cst.With | cst.FunctionDef) -> str:
    return "async " if node.asynchronous else ""


def with_text(node: cst.With) -> str:
    """Return the items of a `with` statement as text."""
    return ", ".join(
        express_part(item.item).text + (f" as {express_part(item.asname.name).text}" if item.asname else "")
        for item in node.items
    )


def import_text(names: Sequence[cst.ImportAlias] | cst.ImportStar) -> str:
    """Return the names of an import as text."""
    if isinstance(names, cst.ImportStar):
        return "*"
    return ", ".join(alias.evaluated_name + (f" as {alias.evaluated_alias}" if alias.asname else "") for alias in names)


def module_text(node: cst.ImportFrom) -> str:
    """Return the module of a `from` import as written, leading dots included."""
    return "." * len(node.relative) + (express(node.module).text if node.module else "")


def _assign(node: cst.Assign) -> str:
    return " = ".join([*(express(target.target).text for target in node.targets), express(node.value).text])


def _annotated(node: cst.AnnAssign) -> str:
    value = f" = {express(node.value).text}" if node.value else ""
    return f"{express(node.target).text}: {express(node.annotation.annotation).text}{value}"


def _augmented(node: cst.AugAssign) -> str:
    sign = cst.Module([]).code_for_node(node.operator).strip()
    return f"{express(node.target).text} {sign} {express(node.value).text}"


def _raise(node: cst.Raise) -> str:
    cause = f" from {express(node.cause.item).text}" if node.cause else ""
    return f"raise {express(node.exc).text}{cause}" if node.exc else "raise"


def _assert(node: cst.Assert) -> str:
    return f"assert {express(node.test).text}" + (f", {express(node.msg).text}" if node.msg else "")


def _names(node: cst.Global | cst.Nonlocal) -> str:
    keyword = "global" if isinstance(node, cst.Global) else "nonlocal"
    return f"{keyword} {', '.join(item.name.value for item in node.names)}"


_SMALL: dict[type[cst.CSTNode], Any] = {
    cst.Expr: lambda node: express(node.value).text,
    cst.Assign: _assign,
    cst.AnnAssign: _annotated,
    cst.AugAssign: _augmented,
    cst.Return: lambda node: f"return {express(node.value).text}" if node.value else "return",
    cst.Raise: _raise,
    cst.Assert: _assert,
    cst.Del: lambda node: f"del {express(node.target).text}",
    cst.Import: lambda node: f"import {import_text(node.names)}",
    cst.ImportFrom: lambda node: f"from {module_text(node)} import {import_text(node.names)}",
    cst.Pass: lambda node: "pass",
    cst.Break: lambda node: "break",
    cst.Continue: lambda node: "continue",
    cst.Global: _names,
    cst.Nonlocal: _names,
    cst.TypeAlias: lambda node: f"type {node.name.value} = {express(node.value).text}",
}
