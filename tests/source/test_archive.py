"""Archives as trees, hostile ones among them."""

from __future__ import annotations

import gzip
import hashlib
import io
import stat
import struct
import tarfile
import zipfile
from pathlib import Path

import pytest

from extractor.errors import ArchiveLimitError, DamagedArchiveError, DigestMismatchError
from extractor.source import archive_members, open_source
from extractor.source.listing import FILE_LIMIT
from extractor.source.tree import Entry

COMMIT = "0123456789abcdef0123456789abcdef01234567"
METADATA = "Name: n\nVersion: 1.0\nLicense-Expression: MIT\nProject-URL: Source, https://github.com/o/n\n\ntext"


def codes(tree: object) -> list[tuple[str, str]]:
    """Return path and code of a tree's diagnostics."""
    return [(found.path, found.code) for found in tree.diagnostics]  # type: ignore[attr-defined]


@pytest.mark.parametrize("suffix", ["tar.gz", "tgz", "tar.bz2", "tar.xz", "tar", "zip"])
def test_source_archive_reads_like_its_repository(tmp_path: Path, make_tar, make_zip, read_all, suffix: str) -> None:
    """The folder around everything is left out, and the same things are skipped as in a folder."""
    files = {
        "n-1.0/PKG-INFO": METADATA,
        "n-1.0/setup.py": "s",
        "n-1.0/n/__init__.py": "",
        "n-1.0/n/a.py": "a",
        "n-1.0/node_modules/no.py": "",
        "n-1.0/env/pyvenv.cfg": "",
        "n-1.0/env/no.py": "",
        "n-1.0/readme.md": "",
    }
    file = (make_zip if suffix == "zip" else make_tar)(tmp_path / f"n-1.0.{suffix}", files)
    tree = open_source(str(file))

    assert {"n/__init__.py": b"", "n/a.py": b"a", "setup.py": b"s"} == read_all(tree)
    assert {""} == tree.projects
    info = tree.info
    assert ("archive", "n", "1.0", "MIT", "https://github.com/o/n") == (
        info.kind, info.name, info.version, info.license, info.repository,
    )  # fmt: skip
    assert hashlib.sha256(file.read_bytes()).hexdigest() == info.sha256


def test_wheel_keeps_its_paths(tmp_path: Path, make_zip, read_all) -> None:
    """What is at the root of a wheel is a package, even a namespace package."""
    files = {"n/a.py": "a", "n-1.0.dist-info/METADATA": METADATA}
    tree = open_source(str(make_zip(tmp_path / "n-1.0-py3-none-any.whl", files)))

    assert {"n/a.py": b"a"} == read_all(tree)
    assert ("n", "1.0") == (tree.info.name, tree.info.version)
    assert {"n/a.py"} == set(read_all(open_source(str(make_zip(tmp_path / "m.whl", {"n/a.py": "a"})))))


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["p/__init__.py", "p/a.py"], ["p/__init__.py", "p/a.py"]),  # the folder is the package itself
        (["p/a.py", "q/a.py"], ["p/a.py", "q/a.py"]),
        (["p/a.py", "a.py"], ["a.py", "p/a.py"]),
        (["./p/a.py", "p//b.py"], ["a.py", "b.py"]),
        (["a.py"], ["a.py"]),
        ([], []),
    ],
)
def test_only_a_folder_around_a_project_is_left_out(
    tmp_path: Path, make_tar, names: list[str], expected: list[str]
) -> None:
    """Paths are those of the project's repository."""
    tree = open_source(str(make_tar(tmp_path / "a.tar.gz", dict.fromkeys(names, ""))))

    assert expected == [entry.path for entry in tree.entries]


def test_selection_and_commit_apply(tmp_path: Path, make_tar) -> None:
    """Patterns are on the paths as they come out."""
    file = make_tar(tmp_path / "a.tar.gz", {"n-1/p/a.py": "", "n-1/p/tests/b.py": "", "n-1/setup.py": ""})
    tree = open_source(str(file), commit=COMMIT, include=["/p/"], exclude=["tests"])

    assert (Entry("p/a.py", pinned=True),) == tree.entries
    assert COMMIT == tree.info.commit


def test_digest_must_match(tmp_path: Path, make_tar) -> None:
    """Both digests are named."""
    file = make_tar(tmp_path / "a.tar.gz", {"a.py": ""})
    digest = hashlib.sha256(file.read_bytes()).hexdigest()
    open_source(str(file), sha256=digest.upper())
    with pytest.raises(DigestMismatchError, match=f"{digest}, not {'0' * 64}"):
        open_source(str(file), sha256="0" * 64)


def test_hostile_tar_members_are_refused(tmp_path: Path, make_tar, read_all) -> None:
    """One diagnostic each; all others are read."""
    members = []
    for name, kind, target in [
        ("p/sym.py", tarfile.SYMTYPE, "/etc/passwd"),
        ("p/hard.py", tarfile.LNKTYPE, "p/a.py"),
        ("p/pipe.py", tarfile.FIFOTYPE, ""),
        ("p/device.py", tarfile.CHRTYPE, ""),
        ("p/data", tarfile.SYMTYPE, "elsewhere"),  # it may lead to a package
        ("p/data.txt", tarfile.SYMTYPE, "elsewhere"),  # no Python file, so nothing is lost
    ]:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        members.append(member)
    files = {
        "/abs.py": "",
        "p/../../up.py": "",
        "C:/drive.py": "",
        "back\\slash.py": "",
        "p/a.py": "1",
        "p/./a.py": "2",
    }
    tree = open_source(str(make_tar(tmp_path / "a.tar.gz", files, *members)))

    assert {"a.py": b"2"} == read_all(tree)  # the last of two, as unpacking would leave it
    assert [
        ("/abs.py", "unsafe-path"),
        ("C:/drive.py", "unsafe-path"),
        ("a.py", "duplicate-member"),
        ("back\\slash.py", "unsafe-path"),
        ("data", "symlink"),
        ("device.py", "special-file"),
        ("hard.py", "hard-link"),
        ("p/../../up.py", "unsafe-path"),
        ("pipe.py", "special-file"),
        ("sym.py", "symlink"),
    ] == codes(tree)


def test_hostile_zip_members_are_refused(tmp_path: Path, make_zip, read_all) -> None:
    """The same for zip, where links are a matter of attributes."""
    link = zipfile.ZipInfo("link.py")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    pipe = zipfile.ZipInfo("pipe.py")
    pipe.external_attr = (stat.S_IFIFO | 0o777) << 16
    files = {"../up.py": "", "/abs.py": "", "a.py": "a", "secret.py": "s", "broken.py": "broken" * 9}
    file = make_zip(tmp_path / "a.zip", files, (link, b"/etc/passwd"), (pipe, b""))
    content = bytearray(file.read_bytes())
    for signature, flags in ((b"PK\3\4", 6), (b"PK\1\2", 8)):  # mark as encrypted
        start = content.index(
            signature, content.rindex(signature, 0, content.index(b"secret.py", content.index(signature)))
        )
        content[start + flags] |= 1
    name = content.index(b"broken.py")
    content[name + len("broken.py") + 2] ^= 0xFF
    file.write_bytes(content)
    tree = open_source(str(file))

    assert b"a" == read_all(tree)["a.py"]
    assert {
        ("../up.py", "unsafe-path"),
        ("/abs.py", "unsafe-path"),
        ("broken.py", "damaged-member"),
        ("link.py", "symlink"),
        ("pipe.py", "special-file"),
        ("secret.py", "encrypted-member"),
    } == set(codes(tree))


def test_bombs_are_not_decompressed(tmp_path: Path, make_zip, make_tar) -> None:
    """A member beyond the limit is refused by its declared size, and one that lies about it is cut."""
    zeros = b"\0" * (FILE_LIMIT + 1)
    for file in (make_zip(tmp_path / "a.zip", {"a.py": zeros}), make_tar(tmp_path / "a.tar.gz", {"a.py": zeros})):
        assert [("a.py", "too-large")] == codes(open_source(str(file)))
    file = tmp_path / "a.zip"
    file.write_bytes(file.read_bytes().replace(struct.pack("<L", FILE_LIMIT + 1), struct.pack("<L", 10)))

    assert [("a.py", "damaged-member")] == codes(open_source(str(file)))


@pytest.mark.parametrize(
    ("limit", "value", "message"),
    [("MEMBER_LIMIT", 2, "members"), ("CONTENT_LIMIT", 5, "Python source"), ("STREAM_LIMIT", 2000, "GiB")],
)
def test_limits_on_the_whole_archive(
    tmp_path: Path, make_tar, monkeypatch: pytest.MonkeyPatch, limit: str, value: int, message: str
) -> None:
    """Many small things are as bad as a large one."""
    file = make_tar(tmp_path / "a.tar.gz", {"a.py": "aaa", "b.py": "bbb", "c.bin": "c" * 2000})
    monkeypatch.setattr(archive_members, limit, value)
    with pytest.raises(ArchiveLimitError, match=message):
        open_source(str(file))


def test_huge_header_is_not_read_into_memory(tmp_path: Path) -> None:
    """Tarfile reads a pax header whole, whatever size it claims."""
    member = tarfile.TarInfo("pax")
    member.type, member.size = tarfile.XHDTYPE, 1 << 32
    file = tmp_path / "a.tar.gz"
    file.write_bytes(gzip.compress(member.tobuf(tarfile.GNU_FORMAT) + b"\0" * 4096))
    with pytest.raises(ArchiveLimitError, match="one header"):
        open_source(str(file))


def test_endless_headers_are_damage(tmp_path: Path) -> None:
    """Tarfile follows each to the next one by recursion."""
    member = tarfile.TarInfo("././@LongLink")
    member.type, member.size = tarfile.GNUTYPE_LONGNAME, 2
    raw = (member.tobuf(tarfile.GNU_FORMAT) + b"a\0".ljust(512, b"\0")) * 3000
    file = tmp_path / "a.tar"
    file.write_bytes(raw)
    with pytest.raises(DamagedArchiveError):
        open_source(str(file))


def test_names_and_sparse_members_of_all_formats_are_read(tmp_path: Path, read_all) -> None:
    """Long names, names that are no UTF-8, and holes."""
    for form in (tarfile.GNU_FORMAT, tarfile.PAX_FORMAT):
        file = tmp_path / f"{form}.tar"
        name = "p/" + "long/" * 60 + "é.py"
        with tarfile.open(file, "w", format=form, encoding="utf-8", errors="surrogateescape") as archive:
            for path in (name, "p/\udcff.py"):
                member = tarfile.TarInfo(path)
                member.size = 1
                archive.addfile(member, io.BytesIO(b"x"))

        assert {name[2:], "\udcff.py"} == set(read_all(open_source(str(file))))


def corrupted(content: bytes, position: int) -> bytes:
    """Return the content with one byte changed."""
    return content[:position] + bytes([content[position] ^ 0xFF]) + content[position + 1 :]


@pytest.mark.parametrize("suffix", ["tar.gz", "tar.bz2", "tar.xz", "tar", "zip", "whl"])
@pytest.mark.parametrize("damage", ["empty", "garbage", "half", "member", "end"])
def test_damaged_archive_is_one_clear_error(tmp_path: Path, make_tar, make_zip, suffix: str, damage: str) -> None:
    """Nothing is lost silently: not what is behind the damage either."""
    file = tmp_path / f"a.{suffix}"
    files = {f"p/{number}.py": hashlib.sha256(b"%d" % number).hexdigest() * 40 for number in range(20)}
    (make_zip if suffix in ("zip", "whl") else make_tar)(file, files)
    content = file.read_bytes()
    member = 512 + 2560  # header and content in the plain tar
    file.write_bytes(
        {
            "empty": b"",
            "garbage": b"no archive at all" * 99,
            "half": content[: len(content) // 2],
            "member": content[: 2 * member] if suffix == "tar" else content[:-20],
            "end": corrupted(content, 7 * member) if suffix == "tar" else content[:-1],
        }[damage]
    )
    with pytest.raises(DamagedArchiveError, match="get it again") as caught:
        open_source(str(file))

    assert str(caught.value).isprintable()


@pytest.mark.parametrize("content", [b"x", b"\x1f\x8b", b"PK\3\4", b"BZh9", b"\xfd7zXZ\0"])
@pytest.mark.parametrize("suffix", ["tar.gz", "zip"])
def test_beginning_of_an_archive_is_damage(tmp_path: Path, content: bytes, suffix: str) -> None:
    """Whatever decides the format, the rest is missing."""
    file = tmp_path / f"a.{suffix}"
    file.write_bytes(content)
    with pytest.raises(DamagedArchiveError):
        open_source(str(file))


def test_nothing_is_unpacked(tmp_path: Path, make_tar, monkeypatch: pytest.MonkeyPatch) -> None:
    """Reading leaves no file behind."""
    file = make_tar(tmp_path / "a.tar.gz", {"p/a.py": "a"})
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    open_source(str(file))

    assert [file] == list(tmp_path.iterdir())
