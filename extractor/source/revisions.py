"""Which revisions of a repository there are to walk through, oldest first."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fnmatch import fnmatchcase

from extractor.errors import NotARepositoryError
from extractor.policy_errors import InvalidRangeError
from extractor.source.git_repository import GitRepository, find_repository

_NUMBER = re.compile("([0-9]+)")


@dataclass(frozen=True, slots=True)
class Revision:
    """A commit by its name, a tag or else the beginning of its id. The time is ISO 8601 with its offset."""

    name: str
    commit: str
    committed_at: str


def list_revisions(folder: str, span: str | None = None, tags: str | None = None) -> tuple[Revision, ...]:
    """Return the revisions of the repository that holds a folder.

    Args:
        folder: A folder in its work tree, or a bare repository.
        span: "A..B" for A and what follows it up to B along first parents, "A.." up to HEAD, "B" or "..B" for all up to
            B; all up to HEAD without it.
        tags: Only tags that fit this pattern (`*` and `?`), in the order of their commits.

    Raises:
        NotARepositoryError: No repository holds the folder.
        InvalidRangeError: The range is none, or nothing is in it.
        UnknownRevisionError: An end of it does not exist; and what else `GitRepository.resolve` raises.

    """
    repository = find_repository(folder)
    if repository is None:
        raise NotARepositoryError(folder)
    first, last = _ends(repository, span)
    times = repository.list_commits(last, behind=first, first_parents=tags is None)
    names = _names(repository, tags)
    found = tuple(
        Revision(names.get(commit, commit[:12]), commit, time)
        for commit, time in times.items()
        if tags is None or commit in names
    )
    if not found:
        raise InvalidRangeError(span or tags or "", "holds no revision")
    return found


def _ends(repository: GitRepository, span: str | None) -> tuple[str | None, str]:
    if span is not None and (not span or "..." in span or span.count("..") > 1 or span == ".."):
        raise InvalidRangeError(span, "is no range such as v1.0..HEAD")
    first, separator, last = (span or "HEAD").partition("..")
    if not separator:
        first, last = "", first
    return repository.resolve(first) if first else None, repository.resolve(last or "HEAD")


def _names(repository: GitRepository, pattern: str | None) -> dict[str, str]:
    """Return the tags that fit, by commit; one with several goes by the first of them."""
    tags = repository.list_tags()
    fitting = (tag for tag in tags if pattern is None or fnmatchcase(tag, pattern))
    return {tags[tag]: tag for tag in sorted(fitting, key=_natural, reverse=True)}


def _natural(name: str) -> list[tuple[bool, int, str]]:
    return [(not part.isdigit(), int(part) if part.isdigit() else 0, part) for part in _NUMBER.split(name)]
