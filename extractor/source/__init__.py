"""Where the bytes of one revision come from: a folder, a file, a git revision, an archive, or a release.

The only package that touches git and archives. Nothing that is read is ever run, written, or unpacked to disk.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from typing import Literal

from extractor.errors import (
    InvalidCommitError,
    InvalidDigestError,
    InvalidRepositoryError,
    MisplacedOptionError,
    UnknownSourceError,
)
from extractor.source.folder import open_file, open_folder
from extractor.source.git import open_git
from extractor.source.permalinks import named_repository, permalink, repository_url
from extractor.source.selection import make_selection
from extractor.source.tree import Entry, Tree

__all__ = ["Entry", "Tree", "named_repository", "open_source", "permalink", "repository_url"]

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SHA256 = re.compile(r"[0-9a-f]{64}")

Kind = Literal["folder", "file", "git", "archive", "release"]


def open_source(
    location: str,
    *,
    revision: str | None = None,
    repository: str | None = None,
    commit: str | None = None,
    sha256: str | None = None,
    include: Iterable[str] = (),
    exclude: Iterable[str] = (),
) -> Tree:
    """Open what the operator named: an existing path by what it is, else NAME==VERSION as a release.

    Args:
        revision: A branch, tag or commit; reads git objects instead of files.
        repository: OWNER/NAME on GitHub or a web address, instead of what the source says of itself.
        commit: The commit that a source without git was made from; pins every file to it.
        sha256: What the bytes of an archive or release must have.
        include: Patterns of the paths to read; see `make_selection`.
        exclude: Patterns of the paths not to read.

    Raises:
        ExtractorError: The source or an option cannot be used; see `extractor.errors`.

    """
    kind = find_kind(location, revision)
    _check_options(kind, revision, commit, sha256)
    address = _address(repository) if repository is not None else None
    pinned = commit.lower() if commit is not None else None
    digest = sha256.lower() if sha256 is not None else None
    selection = make_selection(include, exclude)
    if kind == "git":
        return open_git(location, "HEAD" if revision is None else revision, repository=address, selection=selection)
    if kind == "folder":
        return open_folder(location, repository=address, commit=pinned, selection=selection)
    if kind == "file":
        return open_file(location, repository=address, commit=pinned, selection=selection)
    # What these need takes longer to import than an unchanged folder takes to catalog.
    if kind == "archive":
        from extractor.source.archive import open_archive

        return open_archive(location, repository=address, commit=pinned, sha256=digest, selection=selection)
    from extractor.source.release import open_release, parse_release

    release = parse_release(location)
    assert release is not None
    return open_release(release, repository=address, commit=pinned, sha256=digest, selection=selection)


def find_kind(location: str, revision: str | None = None) -> Kind:
    """Return what kind of source a location is.

    Raises:
        UnknownSourceError: It is none.

    """
    if "\0" in location or not location:
        raise UnknownSourceError(location)
    if os.path.isdir(location):
        return "git" if revision is not None or is_bare_repository(location) else "folder"
    if os.path.isfile(location):
        if location.endswith(".py"):
            return "file"
        from extractor.source.archive import is_archive

        if is_archive(location):
            return "archive"
        raise UnknownSourceError(location)
    from extractor.source.release import parse_release

    if os.path.lexists(location) or parse_release(location) is None:
        raise UnknownSourceError(location)
    return "release"


def is_bare_repository(folder: str) -> bool:
    """Return whether a folder is itself the inside of a git repository."""
    return os.path.isfile(os.path.join(folder, "HEAD")) and all(
        os.path.isdir(os.path.join(folder, name)) for name in ("objects", "refs")
    )


def _check_options(kind: Kind, revision: str | None, commit: str | None, sha256: str | None) -> None:
    if revision is not None and kind != "git":
        raise MisplacedOptionError("--rev", kind, "a git repository")
    if commit is not None and kind == "git":
        raise MisplacedOptionError("--commit", kind, "a source without git; use --rev")
    if sha256 is not None and kind not in ("archive", "release"):
        raise MisplacedOptionError("--sha256", kind, "an archive or a release")
    if commit is not None and not _COMMIT.fullmatch(commit.lower()):
        raise InvalidCommitError(commit)
    if sha256 is not None and not _SHA256.fullmatch(sha256.lower()):
        raise InvalidDigestError(sha256)


def _address(repository: str) -> str:
    address = named_repository(repository)
    if address is None:
        raise InvalidRepositoryError(repository)
    return address
