"""Two corpora as they stand in files, without the records that are plainly the same in both.

Most are, and to look at their JSON takes a fraction of the time that it takes to build them.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from extractor.collection import collection_paused
from extractor.corpus import build, load
from extractor.diff.sites import Place
from extractor.model import Corpus, ExceptionClass

Raw = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Alike:
    """What the comparison has to know of a record that is the same in both corpora."""

    place: Place
    exception: ExceptionClass | None


@dataclass(frozen=True, slots=True)
class Both:
    """Two corpora without the records that are in `alike`."""

    old: Corpus
    new: Corpus
    alike: tuple[Alike, ...]


def read_both(old: bytes, new: bytes, *, names: tuple[str, str]) -> Both:
    """Return what two corpora have that is not plainly the same.

    Args:
        old: The bytes of the earlier corpus.
        new: Those of the later one.
        names: What messages call them.

    Raises:
        NotACorpusError, SchemaVersionError, MalformedCorpusError: As for `corpus.decode`.

    """
    with collection_paused():
        before, after = (load(data, name=name) for data, name in zip((old, new), names, strict=True))
        alike: tuple[Alike, ...] = ()
        # What builds a malformed one says where it is so.
        with suppress(KeyError, TypeError, AttributeError):
            alike = _take_alike(before, after)
        return Both(build(before, name=names[0]), build(after, name=names[1]), alike)


def _take_alike(old: Raw, new: Raw) -> tuple[Alike, ...]:
    """Take out of both the records of one id that say the same."""
    known = {record["id"]: record for record in new["records"]}
    class_of = _classes()
    found: dict[str, Alike] = {}
    for record in old["records"]:
        other = known.get(record["id"])
        if other is not None and _is_same(record, other):
            place = record["location"]
            found[record["id"]] = Alike((place["path"], place["scope"]), class_of(record["exception"]))
    for raw in (old, new):
        raw["records"] = [record for record in raw["records"] if record["id"] not in found]
    return tuple(found.values())


def _is_same(old: Raw, new: Raw) -> bool:
    return (
        old["exception"] == new["exception"]
        and old["kind"] == new["kind"]
        and _place(old) == _place(new)
        and list(map(_variant, old["variants"])) == list(map(_variant, new["variants"]))
        and list(map(_guard, old["guards"])) == list(map(_guard, new["guards"]))
    )


def _place(record: Raw) -> tuple[object, ...]:
    return record["location"]["path"], record["location"]["scope"]


def _variant(raw: Raw) -> tuple[object, ...]:
    return raw["segments"], raw.get("exception")


def _guard(raw: Raw) -> tuple[object, ...]:
    return raw["text"], raw["holds"], raw["kind"], raw.get("expanded"), raw.get("stale", False)


def _classes() -> Callable[[Raw | None], ExceptionClass | None]:
    known: dict[tuple[object, ...], ExceptionClass] = {}

    def class_of(raw: Raw | None) -> ExceptionClass | None:
        if raw is None:
            return None
        key = (raw["name"], raw["qualified_name"], tuple(raw["ancestors"]), raw["certain"])
        if key not in known:
            known[key] = ExceptionClass(*key)
        return known[key]

    return class_of
