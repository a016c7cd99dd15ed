"""The cases under fixtures/raise_sites: what is expected of each, and what raisedex says of it.

    python -m tests.fixture_cases

rewrites the expected records. Read every line that changes: the answer comes from the language, not from the code.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from extractor.link import link
from extractor.link.modules import Modules
from extractor.model import Diagnostic, Record
from extractor.scan import scan

ROOT = Path(__file__).parent.parent / "fixtures" / "raise_sites"
# Identity, context and links have tests of their own.
_LEFT_OUT = ("id", "template_id", "context", "permalink")


def cases() -> list[Path]:
    """Return the snippet of every case."""
    return sorted(ROOT.glob("*/*.py"))


def name_of(case: Path) -> str:
    """Return a case's name for people."""
    return f"{case.parent.name}/{case.stem}"


def expected(case: Path) -> dict[str, Any]:
    """Return what stands beside a snippet."""
    answer: dict[str, Any] = json.loads(case.with_suffix(".json").read_text("utf-8"))
    return answer


def actual(case: Path, *, whole: bool = False) -> dict[str, Any]:
    """Return what raisedex says of a snippet."""
    facts = scan(case.name, case.read_bytes(), context=0, whole=whole)
    records, demand = link({case.name: facts}, Modules([case.name], []), lambda *_: None)
    if demand:
        facts = scan(case.name, case.read_bytes(), context=0, thorough=True, whole=whole)
        records, _ = link({case.name: facts}, Modules([case.name], []), lambda *_: None)
    answer: dict[str, Any] = {"records": [_projected(record) for record in records]}
    if facts.diagnostics:
        answer["diagnostics"] = [_place(each) for each in facts.diagnostics]
    return answer


def _projected(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(json.dumps(asdict(record)))
    for name in _LEFT_OUT:
        del fields[name]
    del fields["location"]["path"], fields["location"]["module"]
    return fields


def _place(diagnostic: Diagnostic) -> dict[str, Any]:
    return {"line": diagnostic.line, "code": diagnostic.code}


def main() -> None:
    """Rewrite the expected records of all cases."""
    for case in cases():
        text = json.dumps(actual(case), indent=2, ensure_ascii=False) + "\n"
        case.with_suffix(".json").write_text(text, "utf-8")


if __name__ == "__main__":
    main()
