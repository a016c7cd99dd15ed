"""`raisedex extract-many`: the projects of a list to a folder of corpora."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from extractor.cli import options
from extractor.cli.terminal import Display, display_of
from extractor.model import Options
from extractor.printable import printable

if TYPE_CHECKING:
    from extractor.batch import Batch, Outcome
    from extractor.catalogs import Catalogs

_MOST_FAILURES = 20


@click.command("extract-many", short_help="Write the error catalogs of many projects.")
@click.argument("file", metavar="LIST", type=click.Path(allow_dash=True))
@options.exceptions
@options.include
@options.exclude
@options.context
@options.jobs
@options.executor
@options.no_cache
@click.option("--again", is_flag=True, help="Extract also what is there from an earlier run.")
@click.option("--quiet", "-q", is_flag=True, help="Print neither progress nor summary.")
@click.option("--output", "-o", "folder", metavar="FOLDER", required=True, help="Folder to write to; made if need be.")
def command(
    file: str,
    exceptions: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    context: int,
    jobs: int | None,
    executor: str | None,
    no_cache: bool,
    again: bool,
    quiet: bool,
    folder: str,
) -> None:
    """Write a corpus for each project of LIST, and summary.json, which says what became of each.

    LIST is a file, or - for standard input, with one NAME==VERSION, path or repository@revision a line; a path is
    relative to the current folder. Empty lines and comments (#) are left out, and a project that comes again counts
    once. A project that fails costs only itself; then the exit code is 1.

    What an earlier run left in FOLDER is not done again, as long as the line, the options and raisedex are the same,
    whatever became of a folder or branch since: --again does it all again, which costs little where nothing changed.
    So a run that was stopped goes on where it was.

    \b
    Examples:
      raisedex extract-many projects.txt -o catalogs
      raisedex extract-many list.txt --executor dask:tcp://localhost:8786 -o all
    """
    from extractor.catalogs import Catalogs
    from extractor.corpus import read_bytes
    from extractor.projects import read_projects

    started = time.monotonic()
    data = sys.stdin.buffer.read() if file == "-" else read_bytes(file)
    projects = read_projects(data, "standard input" if file == "-" else file)
    wanted = Options(exceptions, include, exclude, context)
    catalogs = Catalogs(folder, projects, wanted, again=again)
    there = len(projects) - len(catalogs.missing)
    if catalogs.missing:
        _run(catalogs, wanted, jobs, executor, no_cache=no_cache, quiet=quiet)
    batch = catalogs.batch
    if not quiet:
        seconds = time.monotonic() - started
        click.echo(batch_text(batch, there=there, seconds=seconds, display=display_of(sys.stderr)), err=True, nl=False)
    if batch.summary.failed:
        raise click.exceptions.Exit(1)


def _run(
    catalogs: Catalogs, wanted: Options, jobs: int | None, executor: str | None, *, no_cache: bool, quiet: bool
) -> None:
    from extractor.cache import Cache, store_of_facts
    from extractor.cataloging import Cataloging
    from extractor.cli.progress import progress_on
    from extractor.pipeline import available_cores

    remarks: dict[str, None] = {}
    with (
        options.opened(executor) as scans,
        progress_on(sys.stderr, quiet=quiet, doing="cataloging", what="projects") as progress,
    ):
        Cataloging(
            wanted,
            jobs=jobs or available_cores(),
            executor=scans,
            open_cache=lambda: Cache(None if no_cache else store_of_facts()),
            remark=lambda remark: remarks.setdefault(remark),
        ).run(catalogs, progress)
    for remark in remarks if not quiet else ():
        click.echo(f"raisedex: {printable(remark)}", err=True)


def batch_text(batch: Batch, *, there: int, seconds: float, display: Display) -> str:
    """Return what became of the projects, and what is in their corpora, as lines."""
    counts = batch.summary
    failed = [each for each in batch.projects if each.status == "failed"]
    lines = [
        f"{counts.done:,} of {_counted(counts.projects, 'project')} done"
        f"{f', {there:,} of them before' if there else ''}: {_counted(counts.records, 'raise site')} "
        f"in {_counted(counts.files, 'file')} ({_counted(counts.lines, 'line')}), {seconds:.1f} s",
        *([f"  unresolved:  {counts.unresolved:,}"] if counts.unresolved else []),
        *([f"  diagnostics: {counts.diagnostics:,}"] if counts.diagnostics else []),
        *([f"  failed:      {counts.failed:,}"] if failed else []),
        *(f"    {_failure(each, display)}" for each in failed[:_MOST_FAILURES]),
    ]
    if len(failed) > _MOST_FAILURES:
        lines.append(f"    and {len(failed) - _MOST_FAILURES:,} more in the summary")
    return "".join(f"{line}\n" for line in lines)


def _failure(outcome: Outcome, display: Display) -> str:
    return printable(f"{outcome.project}: {outcome.error}", encoding=display.encoding)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
