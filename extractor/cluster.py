"""A Dask cluster as an executor, which says so when it is gone. The only user of `distributed`.

`distributed`'s own executor leaves those who wait for a result waiting for ever when its scheduler is gone.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, InvalidStateError
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from extractor.errors import LostExecutorError, MissingExtraError, UnusableExecutorError

if TYPE_CHECKING:
    from distributed import Client

_KIND = "dask:"
# How long to wait, in seconds, for a scheduler to answer, for workers at the start, and for others where all are gone.
_PATIENCE, _FIRST_WORKER, _NEXT_WORKER = 10.0, 30.0, 60.0
_LOOK_EVERY, _COUNT_EVERY = 0.5, 5.0
_GONE = "its scheduler is gone, or has let go of the work"

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


@contextmanager
def open_executor(name: str) -> Iterator[Executor]:
    """Connect to what `--executor` names, dask:ADDRESS, for as long as the context lasts.

    Raises:
        UnusableExecutorError: There is no scheduler, or it has no workers.
        MissingExtraError: `distributed` is not installed.

    """
    if not name.startswith(_KIND):
        raise UnusableExecutorError(name, "there is no executor of this kind")
    before = logging.root.manager.disable
    # What `distributed` has to say of a cluster that is gone, our own error says in one line.
    logging.disable(logging.CRITICAL)
    try:
        cluster = _Cluster(_connected(name))
        try:
            yield cluster
        finally:
            cluster.shutdown()
    finally:
        logging.disable(before)


class _Cluster(Executor):
    """The executor of a client, with futures that fail when the cluster is gone."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False)
        self._open: set[Future[Any]] = set()
        self._lock = threading.Lock()
        self._ended = threading.Event()
        threading.Thread(target=self._watch, name="raisedex-cluster", daemon=True).start()

    def submit(
        self, fn: Callable[_Arguments, _Result], /, *args: _Arguments.args, **kwargs: _Arguments.kwargs
    ) -> Future[_Result]:
        """Have a worker call the function."""
        ours: Future[_Result] = Future()
        with self._lock:
            if self._ended.is_set():
                raise RuntimeError("cannot schedule new futures after shutdown")
            self._open.add(ours)
        theirs: Future[_Result] = self._executor.submit(fn, *args, **kwargs)
        ours.add_done_callback(self._open.discard)
        ours.add_done_callback(lambda future: future.cancelled() and theirs.cancel())
        theirs.add_done_callback(lambda future: _hand_on(future, ours))
        return ours

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Drop what is not done, and let go of the cluster."""
        self._end(LostExecutorError("it was let go"))
        with suppress(Exception):
            self._client.close(timeout=_PATIENCE)

    def _end(self, error: LostExecutorError) -> None:
        with self._lock:
            self._ended.set()
            left = list(self._open)
        for future in left:
            with suppress(InvalidStateError):
                future.set_exception(error)

    def _watch(self) -> None:
        last_seen = counted = time.monotonic()
        while not self._ended.wait(_LOOK_EVERY):
            now = time.monotonic()
            if self._client.status not in ("running", "connecting"):
                self._end(LostExecutorError(_GONE))
                return
            if now - counted > _COUNT_EVERY:
                counted = now
                if self._has_workers():
                    last_seen = now
                elif now - last_seen > _NEXT_WORKER:
                    self._end(LostExecutorError("its workers are gone"))
                    return

    def _has_workers(self) -> bool:
        # Where it cannot be asked just now, its status will say so.
        with suppress(Exception):
            return bool(self._client.scheduler_info()["workers"])
        return True


def _hand_on(theirs: Future[_Result], ours: Future[_Result]) -> None:
    with suppress(InvalidStateError):
        if theirs.cancelled():
            ours.set_exception(LostExecutorError(_GONE))
        elif (error := theirs.exception()) is not None:
            ours.set_exception(error)
        else:
            ours.set_result(theirs.result())


def _connected(name: str) -> Client:
    address = name.removeprefix(_KIND)
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("cluster") from error
    try:
        # A client that fails to start hangs when it is thrown away; so first see who is there.
        asyncio.run(_greet(address))
        client = Client(address, timeout=_PATIENCE, set_as_default=False)
    except Exception as error:
        raise UnusableExecutorError(name, str(error) or type(error).__name__) from error
    try:
        client.wait_for_workers(1, timeout=_FIRST_WORKER)
    except BaseException as error:
        client.close(timeout=_PATIENCE)
        if isinstance(error, Exception):
            raise UnusableExecutorError(name, "its scheduler has no workers") from error
        raise
    return client


async def _greet(address: str) -> None:
    from distributed.comm import connect
    from distributed.security import Security

    comm = await connect(address, timeout=_PATIENCE, **Security().get_connection_args("client"))
    await comm.close()
