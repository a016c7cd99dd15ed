"""Findings as GitLab's code quality report wants them."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from extractor.reports.gitlab import render_gitlab
from extractor.reports.report import Report

MakeReport = Callable[..., Report]
_PATH = "a, b: ü%.py"
_OLD = "def f(x):\n    if x: raise ValueError('one')\ndef g(x):\n    if x: raise ValueError('two')\n"
_NEW = "def f(x):\n    if x: raise TypeError('one')\ndef h(x):\n    if x: raise KeyError('<b>\\x1b[0m')\n"


def _findings(report: Report) -> list[dict[str, Any]]:
    text = render_gitlab(report)
    assert text.endswith("]\n")
    found: list[dict[str, Any]] = json.loads(text)
    return found


def test_new_and_changed_errors_where_they_stand(report_of: MakeReport) -> None:
    """Not what is gone; the severity is that of the kind."""
    found = _findings(report_of({_PATH: _OLD}, {_PATH: _NEW}))

    assert [("raisedex/retyped", "minor", 2), ("raisedex/added", "info", 4)] == [
        (each["check_name"], each["severity"], each["location"]["lines"]["begin"]) for each in found
    ]
    assert {_PATH} == {each["location"]["path"] for each in found}
    assert all(each["description"].isprintable() for each in found)


def test_what_fails_is_major(report_of: MakeReport) -> None:
    """By its kind, or since it lacks something."""
    report = report_of({_PATH: _OLD}, {_PATH: _NEW}, failing=frozenset({"retyped"}))
    (added,) = (each.record.id for each in report.comparison.changes if each.kind == "added")

    assert ["major", "info"] == [each["severity"] for each in _findings(report)]
    assert ["major", "major"] == [
        each["severity"] for each in _findings(replace(report, lacking={added: ("documented",)}))
    ]


def test_paths_are_those_of_the_repository(report_of: MakeReport) -> None:
    """Where only a folder of it was read."""
    report = report_of("", "def f():\n    raise ValueError('x')\n")
    within = replace(report.comparison.new, subdirectory="src/lib")
    report = replace(report, comparison=replace(report.comparison, new=within))

    assert "src/lib/a.py" == _findings(report)[0]["location"]["path"]


def test_fingerprints_are_stable(report_of: MakeReport) -> None:
    """They are the same when lines move, and differ from each other."""
    first = _findings(report_of({_PATH: _OLD}, {_PATH: _NEW}))
    moved = _findings(report_of({_PATH: _OLD}, {_PATH: f"\n\n{_NEW}"}))
    fingerprints = [each["fingerprint"] for each in first]

    assert fingerprints == [each["fingerprint"] for each in moved]
    assert 2 == len(set(fingerprints))
    assert all(len(each) == 64 for each in fingerprints)
    assert first != moved


def test_nothing_changed_is_an_empty_list(report_of: MakeReport) -> None:
    """GitLab wants a list all the same."""
    assert [] == _findings(report_of(_OLD, _OLD))
