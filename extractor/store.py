"""A bounded store of bytes by key, in one SQLite file that several processes may use at once.

Nothing in it is worth an error: what cannot be read is missing, what cannot be written is not kept, and a file that is
damaged or no store of ours is made anew.
"""

from __future__ import annotations

import os
import sqlite3
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeVar

# What SQLite keeps in a file's header to tell whose it is; any number, as long as it stays.
_APPLICATION = 0x72646578
_LAYOUT = 1
_SCHEMA = f"""
    PRAGMA application_id = {_APPLICATION};
    PRAGMA user_version = {_LAYOUT};
    CREATE TABLE IF NOT EXISTS entries (key BLOB PRIMARY KEY, used INTEGER NOT NULL, data BLOB NOT NULL);
"""
# SQLite takes so many values for one statement everywhere.
_MOST_VALUES = 500
_PATIENCE = 10.0
_DAY = 24 * 60 * 60
# How much of the limit stays when old entries are dropped, so that not each run has to.
_KEPT_SHARE = 0.8

_Result = TypeVar("_Result")


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """A store's file, how many entries it has, and its size on disk in bytes."""

    path: str
    entries: int
    size: int


class Store:
    """Bytes by key. `remark` says what was wrong with the file, None if nothing was."""

    def __init__(self, path: str, limit: int) -> None:
        """Open a store, which is made when something is put in.

        Args:
            path: Its file.
            limit: How many bytes the file may have; beyond, what was not used for longest goes.

        """
        self.path = path
        self.remark: str | None = None
        self._limit = limit
        self._connection: sqlite3.Connection | None = None
        self._is_usable = True

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return what the store has of these keys."""
        if not keys or not os.path.exists(self.path):
            return {}
        nothing: dict[bytes, bytes] = {}
        found = self._guarded(lambda connection: _found(connection, keys), nothing)
        return {key: data for key, packed in found.items() if (data := self._unpacked(packed)) is not None}

    def put(self, entries: Mapping[bytes, bytes]) -> None:
        """Keep these entries in place of what the keys have."""
        if not entries:
            return
        packed = {key: zlib.compress(data, 1) for key, data in entries.items()}
        self._guarded(lambda connection: _keep(connection, packed, self._limit), None)

    def info(self) -> StoreInfo:
        """Return what there is; a file that does not exist is an empty store."""
        count = self._guarded(_counted, 0) if os.path.exists(self.path) else 0
        return StoreInfo(self.path, count, sum(_size(path) for path in _files(self.path)))

    def clear(self) -> None:
        """Remove the file.

        Raises:
            OSError: It cannot be removed.

        """
        self.close()
        for path in _files(self.path):
            if os.path.lexists(path):
                os.unlink(path)

    def close(self) -> None:
        """Let go of the file; it is opened again when something is asked for."""
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
            self._connection = None

    def _guarded(self, work: Callable[[sqlite3.Connection], _Result], otherwise: _Result) -> _Result:
        """Return what the work gives, a second time on a new file if this one is damaged or not ours."""
        for is_last in (False, True):
            if not self._is_usable:
                break
            try:
                return work(self._opened())
            except sqlite3.OperationalError as error:
                # Others hold it for long, the disk is full, or the folder cannot be written.
                self._give_up(f"the cache in {self.path} cannot be used: {error}")
            except (sqlite3.DatabaseError, OSError) as error:
                if is_last or isinstance(error, OSError):
                    self._give_up(f"the cache in {self.path} cannot be used: {error}")
                else:
                    self._rebuild()
        return otherwise

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            os.makedirs(os.path.dirname(self.path), mode=0o700, exist_ok=True)
            self._connection = _connected(self.path)
        return self._connection

    def _rebuild(self) -> None:
        try:
            self.clear()
        except OSError as error:
            self._give_up(f"the cache in {self.path} is damaged and cannot be removed: {error.strerror}")
            return
        self.remark = self.remark or f"the cache in {self.path} was damaged or not ours, and was made anew"

    def _give_up(self, remark: str) -> None:
        self.remark = self.remark or remark
        self._is_usable = False
        self.close()

    def _unpacked(self, packed: object) -> bytes | None:
        try:
            return zlib.decompress(packed)  # type: ignore[arg-type]
        except (zlib.error, TypeError):
            self.remark = self.remark or f"the cache in {self.path} was damaged in part, which is read anew"
            return None


def _connected(path: str) -> sqlite3.Connection:
    connection = sqlite3.connect(path, timeout=_PATIENCE, isolation_level=None)
    try:
        # If the system crashes the file may be damaged, which shows, and then it is made anew.
        connection.execute("PRAGMA synchronous = OFF")
        (application,) = connection.execute("PRAGMA application_id").fetchone()
        (layout,) = connection.execute("PRAGMA user_version").fetchone()
        (tables,) = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
        if tables and (application, layout) != (_APPLICATION, _LAYOUT):
            raise sqlite3.DatabaseError("another program's file")
        if not tables:
            connection.executescript(_SCHEMA)
    except BaseException:
        connection.close()
        raise
    return connection


def _found(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    today, old = int(time.time()) // _DAY, []
    for part in _parts(keys):
        marks = ",".join("?" * len(part))
        for key, used, data in connection.execute(f"SELECT key, used, data FROM entries WHERE key IN ({marks})", part):
            found[key] = data
            if used != today:
                old.append(key)
    if old:
        _touch(connection, old, today)
    return found


def _touch(connection: sqlite3.Connection, keys: Sequence[bytes], day: int) -> None:
    # A folder that only can be read is a good cache too.
    with suppress(sqlite3.OperationalError), _transaction(connection):
        for part in _parts(keys):
            marks = ",".join("?" * len(part))
            connection.execute(f"UPDATE entries SET used = ? WHERE key IN ({marks})", [day, *part])


def _keep(connection: sqlite3.Connection, packed: Mapping[bytes, bytes], limit: int) -> None:
    today = int(time.time()) // _DAY
    with _transaction(connection):
        connection.executemany(
            "INSERT OR REPLACE INTO entries VALUES (?, ?, ?)", [(key, today, data) for key, data in packed.items()]
        )
    if _used_bytes(connection) > limit:
        _shrink(connection, int(limit * _KEPT_SHARE))


def _shrink(connection: sqlite3.Connection, limit: int) -> None:
    """Drop what was not used for longest; of what was used on one day, what was put in first."""
    kept = 0
    latest_first = connection.execute("SELECT rowid, length(data) FROM entries ORDER BY used DESC, rowid DESC")
    dropped = [(row,) for row, size in latest_first if (kept := kept + size) > limit]
    with _transaction(connection):
        connection.executemany("DELETE FROM entries WHERE rowid = ?", dropped)
    # Where others use the file, the room is used again later.
    with suppress(sqlite3.OperationalError):
        connection.execute("VACUUM")


@contextmanager
def _transaction(connection: sqlite3.Connection) -> Iterator[None]:
    """Do what is done inside at once, or not at all."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")


def _used_bytes(connection: sqlite3.Connection) -> int:
    (pages,), (size,) = (connection.execute(f"PRAGMA {name}").fetchone() for name in ("page_count", "page_size"))
    return int(pages * size)


def _counted(connection: sqlite3.Connection) -> int:
    (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
    return int(count)


def _parts(keys: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    return (keys[start : start + _MOST_VALUES] for start in range(0, len(keys), _MOST_VALUES))


def _files(path: str) -> tuple[str, ...]:
    return path, f"{path}-journal"


def _size(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
