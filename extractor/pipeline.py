"""The stages in a row: a tree's files to facts, facts to records, records to a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from extractor import __version__
from extractor.cache import Cache
from extractor.collection import collection_paused
from extractor.corpus import decode, encode
from extractor.document import Document, Lines
from extractor.facts import NOTHING, FileFacts, Wanted
from extractor.model import ID_VERSION, SCHEMA_VERSION, Corpus, Diagnostic, Options, Record, Summary, Tool
from extractor.quoting import show_path
from extractor.scanning import Progress, Scanning
from extractor.source import Tree, permalink
from extractor.summary import summarize
from extractor.survey import Survey
from extractor.timings import Timings

if TYPE_CHECKING:
    from extractor.link import Demand, Linked

Diagnostics = tuple[Diagnostic, ...]
# Is called when the records come anew, and returns what takes them.
Restart = Callable[[], Callable[[Record], None]]


def extract(
    tree: Tree,
    options: Options,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    cache: Cache | None = None,
) -> Corpus:
    """Return the error catalog of a tree.

    Args:
        tree: An opened source.
        options: What is to be in the corpus.
        jobs: How many processes scan files; 1 scans in this one.
        executor: Scans the files instead, and is not shut down; the corpus is the same. Files over which its workers
            die are scanned by processes of our own.
        progress: Is told how many files are done of how many.
        cache: What earlier runs found and this one adds to; the corpus is the same without it.

    Raises:
        ExtractorError: The source turned out unreadable, an option fits nothing in it, or the executor is lost.

    """
    # An unchanged tree is not linked again, and needs none of what that takes to import.
    from extractor.link import select

    cache = cache or Cache(None)
    run = _Run(tree, Survey(tree, cache), options, cache, Timings())
    records: list[Record] = []

    def restart() -> Callable[[Record], None]:
        records.clear()
        return records.append

    diagnostics = run.extract(jobs, executor, progress, restart)
    kept = select(records, options.exceptions)
    counts = summarize(kept, diagnostics, files=len(tree.entries), lines=run.survey.lines)
    return replace(run.head(counts, diagnostics), records=tuple(kept))


def extract_document(
    tree: Tree,
    options: Options,
    *,
    jobs: int = 1,
    executor: Executor | None = None,
    progress: Progress | None = None,
    cache: Cache,
    timings: Timings | None = None,
) -> Document:
    """Return the error catalog of a tree as JSON; where nothing changed since an earlier run it is the one made then.

    The arguments and errors are those of `extract`; `timings` is told where the time goes.
    """
    timings = timings or Timings()
    with timings.phase("read"):
        survey = Survey(tree, cache)
    described = (
        (tree.info, options, tree.entries, sorted(tree.projects), tree.diagnostics),
        (sorted(survey.blobs.items()), survey.diagnostics),
    )
    with timings.phase("cache"):
        known = cache.document(*described)
        if known is not None:
            return Document(decode(known[0], name="the cache"), known[1].split(b"\n") if known[1] else ())
    run = _Run(tree, survey, options, cache, timings)
    document = run.document(jobs, executor, progress)
    with timings.phase("cache"):
        cache.keep_document(encode(document.head), document.lines, *described)
    return document


@dataclass(frozen=True, slots=True)
class _Run:
    """One extraction: what is read, how, and where that is noted."""

    tree: Tree
    survey: Survey
    options: Options
    cache: Cache
    timings: Timings

    def document(self, jobs: int, executor: Executor | None, progress: Progress | None) -> Document:
        """Return the catalog with its records encoded as they come, if it is not some of them that are asked for."""
        from extractor.link import select

        records: list[Record] = []
        lines = Lines()

        def restart() -> Callable[[Record], None]:
            nonlocal lines
            records.clear()
            lines = Lines()
            return records.append if self.options.exceptions else lines.add

        diagnostics = self.extract(jobs, executor, progress, restart)
        with self.timings.phase("encode"):
            for record in select(records, self.options.exceptions) if self.options.exceptions else ():
                lines.add(record)
            counts = lines.counts.summary(diagnostics, files=len(self.tree.entries), lines=self.survey.lines)
            return Document(self.head(counts, diagnostics), lines)

    def head(self, summary: Summary, diagnostics: tuple[Diagnostic, ...]) -> Corpus:
        """Return a corpus without records."""
        return Corpus(
            schema_version=SCHEMA_VERSION,
            id_version=ID_VERSION,
            tool=Tool("raisedex", __version__),
            source=self.tree.info,
            options=self.options,
            summary=summary,
            records=(),
            diagnostics=diagnostics,
        )

    def extract(self, jobs: int, executor: Executor | None, progress: Progress | None, restart: Restart) -> Diagnostics:
        """Scan and link; `restart` gives what takes the records whenever they come anew."""
        context = self.options.context
        with Scanning(self.survey, self.cache, context=context, jobs=jobs, executor=executor) as scanning:
            with self.timings.phase("scan"):
                scanning.scan(self.survey.relevant(), progress)
            linked = self._linked(scanning, restart)
        return _diagnostics(self.tree, self.survey, scanning.facts.values(), linked)

    def _linked(self, scanning: Scanning, restart: Restart) -> Linked:
        from extractor.link import link
        from extractor.link.modules import Modules

        modules = Modules(self.survey.paths, self.tree.projects)
        permalinks = _permalinks(self.tree)
        read: dict[str, Wanted] = {}
        only: frozenset[tuple[str, int, int]] | None = None
        # The first time there is hardly a tree of which nothing else has to be known.
        keep: Callable[[Record], None] = _nobody_keeps
        while True:
            with self.timings.phase("link"), collection_paused():
                linked = link(scanning.facts, modules, permalinks, only, keep)
                wanted = _wanted(linked.demand, self.survey, read)
            if not wanted and keep is not _nobody_keeps:
                return linked
            # Until those that showed a demand have no more of it, the other sites need not be looked at again.
            only, keep = (linked.demand.sites, _nobody_keeps) if wanted else (None, restart())
            read.update(wanted)
            with self.timings.phase("scan"):
                scanning.scan(list(wanted), wanted=wanted)


def _nobody_keeps(record: Record) -> None:
    pass


def _wanted(demand: Demand, survey: Survey, read: Mapping[str, Wanted]) -> dict[str, Wanted]:
    """Return the files to scan and what to read in them, without those that another scan would not better."""
    wanted = {path: NOTHING for path in demand.files if path not in read}
    asked = [*((path, Wanted(names)) for path, names in demand.functions), *survey.callers(demand.calls)]
    for path, more in asked:
        known = wanted.get(path, NOTHING) | read.get(path, NOTHING)
        if not known.covers(more):
            wanted[path] = known | more
    return dict(sorted(wanted.items()))


def _permalinks(tree: Tree) -> Callable[[str, int, int], str | None]:
    pinned = {entry.path for entry in tree.entries if entry.pinned}
    info = tree.info

    def link_to(path: str, first: int, last: int) -> str | None:
        if info.repository is None or info.commit is None or path not in pinned:
            return None
        inside = f"{info.subdirectory}/{path}" if info.subdirectory else path
        return permalink(info.repository, info.commit, inside, first, last)

    return link_to


def _diagnostics(tree: Tree, survey: Survey, facts: Iterable[FileFacts], linked: Linked) -> tuple[Diagnostic, ...]:
    of_files = (each for file in facts for each in file.diagnostics)
    every = [*tree.diagnostics, *survey.diagnostics, *of_files, *linked.diagnostics]
    shown = {replace(each, path=show_path(each.path)) for each in every}
    return tuple(sorted(shown, key=lambda each: (each.path, each.line or 0, each.code, each.message)))


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
