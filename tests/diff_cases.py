"""The cases of `fixtures/diff`: two small trees each, with what became of their errors beside them.

    python -m tests.diff_cases

writes the expected answers anew; read every line that changes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from extractor import extract, open_source
from extractor.diff import Change, Comparison, compare
from extractor.model import Corpus, Options, Record
from extractor.reports.conditions_shown import changed

ROOT = Path(__file__).parent.parent / "fixtures" / "diff"
EXPECTED = "expected.json"


def cases() -> list[Path]:
    """Return the folders of the cases."""
    return sorted(folder for folder in ROOT.iterdir() if folder.is_dir())


def corpora(case: Path) -> tuple[Corpus, Corpus]:
    """Return the catalogs of both trees of a case."""
    return _corpus(case / "old"), _corpus(case / "new")


def _corpus(folder: Path) -> Corpus:
    return extract(open_source(str(folder)), Options())


def outcome(comparison: Comparison) -> dict[str, Any]:
    """Return what became of the errors, small enough to be read and written by hand."""
    return {
        "classes": [
            {
                "class": change.new.qualified_name,
                "lost": list(change.handlers.lost),
                "gained": list(change.handlers.gained),
                "errors": change.errors,
            }
            for change in comparison.classes
        ],
        "changes": [_of_change(change) for change in comparison.changes],
        "unchanged": comparison.unchanged,
    }


def _of_change(change: Change) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": change.kind, "old": _of_record(change.old), "new": _of_record(change.new)}
    if change.fields:
        found["fields"] = list(change.fields)
    if change.reach is not None:
        assert change.old is not None
        assert change.new is not None
        found["reach"] = f"{change.reach} by early exits" if change.is_background else change.reach
        found["conditions"] = list(changed(change.old, change.new))
    if change.handlers.lost or change.handlers.gained:
        found |= {"lost": list(change.handlers.lost), "gained": list(change.handlers.gained)}
    return found


def _of_record(record: Record | None) -> str | None:
    if record is None:
        return None
    name = record.exception.name if record.exception is not None else "?"
    place = f"{record.location.path}:{record.location.line} {record.location.scope}".rstrip()
    return f"{place}: {name}: {record.message}" if record.message else f"{place}: {name}"


def written(found: dict[str, Any]) -> str:
    """Return an answer as it stands in its file."""
    return json.dumps(found, indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    for each in cases():
        (each / EXPECTED).write_text(written(outcome(compare(*corpora(each)))), "utf-8")
