"""A Dask cluster of a scheduler and two worker processes on this machine, for tests and measurements."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent


@dataclass(frozen=True, slots=True)
class Cluster:
    """The scheduler's address, and the processes."""

    address: str
    scheduler: subprocess.Popen[str]
    workers: subprocess.Popen[str] | None


@contextmanager
def local_cluster(*, workers: int = 2, path: Path = ROOT) -> Iterator[Cluster]:
    """Start a cluster that has our package from a folder, and end it; with no workers there is only the scheduler."""
    environment = os.environ | {"PYTHONPATH": str(path), "DASK_DISTRIBUTED__WORKER__DAEMON": "True"}
    with tempfile.TemporaryDirectory(prefix="raisedex-cluster-") as scratch:
        started: list[subprocess.Popen[str]] = []

        def start(module: str, *arguments: str) -> subprocess.Popen[str]:
            command = [sys.executable, "-P", "-m", f"distributed.cli.{module}", "--no-dashboard", *arguments]
            # A group of their own, so that what they start ends with them.
            process = subprocess.Popen(
                command, env=environment, cwd=scratch, stderr=subprocess.PIPE, text=True, start_new_session=True
            )
            started.append(process)
            return process

        try:
            scheduler = start("dask_scheduler", "--host", "127.0.0.1", "--port", "0")
            address = _address_in(scheduler)
            crew = None
            if workers:
                options = ["--nworkers", str(workers), "--nthreads", "1", "--local-directory", scratch]
                crew = start("dask_worker", address, *options)
                _drain(crew)
            yield Cluster(address, scheduler, crew)
        finally:
            for process in reversed(started):
                _end(process)
                assert process.stderr is not None
                process.stderr.close()


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    # One that is at work may take its time.
    with suppress(subprocess.TimeoutExpired):
        process.wait(3)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _address_in(scheduler: subprocess.Popen[str]) -> str:
    assert scheduler.stderr is not None
    for line in scheduler.stderr:
        if "Scheduler at:" in line:
            _drain(scheduler)
            return line.split()[-1]
    raise AssertionError("the scheduler did not start")


def _drain(process: subprocess.Popen[str]) -> None:
    """Read what a process says, so that it never waits for a reader."""
    assert process.stderr is not None
    threading.Thread(target=process.stderr.read, daemon=True).start()
