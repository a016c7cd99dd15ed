"""A comparison with a change of every kind, and with texts that try to be more than texts."""

from __future__ import annotations

from pathlib import Path

from extractor import extract, open_source
from extractor.diff import compare
from extractor.model import Corpus, Options
from extractor.reports.report import Report

_OLD = """
class InputError(ValueError):
    pass

def gone(x):
    if x: raise ValueError("this one goes away")

def retyped(x):
    if x: raise ValueError("this one gets another class")

def reworded(x):
    if x: raise ValueError(f"the value {x} is wrong, sorry")

def widened(x):
    if x < 0: raise ValueError("this one is met more often")

def rebased(x):
    if x: raise InputError("stays as it is")
"""
_NEW = """
class InputError(Exception):
    pass

def retyped(x):
    if x: raise TypeError("this one gets another class")

def reworded(x):
    if x: raise ValueError(f"the value {x} is not right, sorry")

def widened(x):
    if x <= 0: raise ValueError("this one is met more often")

def rebased(x):
    if x: raise InputError("stays as it is")

def added(x, y):
    if x is None or y: raise ValueError("%s")
"""
HOSTILE = (
    "::error::x\\r\\n::warning file=a,line=1::b | `` ```\\n</details><script>alert(1)</script>"
    " @team #1 [a](b) \\x1b[31m"
)
_MOVED = 'def moved(x):\n    if x: raise ValueError("this one only moves to another file")\n'


def sample(folder: Path, *, added: int = 1) -> tuple[Corpus, Corpus]:
    """Return two corpora, the second with so many errors more whose text is hostile."""
    old, new = folder / "old", folder / "new"
    for side, text in ((old, _OLD), (new, _NEW.replace("%s", HOSTILE))):
        side.mkdir()
        (side / "a, b: c%.py").write_text(text, "utf-8")
    (old / "before.py").write_text(_MOVED, "utf-8")
    (new / "behind.py").write_text(_MOVED, "utf-8")
    more = "".join(
        f'def more_{number}(x):\n    if x: raise KeyError("another one, {number}")\n' for number in range(added - 1)
    )
    (new / "more.py").write_text(more, "utf-8")
    return _corpus(old), _corpus(new)


def _corpus(folder: Path) -> Corpus:
    return extract(open_source(str(folder)), Options())


def report_on(corpora: tuple[Corpus, Corpus], **more: object) -> Report:
    """Return a report on two corpora."""
    return Report(compare(*corpora), "main", "HEAD", **more)  # type: ignore[arg-type]
