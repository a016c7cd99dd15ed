"""JSON values to the nouns of the model, field by field, with no faith in what the file says.

Written out rather than reflected: it is read in one pass, costs little, and says where a value is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, get_args

from extractor.model import (
    UNRESOLVED,
    CallSite,
    Context,
    Corpus,
    Diagnostic,
    ExceptionClass,
    Form,
    Guard,
    GuardKind,
    Handler,
    Location,
    Options,
    Part,
    Placeholder,
    Record,
    RecordKind,
    Segment,
    SourceInfo,
    SourceKind,
    Summary,
    Surface,
    Tombstone,
    Tool,
    Variant,
)

Noun = TypeVar("Noun")
Raw = dict[str, object]

_RECORD_KINDS: dict[str, RecordKind] = {kind: kind for kind in get_args(RecordKind)}
_FORMS: dict[str, Form] = {form: form for form in get_args(Form)}
_GUARD_KINDS: dict[str, GuardKind] = {kind: kind for kind in get_args(GuardKind)}
_SOURCE_KINDS: dict[str, SourceKind] = {kind: kind for kind in get_args(SourceKind)}
_REASONS = {reason: reason for reason in UNRESOLVED}


class MalformedFieldError(Exception):
    """A field that is not as it must be; its path grows on the way out, so that reading pays nothing for it."""

    def __init__(self, field: str, reason: str) -> None:
        self.field, self.reason = field, reason
        super().__init__(field, reason)

    def within(self, field: str) -> MalformedFieldError:
        """Return the same finding as seen from the value that holds it."""
        return MalformedFieldError(f"{field}.{self.field}" if self.field else field, self.reason)


def build_corpus(raw: Raw) -> Corpus:
    """Return the corpus that parsed JSON describes.

    Raises:
        MalformedFieldError: a field is missing or holds what it must not hold.

    """
    return Corpus(
        schema_version=_integer(raw, "schema_version"),
        id_version=_integer(raw, "id_version"),
        tool=_part(raw, "tool", _tool),
        source=_part(raw, "source", _source),
        options=_part(raw, "options", _options),
        summary=_part(raw, "summary", _summary),
        records=_parts(raw, "records", _record),
        diagnostics=_parts(raw, "diagnostics", _diagnostic),
        gone=_parts(raw, "gone", _tombstone) if "gone" in raw else (),
    )


def _tombstone(raw: Raw) -> Tombstone:
    return Tombstone(
        id=_text(raw, "id"),
        aliases=_texts(raw, "aliases"),
        title=_text(raw, "title"),
        exception=_text_or_none(raw, "exception"),
        path=_text(raw, "path"),
        scope=_text(raw, "scope"),
        since=_text_or_none(raw, "since"),
        last_seen=_text_or_none(raw, "last_seen"),
    )


def _tool(raw: Raw) -> Tool:
    return Tool(name=_text(raw, "name"), version=_text(raw, "version"))


def _source(raw: Raw) -> SourceInfo:
    return SourceInfo(
        kind=_choice(raw, "kind", _SOURCE_KINDS),
        name=_given(raw, "name", _text_or_none, None),
        version=_given(raw, "version", _text_or_none, None),
        license=_given(raw, "license", _text_or_none, None),
        repository=_given(raw, "repository", _text_or_none, None),
        revision=_given(raw, "revision", _text_or_none, None),
        commit=_given(raw, "commit", _text_or_none, None),
        committed_at=_given(raw, "committed_at", _text_or_none, None),
        subdirectory=_given(raw, "subdirectory", _text, ""),
        modified=_given(raw, "modified", _integer, 0),
        sha256=_given(raw, "sha256", _text_or_none, None),
    )


def _options(raw: Raw) -> Options:
    return Options(
        exceptions=_given(raw, "exceptions", _texts, ()),
        include=_given(raw, "include", _texts, ()),
        exclude=_given(raw, "exclude", _texts, ()),
        context=_given(raw, "context", _integer, Options().context),
    )


def _summary(raw: Raw) -> Summary:
    return Summary(
        files=_integer(raw, "files"),
        lines=_integer(raw, "lines"),
        records=_integer(raw, "records"),
        by_kind=_counts(raw, "by_kind"),
        by_exception=_counts(raw, "by_exception"),
        by_form=_counts(raw, "by_form"),
        unresolved=_counts(raw, "unresolved"),
        diagnostics=_counts(raw, "diagnostics"),
    )


def _diagnostic(raw: Raw) -> Diagnostic:
    return Diagnostic(
        path=_text(raw, "path"),
        line=_integer_or_none(raw, "line"),
        code=_text(raw, "code"),
        message=_text(raw, "message"),
    )


def _record(raw: Raw) -> Record:
    return Record(
        id=_text(raw, "id"),
        template_id=_text_or_none(raw, "template_id"),
        title=_text(raw, "title"),
        kind=_choice(raw, "kind", _RECORD_KINDS),
        exception=_part_or_none(raw, "exception", _exception),
        variants=_parts(raw, "variants", _variant),
        message=_text_or_none(raw, "message"),
        unresolved=_choice_or_none(raw, "unresolved", _REASONS),
        location=_part(raw, "location", _location),
        guards=_parts(raw, "guards", _guard),
        handler=_part_or_none(raw, "handler", _handler),
        cause=_text_or_none(raw, "cause"),
        escapes=_flag(raw, "escapes"),
        context=_part(raw, "context", _context),
        permalink=_text_or_none(raw, "permalink"),
        documented=_given(raw, "documented", _text_or_none, None),
        applied_to=_given(raw, "applied_to", _texts, ()),
        surface=_part_or_none(raw, "surface", _surface) if "surface" in raw else None,
        aliases=_given(raw, "aliases", _texts, ()),
        since=_given(raw, "since", _text_or_none, None),
    )


def _surface(raw: Raw) -> Surface:
    patterns = _items(raw, "patterns")
    if not set(map(type, patterns)) <= {str, type(None)}:
        raise _malformed(raw, "patterns", "must be a list of strings and nulls")
    return Surface(
        exception=_part(raw, "exception", _exception),
        patterns=tuple(patterns),  # type: ignore[arg-type]  # the lines above say so
    )


def _exception(raw: Raw) -> ExceptionClass:
    return ExceptionClass(
        name=_text(raw, "name"),
        qualified_name=_text_or_none(raw, "qualified_name"),
        ancestors=_texts(raw, "ancestors"),
        certain=_flag(raw, "certain"),
    )


def _variant(raw: Raw) -> Variant:
    return Variant(
        segments=_segments(raw, "segments"),
        form=_choice(raw, "form", _FORMS),
        guards=_parts(raw, "guards", _guard),
        via=_text_or_none(raw, "via"),
        pattern=_text_or_none(raw, "pattern"),
        exception=_part_or_none(raw, "exception", _exception) if "exception" in raw else None,
        parts=_parts(raw, "parts", _text_part) if "parts" in raw else (),
        call=_part_or_none(raw, "call", _call_site) if "call" in raw else None,
    )


def _call_site(raw: Raw) -> CallSite:
    return CallSite(
        path=_text(raw, "path"),
        scope=_text(raw, "scope"),
        line=_integer_or_none(raw, "line"),
        permalink=_text_or_none(raw, "permalink"),
    )


def _text_part(raw: Raw) -> Part:
    return Part(segments=_segments(raw, "segments"), guards=_parts(raw, "guards", _guard))


def _segments(raw: Raw, key: str) -> tuple[Segment, ...]:
    found = _items(raw, key)
    if all(type(segment) is str for segment in found):
        return tuple(found)  # type: ignore[arg-type]  # the line above says so
    return tuple(
        segment if isinstance(segment, str) else _built(segment, f"{key}[{index}]", _placeholder)
        for index, segment in enumerate(found)
    )


def _placeholder(raw: Raw) -> Placeholder:
    return Placeholder(
        expression=_text(raw, "expression"),
        conversion=_given(raw, "conversion", _text_or_none, None),
        format_spec=_given(raw, "format_spec", _text_or_none, None),
    )


def _location(raw: Raw) -> Location:
    return Location(
        path=_text(raw, "path"),
        module=_text(raw, "module"),
        scope=_text(raw, "scope"),
        line=_integer(raw, "line"),
        column=_integer(raw, "column"),
        end_line=_integer(raw, "end_line"),
        end_column=_integer(raw, "end_column"),
    )


def _guard(raw: Raw) -> Guard:
    return Guard(
        kind=_choice(raw, "kind", _GUARD_KINDS),
        text=_text(raw, "text"),
        holds=_flag(raw, "holds"),
        line=_integer(raw, "line"),
        certain=_flag(raw, "certain") if "certain" in raw else True,
        stale=_flag(raw, "stale") if "stale" in raw else False,
        expanded=_text_or_none(raw, "expanded") if "expanded" in raw else None,
    )


def _handler(raw: Raw) -> Handler:
    return Handler(
        exceptions=_texts(raw, "exceptions"),
        name=_text_or_none(raw, "name"),
        tried=_text(raw, "tried"),
        line=_integer(raw, "line"),
    )


def _context(raw: Raw) -> Context:
    return Context(first_line=_integer(raw, "first_line"), lines=_texts(raw, "lines"))


def _given(raw: Raw, key: str, read: Callable[[Raw, str], Noun], default: Noun) -> Noun:
    return read(raw, key) if key in raw else default


def _text(raw: Raw, key: str) -> str:
    value = raw.get(key)
    if type(value) is str:
        return value
    raise _malformed(raw, key, "must be a string")


def _text_or_none(raw: Raw, key: str) -> str | None:
    value = raw.get(key)
    if type(value) is str or _is_null(raw, key):
        return value  # type: ignore[return-value]  # a string or None
    raise _malformed(raw, key, "must be a string or null")


def _integer(raw: Raw, key: str) -> int:
    value = raw.get(key)
    if type(value) is int:
        return value
    raise _malformed(raw, key, "must be a whole number")


def _integer_or_none(raw: Raw, key: str) -> int | None:
    return None if _is_null(raw, key) else _integer(raw, key)


def _flag(raw: Raw, key: str) -> bool:
    value = raw.get(key)
    if type(value) is bool:
        return value
    raise _malformed(raw, key, "must be true or false")


def _choice(raw: Raw, key: str, choices: dict[str, Noun]) -> Noun:
    value = _text(raw, key)
    if value in choices:
        return choices[value]
    raise _malformed(raw, key, f"must be one of {', '.join(choices)}")


def _choice_or_none(raw: Raw, key: str, choices: dict[str, Noun]) -> Noun | None:
    return None if _is_null(raw, key) else _choice(raw, key, choices)


def _items(raw: Raw, key: str) -> list[object]:
    value = raw.get(key)
    if type(value) is list:
        return value
    raise _malformed(raw, key, "must be a list")


def _texts(raw: Raw, key: str) -> tuple[str, ...]:
    value = _items(raw, key)
    if set(map(type, value)) <= {str}:
        return tuple(value)  # type: ignore[arg-type]  # the line above says so
    raise _malformed(raw, key, "must be a list of strings")


def _counts(raw: Raw, key: str) -> dict[str, int]:
    value = raw.get(key)
    if type(value) is dict and set(map(type, value.values())) <= {int}:
        return value
    raise _malformed(raw, key, "must map strings to whole numbers")


def _is_null(raw: Raw, key: str) -> bool:
    return raw.get(key, key) is None


def _malformed(raw: Raw, key: str, reason: str) -> MalformedFieldError:
    return MalformedFieldError(key, reason if key in raw else "is missing")


def _part(raw: Raw, key: str, build: Callable[[Raw], Noun]) -> Noun:
    if key in raw:
        return _built(raw[key], key, build)
    raise _malformed(raw, key, "must be an object")


def _part_or_none(raw: Raw, key: str, build: Callable[[Raw], Noun]) -> Noun | None:
    return None if _is_null(raw, key) else _part(raw, key, build)


def _parts(raw: Raw, key: str, build: Callable[[Raw], Noun]) -> tuple[Noun, ...]:
    return tuple(_built(value, f"{key}[{index}]", build) for index, value in enumerate(_items(raw, key)))


def _built(value: object, place: str, build: Callable[[Raw], Noun]) -> Noun:
    if type(value) is not dict:
        raise MalformedFieldError(place, "must be an object")
    try:
        return build(value)
    except MalformedFieldError as malformed:
        raise malformed.within(place) from None
