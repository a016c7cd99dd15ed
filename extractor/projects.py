"""A list of projects, one a line: which source each names, and under which file name its corpus is kept."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass

from extractor.errors import InvalidListError
from extractor.source.archive import is_archive
from extractor.source.release import parse_release

_COMMENT = re.compile(r"(?:^|\s)#.*")
_SEPARATORS = tuple(filter(None, ("/", os.sep, os.altsep)))
# What every file system takes in a name, and tells apart although upper and lower case may be one there.
_PLAIN = re.compile(r"[a-z0-9][a-z0-9.!+=_-]{0,150}")
_LONGEST_SLUG, _DIGEST_DIGITS = 60, 8


@dataclass(frozen=True, slots=True)
class Project:
    """One project of a list.

    Attributes:
        text: The line, without what is around it.
        location: What `open_source` opens.
        revision: The branch, tag or commit to read from git objects, None for none.

    """

    text: str
    location: str
    revision: str | None = None

    @property
    def release(self) -> str | None:
        """The release as an index knows it, None for a path."""
        found = parse_release(self.location) if self.revision is None else None
        if found is None or os.path.lexists(self.location):
            return None
        return f"{re.sub(r'[-_.]+', '-', found.name)}=={found.version}".lower()

    @property
    def file(self) -> str:
        """The name of the corpus: the same for a line in every list, and another one for each line."""
        if self.release is not None and _PLAIN.fullmatch(self.release):
            return f"{self.release}.json"
        digest = hashlib.sha256(self.text.encode("utf-8", "surrogateescape")).hexdigest()[:_DIGEST_DIGITS]
        slug = re.sub(r"[^a-z0-9.]+", "-", self.text.lower())[-_LONGEST_SLUG:].strip("-.")
        return f"{slug or 'project'}-{digest}.json"


def read_projects(data: bytes, name: str) -> tuple[Project, ...]:
    """Return the projects of a list, each once, in the order of their first lines.

    Args:
        data: The list; empty lines and comments (#) are left out.
        name: What messages call it.

    Raises:
        InvalidListError: A line is no NAME==VERSION, path or repository@revision.

    """
    found: dict[str, Project] = {}
    for number, line in enumerate(data.decode("utf-8-sig", "surrogateescape").splitlines(), start=1):
        text = line.strip()
        # A "#" may be a part of a path.
        text = text if os.path.lexists(text) else _COMMENT.sub("", text).strip()
        if text:
            project = _project(text)
            if project is None:
                raise InvalidListError(name, number, text)
            found.setdefault(project.file, project)
    return tuple(found.values())


def _project(text: str) -> Project | None:
    if os.path.lexists(text):
        return Project(text, text)
    splits = list(_splits(text))
    for repository, revision in splits:
        if os.path.isdir(repository):
            return Project(text, repository, revision)
    if "://" in text:
        return None
    if parse_release(text) is not None:
        return Project(text, text)
    # What is not there is for the one that opens it to say, as long as it looks like something.
    if splits:
        return Project(text, *splits[0])
    return Project(text, text) if _looks_like_a_path(text) else None


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """Yield the ways to read a line as repository@revision, that with the longest repository first."""
    places = [found.start() for found in re.finditer("@", text)]
    return ((text[:place], text[place + 1 :]) for place in reversed(places) if 0 < place < len(text) - 1)


def _looks_like_a_path(text: str) -> bool:
    return any(separator in text for separator in _SEPARATORS) or text.endswith(".py") or is_archive(text)
