"""`raisedex validate` from the command line: one line for each problem, and its exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from extractor.cli.validate import command
from extractor.corpus import encode
from tests.sample import CORPUS, SEED, corpus_of

VALID = encode(CORPUS)
CUT = VALID[:900]


def _broken(count: int) -> bytes:
    raw = json.loads(encode(corpus_of(*[SEED] * count)))
    for record in raw["records"]:
        record["title"] = None
    return json.dumps(raw).encode()


def validate(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str, stdin: bytes = b"") -> Result:
    """Run the command in a folder with one file of each sort."""
    for name, data in {"good.json": VALID, "cut.json": CUT, "bad.json": _broken(2), "worse.json": _broken(30)}.items():
        (folder / name).write_bytes(data)
    monkeypatch.chdir(folder)
    return CliRunner().invoke(command, names, input=stdin)


@pytest.mark.parametrize(
    ("names", "code", "stdout", "stderr"),
    [
        (["good.json"], 0, ["good.json: valid"], ""),
        (["cut.json"], 1, ["cut.json: /: is cut off at its end"], ""),
        (
            ["good.json", "bad.json"],
            1,
            [
                "good.json: valid",
                "bad.json: /records/0/title: None is not of type 'string'",
                "bad.json: /records/1/title: None is not of type 'string'",
            ],
            "",
        ),
        (
            ["none.json", "cut.json"],  # one file that cannot be read does not keep the others from being checked
            2,
            ["cut.json: /: is cut off at its end"],
            "raisedex: cannot read 'none.json': there is no such file; check the path\n",
        ),
    ],
)
def test_validate(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, names: list[str], code: int, stdout: list[str], stderr: str
) -> None:
    """The worst of the files decides the exit code."""
    result = validate(tmp_path, monkeypatch, *names)

    assert (code, stdout, stderr) == (result.exit_code, result.stdout.splitlines(), result.stderr)


def test_a_corpus_may_come_from_standard_input(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`-` stands for it."""
    result = validate(tmp_path, monkeypatch, "-", stdin=VALID)

    assert (0, "-: valid\n") == (result.exit_code, result.stdout)


def test_the_output_is_capped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Thousands of equal problems are said in a few lines."""
    lines = validate(tmp_path, monkeypatch, "worse.json").stdout.splitlines()

    assert 21 == len(lines)
    assert "worse.json: more than 20 problems; mend these first" == lines[-1]


def test_what_a_broken_file_holds_cannot_act_on_the_terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Names and values in messages are escaped."""
    raw = json.loads(encode(CORPUS))
    raw["\x9b31m"] = 1

    result = validate(tmp_path, monkeypatch, "-", stdin=json.dumps(raw).encode())

    assert 1 == result.exit_code
    assert result.stdout.removesuffix("\n").isprintable()
