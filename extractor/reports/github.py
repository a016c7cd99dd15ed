"""A report as workflow commands of GitHub Actions: annotations where new errors stand, and one line that sums up.

GitHub shows ten annotations of a step. Nothing of the analysed code can start a command: it is on one line, escaped.
Runners know two forms of command: `::name::` where a line starts, and the older `##[name]` anywhere in a line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from extractor.diff import Change
from extractor.printable import printable
from extractor.reports.phrases import class_sentence, summary_words
from extractor.reports.places import repository_path
from extractor.reports.report import Report
from extractor.reports.sentences import headline, sentence

_MOST_ANNOTATIONS = 10
_COLONS = re.compile(":(?=:)")


def render_github(report: Report) -> str:
    """Return the commands and the summary, a line each."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    new = [change for change in report.comparison.changes if change.kind == "added"]
    new.sort(key=lambda change: not report.fails(change))
    yield from (_annotation(change, report) for change in new[:_MOST_ANNOTATIONS])
    for change in report.comparison.classes:
        yield _text(f"raisedex: {class_sentence(change)}")
    parts = [f"raisedex: {report.old_name} -> {report.new_name}: {summary_words(report)}", *_not_annotated(report)]
    yield _text("; ".join(parts))


def _not_annotated(report: Report) -> Iterator[str]:
    changes = report.comparison.changes
    others = sum(report.fails(change) for change in changes if change.kind != "added")
    if others:
        yield f"{others:,} other {'change fails' if others == 1 else 'changes fail'} the run"
    left = report.comparison.counts["added"] - _MOST_ANNOTATIONS
    if left > 0:
        yield f"{left:,} new {'error is' if left == 1 else 'errors are'} not annotated"


def _annotation(change: Change, report: Report) -> str:
    record = change.record
    place = record.location
    level = "error" if report.fails(change) else "notice"
    properties = {
        "file": repository_path(record, report),
        "line": str(place.line),
        "endLine": str(place.end_line),
        # GitHub takes no column of what runs over several lines.
        **({"col": str(place.column + 1)} if place.line == place.end_line else {}),
        "title": headline(change),
    }
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {written}::{_data(sentence(change, report))}"


def _text(line: str) -> str:
    """Return a line that is no command, whatever it says."""
    return _COLONS.sub(": ", _without_old_commands(printable(line)))


def _data(text: str) -> str:
    shown = _without_old_commands(printable(text))
    return shown.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _without_old_commands(text: str) -> str:
    return text.replace("##[", "# #[")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
