"""What a terminal can show: its width, whether it takes colours, and which characters it can write."""

from __future__ import annotations

import os
import shutil
from dataclasses import dataclass
from typing import TextIO

_NARROWEST, _USUAL, _WIDEST = 40, 80, 100


@dataclass(frozen=True, slots=True)
class Display:
    """Where text is shown. `is_terminal` is False for a pipe or file, which gets lines whole where it can."""

    width: int = _USUAL
    is_terminal: bool = False
    has_colours: bool = False
    encoding: str = "utf-8"


def display_of(stream: TextIO) -> Display:
    """Return what the stream can show. NO_COLOR and TERM=dumb switch colours off."""
    is_terminal = stream.isatty()
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM", "") in ("dumb", "unknown")
    return Display(
        width=max(_NARROWEST, min(shutil.get_terminal_size((_USUAL, 24)).columns, _WIDEST)) if is_terminal else _USUAL,
        is_terminal=is_terminal,
        has_colours=is_terminal and not plain,
        encoding=stream.encoding or "ascii",
    )
