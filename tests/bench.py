"""How long raisedex takes beside public tools, measured in turn in one run.

    python -m tests.bench FOLDER [--runs N]

FOLDER is a Python tree, such as an unpacked release; nothing is written into it. Each round runs everything once, one
after the other, so that what else the machine does meets all alike; the table has medians, and ratios to a tool that
only locates what raisedex explains. Tools that are not installed are left out: `ast-grep` and `ruff`, both from the
package index.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

# Also where this Python's own scripts are.
_PATH = os.pathsep.join([os.path.dirname(sys.executable), os.environ.get("PATH", "")])
_TOUCHED = 20
_COPIES = 4
# A visitor over whole trees is so slow that a share of the files must do.
_SAMPLE = 20
_VISIT = """
import contextlib, sys, libcst
from libcst.metadata import MetadataWrapper, PositionProvider
class Raises(libcst.CSTVisitor):
    METADATA_DEPENDENCIES = (PositionProvider,)
    def visit_Raise(self, node):
        self.get_metadata(PositionProvider, node)
for name in sys.stdin.read().splitlines():
    with open(name, "rb") as file, contextlib.suppress(libcst.ParserSyntaxError, SyntaxError, ValueError):
        MetadataWrapper(libcst.parse_module(file.read()), unsafe_skip_copy=True).visit(Raises())
"""
_PARSE = """
import ast, contextlib, sys
for name in sys.stdin.read().splitlines():
    with open(name, "rb") as file, contextlib.suppress(SyntaxError, ValueError):
        ast.parse(file.read())
"""
# Runs a command and prints the largest memory that any process below it had, in KiB.
_MEASURED = """
import resource, subprocess, sys
code = subprocess.call(sys.argv[1:], stdout=subprocess.DEVNULL)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)
sys.exit(code)
"""


@dataclass(frozen=True, slots=True)
class Case:
    """Something that is timed.

    Attributes:
        name: Its row in the table.
        command: What is run, without a shell.
        given: What it reads from standard input.
        variables: What is added to its environment.
        before: What is done first and not timed.
        scale: What the time is multiplied by, for one that sees only a share of the files.
        exits: The exit codes that are no failure.

    """

    name: str
    command: Sequence[str]
    given: str = ""
    variables: Mapping[str, str] | None = None
    before: Callable[[], None] = lambda: None
    scale: float = 1.0
    exits: frozenset[int] = frozenset({0})


def cases_of(folder: Path, work: Path) -> Iterator[Case]:
    """Yield what is timed on a tree; `work` is a folder for all that is written."""
    files = sorted(str(file) for file in folder.rglob("*.py"))
    listed = "\n".join(files)
    found = shutil.which("ast-grep", path=_PATH)
    if found:
        yield Case(
            "ast-grep: locate raise ValueError",
            [found, "run", "-p", "raise ValueError($$$)", "-l", "py", "--json=stream", str(folder)],
        )
    yield from _of_raisedex(folder, work)
    yield Case("ast.parse of the same files", [sys.executable, "-W", "ignore", "-c", _PARSE], listed)
    ruff = shutil.which("ruff", path=_PATH)
    if ruff:
        yield Case(
            "ruff: TRY003",
            [ruff, "check", "--isolated", "--no-cache", "--quiet", "--exit-zero", "--select", "TRY003", str(folder)],
        )
    sample = files[::_SAMPLE]
    share = sum(map(os.path.getsize, sample)) / max(1, sum(map(os.path.getsize, files)))
    yield Case(
        f"plain LibCST visitor, from every {_SAMPLE}th file",
        [sys.executable, "-c", _VISIT],
        "\n".join(sample),
        scale=1 / share if share else 1.0,
    )


def _of_raisedex(folder: Path, work: Path) -> Iterator[Case]:
    command = [sys.executable, "-P", "-m", "extractor", "extract", "--quiet", "-o", os.devnull]
    cache = work / "cache"
    environment = {"RAISEDEX_CACHE_DIR": str(cache)}
    yield Case("raisedex: no cache", [*command, "--no-cache", str(folder)])
    yield Case("raisedex: no cache, --jobs 1", [*command, "--no-cache", "--jobs", "1", str(folder)])
    repository = _Repository(folder, work / "repository")
    revision = [*command, str(repository.folder), "--rev", "HEAD"]
    yield Case(
        "raisedex: first run of a revision",
        revision,
        variables=environment,
        before=lambda: shutil.rmtree(cache, ignore_errors=True),
    )
    yield Case("raisedex: the same revision again", revision, variables=environment)
    yield Case(
        f"raisedex: a commit that touches {_TOUCHED} files", revision, variables=environment, before=repository.touch
    )
    copies = work / "copies"
    for number in range(_COPIES):
        shutil.copytree(folder, copies / f"copy_{number}", ignore=shutil.ignore_patterns(".git"))
    yield Case(f"raisedex: {_COPIES} copies of the tree, no cache", [*command, "--no-cache", str(copies)])


class _Repository:
    """A git repository that holds a copy of a tree."""

    def __init__(self, tree: Path, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(tree, folder, ignore=shutil.ignore_patterns(".git"))
        self._git("init", "--quiet")
        self._commit()
        raising = [file for file in sorted(folder.rglob("*.py")) if b"raise " in file.read_bytes()]
        self._touched = raising[:: max(1, len(raising) // _TOUCHED)][:_TOUCHED]

    def touch(self) -> None:
        """Commit a change of some files that hold a raise statement."""
        for file in self._touched:
            with file.open("a", encoding="utf-8") as opened:
                opened.write(f"# {time.time_ns()}\n")
        self._commit()

    def _commit(self) -> None:
        self._git("add", "--all", "--force")
        self._git("-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "--quiet", "--message=x")

    def _git(self, *arguments: str) -> None:
        subprocess.run(["git", "-C", str(self.folder), *arguments], check=True, capture_output=True)


@dataclass(slots=True)
class Row:
    """What was measured of a case: seconds of each round, and the memory of its largest process in MiB."""

    case: Case
    seconds: list[float]
    memory: float = 0.0

    def measure(self) -> None:
        """Run the case once."""
        self.case.before()
        start = time.perf_counter()
        ended = subprocess.run(
            [sys.executable, "-c", _MEASURED, *self.case.command],
            input=self.case.given,
            capture_output=True,
            text=True,
            env={**os.environ, **(self.case.variables or {})},
            check=False,
        )
        if ended.returncode not in self.case.exits:
            raise SystemExit(f"{self.case.name} failed: {ended.stderr.strip().splitlines()[-1:]}")
        self.seconds.append((time.perf_counter() - start) * self.case.scale)
        self.memory = max(self.memory, int(ended.stdout) / 1024)


def table(rows: Sequence[Row]) -> str:
    """Return the figures as a Markdown table; ratios are to the first row, round by round."""
    lines = [
        f"| | seconds | ratio to {rows[0].case.name.partition(':')[0]} | largest process |",
        "| --- | ---: | ---: | ---: |",
    ]
    for row in rows:
        ratio = median(own / other for own, other in zip(row.seconds, rows[0].seconds, strict=True))
        lines.append(f"| {row.case.name} | {median(row.seconds):.2f} | {ratio:.2f} | {row.memory:.0f} MiB |")
    return "\n".join(lines)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench", description="Time raisedex beside public tools.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--runs", type=int, default=5, help="rounds; the table has their medians")
    arguments = parser.parse_args()
    if not arguments.folder.is_dir():
        parser.error(f"{str(arguments.folder)!r} is no folder")
    with tempfile.TemporaryDirectory(prefix="raisedex-bench-") as work:
        rows = [Row(case, []) for case in cases_of(arguments.folder.resolve(), Path(work))]
        for number in range(arguments.runs):
            for row in rows:
                print(f"round {number + 1}: {row.case.name}", file=sys.stderr)
                row.measure()
    print(table(rows))


if __name__ == "__main__":
    main()
