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
    by_class: dict[str, list[list[list[str]]]] = defaultdict(list)
    for expectation in _expectations(tree):
        # One of several texts would do.
        ways = expectation.pattern.split("|") if "(" not in expectation.pattern else [expectation.pattern]
        for runs in map(_runs, ways):
            if sum(len(word) for run in runs for word in run) >= _FEWEST_LETTERS:
                for name in expectation.classes:
                    by_class[name].append(runs)
    return frozenset(record.id for record in records if _is_expected(record, by_class))


def _expectations(tree: Tree) -> Iterator[Expectation]:
    for _, content in tree.read(tree.entries):
        if not isinstance(content, Diagnostic):
            yield from find_expectations(content)


def _is_expected(record: Record, by_class: dict[str, list[list[list[str]]]]) -> bool:
    for variant in record.variants:
        exception = variant.exception or record.exception
        if exception is None:
            continue
        names = {exception.name, *(each.rpartition(".")[2] for each in exception.ancestors)}
        if any(_fits(runs, variant) for name in names for runs in by_class.get(name, ())):
            return True
    return False


def _runs(pattern: str) -> list[list[str]]:
    """Return the words of a regular expression, in runs between which it lets anything through."""
    kept = _SPECIAL.sub("\0", pattern)
    runs = (_WORD.findall(_ESCAPED.sub(r"\1", run)) for run in kept.split("\0"))
    return [run for run in runs if run]


def _fits(runs: list[list[str]], variant: Variant) -> bool:
    """Say whether a text can hold these words: each as it stands there, or as what fills a placeholder."""
    tokens: list[str | None] = []
    for segment in variant.segments:
        tokens += _WORD.findall(segment) if isinstance(segment, str) else [None]
    # How many words are known by where the text has been read to.
    reached: dict[int, int] = {0: 0}
    for run in runs:
        # Between two runs anything may stand.
        known: dict[int, int] = {}
        best = 0
        for at in range(min(reached), len(tokens)):
            best = known[at] = max(best, reached.get(at, 0))
        for index, word in enumerate(run):
            known = _read(word, known, tokens, is_first=index == 0, is_last=index == len(run) - 1)
        if not known:
            return False
        reached = known
    return max(reached.values()) >= _KNOWN_SHARE * sum(map(len, runs))


def _read(
    word: str, known: dict[int, int], tokens: list[str | None], *, is_first: bool, is_last: bool
) -> dict[int, int]:
    """Return how far the text may have been read behind one more word, with the number of words known by then."""
    found: dict[int, int] = {}
    for start, count in known.items():
        at = start
        while at < len(tokens) and tokens[at] is None:
            # A placeholder takes any number of words, none as well.
            found[at] = max(found.get(at, 0), count)
            at += 1
        token = tokens[at] if at < len(tokens) else None
        # A regular expression may begin and end within a word.
        if token is not None and (
            token == word or (is_first and token.endswith(word)) or (is_last and token.startswith(word))
        ):
            found[at + 1] = max(found.get(at + 1, 0), count + 1)
    return found
