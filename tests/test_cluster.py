"""The same extraction on a Dask cluster of two worker processes, and what is said of clusters that are not there."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor.cli.main import run
from extractor.cluster import open_executor
from extractor.corpus import encode
from extractor.errors import LostExecutorError, OtherWorkersError, UnusableExecutorError
from extractor.model import Options
from extractor.pipeline import extract
from extractor.source import open_source
from tests.cluster import ROOT, Cluster, local_cluster
from tests.program import children, interrupt, on_terminal, raisedex
from tests.trees import write_tree

pytest.importorskip("distributed", reason="distributed is not installed; pip install 'raisedex[cluster]'")
linux_only = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds child processes in /proc")


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """Return a cluster for the tests that leave it alive."""
    with local_cluster() as started:
        yield started


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree with enough files for several orders."""
    return write_tree(tmp_path_factory.mktemp("cluster") / "tree")


@pytest.fixture(scope="module")
def expected(tree: Path) -> bytes:
    """Return the bytes of its corpus, made in this process."""
    return encode(extract(open_source(str(tree)), Options()))


def test_a_cluster_gives_the_same_bytes(cluster: Cluster, tree: Path, expected: bytes) -> None:
    ended = raisedex("extract", tree, "--executor", f"dask:{cluster.address}")

    assert (0, expected) == (ended.code, ended.output)
    assert 0 < ended.errors.count("raise sites in") == len(re.findall(r"^\S", ended.errors, re.MULTILINE))


def test_the_executor_of_distributed_itself_gives_the_same_bytes(cluster: Cluster, tree: Path, expected: bytes) -> None:
    """From Python, with a client of one's own."""
    from distributed import Client

    with Client(cluster.address, set_as_default=False) as client:
        corpus = extract(open_source(str(tree)), Options(), executor=client.get_executor())

    assert expected == encode(corpus)


def test_many_projects_on_a_cluster_give_the_same_bytes(cluster: Cluster, tree: Path, tmp_path: Path) -> None:
    """Several are in flight at once."""
    names = "project_0 project_1 project_2".split()
    for name in names:
        shutil.copytree(tree / "cases" / "class", tmp_path / name)
        (tmp_path / name / "own.py").write_text(f"raise ValueError({name!r})\n")
    (tmp_path / "list").write_text("\n".join([*names, "gone/away"]))
    ended = raisedex("extract-many", "list", "-o", "here", folder=tmp_path)
    away = raisedex("extract-many", "list", "-o", "there", "--executor", f"dask:{cluster.address}", folder=tmp_path)
    made = [{file.name: file.read_bytes() for file in (tmp_path / out).iterdir()} for out in ("here", "there")]

    assert (1, 1) == (ended.code, away.code)
    assert "3 of 4 projects done" in away.errors
    assert made[0] == made[1]
    assert 4 == len(made[0])


@linux_only
def test_workers_that_are_killed_cost_nothing(tree: Path, expected: bytes) -> None:
    """Each as soon as there is a first result; their nannies start others."""
    killed: list[int] = []
    with local_cluster() as started, open_executor(f"dask:{started.address}") as executor:
        assert started.workers is not None

        def kill(done: int, total: int) -> None:
            if done and not killed:
                for worker in _processes_below(started.workers.pid):  # type: ignore[union-attr]
                    os.kill(worker, signal.SIGKILL)
                    killed.append(worker)

        corpus = extract(open_source(str(tree)), Options(), executor=executor, progress=kill)

    assert 2 <= len(killed)
    assert expected == encode(corpus)


def _processes_below(parent: int) -> list[int]:
    """Return the worker processes, not those that only watch over others."""
    mine = children(parent)
    found = [process for child in mine for process in (_processes_below(child) or [child])]
    return [each for each in found if b"resource_tracker" not in Path(f"/proc/{each}/cmdline").read_bytes()]


def test_a_scheduler_that_goes_away_is_one_line(tree: Path, tmp_path: Path) -> None:
    """In bounded time, with exit code 2, and nothing is written."""
    target = tmp_path / "errors.json"
    with local_cluster() as started:

        def kill(process: subprocess.Popen[bytes], shown: str) -> bool:
            if not re.search(r"\b[1-9]\d*/\d+", shown):
                return False
            started.scheduler.kill()
            return True

        copies = tmp_path / "copies"
        for number in range(12):
            shutil.copytree(tree, copies / str(number))
        begun = time.monotonic()
        ended = on_terminal("extract", copies, "--executor", f"dask:{started.address}", "-o", target, meanwhile=kill)

    assert 2 == ended.code, ended.errors
    assert re.search(r"raisedex: the executor is lost: its scheduler is gone[^\n]*; see that it runs", ended.errors)
    assert "Traceback" not in ended.errors
    assert not target.exists()
    assert 60 > time.monotonic() - begun


def test_futures_fail_when_the_scheduler_is_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `distributed`'s own would wait for ever."""
    monkeypatch.setattr("extractor.cluster._PATIENCE", 2)
    with local_cluster() as started, open_executor(f"dask:{started.address}") as executor:
        future = executor.submit(time.sleep, 30)
        started.scheduler.kill()
        with pytest.raises(LostExecutorError):
            future.result(timeout=60)
        with pytest.raises((RuntimeError, LostExecutorError)):
            executor.submit(time.sleep, 30).result(timeout=60)


def test_an_interrupt_ends_at_once(cluster: Cluster, tree: Path, tmp_path: Path) -> None:
    """And leaves no work on the cluster, which serves the next one."""
    target = tmp_path / "errors.json"

    def press(process: subprocess.Popen[bytes], shown: str) -> bool:
        if not re.search(r"\b[1-9]\d*/\d+", shown):
            return False
        interrupt(process)
        return True

    copies = tmp_path / "copies"
    for number in range(12):
        shutil.copytree(tree, copies / str(number))
    ended = on_terminal("extract", copies, "--executor", f"dask:{cluster.address}", "-o", target, meanwhile=press)

    assert 130 == ended.code
    assert ended.errors.rstrip().endswith("raisedex: stopped")
    assert "Traceback" not in ended.errors
    assert not target.exists()


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("dask:tcp://127.0.0.1:1", "Timed out trying to connect"),
        ("dask:tls://127.0.0.1:1", "check your TLS configuration"),
        ("dask:127.0.0.1", "missing port number"),
        ("dask:http://127.0.0.1:1", "unknown address scheme 'http'"),
        ("dask:", "missing port number"),
        ("tcp://127.0.0.1:1", "there is no executor of this kind"),
        ("", "there is no executor of this kind"),
    ],
)
def test_an_address_without_a_scheduler_is_one_line(
    tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str, expected: str
) -> None:
    monkeypatch.setattr("extractor.cluster._PATIENCE", 2)
    (tmp_path / "a.py").write_text("raise ValueError\n")
    begun = time.monotonic()
    code = run(["extract", str(tmp_path), "--executor", name, "-o", str(tmp_path / "errors.json")])
    output, errors = capfd.readouterr()

    assert (2, "") == (code, output)
    assert expected in errors
    assert errors.startswith(f"raisedex: cannot run on {name!r}: ")
    assert 1 == errors.count("\n")
    assert 10 > time.monotonic() - begun
    assert not (tmp_path / "errors.json").exists()


def test_a_scheduler_without_workers_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("extractor.cluster._FIRST_WORKER", 1)
    with (
        local_cluster(workers=0) as started,
        pytest.raises(UnusableExecutorError, match="its scheduler has no workers"),
        open_executor(f"dask:{started.address}"),
    ):
        pass


def test_a_cluster_whose_workers_are_gone_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """It does not wait for ever for others."""
    monkeypatch.setattr("extractor.cluster._NEXT_WORKER", 1)
    monkeypatch.setattr("extractor.cluster._COUNT_EVERY", 0.1)
    with local_cluster(workers=1) as started, open_executor(f"dask:{started.address}") as executor:
        future = executor.submit(time.sleep, 30)
        assert started.workers is not None
        started.workers.terminate()
        with pytest.raises(LostExecutorError, match="its workers are gone"):
            future.result(timeout=60)


def test_workers_with_another_raisedex_are_refused(tmp_path: Path, tree: Path) -> None:
    """Not taken for files that crash."""
    other = shutil.copytree(ROOT / "extractor", tmp_path / "other" / "extractor")
    (other / "model.py").write_text((other / "model.py").read_text("utf-8") + "# changed\n", "utf-8")
    with (
        local_cluster(workers=1, path=tmp_path / "other") as started,
        open_executor(f"dask:{started.address}") as executor,
        pytest.raises(OtherWorkersError, match=r"the workers have raisedex .* install the same there"),
    ):
        extract(open_source(str(tree)), Options(), executor=executor)


def test_without_distributed_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "distributed.py").write_text("raise ImportError('not here')\n")
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "a.py").write_text("raise ValueError\n")
    environment = {"PYTHONPATH": os.pathsep.join((str(tmp_path), str(ROOT)))}
    ended = raisedex("extract", tmp_path / "tree", "--executor", "dask:tcp://127.0.0.1:1", environment=environment)
    wanted = 'running on a Dask cluster needs libraries that are not installed; pip install "raisedex[cluster]"'

    assert (2, b"", f"raisedex: {wanted}\n") == (ended.code, ended.output, ended.errors)
