"""Text that can do nothing to what shows it: a terminal, a comment, a log."""

from __future__ import annotations

import re
import unicodedata

_SHORT_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}
# Invisible although Unicode does not class them as control or format characters.
_INVISIBLE = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u3164\ufe00-\ufe0e\uffa0\U000e0000-\U000e0fff]")


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
