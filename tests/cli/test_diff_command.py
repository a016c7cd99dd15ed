"""`raisedex diff` from the command line: what its sides may be, what it exits with, and where it writes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from extractor.diff import KINDS
from extractor.reports.report import REQUIREMENTS
from tests.program import command_of, raisedex
from tests.repositories import git

_OLD = 'def f(x):\n    if x < 0:\n        raise ValueError("x is negative")\n'
_NEW = 'def f(x):\n    if x < 0:\n        raise TypeError("x is negative")\n    raise KeyError("what is new here")\n'
_LATER = _NEW + '\n\ndef g():\n    raise OSError("of the work tree")\n'


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with two commits, and a change that is not committed."""
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "--quiet", "--initial-branch=main")
    for text in (_OLD, _NEW):
        (folder / "code.py").write_text(text, "utf-8")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=x")
    git(folder, "branch", "old", "HEAD~1")
    (folder / "code.py").write_text(_LATER, "utf-8")
    return folder


def _kinds(output: bytes) -> list[str]:
    return sorted(change["kind"] for change in json.loads(output)["changes"])


def test_the_options_name_all_that_there_is() -> None:
    """They are spelled out, so that `--help` need not import what compares."""
    options = {option.name: option for option in command_of("diff").params}

    assert {kind.replace("_", "-") for kind in KINDS} == set(options["fail_on"].type.choices)  # type: ignore[attr-defined]
    assert set(REQUIREMENTS) == set(options["require"].type.choices)  # type: ignore[attr-defined]


def test_two_revisions(repository: Path) -> None:
    """The current folder's repository is meant."""
    ended = raisedex("diff", "HEAD~1", "HEAD", "--format", "json", folder=repository)

    assert (0, "") == (ended.code, ended.errors)
    assert ["added", "retyped"] == _kinds(ended.output)


def test_one_revision_against_the_work_tree(repository: Path) -> None:
    """As git does."""
    ended = raisedex("diff", "main", "--source", repository, "--format", "json")

    assert ["added"] == _kinds(ended.output)
    assert "the work tree" == json.loads(ended.output)["new"]["name"]


def test_corpora_and_folders(repository: Path, tmp_path: Path) -> None:
    """A corpus in a file or from standard input, and a folder, are sides as well."""
    old = tmp_path / "old.json"
    assert 0 == raisedex("extract", repository, "--rev", "old", "-o", old).code
    ended = raisedex("diff", old, f"{repository}/", "--format", "json")
    from_input = raisedex("diff", "-", f"{repository}/", "--format", "json", stdin=old.read_bytes())

    assert ["added", "added", "retyped"] == _kinds(ended.output) == _kinds(from_input.output)


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 0),
        (("--fail-on", "removed"), 0),
        (("--fail-on", "removed,added"), 1),
        (("--fail-on", "reworded", "--fail-on", "retyped"), 1),
        (("--fail-on", "guards-changed"), 0),
        (("--require", "message"), 0),
        (("--require", "documented"), 1),
        (("--require", "test"), 1),
        (("--exception", "OSError", "--fail-on", "added"), 0),
        (("--exclude", "code.py", "--fail-on", "added"), 0),
    ],
)
def test_exit_codes(repository: Path, options: tuple[str, ...], code: int) -> None:
    """Only what was asked for fails."""
    assert code == raisedex("diff", "HEAD~1", "HEAD", *options, folder=repository).code


def test_the_policy_of_the_project(repository: Path, tmp_path: Path) -> None:
    """It is taken from pyproject.toml, unless it is not to be; options go before it."""
    policy = tmp_path / "policy.toml"
    policy.write_text('[tool.raisedex]\nfail-on = ["added"]\n', "utf-8")
    run = ("diff", "HEAD~1", "HEAD", "--policy", policy)

    assert 1 == raisedex(*run, folder=repository).code
    assert 0 == raisedex(*run, "--no-policy", folder=repository).code
    assert 0 == raisedex(*run, "--fail-on", "moved", folder=repository).code


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("v9", "HEAD"), "'v9' is no corpus"),
        (("HEAD", "nothing.json"), "no such file"),
        (("HEAD", "--fail-on", "new"), "'new' is none of added"),
        (("HEAD", "--policy", "nothing.toml"), "no file 'nothing.toml'"),
        (("--source", "nowhere", "HEAD"), "no revision of 'nowhere'"),
        (("HEAD", "HEAD~9"), "'HEAD~9' is no corpus"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line(repository: Path, arguments: tuple[str, ...], told: str) -> None:
    """With exit code 2, and nothing else printed."""
    ended = raisedex("diff", *arguments, folder=repository)

    assert (2, b"") == (ended.code, ended.output)
    assert told in ended.errors
    assert 1 == ended.errors.count("\n")


def test_tests_cannot_be_seen_in_a_corpus(repository: Path, tmp_path: Path) -> None:
    """So that nobody takes a corpus without tests for an untested project."""
    corpus = tmp_path / "new.json"
    raisedex("extract", repository, "--rev", "HEAD", "-o", corpus)
    ended = raisedex("diff", "HEAD~1", corpus, "--require", "test", folder=repository)

    assert 2 == ended.code
    assert "does not say what tests expect" in ended.errors


def test_github_gets_a_summary_of_the_step(repository: Path, tmp_path: Path) -> None:
    """Where GitHub names a file for it."""
    summary = tmp_path / "summary.md"
    summary.write_text("before\n", "utf-8")
    environment = {"GITHUB_STEP_SUMMARY": str(summary)}
    ended = raisedex("diff", "HEAD~1", "HEAD", "--format", "github", folder=repository, environment=environment)

    assert ended.output.startswith(b"::notice file=code.py,line=4,")
    assert summary.read_text("utf-8").startswith("before\n**Errors, `HEAD~1`")


@pytest.mark.parametrize("form", ["text", "markdown", "json", "sarif", "github", "gitlab"])
def test_each_format_goes_to_a_file(repository: Path, tmp_path: Path, form: str) -> None:
    """The same bytes as on standard output."""
    file = tmp_path / "out"
    printed = raisedex("diff", "HEAD~1", "HEAD", "--format", form, folder=repository)
    raisedex("diff", "HEAD~1", "HEAD", "--format", form, "-o", file, folder=repository)

    assert printed.output
    assert printed.output == file.read_bytes()


def test_the_cache_changes_nothing(repository: Path) -> None:
    """With and without, the same bytes."""
    run = ("diff", "HEAD~1", "HEAD", "--format", "json")

    assert raisedex(*run, folder=repository).output == raisedex(*run, "--no-cache", folder=repository).output


def test_corpora_of_other_options_are_remarked(repository: Path, tmp_path: Path) -> None:
    """What only one of them could have is no news."""
    one, other = tmp_path / "one.json", tmp_path / "other.json"
    raisedex("extract", repository, "--rev", "HEAD", "-o", one)
    raisedex("extract", repository, "--rev", "HEAD", "--exception", "KeyError", "--context", "0", "-o", other)

    assert "made with other --exception" in raisedex("diff", one, other).errors
    assert "" == raisedex("diff", one, one).errors
