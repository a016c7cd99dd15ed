"""The table of an oracle: who is in it, what counts as certain, and where it stands."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from extractor.model import Record
from tests.oracle import PAGE, Evidence, certain_places, filled, main, mean, pooled, table
from tests.sample import GUESSED, SEED, TRANSLATED, UNKNOWN, corpus_of

HERE, THERE = {"path": "a.py", "line": 1}, {"path": "a.py", "line": 2}


def test_a_folder_that_is_no_oracle_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert 2 == main([str(tmp_path)])

    expected = f"tests.oracle: {str(tmp_path)!r} is no oracle, it has no sources.tsv; name its folder\n"
    assert ("", expected) == capsys.readouterr()


def test_a_library_that_the_oracle_has_not_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("events", "to_neutral.py", "score.py"):
        (tmp_path / name).touch()
    (tmp_path / "sources.tsv").write_text("library\trelease\tpackages\nclick\tclick==8.5.1\tclick\n")

    assert 2 == main([str(tmp_path), "clack"])
    assert "no library 'clack' in the oracle; it has click\n" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (SEED, True),
        (TRANSLATED, True),
        (UNKNOWN, False),
        (replace(SEED, exception=None), False),
        (replace(SEED, variants=()), True),
        # The class that one variant guesses may be the one that is raised.
        (replace(SEED, variants=(replace(SEED.variants[0], exception=GUESSED),)), False),
    ],
)
def test_a_place_is_certain_if_every_class_is(record: Record, expected: bool) -> None:
    place = record.location.path, record.location.line

    assert expected == (place in certain_places(corpus_of(record)))


def test_a_place_is_certain_only_if_all_its_records_are() -> None:
    assert set() == certain_places(corpus_of(SEED, replace(SEED, exception=GUESSED)))


def test_certain_places_are_judged_on_their_own() -> None:
    evidence = Evidence([HERE, THERE], [THERE, HERE, HERE], {("a.py", 1)})

    assert ([HERE], [HERE, HERE]) == evidence.certain_only().compared


def test_the_pool_has_everything() -> None:
    parts = [Evidence([HERE], [], {("a.py", 1)}), Evidence([THERE], [HERE], set())]

    assert Evidence([HERE, THERE], [HERE], {("a.py", 1)}) == pooled(parts)


def test_the_table_takes_the_place_of_the_old_one() -> None:
    """And of nothing else, as often as it is made."""
    page = filled(PAGE.read_text("utf-8"), "| a |\n| - |\n")

    assert "<!-- oracle -->\n| a |\n| - |\n\n" in page
    assert PAGE.read_text("utf-8") != page
    assert page == filled(page, "| a |\n| - |\n")


def test_a_figure_that_is_not_there_stays_empty() -> None:
    row = {"sites": 1234, "certain": None} | dict.fromkeys(("recall", "class", "then right"), 50.0)
    row |= dict.fromkeys(("precision", "match", "specific"), 100.0)
    lines = table({"click": row, "mean": mean([row, row])}).splitlines()

    assert "| click   | 1,234 |   50.0 |  50.0 |         |       50.0 |     100.0 | 100.0 |    100.0 |" == lines[2]
    assert "| mean    |       |   50.0 |  50.0 |         |       50.0 |     100.0 | 100.0 |    100.0 |" == lines[3]
