"""Whether a file is a corpus: against the JSON Schemas, and what these cannot say (order, unique ids, counts)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from itertools import islice, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from extractor.corpus import decode, parse
from extractor.errors import MalformedCorpusError, MissingExtraError, NotACorpusError
from extractor.model import SCHEMA_VERSION, Corpus
from extractor.summary import summarize

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

_LONGEST_MESSAGE = 200
# What files that are no corpus are told by.
_OTHERS = {
    "batch": frozenset({"schema_version", "projects"}),
    "diff": frozenset({"schema_version", "changes"}),
    "history": frozenset({"schema_version", "revisions"}),
}


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong: where, as a JSON pointer ("" for the whole file), and what."""

    pointer: str
    message: str


def validate(data: bytes, *, limit: int | None = None) -> tuple[Problem, ...]:
    """Return what is wrong with a corpus or another file of ours, in the order of the file, at most `limit` problems.

    Raises:
        MissingExtraError: jsonschema is not installed.

    """
    return tuple(islice(_problems(data), limit))


def load_schema(name: str) -> dict[str, Any]:
    """Return the JSON Schema of that name ("batch", "corpus", "diff", "history", "record")."""
    schema: dict[str, Any] = json.loads((_schema_folder() / f"{name}.schema.json").read_text(encoding="utf-8"))
    return schema


def _schema_folder() -> Traversable:
    # A wheel carries the schemas inside the package; a checkout or editable install has them beside it.
    packaged = files("extractor") / "schema"
    return packaged if packaged.is_dir() else Path(__file__).parents[1] / "schema"


def _problems(data: bytes) -> Iterator[Problem]:
    try:
        raw = parse(data, name="the file")
    except NotACorpusError as error:
        yield Problem("", error.reason)
        return
    other = None
    if isinstance(raw, dict) and "records" not in raw:
        other = next((name for name, keys in _OTHERS.items() if keys <= raw.keys()), None)
    if other is not None:
        yield from _mismatches(other, raw, "")
        return
    if (foreign := _foreign(raw)) is not None:
        yield foreign
        return
    sound = True
    for problem in _schema_problems(raw):
        sound = False
        yield problem
    if sound:
        yield from _content_problems(data)


def _foreign(raw: object) -> Problem | None:
    """Say in one line why something is no corpus of this version; the schema would say it for each field."""
    version = raw.get("schema_version") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(version, int) or isinstance(version, bool) or "records" not in raw:
        return Problem("", "is no corpus; make one with 'raisedex extract'")
    if version != SCHEMA_VERSION:
        return Problem("/schema_version", f"is {version}, this raisedex reads {SCHEMA_VERSION}")
    return None


def _schema_problems(raw: object) -> Iterator[Problem]:
    records = raw.get("records") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(records, list):
        yield from _mismatches("corpus", raw, "")
        return
    # One small validation for each record rather than a large one: messages come as they are found.
    yield from _mismatches("corpus", raw | {"records": []}, "")
    for index, record in enumerate(records):
        yield from _mismatches("record", record, f"/records/{index}")


def _mismatches(schema: str, value: object, at: str) -> Iterator[Problem]:
    validator = _validator(schema)
    from jsonschema.exceptions import best_match

    for error in validator.iter_errors(value):
        # "is not valid under any of the given schemas" helps nobody; the nearest alternative says what is wrong.
        nearest = best_match([error])
        yield Problem(at + _pointer(nearest.absolute_path), _shortened(nearest.message))


@cache
def _validator(name: str) -> Any:
    try:
        from jsonschema import Draft202012Validator
        from referencing import Registry, Resource
    except ImportError as error:
        raise MissingExtraError("validate") from error
    schemas = [load_schema(each) for each in (*_OTHERS, "corpus", "record")]
    registry: Registry[Any] = Registry().with_resources(
        (schema["$id"], Resource.from_contents(schema)) for schema in schemas
    )
    return Draft202012Validator(load_schema(name), registry=registry)


def _content_problems(data: bytes) -> Iterator[Problem]:
    try:
        corpus = decode(data, name="the file")
    except MalformedCorpusError as error:
        # JSON Schema takes 1.0 for a whole number.
        yield Problem("", f"{error.field} {error.reason}")
        return
    yield from _shared_ids(corpus)
    yield from _misplaced_records(corpus)
    yield from _wrong_counts(corpus)
    yield from _contradictions(corpus)


def _contradictions(corpus: Corpus) -> Iterator[Problem]:
    """Find records whose parts say different things of the same."""
    for index, record in enumerate(corpus.records):
        place, context = record.location, record.context
        if (place.end_line, place.end_column) < (place.line, place.column):
            yield Problem(f"/records/{index}/location", "ends before it starts")
        if context.lines and not context.first_line <= place.line < context.first_line + len(context.lines):
            yield Problem(f"/records/{index}/context", "does not hold the line of the raise statement")


def _shared_ids(corpus: Corpus) -> Iterator[Problem]:
    first: dict[str, int] = {}
    for index, record in enumerate(corpus.records):
        earlier = first.setdefault(record.id, index)
        if earlier != index:
            yield Problem(f"/records/{index}/id", f"is also the id of /records/{earlier}")


def _misplaced_records(corpus: Corpus) -> Iterator[Problem]:
    places = [(record.location.path, record.location.line, record.location.column) for record in corpus.records]
    for index, (before, after) in enumerate(pairwise(places), start=1):
        if before > after:
            yield Problem(f"/records/{index}/location", "records are not sorted by path, line and column")
        elif before == after:
            yield Problem(f"/records/{index}/location", f"is also the place of /records/{index - 1}")


def _wrong_counts(corpus: Corpus) -> Iterator[Problem]:
    stated = corpus.summary
    counted = summarize(corpus.records, corpus.diagnostics, files=stated.files, lines=stated.lines)
    for field in fields(counted):
        expected, actual = getattr(counted, field.name), getattr(stated, field.name)
        if expected != actual:
            yield Problem(f"/summary/{field.name}", f"does not agree with the records; counted {_shortened(expected)}")


def _pointer(path: Iterable[object]) -> str:
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in path)


def _shortened(message: object) -> str:
    text = str(message)
    return text if len(text) <= _LONGEST_MESSAGE else text[:_LONGEST_MESSAGE] + " …"
