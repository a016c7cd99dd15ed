"""Classes and texts across the files of a tree: the cases under fixtures/modules."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.fixture_cases import MODULES, actual_of_modules, expected_of_modules, module_cases

# Python refuses to import these, or what they import is not there.
NOT_IMPORTABLE = {
    "alias_cycle",
    "base_from_outside",
    "class_cycle",
    "file_that_does_not_parse",
    "inconsistent_order",
    "models",
}


@pytest.mark.parametrize("case", module_cases())
def test_case(case: str) -> None:
    """Each raise statement has the class, the ancestors and the text that were worked out by hand."""
    assert expected_of_modules(case) == actual_of_modules(case)


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


@pytest.mark.parametrize("case", [case for case in module_cases() if case not in NOT_IMPORTABLE])
def test_ancestors_are_those_of_python(case: str) -> None:
    """The order of method resolution is what the running interpreter computes for the same files."""
    ours = {}
    files = [path.relative_to(MODULES / case) for path in (MODULES / case).rglob("*.py")]
    for each in expected_of_modules(case):
        name = each["qualified_name"] or ""
        module = max(
            (module for path in files if name.startswith(f"{(module := module_of(path))}.")), key=len, default=None
        )
        if module is not None and "<locals>" not in name and each["certain"]:
            ours[f"{module}:{name.removeprefix(f'{module}.')}"] = [*each["ancestors"], "builtins.object"]
    folders = [str(MODULES / case), *map(str, (MODULES / case).rglob("src"))]
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
