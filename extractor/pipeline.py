"""The stages in a row: a tree's files to facts, facts to records, records to a corpus."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from extractor import __version__
from extractor.facts import FileFacts
from extractor.link import Demand, link, select
from extractor.link.modules import Modules
from extractor.model import ID_VERSION, SCHEMA_VERSION, Corpus, Diagnostic, Options, Record, Tool
from extractor.source import Tree, permalink
from extractor.summary import summarize

# (files done, files in all)
Progress = Callable[[int, int], None]

# Chunks are cut by size so that no worker is left with the large files at the end.
_CHUNK_BYTES = 400_000
_WORTH_A_PROCESS = 4 * _CHUNK_BYTES


def extract(tree: Tree, options: Options, *, jobs: int = 1, progress: Progress | None = None) -> Corpus:
    """Return the error catalog of a tree.

    Args:
        tree: An opened source.
        options: What is to be in the corpus.
        jobs: How many processes scan files; 1 scans in this one.
        progress: Is told how many files are done of how many.

    Raises:
        ExtractorError: The source turned out unreadable, or an option fits nothing in it.

    """
    survey = Survey.of(tree)
    with Scanning(options.context, jobs) as scanning:
        scanning.scan(survey.relevant(), progress)
        records = _linked(tree, survey, scanning)
    diagnostics = _diagnostics(tree, survey, scanning.facts.values())
    kept = select(records, options.exceptions)
    return Corpus(
        schema_version=SCHEMA_VERSION,
        id_version=ID_VERSION,
        tool=Tool("raisedex", __version__),
        source=tree.info,
        options=options,
        summary=summarize(kept, diagnostics, files=len(tree.entries), lines=survey.lines),
        records=tuple(kept),
        diagnostics=diagnostics,
    )


@dataclass(slots=True)
class Survey:
    """The bytes of a tree's files, read once, and what reading them refused."""

    contents: dict[str, bytes] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    lines: int = 0

    @classmethod
    def of(cls, tree: Tree) -> Survey:
        """Read a whole tree."""
        survey = cls()
        for entry, content in tree.read(tree.entries):
            if isinstance(content, Diagnostic):
                survey.diagnostics.append(content)
            else:
                survey.contents[entry.path] = content
                survey.lines += content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
        return survey

    def relevant(self) -> list[tuple[str, bytes]]:
        """Return the files that can hold a raise statement; the others are scanned only if link asks for them."""
        return [(path, content) for path, content in self.contents.items() if b"raise" in content]


class Scanning:
    """Scans files, in other processes if there are enough of them, and keeps their facts by path."""

    def __init__(self, context: int, jobs: int) -> None:
        self.facts: dict[str, FileFacts] = {}
        self._context, self._jobs = context, jobs
        self._executor: Executor | None = None

    def __enter__(self) -> Scanning:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._executor is not None:
            self._executor.shutdown(cancel_futures=True)

    def scan(
        self, files: Sequence[tuple[str, bytes]], progress: Progress | None = None, *, thorough: bool = False
    ) -> None:
        """Scan these files, (path, bytes) each."""
        done = 0
        for chunk in self._scanned(_chunks(files), thorough=thorough, size=sum(len(content) for _, content in files)):
            self.facts.update((facts.path, facts) for facts in chunk)
            done += len(chunk)
            if progress is not None:
                progress(done, len(files))

    def _scanned(
        self, chunks: Iterable[list[tuple[str, bytes]]], *, thorough: bool, size: int
    ) -> Iterator[list[FileFacts]]:
        work = partial(scan_chunk, context=self._context, thorough=thorough)
        if self._jobs < 2 or size < _WORTH_A_PROCESS:
            return map(work, chunks)
        if self._executor is None:
            self._executor = ProcessPoolExecutor(self._jobs)
        return self._executor.map(work, chunks)


def scan_chunk(chunk: Sequence[tuple[str, bytes]], *, context: int, thorough: bool) -> list[FileFacts]:
    """Return the facts of some files; runs in a worker process."""
    from extractor.scan import scan

    return [scan(path, content, context=context, thorough=thorough) for path, content in chunk]


def _chunks(files: Sequence[tuple[str, bytes]]) -> Iterator[list[tuple[str, bytes]]]:
    chunk: list[tuple[str, bytes]] = []
    size = 0
    for path, content in sorted(files, key=lambda file: (-len(file[1]), file[0])):
        chunk.append((path, content))
        size += len(content)
        if size >= _CHUNK_BYTES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk


def _linked(tree: Tree, survey: Survey, scanning: Scanning) -> list[Record]:
    modules = Modules(survey.contents, tree.projects)
    permalinks = _permalinks(tree)
    thorough: set[str] = set()
    while True:
        records, demand = link(scanning.facts, modules, permalinks)
        wanted = _wanted(demand, thorough)
        if not wanted:
            return records
        thorough.update(wanted)
        scanning.scan([(path, survey.contents[path]) for path in wanted], thorough=True)


def _wanted(demand: Demand, thorough: set[str]) -> list[str]:
    return sorted({*demand.missing, *demand.thorough} - thorough)


def _permalinks(tree: Tree) -> Callable[[str, int, int], str | None]:
    pinned = {entry.path for entry in tree.entries if entry.pinned}
    info = tree.info

    def link_to(path: str, first: int, last: int) -> str | None:
        if info.repository is None or info.commit is None or path not in pinned:
            return None
        inside = f"{info.subdirectory}/{path}" if info.subdirectory else path
        return permalink(info.repository, info.commit, inside, first, last)

    return link_to


def _diagnostics(tree: Tree, survey: Survey, facts: Iterable[FileFacts]) -> tuple[Diagnostic, ...]:
    every = [*tree.diagnostics, *survey.diagnostics, *(each for file in facts for each in file.diagnostics)]
    return tuple(sorted(set(every), key=lambda each: (each.path, each.line or 0, each.code, each.message)))


def available_cores() -> int:
    """Return how many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1
