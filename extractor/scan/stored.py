"""Which attributes and tables a file changes, found in the text: most of its functions are never parsed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

# Hostile lines may be long: no pattern looks at a character more than a few times, nor far ahead.
_ASSIGNED = re.compile(rb"\b(\w++)\.(\w++)[ ]*+(?::[^=\n]{0,200})?(?:[-+*/%|&^@]|//|\*\*|<<|>>)?=(?!=)")
_CHANGED = re.compile(
    rb"\b(?:(\w++)\.)?(\w++)(?:\[[^\]\n]{0,200}\][ ]*+=(?!=)"
    rb"|\.(?:update|setdefault|pop|popitem|clear|append|extend|insert)\()"
)
# A table that is put together from what each class has by a name, as form and serializer fields do with their messages.
_COLLECTED = re.compile(rb"\b(\w++)\.update\(\s*getattr\(\s*\w+\s*,\s*[\"'](\w+)[\"']")
_KEPT = re.compile(rb"\bself\.(\w++)[ ]*+=[ ]*+(\w++)[ ]*+$", re.MULTILINE)
_OWN = frozenset({b"self", b"cls"})


@dataclass(frozen=True, slots=True)
class ClassRange:
    """The bytes and the first line of a class statement."""

    start: int
    end: int
    line: int


def stored_names(source: bytes, classes: Iterable[ClassRange], scopes: dict[int, str]) -> dict[str, dict[str, int]]:
    """Return how often names are changed: by class scope those of a method's own object, under "" all others.

    Args:
        source: The file.
        classes: Its class statements, outer ones first.
        scopes: The scope of each class by its first line.

    """
    ranges = list(classes)
    found: dict[str, Counter[str]] = {}
    for pattern in (_ASSIGNED, _CHANGED):
        for match in pattern.finditer(source):
            is_own = match[1] in _OWN
            inside = [each for each in ranges if each.start <= match.start() < each.end] if is_own else []
            scope = scopes.get(inside[-1].line, "") if inside else ""
            found.setdefault(scope, Counter())[match[2].decode("utf-8", "replace")] += 1
    return {scope: dict(sorted(names.items())) for scope, names in sorted(found.items())}


def collected_tables(source: bytes, classes: Iterable[ClassRange], scopes: dict[int, str]) -> dict[str, dict[str, str]]:
    """Return the attributes that hold a table collected over a class and its bases, with the name it has in each.

    The arguments are those of `stored_names`, the result is by class scope.
    """
    found: dict[str, dict[str, str]] = {}
    if b"__mro__" not in source:
        return found
    for each in classes:
        body = source[each.start : each.end]
        tables = {match[1]: match[2].decode() for match in _COLLECTED.finditer(body)} if b"__mro__" in body else {}
        kept = {match[1].decode(): tables[match[2]] for match in _KEPT.finditer(body) if match[2] in tables}
        if kept and each.line in scopes:
            found[scopes[each.line]] = kept
    return found
