"""Which attributes and tables a file changes, found in the text: most of its functions are never parsed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

_ASSIGNED = re.compile(rb"(\w+)\.(\w+)[ ]*(?::[^=\n]*)?(?:[-+*/%|&^@]|//|\*\*|<<|>>)?=(?!=)")
_CHANGED = re.compile(
    rb"(?:(\w+)\.)?(\w+)(?:\[[^\]\n]*\][ ]*=(?!=)|\.(?:update|setdefault|pop|popitem|clear|append|extend|insert)\()"
)
_OWN = frozenset({b"self", b"cls"})


@dataclass(frozen=True, slots=True)
class ClassRange:
    """The bytes and the first line of a class statement."""

    start: int
    end: int
    line: int


def stored_names(source: bytes, classes: Iterable[ClassRange], scopes: dict[int, str]) -> dict[str, frozenset[str]]:
    """Return the names that are changed: by class scope those of a method's own object, under "" all others.

    Args:
        source: The file.
        classes: Its class statements, outer ones first.
        scopes: The scope of each class by its first line.

    """
    ranges = list(classes)
    found: dict[str, set[str]] = {}
    for pattern in (_ASSIGNED, _CHANGED):
        for match in pattern.finditer(source):
            is_own = match[1] in _OWN
            inside = [each for each in ranges if each.start <= match.start() < each.end] if is_own else []
            scope = scopes.get(inside[-1].line, "") if inside else ""
            found.setdefault(scope, set()).add(match[2].decode("utf-8", "replace"))
    return {scope: frozenset(names) for scope, names in sorted(found.items())}
