"""An sdist, wheel or zip file as a tree: its Python files are read once, into memory."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from extractor.errors import DigestMismatchError, UnreadableSourceError
from extractor.model import Diagnostic, SourceInfo, SourceKind
from extractor.source.archive_members import Member, read_tar, read_zip
from extractor.source.listing import Candidate, is_python, list_files, sorted_diagnostics
from extractor.source.project_metadata import ProjectFacts, read_project
from extractor.source.selection import Selection
from extractor.source.tree import Entry

ARCHIVE_SUFFIXES = (".tar.gz", ".tgz", ".tar.bz2", ".tar.xz", ".tar", ".zip", ".whl")

_METADATA = re.compile(r"(?:[^/]+/)?(?:PKG-INFO|pyproject\.toml|METADATA)")
_WHEEL_METADATA = re.compile(r"[^/]+\.dist-info/METADATA")
_DRIVE = re.compile(r"[A-Za-z]:")


@dataclass(frozen=True, slots=True)
class ArchiveTree:
    """The members of one archive. Entries are pinned where the operator named the commit that it was made from."""

    info: SourceInfo
    entries: tuple[Entry, ...]
    projects: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]
    contents: dict[str, bytes]

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | Diagnostic]]:
        """Yield each entry with its bytes, in the given order."""
        for entry in entries:
            yield entry, self.contents[entry.path]


def is_archive(name: str) -> bool:
    """Return whether a file name is one of an archive that we read."""
    return name.lower().endswith(ARCHIVE_SUFFIXES)


def open_archive(
    file: str,
    *,
    repository: str | None,
    commit: str | None,
    sha256: str | None,
    selection: Selection,
    kind: SourceKind = "archive",
) -> ArchiveTree:
    """Open an archive. A single folder that holds everything and is no package itself is left out of the paths.

    Raises:
        UnreadableSourceError: The file cannot be read.
        DigestMismatchError: Its SHA-256 is not the one that was asked for.
        DamagedArchiveError: It is truncated, corrupt or no archive.
        ArchiveLimitError: It holds more than we are willing to read.

    """
    digest, members = _read_members(file, sha256)
    members, diagnostics = _without_top_folder(*_distinct(members), is_wheel=file.lower().endswith(".whl"))
    contents = {member.path: member.content for member in members if member.content is not None}
    facts = _read_facts(contents)
    damaged = [member for member in members if member.damage is not None and selection.accepts(member.path)]
    listing = list_files([_candidate(member) for member in members if member.damage is None], selection)
    return ArchiveTree(
        SourceInfo(
            kind=kind,
            name=facts.name,
            version=facts.version,
            license=facts.license,
            repository=repository or facts.repository,
            commit=commit,
            sha256=digest,
        ),
        tuple(Entry(candidate.path, pinned=commit is not None) for candidate in listing.files),
        listing.projects,
        sorted_diagnostics((*listing.diagnostics, *diagnostics, *map(_damage, damaged))),
        {candidate.path: contents[candidate.path] for candidate in listing.files},
    )


def _read_members(file: str, sha256: str | None) -> tuple[str, list[Member]]:
    try:
        opened = open(file, "rb")  # noqa: SIM115 (what reading raises must not be taken for this)
    except OSError as error:
        raise UnreadableSourceError(file, error.strerror) from error
    with opened:
        digest = hashlib.file_digest(opened, "sha256").hexdigest()
        if sha256 is not None and digest != sha256:
            raise DigestMismatchError(file, "SHA-256", sha256, digest)
        opened.seek(0)
        read = read_zip if file.lower().endswith((".zip", ".whl")) else read_tar
        return digest, list(read(opened, file, _may_be_read))


def _may_be_read(path: str) -> bool:
    return is_python(path) or _METADATA.fullmatch(path.removeprefix("./")) is not None


def _distinct(members: Iterable[Member]) -> tuple[list[Member], list[Diagnostic]]:
    # The last of several wins, as it does when an archive is unpacked.
    last: dict[str, Member] = {}
    repeated: list[Diagnostic] = []
    for member in members:
        path = _normalized(member.path)
        if path is None:
            last[member.path] = Member(member.path, "unsafe-path", member.size)
            continue
        if path in last:
            repeated.append(
                Diagnostic(path, None, "duplicate-member", "in the archive more than once; the last is read")
            )
        last[path] = replace(member, path=path)
    return list(last.values()), repeated


def _normalized(path: str) -> str | None:
    parts = [part for part in path.split("/") if part not in ("", ".")]
    if path.startswith("/") or ".." in parts or "\0" in path or "\\" in path or _DRIVE.match(path) or not parts:
        return None
    return "/".join(parts)


def _without_top_folder(
    members: list[Member], diagnostics: list[Diagnostic], *, is_wheel: bool
) -> tuple[list[Member], list[Diagnostic]]:
    tops = {member.path.partition("/")[0] for member in members if member.kind != "unsafe-path"}
    paths = {member.path for member in members}
    top = next(iter(tops), "")
    if is_wheel or len(tops) != 1 or top in paths or f"{top}/__init__.py" in paths:
        return members, diagnostics
    start = len(top) + 1
    return (
        [member if member.kind == "unsafe-path" else replace(member, path=member.path[start:]) for member in members],
        [replace(diagnostic, path=diagnostic.path[start:]) for diagnostic in diagnostics],
    )


def _read_facts(contents: dict[str, bytes]) -> ProjectFacts:
    wheel = sorted(path for path in contents if _WHEEL_METADATA.fullmatch(path))
    return read_project(contents.get, wheel[0] if wheel else "PKG-INFO")


def _candidate(member: Member) -> Candidate:
    return Candidate(member.path, member.kind, member.size)


def _damage(member: Member) -> Diagnostic:
    return Diagnostic(member.path, None, "damaged-member", (member.damage or "").lower())
