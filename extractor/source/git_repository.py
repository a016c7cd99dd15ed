"""A git repository, read through git's plumbing: nothing is written, fetched, checked out, or run."""

from __future__ import annotations

import os
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta, timezone
from itertools import islice
from typing import IO, Literal

from extractor.errors import (
    EmptyRepositoryError,
    FolderNotInRevisionError,
    GitFailedError,
    GitMissingError,
    MissingTreeError,
    NotACommitError,
    UnknownRevisionError,
    UnsafeRepositoryError,
)
from extractor.source.listing import Candidate

# Plumbing commands run no hook, filter or pager. These keep out what may still apply before the command starts.
_PREFIX = ("git", "--no-pager", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}")
_ENVIRONMENT = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_ALLOW_PROTOCOL": "none",
    "LC_ALL": "C",
}
# Where git finds configuration (safe.directory stands there) and how far up it looks. All other variables of git go:
# they redirect it to other repositories, or make it write traces.
_KEPT_VARIABLES = re.compile(r"GIT_CONFIG_.*|GIT_CEILING_DIRECTORIES|GIT_DISCOVERY_ACROSS_FILESYSTEM|GIT_EXEC_PATH")

_OBJECT_ID = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_COMMITTER = re.compile(rb"^committer .* (?P<seconds>-?\d+) (?P<sign>[+-])(?P<hours>\d\d)(?P<minutes>\d\d)$", re.M)
_SUBMODULE, _SYMLINK = b"160000", b"120000"
# So few requests fit into a pipe's buffer, so that neither side ever waits for the other to read.
_BATCH = 64


@dataclass(frozen=True, slots=True)
class GitRepository:
    """The repository that holds `folder`.

    `prefix` is the folder's path in the work tree, "" for its root and in a bare repository. `hash_name` is the
    algorithm of its object ids.
    """

    folder: str
    prefix: str
    hash_name: Literal["sha1", "sha256"]

    def resolve(self, revision: str) -> str:
        """Return the commit that a branch, tag, hash or expression names.

        Raises:
            EmptyRepositoryError: There is no commit.
            NotACommitError: It names something else.
            UnknownRevisionError: There is no such revision here.

        """
        found = None
        if "\0" not in revision:
            found = self._line("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found is not None and _OBJECT_ID.fullmatch(found):
            return found
        if not self._line("for-each-ref", "--count=1", "--format=%(objectname)"):
            raise EmptyRepositoryError(self.folder)
        if "\0" not in revision and self._is_object(revision):
            raise NotACommitError(revision, self.folder)
        raise UnknownRevisionError(revision, self.folder)

    def _is_object(self, revision: str) -> bool:
        found = self._line("rev-parse", "--verify", "--quiet", "--end-of-options", revision)
        # Git takes any full id for verified; only asking for the object shows whether it is there.
        return (
            found is not None and bool(_OBJECT_ID.fullmatch(found)) and self._line("cat-file", "-t", found) is not None
        )

    def find_tree(self, commit: str) -> str | None:
        """Return the tree of this folder in a commit, None where the commit has no such folder."""
        # Behind a colon all is path, even a `^{tree}`.
        name = f"{commit}:{self.prefix}" if self.prefix else f"{commit}^{{tree}}"
        return self._line("rev-parse", "--verify", "--quiet", "--end-of-options", name)

    def list_tree(self, tree: str) -> tuple[Candidate, ...]:
        """Return everything below a tree, with paths relative to it.

        Raises:
            GitFailedError: A part of the tree is missing or damaged.

        """
        listed = self._run("ls-tree", "-r", "-z", "--full-tree", tree)
        return tuple(_candidate(line) for line in listed.split(b"\0") if line)

    def find_sizes(self, blobs: Sequence[str]) -> dict[str, int]:
        """Return the sizes of those blobs that are in the repository.

        Raises:
            GitFailedError: The object store is damaged.

        """
        asked = "".join(f"{blob}\n" for blob in blobs).encode()
        answers = self._run("cat-file", "--batch-check=%(objectname) %(objectsize)", given=asked).decode().splitlines()
        return {name: int(size) for name, size in (answer.split(" ") for answer in answers) if size.isdigit()}

    def find_promised(self, tree: str) -> frozenset[str]:
        """Return the objects below a tree that a partial clone left at its remote; asking for one would fetch it.

        Raises:
            GitFailedError: The object store is damaged.

        """
        if not self._line("config", "--get-regexp", r"^(extensions\.partialclone|remote\..*\.promisor)$"):
            return frozenset()
        listed = self._run("rev-list", "--objects", "--missing=print", tree)
        return frozenset(line[1:].decode() for line in listed.splitlines() if line.startswith(b"?"))

    def list_commits(self, last: str, *, behind: str | None, first_parents: bool) -> dict[str, str]:
        """Return the commits that led to one, oldest first, each with its time (ISO 8601).

        Args:
            last: The id of the last commit.
            behind: The id of the first one to list; what is before it is left out.
            first_parents: Leave out what came in by merges.

        Raises:
            GitFailedError: A commit is missing or damaged.

        """
        along = ["--first-parent"] if first_parents else []
        before = [f"^{behind}"] if behind is not None else []
        listed = self._run("rev-list", "--topo-order", "--reverse", *along, "--format=tformat:%H %cI", last, *before)
        told = (line for line in listed.decode("ascii").splitlines() if not line.startswith("commit "))
        times = {commit: time for commit, _, time in (line.partition(" ") for line in told)}
        if behind is None:
            return times
        first = self._run("rev-list", "--no-walk", "--format=tformat:%H %cI", behind).decode("ascii").splitlines()[-1]
        return {behind: first.split(" ")[1], **times}

    def list_tags(self) -> dict[str, str]:
        """Return the tags of commits, each with the commit.

        Raises:
            GitFailedError: The repository is damaged.

        """
        form = "%(objecttype) %(objectname) %(*objecttype) %(*objectname) %(refname)"
        found: dict[str, str] = {}
        for line in _text(self._run("for-each-ref", f"--format={form}", "refs/tags")).splitlines():
            kind, name, peeled_kind, peeled, ref = line.split(" ", 4)
            # An annotated tag is an object of its own.
            if "commit" in (kind, peeled_kind):
                found[ref.removeprefix("refs/tags/")] = peeled or name
        return found

    def read_blobs(self, blobs: Sequence[str]) -> Iterator[bytes | None]:
        """Yield the content of each blob, in order; None where git cannot read it."""
        position = 0
        while position < len(blobs):
            for content in self._read_batch(blobs[position:]):
                position += 1
                yield content
            if position < len(blobs):  # git gave up on a damaged object; the others can still be read
                position += 1
                yield None

    def find_remote(self) -> str | None:
        """Return the URL of origin, else of the only remote, else of the first by name."""
        try:
            listed = self._run("config", "-z", "--get-regexp", r"^remote\..*\.url$")
        except GitFailedError:  # exit status 1: there is none
            return None
        urls: dict[str, str] = {}
        for key, _, url in (line.partition("\n") for line in _text(listed).split("\0") if line):
            urls.setdefault(key.removeprefix("remote.").removesuffix(".url"), url)
        return urls["origin"] if "origin" in urls else next((urls[name] for name in sorted(urls)), None)

    def find_commit_time(self, commit: str) -> str | None:
        """Return the committer's time in ISO 8601 with its offset, None where the commit holds none.

        Raises:
            GitFailedError: The commit is damaged.

        """
        header = self._run("cat-file", "commit", commit).partition(b"\n\n")[0]
        found = _COMMITTER.search(header)
        return _iso_time(found) if found else None

    def _line(self, *arguments: str) -> str | None:
        try:
            return _text(self._run(*arguments)).removesuffix("\n") or None
        except GitFailedError:
            return None

    def _run(self, *arguments: str, given: bytes = b"") -> bytes:
        finished = _finished(self.folder, arguments, given)
        if finished.returncode != 0:
            raise GitFailedError(arguments[0], self.folder, _last_line(finished.stderr))
        return finished.stdout

    def _read_batch(self, blobs: Sequence[str]) -> Iterator[bytes | None]:
        with subprocess.Popen(
            _command(self.folder, ("cat-file", "--batch")),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=_clean_environment(),
        ) as process:
            assert process.stdin is not None
            assert process.stdout is not None
            try:
                yield from _answers(process.stdin, process.stdout, blobs)
            finally:
                process.kill()


def find_repository(folder: str) -> GitRepository | None:
    """Return the repository that holds a folder, None where there is none.

    Raises:
        GitMissingError: There is no git program.
        UnsafeRepositoryError: Git does not trust the repository.
        GitFailedError: Git finds a repository that it cannot read.

    """
    asked = ("rev-parse", "--show-object-format", "--show-prefix")
    finished = _finished(folder, asked, b"")
    if finished.returncode == 0:
        hash_name, prefix = _text(finished.stdout).removesuffix("\n").split("\n", 1)
        return GitRepository(folder, prefix.removesuffix("/"), "sha256" if hash_name == "sha256" else "sha1")
    if b"dubious ownership" in finished.stderr or b"unsafe repository" in finished.stderr:
        raise UnsafeRepositoryError(_top_of(folder))
    if b"not a git repository" in finished.stderr:
        return None
    raise GitFailedError(asked[0], folder, _last_line(finished.stderr))


def _top_of(folder: str) -> str:
    """Return the folder that git has to trust: the nearest one above that is a work tree or a repository."""
    here = os.path.realpath(folder)
    while not os.path.lexists(os.path.join(here, ".git")) and not os.path.isfile(os.path.join(here, "HEAD")):
        here, below = os.path.dirname(here), here
        if here == below:
            return os.path.realpath(folder)
    return here


def tree_of(repository: GitRepository, commit: str, revision: str) -> str:
    """Return the tree of the repository's folder in a commit.

    Raises:
        FolderNotInRevisionError: The commit has no such folder.
        MissingTreeError: The commit's folders are not in this clone.

    """
    tree = repository.find_tree(commit)
    if tree is None:
        # Only a clone that left its folders behind has no root.
        raise (
            FolderNotInRevisionError(repository.prefix, revision)
            if repository.prefix
            else MissingTreeError(revision, repository.folder)
        )
    return tree


def _command(folder: str, arguments: Sequence[str]) -> list[str]:
    return [*_PREFIX, "-C", folder, *arguments]


def _clean_environment() -> dict[str, str]:
    dropped = {name for name in os.environ if name.startswith("GIT_") and not _KEPT_VARIABLES.fullmatch(name)}
    return {name: value for name, value in os.environ.items() if name not in dropped} | _ENVIRONMENT


def _finished(folder: str, arguments: Sequence[str], given: bytes) -> subprocess.CompletedProcess[bytes]:
    command = _command(folder, arguments)
    try:
        return subprocess.run(command, input=given, capture_output=True, check=False, env=_clean_environment())
    except FileNotFoundError as error:
        raise GitMissingError from error


def _answers(requests: IO[bytes], answers: IO[bytes], blobs: Sequence[str]) -> Iterator[bytes | None]:
    remaining = iter(blobs)
    while batch := tuple(islice(remaining, _BATCH)):
        try:
            # Past the buffer: what is left in it after a broken pipe would fail again when the pipe is closed.
            os.write(requests.fileno(), "".join(f"{blob}\n" for blob in batch).encode())
        except BrokenPipeError:
            return
        for _ in batch:
            header = answers.readline()
            if not header:
                return
            yield _content(answers, header)


def _content(answers: IO[bytes], header: bytes) -> bytes | None:
    size = header.split(b" ")[-1].strip()
    if not size.isdigit():  # "<name> missing"
        return None
    return answers.read(int(size) + 1)[:-1]


def _candidate(line: bytes) -> Candidate:
    facts, _, path = line.partition(b"\t")
    mode, _, blob = facts.split(b" ")
    kind: Literal["submodule", "symlink", "file"] = "file"
    if mode in (_SUBMODULE, _SYMLINK):
        kind = "submodule" if mode == _SUBMODULE else "symlink"
    return Candidate(_text(path), kind, blob=blob.decode())


def _iso_time(found: re.Match[bytes]) -> str | None:
    offset = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"]))
    try:
        zone = timezone(-offset if found["sign"] == b"-" else offset)
        return datetime.fromtimestamp(int(found["seconds"]), zone).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _text(raw: bytes) -> str:
    return raw.decode("utf-8", "surrogateescape")


def _last_line(raw: bytes) -> str:
    lines = raw.decode("utf-8", "replace").strip().splitlines()
    return lines[-1] if lines else "no reason given"
