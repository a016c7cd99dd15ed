"""Functions inside of functions and of the module: what they read and change of the variables around them."""

from __future__ import annotations

from collections.abc import Collection, Iterator

import libcst as cst

from extractor.scan.attributes import path_of
from extractor.scan.bindings import changes_in, children
from extractor.scan.own_object import OwnObject
from extractor.scan.statements import all_statements


def changed_around(node: cst.FunctionDef, own: OwnObject | None, bound: Collection[str]) -> frozenset[str]:
    """Return the paths outside of a function, which binds these names itself, that calling it changes."""
    return _free(changes_in([node.body], own), bound)


def read_around(node: cst.FunctionDef, bound: Collection[str]) -> frozenset[str]:
    """Return the dotted names outside of a function, which binds these names itself, that calling it reads."""
    return _free(_read(node.body), bound)


def setters_of(module: cst.Module) -> dict[str, frozenset[str]]:
    """Return the functions of a module that set its variables, with the names of these."""
    functions = (each for each in all_statements(module) if isinstance(each, cst.FunctionDef))
    found = {each.name.value: _set_by(each) for each in functions}
    return {name: names for name, names in found.items() if names}


def _set_by(node: cst.FunctionDef) -> frozenset[str]:
    declared = {
        item.name.value for each in all_statements(node.body) if isinstance(each, cst.Global) for item in each.names
    }
    return frozenset(declared & changes_in([node.body])) if declared else frozenset()


def _free(paths: Collection[str] | Iterator[str], bound: Collection[str]) -> frozenset[str]:
    return frozenset(path for path in paths if path.partition(".")[0] not in bound)


def _read(node: cst.CSTNode) -> Iterator[str]:
    pending = [node]
    while pending:
        current = pending.pop()
        path = path_of(current) if isinstance(current, (cst.Name, cst.Attribute)) else None
        if path is not None:
            yield path
        else:
            pending.extend(children(current))
