"""Path conditions held against each other: whether one lets more through than the other, as far as their texts tell."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache

from extractor.diff.changes import Reach
from extractor.model import Guard

# The kinds whose text is a test; the others say where a statement stands.
_TESTS = frozenset({"if", "else", "early_exit", "assert", "while", "conditional"})
_PASSED = frozenset({"early_exit"})
# A context manager decides nothing.
_NO_CONDITIONS = frozenset({"with"})
_OPENING, _CLOSING = "([{", ")]}"
_TEXT = re.compile(r"""[A-Za-z]{0,2}(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")""", re.DOTALL)
_WORD = re.compile(r"\w+")
# An operator that binds less than `and`, so that a test with one at its top is left whole.
_LOOSE = frozenset({"if", "else", "lambda", "for"})
_BOUND = re.compile(r"(?P<left>.+?) (?P<operator><=|>=|<|>) (?P<number>-?\d+(?:\.\d+)?)", re.DOTALL)
# The longer ones first, since the others stand in them.
_OPPOSITES = (("is not", "is"), ("not in", "in"), ("!=", "=="), ("is", "is not"), ("in", "not in"), ("==", "!="))
_NEGATIVE = 3
_COMPARING = frozenset({"<", ">", "=", "!", "in", "is", "not"})
_OPPOSITE = {"<": ">=", ">=": "<", ">": "<=", "<=": ">"}
_MEMBER = re.compile(r"(?P<left>[\w.]+) in [\[({](?P<items>[^\[\](){}]*)[\])}]")
_INSTANCE = re.compile(r"isinstance\((?P<left>[\w.\[\]'\"]+), (?P<types>[\w.]+|\([\w., ]+\))\)")


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition that cannot be taken apart. `place` is "" for a test, else the kind of guard that it comes from."""

    text: str
    holds: bool
    place: str = ""


def conditions_of(guards: Iterable[Guard], *, background: bool = True) -> frozenset[Condition]:
    """Return the conditions that guards come to, without what is said twice or in another way.

    Args:
        guards: A path condition.
        background: Take early exits as well.

    """
    return frozenset(
        each
        for guard in guards
        if guard.kind not in _NO_CONDITIONS and (background or guard.kind not in _PASSED)
        for each in _of(guard)
    )


def reach_of(old: Iterable[Guard], new: Iterable[Guard]) -> Reach | None:
    """Return how a path condition changed, None where it did not: "widened" lets all through that it did, and more."""
    old, new = list(old), list(new)
    before, after = conditions_of(old), conditions_of(new)
    if before == after:
        return None
    stale = conditions_of(guard for guard in (*old, *new) if guard.stale)
    differing = before ^ after
    if any(each.place for each in differing) or differing & stale:
        return "other"
    is_weaker, is_stronger = _implies(before, after), _implies(after, before)
    if is_weaker == is_stronger:
        # Said in another way, it is the same.
        return None if is_weaker else "other"
    return "widened" if is_weaker else "narrowed"


def denied(text: str) -> str:
    """Return the opposite of a test as one would write it."""
    words = [word for word, _ in _top(text)]
    if not {"and", "or"} & set(words) and not _LOOSE & set(words):
        for operator, opposite in _OPPOSITES:
            sides = _sides(text, operator)
            if sides is not None:
                return f"{sides[0]} {opposite} {sides[1]}"
    is_one = " " not in words or (text.startswith("(") and _closing(text) == len(text) - 1)
    return f"not {text}" if is_one else f"not ({text})"


def _of(guard: Guard) -> Iterator[Condition]:
    if guard.kind not in _TESTS:
        yield Condition(guard.text, guard.holds, guard.kind)
        return
    for text, holds in conjuncts(guard.expanded or guard.text, holds=guard.holds):
        yield Condition(text, holds)


@lru_cache(maxsize=1 << 14)
def conjuncts(text: str, *, holds: bool) -> tuple[tuple[str, bool], ...]:
    """Return the tests that must all come out as said for this one to do so: `a and b`, or `not (a or b)`."""
    text = _bare(text)
    if text.startswith("not ") and len(_split(text, "and")) == len(_split(text, "or")) == 1 and not _is_loose(text):
        return conjuncts(text[len("not ") :], holds=not holds)
    parts = _split(text, "or")
    if len(parts) > 1:
        return ((text, True),) if holds else tuple(each for part in parts for each in conjuncts(part, holds=False))
    parts = _split(text, "and")
    if len(parts) > 1:
        return tuple(each for part in parts for each in conjuncts(part, holds=True)) if holds else ((text, False),)
    return (_positive(text, holds),)


def _positive(text: str, holds: bool) -> tuple[str, bool]:
    """Return a comparison by its positive form: `x is not None` as `x is None`, `a != b` as `a == b`."""
    for negative, positive in _OPPOSITES[:_NEGATIVE]:
        sides = _sides(text, negative)
        if sides is not None and not _is_loose(text):
            return f"{sides[0]} {positive} {sides[1]}", not holds
    return text, holds


def _sides(text: str, operator: str) -> tuple[str, str] | None:
    """Return what one operator compares, None where there is another comparison, as in a chain, or none."""
    parts = text.split(f" {operator} ")
    if len(parts) != 2 or _TEXT.sub("", text).count(f" {operator} ") != 1:
        return None
    others = {word for part in parts for word, _ in _top(part)}
    return None if others & _COMPARING else (parts[0], parts[1])


def _bare(text: str) -> str:
    """Return a test without parentheses around all of it."""
    text = text.strip()
    while text.startswith("(") and _closing(text) == len(text) - 1 and not _is_tuple(text):
        text = text[1:-1].strip()
    return text


def _is_tuple(text: str) -> bool:
    return any(letter == "," for letter, _ in _top(text[1:-1])) or text == "()"


def _closing(text: str) -> int:
    """Return where the bracket closes that a text starts with."""
    depth, at = 0, 0
    while at < len(text):
        quoted = _TEXT.match(text, at)
        if quoted:
            at = quoted.end()
            continue
        depth += (text[at] in _OPENING) - (text[at] in _CLOSING)
        if not depth:
            return at
        at += 1
    return -1


def _top(text: str) -> Iterator[tuple[str, int]]:
    """Yield words and signs outside of brackets and quotes, each with its place."""
    depth, at = 0, 0
    while at < len(text):
        quoted = _TEXT.match(text, at)
        if quoted:
            at = quoted.end()
            continue
        word = _WORD.match(text, at)
        if word:
            if not depth:
                yield word[0], at
            at = word.end()
            continue
        depth += (text[at] in _OPENING) - (text[at] in _CLOSING)
        if not depth:
            yield text[at], at
        at += 1


def _split(text: str, operator: str) -> list[str]:
    if operator not in text:
        return [text]
    words = list(_top(text))
    if any(word in _LOOSE for word, _ in words):
        return [text]
    parts, start = [], 0
    for word, at in words:
        if word == operator:
            parts.append(text[start:at].strip())
            start = at + len(operator)
    return [*parts, text[start:].strip()]


def _is_loose(text: str) -> bool:
    return any(word in _LOOSE for word, _ in _top(text))


def _implies(some: frozenset[Condition], others: frozenset[Condition]) -> bool:
    return all(each in some or any(_follows(each, one) for one in some) for each in others)


def _follows(wanted: Condition, given: Condition) -> bool:
    """Say whether a condition holds where another one does."""
    if wanted.place or given.place:
        return False
    return _is_alternative(wanted, given) or any(
        rule(wanted, given) for rule in (_is_wider_bound, _is_wider_choice, _is_wider_instance)
    )


def _is_alternative(wanted: Condition, given: Condition) -> bool:
    """Say whether what is wanted is `a or b`, or `not (a and b)`, and a part of that is given."""
    parts = _split(wanted.text, "or" if wanted.holds else "and")
    if len(parts) < 2:
        return False
    ways = [conjuncts(part, holds=wanted.holds) for part in parts]
    known = set(conjuncts(given.text, holds=given.holds)) | {(given.text, given.holds)}
    # Of another `a or b`, each part must be one of these.
    given_parts = _split(given.text, "or" if given.holds else "and")
    if len(given_parts) > 1:
        return {conjuncts(part, holds=given.holds) for part in given_parts} <= set(ways)
    return any(set(way) <= known for way in ways)


def _bound(condition: Condition) -> tuple[str, str, float] | None:
    found = _BOUND.fullmatch(condition.text)
    if found is None or len(_split(found["left"], "and")) > 1 or any(sign in "<>" for sign, _ in _top(found["left"])):
        return None
    operator = found["operator"] if condition.holds else _OPPOSITE[found["operator"]]
    return found["left"], operator, float(found["number"])


def _is_wider_bound(wanted: Condition, given: Condition) -> bool:
    one, other = _bound(wanted), _bound(given)
    # `not x < 0` is no `x >= 0` to a value that is no number, but the same to the same value.
    if one is None or other is None or one[0] != other[0] or one[1][0] != other[1][0] or wanted.holds != given.holds:
        return False
    (_, operator, limit), (_, own_operator, own_limit) = one, other
    is_looser = own_limit < limit if operator[0] == "<" else own_limit > limit
    return is_looser or (own_limit == limit and (operator == own_operator or len(operator) == 2))


def _choice(condition: Condition) -> tuple[str, frozenset[str], bool] | None:
    found = _MEMBER.fullmatch(condition.text)
    if found is None or _TEXT.sub("", found["items"]).strip(", 0123456789-."):
        return None
    items = frozenset(filter(None, map(str.strip, _listed(found["items"]))))
    return found["left"], items, condition.holds


def _is_wider_choice(wanted: Condition, given: Condition) -> bool:
    one, other = _choice(wanted), _choice(given)
    if one is None or other is None or one[0] != other[0] or one[2] != other[2]:
        return False
    return other[1] <= one[1] if one[2] else one[1] <= other[1]


def _instance(condition: Condition) -> tuple[str, frozenset[str]] | None:
    found = _INSTANCE.fullmatch(condition.text)
    if found is None:
        return None
    return found["left"], frozenset(filter(None, map(str.strip, found["types"].strip("()").split(","))))


def _is_wider_instance(wanted: Condition, given: Condition) -> bool:
    one, other = _instance(wanted), _instance(given)
    if one is None or other is None or one[0] != other[0] or wanted.holds != given.holds:
        return False
    return other[1] <= one[1] if wanted.holds else one[1] <= other[1]


def _listed(items: str) -> list[str]:
    """Return the items between commas that stand outside of quotes."""
    found, start = [], 0
    for sign, at in _top(items):
        if sign == ",":
            found.append(items[start:at])
            start = at + 1
    return [*found, items[start:]]
