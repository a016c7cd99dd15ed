"""A folder or a file as a tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from extractor.errors import MisplacedOptionError, UnreadableSourceError
from extractor.model import Diagnostic
from extractor.source import open_source
from extractor.source.folder import FolderTree
from extractor.source.listing import FILE_LIMIT
from extractor.source.tree import Entry

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def paths(tree: object) -> list[str]:
    """Return the paths of a tree's entries."""
    return [entry.path for entry in tree.entries]  # type: ignore[attr-defined]


def codes(tree: object) -> list[tuple[str, str]]:
    """Return path and code of a tree's diagnostics."""
    return [(found.path, found.code) for found in tree.diagnostics]  # type: ignore[attr-defined]


def test_python_files_are_listed_by_path(tmp_path: Path, write_files, read_all) -> None:
    """Hidden folders count; what is not Python, generated, or not the project's own does not."""
    write_files(
        tmp_path,
        {
            "b.py": "b",
            "a/z.py": "z",
            "a.py": "a",
            ".hidden/.x.py": "x",
            "readme.md": "",
            "stub.pyi": "",
            **{f"{folder}/no.py": "" for folder in (".svn", ".hg", "a/node_modules", "a/__pycache__", "CVS", ".jj")},
            "env/pyvenv.cfg": "",
            "env/lib/no.py": "",
            "env2/no.py": "",
        },
    )
    (tmp_path / "env2" / "pyvenv.cfg").touch()
    tree = open_source(str(tmp_path))

    assert [".hidden/.x.py", "a.py", "a/z.py", "b.py"] == paths(tree)
    assert {".hidden/.x.py": b"x", "a.py": b"a", "a/z.py": b"z", "b.py": b"b"} == read_all(tree)
    assert () == tree.diagnostics


def test_project_folders_are_known(tmp_path: Path, write_files) -> None:
    """A project may have its root below the source, whatever is excluded."""
    write_files(tmp_path, {"setup.py": "", "a/pyproject.toml": "", "b/setup.cfg": "", "c/x.py": ""})

    assert {"", "a", "b"} == open_source(str(tmp_path), exclude=["setup.*", "a"]).projects


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="links and FIFOs as Unix has them")
def test_links_and_devices_are_not_opened(tmp_path: Path, write_files) -> None:
    """A link could lead out of the tree, and a FIFO would never answer."""
    outside = write_files(tmp_path / "outside", {"x.py": "secret"})
    root = write_files(tmp_path / "root", {"a.py": "a"})
    (root / "link.py").symlink_to(outside / "x.py")
    (root / "folder").symlink_to(outside)
    (root / "loop").symlink_to(root)
    os.mkfifo(root / "pipe.py")
    os.mkfifo(root / "pipe")
    tree = open_source(str(root))

    assert ["a.py"] == paths(tree)
    # A link without a dot in its name may lead to a package.
    assert [
        ("folder", "symlink"),
        ("link.py", "symlink"),
        ("loop", "symlink"),
        ("pipe.py", "special-file"),
    ] == codes(tree)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="FIFOs as Unix has them")
def test_file_that_became_something_else_is_not_followed(tmp_path: Path, write_files, read_all) -> None:
    """What was listed as a file may be exchanged before it is read."""
    write_files(tmp_path, {"a.py": "a", "b.py": "b", "c.py": "c", "d.py": "d"})
    tree = open_source(str(tmp_path))
    for name in ("a.py", "b.py", "c.py"):
        (tmp_path / name).unlink()
    (tmp_path / "a.py").symlink_to(tmp_path / "d.py")
    os.mkfifo(tmp_path / "b.py")

    assert {"a.py": "unreadable", "b.py": "special-file", "c.py": "unreadable", "d.py": b"d"} == read_all(tree)


def test_source_itself_may_be_a_link(tmp_path: Path, write_files) -> None:
    """The operator named it."""
    (tmp_path / "link").symlink_to(write_files(tmp_path / "real", {"a.py": ""}))

    assert ["a.py"] == paths(open_source(str(tmp_path / "link")))


def test_large_file_is_refused(tmp_path: Path, read_all) -> None:
    """At the limit a file is read, beyond it not."""
    for name, size in (("at.py", FILE_LIMIT), ("beyond.py", FILE_LIMIT + 1)):
        with (tmp_path / name).open("wb") as file:
            file.truncate(size)
    tree = open_source(str(tmp_path))

    assert ["at.py"] == list(read_all(tree))
    assert [Diagnostic("beyond.py", None, "too-large", "larger than 16 MiB")] == list(tree.diagnostics)


def test_unreadable_folder_is_a_diagnostic(tmp_path: Path, write_files, monkeypatch: pytest.MonkeyPatch) -> None:
    """One closed folder does not hide the others, and an excluded one is no trouble."""
    write_files(tmp_path, {"a.py": "", "closed/b.py": "", "other/c.py": ""})
    scandir = os.scandir

    def refuse(folder: bytes) -> object:
        if folder.endswith(b"closed"):
            raise PermissionError(13, "Permission denied")
        return scandir(folder)

    monkeypatch.setattr("extractor.source.folder.os.scandir", refuse)
    tree = open_source(str(tmp_path))

    assert ["a.py", "other/c.py"] == paths(tree)
    assert [Diagnostic("closed", None, "unreadable", "permission denied")] == list(tree.diagnostics)
    assert () == open_source(str(tmp_path), exclude=["closed"]).diagnostics


def test_closed_source_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is nothing to go on with."""

    def refuse(folder: bytes) -> object:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("extractor.source.folder.os.scandir", refuse)
    with pytest.raises(UnreadableSourceError, match="Permission denied"):
        open_source(str(tmp_path))


@pytest.mark.skipif(os.name == "nt" or os.uname().sysname == "Darwin", reason="names that are no UTF-8")
def test_name_that_is_no_utf8_is_kept(tmp_path: Path, read_all) -> None:
    """Its bytes are surrogate-escaped."""
    (tmp_path / os.fsdecode(b"\xff.py")).write_bytes(b"x")

    assert {"\udcff.py": b"x"} == read_all(open_source(str(tmp_path)))


def test_selection_applies(tmp_path: Path, write_files) -> None:
    """What is not selected is not listed."""
    write_files(tmp_path, {"a/x.py": "", "a/tests/x.py": "", "b/x.py": ""})

    assert ["a/x.py"] == paths(open_source(str(tmp_path), include=["a"], exclude=["tests"]))


def test_facts_come_from_pyproject(tmp_path: Path, write_files) -> None:
    """Outside of git, the project's own words are all there is."""
    text = '[project]\nname="n"\nversion="1"\nlicense="MIT"\n[project.urls]\nSource="https://github.com/o/n"'
    info = open_source(str(write_files(tmp_path, {"pyproject.toml": text}))).info

    assert ("folder", "n", "1", "MIT", "https://github.com/o/n") == (
        info.kind, info.name, info.version, info.license, info.repository,
    )  # fmt: skip
    assert (None, None, 0) == (info.commit, info.revision, info.modified)


def test_named_commit_pins_every_file(tmp_path: Path, write_files) -> None:
    """The operator says what a folder outside of git was made from."""
    root = write_files(tmp_path / "root", {"a.py": "a"})
    tree = open_source(str(root), commit=COMMIT.upper(), repository="o/n")

    assert (Entry("a.py", pinned=True),) == tree.entries
    assert (COMMIT, "https://github.com/o/n", 0) == (tree.info.commit, tree.info.repository, tree.info.modified)


def test_no_commit_can_be_named_for_a_work_tree(tmp_path: Path, make_repository) -> None:
    """It may hold anything, and a link to lines that the commit does not have would be wrong."""
    root = make_repository(tmp_path, {"a.py": "a"})

    with pytest.raises(MisplacedOptionError, match="use --rev"):
        open_source(str(root), commit=COMMIT)


def test_line_ends_of_a_checkout_are_no_change(tmp_path: Path, make_repository) -> None:
    """A checkout may turn line ends; the lines are those of the commit."""
    root = make_repository(tmp_path, {"a.py": "a\nb\n"})
    (root / "a.py").write_bytes(b"a\r\nb\r\n")
    tree = open_source(str(root))

    assert [True] == [entry.pinned for entry in tree.entries]
    assert 0 == tree.info.modified


@pytest.mark.parametrize("options", [(), ("--object-format=sha256",)])
def test_work_tree_knows_its_commit(
    tmp_path: Path, make_repository, git, write_files, options: tuple[str, ...]
) -> None:
    """Files that HEAD has with the same bytes are pinned, all others counted as modified."""
    root = make_repository(
        tmp_path, {"p/same.py": "1", "p/changed.py": "2", "p/x.txt": "", ".gitignore": "*.log"}, *options
    )
    git(root, "remote", "add", "origin", "https://user:secret@github.com/o/n.git")
    write_files(root, {"p/changed.py": "3", "p/new.py": "4", "p/x.txt": "changed"})
    tree = open_source(str(root / "p"))

    assert [("changed.py", False), ("new.py", False), ("same.py", True)] == [(e.path, e.pinned) for e in tree.entries]
    assert git(root, "rev-parse", "HEAD") == tree.info.commit
    assert ("2026-01-02T03:04:05+02:00", "p", 2) == (tree.info.committed_at, tree.info.subdirectory, tree.info.modified)
    assert "https://github.com/o/n" == tree.info.repository
    assert git(root, "rev-parse", "HEAD:p/same.py") == tree.entries[2].blob


def test_file_that_changes_while_it_is_read_is_not_shown_as_pinned(tmp_path: Path, make_repository, read_all) -> None:
    """The corpus must not say that a commit holds what it does not."""
    root = make_repository(tmp_path, {"a.py": "1", "b.py": "2"})
    tree = open_source(str(root))
    (root / "a.py").write_text("3")

    assert {"a.py": "changed", "b.py": b"2"} == read_all(tree)


def test_folder_that_git_does_not_hold_is_on_its_own(tmp_path: Path, make_repository, write_files) -> None:
    """An archive unpacked into an ignored folder is no part of the repository around it."""
    root = make_repository(tmp_path, {"a.py": "", ".gitignore": "build/"})
    tree = open_source(str(write_files(root / "build", {"x.py": ""})))

    assert (None, "", 0) == (tree.info.commit, tree.info.subdirectory, tree.info.modified)


def test_repository_without_commits_is_a_plain_folder(tmp_path: Path, git, write_files) -> None:
    """There is no commit to know, which is no trouble."""
    git(tmp_path, "init", "--quiet")
    tree = open_source(str(write_files(tmp_path, {"a.py": ""})))

    assert (None, ()) == (tree.info.commit, tree.diagnostics)


def test_missing_git_is_told_without_paths(tmp_path: Path, make_repository, monkeypatch: pytest.MonkeyPatch) -> None:
    """The files are read all the same; a corpus holds no path of the machine."""
    root = make_repository(tmp_path, {"a.py": ""})
    monkeypatch.setenv("PATH", "")
    tree = open_source(str(root))

    assert ["a.py"] == paths(tree)
    assert [("", "unknown-commit")] == codes(tree)
    assert str(tmp_path) not in tree.diagnostics[0].message


def test_one_file_is_a_tree(tmp_path: Path, make_repository, read_all) -> None:
    """Its name is its path; in a work tree it has a commit too."""
    root = make_repository(tmp_path, {"p/a.py": "a", "p/b.py": "b"})
    tree = open_source(str(root / "p" / "a.py"))

    assert isinstance(tree, FolderTree)
    assert {"a.py": b"a"} == read_all(tree)
    assert ("file", "p", True) == (tree.info.kind, tree.info.subdirectory, tree.entries[0].pinned)


def test_links_of_a_tracked_file_lead_to_it(tmp_path: Path, make_repository, read_all) -> None:
    """The operator named the link."""
    root = make_repository(tmp_path / "r", {"p/a.py": "a"})
    (tmp_path / "link.py").symlink_to(root / "p" / "a.py")

    assert {"a.py": b"a"} == read_all(open_source(str(tmp_path / "link.py")))
