"""A history for people in a terminal: the errors that changed or are gone, by file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.text import Text

from extractor.cli.lines import hung, rendered
from extractor.cli.terminal import Display
from extractor.history import Event, History, Life
from extractor.printable import printable
from extractor.reports.phrases import KIND_WORDS, shortened

_LONGEST = 200


def render_history(history: History, *, display: Display, every: bool) -> str:
    """Return the history as lines; `every` lists also the errors that never changed."""
    first, last = history.revisions[0], history.revisions[-1]
    living = [life for life in history.errors if life.last_seen is None]
    gone = len(history.errors) - len(living)
    new = sum(life.since != first.name for life in living)
    head = Text.assemble(
        (_shown(f"{first.name} .. {last.name}", display), "bold"),
        f" ({len(history.revisions)} revisions): {len(living):,} errors now, {new:,} of them new since the first, "
        f"{gone:,} gone",
    )
    lines = hung(Text(), head, display)
    shown = [life for life in history.errors if every or life.events or life.since != first.name]
    shown.sort(key=lambda life: (life.path, life.line, life.id))
    for path, lives in groupby(shown, key=lambda life: life.path):
        lines += [Text(), Text(_shown(path, display), "bold")]
        lines += _of_file(list(lives), display)
    return rendered(lines, display)


def _of_file(lives: Sequence[Life], display: Display) -> Iterator[Text]:
    for life in lives:
        mark = Text("- ", "red") if life.last_seen is not None else Text("  ")
        name = _shown(life.exception or "(unknown class)", display)
        head = Text.assemble((name, "bold"), f": {_shown(life.title, display)}" if life.title else "")
        yield from hung(Text(" ") + mark, head, display, indent=2)
        until = f", last in {life.last_seen}" if life.last_seen is not None else ""
        yield from hung(Text(" " * 5), Text(_shown(f"since {life.since}{until}", display), "dim"), display)
        for event in life.events:
            yield from hung(Text(" " * 5), Text(_shown(_told(event), display)), display, indent=2)


def _told(event: Event) -> str:
    if event.kind == "removed" or event.kind == "returned":
        return f"{'gone' if event.kind == 'removed' else 'back'} in {event.revision}"
    words = f"{KIND_WORDS[event.kind]} in {event.revision}"
    if event.kind == "guards_changed":
        old, new = shortened(event.old or "", _LONGEST), shortened(event.new or "", _LONGEST)
        return f"{words}: {old or '(without this)'} -> {new or '(without this)'}"
    return f"{words}: was {shortened(event.old or '', _LONGEST)}"


def _shown(text: str, display: Display) -> str:
    return printable(text, encoding=display.encoding)
