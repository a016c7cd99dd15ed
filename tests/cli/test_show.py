"""`raisedex show` from the command line: what it prints where, and its exit codes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from extractor.cli.show import command
from extractor.corpus import encode, write_corpus
from extractor.errors import ExtractorError
from extractor.model import Corpus
from extractor.validation import load_schema
from tests.sample import CORPUS, HOSTILE, SEED, TRANSLATED, corpus_of, worded

pty = pytest.importorskip("pty", reason="Windows has no pseudo-terminals")


@pytest.fixture
def catalog(tmp_path: Path) -> str:
    """Return the path of the sample corpus."""
    write_corpus(CORPUS, tmp_path / "corpus.json")
    return str(tmp_path / "corpus.json")


def show(*arguments: str, stdin: bytes = b"") -> Result:
    """Run the command."""
    return CliRunner().invoke(command, arguments, input=stdin)


@pytest.mark.parametrize("key", [SEED.id, "9c1f0", "compilation.py:1055", "must be positive"])
def test_one_record_is_shown_as_a_page(catalog: str, key: str) -> None:
    """By id, the beginning of one, place or text."""
    result = show(catalog, key)

    assert (0, "") == (result.exit_code, result.stderr)
    assert result.stdout.startswith("ValueError: All encoder_cudagraph_token_budgets")
    assert f"id        {SEED.id}\n" in result.stdout


def test_several_records_are_listed(catalog: str) -> None:
    """The list goes to standard output, the remark to standard error."""
    result = show(catalog, "9c1f")

    assert 0 == result.exit_code
    assert [TRANSLATED.id, SEED.id] == [line.split()[0] for line in result.stdout.splitlines()]
    assert "2 errors fit '9c1f'; give an id for the page of one\n" == result.stderr


def test_nothing_found_is_exit_code_one(catalog: str) -> None:
    """One line on standard error says what to do, nothing on standard output."""
    result = show(catalog, "no\x1bbody")

    assert (1, "") == (result.exit_code, result.stdout)
    assert result.stderr.endswith("fits 'no\\x1bbody'; give an id, path:line or text\n")
    assert 1 == result.stderr.count("\n")


def test_one_record_as_json_is_the_record(catalog: str) -> None:
    """It is what the corpus holds, and has the record schema's fields."""
    result = show(catalog, SEED.id, "--format", "json")

    assert json.loads(encode(CORPUS))["records"][3] == json.loads(result.stdout)
    assert list(load_schema("record")["properties"]) == list(json.loads(result.stdout))


def test_several_records_as_json_are_a_list(catalog: str) -> None:
    """The list has whole records."""
    result = show(catalog, "9c1f", "--format", "json")

    assert [TRANSLATED.id, SEED.id] == [record["id"] for record in json.loads(result.stdout)]


@pytest.mark.parametrize("text", HOSTILE)
def test_json_is_as_harmless_as_the_page(tmp_path: Path, text: str) -> None:
    """What a terminal acts on is escaped, and the JSON says the same."""
    write_corpus(corpus_of(worded(text)), tmp_path / "corpus.json")

    result = show(str(tmp_path / "corpus.json"), "d41d", "--format", "json")

    assert text == json.loads(result.stdout)["message"]
    assert result.stdout.replace("\n", "").isprintable()


def test_the_corpus_may_come_from_standard_input() -> None:
    """`-` stands for it."""
    result = show("-", SEED.id, stdin=encode(CORPUS))

    assert 0 == result.exit_code
    assert SEED.id in result.stdout


@pytest.mark.parametrize(
    ("arguments", "stdin", "expected"),
    [
        (("none.json", "x"), b"", "cannot read 'none.json': there is no such file; check the path"),
        (("-", "x"), b"{", "standard input is cut off at its end; make a corpus with 'raisedex extract'"),
    ],
)
def test_a_corpus_that_cannot_be_read_is_an_error_of_ours(
    arguments: tuple[str, ...], stdin: bytes, expected: str
) -> None:
    """The command line's root turns it into exit code 2."""
    result = show(*arguments, stdin=stdin)

    assert isinstance(result.exception, ExtractorError)
    assert expected == str(result.exception)


@pytest.mark.parametrize(
    ("environment", "expected"),
    [
        ({"TERM": "xterm"}, True),
        ({"TERM": "xterm", "NO_COLOR": "1"}, False),
        ({"TERM": "xterm", "NO_COLOR": ""}, True),  # no-color.org: only when it is not empty
        ({"TERM": "dumb"}, False),
    ],
)
def test_colours_on_a_terminal(catalog: str, environment: dict[str, str], expected: bool) -> None:
    """Colours are there on a terminal unless it or its user does not want them."""
    assert expected == ("\x1b[" in _on_terminal(catalog, environment))


def test_no_colours_in_a_pipe(catalog: str) -> None:
    """Not even where the environment asks for them."""
    environment = os.environ | {"TERM": "xterm", "FORCE_COLOR": "1", "PYTHONIOENCODING": "ascii"}
    shown = subprocess.run(_program(catalog), env=environment, capture_output=True, check=True)

    assert b"\x1b" not in shown.stdout


@pytest.mark.parametrize(("columns", "least", "most"), [(60, 50, 60), (90, 80, 90), (300, 90, 100)])
def test_the_page_is_as_wide_as_the_terminal_up_to_a_hundred_columns(
    catalog: str, columns: int, least: int, most: int
) -> None:
    """Prose on a very wide terminal stays readable."""
    lines = _on_terminal(catalog, {"TERM": "dumb", "COLUMNS": str(columns)}).splitlines()

    assert least < max(len(line) for line in lines if not line.startswith("link")) <= most


def test_what_is_slow_to_import_is_imported_when_needed() -> None:
    """`raisedex --help` reads the commands without paying for their libraries."""
    slow = "{'rich', 'orjson', 'jsonschema', 'referencing'}"
    program = f"import sys, extractor.cli.show, extractor.cli.validate; print({slow} & set(sys.modules))"
    shown = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True)

    assert "set()\n" == shown.stdout


def test_hostile_text_reaches_no_terminal(tmp_path: Path) -> None:
    """End to end: what the analysed code says cannot set the title or the colour of a terminal."""
    corpus: Corpus = corpus_of(worded("\x1b]0;owned\x07\x9b31m"))
    write_corpus(corpus, tmp_path / "corpus.json")

    shown = _on_terminal(str(tmp_path / "corpus.json"), {"TERM": "dumb"}, key="d41d")

    assert r"\x1b]0;owned\x07\x9b31m" in shown
    assert {"\r", "\n"} == {letter for letter in shown if not letter.isprintable()}


def _program(catalog: str, key: str = SEED.id) -> list[str]:
    return [sys.executable, "-c", "from extractor.cli.show import command; command()", catalog, key]


def _on_terminal(catalog: str, environment: dict[str, str], key: str = SEED.id) -> str:
    """Return what the program writes to a pseudo-terminal."""
    ours, theirs = pty.openpty()
    inherited = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS", "TERM")}
    with subprocess.Popen(_program(catalog, key), stdout=theirs, env=inherited | environment):
        os.close(theirs)
        written = b"".join(iter(lambda: _chunk(ours), b""))
    os.close(ours)
    return written.decode()


def _chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""  # Linux reports the end of a pseudo-terminal as an error
