"""Which records an operator asked for by exception class."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from extractor.errors import UnknownExceptionError
from extractor.link.standard import standard_class, standard_names
from extractor.model import ExceptionClass, Record


def select(records: Sequence[Record], exceptions: Sequence[str]) -> list[Record]:
    """Return the records that can raise one of these classes or a class that derives from it.

    A name without dots means every class of that name; without names, all records are kept.

    Raises:
        UnknownExceptionError: No raise site and no standard class is known by a name.

    """
    if not exceptions:
        return list(records)
    known = {name for record in records for each in _classes(record) for name in _names(each)}
    wanted = {name for exception in exceptions for name in _meant(exception, known)}
    return [record for record in records if any(wanted.intersection(_names(each)) for each in _classes(record))]


def _meant(exception: str, known: set[str]) -> set[str]:
    found = {name for name in known if name == exception or name.endswith(f".{exception}")}
    standard = standard_class(exception) or standard_class(f"builtins.{exception}")
    if standard is not None:
        found.add(standard)
    if not found and not any(name.endswith(f".{exception}") for name in standard_names()):
        raise UnknownExceptionError(exception, _suggestion(exception, known))
    return found


def _suggestion(exception: str, known: Iterable[str]) -> str | None:
    names = sorted({name.rpartition(".")[2] for name in (*known, *standard_names())})
    close = get_close_matches(exception.rpartition(".")[2], names, n=1)
    return close[0] if close else None


def _classes(record: Record) -> list[ExceptionClass]:
    every = [record.exception, *(variant.exception for variant in record.variants)]
    return [exception for exception in every if exception is not None]


def _names(exception: ExceptionClass) -> list[str]:
    return [name for name in (exception.qualified_name, *exception.ancestors) if name is not None]
