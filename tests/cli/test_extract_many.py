"""`raisedex extract-many` from the command line: folders, files, git revisions, what is printed, and how it stops."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from extractor.cli.main import run
from tests.program import interrupt, on_terminal, raisedex
from tests.repositories import git
from tests.trees import write_tree

pytest.importorskip("pty", reason="Windows has no pseudo-terminals")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder: a folder, a file, an archive, and a repository with two revisions."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain" / "a.py").write_text("raise ValueError('plain')\nraise KeyError(*x)\n")
    (tmp_path / "single.py").write_text("if x:\n    raise ValueError('one')\nraise ValueError('%s', x)\n")
    shutil.make_archive("packed", "zip", "plain")
    repository = tmp_path / "repository"
    repository.mkdir()
    git(repository, "init", "--quiet", "--initial-branch=main")
    for version in ("1", "2"):
        (repository / "a.py").write_text(f"raise ValueError('version {version}')\n")
        git(repository, "add", "--all")
        git(repository, "commit", "--quiet", f"--message={version}")
        git(repository, "tag", f"v{version}")
    (tmp_path / "list").write_text(
        "# what there is\nplain\nsingle.py  # one file\n\npacked.zip\nrepository@v1\nrepository@v2\nrepository\n"
    )
    return tmp_path


def summary(folder: Path | str = "out") -> dict[str, Any]:
    """Return the summary of a folder, which is valid, as are its corpora."""
    found: dict[str, Any] = json.loads(Path(folder, "summary.json").read_bytes())
    files = [str(Path(folder, each["file"])) for each in found["projects"] if each["file"]]
    assert 0 == run(["validate", str(Path(folder, "summary.json")), *files])
    return found


def test_every_kind_of_line(here: Path) -> None:
    ended = raisedex("extract-many", "list", "-o", "out", folder=here)
    found = summary()

    assert (0, b"") == (ended.code, ended.output)
    assert re.fullmatch(
        r"6 of 6 projects done: 9 raise sites in 6 files \(10 lines\), \d+\.\d s\n"
        r"  unresolved:  2\n  diagnostics: 1\n",
        ended.errors,
    )
    assert "plain single.py packed.zip repository@v1 repository@v2 repository".split() == [
        each["project"] for each in found["projects"]
    ]
    assert 7 == len(list((here / "out").iterdir()))
    messages = [
        json.loads((here / "out" / each["file"]).read_bytes())["records"][0]["message"] for each in found["projects"]
    ]
    assert ["plain", "one", "plain", "version 1", "version 2", "version 2"] == messages


def test_a_second_run_has_nothing_to_do(here: Path) -> None:
    raisedex("extract-many", "list", "-o", "out", folder=here)
    before = {file: file.read_bytes() for file in (here / "out").iterdir()}
    times = {file: file.stat().st_mtime_ns for file in before if file.name != "summary.json"}
    ended = raisedex("extract-many", "list", "-o", "out", folder=here)

    assert ended.errors.startswith("6 of 6 projects done, 6 of them before: 9 raise sites")
    assert before == {file: file.read_bytes() for file in (here / "out").iterdir()}
    assert times == {file: file.stat().st_mtime_ns for file in times}


def test_again_does_it_all_again(here: Path) -> None:
    """As is needed where a folder is another than it was."""
    raisedex("extract-many", "-", "-o", "out", folder=here, stdin=b"plain\n")
    (here / "plain" / "a.py").write_text("raise OSError('another')\n")
    raisedex("extract-many", "-", "-o", "out", folder=here, stdin=b"plain\n")
    before = summary()["summary"]["records"]
    raisedex("extract-many", "-", "-o", "out", "--again", folder=here, stdin=b"plain\n")

    assert (2, 1) == (before, summary()["summary"]["records"])


def test_the_options_are_those_of_extract(here: Path) -> None:
    options = ["--exception", "ValueError", "--exclude", "b.py", "--context", "1", "--jobs", "1", "--no-cache", "-q"]
    ended = raisedex("extract-many", "-", *options, "-o", "many", folder=here, stdin=b"plain")
    alone = raisedex("extract", "plain", *options, folder=here)
    (project,) = summary("many")["projects"]

    assert (0, "") == (ended.code, ended.errors)
    assert alone.output == (here / "many" / project["file"]).read_bytes()
    assert json.loads(alone.output)["options"] == summary("many")["options"]


def test_a_project_that_fails_is_one_line_and_exit_code_1(here: Path) -> None:
    (here / "list").write_text("gone/folder\nplain\nrepository@nowhere\nsingle.py\n")
    ended = raisedex("extract-many", "list", "-o", "out", folder=here)
    found = summary()

    assert 1 == ended.code
    assert ended.errors.startswith("2 of 4 projects done: 4 raise sites")
    assert "  failed:      2\n    gone/folder: 'gone/folder' is no source; name an existing folder" in ended.errors
    assert "\n    repository@nowhere: no revision 'nowhere' in " in ended.errors
    assert ["failed", "done", "failed", "done"] == [each["status"] for each in found["projects"]]
    assert (2, 2) == (found["summary"]["done"], found["summary"]["failed"])


def test_of_many_failures_the_first_are_shown(here: Path) -> None:
    ended = raisedex("extract-many", "-", "-o", "out", folder=here, stdin=b"".join(b"gone/%d\n" % n for n in range(30)))

    assert 20 == ended.errors.count("is no source")
    assert ended.errors.endswith("    and 10 more in the summary\n")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["list"], "missing option '--output' / '-o'"),
        (["-o", "out"], "missing argument 'LIST'"),
        (["none", "-o", "out"], "cannot read 'none': there is no such file"),
        (["plain", "-o", "out"], "cannot read 'plain': it is a folder"),
        (["bad", "-o", "out"], "line 3 of bad, 'click>=8', is no project; give NAME==VERSION, a path, or repository@"),
        (["list", "-o", "single.py"], "cannot write 'single.py'"),
        (["list", "-o", "single.py/out"], "cannot write 'single.py/out': a part of the path is no folder"),
        (["list", "-o", "out", "--executor", "ray"], "cannot run on 'ray'"),
        (["list", "-o", "out", "--rev", "v1"], "no such option"),
        (["list", "-o", "taken"], "it is there and no summary of ours; name another file"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_one_line(
    here: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    """It says what to do, before any work; the exit code is 2."""
    (here / "bad").write_text("plain\n\nclick>=8\n")
    (here / "taken").mkdir()
    (here / "taken" / "summary.json").write_text("mine")
    code = run(["extract-many", *arguments])
    output, errors = capfd.readouterr()

    assert (2, "") == (code, output)
    assert expected in errors
    assert errors.startswith("raisedex: ")
    assert 1 == errors.count("\n")
    assert [] == [file for file in here.rglob("*.json") if file.name != "summary.json"]
    assert "mine" == (here / "taken" / "summary.json").read_text()


def test_an_empty_list_is_nothing_to_do(here: Path) -> None:
    ended = raisedex("extract-many", "-", "-o", "out", folder=here)

    assert 0 == ended.code
    assert ended.errors.startswith("0 of 0 projects done: 0 raise sites")
    assert [] == summary()["projects"]


def test_control_characters_never_reach_the_terminal(here: Path) -> None:
    hostile = "red\x1b[31m\u202e/x"
    ended = raisedex("extract-many", "-", "-o", "out", folder=here, stdin=hostile.encode() + b"\n\xff/x\n")

    assert 1 == ended.code
    assert r"red\x1b[31m\u202e/x: " in ended.errors
    assert all(letter.isprintable() or letter == "\n" for letter in ended.errors)


@pytest.fixture(scope="module")
def slow(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with projects that take a while each."""
    folder = tmp_path_factory.mktemp("slow")
    tree = write_tree(folder / "tree")
    for number in range(6):
        shutil.copytree(tree, folder / f"project_{number}")
    return folder


def test_an_interrupt_leaves_what_is_done_and_a_true_summary(slow: Path, tmp_path: Path) -> None:
    """And the next run goes on from there, to the same bytes as a run that was never stopped."""
    (tmp_path / "list").write_text("".join(f"{slow}/project_{number}\n" for number in range(6)))
    out, whole = tmp_path / "out", tmp_path / "whole"

    def press(process: subprocess.Popen[bytes], shown: str) -> bool:
        if not re.search(r"[1-5]/6", shown):
            return False
        interrupt(process)
        return True

    ended = on_terminal("extract-many", tmp_path / "list", "-o", out, "--jobs", "2", "--no-cache", meanwhile=press)
    found = summary(out)
    done = [each["file"] for each in found["projects"] if each["status"] == "done"]

    assert 130 == ended.code
    assert ended.errors.rstrip().endswith("raisedex: stopped")
    assert "Traceback" not in ended.errors
    assert 1 <= len(done) == 6 - found["summary"]["pending"] < 6
    assert {*done, "summary.json"} == {file.name for file in out.iterdir()}

    resumed = raisedex("extract-many", tmp_path / "list", "-o", out)
    raisedex("extract-many", tmp_path / "list", "-o", whole)
    assert f"6 of 6 projects done, {len(done)} of them before" in resumed.errors
    assert {file.name: file.read_bytes() for file in whole.iterdir()} == {
        file.name: file.read_bytes() for file in out.iterdir()
    }
