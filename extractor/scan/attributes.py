"""Attributes that are read and changed by their name as a text: `getattr`, `setattr`, `__dict__`, `vars`.

A path `m.*` stands for an attribute of `m` whose name is known only at run time, so it may be any of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import libcst as cst

from extractor.scan.literals import string_value

ANY = "*"
# How many arguments these have if the object is the first of them.
SETTING = {"setattr": 3, "delattr": 2, "__setattr__": 3, "__delattr__": 2}
_READING = frozenset({"getattr", "hasattr"})
_MEMBERSHIP = (cst.In, cst.NotIn)


def path_of(node: cst.CSTNode) -> str | None:
    """Return "a.b.c" for a name or a chain of attributes on one, also where their names are given as texts."""
    parts: list[str] = []
    while not isinstance(node, cst.Name):
        found = _named_attribute(node)
        if found is None:
            return None
        node, name = found
        if name == ANY:
            parts.clear()
        parts.append(name)
    return ".".join([node.value, *reversed(parts)]) if parts else node.value


def _named_attribute(node: cst.CSTNode) -> tuple[cst.BaseExpression, str] | None:
    """Return the object and the name of the attribute that an expression stands for."""
    if isinstance(node, cst.Attribute):
        return node.value, node.attr.value
    if isinstance(node, cst.Subscript):
        owner = namespace_owner(node.value)
        index = node.slice[0].slice if len(node.slice) == 1 else None
        return (owner, _text(index.value)) if owner is not None and isinstance(index, cst.Index) else None
    if not isinstance(node, cst.Call) or not node.args:
        return None
    if isinstance(node.func, cst.Name) and node.func.value == "getattr" and len(node.args) > 1:
        return node.args[0].value, _text(node.args[1].value)
    if isinstance(node.func, cst.Attribute) and node.func.attr.value == "get":
        owner = namespace_owner(node.func.value)
        return (owner, _text(node.args[0].value)) if owner is not None else None
    return None


def namespace_owner(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """Return the object whose attributes `m.__dict__` or `vars(m)` holds, None for anything else."""
    if isinstance(node, cst.Attribute):
        return node.value if node.attr.value == "__dict__" else None
    is_vars = isinstance(node, cst.Call) and isinstance(node.func, cst.Name) and node.func.value == "vars"
    return node.args[0].value if is_vars and isinstance(node, cst.Call) and len(node.args) == 1 else None


def _text(node: cst.BaseExpression) -> str:
    value = string_value(node) if isinstance(node, cst.SimpleString) else None
    return ANY if value is None else value


def read_by_name(node: cst.BaseExpression) -> Iterator[str]:
    """Yield the paths that an expression itself reads by a name given as a text, without what its parts read."""
    if isinstance(node, cst.Comparison):
        left = node.left
        for target in node.comparisons:
            owner = namespace_owner(target.comparator) if isinstance(target.operator, _MEMBERSHIP) else None
            yield from named_paths(owner, _text(left))
            left = target.comparator
    elif isinstance(node, cst.Call) and len(node.args) > 1 and isinstance(node.func, cst.Name):
        if node.func.value in _READING:
            yield from named_paths(node.args[0].value, _text(node.args[1].value))
    elif not isinstance(node, cst.Attribute) and (found := _named_attribute(node)):
        yield from named_paths(*found)


def named_paths(owner: cst.BaseExpression | None, *names: str) -> Iterator[str]:
    """Yield the paths of these attributes of an object, none where it has no name."""
    for name in names:
        path = path_of(owner) if owner is not None else None
        if path is not None:
            yield path if path.endswith(ANY) else f"{path}.{name}"


def set_by_name(node: cst.Call) -> Iterator[str]:
    """Yield the paths that `setattr`, `delattr` and `__setattr__` in any of its forms change."""
    owner = node.func.value if isinstance(node.func, cst.Attribute) else None
    name = path_of(node.func.attr if isinstance(node.func, cst.Attribute) else node.func) or ""
    count = SETTING.get(name) if name.startswith("__") is (owner is not None) else None
    values = [argument.value for argument in node.args if argument.keyword is None and not argument.star]
    if count is not None and len(values) == count:
        # `object.__setattr__(m, "x", 1)` is the way round a `__setattr__` of the object's own class.
        yield from named_paths(values[0], _text(values[1]))
    elif count is not None and len(values) == count - 1:
        yield from named_paths(owner, _text(values[0]))


def changed_in_namespace(owner: cst.BaseExpression, method: str, arguments: Sequence[cst.Arg]) -> Iterator[str]:
    """Yield the paths that a mutating method of `m.__dict__` or `vars(m)` changes."""
    if method in {"pop", "setdefault"} and arguments:
        yield from named_paths(owner, _text(arguments[0].value))
    else:
        names = [name for argument in arguments for name in _given(argument)] if method == "update" else [ANY]
        yield from named_paths(owner, *names)


def _given(argument: cst.Arg) -> Iterator[str]:
    """Yield the names of the attributes that an argument of `update` gives."""
    if argument.keyword is not None:
        yield argument.keyword.value
    elif isinstance(argument.value, cst.Dict):
        for element in argument.value.elements:
            yield _text(element.key) if isinstance(element, cst.DictElement) else ANY
    else:
        yield ANY
