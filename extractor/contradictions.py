"""Whether conditions can all hold at once, as far as their texts tell."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace

from extractor.model import Guard

# The test of a statement has one answer on the way to a text.
ASKED_ONCE = frozenset({"if", "else"})
# The kinds whose text is a test, so that the same text twice means the same.
_TESTS = frozenset({"if", "else", "early_exit", "assert", "conditional"})
# Only what a function itself binds is sure to stay what it is until it is bound again.
_LOCAL = re.compile(r"[^.(\[]*")
_COMPARISON = re.compile(r"(\w+) (is not|is|==|!=) (None|True|False|-?\d+|'[^'\\]*'|\"[^\"\\]*\")")
_NOT = re.compile(r"not (\w+)")


@dataclass(frozen=True, slots=True)
class _Claim:
    """A test by its text; `name` has the value `value` where that is what it asks."""

    text: str
    holds: bool
    name: str | None = None
    value: str | None = None


def contradict(guards: Iterable[Guard]) -> bool:
    """Say whether some of these would have to come out both ways.

    The same test of one statement has one answer, unless it makes a call; tests of several statements have one where
    what they read was not bound again.
    """
    every = list(guards)
    if len(every) < 2:
        return False
    asked = {(each.text, each.line, each.holds) for each in every if "(" not in each.text or each.kind in ASKED_ONCE}
    if any((text, line, not holds) in asked for text, line, holds in asked):
        return True
    claims = {
        _claim(each)
        for each in every
        if each.kind in _TESTS and each.certain and not each.stale and _LOCAL.fullmatch(each.text)
    }
    return _are_opposed(claims)


def without_opposites(guards: Iterable[Guard]) -> tuple[Guard, ...]:
    """Return conditions in the order in which they came to hold, those as stale that a later one says the opposite of.

    Something changed between them that no statement shows, such as what a call does to an attribute.
    """
    kept: list[Guard] = []
    outcomes: set[tuple[str, bool]] = set()
    for guard in reversed(list(guards)):
        claim = _claim(guard)
        is_opposed = guard.kind in _TESTS and (claim.text, not claim.holds) in outcomes
        kept.append(replace(guard, stale=True) if is_opposed else guard)
        if guard.kind in _TESTS and not guard.stale:
            outcomes.add((claim.text, claim.holds))
    return tuple(reversed(kept))


def _are_opposed(claims: set[_Claim]) -> bool:
    outcomes = {(each.text, each.holds) for each in claims}
    if any((text, not holds) in outcomes for text, holds in outcomes):
        return True
    values = {(each.name, each.value) for each in claims if each.name is not None and each.holds}
    if len(values) > len({name for name, _ in values}):
        return True
    # `None` is not true.
    return any(value == "None" and (name, True) in outcomes for name, value in values)


def _claim(guard: Guard) -> _Claim:
    negated = _NOT.fullmatch(guard.text)
    if negated is not None:
        return _Claim(negated[1], not guard.holds)
    compared = _COMPARISON.fullmatch(guard.text)
    if compared is None:
        return _Claim(guard.text, guard.holds)
    name, operator, value = compared.groups()
    holds = guard.holds is (operator in {"is", "=="})
    # `1 == True`, and `'a'` may be written in two ways.
    is_told = value == "None" or value[0] == "'" or (value.isdigit() and value not in {"0", "1"})
    return _Claim(
        f"{name} {'is' if operator.startswith('is') else '=='} {value}", holds, name if is_told else None, value
    )
