"""A progress bar for long work: what is done, rate and time left, and only on a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TextIO

Progress = Callable[[int, int], None]


@contextmanager
def progress_on(
    stream: TextIO, *, quiet: bool, doing: str = "scanning", what: str = "files"
) -> Iterator[Progress | None]:
    """Yield a function to report (files done, files in all) to; None where nobody would see it.

    Args:
        stream: Where the bar is shown, if it is a terminal.
        quiet: Whether to show none.
        doing: What is done, for the bar.
        what: What is counted.

    """
    from extractor.cli.terminal import display_of

    display = display_of(stream)
    if quiet or not display.is_terminal:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(file=stream, no_color=not display.has_colours, width=display.width)
    columns = (
        TextColumn(doing),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn(f"{what}, {{task.fields[rate]}}/s,"),
        TimeRemainingColumn(),
        TextColumn("left"),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("scan", total=None, rate="?")

        def report(done: int, total: int) -> None:
            speed = bar.tasks[0].finished_speed or bar.tasks[0].speed
            bar.update(task, completed=done, total=total, rate=_shown_rate(speed))

        yield report


def _shown_rate(speed: float | None) -> str:
    return f"{speed:.0f}" if speed and speed >= 1 else f"{speed:.1f}" if speed else "?"
