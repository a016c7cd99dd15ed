"""A release from a package index as a tree: its sdist, else a wheel, checked and kept in the user's cache folder."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from extractor.errors import (
    CacheFolderError,
    DigestMismatchError,
    InvalidReleaseError,
    MissingExtraError,
    OtherReleaseError,
    UnhashedReleaseError,
    UnknownProjectError,
    UnknownVersionError,
)
from extractor.folders import cache_folder
from extractor.source.archive import ArchiveTree, is_archive, open_archive
from extractor.source.package_index import IndexFile, download, find_index_urls, list_index_files
from extractor.source.pip_configuration import read_pip_configuration, without_credentials
from extractor.source.selection import Selection

if TYPE_CHECKING:
    from packaging.version import Version

_RELEASE = re.compile(r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*==\s*(?P<version>[^=\s][^\s]*)")
_NEAREST = 3
_SHOWN_ALGORITHMS = {"sha256": "SHA-256", "sha384": "SHA-384", "sha512": "SHA-512"}
# As setuptools and PyPI prefer them; what is not here (a bare .tar) comes last.
_SDIST_SUFFIXES = (".tar.gz", ".zip", ".tgz", ".tar.bz2", ".tar.xz")


@dataclass(frozen=True, slots=True)
class Release:
    """A project and one exact version of it, as the operator wrote them."""

    name: str
    version: str

    def __str__(self) -> str:
        return f"{self.name}=={self.version}"


def parse_release(text: str) -> Release | None:
    """Return the release that NAME==VERSION names, None if the text is nothing of that form."""
    found = _RELEASE.fullmatch(text.strip())
    return Release(found["name"], found["version"]) if found else None


def open_release(
    release: Release, *, repository: str | None, commit: str | None, sha256: str | None, selection: Selection
) -> ArchiveTree:
    """Open a release. With `sha256`, an archive that is already kept is read without asking an index.

    Raises:
        InvalidReleaseError: The version is none.
        MissingExtraError: A library for releases is not installed.
        UnknownProjectError: No index has the project.
        UnknownVersionError: The project has no such version.
        UnhashedReleaseError: Nothing says what the digest of the archive is.
        DigestMismatchError: The archive has another one.
        OtherReleaseError: The archive with that digest is one of another release.
        CacheFolderError: The archive cannot be kept.
        ExtractorError: An index or the archive cannot be read; see `package_index` and `archive`.

    """
    version = _parsed_version(release)
    kept = _find_kept("sha256", sha256) if sha256 else None
    file = kept or _fetch(release, version, sha256)
    tree = open_archive(file, repository=repository, commit=commit, sha256=sha256, selection=selection, kind="release")
    if kept and not _is_release(tree, release, version):
        found = f"{tree.info.name}=={tree.info.version}"
        raise OtherReleaseError(str(release), found, sha256 or "")
    info = replace(tree.info, name=tree.info.name or release.name, version=tree.info.version or release.version)
    return replace(tree, info=info)


def choose_file(files: Iterable[IndexFile], sha256: str | None = None) -> IndexFile | None:
    """Return the file to read of one version's: the one with that digest, else an sdist, else the plainest wheel."""
    readable = [file for file in files if is_archive(file.name)]
    pinned = [file for file in readable if sha256 and ("sha256", sha256) in file.digests]
    return min(pinned or readable, key=_preference, default=None)


def nearest_versions(wanted: Version, versions: Iterable[Version]) -> tuple[str, ...]:
    """Return the versions around one that does not exist, and the latest, in order."""
    ordered = sorted(set(versions))
    middle = bisect_left(ordered, wanted)
    near = {*ordered[max(0, middle - _NEAREST) : middle + _NEAREST], *ordered[-1:]}
    return tuple(map(str, sorted(near)))


def _parsed_version(release: Release) -> Version:
    try:
        from packaging.version import InvalidVersion, Version
    except ModuleNotFoundError as error:
        raise MissingExtraError("releases") from error
    try:
        return Version(release.version)
    except InvalidVersion as error:
        raise InvalidReleaseError(str(release)) from error


def _fetch(release: Release, version: Version, sha256: str | None) -> str:
    file = _find_file(release, version, sha256)
    algorithm, digest = ("sha256", sha256) if sha256 else file.digest or ("", "")
    if not digest:
        raise UnhashedReleaseError(file.name)
    # What the index states must hold for a pinned archive too, where the index states something else.
    stated = dict(file.digests).get(algorithm)
    if stated is not None and stated != digest:
        raise DigestMismatchError(file.name, _SHOWN_ALGORITHMS[algorithm], digest, stated)
    expected = {algorithm: digest} if file.digest is None else dict([file.digest]) | {algorithm: digest}
    return _find_kept(algorithm, digest) or _keep(file, algorithm, expected)


def _find_file(release: Release, version: Version, sha256: str | None) -> IndexFile:
    configuration = read_pip_configuration()
    indexes = find_index_urls(configuration)
    answers = [list_index_files(index, release.name, configuration) for index in indexes]
    if all(answer is None for answer in answers):
        raise UnknownProjectError(release.name, tuple(map(without_credentials, indexes)))
    offered = _by_version(file for answer in answers for file in answer or ())
    chosen = choose_file(offered.get(version, ()), sha256)
    if chosen is None:
        raise UnknownVersionError(release.name, release.version, nearest_versions(version, offered))
    return chosen


def _by_version(files: Iterable[IndexFile]) -> dict[Version, list[IndexFile]]:
    from packaging.version import InvalidVersion, Version

    found: dict[Version, list[IndexFile]] = {}
    for file in files:
        try:
            found.setdefault(Version(file.version), []).append(file)
        except InvalidVersion:  # from before versions had rules; no one can ask for it with ==
            continue
    return found


def _preference(file: IndexFile) -> tuple[bool, bool, int, str]:
    name = file.name.lower()
    place = next((place for place, suffix in enumerate(_SDIST_SUFFIXES) if name.endswith(suffix)), len(_SDIST_SUFFIXES))
    return file.is_wheel, not name.endswith("-py3-none-any.whl"), place, file.name


def _is_release(tree: ArchiveTree, release: Release, version: Version) -> bool:
    from packaging.utils import canonicalize_name
    from packaging.version import InvalidVersion, Version

    if tree.info.name is None or tree.info.version is None:
        return True
    try:
        same_version = Version(tree.info.version) == version
    except InvalidVersion:
        return False
    return same_version and canonicalize_name(tree.info.name) == canonicalize_name(release.name)


def _folder_of(algorithm: str, digest: str) -> str:
    return os.path.join(cache_folder(), "releases", f"{algorithm}-{digest}")


def _find_kept(algorithm: str, digest: str) -> str | None:
    folder = _folder_of(algorithm, digest)
    try:
        names = sorted(name for name in os.listdir(folder) if is_archive(name))
    except OSError:
        return None
    files = (os.path.join(folder, name) for name in names)
    return next((file for file in files if _digest_of(file, algorithm) == digest), None)


def _digest_of(file: str, algorithm: str) -> str | None:
    try:
        with open(file, "rb") as opened:
            return hashlib.file_digest(opened, algorithm).hexdigest()
    except OSError:
        return None


def _keep(file: IndexFile, algorithm: str, expected: dict[str, str]) -> str:
    folder = _folder_of(algorithm, expected[algorithm])
    target = os.path.join(folder, file.name)
    try:
        os.makedirs(folder, exist_ok=True)
        descriptor, partial = tempfile.mkstemp(prefix=".", suffix=".part", dir=folder)
    except OSError as error:
        raise CacheFolderError(folder, error.strerror) from error
    try:
        with os.fdopen(descriptor, "wb") as opened:
            download(file, opened, read_pip_configuration())
        _check(partial, file.name, expected)
        os.replace(partial, target)
    except OSError as error:
        raise CacheFolderError(folder, error.strerror) from error
    finally:
        if os.path.exists(partial):
            os.unlink(partial)
    return target


def _check(downloaded: str, name: str, expected: dict[str, str]) -> None:
    for algorithm, digest in expected.items():
        actual = _digest_of(downloaded, algorithm) or ""
        if actual != digest:
            raise DigestMismatchError(name, _SHOWN_ALGORITHMS[algorithm], digest, actual)
