"""Where a record stands as services that show a repository name it."""

from __future__ import annotations

from collections.abc import Iterable
from urllib.parse import quote

from extractor.diff import Change, ChangeKind
from extractor.model import Record
from extractor.reports.report import Report

# What there still is, and so can be shown where it stands.
_SHOWN: frozenset[ChangeKind] = frozenset({"added", "retyped", "reworded", "guards_changed"})


def repository_path(record: Record, report: Report) -> str:
    """Return a record's path from the root of the repository."""
    folder = report.comparison.new.subdirectory
    return f"{folder}/{record.location.path}" if folder else record.location.path


def as_uri(path: str) -> str:
    """Return a relative path as a URI reference."""
    return quote(path, safe="/~", errors="replace")


def new_and_changed(report: Report) -> Iterable[Change]:
    """Return the changes of errors that there still are, without those that merely moved."""
    return [change for change in report.comparison.changes if change.kind in _SHOWN]
