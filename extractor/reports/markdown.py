"""A report as a comment on a pull request: one line, a table of the errors that matter most, the rest folded."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from extractor.diff import Change, ChangeKind, ClassChange
from extractor.printable import printable
from extractor.reports.conditions_shown import changed, deciding
from extractor.reports.phrases import (
    KIND_WORDS,
    LACKING_WORDS,
    class_label,
    class_labels,
    class_sentence,
    rewording,
    shortened,
    summary_words,
)
from extractor.reports.report import Report

# GitHub takes 65,536 characters for a comment.
_MOST_CHARACTERS = 60_000
_MOST_ROWS, _ROWS_OF_A_KIND = 20, 5
# What callers and handlers notice first.
_ORDER: tuple[ChangeKind, ...] = ("retyped", "removed", "reworded", "added")
_MOST_DETAILS = 40
_LONGEST_CELL = 120
_BACKTICKS = re.compile("`+")


def render_markdown(report: Report) -> str:
    """Return the report as GitHub and GitLab show it; all that comes from analysed code stands in code spans."""
    blocks = [_summary(report), *_classes(report.comparison.classes), *_table(report)]
    text = "\n\n".join(blocks) + "\n"
    folded = [block for kind in KIND_WORDS for block in _details(kind, report)]
    left = 0
    for block in folded:
        if len(text) + len(block) + 1 > _MOST_CHARACTERS:
            left += 1
            continue
        text += f"\n{block}\n"
    return text + ("\nMore does not fit here; `raisedex diff` prints all of it.\n" if left else "")


def _summary(report: Report) -> str:
    words = summary_words(report)
    return f"**Errors, {code(report.old_name)} → {code(report.new_name)}:** {words}"


def _classes(changes: Sequence[ClassChange]) -> Iterator[str]:
    shown = [f"- {_spans(class_sentence(change))}" for change in changes[:_MOST_ROWS]]
    if len(changes) > _MOST_ROWS:
        shown.append(f"- and {len(changes) - _MOST_ROWS} more classes")
    if shown:
        yield "\n".join(shown)


def _spans(sentence: str) -> str:
    """Return a sentence with names in it, which are all between backticks already, or plain words."""
    parts = sentence.split("`")
    return "".join(code(part) if index % 2 else _plain(part) for index, part in enumerate(parts))


def _plain(text: str) -> str:
    return re.sub(r"([\\*_{}\[\]<>()#+!|~@&$])", r"\\\1", printable(text))


def _table(report: Report) -> Iterator[str]:
    changes = [change for change in report.comparison.changes if _is_worth_a_row(change, report)]
    if not changes:
        return
    rows = ["| | Error | Where |", "| --- | --- | --- |"]
    rows += [_row(change, report) for change in _first_rows(changes, report)]
    yield "\n".join(rows)
    if len(changes) > _MOST_ROWS:
        yield f"and {len(changes) - _MOST_ROWS:,} more, below"


def _first_rows(changes: Sequence[Change], report: Report) -> list[Change]:
    """Return the changes that the table has room for: of each kind some, the failing and the gravest first."""
    of_kind: Counter[ChangeKind] = Counter()
    ranked: list[tuple[bool, int, int, Change]] = []
    for change in changes:
        place = _ORDER.index(change.kind) if change.kind in _ORDER else len(_ORDER)
        ranked.append((not report.fails(change), of_kind[change.kind] // _ROWS_OF_A_KIND, place, change))
        of_kind[change.kind] += 1
    ranked.sort(key=lambda each: each[:3])
    chosen = ranked[:_MOST_ROWS]
    return [change for *_, change in sorted(chosen, key=lambda each: (each[0], each[2]))]


def _is_worth_a_row(change: Change, report: Report) -> bool:
    return report.fails(change) or (change.kind in ("added", "retyped", "reworded", "removed"))


def _row(change: Change, report: Report) -> str:
    record = change.record
    lacking = [LACKING_WORDS[each] for each in report.lacking.get(record.id, ())]
    kind = ", ".join([KIND_WORDS[change.kind], *lacking])
    mark = "❌ " if report.fails(change) else ""
    said = shortened(record.message or record.title, _LONGEST_CELL)
    error = f"{_class_cell(change)} {code(said, cell=True)}"
    return f"| {mark}{kind} | {error} | {_place(change, cell=True)} |"


def _class_cell(change: Change) -> str:
    if change.old is None or change.new is None or "exception" not in change.fields:
        return code(class_label(change.record.exception), cell=True)
    old, new = class_labels(change.old.exception, change.new.exception)
    return f"{code(old, cell=True)} → {code(new, cell=True)}"


def _place(change: Change, *, cell: bool = False) -> str:
    record = change.record
    where = code(f"{record.location.path}:{record.location.line}", cell=cell)
    link = record.permalink
    if link is None or re.fullmatch(r"https?://[\w./:%#~@+,=&?-]+", link) is None:
        return where
    return f"[{where}]({link})"


def _details(kind: ChangeKind, report: Report) -> Iterator[str]:
    changes = [change for change in report.comparison.changes if change.kind == kind]
    if not changes:
        return
    shown = "\n".join(_detail(change, report) for change in changes[:_MOST_DETAILS])
    more = f"\n\nand {len(changes) - _MOST_DETAILS:,} more" if len(changes) > _MOST_DETAILS else ""
    yield f"<details><summary>{KIND_WORDS[kind]}: {len(changes):,}</summary>\n\n{shown}{more}\n\n</details>"


def _detail(change: Change, report: Report) -> str:
    return "\n".join(
        [
            f"- {_place(change)} {_class_cell(change)}",
            *("  " + line for each in _told(change) for line in each.split("\n")),
        ]
    )


def _told(change: Change) -> Iterator[str]:
    old, new, record = change.old, change.new, change.record
    if old is None or new is None or not {"text", "placeholders"}.intersection(change.fields):
        yield code(shortened(record.message or record.title, 300))
    else:
        yield _fenced(zip("-+", rewording(old, new), strict=True))
    if {"path", "scope"}.intersection(change.fields) and old is not None:
        yield f"was in {code(old.location.path)}, {code(old.location.scope or 'the module')}"
    if change.handlers.lost:
        yield f"no longer caught by {_listed(change.handlers.lost)}"
    if change.handlers.gained:
        yield f"now caught by {_listed(change.handlers.gained)}"
    if change.reach is not None and old is not None and new is not None:
        before, after = changed(old, new)
        yield f"condition {change.reach if change.reach != 'other' else 'changed'}:"
        yield _fenced([("-", before or "(nothing)"), ("+", after or "(nothing)")])
    elif change.kind == "added" and any(deciding(record)):
        word, condition = deciding(record)
        yield f"{word} {code(shortened(condition, 300))}"


def _listed(names: Iterable[str]) -> str:
    return ", ".join(code(f"except {name.removeprefix('builtins.')}") for name in names)


def _fenced(lines: Iterable[tuple[str, str]]) -> str:
    body = "\n".join(f"{sign} {shortened(printable(text), 600)}" for sign, text in lines)
    fence = "`" * max(3, _longest_run(body) + 1)
    return f"{fence}diff\n{body}\n{fence}"


def code(text: str, *, cell: bool = False) -> str:
    """Return the text as a code span, in which nothing of it is markup; a `cell` of a table ends at no `|` of it."""
    shown = printable(text) or " "
    fence = "`" * (_longest_run(shown) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    span = f"{fence}{space}{shown}{space}{fence}"
    return span.replace("|", "\\|") if cell else span


def _longest_run(text: str) -> int:
    return max(map(len, _BACKTICKS.findall(text)), default=0)
