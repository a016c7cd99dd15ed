"""The cache saves time and changes nothing: not a byte of the corpus, and nothing that it holds is ever run."""

from __future__ import annotations

import os
import pickle
import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from extractor import cache as module
from extractor import scanning, workers
from extractor.cache import Cache, store_of_facts
from extractor.corpus import encode
from extractor.facts import NOTHING, FileFacts
from extractor.folders import CACHE_VARIABLE
from extractor.model import Diagnostic, Options
from extractor.pipeline import extract, extract_document
from extractor.source import Entry, open_source
from extractor.source.git_repository import GitRepository
from tests.program import raisedex
from tests.trees import write_tree

HELPERS = {
    "app/__init__.py": "",
    "app/use.py": "from app.texts import late\nfrom app.errors import Late\n\n\ndef f(n):\n    raise Late(late(n))\n",
    "app/texts.py": "def late(n):\n    return f'{n} is late'\n",
    "app/errors.py": "class Late(ValueError):\n    pass\n",
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of a cache that is empty."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    return tmp_path / "cache"


@pytest.fixture
def cache() -> Iterator[Cache]:
    """Return the cache in it."""
    cache = Cache(store_of_facts())
    yield cache
    cache.close()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Return a small tree whose link asks for further files, functions and callers."""
    for name, content in HELPERS.items():
        (tmp_path / "tree" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "tree" / name).write_text(content)
    return tmp_path / "tree"


@pytest.fixture
def scanned(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the paths that are scanned, as they come."""
    paths: list[str] = []

    def scan_files(order: workers.Order) -> list[FileFacts]:
        paths.extend(path for path, _ in order.files)
        return workers.scan_files(order)

    monkeypatch.setattr(scanning, "scan_files", scan_files)
    return paths


def corpus_of(folder: Path, cache: Cache | None = None, *, jobs: int = 1) -> bytes:
    """Extract."""
    return encode(extract(open_source(str(folder)), Options(), jobs=jobs, cache=cache))


def commit(folder: Path, message: str) -> None:
    """Commit all that is in a folder."""
    identity = ["-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "core.hooksPath=none"]
    for arguments in (["add", "--all", "--force"], ["commit", "--quiet", f"--message={message}"]):
        subprocess.run(["git", *identity, "-C", str(folder), *arguments], check=True, capture_output=True)


def test_a_large_tree_has_the_same_corpus_with_and_without(tmp_path: Path, cache: Cache) -> None:
    folder = write_tree(tmp_path / "large")
    expected = corpus_of(folder)

    assert expected == corpus_of(folder, cache, jobs=2)
    assert expected == corpus_of(folder, cache)
    assert cache.remark is None


def test_nothing_is_scanned_twice(tree: Path, cache: Cache, scanned: list[str]) -> None:
    first = corpus_of(tree, cache)
    assert {"app/use.py", "app/texts.py", "app/errors.py"} == set(scanned)
    scanned.clear()

    assert first == corpus_of(tree, cache)
    assert [] == scanned


def test_only_what_changed_is_scanned(tree: Path, cache: Cache, scanned: list[str]) -> None:
    corpus_of(tree, cache)
    scanned.clear()
    (tree / "app/texts.py").write_text("def late(n):\n    return f'{n} is too late'\n")
    found = corpus_of(tree, cache)

    assert ["app/texts.py"] == list(dict.fromkeys(scanned))
    assert corpus_of(tree) == found
    assert b"is too late" in found


def test_what_is_wanted_of_a_file_that_did_not_change_is_part_of_the_key(tree: Path, cache: Cache) -> None:
    """Another file may come to use more of it."""
    (tree / "app/texts.py").write_text(HELPERS["app/texts.py"] + "def soon(n):\n    return f'{n} comes soon'\n")
    corpus_of(tree, cache)
    (tree / "app/use.py").write_text(
        HELPERS["app/use.py"].replace("late(n)", "soon(n)").replace("import late", "import soon")
    )

    assert corpus_of(tree) == corpus_of(tree, cache)


def test_a_file_that_moved_is_not_scanned_again(tree: Path, cache: Cache, scanned: list[str]) -> None:
    (tree / "app/broken.py").write_text("def f(:\n    raise ValueError\nraise KeyError('a')\n")
    corpus_of(tree, cache)
    scanned.clear()
    (tree / "app/broken.py").rename(tree / "app/moved.py")
    found = corpus_of(tree, cache)

    assert [] == scanned
    assert corpus_of(tree) == found
    assert b"app/broken.py" not in found


def test_options_that_matter_are_part_of_the_key(tree: Path, cache: Cache) -> None:
    for options in (Options(context=0), Options(context=2), Options(("KeyError",)), Options(exclude=("app/texts.py",))):
        opened = open_source(str(tree), include=options.include, exclude=options.exclude)
        if options.exceptions:
            (tree / "app/more.py").write_text("raise KeyError('a')\n")
            opened = open_source(str(tree))

        assert encode(extract(opened, options)) == extract_document(opened, options, cache=cache).data
        assert encode(extract(opened, options)) == extract_document(opened, options, cache=cache).data


def test_another_version_of_the_tool_starts_anew(
    tree: Path, cache: Cache, scanned: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    corpus_of(tree, cache)
    scanned.clear()
    monkeypatch.setattr(module, "fingerprint", lambda: "another")
    corpus_of(tree, cache)

    assert scanned


def test_files_of_a_revision_that_did_not_change_are_not_read(
    tree: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch
) -> None:
    subprocess.run(["git", "init", "--quiet", "--initial-branch=main", str(tree)], check=True)
    commit(tree, "one")
    extract_document(open_source(str(tree), revision="HEAD"), Options(), cache=cache)
    (tree / "app/new.py").write_text("raise KeyError('new')\n")
    commit(tree, "two")
    read: list[str] = []
    read_blobs = GitRepository.read_blobs

    def noted(self: GitRepository, blobs: Iterable[str]) -> Iterator[bytes | None]:
        asked = list(blobs)
        read.extend(asked)
        return read_blobs(self, asked)

    monkeypatch.setattr(GitRepository, "read_blobs", noted)
    opened = open_source(str(tree), revision="HEAD")
    found = extract_document(opened, Options(), cache=cache).data

    new = next(entry.blob for entry in opened.entries if entry.path == "app/new.py")
    assert [new] == read
    assert encode(extract(opened, Options())) == found
    read.clear()
    assert found == extract_document(open_source(str(tree), revision="HEAD"), Options(), cache=cache).data
    assert [] == read


def test_a_scan_that_crashed_is_tried_again(tree: Path, cache: Cache, monkeypatch: pytest.MonkeyPatch) -> None:
    def crash(order: workers.Order) -> list[FileFacts]:
        return [
            FileFacts(path, 0, (), (), {}, (), (Diagnostic(path, None, "crashed", "no luck"),))
            for path, _ in order.files
        ]

    with monkeypatch.context() as patch:
        patch.setattr(scanning, "scan_files", crash)
        assert b"no luck" in corpus_of(tree, cache)

    assert corpus_of(tree) == corpus_of(tree, cache)


class Evil:
    """Something whose unpickling makes a folder."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __reduce__(self) -> tuple[Callable[[str], None], tuple[str]]:
        return os.mkdir, (self._path,)


def test_nothing_in_a_cache_is_run(tree: Path, tmp_path: Path) -> None:
    store = store_of_facts()
    cache = Cache(store)
    expected = corpus_of(tree, cache)
    keys = _all_keys(folder_of(store.path))
    store.put({key: pickle.dumps(Evil(str(tmp_path / "evil"))) for key in keys})

    assert expected == corpus_of(tree, cache)
    assert not (tmp_path / "evil").exists()
    cache.close()


@pytest.mark.parametrize("value", [None, 7, "text", (), (1, 2, 3), {"a": 1}, Entry("a.py")])
def test_what_is_no_part_of_ours_is_missing(tree: Path, value: object) -> None:
    store = store_of_facts()
    cache = Cache(store)
    expected = extract_document(open_source(str(tree)), Options(), cache=cache).data
    store.put({key: pickle.dumps(value) for key in _all_keys(folder_of(store.path))})

    assert expected == extract_document(open_source(str(tree)), Options(), cache=cache).data
    cache.close()


def folder_of(path: str) -> Path:
    """Return the file of a store as a path."""
    return Path(path)


def _all_keys(path: Path) -> list[bytes]:
    import sqlite3

    with sqlite3.connect(path) as connection:
        keys = [key for (key,) in connection.execute("SELECT key FROM entries")]
    connection.close()
    return keys


def test_facts_come_back_as_they_were(cache: Cache) -> None:
    facts = FileFacts("a.py", 3, (), (), {}, (), (Diagnostic("a.py", 1, "syntax-error", "x"),), exports=("b",))
    cache.keep_facts([(facts, "0" * 40, NOTHING)], 3)
    found = cache.facts({"b.py": ("0" * 40, NOTHING)}, 3)

    assert {"b.py": replace(facts, path="b.py", diagnostics=(Diagnostic("b.py", 1, "syntax-error", "x"),))} == found
    assert {} == cache.facts({"b.py": ("0" * 40, NOTHING)}, 4)


def test_the_command_uses_it_says_so_and_clears_it(tree: Path, folder: Path) -> None:
    environment = {CACHE_VARIABLE: str(folder)}
    first = raisedex("extract", tree, "--no-cache", environment=environment)
    assert not folder.exists()
    second = raisedex("extract", tree, environment=environment)
    info = raisedex("cache", "info", environment=environment)
    third = raisedex("extract", tree, environment=environment)
    cleared = raisedex("cache", "clear", environment=environment)
    empty = raisedex("cache", "info", environment=environment)

    assert first.output == second.output == third.output
    assert str(folder / "facts.sqlite3").encode() in info.output
    assert b" 0 entries" not in info.output
    assert b"removed" in cleared.output
    assert b" 0 entries, 0.0 MB" in empty.output


def test_a_damaged_cache_is_one_remark(tree: Path, folder: Path) -> None:
    environment = {CACHE_VARIABLE: str(folder)}
    folder.mkdir()
    (folder / "facts.sqlite3").write_bytes(b"spoiled" * 1000)
    first, second = (raisedex("extract", tree, environment=environment) for _ in range(2))

    assert 0 == first.code == second.code
    assert 1 == first.errors.count("was made anew")
    assert "made anew" not in second.errors
    assert first.output == second.output


def test_a_cache_that_cannot_be_written_is_one_remark(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    ended = raisedex("extract", tree, environment={CACHE_VARIABLE: str(tmp_path / "file")})

    assert 0 == ended.code
    assert 1 == ended.errors.count("cannot be used")
    shutil.rmtree(tree)
