"""The store: bounded, shared, and never worth an error."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from extractor import store as module
from extractor.store import Store

LIMIT = 1 << 20
WRITER = """
import sys
from extractor.store import Store
store = Store(sys.argv[1], 1 << 24)
for number in range(40):
    key = f"{sys.argv[2]}-{number}".encode()
    store.put({key: key * 50})
    assert store.get([key]) == {key: key * 50}
assert store.remark is None, store.remark
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Return where a store may be, in a folder that does not exist yet."""
    return tmp_path / "folder" / "store.sqlite3"


@pytest.fixture
def store(path: Path) -> Iterator[Store]:
    """Return an empty store."""
    store = Store(str(path), LIMIT)
    yield store
    store.close()


def test_gives_what_was_put_in_last(store: Store, path: Path) -> None:
    store.put({b"a": b"1", b"b": b"2"})
    store.put({b"a": b"3"})
    again = Store(str(path), LIMIT)

    assert {b"a": b"3", b"b": b"2"} == store.get([b"a", b"b", b"c"]) == again.get([b"b", b"a"])
    assert store.remark is None
    assert 2 == again.info().entries
    again.close()


def test_more_keys_than_one_statement_takes(store: Store) -> None:
    entries = {f"{number}".encode(): b"x" for number in range(2345)}
    store.put(entries)

    assert entries == store.get(list(entries))


def test_asking_does_not_make_a_file(store: Store, path: Path) -> None:
    assert {} == store.get([b"a"])
    assert (0, 0) == (store.info().entries, store.info().size)
    assert not path.exists()


def test_is_cleared(store: Store, path: Path) -> None:
    store.put({b"a": b"1"})
    store.clear()

    assert not path.exists()
    assert {} == store.get([b"a"])
    store.put({b"a": b"2"})
    assert {b"a": b"2"} == store.get([b"a"])


@pytest.mark.parametrize("content", [b"no database at all", b"SQLite format 3\0" + b"\xff" * 5000, b"{}" * 4000])
def test_a_damaged_file_is_made_anew_with_one_remark(path: Path, content: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(content)
    store = Store(str(path), LIMIT)

    assert {} == store.get([b"a"])
    store.put({b"a": b"1"})
    assert {b"a": b"1"} == store.get([b"a"])
    assert store.remark == f"the cache in {path} was damaged or not ours, and was made anew"
    store.close()


def test_damage_in_the_middle_costs_no_more_than_the_file(store: Store, path: Path) -> None:
    store.put({f"{number}".encode(): os.urandom(300) for number in range(1000)})
    store.close()
    data = bytearray(path.read_bytes())
    data[4096 * 3 : 4096 * 60] = b"\xaa" * (4096 * 57)
    path.write_bytes(data)

    store.get([f"{number}".encode() for number in range(1000)])
    store.put({b"a": b"1"})
    assert {b"a": b"1"} == store.get([b"a"])
    assert store.remark is not None


def test_damage_in_an_entry_costs_the_entry(store: Store, path: Path) -> None:
    store.put({b"a": b"1" * 100, b"b": b"2" * 100})
    store.close()
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE entries SET data = ? WHERE key = ?", (b"spoiled", b"a"))
    connection.close()

    assert {b"b": b"2" * 100} == store.get([b"a", b"b"])
    assert store.remark == f"the cache in {path} was damaged in part, which is read anew"


def test_a_database_of_another_program_is_made_anew(store: Store, path: Path) -> None:
    path.parent.mkdir()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE entries (key, used, data)")
    connection.close()

    assert {} == store.get([b"a"])
    assert store.remark is not None


def test_a_folder_that_cannot_be_made_is_one_remark(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    store = Store(str(tmp_path / "file" / "store.sqlite3"), LIMIT)
    store.put({b"a": b"1"})
    store.put({b"a": b"1"})

    assert {} == store.get([b"a"])
    assert (store.remark or "").startswith("the cache in ")


def test_what_was_not_used_for_longest_goes_beyond_the_limit(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    day = 24 * 60 * 60
    for number in range(12):
        monkeypatch.setattr(module.time, "time", lambda number=number: 1e9 + number * day)
        store.put({b"%d" % number: os.urandom(LIMIT // 10)})
        # The first is used again and again.
        store.get([b"0"])

    found = store.get([b"%d" % number for number in range(12)])
    assert {b"0", b"11", b"10"} <= found.keys()
    assert not {b"1", b"2"} & found.keys()
    assert path.stat().st_size <= LIMIT


def test_processes_share_it(path: Path) -> None:
    """Several that start at once, on a file that does not exist."""
    running = [subprocess.Popen([sys.executable, "-c", WRITER, str(path), str(number)]) for number in range(4)]

    assert [0, 0, 0, 0] == [process.wait(60) for process in running]
    store = Store(str(path), LIMIT)
    assert 160 == store.info().entries
    store.close()
