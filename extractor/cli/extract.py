"""`raisedex extract`: a source to a corpus."""

from __future__ import annotations

import errno
import os
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import click

from extractor.cli import options
from extractor.errors import UnwritableFileError
from extractor.model import Options
from extractor.printable import printable
from extractor.timings import Timings

if TYPE_CHECKING:
    from collections.abc import Iterable

    from extractor.document import Document, Format


@click.command("extract", short_help="Write the error catalog of a source.")
@click.argument("source")
@click.option("--rev", metavar="REV", help="Branch, tag or commit to read from git objects; nothing is checked out.")
@click.option("--repo", metavar="OWNER/NAME", help="Repository for links: OWNER/NAME on GitHub, or a web address.")
@click.option("--commit", metavar="HEX", help="Full commit id that a source without git was made from, for links.")
@click.option("--sha256", metavar="HEX", help="Digest that an archive or release must have.")
@options.exceptions
@options.include
@options.exclude
@options.context
@options.jobs
@options.executor
@options.no_cache
@click.option(
    "--format",
    "form",
    type=click.Choice(["json", "jsonl"]),
    default="json",
    show_default=True,
    help="jsonl has all but the records in its first line, and then one record a line.",
)
@click.option("--previous", metavar="CORPUS", help="Earlier corpus whose ids live on, also of errors that moved since.")
@click.option("--history", metavar="FILE", help="What 'raisedex history --format json' wrote: since when errors exist.")
@click.option("--timings", "with_timings", is_flag=True, help="Print how long each phase took.")
@click.option("--strict", is_flag=True, help="Exit with 1 if there is a diagnostic.")
@click.option("--quiet", "-q", is_flag=True, help="Print neither progress nor summary.")
@click.option("--output", "-o", type=click.Path(allow_dash=True), help="File to write; - or nothing for stdout.")
def command(
    source: str,
    rev: str | None,
    repo: str | None,
    commit: str | None,
    sha256: str | None,
    exceptions: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    context: int,
    jobs: int | None,
    executor: str | None,
    no_cache: bool,
    form: Format,
    previous: str | None,
    history: str | None,
    with_timings: bool,
    strict: bool,
    quiet: bool,
    output: str | None,
) -> None:
    """Find every raise statement of SOURCE and write one record for each into a JSON corpus.

    SOURCE is a folder, a .py file, a git repository (with --rev), an sdist, wheel or zip file, or NAME==VERSION, a
    release from the package index that pip is configured for. Nothing of it is ever run.

    \b
    Examples:
      raisedex extract . -o errors.json
      raisedex extract . --rev v1.2.0 --exception ValueError -o errors.json
      raisedex extract src --exclude "tests/**" --strict -o errors.json
      raisedex extract requests==2.32.3 -o requests.json
      raisedex extract src --executor dask:tcp://127.0.0.1:8786 -o errors.json
    """
    _check_output(output)
    if previous is not None and history is not None:
        raise click.UsageError("give --previous or --history; each says what ids live on")
    started = time.monotonic()
    wanted = Options(exceptions, include, exclude, context)
    timings = Timings()
    document = _extract(
        source, rev, repo, commit, sha256, wanted, jobs, executor, timings, no_cache=no_cache, quiet=quiet
    )
    if previous is not None or history is not None:
        from extractor.cli.lineage import with_lineage

        with timings.phase("lineage"):
            document = with_lineage(document, previous=previous, history=history)
    with timings.phase("write"):
        _write(document.pieces(form), output)
    if not quiet:
        from extractor.cli.summary import summary_text
        from extractor.cli.terminal import display_of

        text = summary_text(document.head, seconds=time.monotonic() - started, display=display_of(sys.stderr))
        click.echo(text, err=True, nl=False)
    if with_timings:
        click.echo(timings_text(timings, seconds=time.monotonic() - started), err=True, nl=False)
    if strict and document.head.diagnostics:
        raise click.exceptions.Exit(1)


def _check_output(output: str | None) -> None:
    """Refuse at once what would otherwise fail when all the work is done."""
    if output is None or output == "-":
        if sys.stdout is None:
            raise click.UsageError("standard output is closed; give -o FILE")
        if sys.stdout.isatty():
            raise click.UsageError("a corpus is no reading for a terminal; give -o FILE or pipe it somewhere")
        return
    folder = os.path.dirname(os.path.realpath(output))
    if os.path.isdir(output):
        trouble = errno.EISDIR
    elif not os.path.isdir(folder):
        trouble = errno.ENOTDIR if os.path.exists(folder) else errno.ENOENT
    elif not os.access(output if os.path.exists(output) and not os.path.isfile(output) else folder, os.W_OK):
        trouble = errno.EACCES
    else:
        return
    raise UnwritableFileError(output, OSError(trouble, os.strerror(trouble)))


def _extract(
    source: str,
    rev: str | None,
    repo: str | None,
    commit: str | None,
    sha256: str | None,
    wanted: Options,
    jobs: int | None,
    executor: str | None,
    timings: Timings,
    *,
    no_cache: bool,
    quiet: bool,
) -> Document:
    from extractor.cache import Cache, store_of_facts
    from extractor.cli.progress import progress_on

    with timings.phase("start"):
        from extractor.pipeline import available_cores, extract_document
        from extractor.source import open_source

    with timings.phase("list"):
        tree = open_source(
            source,
            revision=rev,
            repository=repo,
            commit=commit,
            sha256=sha256,
            include=wanted.include,
            exclude=wanted.exclude,
        )
    with closing(Cache(None if no_cache else store_of_facts())) as cache:
        with options.opened(executor) as scans, progress_on(sys.stderr, quiet=quiet) as progress:
            document = extract_document(
                tree,
                wanted,
                jobs=jobs or available_cores(),
                executor=scans,
                progress=progress,
                cache=cache,
                timings=timings,
            )
        if cache.remark is not None and not quiet:
            click.echo(f"raisedex: {printable(cache.remark)}", err=True)
    return document


def timings_text(timings: Timings, *, seconds: float) -> str:
    """Return how long each phase took, and what share of the whole that is, as lines."""
    rows = [*timings.seconds.items(), ("other", seconds - sum(timings.seconds.values())), ("all", seconds)]
    return "".join(f"  {name:<8}{spent:8.2f} s{spent / seconds:6.0%}\n" for name, spent in rows)


def _write(pieces: Iterable[bytes], output: str | None) -> None:
    from extractor.corpus import write_pieces

    if output in (None, "-"):
        for piece in pieces:
            rest = memoryview(piece)
            # Under PYTHONUNBUFFERED there is no buffer, and one write may take a part only.
            while rest:
                rest = rest[sys.stdout.buffer.write(rest) :]
        sys.stdout.buffer.flush()
    else:
        assert output is not None
        write_pieces(pieces, output)
