"""Include and exclude patterns: which paths of a source are read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from extractor.errors import InvalidPatternError

# Longest first: `**/` may stand for no folder at all, `**` crosses folders, `*` and `?` stay in one part.
_WILDCARD = re.compile(r"\*\*/|\*\*|\*|\?")
_MEANING = {"**/": "(?:[^/]+/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}


@dataclass(frozen=True, slots=True)
class Selection:
    """Patterns on paths relative to the source; nothing to include means everything."""

    include: tuple[re.Pattern[str], ...] = ()
    exclude: tuple[re.Pattern[str], ...] = ()

    def accepts(self, path: str) -> bool:
        """Return whether this file is to be read."""
        return (not self.include or _matches(self.include, path)) and not self.excludes(path)

    def excludes(self, path: str) -> bool:
        """Return whether this file or folder was excluded by name, whatever is included."""
        return _matches(self.exclude, path)


def make_selection(include: Iterable[str] = (), exclude: Iterable[str] = ()) -> Selection:
    """Compile patterns into a selection.

    `*` and `?` match within one part of a path, `**` across parts; everything else stands for itself. A pattern without
    a slash matches at any depth, one with a slash from the root of the source. A pattern that matches a folder matches
    all that is below it; one that ends in a slash matches only folders.

    Raises:
        InvalidPatternError: A pattern is empty.

    """
    return Selection(tuple(map(_compiled, include)), tuple(map(_compiled, exclude)))


def _matches(patterns: tuple[re.Pattern[str], ...], path: str) -> bool:
    return any(pattern.fullmatch(path) for pattern in patterns)


def _compiled(pattern: str) -> re.Pattern[str]:
    text = pattern.removeprefix("./")
    body = text.strip("/")
    if not body:
        raise InvalidPatternError(pattern)
    anchored = "/" in text.rstrip("/")
    start = "" if anchored else "(?:[^/]+/)*"
    end = "/.*" if text.endswith("/") else "(?:/.*)?"
    return re.compile(start + _translated(body) + end, re.DOTALL)


def _translated(body: str) -> str:
    literals = _WILDCARD.split(body)
    wildcards = [_MEANING[found] for found in _WILDCARD.findall(body)] + [""]
    return "".join(re.escape(literal) + wildcard for literal, wildcard in zip(literals, wildcards, strict=True))
