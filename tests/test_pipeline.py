"""The stages in a row: what is scanned, what is kept, what is counted, and what becomes of a worker that dies."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import warnings
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from extractor import workers
from extractor.corpus import encode
from extractor.errors import UnknownExceptionError
from extractor.facts import FileFacts
from extractor.model import Corpus, Diagnostic, Options
from extractor.pipeline import available_cores, extract
from extractor.source import open_source
from extractor.validation import validate
from tests.program import children, wait_until
from tests.trees import write_tree

linux_only = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="finds child processes in /proc")

Make = Callable[[Mapping[str, str | bytes]], Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that writes a tree."""

    def write(files: Mapping[str, str | bytes]) -> Path:
        for name, content in files.items():
            file = tmp_path / "tree" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return tmp_path / "tree"

    return write


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree that worker processes scan."""
    return write_tree(tmp_path_factory.mktemp("pipeline") / "tree")


@pytest.fixture(scope="module")
def whole(large: Path) -> Corpus:
    """Return its corpus, made without worker processes."""
    return catalog(large)


@pytest.fixture(scope="module")
def expected(whole: Corpus) -> bytes:
    """Return the bytes of that corpus."""
    return encode(whole)


def catalog(source: Path, *exceptions: str, jobs: int = 1) -> Corpus:
    """Extract."""
    return extract(open_source(str(source)), Options(exceptions), jobs=jobs)


def classes(corpus: Corpus) -> list[str]:
    """Return the class of each record."""
    return [record.exception.name if record.exception else "?" for record in corpus.records]


def test_a_tree_without_any_raise_has_an_empty_corpus(make: Make) -> None:
    corpus = catalog(make({"a.py": "x = 1\n", "b.py": "# raise\n", "c.py": ""}))

    assert () == corpus.records == corpus.diagnostics
    assert (3, 2, 0) == (corpus.summary.files, corpus.summary.lines, corpus.summary.records)
    assert () == validate(encode(corpus))


def test_a_tree_without_any_file_has_an_empty_corpus(tmp_path: Path) -> None:
    corpus = catalog(tmp_path)

    assert (0, 0, 0) == (corpus.summary.files, corpus.summary.lines, corpus.summary.records)


def test_a_class_in_a_file_without_raise_is_found(make: Make) -> None:
    """Files without the word are scanned when link asks for them, through as many imports as it takes."""
    corpus = catalog(
        make(
            {
                "app/use.py": "from app.faces import TooLate\nraise TooLate('x', 3)\n",
                "app/faces.py": "from app.errors import *\n",
                "app/errors.py": "from app.base import Base\nclass TooLate(Base):\n    pass\n",
                "app/base.py": (
                    "class Base(ValueError):\n"
                    "    def __init__(self, name, days):\n"
                    "        super().__init__(f'{name} is {days} days late')\n"
                ),
                "app/__init__.py": "",
            }
        )
    )
    (record,) = corpus.records

    assert record.exception is not None
    assert "app.errors.TooLate" == record.exception.qualified_name
    assert ("app.base.Base", "builtins.ValueError") == record.exception.ancestors[:2]
    assert "x is 3 days late" == (record.message or "").replace("{'x'}", "x").replace("{3}", "3")


def test_a_base_without_the_looks_of_an_exception_is_read_in_full(make: Make) -> None:
    """Only the second look at a file reads the initializers of such classes."""
    corpus = catalog(
        make(
            {
                "use.py": "from late import Late\nraise Late('x')\n",
                "late.py": (
                    "from mixed import Described\nclass Late(Described, ValueError):\n    pass\n"
                    "def other():\n    raise Late('y')\n"
                ),
                "mixed.py": (
                    "class Described:\n    def __init__(self, name):\n        super().__init__('late: ' + name)\n"
                    "def other():\n    raise TypeError\n"
                ),
            }
        )
    )

    assert [("late.py", "late: y"), ("mixed.py", ""), ("use.py", "late: x")] == [
        (record.location.path, record.message and record.message.replace("{'x'}", "x").replace("{'y'}", "y"))
        for record in corpus.records
    ]


def test_every_file_that_cannot_be_read_is_a_diagnostic(make: Make) -> None:
    """And costs only itself."""
    folder = make(
        {
            "encoding.py": b"# coding: no-such\nraise ValueError\n",
            "bytes.py": b"raise ValueError('\xff')\n",
            "syntax.py": "def good():\n    raise KeyError('kept')\ndef bad(:\n    raise OSError\n",
            "good.py": "raise TypeError('fine')\n",
            "nul.py": b"raise ValueError\0\n",
        }
    )
    (folder / "link.py").symlink_to("good.py")
    os.mkfifo(folder / "pipe.py")
    corpus = catalog(folder)

    assert ["KeyError", "TypeError"] == sorted(set(classes(corpus)) & {"KeyError", "TypeError"})
    assert [
        ("bytes.py", "encoding"),
        ("encoding.py", "encoding"),
        ("link.py", "symlink"),
        ("nul.py", "syntax-error"),
        ("pipe.py", "special-file"),
        ("syntax.py", "syntax-error"),
    ] == [(each.path, each.code) for each in corpus.diagnostics]
    assert sum(corpus.summary.diagnostics.values()) == len(corpus.diagnostics)
    assert () == validate(encode(corpus))


def test_a_file_that_goes_away_is_a_diagnostic(make: Make) -> None:
    folder = make({"gone.py": "raise ValueError\n", "stays.py": "raise KeyError\n"})
    tree = open_source(str(folder))
    (folder / "gone.py").unlink()
    corpus = extract(tree, Options())

    assert ["KeyError"] == classes(corpus)
    assert [("gone.py", "unreadable")] == [(each.path, each.code) for each in corpus.diagnostics]


def test_a_fault_of_ours_costs_one_file(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """The corpus says so, without anything that differs from run to run."""
    from extractor import scan as package

    real = package.scan

    def faulty(path: str, data: bytes, **options: bool) -> FileFacts:
        if path == "b.py":
            raise IndexError("a detail that names /an/address")
        return real(path, data, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(package, "scan", faulty)
    corpus = catalog(make({"a.py": "raise KeyError\n", "b.py": "raise ValueError\n", "c.py": "raise TypeError\n"}))

    assert ["KeyError", "TypeError"] == classes(corpus)
    assert (
        Diagnostic("b.py", None, "crashed", "the scan of this file failed with IndexError; please report it"),
    ) == corpus.diagnostics


_SELECTION = {
    "app/__init__.py": "",
    "app/errors.py": "class AppError(Exception): ...\nclass Bad(AppError, ValueError): ...\nclass Value: ...\n",
    "app/other.py": "class Bad(KeyError): ...\nraise Bad\n",
    "app/use.py": (
        "from app.errors import AppError, Bad\n"
        "raise ValueError\n"
        "raise AppError\n"
        "raise Bad\n"
        "raise UnicodeDecodeError\n"
        "raise IOError\n"
        "raise (TypeError if x else ValueError)('either')\n"
        "raise unknown()\n"
    ),
}


@pytest.mark.parametrize(
    ("exceptions", "expected"),
    [
        ((), [("other", 2), *(("use", line) for line in range(2, 9))]),
        (("ValueError",), [("use", 2), ("use", 4), ("use", 5), ("use", 7)]),  # 5: a subclass; 7: one of two classes
        (("builtins.ValueError",), [("use", 2), ("use", 4), ("use", 5), ("use", 7)]),
        (("AppError",), [("use", 3), ("use", 4)]),
        (("Bad",), [("other", 2), ("use", 4)]),  # a bare name means every class of that name
        (("app.errors.Bad",), [("use", 4)]),
        (("errors.Bad",), [("use", 4)]),
        (("IOError",), [("use", 6)]),  # another name of OSError
        (("OSError",), [("use", 6)]),
        (("Exception",), [("other", 2), *(("use", line) for line in range(2, 8))]),  # nobody knows what `unknown` is
        (("AppError", "TypeError"), [("use", 3), ("use", 4), ("use", 7)]),
        (("ZeroDivisionError",), []),  # a class that is known and not raised here
        (("json.JSONDecodeError",), []),
    ],
)
def test_exception_keeps_a_class_and_what_derives_from_it(
    make: Make, exceptions: tuple[str, ...], expected: list[tuple[str, int]]
) -> None:
    corpus = catalog(make(_SELECTION), *exceptions)

    assert expected == [(Path(each.location.path).stem, each.location.line) for each in corpus.records]
    assert len(expected) == corpus.summary.records == sum(corpus.summary.by_kind.values())
    assert exceptions == corpus.options.exceptions


@pytest.mark.parametrize(
    ("exception", "advice"),
    [
        ("ValueEror", "did you mean ValueError?"),
        ("AppEror", "did you mean AppError?"),
        ("app.errors.Bid", "did you mean Bad?"),
        ("Value", None),  # a class, but none that is raised
        ("x\x1b[31m", "give its name"),
        ("", "give its name"),
    ],
)
def test_an_unknown_class_is_refused(make: Make, exception: str, advice: str | None) -> None:
    with pytest.raises(UnknownExceptionError) as refused:
        catalog(make(_SELECTION), exception)

    assert (advice or "") in str(refused.value)
    assert str(refused.value).isprintable()


def test_the_kept_records_are_those_of_the_whole_catalog(large: Path, whole: Corpus) -> None:
    """Ids do not depend on what else is kept."""
    every = {record.id: record for record in whole.records}
    kept = catalog(large, "ValueError").records

    assert 0 < len(kept) < len(every)
    assert all(every[record.id] == record for record in kept)


@pytest.mark.parametrize("jobs", [1, 2])
def test_progress_rises_to_the_number_of_files(large: Path, jobs: int) -> None:
    calls: list[tuple[int, int]] = []
    tree = open_source(str(large))
    extract(tree, Options(), jobs=jobs, progress=lambda done, total: calls.append((done, total)))
    done, totals = [done for done, _ in calls], {total for _, total in calls}

    assert 1 == len(totals)
    assert 0 == done[0] < done[1]
    assert sorted(done) == done
    assert totals == {done[-1]}
    assert 4 < len(calls)


def test_a_progress_that_fails_leaves_no_process_behind(large: Path) -> None:
    def fail(done: int, total: int) -> None:
        if done:
            raise KeyboardInterrupt

    before = set(children(os.getpid()))
    with pytest.raises(KeyboardInterrupt):
        extract(open_source(str(large)), Options(), jobs=2, progress=fail)

    assert set() == set(children(os.getpid())) - before


@linux_only
@pytest.mark.parametrize("victims", [1, 2], ids=["one", "all"])
@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM], ids=lambda signum: signum.name)
def test_a_worker_that_is_killed_costs_nothing(
    large: Path, expected: bytes, victims: int, signum: signal.Signals
) -> None:
    """Whoever killed it, an operator or a system that ran out of memory: its files are scanned again."""
    killed: list[int] = []
    before = set(children(os.getpid()))

    def kill(done: int, total: int) -> None:
        if done and not killed:
            for process in sorted(set(children(os.getpid())) - before)[:victims]:
                os.kill(process, signum)
                killed.append(process)

    corpus = extract(open_source(str(large)), Options(), jobs=2, progress=kill)

    assert victims == len(killed)
    assert expected == encode(corpus)


def _with_scan(body: str) -> str:
    """Return a worker's program in which scanning a file first does something bad."""
    return workers._PROGRAM.replace(
        "from extractor.workers import serve",
        "import extractor.scan, os\n"
        "real = extractor.scan.scan\n"
        "def scan(path, content, **options):\n"
        f"    {body}\n"
        "    return real(path, content, **options)\n"
        "extractor.scan.scan = scan\n"
        "from extractor.workers import serve",
    )


def test_a_file_that_kills_every_worker_costs_only_itself(
    large: Path, whole: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is scanned in a chunk and then alone; after that it is a diagnostic."""
    monkeypatch.setattr(workers, "_PROGRAM", _with_scan("if path == 'windows.py': os._exit(9)"))
    corpora = [catalog(large, jobs=jobs) for jobs in (2, 3)]
    lost = [record for record in whole.records if record.location.path == "windows.py"]

    assert encode(corpora[0]) == encode(corpora[1])
    assert 1 == len(lost) == whole.summary.records - corpora[0].summary.records
    assert [("windows.py", "the scan of this file ended its process")] == [
        (each.path, each.message) for each in corpora[0].diagnostics if each.code == "crashed"
    ]


def test_what_a_scan_prints_is_no_answer(large: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nor does it reach the terminal."""
    monkeypatch.setattr(workers, "_PROGRAM", _with_scan("print('noise', flush=True); os.write(1, b'noise')"))

    assert expected == encode(catalog(large, jobs=2))


@pytest.mark.parametrize(
    "program",
    ["import no_such_module", "raise SystemExit(0)", "print('hello')", ""],
    ids=["import", "exit", "word", ""],
)
def test_without_workers_this_process_does_the_work(
    large: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch, program: str
) -> None:
    monkeypatch.setattr(workers, "_PROGRAM", program)

    assert expected == encode(catalog(large, jobs=2))


@pytest.mark.parametrize("executable", ["", "/no/such/python"])
def test_without_an_interpreter_this_process_does_the_work(
    large: Path, expected: bytes, monkeypatch: pytest.MonkeyPatch, executable: str
) -> None:
    """Where Python is a part of another program, there is none to start."""
    monkeypatch.setattr(sys, "executable", executable)

    assert expected == encode(catalog(large, jobs=2))


_SCRIPT = """\
import extractor
tree = extractor.open_source({folder!r})
corpus = extractor.extract(tree, extractor.Options(), jobs=2)
import sys
sys.stdout.buffer.write(extractor.encode(corpus))
"""


@pytest.mark.parametrize("way", ["script", "stdin", "thread"])
def test_a_script_without_a_guard_may_call_extract(large: Path, expected: bytes, tmp_path: Path, way: str) -> None:
    """Its worker processes do not run it again."""
    script = _SCRIPT.format(folder=str(large))
    if way == "thread":
        indented = "".join(f"    {line}\n" for line in script.splitlines())
        script = f"import threading\ndef work():\n{indented}thread = threading.Thread(target=work)\n"
        script += "thread.start()\nthread.join()\n"
    (tmp_path / "script.py").write_text(script)
    command = [sys.executable, "-W", "error", "-" if way == "stdin" else str(tmp_path / "script.py")]
    root = str(Path(__file__).parent.parent)
    ended = subprocess.run(
        command,
        input=script.encode() if way == "stdin" else b"",
        capture_output=True,
        check=False,
        timeout=60,
        env=os.environ | {"PYTHONPATH": root},
    )

    assert b"" == ended.stderr
    assert expected == ended.stdout


@linux_only
def test_no_worker_outlives_a_parent_that_is_killed(large: Path) -> None:
    """They end when nobody is left to ask them."""
    script = _SCRIPT.format(folder=str(large)).replace(
        "jobs=2", "jobs=2, progress=lambda done, total: done and __import__('time').sleep(60)"
    )
    root = str(Path(__file__).parent.parent)
    with subprocess.Popen([sys.executable, "-c", script], env=os.environ | {"PYTHONPATH": root}) as parent:
        assert wait_until(lambda: len(children(parent.pid)) == 2)
        started = children(parent.pid)
        parent.kill()

    assert wait_until(lambda: not any(Path(f"/proc/{process}/cmdline").exists() for process in started))


def test_workers_are_started_without_a_warning(large: Path, expected: bytes) -> None:
    """No fork beside threads, no stream that is left to the garbage collector."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        corpus = catalog(large, jobs=2)
        import gc

        gc.collect()

    assert [] == caught
    assert expected == encode(corpus)


def test_a_small_tree_is_scanned_in_this_process(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    """To start another one would take longer."""
    monkeypatch.setattr(workers.subprocess, "Popen", None)

    assert ["ValueError"] == classes(catalog(make({"a.py": "raise ValueError\n"}), jobs=4))


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="this system does not bind processes to cores")
def test_available_cores_are_those_that_this_process_may_use() -> None:
    program = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})\n"
    program += "from extractor.pipeline import available_cores; print(available_cores())"
    root = Path(__file__).parent.parent
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, cwd=root)

    assert "1\n" == ended.stdout
    assert len(os.sched_getaffinity(0)) == available_cores()
