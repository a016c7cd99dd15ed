"""The `raisedex` command as another program runs it: in a pipe, or on a terminal."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import click

from extractor.cli.main import cli
from extractor.folders import CACHE_VARIABLE

# `-P` so that the current folder of a test is not imported from.
COMMAND = (sys.executable, "-P", "-m", "extractor")
_CACHES = tempfile.TemporaryDirectory(prefix="raisedex-caches-")
_run = count()
# What would make the command say something else on this machine than elsewhere.
_LEFT_OUT = ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "TERM")


@dataclass(frozen=True, slots=True)
class Ended:
    """How a run ended, and what it printed."""

    code: int
    output: bytes
    errors: str


def raisedex(
    *arguments: str | Path, folder: Path | None = None, environment: Mapping[str, str] | None = None, stdin: bytes = b""
) -> Ended:
    """Run the command in a pipe."""
    ended = subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=folder,
        env=environment_of(environment),
        input=stdin,
        capture_output=True,
        timeout=120,
        check=False,
    )
    return Ended(ended.returncode, ended.stdout, ended.stderr.decode())


def on_terminal(
    *arguments: str | Path,
    environment: Mapping[str, str] | None = None,
    output_too: bool = False,
    meanwhile: Callable[[subprocess.Popen[bytes], str], bool] | None = None,
) -> Ended:
    """Run the command with its standard error (and its output, if so asked) on a pseudo-terminal.

    Args:
        meanwhile: Is given the process and all that the terminal got so far, until it says that it has seen enough.

    """
    import pty

    ours, theirs = pty.openpty()
    # A fresh session, so that a signal to its group reaches no other process.
    with subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=subprocess.DEVNULL,
        stdout=theirs if output_too else subprocess.DEVNULL,
        stderr=theirs,
        env=environment_of({"TERM": "xterm"} | dict(environment or {})),
        start_new_session=True,
    ) as process:
        os.close(theirs)
        written = b""
        while chunk := _chunk(ours):
            written += chunk
            if meanwhile is not None and meanwhile(process, written.decode("utf-8", "replace")):
                meanwhile = None
    os.close(ours)
    return Ended(process.returncode, b"", written.decode())


def environment_of(additions: Mapping[str, str] | None) -> dict[str, str]:
    """Return the environment for a run, which finds no cache of another one unless it is told of it."""
    usual = {name: value for name, value in os.environ.items() if name not in _LEFT_OUT}
    return usual | {CACHE_VARIABLE: f"{_CACHES.name}/{next(_run)}"} | dict(additions or {})


def command_of(name: str) -> click.Command:
    """Return a subcommand."""
    found = cli.get_command(click.Context(cli), name)
    assert found is not None, name
    return found


def words_of(line: str) -> list[str]:
    """Return what a shell would hand to the command; comments and redirections are left out."""
    words = shlex.split(line.partition(" >")[0], comments=True)
    assert "raisedex" == words[0]
    return words[1:]


def parse(line: str) -> click.Context:
    """Return the parsed command line, or fail as the command itself would."""
    name, *arguments = words_of(line)
    return command_of(name).make_context(f"raisedex {name}", arguments)


def interrupt(process: subprocess.Popen[bytes]) -> None:
    """Do what Ctrl-C does on a terminal: every process of the group gets the signal."""
    os.killpg(process.pid, signal.SIGINT)


def children(parent: int) -> list[int]:
    """Return the processes that a process has started; Linux only."""
    found = []
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if fields[0] != "Z" and int(fields[1]) == parent:
                found.append(int(folder.name))
    return sorted(found)


def wait_until(holds: Callable[[], bool], *, seconds: float = 30) -> bool:
    """Return whether something comes to hold in that time."""
    end = time.monotonic() + seconds
    while not holds():
        if time.monotonic() > end:
            return False
        time.sleep(0.02)
    return True


def _chunk(descriptor: int) -> bytes:
    try:
        return os.read(descriptor, 1 << 16)
    except OSError:
        return b""  # Linux reports the end of a pseudo-terminal as an error
