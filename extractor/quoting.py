"""A text as a Python literal, in the same characters on every Python version, which `repr` does not promise."""

from __future__ import annotations

_NAMED = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SURROGATES = range(0xD800, 0xE000)


def quote(text: str, *, is_bytes: bool = False) -> str:
    """Return the text as a Python literal in single quotes, or in double ones where it holds only single ones."""
    mark = '"' if "'" in text and '"' not in text else "'"
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
