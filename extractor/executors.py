"""Any `concurrent.futures` executor as a place to scan in: threads, a process pool, a cluster.

What an executor runs is one function of this module, on picklable orders. It is trusted only with work: a worker that
has another raisedex is refused, and orders over which workers die are done by processes of our own, where a file that
ends its process costs only itself.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future
from dataclasses import dataclass
from typing import cast

from extractor.errors import ExtractorError, LostExecutorError, OtherWorkersError
from extractor.facts import FileFacts
from extractor.packing import packed
from extractor.tool import description, fingerprint
from extractor.workers import Order, Workers, scan_files

# A scan sets the recursion limit, which all threads of a process share.
_one_at_a_time = threading.Lock()
# By name, since `distributed` need not be installed: a task was tried several times, and each time its worker died.
_DEATHS = {"KilledWorker"}


@dataclass(frozen=True, slots=True)
class OtherTool:
    """The answer of a worker whose raisedex is not the one that asks."""

    description: str


def scan_elsewhere(order: Order, tool: str) -> bytes | OtherTool:
    """Return the facts of an order's files, packed; runs wherever an executor takes it.

    Args:
        order: What to scan.
        tool: The fingerprint that this process must have, so that it finds the same as the one that asks.

    """
    if fingerprint() != tool:
        return OtherTool(description())
    with _one_at_a_time:
        # An executor would pickle them itself, but not what is nested deep.
        return packed(scan_files(order))


class Borrowed:
    """An executor that somebody else owns, and up to `jobs` processes of our own for what it dies over."""

    def __init__(self, executor: Executor, jobs: int) -> None:
        self._executor, self._jobs = executor, jobs
        self._workers: Workers | None = None

    def scan(self, orders: Sequence[Order]) -> Iterator[list[FileFacts]]:
        """Yield the facts of all orders, in the order given but for those that workers died over, which come last.

        Raises:
            OtherWorkersError: A worker has another raisedex, or none.
            LostExecutorError: The executor does not do the work.

        """
        futures: list[Future[bytes | OtherTool] | None] = []
        left: list[Order] = []
        try:
            futures.extend(self._submitted(order) for order in orders)
            for order, future in zip(orders, futures, strict=True):
                facts = _facts_of(future) if future is not None else None
                if facts is None:
                    left.append(order)
                else:
                    yield facts
        finally:
            for future in filter(None, futures):
                future.cancel()
        if left:
            self._workers = self._workers or Workers(self._jobs)
            yield from self._workers.scan(left)

    def close(self) -> None:
        """End the processes of our own."""
        if self._workers is not None:
            self._workers.close()

    def _submitted(self, order: Order) -> Future[bytes | OtherTool] | None:
        try:
            return self._executor.submit(scan_elsewhere, order, fingerprint())
        except BrokenExecutor:
            return None
        except Exception as error:  # it is shut down, or cannot reach those that work for it
            raise LostExecutorError(str(error) or type(error).__name__) from error


def _facts_of(future: Future[bytes | OtherTool]) -> list[FileFacts] | None:
    """Return what a worker found, None if it died over it."""
    try:
        answer = future.result()
    except ExtractorError:
        raise
    except CancelledError as error:
        raise LostExecutorError("it dropped the work") from error
    except (ImportError, AttributeError) as error:  # it cannot find the function
        raise OtherWorkersError("no raisedex like this one", description()) from error
    except Exception as error:
        if isinstance(error, BrokenExecutor) or type(error).__name__ in _DEATHS:
            return None
        raise LostExecutorError(f"{type(error).__name__}: {error}") from error
    if isinstance(answer, OtherTool):
        raise OtherWorkersError(answer.description, description())
    return cast("list[FileFacts]", pickle.loads(answer))
