"""What became of an error is said in plain sentences, on one line, of bounded length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from extractor.reports.phrases import class_sentence
from extractor.reports.report import Report, Requirement
from extractor.reports.sentences import headline, sentence

MakeReport = Callable[..., Report]
_SAYS = "def f(x):\n    if x < 0: raise ValueError('x must be positive, got %s' % x)\n"


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("", _SAYS, ["New error: ValueError in f: ", "x must be positive", "Raised when `x < 0`."]),
        (_SAYS, "", ["Error removed: ValueError in f: "]),
        (
            _SAYS,
            _SAYS.replace("ValueError", "TypeError"),
            ["Error retyped: ValueError is now TypeError", "`except ValueError` no longer catches it."],
        ),
        (_SAYS, _SAYS.replace("must be", "should be"), ["Error reworded: ValueError", 'It was "x must be positive']),
        (
            _SAYS,
            _SAYS.replace("x < 0", "x <= 0"),
            ["Condition of an error changed", "Its condition is widened: `x < 0` became `x <= 0`."],
        ),
        (_SAYS, _SAYS.replace("def f", "def g"), ["Error moved: ValueError in g", "It was in a.py, f."]),
    ],
    ids=["added", "removed", "retyped", "reworded", "guards_changed", "moved"],
)
def test_each_kind_is_said(report_of: MakeReport, old: str, new: str, expected: list[str]) -> None:
    """What happened, what it was before, and what that means."""
    report = report_of(old, new)
    (change,) = report.comparison.changes
    said = sentence(change, report)

    assert [] == [text for text in expected if text not in said]
    assert said.startswith(headline(change))


def test_a_message_that_is_new_was_none(report_of: MakeReport) -> None:
    """An error that had no message was not worded as an empty text."""
    report = report_of("def f(x):\n    if x: raise ValueError\n", "def f(x):\n    if x: raise ValueError('a text')\n")
    (change,) = report.comparison.changes

    assert "It had no message." in sentence(change, report)


@pytest.mark.parametrize(
    ("lacking", "expected"),
    [
        (("message",), "It has no message."),
        (("test",), "No test expects it."),
        (("documented",), "No docstring names it."),
        (("message", "test"), "It has no message; no test expects it."),
    ],
)
def test_what_it_lacks_is_said(report_of: MakeReport, lacking: tuple[Requirement, ...], expected: str) -> None:
    """Of each requirement that it does not meet."""
    report = report_of("", _SAYS)
    (change,) = report.comparison.changes
    report = replace(report, lacking={change.record.id: lacking})

    assert sentence(change, report).endswith(expected)


def test_what_is_gone_lacks_nothing(report_of: MakeReport) -> None:
    """Nobody is asked for a test of an error that was removed."""
    report = report_of(_SAYS, "")
    (change,) = report.comparison.changes
    report = replace(report, lacking={change.record.id: ("test",)})

    assert "No test" not in sentence(change, report)


def test_long_messages_are_cut(report_of: MakeReport) -> None:
    """At 300 characters, with a mark."""
    report = report_of("", f"def f():\n    raise ValueError('{'word ' * 200}')\n")
    (change,) = report.comparison.changes
    said = sentence(change, report)

    assert " …" in said
    assert 250 < len(said) < 400


def test_nothing_invisible_is_left(report_of: MakeReport) -> None:
    """Control characters, line breaks and bidirectional marks are shown as escapes."""
    report = report_of("", 'def f():\n    raise ValueError("a\\n\\r\\x1b[31m\\u202e\\u200b\\ud800 ünï")\n')
    (change,) = report.comparison.changes
    said = sentence(change, report)

    assert said.isprintable()
    assert r"a\n\r\x1b[31m\u202e\u200b\ud800 ünï" in said


def test_a_class_with_other_bases(report_of: MakeReport) -> None:
    """What it no longer is, who no longer catches it, and how many errors are of it."""
    text = "class E({}):\n    pass\n\ndef f(x):\n    if x: raise E('a')\n    raise E('b')\n"
    (change,) = report_of(text.format("ValueError"), text.format("Exception")).comparison.classes
    said = class_sentence(change)

    assert "no longer derives from `ValueError`" in said
    assert "`except ValueError` does not catch it any more" in said
    assert said.endswith("2 errors are of it")


@pytest.mark.parametrize("dead", [True, False])
def test_whether_it_can_happen_is_said(report_of: MakeReport, dead: bool) -> None:
    """An error behind a return cannot."""
    texts = ["def f(x):\n    raise ValueError('a')\n", "def f(x):\n    return x\n    raise ValueError('a')\n"]
    report = report_of(*(texts if dead else reversed(texts)))
    (change,) = report.comparison.changes

    assert ("It can no longer happen." if dead else "It can happen now.") in sentence(change, report)
