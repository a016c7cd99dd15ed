"""The conditions of a raise site as a report shows them: the ones that decide, or the ones that changed."""

from __future__ import annotations

from collections.abc import Iterable

from extractor.contradictions import without_not
from extractor.diff.conditions import Condition, conditions_of, denied
from extractor.model import Guard, Record

_WORDS = {
    "for": "for ",
    "except": "while handling ",
    "try_else": "once this passed: ",
    "loop_else": "once the loop ended: ",
    "case": "case ",
}


def deciding(record: Record) -> tuple[str, str]:
    """Return the innermost condition of a record, behind the word that goes before it; "" for both if there is none."""
    own = [guard for guard in record.guards if guard.kind not in ("with", "early_exit")] or [
        guard for guard in record.guards if guard.kind == "early_exit"
    ]
    if not own:
        return "", ""
    guard = own[-1]
    if guard.kind in _WORDS:
        return _WORDS[guard.kind].strip(), guard.text or "any exception"
    text, holds = without_not(guard.text, holds=guard.holds)
    return "when", text if holds else denied(text)


def changed(old: Record, new: Record) -> tuple[str, str]:
    """Return what only one of two path conditions says, the old and the new, each as one text."""
    before, after = conditions_of(old.guards), conditions_of(new.guards)
    return _joined(old.guards, before - after), _joined(new.guards, after - before)


def _joined(guards: Iterable[Guard], wanted: Iterable[Condition]) -> str:
    left = set(wanted)
    texts: list[str] = []
    for guard in guards:
        # In the order of the path, each once.
        found = [each for each in _ordered(guard) if each in left]
        left.difference_update(found)
        texts += map(_of_condition, found)
    return " and ".join(texts)


def _ordered(guard: Guard) -> list[Condition]:
    text = guard.expanded or guard.text
    return sorted(conditions_of([guard]), key=lambda each: (text.find(each.text), each.text))


def _of_condition(condition: Condition) -> str:
    text = condition.text
    if condition.place in _WORDS:
        return f"{_WORDS[condition.place]}{text or 'any exception'}"
    # Joined to others by `and`.
    text = f"({text})" if f" {'or' if condition.holds else 'and'} " in text or " if " in text else text
    return text if condition.holds else denied(text)
