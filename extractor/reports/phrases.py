"""Short phrases that several formats share."""

from __future__ import annotations

from collections.abc import Iterable

from extractor.diff import ChangeKind, ClassChange
from extractor.diff.sites import class_name, texts_of
from extractor.model import ExceptionClass, Record
from extractor.reports.report import Report, Requirement

KIND_WORDS: dict[ChangeKind, str] = {
    "added": "added",
    "removed": "removed",
    "retyped": "retyped",
    "reworded": "reworded",
    "moved": "moved",
    "guards_changed": "guards changed",
}
LACKING_WORDS: dict[Requirement, str] = {
    "message": "has no message",
    "test": "no test expects it",
    "documented": "no docstring names it",
}


def summary_words(report: Report) -> str:
    """Return how much there is of what, on one line."""
    comparison = report.comparison
    parts = [f"{count:,} {KIND_WORDS[kind]}" for kind, count in comparison.counts.items() if count]
    if comparison.classes:
        parts.append(f"{_counted(len(comparison.classes), 'class', 'classes')} with other bases")
    parts.append(f"{comparison.unchanged:,} unchanged")
    if report.ignored:
        parts.append(f"{report.ignored:,} ignored")
    return ", ".join(parts if len(parts) > 1 else ["nothing changed", *parts])


def class_sentence(change: ClassChange) -> str:
    """Return what other bases of a class mean; names are between backticks."""
    lost, gained = map(_listed, (change.handlers.lost, change.handlers.gained))
    parts = [f"no longer derives from {lost}"] if lost else []
    parts += [f"{'now ' if not lost else ''}derives from {gained}"] if gained else []
    means = [f"`except {_short(name)}` does not catch it any more" for name in change.handlers.lost]
    errors = _counted(change.errors, "error is", "errors are")
    return f"`{_short(class_name(change.new))}` {' but '.join(parts)}: {'; '.join([*means, f'{errors} of it'])}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(f"`{_short(name)}`" for name in names)


def _short(name: str) -> str:
    return name.removeprefix("builtins.")


def rewording(old: Record, new: Record) -> tuple[str, str]:
    """Return the texts of both sides, all they can say where the first is the same."""
    if old.message != new.message:
        return old.message or "", new.message or ""
    return " / ".join(texts_of(old)), " / ".join(texts_of(new))


def class_label(exception: ExceptionClass | None) -> str:
    """Return a class's own name."""
    return exception.name if exception is not None else "(unknown class)"


def class_labels(old: ExceptionClass | None, new: ExceptionClass | None) -> tuple[str, str]:
    """Return the names of two different classes, with their modules where that is the difference."""
    names = class_label(old), class_label(new)
    return names if names[0] != names[1] else (class_name(old), class_name(new))


def shortened(text: str, longest: int) -> str:
    """Return a text cut to so many characters, with a mark where that took something away."""
    return text if len(text) <= longest else f"{text[: longest - 2].rstrip()} …"


def _counted(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"
