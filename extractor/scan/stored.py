"""Which attributes and tables a file changes, found in the text: most of its functions are never parsed."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

# Hostile lines may be long: no pattern looks at a character more than a few times, nor far ahead.
_TARGET = rb"(\w++[.,\[][\w.,* \t\[\]'\"]{0,300}?)(?:[ \t]*+:[^=\n]{0,200})?(?:[-+*/%|&^@]|//|\*\*|<<|>>)?=(?!=)"
# Each with a word that a file must hold to be searched for it, which is told faster.
_TARGETS = (
    (b"=", re.compile(rb"^[ \t]*+" + _TARGET, re.MULTILINE)),
    (b": self.", re.compile(rb": (?=self\.)" + _TARGET)),
    (b"; self.", re.compile(rb"; (?=self\.)" + _TARGET)),
    (b"for self.", re.compile(rb"for (self\.\w++)")),
    (b"as self.", re.compile(rb"as (self\.\w++)")),
)
_ATTRIBUTE = re.compile(rb"\b(\w++)\.(\w++)")
_ITEM = re.compile(rb"\b(?:(\w++)\.)?(\w++)\[")
_CHANGED = re.compile(rb"\.(?:update|setdefault|pop|popitem|clear|append|extend|insert)\(")
_BEFORE = re.compile(rb"(?:(\w+)\.)?(\w+)$")
_LONGEST_NAMES = 120
_NAMED = re.compile(rb"(?:set|del)attr(?:__)?\(\s*+(\w++)\s*+,\s*+(?:[\"'](\w++)[\"'])?")
_DICTIONARY = re.compile(rb"\.__dict__(?:\.update\(|[ ]*+=(?!=)|\[)")
_VARIABLES = re.compile(rb"\bvars\((\w++)\)(?:\.update\(|\[)")
# A table that is put together from what each class has by a name, as form and serializer fields do with their messages.
_COLLECTED = re.compile(rb"\b(\w++)\.update\(\s*getattr\(\s*\w+\s*,\s*[\"'](\w+)[\"']")
_KEPT = re.compile(rb"\bself\.(\w++)[ ]*+=[ ]*+(\w++)[ ]*+$", re.MULTILINE)
_OWN = frozenset({b"self", b"cls"})
# Any name, where it is not written there.
_ALL = b"*"


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
    names = {scopes[each.line].rpartition(".")[2].encode(): scopes[each.line] for each in ranges if each.line in scopes}
    found: dict[str, Counter[str]] = {}
    for owner, name, place in _stores(source):
        inside = [each for each in ranges if each.start <= place < each.end] if owner in _OWN else []
        scope = scopes.get(inside[-1].line, "") if inside else ""
        # What is put in the place of something in a class that was made already.
        scope = f"{names[owner]}." if owner in names else scope
        if name == _ALL and not scope:
            continue
        found.setdefault(scope, Counter())[name.decode("utf-8", "replace")] += 1
    return {scope: dict(sorted(times.items())) for scope, times in sorted(found.items())}


def _stores(source: bytes) -> Iterator[tuple[bytes | None, bytes, int]]:
    """Yield the owner, the name and the place of everything that is changed; `_ALL` stands for any name."""
    for word, targets in _TARGETS:
        for target in targets.finditer(source) if word in source else ():
            for pattern in (_ATTRIBUTE, _ITEM):
                for match in pattern.finditer(source, target.start(1), target.end(1)):
                    yield match[1], match[2], match.start()
    for match in _CHANGED.finditer(source):
        before = _BEFORE.search(source[max(0, match.start() - _LONGEST_NAMES) : match.start()])
        if before is not None:
            yield before[1], before[2], match.start()
    for match in _NAMED.finditer(source) if b"attr" in source else ():
        yield match[1], match[2] or _ALL, match.start()
    for match in _DICTIONARY.finditer(source) if b"__dict__" in source else ():
        before = _BEFORE.search(source[max(0, match.start() - _LONGEST_NAMES) : match.start()])
        if before is not None:
            yield before[2], _ALL, match.start()
    for match in _VARIABLES.finditer(source) if b"vars(" in source else ():
        yield match[1], _ALL, match.start()


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
