"""The cases under fixtures/raise_sites and fixtures/modules: what is expected, and what raisedex says.

    python -m tests.fixture_cases

rewrites the expected records. Read every line that changes: the answer comes from the language, not from the code.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from extractor.facts import NOTHING, Wanted
from extractor.link import link
from extractor.link.modules import Modules
from extractor.model import Corpus, Diagnostic, Options, Record
from extractor.pipeline import extract
from extractor.scan import scan
from extractor.source import open_source

ROOT = Path(__file__).parent.parent / "fixtures" / "raise_sites"
MODULES = ROOT.parent / "modules"
# Identity, context and links have tests of their own.
_LEFT_OUT = ("id", "template_id", "context", "permalink", "aliases", "since")


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
    wanted = NOTHING
    while True:
        facts = scan(case.name, case.read_bytes(), context=0, wanted=wanted, whole=whole)
        linked = link({case.name: facts}, Modules([case.name], []), lambda *_: None)
        functions = frozenset(name for _, names in linked.demand.functions for name in names)
        more = wanted | Wanted(functions, frozenset(linked.demand.calls))
        if wanted.covers(more):
            break
        wanted = more
    answer: dict[str, Any] = {"records": [_projected(record) for record in linked.records]}
    if diagnostics := [*facts.diagnostics, *linked.diagnostics]:
        answer["diagnostics"] = [_place(each) for each in diagnostics]
    return answer


def _projected(record: Record) -> dict[str, Any]:
    fields: dict[str, Any] = json.loads(json.dumps(asdict(record)))
    for name in _LEFT_OUT:
        del fields[name]
    del fields["location"]["path"], fields["location"]["module"]
    for variant in fields["variants"]:
        _shorten(variant)
    return fields


def _shorten(variant: dict[str, Any]) -> None:
    """Leave out that no caller gives the text, which is the rule, and of a call what has tests of its own."""
    call = variant.pop("call")
    if call is not None:
        variant["call"] = {"path": call["path"], "scope": call["scope"], "line": call["line"]}


def _place(diagnostic: Diagnostic) -> dict[str, Any]:
    return {"line": diagnostic.line, "code": diagnostic.code}


def module_cases() -> list[str]:
    """Return the names of the trees under fixtures/modules."""
    return sorted(folder.name for folder in MODULES.iterdir())


def module_corpus(case: str) -> Corpus:
    """Return the corpus of one tree."""
    return extract(open_source(str(MODULES / case)), Options(context=0))


def expected_of_modules(case: str) -> list[dict[str, Any]]:
    """Return what stands beside a tree: for each raise statement some of the facts about it."""
    answer: list[dict[str, Any]] = json.loads((MODULES / case / "expected.json").read_bytes())
    return answer


def actual_of_modules(case: str) -> list[dict[str, Any]]:
    """Return what raisedex says of a tree, with the facts that are expected of each place, all where nothing is."""
    wanted = {(each["path"], each["line"]): set(each) for each in expected_of_modules(case)}
    return [_seen(record, wanted.get((record.location.path, record.location.line))) for record in _in_order(case)]


def _in_order(case: str) -> list[Record]:
    places = [(each["path"], each["line"]) for each in expected_of_modules(case)]

    def rank(record: Record) -> int:
        place = (record.location.path, record.location.line)
        return places.index(place) if place in places else len(places)

    return sorted(module_corpus(case).records, key=rank)


def _seen(record: Record, fields: set[str] | None) -> dict[str, Any]:
    exception = record.exception
    answers = {
        "path": record.location.path,
        "line": record.location.line,
        "module": record.location.module,
        "qualified_name": exception and exception.qualified_name,
        "ancestors": list(exception.ancestors) if exception else [],
        "certain": exception.certain if exception else False,
        "exception": exception and exception.name,
        "message": record.message,
        "pattern": record.variants[0].pattern,
        "via": record.variants[0].via,
        "unresolved": record.unresolved,
        "variants": _variants(record),
        "documented": record.documented,
        "surface": record.surface and list(record.surface.patterns),
    }
    return {field: answers[field] for field in answers if fields is None or field in fields}


def _variants(record: Record) -> list[dict[str, Any]]:
    variants: list[dict[str, Any]] = json.loads(json.dumps([asdict(variant) for variant in record.variants]))
    for variant in variants:
        _shorten(variant)
    return variants


def main() -> None:
    """Rewrite the expected records of all cases."""
    for case in cases():
        _rewrite(case.with_suffix(".json"), actual(case))
    for name in module_cases():
        _rewrite(MODULES / name / "expected.json", actual_of_modules(name))


def _rewrite(path: Path, answer: Any) -> None:
    path.write_text(json.dumps(answer, indent=2, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    main()
