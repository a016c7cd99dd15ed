"""What a local name holds and whose attributes are set afterwards: an exception may get another text by that."""

from __future__ import annotations

from dataclasses import replace

import libcst as cst

from extractor.scan.flow import Choice, Definition, Flow, define

_MAKING = (cst.Call, cst.IfExp)


def with_attribute(flow: Flow, target: cst.BaseExpression) -> Flow:
    """Return the flow after an assignment to a target, where that is an attribute of what a local name holds."""
    if not isinstance(target, cst.Attribute) or not isinstance(target.value, cst.Name):
        return flow
    name, attribute = target.value.value, target.attr.value
    value = flow.values.get(name)
    if isinstance(value, Definition) and isinstance(value.value, _MAKING):
        return define(flow, {name: _changed(value, attribute)})
    if isinstance(value, Choice):
        return define(flow, {name: Choice(tuple((_changed(way, attribute), needs) for way, needs in value.ways))})
    return flow


def _changed(definition: Definition, attribute: str) -> Definition:
    is_made = isinstance(definition.value, _MAKING)
    return replace(definition, changed=definition.changed | {attribute}) if is_made else definition
