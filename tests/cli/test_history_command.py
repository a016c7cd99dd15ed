"""`raisedex history`, and what `raisedex extract` takes over from earlier runs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from extractor.validation import validate
from tests.program import raisedex
from tests.repositories import git

_ONE = 'def f(x):\n    if x < 0:\n        raise ValueError("x is negative")\n'
_STEPS = (
    {"a.py": _ONE},
    {"a.py": _ONE.replace("is negative", "must not be negative") + '    raise KeyError("always")\n'},
    {"b.py": _ONE.replace("is negative", "must not be negative") + '    raise KeyError("always")\n'},
    {"b.py": _ONE.replace("is negative", "must not be negative").replace("ValueError", "TypeError")},
    {"b.py": _ONE.replace("is negative", "must not be negative") + '    raise KeyError("always")\n'},
    {"b.py": _ONE.replace("is negative", "must not be negative"), "c.py": 'raise OSError("new")\n'},
)


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository in which errors come, change, move, go and come back."""
    folder = tmp_path_factory.mktemp("history")
    git(folder, "init", "--quiet")
    for number, files in enumerate(_STEPS, start=1):
        for file in folder.glob("*.py"):
            file.unlink()
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", f"--message={number}")
        git(folder, "tag", *(["--annotate", "--message=x"] if number % 2 else []), f"v{number}")
    return folder


def _history(repository: Path, *arguments: str) -> dict[str, Any]:
    ended = raisedex("history", repository, *arguments, "--format", "json")
    assert (0, "") == (ended.code, ended.errors)
    assert () == validate(ended.output)
    found: dict[str, Any] = json.loads(ended.output)
    return found


def _told(history: dict[str, Any]) -> Iterator[tuple[object, ...]]:
    for error in history["errors"]:
        yield (
            error["title"],
            error["since"],
            error["last_seen"],
            [f"{e['revision']} {e['kind']}" for e in error["events"]],
        )


def test_each_error_has_its_history(repository: Path) -> None:
    """Since when it is there, what became of it where, and where it was last seen."""
    expected = [
        (
            "x must not be negative",
            "v1",
            None,
            ["v2 reworded", "v3 moved", "v4 retyped", "v5 retyped"],
        ),
        ("new", "v6", None, []),
        ("always", "v2", "v5", ["v3 moved", "v4 removed", "v5 returned", "v6 removed"]),
    ]

    assert expected == list(_told(_history(repository)))


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        ((), ["v1", "v2", "v3", "v4", "v5", "v6"]),
        (("v2..v4",), ["v2", "v3", "v4"]),
        (("v5..",), ["v5", "v6"]),
        (("..v2",), ["v1", "v2"]),
        (("v2",), ["v1", "v2"]),
        (("--tags", "v[135]"), ["v1", "v3", "v5"]),
        (("v2..v5", "--tags", "v*"), ["v2", "v3", "v4", "v5"]),
    ],
)
def test_ranges_and_tags(repository: Path, arguments: tuple[str, ...], names: list[str]) -> None:
    """Both ends are walked, and tags name what they stand for."""
    assert names == [each["name"] for each in _history(repository, *arguments)["revisions"]]


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("v1...v2",), "is no range"),
        (("..",), "is no range"),
        (("v9",), "no revision 'v9'"),
        (("--tags", "w*"), "holds no revision"),
        (("--", "--all"), "no revision '--all'"),
        (("v1\nv2",), "no revision"),
    ],
)
def test_a_wrong_range_is_refused(repository: Path, arguments: tuple[str, ...], told: str) -> None:
    """In one line, with exit code 2; nothing of it is an option of git."""
    ended = raisedex("history", repository, *arguments)

    assert (2, b"") == (ended.code, ended.output)
    assert told in ended.errors
    assert 1 == ended.errors.count("\n")


def test_the_table(repository: Path) -> None:
    """It lists what changed, on lines that fit."""
    text = raisedex("history", repository, "--no-cache").output.decode()

    assert max(map(len, text.splitlines())) <= 80
    assert "retyped in v4: was ValueError" in text
    assert "since v2, last in v5" in text


def test_extract_takes_the_history_over(repository: Path, tmp_path: Path) -> None:
    """Records say since when they exist and keep their first id; what is gone has a tombstone."""
    history, corpus = tmp_path / "history.json", tmp_path / "corpus.json"
    raisedex("history", repository, "--format", "json", "-o", history)
    ended = raisedex("extract", repository, "--rev", "v6", "--history", history, "-o", corpus)
    first = raisedex("extract", repository, "--rev", "v1")
    found = json.loads(corpus.read_bytes())

    assert 0 == ended.code
    assert () == validate(corpus.read_bytes())
    assert [("x must not be negative", "v1"), ("new", "v6")] == [(r["title"], r["since"]) for r in found["records"]]
    assert json.loads(first.output)["records"][0]["id"] == found["records"][0]["id"]
    assert [("always", "v2", "v5")] == [(each["title"], each["since"], each["last_seen"]) for each in found["gone"]]


def test_ids_live_on_by_the_previous_corpus(repository: Path, tmp_path: Path) -> None:
    """Corpus by corpus, as in CI, the same ids come out as by the history."""
    previous = tmp_path / "0.json"
    raisedex("extract", repository, "--rev", "v1", "-o", previous)
    for number in range(2, 7):
        corpus = tmp_path / f"{number}.json"
        ended = raisedex("extract", repository, "--rev", f"v{number}", "--previous", previous, "-o", corpus)
        assert 0 == ended.code
        assert () == validate(corpus.read_bytes())
        previous = corpus
    found = json.loads(previous.read_bytes())
    history = _history(repository)

    assert {each["id"]: each["aliases"] for each in history["errors"]} == {
        each["id"]: each["aliases"] for each in (*found["records"], *found["gone"])
    }


@pytest.mark.parametrize("option", ["--previous", "--history"])
def test_another_file_is_refused(repository: Path, tmp_path: Path, option: str) -> None:
    """In one line; nothing is written."""
    other, corpus = tmp_path / "other.json", tmp_path / "corpus.json"
    other.write_text('{"schema_version": 1, "errors": 3}', "utf-8")
    ended = raisedex("extract", repository, option, other, "-o", corpus, "--quiet")

    assert 2 == ended.code
    assert 1 == ended.errors.count("\n")
    assert not corpus.exists()


def test_a_link_to_what_is_gone_says_so(repository: Path, tmp_path: Path) -> None:
    """And an earlier id still leads to its error."""
    history, corpus = tmp_path / "history.json", tmp_path / "corpus.json"
    raisedex("history", repository, "--format", "json", "-o", history)
    raisedex("extract", repository, "--rev", "v6", "--history", history, "-o", corpus)
    found = json.loads(corpus.read_bytes())
    gone = raisedex("show", corpus, found["gone"][0]["id"])
    page = raisedex("show", corpus, found["records"][0]["aliases"][0])

    assert 1 == gone.code
    assert "'always', is gone; v5 had it last" in gone.errors
    assert 0 == page.code
    assert b"since     v1" in page.output
