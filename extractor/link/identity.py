"""Identities made from content: the id of a raise site, and the id that all sites with the same text share.

The algorithm of `model.ID_VERSION` 1: SHA-256 over the JSON of its parts, cut to 16 hex digits. An id comes from path,
scope, template skeleton and the ordinal among equals within the scope, so it survives moved lines, edited guards and
renamed placeholders. A skeleton is the literal text of every variant with one mark for each placeholder, without what a
`__str__` of the class puts around it: that is the class's, and would change the ids of all its errors at once.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Sequence

from extractor.link.wording import is_literal
from extractor.model import Segment

_DIGITS = 16
# Cannot stand in source text, so it is no literal part of a message.
_HOLE = "\0"

Skeleton = tuple[str, ...]


def skeleton_of(texts: Iterable[Sequence[Segment]]) -> Skeleton:
    """Return the different texts of a site with the placeholders blanked."""
    return tuple(dict.fromkeys(map(_blanked, texts)))


def _blanked(segments: Sequence[Segment]) -> str:
    return "".join(segment if isinstance(segment, str) else _HOLE for segment in segments)


def template_id(texts: Sequence[Sequence[Segment]]) -> str | None:
    """Return the id that all sites with these texts share; None where there is no literal text."""
    return _digest("template", *skeleton_of(texts)) if any(map(is_literal, texts)) else None


class Identities:
    """Gives each raise site its id; ask in the order of path, line and column."""

    def __init__(self) -> None:
        self._ordinals: Counter[tuple[str, str, Skeleton]] = Counter()
        self._given: set[str] = set()

    def next(self, path: str, scope: str, skeleton: Skeleton) -> str:
        """Return the id of the next site with this skeleton in this scope."""
        key = (path, scope, skeleton)
        while True:
            ordinal = self._ordinals[key]
            self._ordinals[key] += 1
            identity = _digest("site", path, scope, str(ordinal), *skeleton)
            # Two different sites on the same 64 bits: the later one goes on to its next ordinal.
            if identity not in self._given:
                self._given.add(identity)
                return identity


def _digest(*parts: str) -> str:
    text = json.dumps(parts, ensure_ascii=True, separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).hexdigest()[:_DIGITS]
