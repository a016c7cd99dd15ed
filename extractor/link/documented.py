"""Which entry of a docstring speaks of an exception."""

from __future__ import annotations

from collections.abc import Iterable

from extractor.facts import DocumentedRaise
from extractor.link.standard import standard_class
from extractor.model import ExceptionClass

# Documented for any class, they say nothing of this one.
_TOO_WIDE = frozenset({"builtins.Exception", "builtins.BaseException"})


def documented_text(entries: Iterable[DocumentedRaise], exception: ExceptionClass | None) -> str | None:
    """Return what the entries say of a class or else of its nearest documented ancestor, all of it on one line."""
    if exception is None or not entries:
        return None
    ancestors = [name for name in exception.ancestors if name not in _TOO_WIDE]
    for name in (exception.qualified_name or exception.name, *ancestors):
        texts = dict.fromkeys(entry.text for entry in entries if _means(entry.name, name))
        if texts:
            *before, last = texts
            return "; ".join([*(text.rstrip(" .;") for text in before), last])
    return None


def _means(written: str, qualified_name: str) -> bool:
    """Say whether a name in a docstring means a class; docstrings hold to no import, so the last part decides."""
    standard = standard_class(written) or standard_class(f"builtins.{written}")
    return standard == qualified_name or written.rpartition(".")[2] == qualified_name.rpartition(".")[2]
