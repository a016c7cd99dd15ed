"""The stages in a row: a tree's files to facts, facts to records, records to a corpus."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from extractor import __version__
from extractor.collection import collection_paused
from extractor.facts import NOTHING, FileFacts, Wanted
from extractor.link import Demand, Linked, link, select
from extractor.link.modules import Modules
from extractor.model import ID_VERSION, SCHEMA_VERSION, Corpus, Diagnostic, Options, Tool
from extractor.quoting import show_path
from extractor.source import Tree, permalink
from extractor.summary import summarize
from extractor.workers import File, Order, Workers, scan_files

# (files done, files in all)
Progress = Callable[[int, int], None]

# Chunks are cut by size so that no worker is left with the large files at the end.
_CHUNK_BYTES = 400_000
_WORTH_A_PROCESS = 4 * _CHUNK_BYTES
_RAISE = re.compile(rb"\braise\b")
_CALLED = re.compile(rb"\b([A-Za-z_]\w*+)\(")
_MOST_CALLING_FILES = 24


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
        linked = _linked(tree, survey, scanning)
    diagnostics = _diagnostics(tree, survey, scanning.facts.values(), linked)
    kept = select(linked.records, options.exceptions)
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

    def relevant(self) -> list[File]:
        """Return the files that can hold a raise statement; the others are scanned only if link asks for them."""
        return [file for file in self.contents.items() if b"raise" in file[1] and _RAISE.search(file[1]) is not None]


class Scanning:
    """Scans files, in other processes if there are enough of them, and keeps their facts by path."""

    def __init__(self, context: int, jobs: int) -> None:
        self.facts: dict[str, FileFacts] = {}
        self._context, self._jobs = context, jobs
        self._workers: Workers | None = None

    def __enter__(self) -> Scanning:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._workers is not None:
            self._workers.close()

    def scan(
        self,
        files: Sequence[File],
        progress: Progress | None = None,
        *,
        wanted: Mapping[str, Wanted] | None = None,
    ) -> None:
        """Scan these files; `wanted` is what link wants to know of some of them."""
        done = 0
        report = progress or _nobody
        report(done, len(files))
        names = wanted or {}
        orders = [
            Order(chunk, self._context, {path: names[path] for path, _ in chunk if path in names})
            for chunk in _chunks(files)
        ]
        for found in self._scanned(orders, size=sum(len(content) for _, content in files)):
            self.facts.update((facts.path, facts) for facts in found)
            done += len(found)
            report(done, len(files))

    def _scanned(self, orders: Sequence[Order], *, size: int) -> Iterator[list[FileFacts]]:
        if self._jobs < 2 or (self._workers is None and size < _WORTH_A_PROCESS):
            yield from map(scan_files, orders)
            return
        if self._workers is None:
            self._workers = Workers(self._jobs)
        # Not where trees of syntax are in this process, which are cyclic.
        with collection_paused():
            yield from self._workers.scan(orders)


def _nobody(done: int, total: int) -> None:
    pass


def _chunks(files: Sequence[File]) -> Iterator[tuple[File, ...]]:
    chunk: list[File] = []
    size = 0
    for file in sorted(files, key=lambda file: (-len(file[1]), file[0])):
        chunk.append(file)
        size += len(file[1])
        if size >= _CHUNK_BYTES:
            yield tuple(chunk)
            chunk, size = [], 0
    if chunk:
        yield tuple(chunk)


def _linked(tree: Tree, survey: Survey, scanning: Scanning) -> Linked:
    modules = Modules(survey.contents, tree.projects)
    permalinks = _permalinks(tree)
    read: dict[str, Wanted] = {}
    callers = Callers(survey.contents)
    only: frozenset[tuple[str, int, int]] | None = None
    while True:
        with collection_paused():
            linked = link(scanning.facts, modules, permalinks, only)
        wanted = _wanted(linked.demand, callers, read)
        if not wanted and only is None:
            return linked
        # Until those that showed a demand have no more of it, the other sites need not be looked at again.
        only = linked.demand.sites if wanted else None
        read.update(wanted)
        scanning.scan([(path, survey.contents[path]) for path in wanted], wanted=wanted)


def _wanted(demand: Demand, callers: Callers, read: Mapping[str, Wanted]) -> dict[str, Wanted]:
    """Return the files to scan and what to read in them, without those that another scan would not better."""
    wanted = {path: NOTHING for path in demand.files if path not in read}
    asked = [*((path, Wanted(names)) for path, names in demand.functions), *callers.of(demand.calls)]
    for path, more in asked:
        known = wanted.get(path, NOTHING) | read.get(path, NOTHING)
        if not known.covers(more):
            wanted[path] = known | more
    return dict(sorted(wanted.items()))


class Callers:
    """Finds the files that may call a function, by its name in their bytes."""

    def __init__(self, contents: Mapping[str, bytes]) -> None:
        self._contents = contents
        self._asked: set[str] = set()

    def of(self, names: Iterable[str]) -> list[tuple[str, Wanted]]:
        """Return the files that call functions of these names, each time only for names that are new."""
        new = {name.encode(): name for name in names if name not in self._asked}
        self._asked.update(new.values())
        if not new:
            return []
        new |= self._aliases(new)
        found: dict[str, set[str]] = {}
        for path, content in self._contents.items():
            for called in set(_CALLED.findall(content)).intersection(new):
                found.setdefault(new[called], set()).add(path)
        return [
            (path, Wanted(calls=frozenset({name})))
            for name, paths in sorted(found.items())
            # What is called from everywhere has a name that means many things.
            if len(paths) <= _MOST_CALLING_FILES
            for path in sorted(paths)
        ]

    def _aliases(self, names: Iterable[bytes]) -> dict[bytes, str]:
        """Return the other names that imports give to functions of these names."""
        pattern = re.compile(rb"\b(?:%s)\s++as\s++(\w++)" % b"|".join(map(re.escape, sorted(names))))
        return {
            found: found.decode()
            for content in self._contents.values()
            if b" as " in content
            for found in pattern.findall(content)
        }


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
