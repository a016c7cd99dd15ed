"""A report as GitLab's code quality JSON: the new and changed errors, which a merge request shows."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from extractor.diff import Change
from extractor.reports.places import new_and_changed, repository_path
from extractor.reports.report import Report
from extractor.reports.sentences import sentence


def render_gitlab(report: Report) -> str:
    """Return the list of findings."""
    return json.dumps([_finding(change, report) for change in new_and_changed(report)], indent=2) + "\n"


def _finding(change: Change, report: Report) -> dict[str, Any]:
    record = change.record
    severity = "major" if report.fails(change) else "minor" if change.kind == "retyped" else "info"
    return {
        "description": sentence(change, report),
        "check_name": f"raisedex/{change.kind.replace('_', '-')}",
        "fingerprint": hashlib.sha256(f"{change.kind}:{record.id}".encode()).hexdigest(),
        "severity": severity,
        "location": {"path": repository_path(record, report), "lines": {"begin": record.location.line}},
    }
