"""What scans of earlier runs found, by what they read: the facts of a file depend on nothing else.

A key is made of the file's git object id, what was asked of the scan, and the tool itself. Facts are pickled, and
unpickled to our own data classes and nothing else, so a cache that somebody else wrote can be wrong but runs nothing.
"""

from __future__ import annotations

import hashlib
import io
import os
import pickle
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, TypeVar

from extractor import facts, model
from extractor.facts import FileFacts, Wanted
from extractor.folders import cache_folder
from extractor.packing import packed
from extractor.store import Store
from extractor.tool import fingerprint

# In bytes: several hundred releases of a project of vLLM's size.
_LIMIT = 1 << 30
_FILE = "facts.sqlite3"
_KEY_BYTES = 20

_Kind = TypeVar("_Kind")


@dataclass(frozen=True, slots=True)
class Outline:
    """What is known of a file without parsing it.

    Attributes:
        lines: How many there are.
        may_raise: Whether the word `raise` is in it.

    """

    lines: int
    may_raise: bool


@dataclass(frozen=True, slots=True)
class Calls:
    """The names that a file calls, and those that imports and others rename, as (name, alias)."""

    names: tuple[str, ...]
    aliases: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class _Parts:
    head: bytes
    lines: bytes


def store_of_facts() -> Store:
    """Return the store in the user's cache folder."""
    return Store(os.path.join(cache_folder(), _FILE), _LIMIT)


class Cache:
    """What is known of files by git object id, and of trees. Without a store it is empty and stays so."""

    def __init__(self, store: Store | None) -> None:
        self._store = store

    @property
    def remark(self) -> str | None:
        """What was wrong with the store, None if nothing was."""
        return self._store.remark if self._store is not None else None

    def facts(self, asked: Mapping[str, tuple[str, Wanted]], context: int) -> dict[str, FileFacts]:
        """Return the facts that are known of files, by path.

        Args:
            asked: By path the object id and what is wanted.
            context: The lines around each raise that are kept.

        """
        keys = {path: _facts_key(blob, wanted, context) for path, (blob, wanted) in asked.items()}
        found = self._loaded(keys.values(), FileFacts)
        return {path: _moved(found[key], path) for path, key in keys.items() if key in found}

    def keep_facts(self, found: Iterable[tuple[FileFacts, str, Wanted]], context: int) -> None:
        """Keep facts, each with its object id and what was wanted; not those of a scan that crashed."""
        self._dump(
            (_facts_key(blob, wanted, context), _moved(facts, ""))
            for facts, blob, wanted in found
            if not any(each.code == "crashed" for each in facts.diagnostics)
        )

    def outlines(self, blobs: Collection[str]) -> dict[str, Outline]:
        """Return what is known of files without parsing them, by object id."""
        return self._by_blob("outline", blobs, Outline)

    def keep_outlines(self, outlines: Mapping[str, Outline]) -> None:
        """Keep outlines by object id."""
        self._dump((_key("outline", blob), each) for blob, each in outlines.items())

    def calls(self, blobs: Collection[str]) -> dict[str, Calls]:
        """Return what is known of the calls in files, by object id."""
        return self._by_blob("calls", blobs, Calls)

    def keep_calls(self, calls: Mapping[str, Calls]) -> None:
        """Keep calls by object id."""
        self._dump((_key("calls", blob), each) for blob, each in calls.items())

    def document(self, *described: object) -> tuple[bytes, bytes] | None:
        """Return the two parts of a document that was made of what has this description, which has an exact repr."""
        key = _key("document", *described)
        found = self._loaded([key], _Parts).get(key)
        return (found.head, found.lines) if found is not None else None

    def keep_document(self, head: bytes, lines: Iterable[bytes], *described: object) -> None:
        """Keep a document for the next time that something has this description."""
        if self._store is not None:
            self._dump([(_key("document", *described), _Parts(head, b"\n".join(lines)))])

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.close()

    def _by_blob(self, what: str, blobs: Collection[str], kind: type[_Kind]) -> dict[str, _Kind]:
        keys = {_key(what, blob): blob for blob in blobs}
        return {keys[key]: value for key, value in self._loaded(keys, kind).items()}

    def _loaded(self, keys: Collection[bytes], kind: type[_Kind]) -> dict[bytes, _Kind]:
        found = self._store.get(list(dict.fromkeys(keys))) if self._store is not None else {}
        values = {key: _unpickled(data) for key, data in found.items()}
        return {key: value for key, value in values.items() if isinstance(value, kind)}

    def _dump(self, entries: Iterable[tuple[bytes, object]]) -> None:
        if self._store is not None:
            self._store.put({key: packed(value) for key, value in entries})


class _Unpickler(pickle.Unpickler):
    """Makes nothing but our data classes and sets."""

    def find_class(self, module: str, name: str) -> Any:
        allowed = _classes().get((module, name))
        if allowed is None:
            raise pickle.UnpicklingError(f"{module}.{name} is no part of a cache")
        return allowed


def _unpickled(data: bytes) -> object:
    try:
        return _Unpickler(io.BytesIO(data)).load()
    # Bytes that no pickle of ours are can fail in any way.
    except Exception:
        return None


@cache
def _classes() -> dict[tuple[str, str], type]:
    found: dict[tuple[str, str], type] = {("builtins", each.__name__): each for each in (frozenset, set)}
    found |= {(each.__module__, each.__name__): each for each in (Outline, Calls, _Parts)}
    for module in (facts, model):
        found |= {
            (module.__name__, name): each
            for name, each in vars(module).items()
            if isinstance(each, type) and each.__module__ == module.__name__
        }
    return found


def _facts_key(blob: str, wanted: Wanted, context: int) -> bytes:
    return _key("facts", blob, context, sorted(wanted.functions), sorted(wanted.calls))


def _key(*described: object) -> bytes:
    return hashlib.sha256(repr((fingerprint(), described)).encode("utf-8", "surrogatepass")).digest()[:_KEY_BYTES]


def _moved(found: FileFacts, path: str) -> FileFacts:
    """Return the facts of a file as those of one with the same bytes at another path."""
    if found.diagnostics:
        moved = tuple(replace(each, path=path) for each in found.diagnostics)
        return replace(found, path=path, diagnostics=moved)
    return replace(found, path=path)
