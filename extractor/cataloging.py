"""The extraction of many projects, where one that fails costs only itself."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor, as_completed
from contextlib import closing
from dataclasses import dataclass

from extractor.cache import Cache
from extractor.catalogs import Catalogs
from extractor.document import Document
from extractor.errors import ExtractorError, LostExecutorError, MissingExtraError, OtherWorkersError
from extractor.model import Options
from extractor.pipeline import extract_document
from extractor.projects import Project
from extractor.source import open_source

# So many that an executor has work while some are read and linked here, and so few that they fit in memory.
_IN_FLIGHT = 4

# (projects done or failed, projects in all)
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class Cataloging:
    """How projects are extracted.

    Attributes:
        options: What is to be in the corpora.
        jobs: How many processes scan files.
        executor: Scans the files instead, of several projects at once.
        open_cache: Opens what earlier runs found; is called for each project.
        remark: Is told what is wrong with the cache.

    """

    options: Options
    jobs: int
    executor: Executor | None
    open_cache: Callable[[], Cache]
    remark: Callable[[str], None]

    def run(self, catalogs: Catalogs, progress: Progress | None = None) -> None:
        """Extract the projects that a folder is missing.

        However this ends, what is done by then is in the folder and its summary is true.

        Raises:
            MissingExtraError: A library is not installed.
            LostExecutorError: The executor does not do the work.
            OtherWorkersError: Its workers have another raisedex.
            UnwritableFileError: A corpus or the summary cannot be written.

        """
        report = progress or _nobody
        total = catalogs.batch.summary.projects
        done = total - len(catalogs.missing)
        report(done, total)
        try:
            for project, result in self._results(catalogs.missing):
                if isinstance(result, Document):
                    catalogs.keep(project, result.head, result.data)
                else:
                    catalogs.give_up(project, result)
                done += 1
                report(done, total)
        finally:
            catalogs.write_summary()

    def _results(self, projects: Sequence[Project]) -> Iterator[tuple[Project, Document | str]]:
        if self.executor is None:
            # One after the other: each has all processes.
            yield from ((project, self._result(project, _nobody)) for project in projects)
            return
        stopped = threading.Event()

        def check(done: int, total: int) -> None:
            if stopped.is_set():
                raise LostExecutorError("this run is over")

        threads = ThreadPoolExecutor(_IN_FLIGHT, thread_name_prefix="raisedex-project")
        try:
            futures = {threads.submit(self._result, project, check): project for project in projects}
            for future in as_completed(futures):
                # Taken out, so that it is not kept until the last one is done.
                yield futures.pop(future), future.result()
        finally:
            stopped.set()
            threads.shutdown(wait=False, cancel_futures=True)

    def _result(self, project: Project, progress: Callable[[int, int], None]) -> Document | str:
        """Return a project's corpus, or one line that says why there is none."""
        try:
            return self._document(project, progress)
        except (MissingExtraError, LostExecutorError, OtherWorkersError):
            # No project's fault; the next one would fail as well.
            raise
        except ExtractorError as error:
            return str(error)
        except Exception as error:
            return f"raisedex failed with {type(error).__name__}; please report it"

    def _document(self, project: Project, progress: Callable[[int, int], None]) -> Document:
        options = self.options
        tree = open_source(
            project.location, revision=project.revision, include=options.include, exclude=options.exclude
        )
        with closing(self.open_cache()) as cache:
            document = extract_document(
                tree, options, jobs=self.jobs, executor=self.executor, progress=progress, cache=cache
            )
            if cache.remark is not None:
                self.remark(cache.remark)
        return document


def _nobody(done: int, total: int) -> None:
    pass
