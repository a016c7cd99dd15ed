"""Which words of a text another one keeps, drops and adds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal

Mark = Literal["kept", "dropped", "added"]

_PIECE = re.compile(r"\s+|\w+|[^\w\s]")
# Longer texts are told as one whole, since finding the words takes the product of both.
_MOST_WORDS = 2_000


def word_changes(old: str, new: str) -> Iterator[tuple[Mark, str]]:
    """Yield the pieces of both texts in order, each with what became of it, the dropped before the added."""
    before, after = _PIECE.findall(old), _PIECE.findall(new)
    if max(len(before), len(after)) > _MOST_WORDS:
        yield from (("dropped", old), ("added", new))
        return
    for operation, start, end, other_start, other_end in SequenceMatcher(
        None, before, after, autojunk=False
    ).get_opcodes():
        if operation == "equal":
            yield "kept", "".join(before[start:end])
            continue
        if start < end:
            yield "dropped", "".join(before[start:end])
        if other_start < other_end:
            yield "added", "".join(after[other_start:other_end])
