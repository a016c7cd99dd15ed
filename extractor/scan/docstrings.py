"""What a docstring says of the exceptions that a function raises: Google, NumPy and Sphinx style, or a sentence.

Own code, since parsers on the package index lose the whole docstring over one line that is not as they expect, and want
to be told its style.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import libcst as cst

from extractor.facts import DocumentedRaise
from extractor.scan.literals import string_value
from extractor.scan.statements import block_statements

_WORTH_READING = re.compile("rais|except", re.IGNORECASE)
_TAB = 8
# A class as docstrings name it: `pkg.Error`, :exc:`~pkg.Error`, Error(), "[Error][pkg.Error]".
_NAME = r"(?::[\w:]+:)?\[?`{0,2}[~!]?[^\W\d][\w.]*(?:\(\))?`{0,2}(?:\]\[[^\]\s]*\])?"
_NAMES = rf"(?P<names>{_NAME}(?:(?:\s*[,/|]\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+){_NAME})*)"
_PLAIN_WORDS = frozenset({"error", "exception", "timeout", "warning"})
_CLASS_ENDINGS = tuple(_PLAIN_WORDS)
_BARE_NAME = re.compile(r"[^\W\d][\w.]*")
_MARKUP = re.compile(r":[\w:]+:(?=`)|\]\[[^\]\s]*\]|\(\)")
_CONDITION = r"(?:if|when|whenever|unless|on|for|in\s+case|because)\b"
_ENTRY = re.compile(rf"(?:[-*+•]\s+)?{_NAMES}(?:\s*:(?:\s+|$)|\s+(?:--?|–|—)\s+|\s+(?={_CONDITION})|\s*$)(?P<text>.*)")
_FIELD = re.compile(r"[:@](?:raises?|except|exception)\b(?P<rest>.*)")
_FIELD_NAMES = re.compile(rf"\s+{_NAMES}\s*:(?P<text>.*)")
_HEADER = re.compile(r"\**(?:raises?|exceptions?)\**(?P<colon>\s*:)?\**", re.IGNORECASE)
_INLINE = re.compile(r"raises?\s*:\s*(?P<text>\S.*)", re.IGNORECASE)
_BULLET = re.compile(r"[-*+•]\s")
_UNDERLINE = re.compile(r"-{3,}|={3,}")
_SENTENCE = re.compile(
    rf"(?:^|[.;:]\s+)(?:(?:it|this|also|will|may)\s+)*raises?\s+(?:an?\s+|the\s+)?{_NAMES}:?\s+"
    rf"(?P<text>{_CONDITION}.*?)(?=\.\s+(?-i:[A-Z:`])|\.?$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Line:
    indent: int
    text: str


def docstring_of(node: cst.FunctionDef | cst.ClassDef) -> str:
    """Return the docstring as the literal means it, "" where there is none."""
    first = next(block_statements(node.body), None)
    return _text(first.value) or "" if isinstance(first, cst.Expr) else ""


def documented_raises(docstring: str) -> tuple[DocumentedRaise, ...]:
    """Return what a docstring says of exceptions, one entry for each class that it names, in its order."""
    if not _WORTH_READING.search(docstring):
        return ()
    first, *others = map(_line, docstring.expandtabs(_TAB).split("\n"))
    # The first line stands behind the quotes; the margin is that of the others.
    margin = min((line.indent for line in others if line.text), default=0)
    lines = [_Line(margin, first.text), *others]
    found = tuple(_entries(lines)) or tuple(_sentences(lines))
    return tuple(dict.fromkeys(found))


def _text(node: cst.BaseExpression) -> str | None:
    if isinstance(node, cst.SimpleString):
        return string_value(node)
    if isinstance(node, cst.ConcatenatedString):
        left, right = _text(node.left), _text(node.right)
        return left + right if left is not None and right is not None else None
    return None


def _line(text: str) -> _Line:
    stripped = text.strip()
    return _Line(len(text) - len(text.lstrip()), stripped)


def _entries(lines: Sequence[_Line]) -> Iterator[DocumentedRaise]:
    end = 0
    for start, line in enumerate(lines):
        if start < end or not _WORTH_READING.search(line.text):
            continue
        field, header, inline = (each.fullmatch(line.text) for each in (_FIELD, _HEADER, _INLINE))
        if header is not None and start + 1 < len(lines) and _UNDERLINE.fullmatch(lines[start + 1].text):
            end = _end_of_section(lines, start + 2, line.indent)
            yield from _section([each for each in lines[start + 2 : end] if each.text])
        elif field is not None or inline is not None or (header is not None and header["colon"]):
            end = _end_of_block(lines, start + 1, line.indent, bullets=header is not None)
            more = [each for each in lines[start + 1 : end] if each.text]
            if field is not None:
                yield from _field(field["rest"], [each.text for each in more])
            else:
                above = [_Line(-1, inline["text"])] if inline is not None else []
                yield from _section([*above, *more])


def _end_of_block(lines: Sequence[_Line], start: int, indent: int, *, bullets: bool) -> int:
    """Return where the lines end that are indented more than this, or are items of a list if that counts."""
    for index in range(start, len(lines)):
        line = lines[index]
        if line.text and line.indent <= indent and not (bullets and _BULLET.match(line.text)):
            return index
    return len(lines)


def _end_of_section(lines: Sequence[_Line], start: int, indent: int) -> int:
    """Return where the next heading with a line under it stands, or the first line that is indented less."""
    for index in range(start, len(lines)):
        line = lines[index]
        below = lines[index + 1].text if index + 1 < len(lines) else ""
        if line.text and (line.indent < indent or _UNDERLINE.fullmatch(below)):
            return index
    return len(lines)


def _section(lines: Sequence[_Line]) -> Iterator[DocumentedRaise]:
    """Read entries that begin at the indentation of the first line."""
    names, texts = "", [""]
    for line in lines:
        entry = _ENTRY.fullmatch(line.text) if line.indent <= lines[0].indent else None
        if entry is None or (":" not in line.text and not _reads_like_class(entry["names"])):
            texts.append(line.text)
            continue
        yield from _named(names, texts)
        names, texts = entry["names"], [entry["text"]]
    yield from _named(names, texts)


def _field(rest: str, more: Sequence[str]) -> Iterator[DocumentedRaise]:
    named = _FIELD_NAMES.fullmatch(rest)
    if named is not None:
        yield from _named(named["names"], [named["text"], *more])
    elif rest.lstrip().startswith(":"):
        # `:raises: ValueError if …`
        yield from _section([_Line(0, rest.lstrip()[1:].strip()), *(_Line(1, text) for text in more)])


def _sentences(lines: Sequence[_Line]) -> Iterator[DocumentedRaise]:
    for paragraph in "\n".join(line.text for line in lines).split("\n\n"):
        for sentence in _SENTENCE.finditer(_folded([paragraph])):
            if _reads_like_class(sentence["names"]):
                yield from _named(sentence["names"], [sentence["text"]])


def _named(names: str, texts: Sequence[str]) -> Iterator[DocumentedRaise]:
    text = _folded(texts)
    if not text:
        return
    for name in _BARE_NAME.findall(_MARKUP.sub("", names)):
        if name not in {"or", "and"}:
            yield DocumentedRaise(name.rstrip("."), text)


def _folded(texts: Sequence[str]) -> str:
    return " ".join(" ".join(texts).split())


def _reads_like_class(names: str) -> bool:
    last = _BARE_NAME.findall(_MARKUP.sub("", names))[-1].rpartition(".")[2]
    return last[:1].isupper() or (last not in _PLAIN_WORDS and last.endswith(_CLASS_ENDINGS))
