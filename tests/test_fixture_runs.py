"""CPython does what the cases expect: fixtures/runs.json holds code that makes each of their raise statements speak."""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.fixture_cases import MODULES, ROOT, expected, expected_of_modules

RUNS: dict[str, list[str]] = json.loads((ROOT.parent / "runs.json").read_bytes())
# Their statement raises nothing itself: what it calls has raised by then, or nothing gets there.
NEVER_REACHED = {
    ("class/factory_that_cannot_be_followed", 35),
    ("reraise/nested_handlers", 11),
}
TraceFunction = Callable[[FrameType, str, Any], Any]
TESTS = {"if", "else", "early_exit", "conditional", "loop_else", "case"}


@pytest.mark.parametrize("case", sorted(RUNS))
def test_every_variant_is_said_at_run_time(case: str) -> None:
    """Each run ends in an exception that its record describes, and each variant describes the exception of a run."""
    is_tree = case.startswith("modules/")
    folder = MODULES / case.removeprefix("modules/") if is_tree else (ROOT / case).parent
    records = expected_of_modules(folder.name) if is_tree else expected((ROOT / case).with_suffix(".py"))["records"]
    seen: set[tuple[int, int]] = set()
    for run in RUNS[case]:
        with importing_from(folder):
            error, frames = raised_by(run, None if is_tree else case.rpartition("/")[2])
            frames = [(frame, line) for frame, line in frames if frame.f_code.co_filename.startswith(str(folder))]
            path = Path(frames[-1][0].f_code.co_filename).relative_to(folder).as_posix()
            places = [index for index, record in enumerate(records) if is_at(record, path, frames[-1][1])]
            assert len(places) == 1, (run, error)
            (place,) = places
            fitting = {
                (place, index) for index, each in said(records[place]) if fits(records[place], each, error, frames)
            }
            assert fitting, (run, repr(error), records[place])
            seen |= fitting

    assert not [
        (line_of(record), variant["pattern"])
        for place, record in enumerate(records)
        for index, variant in said(record)
        if (place, index) not in seen and (case, line_of(record)) not in NEVER_REACHED
    ]


@contextmanager
def importing_from(folder: Path) -> Iterator[None]:
    known, path, environment, bytecode = set(sys.modules), list(sys.path), dict(os.environ), sys.dont_write_bytecode
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path[:], sys.dont_write_bytecode = path, bytecode
        for name in set(sys.modules) - known:
            del sys.modules[name]
        os.environ.clear()
        os.environ.update(environment)


def raised_by(run: str, module: str | None) -> tuple[BaseException, list[tuple[FrameType, int]]]:
    """Run code, in the namespace of a case's module where it is a single file, and return what it raises."""
    names: dict[str, Any] = {}
    reached: list[tuple[FrameType, int]] = []
    is_again = module is not None and (ROOT / "reraise" / f"{module}.py").exists()
    try:
        if run.startswith("before: "):
            exec(run.removeprefix("before: "), {})
            run = ""
        if module is not None:
            names = vars(importlib.import_module(module))
        if is_again:
            sys.settrace(lines_into(reached))
        exec(run, names)
    except BaseException as error:
        # A traceback says where an exception was raised first, and nothing of where it was raised again.
        return error, reached if is_again else list(traceback.walk_tb(error.__traceback__))
    finally:
        sys.settrace(None)
    pytest.fail(f"nothing raised by {run}")


def lines_into(reached: list[tuple[FrameType, int]]) -> TraceFunction:
    """Return a trace function that keeps which lines of the cases ran."""

    def trace(frame: FrameType, event: str, _: Any) -> TraceFunction:
        if event == "line" and frame.f_code.co_filename.startswith(str(ROOT)):
            reached.append((frame, frame.f_lineno))
        return trace

    return trace


def said(record: dict[str, Any]) -> list[tuple[int, dict[str, Any]]]:
    """Return the variants that are expected of a record, each with its number."""
    alone = {"pattern": record.get("pattern"), "via": None, "guards": [], "exception": None}
    return list(enumerate(record.get("variants", [alone])))


def line_of(record: dict[str, Any]) -> int:
    line: int = record["line"] if "line" in record else record["location"]["line"]
    return line


def is_at(record: dict[str, Any], path: str, line: int) -> bool:
    if "path" in record:
        return bool(record["path"] == path and record["line"] == line)
    return bool(record["location"]["line"] <= line <= record["location"]["end_line"])


def fits(
    record: dict[str, Any], variant: dict[str, Any], error: BaseException, frames: list[tuple[FrameType, int]]
) -> bool:
    order = [f"{each.__module__}.{each.__qualname__}" for each in type(error).__mro__]
    exception = variant["exception"] or record.get("exception", record if record.get("qualified_name") else None)
    if exception is not None:
        possible = order[:1] if exception["certain"] else order
        if exception["qualified_name"] not in (None, *possible):
            return False
    if variant["pattern"] is not None and re.fullmatch(variant["pattern"], str(error)) is None:
        return False
    here = frames[-1][0]
    caller = next((frame for frame, _ in reversed(frames) if frame.f_code.co_name == variant["via"]), here)
    return all(holds(guard, here) for guard in record.get("guards", ())) and all(
        holds(guard, caller) for guard in variant["guards"]
    )


def holds(guard: dict[str, Any], frame: FrameType) -> bool:
    text = guard["text"]
    is_loop = guard["kind"] == "loop_else" and " in " in text
    # That a `for` loop was not left says nothing about its items where the reason to leave is not there.
    if guard["kind"] not in TESTS or guard["stale"] or not guard["certain"] or (is_loop and " if " not in text):
        return True
    if text.startswith("match "):
        # `match x: case 1 if y` as the statement that it is a part of.
        names: dict[str, Any] = {**frame.f_globals, **frame.f_locals}
        exec(f"{text.replace(': case ', ':' + chr(10) + ' case ', 1)}: matched = True", names)
        return ("matched" in names) == guard["holds"]
    try:
        value = eval(f"any(True for {text})" if is_loop else text, frame.f_globals | frame.f_locals)
    except NameError:
        return False
    return bool(value) == guard["holds"]
