"""docs/diff.md, made from the cases of `fixtures/diff` so that it is true.

    python -m tests.guide

writes it anew.
"""

from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from textwrap import fill

from extractor.cli.changes import render_text
from extractor.cli.terminal import Display
from extractor.diff import compare
from extractor.reports.report import Report
from tests.diff_cases import ROOT, corpora

PAGE = ROOT.parent.parent / "docs" / "diff.md"
_HEAD = """\
# What a change does to the errors

`raisedex diff OLD NEW` gives each raise site that is not the same one verdict, the gravest of what changed: *added,
removed, retyped, reworded, moved* or *guards changed*; the others are counted. `OLD` and `NEW` are corpora, revisions,
folders, archives or `NAME==VERSION`; with `OLD` alone the files as they are count as new. This page is made from the
cases under `fixtures/diff` by `python -m tests.guide`.

The same raise site is found again by its place, class and text, then by its id, then where only one on either side says
the same elsewhere, then where one in the same place says nearly the same or stands under the same conditions. What
could be the one or the other stays removed and added.

Two releases of a large project, vLLM, in figures: from 0.28.0 to 0.29.0 772 errors were added, 110 removed, 15 retyped,
45 reworded and 96 moved, 128 came under other conditions, and 5,199 are the same. From 0.26.0 to 0.27.0 it is 499, 69,
77, 14, 32, 96 and 4,597; that `VLLMValidationError` left `ValueError` is told once, with the 94 errors that are of it.
"""
_SECTIONS = (
    ("Added", "", ("added",)),
    ("Removed", "", ("removed", "twin_goes")),
    (
        "Retyped",
        "Another class, or one with other bases: the `except` clauses are named that no longer catch it. A class that "
        "gets other bases is told once, whatever the number of its errors.",
        ("retyped", "retyped_to_a_subclass", "base_class_moved"),
    ),
    (
        "Reworded",
        "The words that went are marked `[-so-]`, those that came `{+so+}`; on a terminal by colours.",
        ("reworded", "reworded_beyond_recognition", "placeholder_renamed", "variant_reworded"),
    ),
    (
        "Moved",
        "To another file, class or function, also where these were renamed.",
        ("moved_to_another_file", "class_renamed", "function_split", "file_renamed_and_edited"),
    ),
    (
        "Guards changed",
        "Widened: all gets through that did, and more. Narrowed: the other way round. Changed: where the text does not "
        "show which. Where only early exits in front of the error changed, that is said.",
        ("guard_widened_by_a_bound", "guard_narrowed_by_and", "guard_other", "early_exit_in_front"),
    ),
    (
        "No change",
        "Formatting, comments, moved lines, split literals, and conditions that are only said in another way.",
        ("only_formatting", "guard_said_otherwise"),
    ),
)


def guide() -> str:
    """Return the page."""
    parts = [_HEAD]
    for title, words, names in _SECTIONS:
        parts.append(f"\n## {title}\n")
        if words:
            parts.append(f"\n{fill(words, 120)}\n")
        parts += [f"\n{_example(ROOT / name)}" for name in names]
    return "".join(parts)


def _example(case: Path) -> str:
    report = Report(compare(*corpora(case)), "old", "new")
    return f"```diff\n{_changes(case)}```\n\n```text\n{render_text(report, display=Display())}```\n"


def _changes(case: Path) -> str:
    files = sorted({file.relative_to(case / side) for side in ("old", "new") for file in (case / side).rglob("*.py")})
    lines: list[str] = []
    for file in files:
        old, new = (_lines(case / side / file) for side in ("old", "new"))
        if old != new:
            _, _, *changed = unified_diff(old, new, n=9)
            lines += [f"# {file.as_posix()}\n", *(line for line in changed if not line.startswith("@@"))]
    return "".join(lines)


def _lines(file: Path) -> list[str]:
    return file.read_text("utf-8").splitlines(keepends=True) if file.exists() else []


if __name__ == "__main__":
    PAGE.parent.mkdir(exist_ok=True)
    PAGE.write_text(guide(), "utf-8")
