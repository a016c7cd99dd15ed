"""String literals: what their source text means.

Done here rather than with `ast.literal_eval`, whose answers and warnings follow the running interpreter.
Escapes as in the Python language reference, "String and Bytes literals".
"""

from __future__ import annotations

import re
import unicodedata

import libcst as cst

_ESCAPE = re.compile(
    r"\\(?:(?P<newline>\n)|(?P<char>[\\'\"abfnrtv])|(?P<octal>[0-7]{1,3})|x(?P<hex>[0-9a-fA-F]{2})"
    r"|u(?P<short>[0-9a-fA-F]{4})|U(?P<long>[0-9a-fA-F]{8})|N\{(?P<name>[^}]+)\})"
)
# What is no brace of a field: an escaped backslash, or a character by its name.
_BRACES = re.compile(r"(\\\\|\\N\{[^}]*\})|(\{\{)|(\}\})")
_CHARACTERS = {
    "\\": "\\",
    "'": "'",
    '"': '"',
    "a": "\a",
    "b": "\b",
    "f": "\f",
    "n": "\n",
    "r": "\r",
    "t": "\t",
    "v": "\v",
}
_LAST_CODE_POINT = 0x10FFFF


def string_value(node: cst.SimpleString) -> str | None:
    """Return the text of a string literal; None for bytes."""
    prefix = node.prefix.lower()
    if "b" in prefix:
        return None
    return node.raw_value if "r" in prefix else unescape(node.raw_value)


def field_text(node: cst.FormattedStringText | cst.TemplatedStringText, prefix: str) -> str:
    """Return the literal text of one part of an f-string with this prefix, doubled braces made single."""
    raw = "r" in prefix.lower()
    if raw:
        return node.value.replace("{{", "{").replace("}}", "}")
    text = _BRACES.sub(lambda found: found[0][0] if found[1] is None else found[1], node.value)
    return unescape(text)


def unescape(text: str) -> str:
    """Return the text with its escape sequences replaced; what is no valid escape stays as written."""
    return _ESCAPE.sub(_character, text) if "\\" in text else text


def _character(found: re.Match[str]) -> str:
    kind = found.lastgroup
    value = found[kind] if kind else ""
    if kind == "newline":
        return ""
    if kind == "char":
        return _CHARACTERS[value]
    if kind == "name":
        try:
            return unicodedata.lookup(value)
        except KeyError:
            return found[0]
    code = int(value, 8 if kind == "octal" else 16)
    return chr(code) if code <= _LAST_CODE_POINT else found[0]
