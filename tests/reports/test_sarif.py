"""The log fits the official schema whatever the code holds, and points where the errors stand."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

import pytest

import extractor
from extractor.reports.report import Report
from extractor.reports.sarif import render_sarif
from tests.schemastore import errors_of

MakeReport = Callable[..., Report]
_SAYS = "def f(x):\n    if x < 0: raise ValueError('a text of some words')\n"
_CLASS = "class E({}):\n    pass\n\ndef f(x):\n    if x{}: raise E('a')\n"


def _run(report: Report) -> dict[str, Any]:
    text = render_sarif(report)
    document = json.loads(text)
    assert text.endswith("}\n")
    assert [] == errors_of("sarif-2.1.0", document)
    run: dict[str, Any] = document["runs"][0]
    return run


def _result(report: Report) -> dict[str, Any]:
    (result,) = _run(report)["results"]
    found: dict[str, Any] = result
    return found


@pytest.mark.parametrize(
    ("old", "new", "rule", "level"),
    [
        ("", _SAYS, "added", "note"),
        (_SAYS, _SAYS.replace("ValueError", "TypeError"), "retyped", "warning"),
        (_SAYS, _SAYS.replace("some", "few"), "reworded", "note"),
        (_SAYS, _SAYS.replace("x < 0", "x <= 0"), "guards-changed", "note"),
    ],
)
def test_each_kind_has_its_rule_and_level(report_of: MakeReport, old: str, new: str, rule: str, level: str) -> None:
    """And is an error where the run fails for it."""
    report = report_of(old, new)
    run = _run(report)
    (result,) = run["results"]
    kind = report.comparison.changes[0].kind
    by_id = {each["id"]: each for each in run["tool"]["driver"]["rules"]}

    assert (rule, level) == (result["ruleId"], result["level"])
    assert level == by_id[rule]["defaultConfiguration"]["level"]
    assert "error" == _result(replace(report, failing=frozenset({kind})))["level"]
    assert {"raisedexId/v1": report.comparison.changes[0].record.id} == result["partialFingerprints"]


@pytest.mark.parametrize(("old", "new"), [(_SAYS, ""), (_SAYS, _SAYS.replace("def f", "def g")), (_SAYS, _SAYS)])
def test_what_is_gone_moved_or_the_same_is_no_result(report_of: MakeReport, old: str, new: str) -> None:
    """The log is valid without results."""
    assert [] == _run(report_of(old, new))["results"]


def test_the_driver_tells_who_wrote_it(report_of: MakeReport) -> None:
    """And explains each rule."""
    run = _run(report_of("", ""))
    driver = run["tool"]["driver"]

    assert ("raisedex", extractor.__version__) == (driver["name"], driver["semanticVersion"])
    assert "unicodeCodePoints" == run["columnKind"]
    assert ["added", "retyped", "reworded", "guards-changed"] == [rule["id"] for rule in driver["rules"]]
    for rule in driver["rules"]:
        assert all(rule[key]["text"] for key in ("shortDescription", "fullDescription", "help"))


@pytest.mark.parametrize("path", ["a b/c, d.py", "ü/名.py", "a:b/#c?.py", "100%25.py"])
def test_paths_are_relative_uris(report_of: MakeReport, path: str) -> None:
    """From the root of the repository, with everything escaped that a URI gives a meaning to."""
    report = report_of("", {path: _SAYS})
    within = replace(report.comparison.new, subdirectory="sub folder")
    report = replace(report, comparison=replace(report.comparison, new=within))
    place = _result(report)["locations"][0]["physicalLocation"]["artifactLocation"]

    assert "%SRCROOT%" == place["uriBaseId"]
    assert place["uri"].isascii()
    assert not set(place["uri"]) & set(" :?#,")
    assert f"sub folder/{path}" == unquote(place["uri"])


def test_columns_count_code_points_from_one(report_of: MakeReport) -> None:
    """The end is exclusive, as in SARIF; a letter beyond 16 bits is one."""
    line = "def f(x): '𝒳' if x else 0; raise ValueError('ü𝒳')"
    region = _result(report_of("", f"{line}\n"))["locations"][0]["physicalLocation"]["region"]

    assert {
        "startLine": 1,
        "startColumn": line.index("raise") + 1,
        "endLine": 1,
        "endColumn": len(line) + 1,
    } == region


def test_no_text_is_a_link(report_of: MakeReport) -> None:
    """Viewers make links of brackets and parentheses in messages."""
    report = report_of("", "def f():\n    raise ValueError('[click](https://evil.example) \\\\](x)\\x1b[0m')\n")
    result = _result(report)

    assert "](" not in result["message"]["text"]
    assert result["message"]["text"].isprintable()
    assert "click" in result["message"]["text"]


def test_old_and_new_message(report_of: MakeReport) -> None:
    """Beside the id, in properties; what has no message has none there."""
    report = report_of("def f(x):\n    raise ValueError\n", "def f(x):\n    raise ValueError('a\\n\\ud800')\n")
    properties = _result(report)["properties"]

    assert {"id": report.comparison.changes[0].record.id, "newMessage": r"a\n\ud800"} == properties


def test_a_class_with_other_bases_stands_where_it_is_raised(report_of: MakeReport) -> None:
    """By the first error of it."""
    report = report_of(_CLASS.format("ValueError", ""), _CLASS.format("Exception", " > 1"))
    of_class = next(each for each in _run(report)["results"] if "raisedexClass/v1" in each["partialFingerprints"])

    assert ("retyped", "warning") == (of_class["ruleId"], of_class["level"])
    assert 5 == of_class["locations"][0]["physicalLocation"]["region"]["startLine"]


def test_a_class_stands_where_it_is_raised_though_nothing_else_changed(report_of: MakeReport) -> None:
    """GitHub refuses a file in which a result has no place."""
    report = report_of(_CLASS.format("ValueError", ""), _CLASS.format("Exception", ""))
    failing = _result(replace(report, failing=frozenset({"retyped"})))

    assert 5 == failing["locations"][0]["physicalLocation"]["region"]["startLine"]
    assert "error" == failing["level"]


@pytest.mark.parametrize(
    ("repository", "commit", "has_one"),
    [
        ("https://example.org/a/b", "0" * 40, True),
        ("https://example.org/a/b", None, False),
        (None, "0" * 40, False),
        ("some folder/a", "0" * 40, False),  # no URI, which the schema wants
    ],
)
def test_provenance_where_it_is_known(
    report_of: MakeReport, repository: str | None, commit: str | None, has_one: bool
) -> None:
    """The repository and the commit, both or none."""
    report = report_of("", _SAYS)
    source = replace(report.comparison.new, repository=repository, commit=commit)
    run = _run(replace(report, comparison=replace(report.comparison, new=source)))
    expected = [{"repositoryUri": repository, "revisionId": commit}] if has_one else None

    assert expected == run.get("versionControlProvenance")


def test_the_same_report_gives_the_same_text(report_of: MakeReport) -> None:
    """To the byte."""
    report = report_of("", {"b.py": _SAYS, "a.py": _SAYS})

    assert render_sarif(report) == render_sarif(replace(report))
    assert ["a.py", "b.py"] == [
        each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for each in _run(report)["results"]
    ]
