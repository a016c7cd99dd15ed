"""Releases from a package index."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from packaging.version import Version

from extractor.errors import (
    DigestMismatchError,
    ExtractorError,
    InvalidReleaseError,
    MissingExtraError,
    NoIndexError,
    OtherReleaseError,
    PipConfigurationError,
    UnhashedReleaseError,
    UnknownProjectError,
    UnknownVersionError,
    UnreachableIndexError,
    UntrustedIndexError,
)
from extractor.folders import CACHE_VARIABLE
from extractor.source import open_source, package_index
from extractor.source.package_index import IndexFile
from extractor.source.release import choose_file, nearest_versions


@pytest.fixture
def offer(index, tmp_path: Path, make_tar, monkeypatch: pytest.MonkeyPatch):
    """Return a function that offers an sdist of a version in the index that pip is configured for."""
    monkeypatch.setenv("PIP_INDEX_URL", index.url)
    (tmp_path / "made").mkdir()

    def offer_sdist(version: str = "1.0", *, project: str = "n", **options: object) -> str:
        files = {
            f"{project}-{version}/PKG-INFO": f"Name: {project}\nVersion: {version}",
            f"{project}-{version}/a.py": version,
        }
        return index.add(project, make_tar(tmp_path / "made" / f"{project}-{version}.tar.gz", files), **options)

    return offer_sdist


def test_release_is_read_checked_and_kept(index, offer, read_all) -> None:
    """The second time, only the index is asked."""
    digest = offer()
    for _ in range(2):
        tree = open_source("N==1")

        assert {"a.py": b"1.0"} == read_all(tree)
        assert ("release", "n", "1.0", digest) == (tree.info.kind, tree.info.name, tree.info.version, tree.info.sha256)
    assert ["/simple/n/", "/files/n-1.0.tar.gz", "/simple/n/"] == [path for path, _ in index.requests]


def test_pinned_release_needs_no_network_once_kept(index, offer, read_all, monkeypatch: pytest.MonkeyPatch) -> None:
    """The digest says all that the index could."""
    digest = offer()
    open_source("n==1.0", sha256=digest)
    index.requests.clear()
    monkeypatch.setitem(sys.modules, "pypi_simple", None)

    assert {"a.py": b"1.0"} == read_all(open_source("n==1.0", sha256=digest))
    assert [] == index.requests


def test_damaged_kept_archive_is_fetched_again(index, offer, read_all) -> None:
    """What is kept is checked before each use."""
    digest = offer()
    kept = Path(os.environ["RAISEDEX_CACHE_DIR"]) / "releases" / f"sha256-{digest}" / "n-1.0.tar.gz"
    open_source("n==1.0")
    kept.write_bytes(b"damaged")

    assert {"a.py": b"1.0"} == read_all(open_source("n==1.0", sha256=digest))
    assert [kept] == list(kept.parent.iterdir())


def test_pinned_archive_of_another_release_is_an_error(offer) -> None:
    """The digest and the name contradict each other."""
    digest = offer("2.0")
    open_source("n==2.0")
    with pytest.raises(OtherReleaseError, match=r"n==2\.0, not n==1\.0"):
        open_source("n==1.0", sha256=digest)


@pytest.mark.parametrize("tampered", [True, False])
def test_digest_mismatch_keeps_nothing(index, offer, tampered: bool) -> None:
    """Neither other bytes than the index states, nor than the operator asked for."""
    offer()
    if tampered:
        (index.folder / "files" / "n-1.0.tar.gz").write_bytes(b"tampered")
    with pytest.raises(DigestMismatchError, match=r"n-1\.0\.tar\.gz has SHA-256"):
        open_source("n==1.0", sha256=None if tampered else "0" * 64)

    assert [] == [file for file in Path(os.environ["RAISEDEX_CACHE_DIR"]).rglob("*") if file.is_file()]


@pytest.mark.parametrize("algorithm", ["sha384", "sha512"])
def test_stronger_digests_are_checked(index, offer, read_all, algorithm: str) -> None:
    """With a pin, both must hold."""
    digest = offer(digest=algorithm)

    assert {"a.py": b"1.0"} == read_all(open_source("n==1.0"))
    assert {"a.py": b"1.0"} == read_all(open_source("n==1.0", sha256=digest))
    (index.folder / "files" / "n-1.0.tar.gz").write_bytes(b"tampered")
    for kept in Path(os.environ["RAISEDEX_CACHE_DIR"]).rglob("*.tar.gz"):
        kept.unlink()
    with pytest.raises(DigestMismatchError, match=algorithm.replace("sha", "SHA-")):
        open_source("n==1.0")


@pytest.mark.parametrize("algorithm", [None, "md5"])
def test_release_without_a_digest_needs_a_pin(offer, read_all, algorithm: str | None) -> None:
    """MD5 is none."""
    digest = offer(digest=algorithm)
    with pytest.raises(UnhashedReleaseError, match="--sha256"):
        open_source("n==1.0")

    assert {"a.py": b"1.0"} == read_all(open_source("n==1.0", sha256=digest))


def test_yanked_release_is_read_when_named_exactly(offer, read_all) -> None:
    """As pip does."""
    offer(attributes='data-yanked="broken"')

    assert {"a.py": b"1.0"} == read_all(open_source("n==1.0"))


def test_file_index_is_read(index, offer, tmp_path: Path, read_all, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pip allows them, next to others that do not have the project."""
    offer()
    empty = tmp_path / "empty"
    empty.mkdir()
    monkeypatch.setenv("PIP_INDEX_URL", empty.as_uri())
    monkeypatch.setenv("PIP_EXTRA_INDEX_URL", f"{(tmp_path / 'absent').as_uri()} {(index.folder / 'simple').as_uri()}")

    assert {"a.py": b"1.0"} == read_all(open_source("n==1.0"))
    assert [] == index.requests


def test_page_from_elsewhere_names_no_local_file(index, offer) -> None:
    """A hostile index could otherwise make us read any archive of this machine."""
    offer()
    page = index.folder / "simple" / "n" / "index.html"
    page.write_text(page.read_text().replace("../../files", (index.folder / "files").as_uri()))
    with pytest.raises(UnknownVersionError):
        open_source("n==1.0")


@pytest.mark.parametrize(
    ("text", "error", "message"),
    [
        ("absent==1.0", UnknownProjectError, "no project 'absent' in http://127.0.0.1"),
        ("n==1.1.5", UnknownVersionError, "it has 1.0, 1.1, 1.2, 3.0"),
        ("n==one", InvalidReleaseError, "one exact version"),
        ("n==1.*", InvalidReleaseError, "one exact version"),
    ],
)
def test_unknown_release_is_one_clear_line(index, offer, text: str, error: type[ExtractorError], message: str) -> None:
    """With what there is instead."""
    for version in ("1.0", "1.1", "1.2", "3.0"):
        offer(version)
    with pytest.raises(error, match=message) as caught:
        open_source(text)

    assert str(caught.value).isprintable()


def test_credentials_go_to_their_index_only(index, offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """And into no message."""
    offer()
    monkeypatch.setenv("PIP_INDEX_URL", index.url.replace("//", "//user:secret@"))
    open_source("n==1.0")

    assert {"Basic dXNlcjpzZWNyZXQ="} == {authorization for _, authorization in index.requests}
    page = index.folder / "simple" / "n" / "index.html"
    page.write_text(page.read_text().replace("../../files", index.url.replace("127.0.0.1", "localhost") + "/../files"))
    for kept in Path(os.environ["RAISEDEX_CACHE_DIR"]).rglob("*.tar.gz"):
        kept.unlink()
    index.requests.clear()
    open_source("n==1.0")

    assert ["Basic dXNlcjpzZWNyZXQ=", None] == [authorization for _, authorization in index.requests]
    with pytest.raises(UnknownProjectError) as caught:
        open_source("absent==1.0")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ({"PIP_INDEX_URL": "https://user:secret@127.0.0.1:1/simple"}, UnreachableIndexError),
        ({"PIP_INDEX_URL": "http://user:secret@index.example/simple"}, UntrustedIndexError),
        ({"PIP_INDEX_URL": "https://user:secret@[/simple"}, PipConfigurationError),
        ({"PIP_NO_INDEX": "1"}, NoIndexError),
    ],
)
def test_index_that_cannot_be_used_is_one_clear_line(
    monkeypatch: pytest.MonkeyPatch, variables: dict[str, str], error: type[ExtractorError]
) -> None:
    """Named without its credentials."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    with pytest.raises(error) as caught:
        open_source("n==1.0")

    assert str(caught.value).isprintable()
    assert "secret" not in str(caught.value)


def test_page_that_is_none_is_one_clear_line(index, offer) -> None:
    """A captive portal answers anything."""
    offer()
    (index.folder / "simple" / "n" / "index.html").write_text('<meta name="pypi:repository-version" content="9.0">')
    with pytest.raises(UnreachableIndexError, match="cannot be understood"):
        open_source("n==1.0")


def test_too_large_download_stops(index, offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of it is kept."""
    offer()
    monkeypatch.setattr(package_index, "DOWNLOAD_LIMIT", 10)
    with pytest.raises(UnreachableIndexError, match="larger than"):
        open_source("n==1.0")

    assert [] == [file for file in Path(os.environ["RAISEDEX_CACHE_DIR"]).rglob("*") if file.is_file()]


def test_missing_library_is_one_clear_line(offer, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra."""
    monkeypatch.setitem(sys.modules, "pypi_simple", None)
    with pytest.raises(MissingExtraError, match=r'pip install "raisedex\[releases\]"'):
        open_source("n==1.0")


def file(name: str, *digests: tuple[str, str]) -> IndexFile:
    """Return a file that an index offers."""
    return IndexFile(name, "1.0", name.endswith(".whl"), "", "", digests)


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["n-1.0.zip", "n-1.0.tar.gz", "n-1.0-py3-none-any.whl"], "n-1.0.tar.gz"),
        (["n-1.0-py3-none-any.whl", "n-1.0.tar.xz"], "n-1.0.tar.xz"),
        (["n-1.0-cp311-cp311-linux_x86_64.whl", "n-1.0-py3-none-any.whl"], "n-1.0-py3-none-any.whl"),
        (
            ["n-1.0-cp312-cp312-linux_x86_64.whl", "n-1.0-cp311-cp311-linux_x86_64.whl"],
            "n-1.0-cp311-cp311-linux_x86_64.whl",
        ),
        (["n-1.0.tar.Z"], None),
        ([], None),
    ],
)
def test_source_archive_is_preferred(names: list[str], expected: str | None) -> None:
    """Then the wheel that is the same everywhere, then the first by name."""
    chosen = choose_file(map(file, names))

    assert expected == (chosen.name if chosen else None)


def test_pin_chooses_the_file() -> None:
    """The operator may have pinned the wheel."""
    pinned = file("n-1.0-py3-none-any.whl", ("sha256", "a" * 64))

    assert pinned == choose_file([file("n-1.0.tar.gz", ("sha256", "b" * 64)), pinned], "a" * 64)


def test_nearest_versions_are_around_the_wanted_one() -> None:
    """And the latest is always there."""
    versions = [Version(f"1.{number}") for number in range(20)]

    assert ("1.5", "1.6", "1.7", "1.8", "1.9", "1.10", "1.19") == nearest_versions(Version("1.7.5"), versions)


def test_cache_folder_that_cannot_be_made_is_one_clear_line(
    offer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It says how to choose another."""
    offer()
    (tmp_path / "file").touch()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "file"))
    with pytest.raises(ExtractorError, match="set RAISEDEX_CACHE_DIR"):
        open_source("n==1.0")
