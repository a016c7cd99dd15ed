"""A folder with a corpus for each project of a list, and the summary that says what became of them."""

from __future__ import annotations

import errno
import hashlib
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace

from extractor.batch import Batch, Outcome, decode_outcomes, encode_batch, make_batch, make_outcome
from extractor.corpus import read_bytes, write_bytes
from extractor.errors import UnreadableFileError, UnwritableFileError
from extractor.model import Corpus, Options
from extractor.projects import Project
from extractor.tool import fingerprint

SUMMARY = "summary.json"
# In seconds: as much work as a run that is killed may lose, and what it found is in the cache.
_WRITE_EVERY = 2.0


class Catalogs:
    """The corpora of these projects in a folder, of which some may be there from an earlier run.

    Attributes:
        missing: The projects that have none there which this raisedex would make of the same line and options.

    """

    def __init__(self, folder: str, projects: Sequence[Project], options: Options, *, again: bool = False) -> None:
        """Open a folder, make it if need be, and write what is known so far.

        Raises:
            UnwritableFileError: The folder cannot be written to, or its summary is of something else.

        """
        self._folder, self._options = folder, options
        self._written = 0.0
        earlier = self._earlier()
        known = {} if again else earlier
        self._outcomes = {each.file: self._known(each, known) or Outcome(each.text, "pending") for each in projects}
        self.missing = [each for each in projects if self._outcomes[each.file].status == "pending"]
        self.write_summary()

    @property
    def batch(self) -> Batch:
        """What became of the projects so far."""
        return make_batch(self._options, list(self._outcomes.values()))

    def keep(self, project: Project, head: Corpus, data: bytes) -> None:
        """Write the corpus of a project.

        Args:
            project: Which one.
            head: The corpus, at least all but its records.
            data: The corpus as bytes.

        Raises:
            UnwritableFileError: It cannot be written.

        """
        write_bytes(data, self._path(project.file))
        digest = hashlib.sha256(data).hexdigest()
        self._add(project, make_outcome(project.text, head, file=project.file, sha256=digest, key=self._key(project)))

    def give_up(self, project: Project, error: str) -> None:
        """Note why a project failed."""
        self._add(project, Outcome(project.text, "failed", error=error))

    def write_summary(self) -> None:
        """Write what became of the projects so far.

        Raises:
            UnwritableFileError: It cannot be written.

        """
        write_bytes(encode_batch(self.batch), self._path(SUMMARY))
        self._written = time.monotonic()

    def _add(self, project: Project, outcome: Outcome) -> None:
        self._outcomes[project.file] = outcome
        # Not each time, which would be quadratic.
        if time.monotonic() - self._written > _WRITE_EVERY:
            self.write_summary()

    def _earlier(self) -> dict[str, Outcome]:
        try:
            os.makedirs(self._folder, exist_ok=True)
        except OSError as error:
            raise UnwritableFileError(self._folder, error) from error
        path = self._path(SUMMARY)
        if not os.path.exists(path):
            return {}
        try:
            found = decode_outcomes(read_bytes(path))
        except UnreadableFileError:
            found = None
        if found is None:
            raise UnwritableFileError(path, OSError(errno.EEXIST, "it is there and no summary of ours"))
        return found

    def _known(self, project: Project, earlier: Mapping[str, Outcome]) -> Outcome | None:
        """Return what an earlier run made of a project, None where the file is not there as it was written."""
        found = earlier.get(self._key(project))
        if found is None or found.file != project.file:
            return None
        try:
            with open(self._path(project.file), "rb") as opened:
                digest = hashlib.file_digest(opened, "sha256").hexdigest()
        except OSError:
            return None
        return replace(found, project=project.text) if digest == found.sha256 else None

    def _key(self, project: Project) -> str:
        # A relative path means something else in another folder, and moves along with this one.
        place = project.release or _relative(project.location, self._folder)
        described = (fingerprint(), place, project.revision, self._options)
        return hashlib.sha256(repr(described).encode("utf-8", "surrogatepass")).hexdigest()

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)


def _relative(path: str, folder: str) -> str:
    try:
        return os.path.relpath(os.path.realpath(path), os.path.realpath(folder))
    except ValueError:  # another drive
        return os.path.realpath(path)
