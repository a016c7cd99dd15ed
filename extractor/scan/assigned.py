"""Names that are assigned texts and nothing else, so that whoever reads them later finds one of these."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

import libcst as cst

from extractor.scan.fields import string_parts
from extractor.scan.known import Definition
from extractor.scan.statements import block_statements, nested_blocks

_TEXTS = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString, cst.BinaryOperation)
# The arms of an `if` or a `try` exclude each other.
_BRANCHES = (cst.If, cst.Try)

Definitions = tuple[Definition, ...]


@dataclass(slots=True)
class _Assigned:
    """The texts that a name of a module is assigned, and where: in an arm each, and one before all of them."""

    values: list[cst.BaseExpression] = field(default_factory=list)
    statement: cst.CSTNode | None = None
    arm: int = -1
    is_clear: bool = True


def module_texts(module: cst.Module, times: Mapping[str, int], changed: Collection[str]) -> dict[str, Definitions]:
    """Return the texts that each name of a module may hold, as long as nothing else is bound to it.

    Args:
        module: The module.
        times: How many statements of the module bind a name.
        changed: Names that functions bind as well.

    """
    found: dict[str, _Assigned] = {}
    for statement in block_statements(module):
        for name, value in assigned_text(statement):
            each = found.setdefault(name, _Assigned())
            # What a later statement sets is all that stays.
            each.is_clear = each.is_clear and not each.values
            each.values.append(value)
        if isinstance(statement, _BRANCHES):
            _note_arms(statement, found)
    return {
        name: tuple(Definition(value, {}, order=order) for order, value in enumerate(each.values))
        for name, each in found.items()
        if each.is_clear and len(each.values) == times[name] and name not in changed
    }


def _note_arms(statement: cst.CSTNode, found: dict[str, _Assigned]) -> None:
    for arm, block in enumerate(nested_blocks(statement)):
        for name, value in _assigned_texts(block_statements(block)):
            each = found.setdefault(name, _Assigned())
            is_new = each.statement is None or (each.statement is statement and each.arm != arm)
            each.is_clear = each.is_clear and is_new
            each.statement, each.arm = statement, arm
            each.values.append(value)


def closure_texts(
    statements: Iterable[cst.CSTNode], times: Mapping[str, int], changed: Collection[str]
) -> dict[str, Definition]:
    """Return the literal that each name of a function holds for the functions in it; the arguments as for modules."""
    return {
        name: Definition(value, {})
        for name, value in _assigned_texts(statements)
        if times[name] == 1 and name not in changed and _is_literal(value)
    }


def _is_literal(node: cst.BaseExpression) -> bool:
    # Fields would be read in another function.
    is_text = isinstance(node, (cst.SimpleString, cst.ConcatenatedString))
    return is_text and all(isinstance(part, cst.SimpleString) for part in string_parts(node))


def _assigned_texts(statements: Iterable[cst.CSTNode]) -> Iterator[tuple[str, cst.BaseExpression]]:
    for statement in statements:
        yield from assigned_text(statement)


def assigned_text(statement: cst.CSTNode) -> Iterator[tuple[str, cst.BaseExpression]]:
    """Yield the name and the value of an assignment of a text to a single name.

    Of other values of a module, `None` first of all, nobody expects that they stay.
    """
    if isinstance(statement, cst.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0].target, statement.value
    elif isinstance(statement, cst.AnnAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return
    if isinstance(target, cst.Name) and isinstance(value, _TEXTS):
        yield target.value, value
