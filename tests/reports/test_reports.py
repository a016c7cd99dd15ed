"""Each format says what changed, is valid where it has a schema, and takes nothing of analysed code for markup."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from extractor.cli.changes import render_text
from extractor.cli.terminal import Display
from extractor.diff import KINDS
from extractor.reports.as_json import render_json
from extractor.reports.github import render_github
from extractor.reports.gitlab import render_gitlab
from extractor.reports.markdown import render_markdown
from extractor.reports.report import Report
from extractor.reports.sarif import render_sarif
from extractor.reports.words import word_changes
from extractor.validation import validate
from tests.reports_sample import report_on, sample
from tests.schemastore import errors_of

_STILL_THERE = {"added", "retyped", "reworded", "guards_changed"}


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Return a report with each kind of change."""
    return report_on(sample(tmp_path_factory.mktemp("report")))


def test_the_sample_has_each_kind(report: Report) -> None:
    """What is tested below is tested for all kinds."""
    assert set(KINDS) == {change.kind for change in report.comparison.changes}
    assert 1 == len(report.comparison.classes)


def test_json_is_what_its_schema_says(report: Report) -> None:
    """And `raisedex validate` knows it."""
    text = render_json(report)
    document = json.loads(text)

    assert () == validate(text.encode())
    assert [1] * len(KINDS) == [document["summary"][kind] for kind in KINDS]
    assert ["builtins.ValueError"] == document["classes"][0]["handlers"]["lost"]


def test_sarif_is_valid(report: Report) -> None:
    """The log fits the official schema."""
    document = json.loads(render_sarif(report))

    assert [] == errors_of("sarif-2.1.0", document)


def test_sarif_has_new_and_changed_errors(report: Report) -> None:
    """Those that are gone or merely moved are no results; paths are relative URIs."""
    results = json.loads(render_sarif(report))["runs"][0]["results"]
    placed = [each for each in results if "raisedexId/v1" in each["partialFingerprints"]]
    fingerprints = {each["partialFingerprints"]["raisedexId/v1"] for each in placed}
    expected = {change.record.id for change in report.comparison.changes if change.kind in _STILL_THERE}

    assert expected == fingerprints
    assert {"a%2C%20b%3A%20c%25.py"} == {_uri(each) for each in placed}
    assert 1 == len(results) - len(placed)


def _uri(result: dict[str, Any]) -> str:
    uri: str = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
    return uri


def test_github_annotates_ten_new_errors(tmp_path: Path) -> None:
    """Those that the run fails for come first, and the rest is counted."""
    corpora = sample(tmp_path, added=13)
    last = corpora[1].records[-1]
    lines = render_github(report_on(corpora, lacking={last.id: ("test",)})).splitlines()
    commands = [line for line in lines if line.startswith("::")]

    assert 10 == len(commands)
    assert commands[0].startswith("::error file=more.py,line=24,")
    assert lines[-1].endswith("3 new errors are not annotated")


def test_nothing_of_the_code_is_a_command(report: Report) -> None:
    """Each line is the command that we wrote or plain text."""
    command = re.compile(r"::notice file=a%2C b%3A c%25\.py,line=\d+,endLine=\d+,col=\d+,title=[^:,]+::[^\r\n]*")
    lines = render_github(report).splitlines()

    assert lines
    for line in lines:
        assert command.fullmatch(line) or "::" not in line
        assert line.isprintable()


def test_gitlab_has_what_it_needs(report: Report) -> None:
    """Each finding has the five fields, and a fingerprint of its own."""
    findings = json.loads(render_gitlab(report))

    assert len(_STILL_THERE) == len({each["fingerprint"] for each in findings}) == len(findings)
    for each in findings:
        assert {"description", "check_name", "fingerprint", "severity", "location"} == set(each)
        assert each["severity"] in {"info", "minor", "major", "critical", "blocker"}


def test_markdown_shows_hostile_text_as_text(report: Report) -> None:
    """What comes from the code stands in code spans and fences that it cannot close."""
    outside = _outside_of_code(render_markdown(report))

    for text in ("<script>", "@team", "[a](b)", "::error", "\x1b"):
        assert text not in outside
    assert outside.count("<details>") == outside.count("</details>")


def _outside_of_code(markdown: str) -> str:
    """Return a comment without code, as CommonMark has it: fences first, then spans by runs of backticks."""
    text = re.sub(r"^ *(`{3,})diff\n.*?\n *\1$", "", markdown, flags=re.MULTILINE | re.DOTALL)
    return re.sub(r"(?<!`)(`+)(?!`)(.*?[^`])\1(?!`)", "", text, flags=re.DOTALL)


def test_markdown_fits_a_comment(tmp_path: Path) -> None:
    """However much there is, GitHub takes it, and what is left out is counted."""
    text = render_markdown(report_on(sample(tmp_path, added=3000)))

    assert len(text) < 65_536
    assert "more" in text.splitlines()[-1] or re.search(r"and [\d,]+ more", text)
    outside = _outside_of_code(text)
    assert outside.count("<details>") == outside.count("</details>")


def test_a_failing_change_is_marked(tmp_path: Path) -> None:
    """In each format."""
    report = report_on(sample(tmp_path), failing=frozenset({"added"}))

    assert report.is_failure
    assert "error" in {each["level"] for each in json.loads(render_sarif(report))["runs"][0]["results"]}
    assert "::error " in render_github(report)
    assert "major" in {each["severity"] for each in json.loads(render_gitlab(report))}
    assert "❌" in render_markdown(report)


def test_text_fits_the_width(report: Report) -> None:
    """No line is wider than 80 columns, and words that changed are marked."""
    text = render_text(report, display=Display())

    assert max(map(len, text.splitlines())) <= 80
    assert "[-wrong-]{+not right+}" in " ".join(text.split())
    assert "condition widened" in text
    assert text.replace("\n", "").isprintable()


def test_colours_mark_words(report: Report) -> None:
    """Where there are colours, brackets are not needed."""
    text = render_text(report, display=Display(has_colours=True, is_terminal=True))

    assert "[-" not in text
    assert "\x1b[" in text


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("a b c", "a x c", [("kept", "a "), ("dropped", "b"), ("added", "x"), ("kept", " c")]),
        ("", "new", [("added", "new")]),
        ("same", "same", [("kept", "same")]),
    ],
)
def test_word_changes(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    """Words are told apart, not letters."""
    assert expected == list(word_changes(old, new))
