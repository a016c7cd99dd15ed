"""Which errors of a tree its tests expect.

A test is held against a record by the words of its regular expression, which is never run: it comes from analysed code.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator

from extractor.model import Diagnostic, Record, Variant
from extractor.scan.expectations import Expectation, find_expectations
from extractor.source import Tree

# What in a regular expression is no literal text: an escape that is a class, sets, quantifiers, groups and anchors.
_SPECIAL = re.compile(r"\\[AbBdDsSwWZ]|\[\^?\]?[^\]]*\]|\{\d*,?\d*\}|\(\?[:=!<P][^)>]*>?|[.^$*+?()|]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_WORD = re.compile(r"\w+")
# So many of the words must stand in the text itself; others may be what fills a placeholder.
_KNOWN_SHARE = 0.6
_FEWEST_LETTERS = 4


def expected_ids(records: Iterable[Record], tree: Tree) -> frozenset[str]:
    """Return the ids of the records that a test in the tree expects, by class and text."""
    by_class: dict[str, list[list[str]]] = defaultdict(list)
    for expectation in _expectations(tree):
        # One of several texts would do.
        ways = expectation.pattern.split("|") if "(" not in expectation.pattern else [expectation.pattern]
        for words in map(_words, ways):
            if sum(map(len, words)) >= _FEWEST_LETTERS:
                for name in expectation.classes:
                    by_class[name].append(words)
    return frozenset(record.id for record in records if _is_expected(record, by_class))


def _expectations(tree: Tree) -> Iterator[Expectation]:
    for _, content in tree.read(tree.entries):
        if not isinstance(content, Diagnostic):
            yield from find_expectations(content)


def _is_expected(record: Record, by_class: dict[str, list[list[str]]]) -> bool:
    for variant in record.variants:
        exception = variant.exception or record.exception
        if exception is None:
            continue
        names = {exception.name, *(each.rpartition(".")[2] for each in exception.ancestors)}
        if any(_fits(words, variant) for name in names for words in by_class.get(name, ())):
            return True
    return False


def _words(pattern: str) -> list[str]:
    """Return the words of the literal text in a regular expression."""
    return _WORD.findall(_ESCAPED.sub(r"\1", _SPECIAL.sub(" ", pattern)))


def _fits(words: list[str], variant: Variant) -> bool:
    """Say whether a text can hold these words in this order."""
    text = "\0".join(segment if isinstance(segment, str) else "" for segment in variant.segments)
    has_placeholders = any(not isinstance(segment, str) for segment in variant.segments)
    at, known = 0, 0
    for word in words:
        found = text.find(word, at)
        if found < 0:
            if not has_placeholders:
                return False
            continue
        at, known = found + len(word), known + 1
    return known >= _KNOWN_SHARE * len(words)
