"""A report as workflow commands of GitHub Actions: annotations where new errors stand, and one line that sums up.

GitHub shows ten annotations of a step. Nothing of the analysed code can start a command: it is on one line, escaped.
"""

from __future__ import annotations

from collections.abc import Iterator

from extractor.diff import Change
from extractor.printable import printable
from extractor.reports.phrases import class_sentence, summary_words
from extractor.reports.places import repository_path
from extractor.reports.report import Report
from extractor.reports.sentences import headline, sentence

_MOST_ANNOTATIONS = 10


def render_github(report: Report) -> str:
    """Return the commands and the summary, a line each."""
    return "".join(f"{line}\n" for line in _lines(report))


def _lines(report: Report) -> Iterator[str]:
    new = [change for change in report.comparison.changes if change.kind == "added"]
    new.sort(key=lambda change: not report.fails(change))
    yield from (_annotation(change, report) for change in new[:_MOST_ANNOTATIONS])
    for change in report.comparison.classes:
        yield _text(f"raisedex: {class_sentence(change)}")
    more = f"; {len(new) - _MOST_ANNOTATIONS:,} new errors are not annotated" if len(new) > _MOST_ANNOTATIONS else ""
    yield _text(f"raisedex: {report.old_name} -> {report.new_name}: {summary_words(report)}{more}")


def _annotation(change: Change, report: Report) -> str:
    record = change.record
    place = record.location
    level = "error" if report.fails(change) else "notice"
    properties = {
        "file": repository_path(record, report),
        "line": str(place.line),
        "endLine": str(place.end_line),
        "title": headline(change),
    }
    written = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{level} {written}::{_data(sentence(change, report))}"


def _text(line: str) -> str:
    """Return a line that is no command, whatever it says."""
    return printable(line).replace("::", ": :")


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
