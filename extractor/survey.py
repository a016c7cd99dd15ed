"""The files of a tree as the pipeline asks for them: which there are, what they call, and their bytes where need be."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Collection, Iterable, Iterator
from sys import intern

from extractor.cache import Cache, Calls, Outline
from extractor.facts import Wanted
from extractor.model import Diagnostic
from extractor.source import Entry, Tree

_RAISE = re.compile(rb"\braise\b")
_CALLED = re.compile(rb"\b([A-Za-z_]\w*+)\(")
_ALIAS = re.compile(rb"\b(\w++)\s++as\s++(\w++)")
_MOST_CALLING_FILES = 24
# In bytes: of larger trees some files are read twice, which takes less time than memory would cost.
_MOST_HELD = 32_000_000


class Survey:
    """The files of a tree that can be read.

    The bytes of a file are held only while there is more to come of them, and of a large tree not those of all files.
    Without a raise statement they are read again if link asks for the file; where the source knows the object id and
    the cache has seen it, they are read only if they are asked for.

    Attributes:
        blobs: The git object id of each file, by path.
        lines: How many lines there are in all.
        diagnostics: What reading refused.

    """

    def __init__(self, tree: Tree, cache: Cache) -> None:
        self._tree, self._cache = tree, cache
        self._entries = {entry.path: entry for entry in tree.entries}
        self._contents: dict[str, bytes] = {}
        self._asked: set[str] = set()
        self._calls_by_path: dict[str, Calls] | None = None
        self.diagnostics: list[Diagnostic] = []
        known = cache.outlines({entry.blob for entry in tree.entries if entry.blob is not None})
        found = {entry.path: entry.blob for entry in tree.entries if entry.blob is not None and entry.blob in known}
        new: dict[str, Outline] = {}
        calls: dict[str, Calls] = {}
        held = 0
        for path, content in self._read(entry for entry in tree.entries if entry.path not in found):
            blob = found[path] = _blob_id(content)
            new[blob], calls[blob] = _outline(content), _calls_in(content)
            if new[blob].may_raise and held < _MOST_HELD:
                self._contents[path] = content
                held += len(content)
        cache.keep_outlines(new)
        cache.keep_calls(calls)
        self._calls_by_blob = calls
        self.blobs = {entry.path: found[entry.path] for entry in tree.entries if entry.path in found}
        self._outlines = {path: known.get(blob) or new[blob] for path, blob in self.blobs.items()}
        self.lines = sum(each.lines for each in self._outlines.values())

    @property
    def paths(self) -> Collection[str]:
        """The files, by path."""
        return self.blobs.keys()

    def relevant(self) -> list[str]:
        """Return the files that can hold a raise statement; the others are scanned only if link asks for them."""
        return [path for path, outline in self._outlines.items() if outline.may_raise]

    def size(self, path: str) -> int:
        """Return how many lines a file has."""
        return self._outlines[path].lines

    def contents(self, paths: Collection[str]) -> dict[str, bytes]:
        """Return the bytes of files, for the last time that is sure, without those that cannot be read any more."""
        missing = [self._entries[path] for path in paths if path not in self._contents]
        read = {path: content for path, content in self._read(missing) if self._is_same(path, content)}
        held = {path: self._contents.pop(path) for path in paths if path in self._contents}
        return {path: content for path in paths if (content := held.get(path, read.get(path))) is not None}

    def _is_same(self, path: str, content: bytes) -> bool:
        """Say whether a file is still what it was when it was read first."""
        is_same = self._entries[path].blob is not None or _blob_id(content) == self.blobs[path]
        if not is_same:
            self.diagnostics.append(Diagnostic(path, None, "changed", "the file changed while the tree was being read"))
        return is_same

    def callers(self, names: Iterable[str]) -> list[tuple[str, Wanted]]:
        """Return the files that may call functions of these names, each time only for names that are new."""
        new = {name: name for name in names if name not in self._asked}
        self._asked.update(new)
        if not new:
            return []
        calls = self._calls()
        new |= {alias: alias for each in calls.values() for name, alias in each.aliases if name in new}
        found: dict[str, set[str]] = {}
        for path, each in calls.items():
            for called in each.names:
                if called in new:
                    found.setdefault(new[called], set()).add(path)
        return [
            (path, Wanted(calls=frozenset({name})))
            for name, paths in sorted(found.items())
            # What is called from everywhere has a name that means many things.
            if len(paths) <= _MOST_CALLING_FILES
            for path in sorted(paths)
        ]

    def _calls(self) -> dict[str, Calls]:
        """Return the calls in each file, by path."""
        if self._calls_by_path is None:
            known = self._calls_by_blob | self._cache.calls(set(self.blobs.values()) - self._calls_by_blob.keys())
            missing = [self._entries[path] for path, blob in self.blobs.items() if blob not in known]
            new = {
                self.blobs[path]: _calls_in(content)
                for path, content in self._read(missing)
                if self._is_same(path, content)
            }
            self._cache.keep_calls(new)
            known |= new
            self._calls_by_path = {path: known[blob] for path, blob in self.blobs.items() if blob in known}
        return self._calls_by_path

    def _read(self, entries: Iterable[Entry]) -> Iterator[tuple[str, bytes]]:
        for entry, content in self._tree.read(entries):
            if isinstance(content, Diagnostic):
                self.diagnostics.append(content)
            else:
                yield entry.path, content


def _outline(content: bytes) -> Outline:
    lines = content.count(b"\n") + (not content.endswith(b"\n") and bool(content))
    return Outline(lines, b"raise" in content and _RAISE.search(content) is not None)


def _calls_in(content: bytes) -> Calls:
    # Most names are called in many files.
    names = tuple(intern(name.decode()) for name in sorted(set(_CALLED.findall(content))))
    aliases = _ALIAS.findall(content) if b" as " in content else ()
    return Calls(
        names, tuple((name.decode("utf-8", "replace"), alias.decode("utf-8", "replace")) for name, alias in aliases)
    )


def _blob_id(content: bytes) -> str:
    """Return the id that git gives to a blob with these bytes, by SHA-1 whatever the repository uses."""
    return hashlib.sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
