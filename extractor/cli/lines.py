"""Lines of text on their way to a terminal: wrapped beside what stands left of them, and with colours if it has any."""

from __future__ import annotations

import io
from collections.abc import Iterable
from functools import cache

from rich.console import Console
from rich.text import Text

from extractor.cli.terminal import Display


def hung(left: Text, text: Text, display: Display, *, indent: int = 0, style: str = "") -> list[Text]:
    """Wrap the text at words beside what stands left of it; further lines begin `indent` columns behind its start."""
    margin = left.cell_len + indent
    width = display.width - margin
    if text.cell_len <= width and "\n" not in text.plain:
        # Most are short, and wrapping takes its time.
        wrapped: Iterable[Text] = [text]
    else:
        wrapped = text.wrap(console_of(display), width, overflow="fold") or [Text()]
    for line in wrapped:
        line.stylize_before(style)
    first, *rest = wrapped
    return [left + first, *(Text(" " * margin) + line for line in rest)]


def rendered(lines: Iterable[Text], display: Display) -> str:
    """Return the lines as they are written."""
    if not display.has_colours:
        return "".join(f"{line.plain.rstrip()}\n" for line in lines)
    console = console_of(display)
    with console.capture() as output:
        for line in lines:
            line.rstrip()
            console.print(line, soft_wrap=True)
    return output.get()


@cache
def console_of(display: Display) -> Console:
    """Return what lays out text for a display; nothing in the text is markup."""
    return Console(
        file=io.StringIO(),
        width=display.width,
        color_system="standard" if display.has_colours else None,
        force_terminal=display.has_colours,
        legacy_windows=False,
        highlight=False,
        markup=False,
        emoji=False,
    )
