"""A report in the Static Analysis Results Interchange Format, version 2.1.0 (OASIS), for code scanning services."""

from __future__ import annotations

import json
import re
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
# Elsewhere a repository may be a path, and a schema wants a URI here.
_WEB_ADDRESS = re.compile("https?://[!-~]+")
# For each kind: a name, what it is, what to do about it.
_RULES = {
    "added": (
        "A new error",
        "A raise statement that was not there before.",
        "See that its message says what was wrong and what to do, and that a test expects it.",
    ),
    "retyped": (
        "An error of another class",
        "A raise statement that raises another class than before, or whose class has other bases, so that other "
        "except clauses catch it.",
        "Callers that catch the earlier class may not catch this one; keep the earlier class as a base, or tell them.",
    ),
    "reworded": (
        "An error with another text",
        "A raise statement whose message says something else than before.",
        "Whoever looks for the earlier text, in logs, tests or documentation, does not find it any more.",
    ),
    "guards_changed": (
        "An error under another condition",
        "A raise statement that is reached under another condition than before.",
        "Input that was accepted may be refused now, or the other way round; see that this is meant.",
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
    if new.repository and new.commit and _WEB_ADDRESS.fullmatch(new.repository):
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
                "help": {"text": help_text},
                "defaultConfiguration": {"level": "warning" if kind == "retyped" else "note"},
            }
            for kind, (short, full, help_text) in _RULES.items()
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
        "message": {"text": _without_links(sentence(change, report))},
        "locations": [_location(record, report)],
        "partialFingerprints": {"raisedexId/v1": record.id},
        "properties": _properties(change),
    }


def _properties(change: Change) -> dict[str, Any]:
    found: dict[str, Any] = {"id": change.record.id}
    for name, record in (("oldMessage", change.old), ("newMessage", change.new)):
        if record is not None and record.message is not None:
            found[name] = printable(record.message)
    return found


def _without_links(text: str) -> str:
    """Return a message in which nothing is a link; `[text](target)` would be one."""
    return text.replace("](", "] (")


def _of_class(change: ClassChange, report: Report) -> dict[str, Any]:
    name = change.new.qualified_name or change.new.name
    return {
        "ruleId": "retyped",
        "level": "error" if "retyped" in report.failing else "warning",
        "message": {"text": _without_links(printable(class_sentence(change)))},
        # Services refuse a file in which a result has none.
        "locations": [_location(change.first, report)],
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
