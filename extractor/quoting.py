"""Texts and paths as plain characters, the same on every Python version, which `repr` does not promise."""

from __future__ import annotations

import re

# What `repr` escapes besides control characters: spaces other than the usual one, separators, invisible formats and
# private use. Spelled out, since the character data of interpreters differ.
_INVISIBLE = re.compile(
    "[\\xa0\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u1680\\u180e\\u2000-\\u200f\\u2028-\\u202f\\u205f-\\u206f\\u3000"
    "\\ud800-\\uf8ff\\ufeff\\ufff9-\\ufffb\\U000110bd\\U000110cd\\U00013430-\\U0001343f\\U0001bca0-\\U0001bca3"
    "\\U0001d173-\\U0001d17a\\U000e0001\\U000e0020-\\U000e007f\\U000f0000-\\U0010ffff]"
)
_NAMED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SURROGATES = range(0xD800, 0xE000)


def quote(text: str, *, is_bytes: bool = False) -> str:
    """Return the text as a Python literal in single quotes, or in double ones where it holds only single ones."""
    mark = '"' if "'" in text and '"' not in text else "'"
    if text.isascii() and text.isprintable() and "\\" not in text and mark not in text:
        return f"{'b' if is_bytes else ''}{mark}{text}{mark}"
    last = 0x7F if is_bytes else 0x110000
    body = "".join(_NAMED.get(char) or _escaped(char, mark, last) for char in text)
    return f"{'b' if is_bytes else ''}{mark}{body}{mark}"


def _escaped(char: str, mark: str, last: int) -> str:
    if char == mark:
        return "\\" + char
    code = ord(char)
    # Lone surrogates cannot be written as UTF-8.
    if code in _SURROGATES:
        return f"\\u{code:04x}"
    if code >= last:
        return f"\\x{code:02x}"
    return f"\\x{code:02x}" if code < 0x20 or 0x7F <= code < 0xA0 else char


def show_path(path: str) -> str:
    """Return a path as valid UTF-8: odd bytes, which are surrogate-escaped, become `\\x…`, backslashes are doubled.

    No two paths look alike, and one without either is shown as it is.
    """
    return path.replace("\\", "\\\\").encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def represent(text: str) -> str:
    """Return what `repr` gives for a text, as a Python prints it: what cannot be seen is escaped as well."""
    return _INVISIBLE.sub(_by_number, quote(text))


def _by_number(found: re.Match[str]) -> str:
    code = ord(found[0])
    if code <= 0xFF:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
