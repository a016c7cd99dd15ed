"""What a source offers to the pipeline: a list of files of one revision, and their bytes on demand."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from extractor.model import Diagnostic, SourceInfo


@dataclass(frozen=True, slots=True)
class Entry:
    """One `.py` file of a tree.

    `path` is relative to the source, with "/" between its parts; bytes of it that are no UTF-8 are surrogate-escaped.
    `blob` is the git object id of its bytes where it is known: in git objects and in work trees. `pinned` says that the
    bytes are those of the commit that the source names, so that a link to it shows the same lines.
    """

    path: str
    blob: str | None = None
    pinned: bool = False


class Tree(Protocol):
    """One revision of one source tree, opened for reading.

    `entries` is sorted by path. `projects` holds the folders ("" for the root) with a pyproject.toml, setup.py or
    setup.cfg. `diagnostics` tells what the listing refused.
    """

    @property
    def info(self) -> SourceInfo:
        """What the source knows of itself."""
        ...

    @property
    def entries(self) -> tuple[Entry, ...]:
        """The files, sorted by path."""
        ...

    @property
    def projects(self) -> frozenset[str]:
        """The folders that hold a project file; "" for the root."""
        ...

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        """What the listing refused."""
        ...

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | Diagnostic]]:
        """Yield each entry with its bytes, in the given order, or with the diagnostic that says why there are none."""
        ...
