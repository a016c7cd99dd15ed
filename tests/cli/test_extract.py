"""`raisedex extract` from the command line: what it writes where, what it refuses, and how it stops."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from extractor.cli.main import run
from extractor.corpus import read_corpus
from tests.program import COMMAND, environment_of, interrupt, on_terminal, raisedex
from tests.trees import write_tree

pytest.importorskip("pty", reason="Windows has no pseudo-terminals")


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a folder with two raise statements and a file that cannot be read."""
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / "a.py").write_text("raise ValueError('one')\n\n\nraise KeyError('two')\n")
    (folder / "bad.py").write_bytes(b"raise ValueError('\xff')\n")
    return folder


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree that takes a while, and whose corpus no pipe holds at once."""
    return write_tree(tmp_path_factory.mktemp("extract") / "tree")


def test_the_corpus_goes_to_the_file_that_is_named(tree: Path, tmp_path: Path) -> None:
    ended = raisedex("extract", tree, "-o", tmp_path / "errors.json")

    assert (0, b"") == (ended.code, ended.output)
    assert 2 == len(read_corpus(tmp_path / "errors.json").records)


@pytest.mark.parametrize("output", [(), ("-o", "-")], ids=["nothing named", "dash"])
def test_the_corpus_goes_to_a_pipe(tree: Path, output: tuple[str, ...]) -> None:
    """And what is for people goes to standard error."""
    ended = raisedex("extract", tree, *output)

    assert 0 == ended.code
    assert 2 == len(json.loads(ended.output)["records"])
    assert ended.errors.startswith("2 raise sites in 2 files")


def test_the_corpus_is_refused_to_a_terminal(tree: Path) -> None:
    """It would be a wall of JSON."""
    ended = on_terminal("extract", tree, output_too=True)

    assert 2 == ended.code
    assert "raisedex: a corpus is no reading for a terminal; give -o FILE or pipe it somewhere" in ended.errors
    assert 1 == ended.errors.count("\n")


def test_the_options_are_in_the_corpus(tree: Path, tmp_path: Path) -> None:
    arguments = ["--exception", "ValueError", "--exclude", "bad.py", "--include", "*.py", "--context", "1", "-q"]
    assert 0 == run(["extract", str(tree), *arguments, "-o", str(tmp_path / "errors.json")])
    corpus = read_corpus(tmp_path / "errors.json")

    assert (("ValueError",), ("*.py",), ("bad.py",), 1) == (
        corpus.options.exceptions,
        corpus.options.include,
        corpus.options.exclude,
        corpus.options.context,
    )
    assert [1] == [record.location.line for record in corpus.records]
    assert ("raise ValueError('one')", "") == corpus.records[0].context.lines


@pytest.mark.parametrize(("options", "expected"), [((), 0), (("--strict",), 1)])
def test_strict_makes_diagnostics_a_finding(tree: Path, options: tuple[str, ...], expected: int) -> None:
    ended = raisedex("extract", tree, *options)

    assert expected == ended.code
    assert "bad.py: " in ended.errors
    assert 2 == len(json.loads(ended.output)["records"])  # the corpus is written all the same


def test_strict_has_nothing_to_say_of_a_clean_tree(tree: Path) -> None:
    assert 0 == raisedex("extract", tree, "--exclude", "bad.py", "--strict").code


@pytest.mark.parametrize("flag", ["-q", "--quiet"])
def test_quiet_prints_nothing(tree: Path, tmp_path: Path, flag: str) -> None:
    ended = on_terminal("extract", tree, flag, "-o", tmp_path / "errors.json")

    assert (0, "") == (ended.code, ended.errors)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["extract"], "missing argument 'SOURCE'"),
        (["extract", "TREE", "more"], "unexpected extra argument (more)"),
        (["extract", "TREE", "--no-such-option"], "no such option '--no-such-option'"),
        (["extract", "TREE", "--contxt", "3"], "--context"),
        (["extract", "TREE", "--context", "-1"], "'--context': -1 is not in the range"),
        (["extract", "TREE", "--context", "many"], "'--context': 'many' is not a valid integer"),
        (["extract", "TREE", "--context", "1001"], "'--context': 1001 is not in the range"),
        (["extract", "TREE", "--jobs", "0"], "'--jobs': 0 is not in the range"),
        (["extract", "TREE", "--jobs", "two"], "'--jobs': 'two' is not a valid integer"),
        (["extract", "TREE", "--jobs"], "'--jobs' requires an argument"),
        (["extract", "TREE", "--exception", "ValueEror"], "did you mean ValueError?"),
        (["extract", "TREE", "--repo", "not a repository"], "give OWNER/NAME or its https address"),
        (["extract", "TREE", "--commit", "abc"], "is no commit; give all 40"),
        (["extract", "TREE", "--sha256", "0" * 64], "--sha256 does not fit a source of kind folder"),
        (["extract", "TREE", "--rev", "HEAD"], "in no git repository"),
        (["extract", "TREE", "--include", "/"], "is no pattern"),
        (["extract", "TREE/none"], "is no source"),
        (["extract", "TREE/notes.txt"], "is no source"),
        (["extract", ""], "is no source"),
        (["extract", "name==not a version"], ""),
        (["extract", "TREE", "-o", "TREE"], "it is a folder; name a file in it"),
        (["extract", "TREE", "-o", "TREE/none/errors.json"], "there is no such folder; make it first"),
        (["extract", "TREE", "-o", "TREE/a.py/errors.json"], "a part of the path is no folder"),
        (["extract", "TREE", "-o", "/dev/full"], "the disk is full"),
        (["extract", "TREE", "-o", ""], ""),
    ],
    ids=lambda value: " ".join(value[1:]) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_one_line(
    tree: Path, capfd: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    """It says what is wrong and what to do; the exit code is 2, and nothing is written."""
    (tree / "notes.txt").write_text("")
    before = sorted(tree.rglob("*"))
    code = run([argument.replace("TREE", str(tree)) for argument in arguments])
    output, errors = capfd.readouterr()

    assert (2, "") == (code, output)
    assert expected in errors
    assert errors.startswith("raisedex: ")
    assert 1 == errors.count("\n") == len(errors.splitlines())
    assert before == sorted(tree.rglob("*"))


@pytest.mark.skipif(os.geteuid() == 0, reason="nothing is forbidden to root")
def test_a_folder_that_may_not_be_written_to_is_refused(tree: Path, capfd: pytest.CaptureFixture[str]) -> None:
    tree.chmod(0o555)
    code = run(["extract", str(tree), "-o", str(tree / "errors.json")])
    tree.chmod(0o755)

    assert 2 == code
    assert "permission denied" in capfd.readouterr().err


def test_a_place_that_cannot_be_written_to_is_refused_before_the_work(
    tree: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """Not after minutes of it: what is wrong with the source is not even looked at."""
    assert 2 == run(["extract", "no-such-source", "-o", str(tree / "none" / "errors.json")])
    assert "there is no such folder" in capfd.readouterr().err


def test_a_full_disk_is_one_line(tree: Path) -> None:
    """Also where the corpus goes to standard output, and is flushed when Python ends."""
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [*COMMAND, "extract", str(tree), "-q"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )

    assert 2 == ended.returncode
    assert "raisedex: the system says no space left on device; mend that and run it again\n" == ended.stderr


def test_a_closed_standard_output_is_one_line(tree: Path) -> None:
    ended = subprocess.run(
        ["sh", "-c", 'exec "$@" >&-', "sh", *COMMAND, "extract", str(tree)], capture_output=True, text=True, check=False
    )

    assert 2 == ended.returncode
    assert "raisedex: standard output is closed; give -o FILE; see raisedex extract --help\n" == ended.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
def test_a_reader_that_has_seen_enough_is_no_error(large: Path, unbuffered: str) -> None:
    """`raisedex extract … | head` ends without a word."""
    command = [*COMMAND, "extract", str(large), "-q"]
    environment = environment_of({"PYTHONUNBUFFERED": unbuffered})
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        begin = process.stdout.read(10)
        process.stdout.close()
        errors = process.stderr.read()

    assert (141, b"") == (process.returncode, errors)
    assert begin.startswith(b'{\n"schema')


def test_the_file_is_not_touched_when_the_source_is_refused(tree: Path) -> None:
    target = tree / "errors.json"
    target.write_text("what was there")

    assert 2 == run(["extract", str(tree / "none"), "-o", str(target)])
    assert "what was there" == target.read_text()


@pytest.fixture(scope="module")
def slow(large: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree whose scan takes longer than a test needs to stop it."""
    folder = tmp_path_factory.mktemp("slow") / "tree"
    for number in range(15):
        shutil.copytree(large / "cases", folder / f"cases_{number}")
        shutil.copytree(large / "copies", folder / f"copies_{number}")
    return folder


@pytest.mark.parametrize("jobs", ["1", "2"])
@pytest.mark.parametrize("before", [None, "what was there"], ids=["no file", "a file"])
def test_an_interrupt_leaves_everything_as_it_was(slow: Path, tmp_path: Path, jobs: str, before: str | None) -> None:
    """Ctrl-C in the middle of the scan: one line, exit code 130, nothing half written and no process left."""
    target = tmp_path / "errors.json"
    if before is not None:
        target.write_text(before)
    groups: list[int] = []

    def press(process: subprocess.Popen[bytes], shown: str) -> bool:
        if not re.search(r"\b[1-9]\d*/\d+", shown):
            return False
        groups.append(process.pid)
        interrupt(process)
        return True

    ended = on_terminal("extract", slow, "--jobs", jobs, "-o", target, meanwhile=press)

    assert 130 == ended.code
    assert ended.errors.rstrip().endswith("raisedex: stopped")
    assert "Traceback" not in ended.errors
    assert before == (target.read_text() if target.exists() else None)
    assert (before is not None) == bool(list(tmp_path.iterdir()))
    with pytest.raises(ProcessLookupError):
        os.killpg(groups[0], 0)


_HOSTILE = "red\x1b[31m\x07\nline\x9b\u202e.py"


def test_control_characters_of_file_names_never_reach_the_terminal(tmp_path: Path) -> None:
    """A diagnostic names the file, escaped."""
    folder = tmp_path / "tree"
    folder.mkdir()
    (folder / _HOSTILE).write_bytes(b"raise ValueError('\xff')\n")
    (folder / os.fsdecode(b"bytes\xff\x1b.py")).write_bytes(b"raise ValueError('\xff')\n")
    ended = on_terminal("extract", folder, "-o", tmp_path / "errors.json", environment={"TERM": "dumb"})

    assert r"red\x1b[31m\x07\nline\x9b\u202e.py: " in ended.errors
    assert r"bytes\xff\x1b.py: " in ended.errors
    assert {"\r", "\n"} >= {letter for letter in ended.errors if not letter.isprintable()}


@pytest.mark.parametrize("arguments", [["extract", _HOSTILE], ["extract", ".", "--exception", _HOSTILE, "-o", "x"]])
def test_control_characters_of_arguments_never_reach_the_terminal(
    arguments: list[str], tree: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tree)

    assert 2 == run(arguments)
    assert capfd.readouterr().err.rstrip("\n").isprintable()


def test_timings_name_every_phase_and_add_up(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("raise ValueError('a')\n")
    ended = raisedex("extract", tmp_path, "--quiet", "--timings")
    rows = re.findall(r"^  ([a-z]+) +(\d+\.\d\d) s +\d+%$", ended.errors, re.MULTILINE)
    seconds = {name: float(spent) for name, spent in rows}

    assert "start list read cache scan link encode write other all".split() == [name for name, _ in rows]
    assert len(rows) == ended.errors.count("\n")
    assert abs(sum(seconds.values()) - 2 * seconds["all"]) < 0.1
