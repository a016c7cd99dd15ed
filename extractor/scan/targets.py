"""Assignments to more than a name: attributes of an exception, which may change its text, and tuples of names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import libcst as cst

from extractor.facts import ANY
from extractor.scan.flow import define
from extractor.scan.known import Choice, Definition, Flow
from extractor.scan.locate import looks_like_exception
from extractor.scan.surroundings import looked_up_name

_OWN_CLASSES = frozenset({"cls", "self.__class__"})
# What `str()` of a built-in exception is made of: objects of no other kind have them, or it does not matter.
_TEXT_ATTRIBUTES = frozenset({"args", "errno", "filename", "msg", "strerror"})
# Methods of exceptions that change nothing of their text.
_HARMLESS = frozenset({"add_note", "with_traceback"})


def with_attribute(flow: Flow, target: cst.BaseExpression) -> Flow:
    """Return the flow after an assignment to a target, where that is an attribute of an exception in a local name."""
    if not isinstance(target, cst.Attribute) or not isinstance(target.value, cst.Name):
        return flow
    return _changed(flow, target.value.value, target.attr.value)


def with_method(flow: Flow, node: cst.BaseExpression) -> Flow:
    """Return the flow after a method was called of an exception in a local name, which may set any attribute of it."""
    function = node.func if isinstance(node, cst.Call) else None
    if not isinstance(function, cst.Attribute) or not isinstance(function.value, cst.Name):
        return flow
    return flow if function.attr.value in _HARMLESS else _changed(flow, function.value.value, ANY)


def _changed(flow: Flow, name: str, attribute: str) -> Flow:
    value = flow.values.get(name)
    ways = value.ways if isinstance(value, Choice) else ((value, ()),) if isinstance(value, Definition) else ()
    if not any(_is_changed(way, attribute) for way, _ in ways):
        return flow
    changed = [(_with(way, attribute), needs) for way, needs in ways]
    return define(flow, {name: Choice(tuple(changed)) if isinstance(value, Choice) else changed[0][0]})


def _with(definition: Definition, attribute: str) -> Definition:
    is_changed = _is_changed(definition, attribute)
    return replace(definition, changed=definition.changed | {attribute}) if is_changed else definition


def _is_changed(definition: Definition, attribute: str) -> bool:
    return attribute in _TEXT_ATTRIBUTES or _is_exception(definition.value)


def _is_exception(node: cst.BaseExpression) -> bool:
    """Say whether a call reads like one that makes an exception."""
    if isinstance(node, cst.IfExp):
        return _is_exception(node.body) or _is_exception(node.orelse)
    name = looked_up_name(node.func) if isinstance(node, cst.Call) else None
    return name is not None and (name in _OWN_CLASSES or looks_like_exception(name.encode()))


def unpacked(
    target: cst.BaseExpression, value: cst.BaseExpression | None
) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """Yield the parts of a tuple that is assigned to one of as many targets, each with its target."""
    if isinstance(target, (cst.Tuple, cst.List)) and isinstance(value, (cst.Tuple, cst.List)):
        elements = [*target.elements, *value.elements]
        if len(target.elements) == len(value.elements) and all(isinstance(each, cst.Element) for each in elements):
            for each, given in zip(target.elements, value.elements, strict=True):
                yield each.value, given.value
