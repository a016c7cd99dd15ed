"""How a test of another function comes out, as far as the values of a call decide it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from extractor.facts import Argument, Template, Test
from extractor.templates import is_plain, plain_text

_FALSE = frozenset({"None", "False", "0", "0.0", "-0.0", "()", "[]", "{}", "b''"})
_TEXT_TYPES = frozenset({"str", "object"})


@dataclass(frozen=True, slots=True)
class Outcomes:
    """How to find what a test looks at: a value in terms of the call, and how many items a value has."""

    value_of: Callable[[Argument], Argument]
    size_of: Callable[[Argument], int | None]


def decide(test: Test, values: Outcomes) -> bool | None:
    """Return whether a test comes out as it must, None where that is not known."""
    outcome = _outcome(test, values)
    return None if outcome is None else outcome is test.holds


def agree(tests: Sequence[Test]) -> bool:
    """Say whether these tests can all come out as they must: one that asks for any of its parts needs one of them."""
    return not any(
        test.kind == "any" and test.holds and all(replace(part, holds=not part.holds) in tests for part in test.parts)
        for test in tests
    )


def _outcome(test: Test, values: Outcomes) -> bool | None:
    if test.kind in {"all", "any"}:
        sides = [decide(part, values) for part in test.parts]
        decisive = test.kind == "any"
        if decisive in sides:
            return decisive
        return None if None in sides else not decisive
    if test.operand is None:
        return None
    if test.kind == "length":
        size = values.size_of(test.operand)
        return None if size is None else str(size) in test.other
    value = values.value_of(test.operand)
    outcomes = {_looked_at(test, template) for template in value.templates}
    return outcomes.pop() if len(outcomes) == 1 else None


def _looked_at(test: Test, template: Template) -> bool | None:
    """Return what a test says of one value."""
    if test.kind == "truth":
        return _truth(template)
    if test.kind == "none":
        return _is_none(template)
    if test.kind == "instance":
        return _is_instance(template, test.other)
    if test.kind == "equal" and is_plain(template) and template.reason is None:
        text = plain_text(template)
        return (f"'{text}'" if template.is_text else text) in test.other
    return None


def _truth(template: Template) -> bool | None:
    if template.reason is not None:
        return None
    text = plain_text(template)
    if not template.is_text:
        return text not in _FALSE if is_plain(template) else None
    return True if text else (False if is_plain(template) else None)


def _is_none(template: Template) -> bool | None:
    if template.is_text:
        return False
    return plain_text(template) == "None" if is_plain(template) and template.reason is None else None


def _is_instance(template: Template, types: tuple[str, ...]) -> bool | None:
    if template.is_text:
        return bool(_TEXT_TYPES.intersection(types))
    if is_plain(template) and plain_text(template) == "None" and template.reason is None:
        return "NoneType" in types or "object" in types
    return None
