"""Scans on executors that somebody else owns: the same bytes, whatever becomes of the executor."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from extractor import executors, workers
from extractor.cache import Cache
from extractor.corpus import encode
from extractor.errors import LostExecutorError, OtherWorkersError
from extractor.executors import OtherTool, scan_elsewhere
from extractor.model import Options
from extractor.pipeline import extract
from extractor.source import open_source
from extractor.store import Store
from extractor.tool import fingerprint
from extractor.workers import Order
from tests.program import children
from tests.trees import write_tree


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree with enough files for several orders, and every fixture among them."""
    return write_tree(tmp_path_factory.mktemp("executors") / "tree")


@pytest.fixture(scope="module")
def expected(tree: Path) -> bytes:
    """Return the bytes of its corpus, made in this process."""
    return encode(extract(open_source(str(tree)), Options()))


def catalog(tree: Path, executor: Executor, progress: Callable[[int, int], None] | None = None) -> bytes:
    """Extract with an executor."""
    return encode(extract(open_source(str(tree)), Options(), executor=executor, progress=progress, jobs=2))


class Strange(Executor):
    """Runs what it is given at once, in this thread, and lets a function spoil the future of each call."""

    def __init__(self, spoil: Callable[[int, Order], BaseException | Any]) -> None:
        self.calls = 0
        self._spoil = spoil

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.calls += 1
        future: Future[Any] = Future()
        spoiled = self._spoil(self.calls, args[0])
        if isinstance(spoiled, BaseException):
            future.set_exception(spoiled)
        else:
            future.set_result(fn(*args, **kwargs) if spoiled is None else spoiled)
        return future


class KilledWorker(Exception):  # noqa: N818
    """Has the name of the one that `distributed` raises where the workers died that tried a task."""


@pytest.mark.parametrize("threads", [1, 3])
def test_threads_give_the_same_bytes(tree: Path, expected: bytes, threads: int) -> None:
    """The recursion limit that a scan needs is one for all threads of a process."""
    with ThreadPoolExecutor(threads) as executor:
        assert expected == catalog(tree, executor)
        assert 3 == executor.submit(int, "3").result()  # it is not shut down


@pytest.mark.parametrize("method", ["spawn", "forkserver"])
def test_a_process_pool_gives_the_same_bytes(tree: Path, expected: bytes, method: str) -> None:
    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context(method)) as executor:
        assert expected == catalog(tree, executor)


def test_progress_is_told_of_what_an_executor_does(tree: Path) -> None:
    told: list[tuple[int, int]] = []
    with ThreadPoolExecutor(2) as executor:
        catalog(tree, executor, lambda done, total: told.append((done, total)))

    assert sorted(told) == told
    assert 4 < len(told)
    assert told[-1][0] == told[-1][1]


def test_all_of_it_goes_to_the_executor(tree: Path, expected: bytes) -> None:
    """Small orders too, since somebody else's machine is there for that."""
    strange = Strange(lambda call, order: None)

    assert expected == catalog(tree, strange)
    assert 4 < strange.calls


def test_a_pool_that_breaks_costs_nothing(tree: Path, expected: bytes) -> None:
    """One of its processes is killed in the middle: the rest is done by processes of our own."""
    killed: list[int] = []

    def kill(done: int, total: int) -> None:
        if done and not killed:
            killed.extend(pool._processes)  # type: ignore[arg-type]
            os.kill(killed[0], signal.SIGKILL)

    with ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn")) as pool:
        assert expected == catalog(tree, pool, kill)
        assert killed
        with pytest.raises(BrokenExecutor):
            pool.submit(int)


@pytest.mark.parametrize(
    ("error", "victims"),
    [
        (BrokenExecutor("a process ended"), {2}),
        (BrokenExecutor("a process ended"), set(range(1, 100))),
        (KilledWorker("it tried four"), {1, 3}),
    ],
    ids=["one", "all", "two"],
)
def test_orders_that_workers_die_over_are_done_here(
    tree: Path, expected: bytes, error: Exception, victims: set[int]
) -> None:
    before = set(children(os.getpid()))
    strange = Strange(lambda call, order: error if call in victims else None)

    assert expected == catalog(tree, strange)
    assert set() == set(children(os.getpid())) - before


def test_a_file_that_kills_every_worker_costs_only_itself(
    tree: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where our own processes die over it too, it is a diagnostic, as it is without an executor."""
    trap = (
        "import extractor.scan, os\n"
        "real = extractor.scan.scan\n"
        "def scan(path, content, **options):\n"
        "    if path == 'windows.py': os._exit(9)\n"
        "    return real(path, content, **options)\n"
        "extractor.scan.scan = scan\n"
    )
    program = workers._PROGRAM.replace("from extractor.workers", f"{trap}from extractor.workers")
    monkeypatch.setattr(workers, "_PROGRAM", program)

    def dies(call: int, order: Order) -> Exception | None:
        return KilledWorker() if any(path == "windows.py" for path, _ in order.files) else None

    assert encode(extract(open_source(str(tree)), Options(), jobs=2)) == catalog(tree, Strange(dies)) != expected


@pytest.mark.parametrize(
    ("answer", "error", "text"),
    [
        (ModuleNotFoundError("No module named 'extractor'"), OtherWorkersError, "have no raisedex like this one, not"),
        (AttributeError("no scan_elsewhere"), OtherWorkersError, "install the same there"),
        (OtherTool("raisedex 0.0.9 (libcst 1.5)"), OtherWorkersError, "the workers have raisedex 0.0.9 (libcst 1.5)"),
        (ConnectionResetError("reset by peer"), LostExecutorError, "lost: ConnectionResetError: reset by peer; see"),
        (pickle.PicklingError("a\nb"), LostExecutorError, "PicklingError: a b"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
def test_an_executor_that_cannot_do_it_is_an_error(
    tree: Path, answer: object, error: type[Exception], text: str
) -> None:
    """Never a corpus in which every file is said to have crashed."""
    with pytest.raises(error) as raised:
        catalog(tree, Strange(lambda call, order: answer if call == 2 else None))

    assert text in str(raised.value)
    assert str(raised.value).isprintable()


def test_an_executor_that_drops_the_work_is_an_error(tree: Path) -> None:
    class Dropping(Executor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            future.cancel()
            return future

    with pytest.raises(LostExecutorError):
        catalog(tree, Dropping())


def test_an_executor_that_is_shut_down_is_an_error(tree: Path) -> None:
    with ThreadPoolExecutor(1) as executor:
        pass
    with pytest.raises(LostExecutorError, match="shutdown"):
        catalog(tree, executor)


def test_what_is_left_is_cancelled_when_the_run_ends_early(tree: Path) -> None:
    """An interrupt does not leave work behind on a cluster."""
    futures: list[Future[Any]] = []

    class Lazy(ThreadPoolExecutor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            futures.append(super().submit(fn, *args, **kwargs) if not futures else Future())
            return futures[-1]

    def stop(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    with Lazy(1) as executor, pytest.raises(KeyboardInterrupt):
        catalog(tree, executor, stop)

    assert 2 < len(futures)
    assert all(future.cancelled() for future in futures[1:])


@pytest.mark.parametrize("way", ["threads", "processes", "own", "cache"])
def test_what_is_nested_deep_comes_back(tmp_path: Path, way: str) -> None:
    """Pickling recurses, and by default stops at a depth that scan still reads."""
    (tmp_path / "a.py").write_text(f"def f(x):\n    raise ValueError({'f(' * 280}x{')' * 280})\n")
    if way == "own":
        (tmp_path / "b.py").write_text(f"'{'x' * 2_000_000}'\nraise KeyError\n")
    expected = encode(extract(open_source(str(tmp_path)), Options()))
    if way == "threads":
        with ThreadPoolExecutor(1) as threads:
            found = extract(open_source(str(tmp_path)), Options(), executor=threads)
    elif way == "processes":
        with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("spawn")) as pool:
            found = extract(open_source(str(tmp_path)), Options(), executor=pool)
    elif way == "own":
        found = extract(open_source(str(tmp_path)), Options(), jobs=2)
    else:
        cache = Cache(Store(str(tmp_path / "facts.sqlite3"), 1 << 20))
        extract(open_source(str(tmp_path)), Options(), cache=cache)
        found = extract(open_source(str(tmp_path)), Options(), cache=cache)
        cache.close()

    assert expected == encode(found)
    assert "crashed" not in found.summary.diagnostics


def test_a_worker_with_another_raisedex_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """It scans nothing: what it found might be something else."""
    order = Order((("a.py", b"raise ValueError\n"),), 3)

    assert isinstance(scan_elsewhere(order, "another"), OtherTool)
    assert isinstance(scan_elsewhere(order, fingerprint()), bytes)
    assert executors.scan_elsewhere is pickle.loads(pickle.dumps(scan_elsewhere))
