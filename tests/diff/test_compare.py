"""Comparisons are held against the cases of `fixtures/diff`, and against what is true of any two corpora."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Hashable
from dataclasses import replace
from pathlib import Path

import pytest

from extractor.corpus import encode
from extractor.diff import Comparison, compare
from extractor.diff.reading import read_both
from extractor.model import Corpus, Record
from tests.diff_cases import EXPECTED, cases, corpora, outcome

CASES = [pytest.param(case, id=case.name) for case in cases()]
_PLACED = {"added", "removed", "moved", "reworded"}


@pytest.mark.parametrize("case", CASES)
def test_the_case_has_its_verdicts(case: Path) -> None:
    """What became of the errors is what stands beside the two trees."""
    expected = json.loads((case / EXPECTED).read_text("utf-8"))

    assert expected == outcome(compare(*corpora(case)))


@pytest.mark.parametrize("case", CASES)
def test_each_record_has_one_verdict(case: Path) -> None:
    """All records of both sides are in exactly one change, or counted as unchanged."""
    check_verdicts(*corpora(case))


@pytest.mark.parametrize("case", CASES)
def test_nothing_changes_in_the_same_corpus(case: Path) -> None:
    """A corpus compared with itself has no change, whatever its ids."""
    for corpus in corpora(case):
        other = replace(corpus, records=tuple(replace(each, id=f"{0:016x}") for each in corpus.records[:1]))
        shown = compare(corpus, replace(corpus, records=(*other.records, *corpus.records[1:])))

        assert ((), len(corpus.records)) == (shown.changes, shown.unchanged)


@pytest.mark.parametrize("case", CASES)
def test_the_other_way_round_what_came_goes(case: Path) -> None:
    """Compared backwards there are as many changes of each kind, with added and removed changed over."""
    old, new = corpora(case)
    forwards, backwards = compare(old, new), compare(new, old)
    counts = {**forwards.counts, "added": forwards.counts["removed"], "removed": forwards.counts["added"]}

    assert (counts, forwards.unchanged) == (backwards.counts, backwards.unchanged)


@pytest.mark.parametrize("case", CASES)
def test_what_is_alike_may_be_left_out(case: Path) -> None:
    """Read from files, where most records are not built, the verdicts are the same."""
    old, new = corpora(case)
    both = read_both(encode(old), encode(new), names=("old", "new"))

    assert compare(old, new) == compare(both.old, both.new, both.alike)


def check_verdicts(old: Corpus, new: Corpus) -> Comparison:
    """Hold a comparison against what must be true of any two corpora."""
    comparison = compare(old, new)
    before = [change.old.id for change in comparison.changes if change.old is not None]
    after = [change.new.id for change in comparison.changes if change.new is not None]
    assert len(before) == len(set(before))
    assert len(after) == len(set(after))
    assert len(old.records) == len(before) + comparison.unchanged
    assert len(new.records) == len(after) + comparison.unchanged
    # What has an equal on the other side is never called anything that says that it has none.
    for ours, others, side in ((old, new, "old"), (new, old, "new")):
        lone = Counter(map(_key, ours.records)) - Counter(map(_key, others.records))
        named = Counter(
            _key(record)
            for change in comparison.changes
            if change.kind in _PLACED and (record := getattr(change, side)) is not None
        )
        assert not named - lone
    return comparison


def _key(record: Record) -> Hashable:
    name = record.exception.qualified_name if record.exception is not None else None
    texts = tuple(variant.segments for variant in record.variants)
    return record.location.path, record.location.scope, name, texts
