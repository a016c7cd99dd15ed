"""Whether conditions can all hold at once, as far as their texts tell."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from keyword import kwlist

from extractor.model import Guard

# The test of a statement has one answer on the way to a text.
_ASKED_ONCE = frozenset({"if", "else"})
# The kinds whose text is a test, so that the same text twice means the same.
_TESTS = frozenset({"if", "else", "early_exit", "assert", "conditional"})
# Only what a function itself binds is sure to stay what it is until it is bound again.
_LOCAL = re.compile(r"[^.(\[]*")
_NAME = re.compile(r"[A-Za-z_]\w*(?=(?:[^'\"]*(?:'[^'\"]*'|\"[^'\"]*\"))*[^'\"]*$)")
_WORDS = frozenset(kwlist)
_COMPARISON = re.compile(r"(\w+) (is not|is|==|!=) (None|True|False|-?\d+|'[^'\\]*'|\"[^\"\\]*\")")
# With one of these words in it, a leading `not` may belong to a part of the test.
_COMPOUND = frozenset({"and", "or", "if", "lambda"})


@dataclass(frozen=True, slots=True)
class _Claim:
    """A test by its text; `name` has the value `value` where that is what it asks."""

    text: str
    holds: bool
    name: str | None = None
    value: str | None = None


def without_not(text: str, *, holds: bool) -> tuple[str, bool]:
    """Return a test without a leading `not`, and how that comes out."""
    while text.startswith("not ") and not _COMPOUND & set(text.split()[1:]):
        text, holds = text[len("not ") :], not holds
    return text, holds


def has_one_answer(guard: Guard) -> bool:
    """Say whether a test comes out the same wherever its statement asks it; one with a call may not."""
    return "(" not in guard.text or guard.kind in _ASKED_ONCE


def contradict(guards: Iterable[Guard], stable: Collection[str] = ()) -> bool:
    """Say whether some of these would have to come out both ways.

    The same test of one statement has one answer, unless it makes a call; tests of several statements have one where
    they read nothing but these names, which were never bound again.
    """
    every = list(guards)
    if len(every) < 2:
        return False
    asked = {(each.text, each.line, each.holds) for each in every if has_one_answer(each)}
    if any((text, line, not holds) in asked for text, line, holds in asked):
        return True
    claims = {_claim(each) for each in every if _is_lasting(each, stable)} if stable else set()
    return _are_opposed(claims)


def _is_lasting(guard: Guard, stable: Collection[str]) -> bool:
    if guard.kind not in _TESTS or not guard.certain or guard.stale or _LOCAL.fullmatch(guard.text) is None:
        return False
    return all(name in stable or name in _WORDS for name in _NAME.findall(guard.text))


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
    text, holds = without_not(guard.text, holds=guard.holds)
    compared = _COMPARISON.fullmatch(text)
    if compared is None:
        return _Claim(text, holds)
    name, operator, value = compared.groups()
    holds = holds is (operator in {"is", "=="})
    # `1 == True`, and `'a'` may be written in two ways.
    is_told = value == "None" or value[0] == "'" or (value.isdigit() and value not in {"0", "1"})
    return _Claim(
        f"{name} {'is' if operator.startswith('is') else '=='} {value}", holds, name if is_told else None, value
    )
