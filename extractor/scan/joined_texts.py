"""Lists of texts that are joined to one: displays, and lists that texts were appended to on the way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import libcst as cst

from extractor.facts import Template, Test
from extractor.scan.decisions import tests_for
from extractor.scan.known import Gathered
from extractor.scan.literals import string_value
from extractor.scan.surroundings import ArgumentOf, Surroundings
from extractor.templates import MOST_ALTERNATIVES, join

_MOST_PARTS = 64
# Items that are put in under these conditions are there any number of times.
_REPEATED = frozenset({"for", "while"})


def joined_texts(
    node: cst.Call, separator: cst.BaseExpression, around: Surroundings, argument_of: ArgumentOf
) -> list[Template] | None:
    """Return the texts of `separator.join(items)`, None where the items are not known."""
    between = string_value(separator) if isinstance(separator, cst.SimpleString) else None
    items = node.args[0].value
    if between is None:
        return None
    if isinstance(items, (cst.List, cst.Tuple)):
        if not all(isinstance(element, cst.Element) for element in items.elements):
            return None
        texts = [argument_of(element.value, around).templates for element in items.elements]
        return _in_a_row(texts, between)
    found = around.gathered(items.value) if isinstance(items, cst.Name) else None
    if found is None or len(found.items) > _MOST_PARTS:
        return None
    return (
        _exact(found, between, around, argument_of) if around.exported else _in_parts(node, found, around, argument_of)
    )


def _in_a_row(texts: Sequence[Sequence[Template]], between: str) -> list[Template] | None:
    row: list[Sequence[Template]] = []
    for each in texts:
        if row:
            row.append([Template((between,), "literal", is_text=True)])
        row.append(each)
    return join(row, "concatenation") if row else [Template((), "literal", is_text=True)]


def _in_parts(node: cst.Call, found: Gathered, around: Surroundings, argument_of: ArgumentOf) -> list[Template]:
    """Return the join as a placeholder, with what may be in it as parts."""
    parts = [
        replace(text, guards=(*(each.guard for each in conditions), *text.guards))
        for definition, conditions in found.items
        for text in argument_of(definition.value, around.at(definition)).templates
    ]
    # The expression itself without a look at what is joined.
    hole = argument_of(node, replace(around, values={}, constant=lambda name: ())).hole
    return [Template((hole,), "none", is_text=True, parts=tuple(parts))]


def _exact(found: Gathered, between: str, around: Surroundings, argument_of: ArgumentOf) -> list[Template] | None:
    """Return every text that the list can give, for a caller who decides which of the items are in it."""
    rows: list[tuple[list[Sequence[Template]], tuple[Test, ...]]] = [([], ())]
    for definition, conditions in found.items:
        if any(each.guard.kind in _REPEATED for each in conditions):
            return None
        texts = argument_of(definition.value, around.at(definition)).templates
        tests = tests_for(conditions, around, argument_of)
        rows_with = [([*row, texts], (*needs, *tests)) for row, needs in rows]
        without = Test("all", holds=False, parts=tests)
        rows_without = [(row, (*needs, without)) for row, needs in rows] if conditions else []
        rows = [*rows_with, *rows_without]
        if len(rows) > MOST_ALTERNATIVES:
            return None
    made = [replace(text, tests=(*needs, *text.tests)) for row, needs in rows for text in _in_a_row(row, between) or ()]
    return made if 0 < len(made) <= MOST_ALTERNATIVES else None
