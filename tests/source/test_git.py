"""A git revision as a tree."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from extractor.errors import (
    EmptyRepositoryError,
    ExtractorError,
    FolderNotInRevisionError,
    GitFailedError,
    GitMissingError,
    NotACommitError,
    NotARepositoryError,
    UnknownRevisionError,
    UnsafeRepositoryError,
)
from extractor.source import open_source
from extractor.source.listing import FILE_LIMIT

FILES = {
    "a.py": "a\r\n",
    "p/é.py": "b",
    "p/node_modules/no.py": "",
    "env/pyvenv.cfg": "",
    "env/no.py": "",
    "p/pyproject.toml": "",
    "pyproject.toml": '[project]\nname="n"\nversion="1"\nlicense="MIT"',
    "x.txt": "",
}


def snapshot(folder: Path) -> dict[str, tuple[int, bytes]]:
    """Return what is in a folder, to see whether anything was written."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
    return {str(file.relative_to(folder)): (file.stat().st_mtime_ns, file.read_bytes()) for file in files}


def test_revision_gives_what_the_clean_folder_gives(tmp_path: Path, make_repository, read_all) -> None:
    """Paths, bytes, projects and pins are the same from objects and from files."""
    root = make_repository(tmp_path, FILES)
    for folder in (root, root / "p"):
        from_folder, from_git = open_source(str(folder)), open_source(str(folder), revision="HEAD")

        assert from_folder.entries == from_git.entries
        assert from_folder.projects == from_git.projects
        assert read_all(from_folder) == read_all(from_git)
        assert from_folder.info.subdirectory == from_git.info.subdirectory
        assert from_folder.info.commit == from_git.info.commit


def test_revision_knows_itself(tmp_path: Path, make_repository, git) -> None:
    """Everything that the repository says of the revision is there."""
    root = make_repository(tmp_path, FILES)
    git(root, "remote", "add", "zeta", "git@github.com:z/n.git")
    git(root, "remote", "add", "beta", "git@github.com:b/n.git")
    info = open_source(str(root), revision="main").info

    assert ("git", "n", "1", "MIT", "main") == (info.kind, info.name, info.version, info.license, info.revision)
    assert (git(root, "rev-parse", "HEAD"), "2026-01-02T03:04:05+02:00") == (info.commit, info.committed_at)
    assert "https://github.com/b/n" == info.repository  # there is no origin, so the first by name
    git(root, "remote", "add", "origin", "ssh://git@gitlab.com/o/n.git")
    assert "https://gitlab.com/o/n" == open_source(str(root), revision="main").info.repository
    assert "https://github.com/x/y" == open_source(str(root), revision="main", repository="x/y").info.repository


@pytest.mark.parametrize("revision", ["v1", "old", "HEAD~1", "main^", "short", "v1^{commit}"])
def test_revision_may_be_named_in_any_way(tmp_path: Path, make_repository, git, read_all, revision: str) -> None:
    """Annotated tags, branches, short hashes and expressions all name a commit."""
    root = make_repository(tmp_path, {"a.py": "1"})
    git(root, "tag", "--annotate", "--message=one", "v1")
    git(root, "branch", "old")
    first = git(root, "rev-parse", "HEAD")
    (root / "a.py").write_text("2")
    git(root, "commit", "--quiet", "--all", "--message=second")
    tree = open_source(str(root), revision=first[:8] if revision == "short" else revision)

    assert {"a.py": b"1"} == read_all(tree)
    assert first == tree.info.commit


@pytest.mark.parametrize("kind", ["bare", "shallow", "worktree", "sha256", "inside", "packed"])
def test_every_kind_of_repository_is_read(tmp_path: Path, make_repository, git, read_all, kind: str) -> None:
    """Only the objects matter, wherever they lie."""
    root = make_repository(tmp_path / "r", {"a.py": "1"}, *(["--object-format=sha256"] if kind == "sha256" else []))
    other = tmp_path / "other"
    if kind == "bare":
        git(tmp_path, "clone", "--quiet", "--bare", str(root), str(other))
    elif kind == "shallow":
        git(root, "commit", "--quiet", "--allow-empty", "--message=second")
        git(tmp_path, "clone", "--quiet", "--no-checkout", "--depth=1", root.as_uri(), str(other))
    elif kind == "worktree":
        git(root, "worktree", "add", "--quiet", str(other))
    elif kind == "packed":
        git(root, "gc", "--quiet")
    source = {"sha256": root, "inside": root / ".git", "packed": root}.get(kind, other)

    assert {"a.py": b"1"} == read_all(open_source(str(source), revision="HEAD"))


def test_bare_repository_needs_no_revision(tmp_path: Path, make_repository, git, read_all) -> None:
    """There is nothing else in it to read than objects."""
    git(tmp_path, "clone", "--quiet", "--bare", str(make_repository(tmp_path / "r", {"a.py": "1"})), "b")
    tree = open_source(str(tmp_path / "b"))

    assert {"a.py": b"1"} == read_all(tree)
    assert ("git", "HEAD") == (tree.info.kind, tree.info.revision)


def test_links_and_submodules_are_diagnostics(tmp_path: Path, make_repository, git) -> None:
    """They are told: submodules, and links that may lead to a Python file or a package."""
    inner = make_repository(tmp_path / "inner", {"x.py": ""})
    root = make_repository(tmp_path / "r", {"a.py": ""})
    (root / "link.py").symlink_to("a.py")
    (root / "link").symlink_to("a.py")
    (root / "link.md").symlink_to("a.py")
    git(root, "submodule", "--quiet", "add", str(inner), "sub")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=second")
    tree = open_source(str(root), revision="HEAD")

    assert ["a.py"] == [entry.path for entry in tree.entries]
    assert [("link", "symlink"), ("link.py", "symlink"), ("sub", "submodule")] == [
        (found.path, found.code) for found in tree.diagnostics
    ]
    assert () == open_source(str(root), revision="HEAD", exclude=["sub", "link", "link.py"]).diagnostics


def test_large_blob_is_not_read(tmp_path: Path, make_repository) -> None:
    """The limit is the same as for files."""
    root = make_repository(tmp_path, {"at.py": b"\0" * FILE_LIMIT, "beyond.py": b"\0" * (FILE_LIMIT + 1)})
    tree = open_source(str(root), revision="HEAD")

    assert ["at.py"] == [entry.path for entry in tree.entries]
    assert [("beyond.py", "too-large")] == [(found.path, found.code) for found in tree.diagnostics]


def test_large_blobs_do_not_stall_the_batch(tmp_path: Path, make_repository, read_all) -> None:
    """More answers than a pipe holds, and more requests than one batch."""
    files = {f"{number}.py": b"%d " % number * 60_000 for number in range(150)}
    root = make_repository(tmp_path, files)

    assert files == read_all(open_source(str(root), revision="HEAD"))


def test_blobs_are_read_in_the_order_asked(tmp_path: Path, make_repository) -> None:
    """Only what is asked for is read, as often as it is asked for."""
    root = make_repository(tmp_path, {"a.py": "1", "b.py": "2"})
    tree = open_source(str(root), revision="HEAD")
    first, second = tree.entries

    assert [b"2", b"1", b"2"] == [content for _, content in tree.read([second, first, second])]


def test_reading_may_stop_early(tmp_path: Path, make_repository) -> None:
    """A reader that has enough leaves no process behind."""
    tree = open_source(str(make_repository(tmp_path, {"a.py": "1", "b.py": "2"})), revision="HEAD")
    reader = tree.read(tree.entries)
    next(reader)
    reader.close()  # type: ignore[attr-defined]


def test_missing_and_damaged_blobs_cost_only_themselves(tmp_path: Path, make_repository, git, read_all) -> None:
    """The others are read after git gave up on one."""
    root = make_repository(tmp_path, {"a.py": "1", "b.py": "2", "c.py": "3", "d.py": "4"})
    tree = open_source(str(root), revision="HEAD")
    for name, content in (("a.py", None), ("c.py", b"garbage")):
        blob = git(root, "rev-parse", f"HEAD:{name}")
        file = root / ".git" / "objects" / blob[:2] / blob[2:]
        file.unlink()
        if content is not None:
            file.write_bytes(content)

    assert {"a.py": "missing-blob", "b.py": b"2", "c.py": "missing-blob", "d.py": b"4"} == read_all(tree)
    listed = open_source(str(root), revision="HEAD")
    assert b"2" == read_all(listed)["b.py"]
    assert ("a.py", "missing-blob") in [(found.path, found.code) for found in listed.diagnostics]


def test_partial_clone_fetches_nothing(tmp_path: Path, make_repository, git, read_all) -> None:
    """Blobs that were left at the remote are diagnostics."""
    root = make_repository(tmp_path / "r", {"a.py": "1", "b.py": "2"})
    git(root, "config", "uploadpack.allowFilter", "true")
    git(root, "config", "uploadpack.allowAnySHA1InWant", "true")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "--quiet", "--no-checkout", "--filter=blob:none", root.as_uri(), str(clone))
    git(clone, "cat-file", "-p", "HEAD:b.py")  # fetches this one
    before = snapshot(clone)
    tree = open_source(str(clone), revision="HEAD")

    assert {"b.py": b"2"} == read_all(tree)
    assert [("a.py", "missing-blob")] == [(found.path, found.code) for found in tree.diagnostics]
    assert before == snapshot(clone)


def test_nothing_that_is_configured_runs(
    tmp_path: Path, make_repository, git, read_all, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hooks, filters, pagers and helpers of a hostile repository stay where they are, and nothing is written."""
    root = make_repository(tmp_path / "r", {"a.py": "1", ".gitattributes": "*.py filter=trap diff=trap"})
    marker, trap = tmp_path / "marker", tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho ran >> '{marker}'\ncat\n")
    trap.chmod(0o755)
    settings = {
        "filter.trap.smudge": trap,
        "filter.trap.clean": trap,
        "filter.trap.process": trap,
        "filter.trap.required": "true",
        "diff.trap.textconv": trap,
        "diff.external": trap,
        "core.fsmonitor": trap,
        "core.pager": trap,
        "core.editor": trap,
        "core.sshCommand": trap,
        "core.alternateRefsCommand": trap,
        "core.hooksPath": tmp_path / "hooks",
        "credential.helper": trap,
        "gpg.program": trap,
        "log.showSignature": "true",
        "alias.ls-tree": f"!{trap}",
        "alias.cat-file": f"!{trap}",
        "uploadpack.packObjectsHook": trap,
        "pager.config": "true",
        "remote.origin.url": f"ext::{trap}",
        "remote.origin.promisor": "true",
        "remote.origin.uploadpack": trap,
    }
    (tmp_path / "hooks").mkdir()
    for hook in ("post-checkout", "post-index-change", "reference-transaction", "fsmonitor-watchman", "pre-auto-gc"):
        shutil.copy(trap, tmp_path / "hooks" / hook)
        shutil.copy(trap, root / ".git" / "hooks" / hook)
    for name, value in settings.items():
        git(root, "config", name, str(value))
    for name in ("GIT_PAGER", "GIT_SSH_COMMAND", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "PAGER", "GIT_EDITOR"):
        monkeypatch.setenv(name, str(trap))
    monkeypatch.setenv("GIT_TRACE", str(tmp_path / "trace"))
    marker.unlink(missing_ok=True)
    before = snapshot(root)
    for revision in (None, "HEAD"):
        assert b"1" == read_all(open_source(str(root), revision=revision))["a.py"]

    assert not marker.exists()
    assert not (tmp_path / "trace").exists()
    assert before == snapshot(root)
    subprocess.run(["git", "-C", str(root), "status"], check=False, capture_output=True)
    assert marker.exists()  # the traps do work


def test_environment_leads_to_no_other_repository(
    tmp_path: Path, make_repository, read_all, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A hook of another repository that calls us has these variables set."""
    root = make_repository(tmp_path / "r", {"a.py": "1"})
    other = make_repository(tmp_path / "other", {"b.py": "2"})
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "nothing"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other / ".git" / "objects"))

    assert {"a.py": b"1"} == read_all(open_source(str(root), revision="HEAD"))


def test_replaced_objects_stay_as_committed(tmp_path: Path, make_repository, git, read_all) -> None:
    """A replacement is local: a permalink would show the other bytes."""
    root = make_repository(tmp_path, {"a.py": "1", "b.py": "2"})
    git(root, "replace", git(root, "rev-parse", "HEAD:a.py"), git(root, "rev-parse", "HEAD:b.py"))

    assert b"1" == read_all(open_source(str(root), revision="HEAD"))["a.py"]


@pytest.mark.parametrize("revision", ["nothing", "", "--help", "-x", "^HEAD", "HEAD..HEAD", "HEAD~9", "a\0b", "f" * 40])
def test_unknown_revision_is_an_error(tmp_path: Path, make_repository, revision: str) -> None:
    """What names no single commit here is unknown, and never an option of git."""
    root = make_repository(tmp_path, {"a.py": ""})
    with pytest.raises(UnknownRevisionError, match="fetch it first") as caught:
        open_source(str(root), revision=revision)

    assert str(caught.value).isprintable()


@pytest.mark.parametrize("revision", ["main:a.py", "HEAD^{tree}"])
def test_revision_that_is_no_commit_is_an_error(tmp_path: Path, make_repository, revision: str) -> None:
    """It is there, so fetching would not help."""
    root = make_repository(tmp_path, {"a.py": ""})

    with pytest.raises(NotACommitError, match="is no commit"):
        open_source(str(root), revision=revision)


@pytest.mark.parametrize(
    ("prepare", "error"),
    [
        ("plain", NotARepositoryError),
        ("empty", EmptyRepositoryError),
        ("no folder", FolderNotInRevisionError),
        ("no git", GitMissingError),
        ("no tree", GitFailedError),
    ],
)
def test_trouble_with_git_is_one_clear_line(
    tmp_path: Path, make_repository, git, monkeypatch: pytest.MonkeyPatch, prepare: str, error: type[ExtractorError]
) -> None:
    """Each says what to do."""
    root = tmp_path / "r"
    (root / "new").mkdir(parents=True)
    if prepare == "empty":
        git(root, "init", "--quiet")
    elif prepare != "plain":
        make_repository(root, {"p/a.py": ""})
    if prepare == "no git":
        monkeypatch.setenv("PATH", "")
    if prepare == "no tree":
        tree = git(root, "rev-parse", "HEAD:p")
        (root / ".git" / "objects" / tree[:2] / tree[2:]).unlink()
    with pytest.raises(error) as caught:
        open_source(str(root / "new" if prepare == "no folder" else root), revision="HEAD")

    assert str(caught.value).isprintable()
    assert ";" in str(caught.value)


def test_repository_of_another_user_is_an_error(
    tmp_path: Path, make_repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Git decides whom it trusts; we say how to tell it."""
    root = make_repository(tmp_path, {"a.py": ""})
    monkeypatch.setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
    monkeypatch.setattr("extractor.source.git_repository._KEPT_VARIABLES", re.compile("GIT_.*"))
    with pytest.raises(UnsafeRepositoryError, match=r"safe\.directory"):
        open_source(str(root), revision="HEAD")

    assert ["unknown-commit"] == [found.code for found in open_source(str(root)).diagnostics]
