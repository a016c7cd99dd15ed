"""Classes and texts across the files of a tree: the cases under fixtures/modules."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from extractor.model import Corpus, Options, Record
from extractor.pipeline import extract
from extractor.source import open_source

ROOT = Path(__file__).parents[2] / "fixtures" / "modules"
CASES = sorted(folder.name for folder in ROOT.iterdir())
# Python refuses to import these, or what they import is not there.
NOT_IMPORTABLE = {"alias_cycle", "base_from_outside", "class_cycle", "file_that_does_not_parse", "inconsistent_order"}


def corpus_of(case: str) -> Corpus:
    return extract(open_source(str(ROOT / case)), Options(context=0))


def expected_of(case: str) -> list[dict[str, Any]]:
    answer: list[dict[str, Any]] = json.loads((ROOT / case / "expected.json").read_bytes())
    return answer


def seen(record: Record, fields: set[str]) -> dict[str, Any]:
    """Return what a record says in the terms of expected.json."""
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
    }
    return {field: answers[field] for field in answers if field in fields}


@pytest.mark.parametrize("case", CASES)
def test_case(case: str) -> None:
    """Each raise statement has the class, the ancestors and the text that were worked out by hand."""
    records = {(record.location.path, record.location.line): record for record in corpus_of(case).records}
    expected = expected_of(case)

    assert {(each["path"], each["line"]) for each in expected} == set(records)
    for each in expected:
        actual = seen(records[each["path"], each["line"]], set(each))

        assert {field: each[field] for field in actual} == actual


ORDER = """
import importlib, json, sys
sys.path[:0] = sys.argv[2:]
orders = {}
for name in json.loads(sys.argv[1]):
    module, _, scope = name.partition(":")
    found = importlib.import_module(module)
    for part in scope.split("."):
        found = getattr(found, part)
    orders[name] = [f"{each.__module__}.{each.__qualname__}" for each in found.__mro__[1:] if each.__module__ != "typing"]
print(json.dumps(orders))
"""


@pytest.mark.parametrize("case", [case for case in CASES if case not in NOT_IMPORTABLE])
def test_ancestors_are_those_of_python(case: str) -> None:
    """The order of method resolution is what the running interpreter computes for the same files."""
    ours = {}
    files = [path.relative_to(ROOT / case) for path in (ROOT / case).rglob("*.py")]
    for each in expected_of(case):
        name = each["qualified_name"] or ""
        module = max(
            (module for path in files if name.startswith(f"{(module := module_of(path))}.")), key=len, default=None
        )
        if module is not None and "<locals>" not in name and each["certain"]:
            ours[f"{module}:{name.removeprefix(f'{module}.')}"] = [*each["ancestors"], "builtins.object"]
    folders = [str(ROOT / case), *map(str, (ROOT / case).rglob("src"))]
    done = subprocess.run(
        [sys.executable, "-B", "-c", ORDER, json.dumps(list(ours)), *folders],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert ours == json.loads(done.stdout)


def module_of(path: Path) -> str:
    parts = list(path.with_suffix("").parts)
    if "src" in parts:
        parts = parts[parts.index("src") + 1 :]
    return ".".join(part for part in parts if part != "__init__")
