"""The history of thirty releases of a real library, held against all their corpora one by one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from extractor import extract, open_source
from extractor.diff import compare
from extractor.history import History, apply_history, decode_history, encode_history, trace
from extractor.model import Corpus, Options, Record
from extractor.policy_errors import InvalidHistoryError
from extractor.source.revisions import Revision, list_revisions
from tests.test_commits import INCLUDED, commits

_RELEASES = 30

Walked = tuple[tuple[Revision, Corpus], ...]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Walked:
    """Return the releases with their corpora, each extracted by itself."""
    repository = tmp_path_factory.mktemp("history")
    assert _RELEASES == len(list(commits(repository, latest=_RELEASES)))
    found = []
    for revision in list_revisions(str(repository)):
        tree = open_source(str(repository), revision=revision.commit, include=INCLUDED)
        found.append((revision, extract(tree, Options(include=INCLUDED))))
    return tuple(found)


@pytest.fixture(scope="module")
def history(walked: Walked) -> History:
    """Return the history."""
    return trace(walked)


def test_since_is_the_first_release_that_has_it(walked: Walked, history: History) -> None:
    """Of errors that never changed place, class or text, counting them in each corpus says the same."""
    names = [revision.name for revision, _ in walked]
    counted = [Counter(map(_key, corpus.records)) for _, corpus in walked]
    plain = [life for life in history.errors if life.last_seen is None and not life.events]
    records = {record.id: record for record in _last(walked, history).records}
    checked = 0
    for life in plain:
        key = _key(records[life.id])
        if all(counts[key] <= 1 for counts in counted):
            first = min(index for index, counts in enumerate(counted) if all(each[key] for each in counted[index:]))
            assert life.since == names[first], key
            checked += 1

    assert checked > len(plain) / 2


def test_each_event_is_a_change_between_two_releases(walked: Walked, history: History) -> None:
    """All that happened was found by comparing neighbours, and nothing else."""
    expected: Counter[tuple[str, str]] = Counter()
    for (_, old), (revision, new) in pairwise(walked):
        expected.update((revision.name, change.kind) for change in compare(old, new).changes)
    found: Counter[tuple[str, str]] = Counter()
    for life in history.errors:
        found.update((event.revision, _as_change(event.kind)) for event in life.events)
        found[str(life.since), "added"] += life.since != walked[0][0].name

    assert expected.keys() - {(walked[0][0].name, "added")}
    assert expected == +found


def test_the_living_are_those_of_the_last_release(walked: Walked, history: History) -> None:
    """And each id is there once, gone or not."""
    living = [life for life in history.errors if life.last_seen is None]
    ids = [life.id for life in history.errors]

    assert [_place(record) for record in walked[-1][1].records] == [(life.path, life.line) for life in living]
    assert len(ids) == len(set(ids))


def test_a_history_is_read_as_it_was_written(history: History) -> None:
    """Nothing is lost, and what is something else is refused."""
    text = encode_history(history)

    assert history == decode_history(text.encode(), name="history.json")
    for wrong in (
        b"",
        b"[]",
        b"{}",
        text.encode()[:-9],
        b'{"schema_version": 2}',
        text.encode().replace(b'"line":', b'"l":'),
    ):
        with pytest.raises(InvalidHistoryError):
            decode_history(wrong, name="history.json")


def test_a_corpus_takes_it_over(walked: Walked, history: History) -> None:
    """The last corpus has the ids of the history; one that the history does not reach has new errors of its own."""
    last = _last(walked, history)
    by_id = {record.id: record for record in last.records}
    early = trace(walked[:-5])
    later = apply_history(early, walked[-1][1], "now")

    assert {life.id: life.since for life in history.errors if life.last_seen is None} == {
        identity: record.since for identity, record in by_id.items()
    }
    assert {life.id for life in history.errors if life.last_seen} == {each.id for each in last.gone}
    assert len(later.records) == len({record.id for record in later.records})
    assert {"now"} >= {record.since for record in later.records} - {revision.name for revision, _ in walked[:-5]}


def test_no_revision_has_no_history() -> None:
    """Nothing in, nothing out."""
    assert History(None, (), ()) == trace(())


def test_ids_that_are_taken_are_not_given_twice() -> None:
    """A site that moves keeps its id, so that a new one in its place gets another."""
    text = "def f(x):\n    if x: raise ValueError('the one text')\n"
    first, moved, new = _corpora([{"a.py": text}, {"b.py": text}, {"b.py": text, "a.py": text}])
    found = trace([(_revision("1"), first), (_revision("2"), moved), (_revision("3"), new)])

    assert 2 == len({life.id for life in found.errors})
    assert {("a.py", "3"), ("b.py", "1")} == {(life.path, life.since) for life in found.errors}
    taken_over = apply_history(found, new, "4")
    assert {(life.id, life.since, life.path) for life in found.errors} == {
        (record.id, record.since, record.location.path) for record in taken_over.records
    }


def _corpora(trees: Sequence[dict[str, str]]) -> list[Corpus]:
    found = []
    for files in trees:
        with TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).write_text(text, "utf-8")
            found.append(extract(open_source(folder), Options()))
    return found


def _revision(name: str) -> Revision:
    return Revision(name, name * 40, "2026-01-01T00:00:00+00:00")


def _last(walked: Walked, history: History) -> Corpus:
    return apply_history(history, walked[-1][1], "later")


def _as_change(kind: str) -> str:
    return "added" if kind == "returned" else kind


def _key(record: Record) -> Hashable:
    name = record.exception.qualified_name if record.exception is not None else None
    return record.location.path, record.location.scope, name, tuple(variant.segments for variant in record.variants)


def _place(record: Record) -> tuple[str, int]:
    return record.location.path, record.location.line
