"""How a text is shown and found: segments, message, title and pattern."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from extractor.facts import Hole
from extractor.model import Placeholder, Segment
from extractor.quoting import represent

_LONGEST_TITLE = 60
_SPECIAL = re.compile(r"[\\.^$*+?{}\[\]|()]")
_ANYTHING = r"[\s\S]*"
_PLACE = r"(?: \([\s\S]*\))?"
_QUOTE = "['\"]"
_GROUP_COUNT = r" \([0-9]+ sub-exceptions?\)"


def segments_of(parts: Iterable[str | Hole]) -> tuple[Segment, ...]:
    """Return the parts of a text as a record has them."""
    return tuple(
        part if isinstance(part, str) else Placeholder(part.expression, part.conversion, part.format_spec)
        for part in parts
    )


def shown(segment: Segment) -> str:
    """Return a segment for people: text as it is, a placeholder in braces."""
    if isinstance(segment, str):
        return segment
    conversion = f"!{segment.conversion}" if segment.conversion else ""
    spec = f":{segment.format_spec}" if segment.format_spec else ""
    return f"{{{segment.expression}{conversion}{spec}}}"


def message_of(segments: Sequence[Segment]) -> str:
    """Return the whole text for people."""
    return "".join(map(shown, segments))


def title_of(segments: Sequence[Segment], fallback: str) -> str:
    """Return the text cut to a title: at a word or segment border, never inside a placeholder."""
    title = ""
    for piece in (piece for segment in segments for piece in _pieces(segment)):
        if piece.isspace():
            title += " " * (bool(title) and not title.endswith(" "))
        elif len(title) + len(piece) > _LONGEST_TITLE:
            return _shortened(title) or _cut(piece) or _fitting(fallback)
        else:
            title += piece
    return title.rstrip() or _fitting(fallback)


def _pieces(segment: Segment) -> list[str]:
    return re.findall(r"\s+|\S+", segment) if isinstance(segment, str) else [shown(segment)]


def _shortened(title: str) -> str:
    return title.rstrip().rstrip(",:;(-").rstrip()


def _cut(word: str) -> str:
    # A single word that is too long for a title is cut where the title ends.
    return "" if word.startswith("{") else word[:_LONGEST_TITLE]


def _fitting(fallback: str) -> str:
    return fallback if len(fallback) <= _LONGEST_TITLE else fallback[:_LONGEST_TITLE].rstrip(".<")


@dataclass(frozen=True, slots=True)
class Quoted:
    """Literal text inside of a `repr`; empty for a quote of the `repr` itself."""

    text: str


def quoted_shape(segments: Sequence[str | Hole]) -> list[str | Hole | Quoted]:
    """Return a text in quotes as it is in a `repr`."""
    _, *inside, _ = segments
    shape: list[str | Hole | Quoted] = [Quoted(each) if isinstance(each, str) else each for each in inside]
    return [Quoted(""), *shape, Quoted("")]


def shape_pattern(shape: Iterable[str | Hole | Quoted]) -> str:
    """Return the regular expression of a text that holds others with their quotes."""
    return f"^{''.join(map(_shape_part, shape))}$"


def _shape_part(part: str | Hole | Quoted) -> str:
    if isinstance(part, Quoted):
        return _quoted_literal(part.text) if part.text else _QUOTE
    return _literal(part) if isinstance(part, str) else _ANYTHING


def pattern_of(segments: Sequence[Segment], dress: str) -> str:
    """Return the regular expression that `str(exception)` matches; see `speech.Spoken.dress`."""
    if dress == "file":
        return f"^{''.join(map(_matching, _until_file(segments)))}(?:: {_ANYTHING})?$"
    if dress == "located":
        return f"^{''.join(map(_matching, segments))}{_PLACE}$"
    body = "".join(map(_matching, segments))
    if dress == "quoted":
        return f"^{_quoted(segments)}$"
    if dress == "perhaps quoted" and any(isinstance(segment, str) for segment in segments):
        return f"^(?:{body}|{_quoted(segments)})$"
    return f"^{body}{_GROUP_COUNT if dress == 'group' else ''}$"


def _quoted(segments: Sequence[Segment]) -> str:
    if all(isinstance(segment, str) for segment in segments):
        return _literal(represent("".join(map(str, segments))))
    inside = "".join(_quoted_literal(each) if isinstance(each, str) else _ANYTHING for each in segments)
    return f"{_QUOTE}{inside}{_QUOTE}"


def _until_file(segments: Sequence[Segment]) -> list[Segment]:
    """Return an operating system error's segments up to its file name."""
    texts = list(segments)
    while len(texts) > 1 and not isinstance(texts[-1], str):
        texts.pop()
    before, _, _ = str(texts.pop()).rpartition(": ")
    return [*texts, before]


def _matching(segment: Segment) -> str:
    return _literal(segment) if isinstance(segment, str) else _ANYTHING


def _literal(text: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", text)


def _quoted_literal(text: str) -> str:
    # `repr` escapes a quote only where the other kind would not do.
    return r"\\?'".join(_literal(represent(part)[1:-1]) for part in text.split("'"))


def is_literal(segments: Iterable[Segment]) -> bool:
    """Say whether a text has any literal part."""
    return any(isinstance(segment, str) and not segment.isspace() for segment in segments)
