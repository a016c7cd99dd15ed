"""What became of one error, in sentences, for places that have room for a message only."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.diff import Change
from extractor.printable import printable
from extractor.reports.conditions_shown import changed, deciding
from extractor.reports.phrases import LACKING_WORDS, class_label, class_labels, rewording, shortened
from extractor.reports.report import Report

_LONGEST = 300


def headline(change: Change) -> str:
    """Return the kind of a change and the class, as a title."""
    old, new = class_labels(change.old.exception if change.old is not None else None, change.record.exception)
    if change.kind != "retyped":
        new = class_label(change.record.exception)
    words = {
        "added": f"New error: {new}",
        "removed": f"Error removed: {new}",
        "retyped": f"Error retyped: {old} is now {new}",
        "reworded": f"Error reworded: {new}",
        "moved": f"Error moved: {new}",
        "guards_changed": f"Condition of an error changed: {new}",
    }
    return printable(words[change.kind])


def sentence(change: Change, report: Report) -> str:
    """Return what became of an error; nothing in it is markup or a line break."""
    return " ".join(map(printable, _sentences(change, report)))


def _sentences(change: Change, report: Report) -> Iterator[str]:
    old, new, record = change.old, change.new, change.record
    scope = record.location.scope or "the module"
    said = f': "{shortened(record.message, _LONGEST)}"' if record.message else " without a message"
    yield f"{headline(change)} in {scope}{said}."
    if old is not None and new is not None and {"text", "placeholders"}.intersection(change.fields):
        before = shortened(rewording(old, new)[0], _LONGEST)
        yield f'It was "{before}".' if before else "It had no message."
    if old is not None and {"path", "scope"}.intersection(change.fields):
        yield f"It was in {old.location.path}, {old.location.scope or 'the module'}."
    for names, words in ((change.handlers.lost, "no longer catches"), (change.handlers.gained, "now catches")):
        if names:
            yield f"`except {', '.join(name.removeprefix('builtins.') for name in names)}` {words} it."
    if change.reach is not None and old is not None and new is not None:
        was, now = (shortened(text, _LONGEST) or "nothing" for text in changed(old, new))
        word = "changed" if change.reach == "other" else change.reach
        yield f"Its condition is {word}: `{was}` became `{now}`."
    elif change.kind == "added" and any(deciding(record)):
        when, condition = deciding(record)
        yield f"Raised {when} `{shortened(condition, _LONGEST)}`."
    if "kind" in change.fields and new is not None:
        yield "It can no longer happen." if new.kind == "unreachable" else "It can happen now."
    lacking = [LACKING_WORDS[each] for each in report.lacking.get(record.id, ())] if new is not None else []
    if lacking:
        yield f"It {'; '.join(lacking)}." if lacking[0].startswith("has") else f"{'; '.join(lacking).capitalize()}."
