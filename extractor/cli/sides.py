"""The two sides of a comparison: what the operator named, as a corpus."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from typing import TYPE_CHECKING

from extractor.model import Options
from extractor.policy_errors import UnknownSideError

if TYPE_CHECKING:
    from extractor.source import Tree

_CORPORA = (".json", ".jsonl")


@dataclass(frozen=True, slots=True)
class Side:
    """One side as the bytes of a corpus.

    `reopen` opens all of the tree that it was made from, None for a corpus that was there already.
    """

    name: str
    corpus: bytes
    reopen: Callable[[], Tree] | None


@dataclass(frozen=True, slots=True)
class Sides:
    """How sides are read.

    Attributes:
        source: The repository or folder whose revisions are meant.
        options: What is in a corpus that is made here.
        jobs: How many processes scan, None for as many as there are cores.
        no_cache: Whether to neither use nor keep what earlier runs found.
        remark: Is told what is wrong with the cache.

    """

    source: str
    options: Options
    jobs: int | None
    no_cache: bool
    remark: Callable[[str], None]

    def open(self, name: str | None) -> Side:
        """Return one side; None is the folder as it is.

        Raises:
            UnknownSideError: It is neither a corpus nor a source nor a revision.
            ExtractorError: It cannot be read.

        """
        if name is None:
            return self._extracted("the work tree", self.source)
        if name == "-" or (os.path.isfile(name) and not _is_source(name)):
            return Side(name, _read(name), None)
        return self._named(name)

    def _named(self, name: str) -> Side:
        from extractor.errors import UnknownRevisionError
        from extractor.source.release import parse_release

        is_place = os.sep in name or name.startswith(".")
        if os.path.isfile(name) or (is_place and os.path.isdir(name)) or parse_release(name) is not None:
            return self._extracted(name, name)
        if name.endswith(_CORPORA):
            # A file that is not there, most likely.
            _read(name)
        if not os.path.isdir(self.source):
            raise UnknownSideError(name, self.source)
        try:
            return self._extracted(name, self.source, name)
        except UnknownRevisionError as error:
            if os.path.isdir(name):
                return self._extracted(name, name)
            raise UnknownSideError(name, self.source) from error

    def _extracted(self, name: str, location: str, revision: str | None = None) -> Side:
        from extractor.cache import Cache, store_of_facts
        from extractor.cli.progress import progress_on
        from extractor.pipeline import available_cores, extract_document
        from extractor.source import open_source

        options = self.options
        tree = open_source(location, revision=revision, include=options.include, exclude=options.exclude)
        with closing(Cache(None if self.no_cache else store_of_facts())) as cache:
            with progress_on(sys.stderr, quiet=False) as progress:
                document = extract_document(
                    tree, self.options, jobs=self.jobs or available_cores(), progress=progress, cache=cache
                )
            if cache.remark is not None:
                self.remark(cache.remark)
        return Side(name, document.data, lambda: open_source(location, revision=revision))


def _is_source(name: str) -> bool:
    from extractor.source.archive import is_archive

    return name.endswith(".py") or is_archive(name)


def _read(name: str) -> bytes:
    from extractor.corpus import read_bytes

    return sys.stdin.buffer.read() if name == "-" else read_bytes(name)
