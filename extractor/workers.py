"""Other processes that scan files for this one, and what becomes of the files when one of them dies.

They are plain child processes and none of `multiprocessing`: forking beside threads (the progress display is one) is
unsafe, and its other start methods run the caller's main module again, which a script without a guard does not survive,
and look for modules in the current folder first, which may well be the code that is analysed.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field, replace
from importlib import import_module
from typing import cast

import extractor
from extractor.facts import NOTHING, FileFacts, Wanted
from extractor.model import Diagnostic
from extractor.packing import packed

# (path, bytes)
File = tuple[str, bytes]

_READY = b"ready\n"
# Our package is found where this process found it, all else on this process's own path.
_PROGRAM = """
import sys
sys.path[:] = sys.argv[1:]
import extractor
del sys.path[0]
from extractor.workers import serve
serve()
"""


@dataclass(frozen=True, slots=True)
class Order:
    """Some files to scan, and how; `wanted` is what link wants to know of some of them."""

    files: tuple[File, ...]
    context: int
    wanted: Mapping[str, Wanted] = field(default_factory=dict)


def scan_files(order: Order) -> list[FileFacts]:
    """Return the facts of an order's files; a file that its scan does not survive costs only itself."""
    return [_scan_file(file, order) for file in order.files]


def serve() -> None:
    """Scan what comes in on standard input until there is no more; runs in a worker process."""
    # Ctrl-C goes to all processes of a terminal; the one that started this one answers it.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Imported before the greeting, so that an installation which cannot do it shows itself there.
    import_module("extractor.scan")

    with suppress(EOFError, BrokenPipeError), os.fdopen(os.dup(1), "wb") as answers:
        # Whatever else is printed goes where it does no harm.
        os.dup2(2, 1)
        answers.write(_READY)
        answers.flush()
        while True:
            answers.write(packed(scan_files(pickle.load(sys.stdin.buffer))))
            answers.flush()


class Workers:
    """Up to `jobs` worker processes, started when there is something to do."""

    def __init__(self, jobs: int) -> None:
        self._jobs = jobs
        # One thread waits for each process.
        self._threads = ThreadPoolExecutor(jobs, thread_name_prefix="raisedex-worker")
        self._mine = threading.local()
        self._lock = threading.Lock()
        self._started: list[_Worker] = []
        self._is_closed = False

    def scan(self, orders: Iterable[Order]) -> Iterator[list[FileFacts]]:
        """Yield the facts of each order, in the order given, whatever happens to the processes.

        Orders are taken as there is somebody to work at them, with one in reserve for each process.
        """
        pending: deque[tuple[Order, Future[Sequence[FileFacts | None]]]] = deque()
        for order in orders:
            pending.append((order, self._threads.submit(self._scanned, order)))
            if len(pending) > 2 * self._jobs:
                yield _answered(*pending.popleft())
        while pending:
            yield _answered(*pending.popleft())

    def close(self) -> None:
        """End all processes, at work or not."""
        with self._lock:
            self._is_closed = True
            for worker in self._started:
                worker.stop()
        self._threads.shutdown(cancel_futures=True)
        for worker in self._started:
            worker.clean_up()

    def _scanned(self, order: Order) -> Sequence[FileFacts | None]:
        worker = self._worker()
        if worker is None:
            return [None] * len(order.files)
        # Any of the files may have ended the process; one at a time shows which, and saves the others.
        return worker.scan(order) or [self._alone(replace(order, files=(file,))) for file in order.files]

    def _alone(self, order: Order) -> FileFacts | None:
        worker = self._worker()
        if worker is None:
            return None
        (facts,) = worker.scan(order) or [_crashed(order.files[0][0], "the scan of this file ended its process")]
        return facts

    def _worker(self) -> _Worker | None:
        """Return the process of this thread, a new one if there is none alive, or None if none can be started."""
        mine: _Worker | None = getattr(self._mine, "worker", None)
        if mine is None or not mine.is_alive:
            self._mine.worker = mine = self._start()
        return mine if mine is not None and mine.is_ready() else None

    def _start(self) -> _Worker | None:
        with self._lock, suppress(OSError):
            if sys.executable and not self._is_closed:
                self._started.append(_Worker())
                return self._started[-1]
        return None


class _Worker:
    """One process."""

    def __init__(self) -> None:
        package = os.path.dirname(os.path.dirname(os.path.abspath(extractor.__file__)))
        # -I: neither the current folder nor the environment has a say in what is imported.
        command = [sys.executable, "-I", "-c", _PROGRAM, package, *filter(None, sys.path)]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        self._is_greeted = False
        self.is_alive = True

    def is_ready(self) -> bool:
        """Wait for the greeting, which comes once, and return whether it did."""
        if not self._is_greeted and self.is_alive:
            assert self._process.stdout is not None
            self._is_greeted = self.is_alive = self._process.stdout.read(len(_READY)) == _READY
        return self._is_greeted

    def scan(self, order: Order) -> list[FileFacts] | None:
        """Return the facts of the order's files; None if the process died over it."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            pickle.dump(order, self._process.stdin, pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()
            return cast("list[FileFacts]", pickle.load(self._process.stdout))
        except (OSError, EOFError, pickle.UnpicklingError):
            self.is_alive = False
            return None

    def stop(self) -> None:
        """Make it end now; a thread that waits for it goes on."""
        self._process.kill()

    def clean_up(self) -> None:
        """Give back what the process took from the system."""
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError):
                assert stream is not None
                stream.close()


def _answered(order: Order, future: Future[Sequence[FileFacts | None]]) -> list[FileFacts]:
    # Where no process can be had, this one does the work.
    return [facts or _scan_file(file, order) for file, facts in zip(order.files, future.result(), strict=True)]


def _scan_file(file: File, order: Order) -> FileFacts:
    from extractor.scan import scan

    path, content = file
    try:
        return scan(path, content, context=order.context, wanted=order.wanted.get(path, NOTHING))
    except (KeyboardInterrupt, SystemExit):
        raise
    except BaseException as error:
        # A fault of ours, which must not cost the other files. LibCST's own panics are no `Exception`.
        return _crashed(path, f"the scan of this file failed with {type(error).__name__}; please report it")


def _crashed(path: str, message: str) -> FileFacts:
    return FileFacts(path, 0, (), (), {}, (), (Diagnostic(path, None, "crashed", message),))
