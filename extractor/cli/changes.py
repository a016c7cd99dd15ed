"""A report for people in a terminal: grouped by file, with the words marked that a rewording drops and adds."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from extractor.cli.lines import hung, rendered
from extractor.cli.terminal import Display
from extractor.diff import Change, ChangeKind
from extractor.printable import printable
from extractor.reports.conditions_shown import changed, deciding
from extractor.reports.phrases import (
    LACKING_WORDS,
    class_label,
    class_labels,
    class_sentence,
    rewording,
    shortened,
    summary_words,
)
from extractor.reports.report import Report
from extractor.reports.words import word_changes

_SIGNS: dict[ChangeKind, tuple[str, str]] = {
    "added": ("+", "green"),
    "removed": ("-", "red"),
    "retyped": ("!", "magenta"),
    "reworded": ("~", "yellow"),
    "moved": (">", "cyan"),
    "guards_changed": ("?", "blue"),
}
_LONGEST_TEXT = 400
_LONGEST_CONDITION = 240
_INDENT = 4


def render_text(report: Report, *, display: Display) -> str:
    """Return the report as lines."""
    comparison = report.comparison
    head = Text.assemble(
        (_shown(f"{report.old_name} -> {report.new_name}", display), "bold"), f": {summary_words(report)}"
    )
    lines = [*hung(Text(), head, display)]
    if comparison.classes:
        lines += [Text(), Text("Exception classes", "bold")]
        for change in comparison.classes:
            lines += hung(Text(" " * 2), Text(_shown(class_sentence(change), display)), display)
    for path, changes in groupby(comparison.changes, key=lambda change: change.record.location.path):
        lines += [Text(), Text(_shown(path, display), "bold")]
        lines += _of_file(list(changes), report, display)
    return rendered(lines, display)


def _of_file(changes: Sequence[Change], report: Report, display: Display) -> Iterator[Text]:
    background = [change for change in changes if _is_only_background(change)]
    for change in changes:
        if not _is_only_background(change) or report.fails(change):
            yield from _entry(change, report, display)
    rest = [change for change in background if not report.fails(change)]
    if rest:
        places = ", ".join(str(change.record.location.line) for change in rest)
        noun = "error stands" if len(rest) == 1 else "errors stand"
        yield from hung(
            Text(" " * 2), Text(f"? {len(rest)} {noun} behind other early exits (line {places})", "dim"), display
        )


def _is_only_background(change: Change) -> bool:
    return change.kind == "guards_changed" and change.is_background


def _entry(change: Change, report: Report, display: Display) -> Iterator[Text]:
    sign, colour = _SIGNS[change.kind]
    record = change.record
    head = Text.assemble((f"{sign} ", f"bold {colour}"), (f"{record.location.line} ", "dim"), _classes(change, display))
    head.append_text(_message(change, display))
    yield from hung(Text(" " * 2), head, display, indent=_INDENT - 2)
    for word, text in _facts(change, report, display):
        yield from hung(Text(" " * _INDENT), Text.assemble((f"{word} ", "dim"), text), display, indent=len(word) + 1)


def _classes(change: Change, display: Display) -> Text:
    if change.old is None or change.new is None or "exception" not in change.fields:
        return Text(_shown(class_label(change.record.exception), display), "bold")
    old, new = (_shown(name, display) for name in class_labels(change.old.exception, change.new.exception))
    return Text.assemble((old, "bold red"), " -> ", (new, "bold"))


def _message(change: Change, display: Display) -> Text:
    old, new = change.old, change.new
    if old is None or new is None or not {"text", "placeholders"}.intersection(change.fields):
        said = change.record.message
        return Text(f": {_shown(shortened(said, _LONGEST_TEXT), display)}" if said else "")
    marked = Text(": ")
    for mark, piece in word_changes(*rewording(old, new)):
        text = _shown(piece, display)
        if mark == "kept":
            marked.append(text)
        else:
            # Where there are no colours, as `git diff --word-diff` shows it.
            opening, closing = ("[-", "-]") if mark == "dropped" else ("{+", "+}")
            style = "red strike" if mark == "dropped" else "green"
            marked.append(text if display.has_colours else f"{opening}{text}{closing}", style)
    return marked


def _facts(change: Change, report: Report, display: Display) -> Iterator[tuple[str, Text]]:
    old, new, record = change.old, change.new, change.record
    yield "in", Text(_shown(record.location.scope or "the module", display))
    if old is not None and {"path", "scope"}.intersection(change.fields):
        yield "was in", Text(_shown(f"{old.location.path}:{old.location.line} {old.location.scope}".rstrip(), display))
    for word, names in (("no longer caught by", change.handlers.lost), ("now caught by", change.handlers.gained)):
        if names:
            yield word, Text(_shown(", ".join(f"except {name.removeprefix('builtins.')}" for name in names), display))
    if change.reach is not None and old is not None and new is not None:
        before, after = changed(old, new)
        word = "condition changed" if change.reach == "other" else f"condition {change.reach}"
        yield word, Text("by early exits alone" if change.is_background else "")
        yield "  was", Text(_condition(before, display), "red")
        yield "  is ", Text(_condition(after, display), "green")
    elif change.kind == "added" and any(deciding(record)):
        word, condition = deciding(record)
        yield word, Text(_condition(condition, display))
    if new is not None and new.id in report.lacking:
        yield "lacking:", Text(", ".join(LACKING_WORDS[each] for each in report.lacking[new.id]), "red")


def _condition(text: str, display: Display) -> str:
    return _shown(shortened(text, _LONGEST_CONDITION), display) if text else "(without this)"


def _shown(text: str, display: Display) -> str:
    return printable(text, encoding=display.encoding)
