"""Many projects, one after another or several at once: what is kept, what is done again, and what a failure costs."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from extractor import cataloging, catalogs
from extractor.cache import Cache
from extractor.cataloging import Cataloging
from extractor.catalogs import Catalogs
from extractor.corpus import encode
from extractor.errors import LostExecutorError, MissingExtraError, UnwritableFileError
from extractor.model import Options
from extractor.pipeline import extract
from extractor.projects import read_projects
from extractor.source import open_source
from extractor.validation import validate


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the current folder, with three small projects in it."""
    monkeypatch.chdir(tmp_path)
    for number, name in enumerate(("one", "two", "three"), start=1):
        (tmp_path / name).mkdir()
        (tmp_path / name / "a.py").write_text(f"raise ValueError('{name}')\n" * number)
    return tmp_path


def work(
    lines: str = "./one ./two ./three",
    *,
    options: Options | None = None,
    executor: Executor | None = None,
    again: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> Catalogs:
    """Extract what is missing, into the folder "out"."""
    wanted = options or Options()
    kept = Catalogs("out", read_projects("\n".join(lines.split()).encode(), "LIST"), wanted, again=again)
    run = Cataloging(wanted, jobs=1, executor=executor, open_cache=lambda: Cache(None), remark=print)
    run.run(kept, progress)
    return kept


def statuses(folder: str = "out") -> dict[str, str]:
    """Return what the summary says became of each project."""
    data = Path(folder, "summary.json").read_bytes()
    assert () == validate(data)
    return {each["project"]: each["status"] for each in json.loads(data)["projects"]}


def contents(folder: str = "out") -> dict[str, bytes]:
    """Return all files of a folder."""
    return {file.name: file.read_bytes() for file in Path(folder).iterdir()}


DONE = {"./one": "done", "./two": "done", "./three": "done"}


def test_each_project_has_the_corpus_that_it_has_alone(here: Path) -> None:
    batch = work().batch
    expected = {name: encode(extract(open_source(name), Options())) for name in ("./one", "./two", "./three")}

    assert expected == {each.project: Path("out", each.file or "").read_bytes() for each in batch.projects}
    assert DONE == statuses()
    assert (3, 3, 0, 0, 6) == (
        batch.summary.projects,
        batch.summary.done,
        batch.summary.failed,
        batch.summary.pending,
        batch.summary.records,
    )
    assert 4 == len(contents())


def test_an_executor_and_several_at_once_give_the_same_bytes(here: Path) -> None:
    work()
    alone = contents()
    shutil.rmtree("out")
    with ThreadPoolExecutor(3) as executor:
        work(executor=executor)

    assert alone == contents()


def test_a_project_that_fails_costs_only_itself(here: Path) -> None:
    """Whatever it fails with; what it said stands in the summary."""
    batch = work("./one ./gone ./two@main ./three").batch

    assert {"./one": "done", "./gone": "failed", "./two@main": "failed", "./three": "done"} == statuses()
    assert ["'./gone' is no source", "./two is in no git repository"] == [
        (each.error or "").partition(";")[0] for each in batch.projects if each.status == "failed"
    ]
    assert {None} == {each.file for each in batch.projects if each.status == "failed"}


@pytest.mark.parametrize("threads", [0, 2])
def test_a_fault_of_ours_costs_one_project(here: Path, monkeypatch: pytest.MonkeyPatch, threads: int) -> None:
    real = cataloging.extract_document

    def faulty(tree: Any, *arguments: Any, **options: Any) -> Any:
        if len(list(tree.entries)) != 1:
            raise ZeroDivisionError("a detail that names /an/address")
        return real(tree, *arguments, **options)

    (here / "two" / "b.py").write_text("")
    monkeypatch.setattr(cataloging, "extract_document", faulty)
    if threads:
        with ThreadPoolExecutor(threads) as executor:
            batch = work(executor=executor).batch
    else:
        batch = work().batch

    assert DONE | {"./two": "failed"} == statuses()
    assert "raisedex failed with ZeroDivisionError; please report it" == batch.projects[1].error


def _missing(lines: str = "./one ./two ./three", **others: Any) -> list[str]:
    projects = read_projects("\n".join(lines.split()).encode(), "LIST")
    return [each.text for each in Catalogs("out", projects, others.pop("options", Options()), **others).missing]


def test_what_is_there_is_not_done_again(here: Path) -> None:
    work()
    before = contents()

    assert [] == _missing()
    assert before == contents()
    assert ["./one", "./two", "./three"] == _missing(again=True)


def test_what_is_new_in_the_list_is_done(here: Path) -> None:
    work("./one ./three")

    assert ["./two"] == _missing()
    assert ["./one", "./two", "./three"] == list(statuses())
    assert DONE | {"./two": "pending"} == statuses()


def test_another_order_of_the_list_is_another_order_of_the_summary(here: Path) -> None:
    work()

    assert [] == _missing("./three ./one ./two")
    assert ["./three", "./one", "./two"] == list(statuses())


@pytest.mark.parametrize(
    "change",
    [
        lambda file: file.unlink(),
        lambda file: file.write_bytes(file.read_bytes()[:100]),
        lambda file: file.write_bytes(file.read_bytes().replace(b"ValueError", b"ValueErrer")),
    ],
    ids=["gone", "cut off", "changed"],
)
def test_a_corpus_that_is_not_there_as_it_was_written_is_made_anew(
    here: Path, change: Callable[[Path], object]
) -> None:
    kept = work()
    before = contents()
    change(Path("out", kept.batch.projects[1].file or ""))

    assert ["./two"] == _missing()
    work()
    assert before == contents()


def test_other_options_and_another_version_are_other_corpora(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work()

    assert ["./one", "./two", "./three"] == _missing(options=Options(context=3))
    work()
    monkeypatch.setattr(catalogs, "fingerprint", lambda: "another")
    assert ["./one", "./two", "./three"] == _missing()


def test_the_same_relative_path_elsewhere_is_another_project(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work("./one")
    (here / "elsewhere" / "one").mkdir(parents=True)
    monkeypatch.chdir(here / "elsewhere")
    (project,) = Catalogs(str(here / "out"), read_projects(b"./one", "LIST"), Options()).missing

    assert "./one" == project.text


def test_a_folder_that_is_moved_with_its_projects_is_still_done(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    work()
    moved = here / "moved"
    moved.mkdir()
    for name in ("one", "two", "three", "out"):
        shutil.move(here / name, moved / name)
    monkeypatch.chdir(moved)

    assert [] == _missing()


def test_what_failed_is_tried_again(here: Path) -> None:
    work("./one ./later")
    (here / "later").mkdir()
    work("./one ./later")

    assert {"./one": "done", "./later": "done"} == statuses()


def test_the_summary_is_true_when_a_run_is_stopped(here: Path) -> None:
    """By an interrupt in the middle; the next run does the rest, and nothing shows that there were two."""

    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    work()
    whole = contents()
    shutil.rmtree("out")
    with pytest.raises(KeyboardInterrupt):
        work(progress=stop)

    assert {"./one": "done", "./two": "pending", "./three": "pending"} == statuses()
    assert 2 == len(contents())
    work()
    assert whole == contents()


def test_an_interrupt_stops_what_is_in_flight(here: Path) -> None:
    def stop(done: int, total: int) -> None:
        if done == 1:
            raise KeyboardInterrupt

    with ThreadPoolExecutor(1) as executor, pytest.raises(KeyboardInterrupt):
        work(executor=executor, progress=stop)
    found = statuses()

    assert ["done", "pending", "pending"] == sorted(found.values())
    assert 2 == len(contents())


def test_an_executor_that_is_lost_ends_the_run(here: Path) -> None:
    """It is no project's fault, and the summary says what is done."""

    class Losing(Executor):
        def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
            future: Future[Any] = Future()
            if any(b"two" in content for _, content in args[0].files):
                future.set_exception(LostExecutorError("its scheduler is gone"))
            else:
                future.set_result(fn(*args, **kwargs))
            return future

    with pytest.raises(LostExecutorError):
        work(executor=Losing())

    assert "failed" not in statuses().values()
    assert "pending" == statuses()["./two"]


def test_a_library_that_is_missing_ends_the_run(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: Any, **options: Any) -> None:
        raise MissingExtraError("releases")

    monkeypatch.setattr(cataloging, "open_source", refuse)
    with pytest.raises(MissingExtraError):
        work()

    assert {"pending"} == set(statuses().values())


def test_a_folder_that_cannot_be_made_is_refused(here: Path) -> None:
    (here / "out").write_text("a file")
    with pytest.raises(UnwritableFileError):
        work()


@pytest.mark.parametrize("foreign", ["", "[]", "{}", '{"tool": {"name": "another"}, "projects": []}', "{" * 100_000])
def test_a_summary_of_something_else_is_not_replaced(here: Path, foreign: str) -> None:
    (here / "out").mkdir()
    (here / "out" / "summary.json").write_text(foreign)
    with pytest.raises(UnwritableFileError, match="it is there and no summary of ours; name another file"):
        work()

    assert foreign == (here / "out" / "summary.json").read_text()


def test_a_summary_of_another_version_is_made_anew(here: Path) -> None:
    work("./one")
    file = here / "out" / "summary.json"
    file.write_text(file.read_text().replace('"schema_version":1', '"schema_version":0'))

    assert ["./one"] == _missing("./one")


def test_the_summary_is_not_written_for_each_project(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With thousands of them that would be quadratic."""
    written: list[str] = []
    real = catalogs.write_bytes
    monkeypatch.setattr(catalogs, "write_bytes", lambda data, path: (written.append(Path(path).name), real(data, path)))
    work()

    assert 2 == written.count("summary.json")


def test_an_empty_list_has_an_empty_summary(here: Path) -> None:
    work("")

    assert {} == statuses()
