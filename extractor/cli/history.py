"""`raisedex history`: since when each error of a repository exists, and what became of it."""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, closing
from typing import TYPE_CHECKING

import click

from extractor.cli import options
from extractor.cli.output import write_text
from extractor.model import Options
from extractor.printable import printable

if TYPE_CHECKING:
    from extractor.cache import Cache
    from extractor.cli.progress import Progress
    from extractor.model import Corpus
    from extractor.source.revisions import Revision

_CACHE_LIMIT = 1 << 30


@click.command("history", short_help="Show since when errors exist, and what became of them.")
@click.argument("repository", metavar="REPO", type=click.Path(exists=True, file_okay=False))
@click.argument("span", metavar="[RANGE]", required=False)
@click.option("--tags", metavar="GLOB", help="Walk only tags that fit, such as 'v*'.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A table for people, or what 'raisedex extract --history' reads.",
)
@click.option("--all", "every", is_flag=True, help="List also the errors that never changed.")
@options.exceptions
@options.include
@options.exclude
@options.jobs
@options.no_cache
@click.option("--quiet", "-q", is_flag=True, help="Print no progress.")
@click.option("--output", "-o", type=click.Path(allow_dash=True), help="File to write; - or nothing for stdout.")
def command(
    repository: str,
    span: str | None,
    tags: str | None,
    form: str,
    every: bool,
    exceptions: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    jobs: int | None,
    no_cache: bool,
    quiet: bool,
    output: str | None,
) -> None:
    """Follow the errors of the git repository REPO over its revisions.

    RANGE is A..B, A.. or B, along first parents; all commits up to HEAD without it. With --tags only the tags in it are
    walked. What earlier runs found is used, so that a revision costs what it changed. As JSON it is what 'raisedex
    extract --history' reads.

    \b
    Examples:
      raisedex history . --tags "v*"
      raisedex history . v1.0..HEAD
      raisedex history . --tags "v*" --format json -o history.json
    """
    from extractor.cli.progress import progress_on
    from extractor.history import encode_history, trace
    from extractor.source.revisions import list_revisions

    revisions = list_revisions(repository, span, tags)
    wanted = Options(exceptions, include, exclude)
    with ExitStack() as stack:
        cache = stack.enter_context(closing(_cache(stack, no_cache=no_cache)))
        progress = stack.enter_context(progress_on(sys.stderr, quiet=quiet, doing="walking", what="revisions"))
        history = trace(_corpora(repository, revisions, wanted, jobs, cache, progress))
        if cache.remark is not None and not quiet:
            click.echo(f"raisedex: {printable(cache.remark)}", err=True)
    if form == "json":
        text = encode_history(history)
    else:
        from extractor.cli.lives import render_history
        from extractor.cli.terminal import Display, display_of

        display = display_of(sys.stdout) if output in (None, "-") else Display()
        text = render_history(history, display=display, every=every)
    write_text(text, output)


def _cache(stack: ExitStack, *, no_cache: bool) -> Cache:
    from extractor.cache import Cache, store_of_facts
    from extractor.store import Store

    if not no_cache:
        return Cache(store_of_facts())
    # Without any, each revision would cost a whole run.
    folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="raisedex-"))
    return Cache(Store(os.path.join(folder, "facts.sqlite3"), _CACHE_LIMIT))


def _corpora(
    repository: str,
    revisions: tuple[Revision, ...],
    wanted: Options,
    jobs: int | None,
    cache: Cache,
    progress: Progress | None,
) -> Iterator[tuple[Revision, Corpus]]:
    from extractor.corpus import decode
    from extractor.pipeline import available_cores, extract_document
    from extractor.source import open_source

    for number, revision in enumerate(revisions, start=1):
        tree = open_source(repository, revision=revision.commit, include=wanted.include, exclude=wanted.exclude)
        document = extract_document(tree, wanted, jobs=jobs or available_cores(), cache=cache)
        yield revision, decode(document.data, name=revision.name)
        if progress is not None:
            progress(number, len(revisions))
