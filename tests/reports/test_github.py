"""Workflow commands annotate new errors, and nothing of the analysed code can be one."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace

import pytest

from extractor.reports.github import render_github
from extractor.reports.report import Report

MakeReport = Callable[..., Report]
_ATTACK = "%0A::error::x\\r\\n::warning file=a,line=1::b ##[add-mask]c ###[error]d ::: e"
_TWO = "def f(x):\n    if x < 0: raise ValueError('one')\n\ndef g(x):\n    if x: raise KeyError('two')\n"


def _new_errors(number: int) -> str:
    return "".join(f"def f{each}(x):\n    if x: raise ValueError('number {each}')\n" for each in range(number))


def _commands(text: str) -> list[str]:
    return [line for line in text.splitlines() if line.startswith("::")]


@pytest.mark.parametrize(("number", "left"), [(9, None), (10, None), (11, "1 new error is"), (13, "3 new errors are")])
def test_ten_are_annotated(report_of: MakeReport, number: int, left: str | None) -> None:
    """The summary counts the rest, and says nothing where there is none."""
    text = render_github(report_of("", _new_errors(number)))
    last = text.splitlines()[-1]

    assert min(number, 10) == len(_commands(text))
    assert f"{number} added" in last
    assert ([f"{left} not annotated"] if left else []) == [part for part in last.split("; ") if "not annotated" in part]


def test_failing_ones_come_first_then_by_line(report_of: MakeReport) -> None:
    """As errors; the others are notices in their order."""
    report = report_of("", _new_errors(3))
    report = replace(report, lacking={report.comparison.changes[2].record.id: ("test",)})
    found = [re.findall(r"^::(\w+) .*?,line=(\d+)", line)[0] for line in _commands(render_github(report))]

    assert [("error", "6"), ("notice", "2"), ("notice", "4")] == found


def test_only_new_errors_are_annotated(report_of: MakeReport) -> None:
    """What else the run fails for is counted."""
    report = report_of(_TWO, _TWO.replace("x < 0", "x <= 0").replace("two", "other"), failing={"guards_changed"})
    text = render_github(report)

    assert [] == _commands(text)
    assert text.endswith("; 1 other change fails the run\n")


def test_columns_only_within_one_line(report_of: MakeReport) -> None:
    """GitHub takes none otherwise; they count from 1."""
    report = report_of("", "def f():\n    raise ValueError(\n        'a'\n    )\ndef g():\n    raise KeyError('b')\n")
    several, one = _commands(render_github(report))

    assert ",line=2,endLine=4,title=" in several
    assert ",line=6,endLine=6,col=5,title=" in one


@pytest.mark.parametrize("path", ["a, b: c%.py", "ü – 名.py", "##[error]x.py", "a::error::b/c.py", "a\nb.py"])
def test_hostile_paths_and_messages(report_of: MakeReport, path: str) -> None:
    """Each line is one command of ours or one that a runner takes for none, in either form."""
    report = report_of("", {path: f'def f(x):\n    if x: raise ValueError("{_ATTACK}")\n'})
    (command, summary) = render_github(report).splitlines()

    assert re.fullmatch(r"::notice file=[^:,]+,line=2,endLine=2,col=\d+,title=[^:,]+::.*", command)
    assert command.isprintable()
    assert "%0A" not in command.replace("%25", "")
    assert "##[" not in command
    assert "::" not in summary


def test_percent_is_escaped_once(report_of: MakeReport) -> None:
    """A runner shows `%0A` of a message as it is."""
    (command, _) = render_github(report_of("", "def f():\n    raise ValueError('100%0A')\n")).splitlines()

    assert "100%250A" in command


@pytest.mark.parametrize(
    "name", ["##[add-mask]main", "###[error]", ":::error:::", "::stop-commands::x", "a\n::error::b"]
)
def test_hostile_names_of_sides(report_of: MakeReport, name: str) -> None:
    """Corpora and revisions are named in the summary, where a command of the older form could be."""
    text = render_github(replace(report_of("", ""), old_name=name, new_name=name))

    assert 1 == len(text.splitlines())
    assert "##[" not in text
    assert "::" not in text


def test_a_class_of_hostile_name(report_of: MakeReport) -> None:
    """The module of a class is named after its file."""
    code = "class E({}):\n    pass\ndef f():\n    raise E('x')\n"
    path = "##[add-mask]x.py"
    text = render_github(report_of({path: code.format("ValueError")}, {path: code.format("Exception")}))

    assert "no longer derives from" in text
    assert "##[" not in text
