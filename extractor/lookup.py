"""What an operator's key stands for: an id, a place, or a piece of a record's text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable

from extractor.model import Corpus, ExceptionClass, Placeholder, Record, Segment, Tombstone

_ID = re.compile(r"[0-9a-f]{4,16}")
_PLACE = re.compile(r"(?P<path>.+?):(?P<line>[0-9]{1,9})(?::[0-9]*)?:?")


def look_up(corpus: Corpus, key: str) -> tuple[Record, ...]:
    """Return the records that the key stands for, in the order of the corpus.

    The first reading that finds something decides: a whole id or the beginning of one (4 digits or more), also of one
    that the error had before; a place `path:line` (any line of the raise statement; the path may lack its first
    folders, or have more); a piece of text.
    """
    readings: tuple[Callable[[Corpus, str], tuple[Record, ...]], ...] = (_by_id, _by_place, _by_text)
    return next((found for reading in readings if (found := reading(corpus, key.strip()))), ())


def find_gone(corpus: Corpus, key: str) -> Tombstone | None:
    """Return the error that is gone and had this id, or one that begins so."""
    beginning = key.strip().lower()
    if not _ID.fullmatch(beginning):
        return None
    return next(
        (each for each in corpus.gone if any(name.startswith(beginning) for name in (each.id, *each.aliases))), None
    )


def text_of(segments: Iterable[Segment]) -> str:
    """Return a text as a message shows it, its placeholders in braces."""
    return "".join(each if isinstance(each, str) else placeholder_text(each) for each in segments)


def placeholder_text(placeholder: Placeholder) -> str:
    """Return the placeholder as a message shows it: its source in braces, as in an f-string."""
    conversion = f"!{placeholder.conversion}" if placeholder.conversion else ""
    format_spec = f":{placeholder.format_spec}" if placeholder.format_spec else ""
    return f"{{{placeholder.expression}{conversion}{format_spec}}}"


def _by_id(corpus: Corpus, key: str) -> tuple[Record, ...]:
    beginning = key.lower()
    if not _ID.fullmatch(beginning):
        return ()
    found = tuple(record for record in corpus.records if record.id.startswith(beginning))
    # A link that was published under an earlier id still leads to its error.
    return found or tuple(
        record for record in corpus.records if any(alias.startswith(beginning) for alias in record.aliases)
    )


def _by_place(corpus: Corpus, key: str) -> tuple[Record, ...]:
    place = _PLACE.fullmatch(key)
    if not place:
        return ()
    parts, line = _parts(place["path"]), int(place["line"])
    there = [record for record in corpus.records if record.location.line <= line <= record.location.end_line]
    inside = tuple(record for record in there if _ends_with(_parts(record.location.path), parts))
    # A traceback names the file with the folders that it was installed in.
    return inside or tuple(record for record in there if _ends_with(parts, _parts(record.location.path)))


def _by_text(corpus: Corpus, key: str) -> tuple[Record, ...]:
    piece = _folded(key)
    if not piece:
        return ()
    return tuple(record for record in corpus.records if any(piece in _folded(text) for text in _texts(record)))


def _texts(record: Record) -> Iterable[str]:
    yield record.title
    yield from _class_names(record.exception)
    yield f"{record.exception.name if record.exception else ''}: {record.message or ''}"
    for variant in record.variants:
        yield from _class_names(variant.exception)
        yield text_of(variant.segments)


def _class_names(exception: ExceptionClass | None) -> tuple[str, ...]:
    if exception is None:
        return ()
    return (exception.qualified_name or exception.name, exception.name)


def _folded(text: str) -> str:
    return " ".join(text.split()).casefold()


def _parts(path: str) -> tuple[str, ...]:
    return tuple(part for part in path.replace("\\", "/").split("/") if part not in ("", "."))


def _ends_with(parts: tuple[str, ...], ending: tuple[str, ...]) -> bool:
    return bool(ending) and parts[-len(ending) :] == ending
