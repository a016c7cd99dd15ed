"""What may go to a terminal: its width, whether it takes colours, and text that cannot do anything to it."""

from __future__ import annotations

import os
import re
import shutil
import unicodedata
from dataclasses import dataclass
from typing import TextIO

_NARROWEST, _USUAL, _WIDEST = 40, 80, 100
_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
# Invisible although Unicode does not class them as control or format characters.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0e\uffa0\U000e0000-\U000e0fff]")


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


def printable(text: str, *, encoding: str = "utf-8") -> str:
    r"""Return the text with everything that a terminal would act on or hide escaped as in Python source.

    That is control characters (also line breaks and tabs, as `\n` and `\t`), bidirectional and zero width
    characters, line separators, and what the encoding cannot write.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(letter if is_harmless(letter, encoding) else _escaped(letter) for letter in text)


def is_harmless(letter: str, encoding: str = "utf-8") -> bool:
    """Return whether the character only shows what it is, and the encoding can write it."""
    # Spaces of other widths are not "printable" to Python, and common in Chinese and French.
    visible = letter.isprintable() or unicodedata.category(letter) == "Zs"
    return visible and not _INVISIBLE.match(letter) and letter.encode(encoding, "ignore") != b""


def _escaped(letter: str) -> str:
    return _SHORT_ESCAPES.get(letter) or letter.encode("unicode_escape").decode("ascii")
