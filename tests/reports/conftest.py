"""Reports on trees that a test spells out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from extractor import extract, open_source
from extractor.diff import compare
from extractor.model import Corpus, Options
from extractor.reports.report import Report

MakeReport = Callable[..., Report]


@pytest.fixture
def report_of(tmp_path: Path) -> MakeReport:
    """Return what makes a report of two trees: by path the text of each file, or a text for "a.py"."""

    def make(old: Mapping[str, str] | str, new: Mapping[str, str] | str, **more: Any) -> Report:
        sides = [_corpus(tmp_path / name, files) for name, files in (("old", old), ("new", new))]
        return Report(compare(*sides), "main", "HEAD", **more)

    return make


def _corpus(folder: Path, files: Mapping[str, str] | str) -> Corpus:
    for path, text in ({"a.py": files} if isinstance(files, str) else files).items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    folder.mkdir(exist_ok=True)
    return extract(open_source(str(folder)), Options())
