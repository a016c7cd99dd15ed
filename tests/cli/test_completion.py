"""The completion scripts load in their shells and complete the command line."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import COMMAND, environment_of, raisedex

SHELLS = ("bash", "fish", "zsh")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a `raisedex` command, as an installation puts one on PATH."""
    folder = tmp_path_factory.mktemp("bin")
    command = " ".join(f"'{word}'" for word in COMMAND)
    (folder / "raisedex").write_text(f'#!/bin/sh\nexec {command} "$@"\n')
    (folder / "raisedex").chmod(0o755)
    return folder


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_is_printed(shell: str) -> None:
    ended = raisedex("completion", shell)

    assert (0, "") == (ended.code, ended.errors)
    assert f"_RAISEDEX_COMPLETE={shell}_complete" in ended.output.decode()


@pytest.mark.parametrize(
    ("words", "current", "expected"),
    [
        ("raisedex ex", 1, {"extract", "extract-many"}),
        ("raisedex ", 1, {"cache", "completion", "diff", "extract", "extract-many", "history", "show", "validate"}),
        ("raisedex extract --con", 2, {"--context"}),
        ("raisedex extract --ex", 2, {"--exception", "--exclude", "--executor"}),
        ("raisedex completion ", 2, set(SHELLS)),
        ("raisedex show c k --format ", 5, {"text", "json"}),
    ],
)
def test_the_command_answers_bash(words: str, current: int, expected: set[str]) -> None:
    environment = {"_RAISEDEX_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": str(current)}
    ended = raisedex(environment=environment)

    assert (0, "") == (ended.code, ended.errors)
    assert expected == {line.split(",")[1] for line in ended.output.decode().splitlines()}


def test_the_script_completes_in_bash(folder: Path) -> None:
    """As Tab does: load it, then call the function that it registers."""
    bash = shutil.which("bash")
    if bash is None:
        pytest.skip("there is no bash")
    program = (
        'eval "$(raisedex completion bash)"\n'
        "COMP_WORDS=(raisedex ex) COMP_CWORD=1\n"
        "$(complete -p raisedex | sed 's/.*-F \\([^ ]*\\).*/\\1/') raisedex ex raisedex\n"
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    path = f"{folder}:{Path(sys.executable).parent}:/usr/bin:/bin"
    ended = subprocess.run(
        [bash, "--norc", "-c", program], capture_output=True, text=True, env=environment_of({"PATH": path}), check=False
    )

    assert ("extract\nextract-many\n", "") == (ended.stdout, ended.stderr)


@pytest.mark.parametrize("shell", SHELLS)
def test_the_script_has_the_syntax_of_its_shell(shell: str) -> None:
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"there is no {shell}")
    ended = subprocess.run(
        [program, "-n"], input=raisedex("completion", shell).output, capture_output=True, check=False
    )

    assert (0, b"") == (ended.returncode, ended.stderr)
