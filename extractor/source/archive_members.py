"""The members of tar and zip archives, read in memory and within limits; nothing is unpacked."""

from __future__ import annotations

import bz2
import gzip
import lzma
import stat
import struct
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO, cast

from extractor.errors import ArchiveLimitError, DamagedArchiveError
from extractor.source.listing import FILE_LIMIT, CandidateKind

MEMBER_LIMIT = 200_000
"""The most members of one archive; their headers stay in memory."""

STREAM_LIMIT = 4 * 1024**3
"""The most bytes that one tar archive may decompress to."""

CONTENT_LIMIT = 1024**3
"""The most bytes of members that are kept in memory."""

_BLOCK = 1024 * 1024
# The largest single read that tarfile may ask for: it reads long names and pax headers whole, whatever their size.
_LARGEST_READ = FILE_LIMIT + _BLOCK

# What the standard library raises for malformed input. RuntimeError is there for zip features that it does not know and
# for headers nested without end.
_DAMAGES = (
    tarfile.TarError,
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    struct.error,
    EOFError,
    OSError,
    ValueError,
    OverflowError,
    RuntimeError,
)


@dataclass(frozen=True, slots=True)
class Member:
    """One file in an archive. `content` is None where it was not asked for, and `damage` says why it cannot be read."""

    path: str
    kind: CandidateKind
    size: int
    content: bytes | None = None
    damage: str | None = None


def read_tar(archive: IO[bytes], name: str, is_wanted: Callable[[str], bool]) -> Iterator[Member]:
    """Yield the members of a tar archive in its order, those that are wanted with their content.

    A compressed tar can only be read from the front, so this is done once, and what may be needed is kept.

    Raises:
        DamagedArchiveError: It is truncated, corrupt or no tar archive.
        ArchiveLimitError: It holds more than we are willing to read.

    """
    with _damage_reported(name), _decompressed(archive) as stream:
        bounded = _BoundedReader(stream, name)
        with tarfile.open(
            fileobj=cast("IO[bytes]", bounded), mode="r:", encoding="utf-8", errors="surrogateescape"
        ) as members:
            budget = _Budget(name)
            while (member := members.next()) is not None:
                if not member.isdir():
                    yield _tar_member(members, member, budget, is_wanted)
        # tarfile takes a damaged header, or none at all, for the end.
        if len(bounded.last) < tarfile.BLOCKSIZE or bounded.last.strip(b"\0"):
            raise DamagedArchiveError(name, "it ends without the mark for its end")
        while bounded.read(_BLOCK):  # the checksum of the compression stands at its end
            pass


def read_zip(archive: IO[bytes], name: str, is_wanted: Callable[[str], bool]) -> Iterator[Member]:
    """Yield the members of a zip archive in its order, those that are wanted with their content.

    Raises:
        DamagedArchiveError: It is truncated, corrupt or no zip archive.
        ArchiveLimitError: It holds more than we are willing to read.

    """
    with _damage_reported(name), zipfile.ZipFile(archive) as members:
        budget = _Budget(name)
        for member in members.infolist():
            budget.count_member()
            if not member.is_dir():
                yield _zip_member(members, member, budget, is_wanted)


class _Budget:
    """What may still be read of one archive."""

    def __init__(self, archive: str) -> None:
        self._archive, self._members, self._content = archive, 0, 0

    def count_member(self) -> None:
        self._members += 1
        if self._members > MEMBER_LIMIT:
            raise ArchiveLimitError(self._archive, f"{MEMBER_LIMIT:,} members")

    def count_content(self, size: int) -> None:
        self._content += size
        if self._content > CONTENT_LIMIT:
            raise ArchiveLimitError(self._archive, f"{CONTENT_LIMIT // 1024**3} GiB of Python source")


class _BoundedReader:
    """A stream that can be read forwards only, and only up to `STREAM_LIMIT`."""

    def __init__(self, stream: IO[bytes], archive: str) -> None:
        self._stream, self._archive, self._position = stream, archive, 0
        self.last = b""

    def read(self, size: int) -> bytes:
        if not 0 <= size <= _LARGEST_READ:
            raise ArchiveLimitError(self._archive, f"{_LARGEST_READ // 1024**2} MiB in one header")
        self.last = self._stream.read(size)
        self._position += len(self.last)
        if self._position > STREAM_LIMIT:
            raise ArchiveLimitError(self._archive, f"{STREAM_LIMIT // 1024**3} GiB")
        return self.last

    def tell(self) -> int:
        return self._position

    def seek(self, position: int) -> None:
        if position < self._position:
            raise tarfile.ReadError("its members overlap")
        while position > self._position:
            if not self.read(min(_BLOCK, position - self._position)):
                raise EOFError("it ends inside a member")

    def close(self) -> None:
        self._stream.close()


@contextmanager
def _damage_reported(name: str) -> Iterator[None]:
    try:
        yield
    except _DAMAGES as error:
        raise DamagedArchiveError(name, error or type(error).__name__) from error


@contextmanager
def _decompressed(archive: IO[bytes]) -> Iterator[IO[bytes]]:
    start = archive.read(6)
    archive.seek(0)
    if start.startswith(b"\x1f\x8b"):
        with gzip.GzipFile(fileobj=archive) as stream:
            yield cast("IO[bytes]", stream)
    elif start.startswith(b"BZh"):
        with bz2.BZ2File(archive) as stream:
            yield cast("IO[bytes]", stream)
    elif start == b"\xfd7zXZ\0":
        with lzma.LZMAFile(archive) as stream:
            yield cast("IO[bytes]", stream)
    else:
        yield archive


def _tar_member(
    members: tarfile.TarFile, member: tarfile.TarInfo, budget: _Budget, is_wanted: Callable[[str], bool]
) -> Member:
    budget.count_member()
    kind = _tar_kind(member)
    if kind != "file" or member.size > FILE_LIMIT or not is_wanted(member.name):
        return Member(member.name, kind, member.size)
    budget.count_content(member.size)
    opened = members.extractfile(member)
    content = opened.read(FILE_LIMIT + 1) if opened else b""
    if len(content) != member.size:
        raise EOFError("it ends inside a member")
    return Member(member.name, kind, member.size, content)


def _tar_kind(member: tarfile.TarInfo) -> CandidateKind:
    if member.issym():
        return "symlink"
    if member.islnk():
        return "hard-link"
    return "file" if member.isreg() else "special-file"


def _zip_member(
    members: zipfile.ZipFile, member: zipfile.ZipInfo, budget: _Budget, is_wanted: Callable[[str], bool]
) -> Member:
    # `filename` ends at a NUL and hides what stands behind it.
    path, kind = member.orig_filename, _zip_kind(member)
    if kind != "file" or member.file_size > FILE_LIMIT or not is_wanted(path):
        return Member(path, kind, member.file_size)
    budget.count_content(member.file_size)
    try:
        with members.open(member) as opened:
            content = opened.read(FILE_LIMIT + 1)
    except _DAMAGES as error:
        return Member(path, kind, member.file_size, damage=str(error) or type(error).__name__)
    return Member(path, kind, len(content), content)


def _zip_kind(member: zipfile.ZipInfo) -> CandidateKind:
    if member.flag_bits & 1:
        return "encrypted-member"
    # The upper half holds the mode where a Unix made the archive, and no file type at all where something else did.
    file_type = stat.S_IFMT(member.external_attr >> 16)
    if file_type == stat.S_IFLNK:
        return "symlink"
    return "file" if file_type in (0, stat.S_IFREG) else "special-file"
