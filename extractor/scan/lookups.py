"""Tables of texts: a dictionary display, or the name of one, looked up by a key."""

from __future__ import annotations

import libcst as cst

from extractor.facts import Argument, Entry, Keyed
from extractor.scan.literals import string_value
from extractor.scan.surroundings import ArgumentOf, Surroundings, looked_up_name

_MOST_ENTRIES = 64


def keyed(node: cst.BaseExpression, around: Surroundings, argument_of: ArgumentOf) -> Keyed | None:
    """Return the lookup that an expression is: `table[key]`, `table.get(key)` or `table.get(key, default)`."""
    if isinstance(node, cst.Subscript):
        key = _index(node)
        return _lookup(node.value, key, None, around, argument_of) if key is not None else None
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute) or node.func.attr.value != "get":
        return None
    if not 1 <= len(node.args) <= 2 or any(each.star or each.keyword is not None for each in node.args):
        return None
    default = node.args[1].value if len(node.args) > 1 else cst.Name("None")
    return _lookup(node.func.value, node.args[0].value, default, around, argument_of)


def _index(node: cst.Subscript) -> cst.BaseExpression | None:
    if len(node.slice) != 1 or not isinstance(node.slice[0].slice, cst.Index):
        return None
    return node.slice[0].slice.value


def _lookup(
    table: cst.BaseExpression,
    key: cst.BaseExpression,
    default: cst.BaseExpression | None,
    around: Surroundings,
    argument_of: ArgumentOf,
) -> Keyed | None:
    if isinstance(table, cst.Name):
        ways = around.definitions(table.value)
        if len(ways) == 1:
            ((definition, _),) = ways
            table, there = definition.value, around.at(definition)
            entries = entries_of(table, there, argument_of)
            if entries is None:
                return None
            return Keyed(entries, argument_of(key, around), _argument(default, around, argument_of))
    entries = entries_of(table, around, argument_of)
    found = entries if entries is not None else around.reference(looked_up_name(table))
    if found is None:
        return None
    return Keyed(found, argument_of(key, around), _argument(default, around, argument_of))


def _argument(node: cst.BaseExpression | None, around: Surroundings, argument_of: ArgumentOf) -> Argument | None:
    return argument_of(node, around) if node is not None else None


def entries_of(node: cst.BaseExpression, around: Surroundings, argument_of: ArgumentOf) -> tuple[Entry, ...] | None:
    """Return the entries of a dictionary display or of a list, None where a key is no literal."""
    if isinstance(node, (cst.Tuple, cst.List)):
        values = [element.value for element in node.elements if isinstance(element, cst.Element)]
        if len(values) != len(node.elements) or len(values) > _MOST_ENTRIES:
            return None
        return tuple(Entry(str(index), argument_of(value, around)) for index, value in enumerate(values))
    if not isinstance(node, cst.Dict) or len(node.elements) > _MOST_ENTRIES:
        return None
    entries: dict[str, Entry] = {}
    for element in node.elements:
        key = key_text(element.key) if isinstance(element, cst.DictElement) else None
        if key is None:
            # Keys that are names can still be told apart from each other.
            key = looked_up_name(element.key) if isinstance(element, cst.DictElement) else None
            if key is None:
                return None
        entries[key] = Entry(key, argument_of(element.value, around))
    return tuple(entries.values())


def key_text(node: cst.BaseExpression) -> str | None:
    """Return a literal key as text, quoted if it is one; None for all others."""
    if isinstance(node, cst.SimpleString):
        value = string_value(node)
        return f"'{value}'" if value is not None else None
    return str(int(node.value)) if isinstance(node, cst.Integer) and node.value.isdecimal() else None
