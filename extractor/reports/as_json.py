"""A report as JSON, as `schema/diff.schema.json` describes it."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from extractor import __version__
from extractor.diff import Change, ClassChange
from extractor.model import Record, SourceInfo
from extractor.reports.report import Report

DIFF_SCHEMA_VERSION = 1


def render_json(report: Report) -> str:
    """Return the report as indented JSON."""
    comparison = report.comparison
    summary: dict[str, Any] = {
        **{str(kind): count for kind, count in comparison.counts.items()},
        "unchanged": comparison.unchanged,
        "classes": len(comparison.classes),
        "ignored": report.ignored,
        "failed": report.is_failure,
    }
    document = {
        "schema_version": DIFF_SCHEMA_VERSION,
        "tool": {"name": "raisedex", "version": __version__},
        "old": _end(report.old_name, comparison.old),
        "new": _end(report.new_name, comparison.new),
        "summary": summary,
        "classes": list(map(_class_change, comparison.classes)),
        "changes": [_change(change, report) for change in comparison.changes],
    }
    return json.dumps(document, indent=2) + "\n"


def _end(name: str, source: SourceInfo) -> dict[str, Any]:
    return {"name": name, "source": asdict(source)}


def _class_change(change: ClassChange) -> dict[str, Any]:
    return {
        "old": asdict(change.old),
        "new": asdict(change.new),
        "handlers": asdict(change.handlers),
        "errors": change.errors,
    }


def _change(change: Change, report: Report) -> dict[str, Any]:
    return {
        "kind": change.kind,
        "id": change.record.id,
        "old": _side(change.old),
        "new": _side(change.new),
        "fields": list(change.fields),
        "reach": change.reach,
        "is_background": change.is_background,
        "handlers": asdict(change.handlers),
        "lacking": list(report.lacking.get(change.record.id, ()) if change.new is not None else ()),
    }


def _side(record: Record | None) -> dict[str, Any] | None:
    if record is None:
        return None
    return {
        "id": record.id,
        "title": record.title,
        "kind": record.kind,
        "exception": asdict(record.exception) if record.exception is not None else None,
        "message": record.message,
        "location": asdict(record.location),
        "guards": [asdict(guard) for guard in record.guards],
        "permalink": record.permalink,
    }
