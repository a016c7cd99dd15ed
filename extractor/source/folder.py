"""A folder, or one `.py` file, as a tree; what git knows of it decides which files are pinned."""

from __future__ import annotations

import errno
import hashlib
import os
import stat
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from extractor.errors import (
    EmptyRepositoryError,
    GitFailedError,
    GitMissingError,
    MisplacedOptionError,
    UnknownRevisionError,
    UnreadableSourceError,
    UnsafeRepositoryError,
)
from extractor.model import Diagnostic, SourceInfo, SourceKind
from extractor.source.git import find_web_address
from extractor.source.git_repository import GitRepository, find_repository
from extractor.source.listing import (
    FILE_LIMIT,
    SKIPPED_FOLDERS,
    VENV_MARKER,
    Candidate,
    is_python,
    list_files,
    name_of,
    sorted_diagnostics,
    too_large,
)
from extractor.source.project_metadata import ProjectFacts, read_project
from extractor.source.selection import Selection
from extractor.source.tree import Entry

# Without O_NONBLOCK, opening a FIFO that took a file's place waits for a writer. Windows has neither flag.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)

# The text of the error itself names a path of this machine, which has no place in a corpus.
_NO_COMMIT = {
    GitMissingError: "git is not installed, so the commit of this folder is not known",
    UnsafeRepositoryError: "git does not trust this repository (safe.directory), so its commit is not known",
    GitFailedError: "git cannot read this repository, so its commit is not known",
}


@dataclass(frozen=True, slots=True)
class Checkout:
    """The commit that a folder is a work tree of, with the blobs that the commit has below it."""

    repository: GitRepository
    commit: str
    blobs: dict[str, str]


@dataclass(frozen=True, slots=True)
class FolderTree:
    """The files below a folder as they are now.

    In a work tree each entry has the git object id of its bytes, and is pinned if HEAD has the same at its path.
    """

    root: bytes
    info: SourceInfo
    entries: tuple[Entry, ...]
    projects: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]
    hash_name: str | None = None

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | Diagnostic]]:
        """Yield each entry with its bytes, in the given order, or with the diagnostic that says why there are none."""
        for entry in entries:
            content = read_file(self.root, entry.path)
            if isinstance(content, bytes) and self.hash_name and blob_id(content, self.hash_name) != entry.blob:
                yield entry, Diagnostic(entry.path, None, "changed", "the file changed while the tree was being read")
            else:
                yield entry, content


def open_folder(folder: str, *, repository: str | None, commit: str | None, selection: Selection) -> FolderTree:
    """Open a folder. A `commit` that the operator names pins every file.

    Raises:
        MisplacedOptionError: A commit is named, and the folder lies in a git work tree.
        UnreadableSourceError: The folder cannot be listed.

    """
    root = os.fsencode(folder)
    try:
        os.scandir(root).close()
    except OSError as error:
        raise UnreadableSourceError(folder, error.strerror) from error
    refused: list[Diagnostic] = []
    listing = list_files(_walk(root, selection, refused), selection)
    paths = tuple(file.path for file in listing.files)
    diagnostics = (*listing.diagnostics, *refused)
    return _make_tree("folder", folder, paths, listing.projects, diagnostics, repository=repository, commit=commit)


def open_file(file: str, *, repository: str | None, commit: str | None, selection: Selection) -> FolderTree:
    """Open one file as a tree with a single entry, its name.

    Raises:
        UnreadableSourceError: It cannot be read.

    """
    if not os.access(file, os.R_OK):
        raise UnreadableSourceError(file, os.strerror(errno.EACCES))
    # The operator named the file, so a link to it is followed to the file's own name and folder.
    folder, name = os.path.split(os.path.realpath(file) if os.path.islink(file) else os.path.abspath(file))
    path = _text(os.fsencode(name))
    paths = (path,) if selection.accepts(path) else ()
    return _make_tree("file", folder, paths, frozenset(), (), repository=repository, commit=commit)


def read_file(root: bytes, path: str) -> bytes | Diagnostic:
    """Return the bytes of a regular file below a folder, or the diagnostic that says why there are none."""
    try:
        descriptor = os.open(_joined(root, path), _OPEN_FLAGS)
        with os.fdopen(descriptor, "rb") as file:
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                return Diagnostic(path, None, "special-file", "neither a file nor a folder")
            content = file.read(FILE_LIMIT + 1)
    except OSError as error:
        return _unreadable(path, error)
    return too_large(path) if len(content) > FILE_LIMIT else content


def blob_id(content: bytes, hash_name: str) -> str:
    """Return the id that git gives to a blob with these bytes."""
    return hashlib.new(hash_name, b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _make_tree(
    kind: SourceKind,
    folder: str,
    paths: tuple[str, ...],
    projects: frozenset[str],
    diagnostics: tuple[Diagnostic, ...],
    *,
    repository: str | None,
    commit: str | None,
) -> FolderTree:
    root = os.fsencode(folder)
    checkout, trouble = _find_checkout(folder)
    if checkout is not None and commit is not None:
        # A work tree may hold anything; a link to what the commit does not have would be wrong.
        raise MisplacedOptionError("--commit", "folder in a git work tree", "a source without git; use --rev")
    entries, unreadable = _make_entries(root, paths, checkout, pinned=commit is not None)
    # The folder around a single file need not be its project.
    facts = ProjectFacts() if kind == "file" else read_project(lambda path: _content(root, path))
    remote = find_web_address(checkout.repository) if checkout else None
    info = SourceInfo(
        kind=kind,
        name=facts.name,
        version=facts.version,
        license=facts.license,
        repository=repository or remote or facts.repository,
        commit=checkout.commit if checkout else commit,
        committed_at=checkout.repository.find_commit_time(checkout.commit) if checkout else None,
        subdirectory=checkout.repository.prefix if checkout else "",
        modified=sum(not entry.pinned for entry in entries) if checkout else 0,
    )
    found = sorted_diagnostics((*diagnostics, *unreadable, *([trouble] if trouble else [])))
    return FolderTree(root, info, entries, projects, found, checkout.repository.hash_name if checkout else None)


def _make_entries(
    root: bytes, paths: tuple[str, ...], checkout: Checkout | None, *, pinned: bool
) -> tuple[tuple[Entry, ...], list[Diagnostic]]:
    if checkout is None:
        return tuple(Entry(path, pinned=pinned) for path in paths), []
    entries: list[Entry] = []
    unreadable: list[Diagnostic] = []
    for path in paths:
        content = read_file(root, path)
        if isinstance(content, Diagnostic):
            unreadable.append(content)
            continue
        hash_name = checkout.repository.hash_name
        blob = blob_id(content, hash_name)
        committed = checkout.blobs.get(path)
        # A checkout may have turned the line ends; the lines are the same, and so are links to them.
        pinned = committed in (blob, blob_id(content.replace(b"\r\n", b"\n"), hash_name))
        entries.append(Entry(path, blob, pinned=pinned))
    return tuple(entries), unreadable


def _find_checkout(folder: str) -> tuple[Checkout | None, Diagnostic | None]:
    try:
        repository = find_repository(folder) if _is_below_git(folder) else None
        if repository is None:
            return None, None
        commit = repository.resolve("HEAD")
        tree = repository.find_tree(commit)
        # What the commit does not have (an archive unpacked into an ignored folder) is no part of the repository.
        if tree is None:
            return None, None
        blobs = {file.path: file.blob for file in repository.list_tree(tree) if file.kind == "file" and file.blob}
        return Checkout(repository, commit, blobs), None
    except (EmptyRepositoryError, UnknownRevisionError):  # nothing is committed on this branch yet
        return None, None
    except (GitMissingError, UnsafeRepositoryError, GitFailedError) as error:
        # The files can be read without git; that their commit is not known must not go unsaid.
        return None, Diagnostic("", None, "unknown-commit", _NO_COMMIT[type(error)])


def _is_below_git(folder: str) -> bool:
    here = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(here, ".git")):
        here, below = os.path.dirname(here), here
        if here == below:
            return False
    return True


def _walk(root: bytes, selection: Selection, refused: list[Diagnostic]) -> Iterator[Candidate]:
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(_joined(root, folder)) as found:
                members = sorted(found, key=lambda member: member.name)
        except OSError as error:
            if not selection.excludes(folder):
                refused.append(_unreadable(folder, error))
            continue
        if folder and any(os.fsdecode(member.name) == VENV_MARKER for member in members):
            continue
        for member in members:
            path = f"{folder}/{_text(member.name)}" if folder else _text(member.name)
            if not member.is_dir(follow_symlinks=False):
                yield from _candidates(member, path)
            elif name_of(path) not in SKIPPED_FOLDERS:
                folders.append(path)


def _candidates(member: os.DirEntry[bytes], path: str) -> Iterator[Candidate]:
    if member.is_symlink():
        yield Candidate(path, "symlink")
    elif not member.is_file(follow_symlinks=False):
        yield Candidate(path, "special-file")
    else:
        yield Candidate(path, "file", _size(member) if is_python(path) else None)


def _size(member: os.DirEntry[bytes]) -> int | None:
    try:
        return member.stat(follow_symlinks=False).st_size
    except OSError:  # it is gone; reading it will say so
        return None


def _content(root: bytes, path: str) -> bytes | None:
    content = read_file(root, path)
    return content if isinstance(content, bytes) else None


def _joined(root: bytes, path: str) -> bytes:
    return os.path.join(root, path.encode("utf-8", "surrogateescape")) if path else root


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _unreadable(path: str, error: OSError) -> Diagnostic:
    return Diagnostic(path, None, "unreadable", (error.strerror or "cannot be read").lower())
