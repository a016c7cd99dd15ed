"""The scan of many files: what the cache knows from there, the others in chunks, in other processes or elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor

from extractor.cache import Cache
from extractor.collection import collection_paused
from extractor.executors import Borrowed
from extractor.facts import NOTHING, FileFacts, Wanted
from extractor.survey import Survey
from extractor.workers import Order, Workers, scan_files

# (files done, files in all)
Progress = Callable[[int, int], None]

# Chunks are cut by size, and the largest files go first, so that no worker is left with those at the end.
_CHUNK_LINES = 10_000
_WORTH_A_PROCESS = 4 * _CHUNK_LINES


class Scanning:
    """Scans files of a tree, on an executor or in processes of our own if they are many, and keeps their facts."""

    def __init__(
        self, survey: Survey, cache: Cache, *, context: int, jobs: int, executor: Executor | None = None
    ) -> None:
        self._facts: dict[str, FileFacts] = {}
        self._survey, self._cache = survey, cache
        self._context, self._jobs = context, jobs
        self._borrowed = Borrowed(executor, jobs) if executor is not None else None
        self._workers: Workers | None = None

    def __enter__(self) -> Scanning:
        return self

    def __exit__(self, *exception: object) -> None:
        for each in (self._borrowed, self._workers):
            if each is not None:
                each.close()

    @property
    def facts(self) -> dict[str, FileFacts]:
        """The facts so far by path, in the order of the paths, however they came."""
        return dict(sorted(self._facts.items()))

    def scan(
        self,
        paths: Sequence[str],
        progress: Progress | None = None,
        *,
        wanted: Mapping[str, Wanted] | None = None,
    ) -> None:
        """Scan these files; `wanted` is what link wants to know of some of them."""
        report = progress or _nobody
        names = wanted or {}
        asked = {path: (self._survey.blobs[path], names.get(path, NOTHING)) for path in paths}
        with collection_paused():
            known = self._cache.facts(asked, self._context)
        self._facts |= known
        done = len(known)
        report(done, len(paths))
        unknown = sorted(
            (path for path in paths if path not in known), key=lambda path: (-self._survey.size(path), path)
        )
        # Read chunk by chunk, so that no more of them are in memory than are worked at.
        orders = (self._order(chunk, names) for chunk in _chunks(unknown, self._survey.size))
        for found in self._scanned(orders, lines=sum(map(self._survey.size, unknown))):
            self._facts.update((facts.path, facts) for facts in found)
            self._cache.keep_facts(((facts, *asked[facts.path]) for facts in found), self._context)
            done += len(found)
            report(done, len(paths))

    def _order(self, paths: Sequence[str], wanted: Mapping[str, Wanted]) -> Order:
        files = tuple(self._survey.contents(paths).items())
        return Order(files, self._context, {path: wanted[path] for path, _ in files if path in wanted})

    def _scanned(self, orders: Iterable[Order], *, lines: int) -> Iterator[list[FileFacts]]:
        if self._borrowed is not None:
            yield from self._borrowed.scan(list(orders))
            return
        if self._jobs < 2 or (self._workers is None and lines < _WORTH_A_PROCESS):
            yield from map(scan_files, orders)
            return
        if self._workers is None:
            self._workers = Workers(self._jobs)
        # Not where trees of syntax are in this process, which are cyclic.
        with collection_paused():
            yield from self._workers.scan(orders)


def _nobody(done: int, total: int) -> None:
    pass


def _chunks(paths: Iterable[str], size_of: Callable[[str], int]) -> Iterator[list[str]]:
    chunk: list[str] = []
    size = 0
    for path in paths:
        chunk.append(path)
        size += size_of(path)
        if size >= _CHUNK_LINES:
            yield chunk
            chunk, size = [], 0
    if chunk:
        yield chunk
