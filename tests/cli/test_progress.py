"""Progress is shown on a terminal and nowhere else."""

from __future__ import annotations

import io
import re
import subprocess
from pathlib import Path

import pytest

from extractor.cli.progress import progress_on
from tests.program import on_terminal, raisedex
from tests.trees import write_tree

pytest.importorskip("pty", reason="Windows has no pseudo-terminals")


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tree that takes a while."""
    return write_tree(tmp_path_factory.mktemp("progress") / "tree")


def test_a_terminal_shows_files_done_rate_and_time_left(tree: Path, tmp_path: Path) -> None:
    ended = on_terminal("extract", tree, "-o", tmp_path / "errors.json", environment={"COLUMNS": "100"})
    shown = _without_escapes(ended.errors)

    assert 0 == ended.code
    assert re.search(r"scanning .* [1-9]\d*/\d+ files, (\?|\d+)/s, (-:--:--|\d:\d\d:\d\d) left", shown)


def test_the_bar_is_gone_when_the_summary_comes(tree: Path, tmp_path: Path) -> None:
    """It is erased, and the cursor is back."""
    ended = on_terminal("extract", tree, "-o", tmp_path / "errors.json")
    last = ended.errors.rpartition("\x1b[2K")[2]

    assert "scanning" not in last
    assert "raise sites in" in last
    assert ended.errors.rfind("\x1b[?25h") > ended.errors.rfind("\x1b[?25l") >= 0


def test_a_pipe_gets_no_progress(tree: Path) -> None:
    ended = raisedex("extract", tree, environment={"TERM": "xterm", "FORCE_COLOR": "1"})

    assert "\x1b" not in ended.errors
    assert "scanning" not in ended.errors
    assert "\r" not in ended.errors


def test_quiet_shows_no_progress_on_a_terminal(tree: Path, tmp_path: Path) -> None:
    ended = on_terminal("extract", tree, "--quiet", "-o", tmp_path / "errors.json")

    assert (0, "") == (ended.code, ended.errors)


def test_no_color_is_respected(tree: Path, tmp_path: Path) -> None:
    """The bar moves, without colours."""
    ended = on_terminal("extract", tree, "-o", tmp_path / "errors.json", environment={"NO_COLOR": "1"})
    colours = [code for code in re.findall(r"\x1b\[([0-9;]*)m", ended.errors) if re.search(r"\b(3|4|9|10)\d\b", code)]

    assert "scanning" in ended.errors
    assert [] == colours


def test_a_dumb_terminal_gets_no_escape_sequences(tree: Path, tmp_path: Path) -> None:
    ended = on_terminal("extract", tree, "-o", tmp_path / "errors.json", environment={"TERM": "dumb"})

    assert "\x1b" not in ended.errors
    assert "raise sites in" in ended.errors


def test_progress_is_on_standard_error_while_the_corpus_goes_elsewhere(tree: Path, tmp_path: Path) -> None:
    seen: list[str] = []

    def look(process: subprocess.Popen[bytes], shown: str) -> bool:
        seen.append(shown)
        return False

    on_terminal("extract", tree, "-o", "-", meanwhile=look)

    assert any("scanning" in shown for shown in seen)
    assert not any("schema_version" in shown for shown in seen)


def test_nobody_to_report_to_is_none() -> None:
    with progress_on(io.StringIO(), quiet=False) as progress:
        assert progress is None


def _without_escapes(shown: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
