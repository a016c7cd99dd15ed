"""A report in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), for code scanning services."""

from __future__ import annotations

import json
from typing import Any

from extractor import __version__
from extractor.diff import Change, ClassChange
from extractor.model import Record
from extractor.printable import printable
from extractor.reports.phrases import class_sentence
from extractor.reports.places import as_uri, new_and_changed, repository_path
from extractor.reports.report import Report
from extractor.reports.sentences import sentence

_SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
_RULES = {
    "added": ("A new error", "A raise statement that was not there before."),
    "retyped": (
        "An error of another class",
        "A raise statement that raises another class than before, or whose class has other bases, so that other "
        "except clauses catch it.",
    ),
    "reworded": ("An error with another text", "A raise statement whose message says something else than before."),
    "guards_changed": (
        "An error under another condition",
        "A raise statement that is reached under another condition than before.",
    ),
}


def render_sarif(report: Report) -> str:
    """Return a log with one run, whose results are the new and changed errors."""
    results = [_of_class(change, report) for change in report.comparison.classes]
    results += [_result(change, report) for change in new_and_changed(report)]
    run: dict[str, Any] = {
        "tool": {"driver": _driver()},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"%SRCROOT%": {"description": {"text": "The root of the repository."}}},
        "results": results,
    }
    new = report.comparison.new
    if new.repository and new.commit:
        run["versionControlProvenance"] = [{"repositoryUri": new.repository, "revisionId": new.commit}]
    return json.dumps({"$schema": _SCHEMA, "version": "2.1.0", "runs": [run]}, indent=2) + "\n"


def _driver() -> dict[str, Any]:
    return {
        "name": "raisedex",
        "semanticVersion": __version__,
        "rules": [
            {
                "id": _rule(kind),
                "shortDescription": {"text": short},
                "fullDescription": {"text": full},
                "defaultConfiguration": {"level": "warning" if kind == "retyped" else "note"},
            }
            for kind, (short, full) in _RULES.items()
        ],
    }


def _rule(kind: str) -> str:
    return kind.replace("_", "-")


def _result(change: Change, report: Report) -> dict[str, Any]:
    record = change.record
    level = "error" if report.fails(change) else "warning" if change.kind == "retyped" else "note"
    return {
        "ruleId": _rule(change.kind),
        "level": level,
        "message": {"text": sentence(change, report)},
        "locations": [_location(record, report)],
        "partialFingerprints": {"raisedexId/v1": record.id},
    }


def _of_class(change: ClassChange, report: Report) -> dict[str, Any]:
    name = change.new.qualified_name or change.new.name
    return {
        "ruleId": "retyped",
        "level": "error" if "retyped" in report.failing else "warning",
        "message": {"text": printable(class_sentence(change))},
        "partialFingerprints": {"raisedexClass/v1": name},
    }


def _location(record: Record, report: Report) -> dict[str, Any]:
    place = record.location
    return {
        "physicalLocation": {
            "artifactLocation": {"uri": as_uri(repository_path(record, report)), "uriBaseId": "%SRCROOT%"},
            # Columns count from 1 here.
            "region": {
                "startLine": place.line,
                "startColumn": place.column + 1,
                "endLine": place.end_line,
                "endColumn": place.end_column + 1,
            },
        },
        "logicalLocations": [{"fullyQualifiedName": printable(f"{place.module}.{place.scope}".rstrip("."))}],
    }
