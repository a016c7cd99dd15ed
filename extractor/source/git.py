"""A git revision as a tree: blobs straight from the objects, nothing checked out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from extractor.errors import NotARepositoryError
from extractor.model import Diagnostic, SourceInfo
from extractor.source.git_repository import GitRepository, find_repository, tree_of
from extractor.source.listing import Candidate, Listing, list_files, sorted_diagnostics
from extractor.source.permalinks import repository_url
from extractor.source.project_metadata import METADATA_LIMIT, ProjectFacts, read_project
from extractor.source.selection import Selection
from extractor.source.tree import Entry


@dataclass(frozen=True, slots=True)
class GitTree:
    """One revision of a repository, or of one folder in it. Every entry is pinned and has its blob."""

    repository: GitRepository
    info: SourceInfo
    entries: tuple[Entry, ...]
    projects: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]

    def read(self, entries: Iterable[Entry]) -> Iterator[tuple[Entry, bytes | Diagnostic]]:
        """Yield each entry with its bytes, in the given order, or with the diagnostic that says why there are none."""
        wanted = tuple(entries)
        contents = self.repository.read_blobs([entry.blob or "" for entry in wanted])
        for entry, content in zip(wanted, contents, strict=True):
            yield entry, _missing(entry.path) if content is None else content


def open_git(folder: str, revision: str, *, repository: str | None, selection: Selection) -> GitTree:
    """Open a revision of the repository that holds a folder; in a work tree, only what is below that folder.

    Raises:
        NotARepositoryError: No repository holds the folder.
        GitMissingError: There is no git program.
        UnsafeRepositoryError: Git does not trust the repository.
        EmptyRepositoryError: The repository has no commit.
        UnknownRevisionError: It has no such revision.
        FolderNotInRevisionError: The revision has no such folder.
        GitFailedError: The repository is damaged.

    """
    found = find_repository(folder)
    if found is None:
        raise NotARepositoryError(folder)
    commit = found.resolve(revision)
    tree = tree_of(found, commit, revision)
    candidates = found.list_tree(tree)
    promised = found.find_promised(tree)
    listing = _with_sizes(found, list_files(candidates, selection), promised)
    facts = _read_facts(found, candidates, promised)
    return GitTree(
        found,
        SourceInfo(
            kind="git",
            name=facts.name,
            version=facts.version,
            license=facts.license,
            repository=repository or find_web_address(found) or facts.repository,
            revision=revision,
            commit=commit,
            committed_at=found.find_commit_time(commit),
            subdirectory=found.prefix,
        ),
        tuple(Entry(file.path, file.blob, pinned=True) for file in listing.files),
        listing.projects,
        listing.diagnostics,
    )


def find_web_address(repository: GitRepository) -> str | None:
    """Return the web address of the repository's remote, None where it has none."""
    remote = repository.find_remote()
    return repository_url(remote) if remote else None


def _with_sizes(repository: GitRepository, listing: Listing, promised: frozenset[str]) -> Listing:
    sizes = repository.find_sizes([file.blob for file in listing.files if file.blob and file.blob not in promised])
    sized = [replace(file, size=sizes.get(file.blob or "")) for file in listing.files]
    missing = [_missing(file.path) for file in sized if file.size is None]
    present = list_files([file for file in sized if file.size is not None], Selection())
    diagnostics = sorted_diagnostics((*listing.diagnostics, *missing, *present.diagnostics))
    return Listing(present.files, listing.projects, diagnostics)


def _read_facts(repository: GitRepository, candidates: Iterable[Candidate], promised: frozenset[str]) -> ProjectFacts:
    blobs = {file.path: file.blob for file in candidates if file.kind == "file" and file.blob not in promised}

    def read(path: str) -> bytes | None:
        blob = blobs.get(path)
        if blob is None or repository.find_sizes([blob]).get(blob, METADATA_LIMIT + 1) > METADATA_LIMIT:
            return None
        return next(repository.read_blobs([blob]))

    return read_project(read)


def _missing(path: str) -> Diagnostic:
    return Diagnostic(path, None, "missing-blob", "its blob is missing or damaged in this repository; fetch it first")
