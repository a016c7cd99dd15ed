"""The benchmark measures what its rows say; how long that takes is no matter of a test."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.bench import Case, Row, cases_of, table
from tests.trees import write_tree

ROOT = Path(__file__).parent.parent


def test_every_case_runs_and_leaves_the_tree_as_it_is(tmp_path: Path) -> None:
    folder = write_tree(tmp_path / "tree")
    before = {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    (tmp_path / "work").mkdir()
    rows = [Row(case, []) for case in cases_of(folder, tmp_path / "work")]
    for row in rows:
        row.measure()

    timed = {row.case.name for row in rows if row.seconds}
    assert {
        "raisedex: no cache",
        "raisedex: no cache, --jobs 1",
        "raisedex: first run of a revision",
        "raisedex: the same revision again",
        "raisedex: a commit that touches 20 files",
        "raisedex: 4 copies of the tree, no cache",
    } <= timed
    assert all(row.memory > 10 for row in rows if row.seconds)
    assert before == {file: file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_ratios_are_those_of_each_round() -> None:
    """A machine that slows down in the middle slows down all alike."""
    first, other = Row(Case("a: x", ()), [1.0, 10.0, 2.0], 5.0), Row(Case("b", ()), [2.0, 20.0, 6.0], 7.4)

    assert [
        "| a: x | 2.00 | 1.00 | 5 MiB |",
        "| b | 6.00 | 2.00 | 7 MiB |",
    ] == table([first, other]).splitlines()[2:]
    assert "ratio to a " in table([first, other]).splitlines()[0]


def test_a_folder_that_is_none_is_one_line() -> None:
    ended = subprocess.run(
        [sys.executable, "-m", "tests.bench", "no-such-folder"], cwd=ROOT, capture_output=True, text=True, check=False
    )

    assert 2 == ended.returncode
    assert "'no-such-folder' is no folder" in ended.stderr
