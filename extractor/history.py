"""The history of errors over revisions: since when each exists, what became of it where, and where it was last seen."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Literal, get_args

from extractor import __version__
from extractor.diff import Change
from extractor.diff.lineage import Inheritance, free_id, inherit
from extractor.model import Corpus, Record, Tombstone
from extractor.policy_errors import InvalidHistoryError
from extractor.reports.conditions_shown import changed
from extractor.reports.phrases import class_label, rewording
from extractor.source.revisions import Revision

HISTORY_SCHEMA_VERSION = 1

EventKind = Literal["retyped", "reworded", "moved", "guards_changed", "removed", "returned"]
_KINDS: dict[str, EventKind] = {kind: kind for kind in get_args(EventKind)}


@dataclass(frozen=True, slots=True)
class Event:
    """What became of an error in a revision: its class, text, place or condition before and after."""

    revision: str
    kind: EventKind
    old: str | None = None
    new: str | None = None


@dataclass(frozen=True, slots=True)
class Life:
    """One error over all revisions. `last_seen` is None for one that there still is; the rest is as it was last."""

    id: str
    aliases: tuple[str, ...]
    since: str | None
    last_seen: str | None
    title: str
    exception: str | None
    path: str
    scope: str
    line: int
    events: tuple[Event, ...]


@dataclass(frozen=True, slots=True)
class History:
    """The errors of a repository over revisions, oldest first: the living by place, then those that are gone."""

    repository: str | None
    revisions: tuple[Revision, ...]
    errors: tuple[Life, ...]


def trace(corpora: Iterable[tuple[Revision, Corpus]]) -> History:
    """Return the history of errors; only two corpora are needed at a time."""
    traced = _Traced()
    for revision, corpus in corpora:
        traced.take(revision, corpus)
    repository = traced.last.source.repository if traced.last is not None else None
    return History(repository, tuple(traced.revisions), traced.errors())


@dataclass(slots=True)
class _Traced:
    """What is known after some revisions; `last` is the corpus of the newest with its inherited ids."""

    revisions: list[Revision] = field(default_factory=list)
    last: Corpus | None = None
    events: dict[str, list[Event]] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)

    def take(self, revision: Revision, corpus: Corpus) -> None:
        if self.last is None:
            records = tuple(replace(record, since=revision.name) for record in corpus.records)
            self.last = replace(corpus, records=records)
        else:
            heritage = inherit(self.last, corpus, revision=revision.name, previous=self.revisions[-1].name)
            self._note(heritage, revision)
            self.last = heritage.corpus
        self.lines.update((record.id, record.location.line) for record in self.last.records)
        self.revisions.append(revision)

    def _note(self, heritage: Inheritance, revision: Revision) -> None:
        for identity, change in heritage.changes.items():
            self._add(identity, _event(revision, change))
        for identity in heritage.removed:
            self._add(identity, Event(revision.name, "removed"))
        for identity in heritage.returned:
            self._add(identity, Event(revision.name, "returned"))

    def _add(self, identity: str, event: Event) -> None:
        self.events.setdefault(identity, []).append(event)

    def errors(self) -> tuple[Life, ...]:
        if self.last is None:
            return ()
        living = [self._living(record) for record in self.last.records]
        return (*living, *map(self._gone, self.last.gone))

    def _living(self, record: Record) -> Life:
        place = record.location
        return Life(
            id=record.id,
            aliases=record.aliases,
            since=record.since,
            last_seen=None,
            title=record.title,
            exception=record.exception.name if record.exception is not None else None,
            path=place.path,
            scope=place.scope,
            line=place.line,
            events=tuple(self.events.get(record.id, ())),
        )

    def _gone(self, each: Tombstone) -> Life:
        return Life(
            id=each.id,
            aliases=each.aliases,
            since=each.since,
            last_seen=each.last_seen,
            title=each.title,
            exception=each.exception,
            path=each.path,
            scope=each.scope,
            line=self.lines[each.id],
            events=tuple(self.events.get(each.id, ())),
        )


def _event(revision: Revision, change: Change) -> Event:
    old, new = change.old, change.new
    assert old is not None
    assert new is not None
    kind = _KINDS[change.kind]
    if kind == "retyped":
        return Event(revision.name, kind, class_label(old.exception), class_label(new.exception))
    if kind == "reworded":
        return Event(revision.name, kind, *rewording(old, new))
    if kind == "moved":
        return Event(revision.name, kind, _place(old), _place(new))
    return Event(revision.name, kind, *changed(old, new))


def _place(record: Record) -> str:
    return f"{record.location.path}: {record.location.scope}" if record.location.scope else record.location.path


def apply_history(history: History, corpus: Corpus, revision: str | None) -> Corpus:
    """Return a corpus with the ids, aliases and first revisions that a history knows, and what is gone.

    Args:
        history: It may end before the revision of the corpus.
        corpus: As it was extracted.
        revision: What the corpus's revision is called, for errors that the history does not know.

    """
    lives = _matched(history, corpus.records)
    taken = {life.id for life in lives.values()}
    by_id = {life.id: life for life in history.errors}
    records: list[Record] = []
    for record in corpus.records:
        life = lives.get(record.id)
        identity = life.id if life is not None else free_id(record.id, taken)
        # Where an error that lives on elsewhere has the id, the history has given out the same one instead.
        life = life or by_id.get(identity)
        taken.add(identity)
        aliases, since = (life.aliases, life.since) if life is not None else ((), revision)
        records.append(replace(record, id=identity, aliases=aliases, since=since))
    last = history.revisions[-1].name if history.revisions else None
    gone = (
        Tombstone(
            life.id, life.aliases, life.title, life.exception, life.path, life.scope, life.since, life.last_seen or last
        )
        for life in history.errors
        if life.id not in taken
    )
    return replace(corpus, records=tuple(records), gone=tuple(sorted(gone, key=lambda each: (each.path, each.id))))


def _matched(history: History, records: Sequence[Record]) -> dict[str, Life]:
    """Return the error that each record is, by the record's id as it was extracted."""
    known: dict[str, list[Life]] = {}
    for life in history.errors:
        for identity in (life.id, *life.aliases):
            known.setdefault(identity, []).append(life)
    found: dict[str, Life] = {}
    seen: set[str] = set()
    # What stands where the history says goes before what only has an id that somebody had.
    for is_there in (True, False):
        for record in records:
            place = record.location
            for life in known.get(record.id, ()):
                is_same_place = (life.path, life.scope) == (place.path, place.scope)
                if record.id not in found and life.id not in seen and (is_same_place or not is_there):
                    found[record.id] = life
                    seen.add(life.id)
    return found


def encode_history(history: History) -> str:
    """Return a history as JSON with one error on each line, as `schema/history.schema.json` describes it."""
    head = {
        "schema_version": HISTORY_SCHEMA_VERSION,
        "tool": {"name": "raisedex", "version": __version__},
        "repository": history.repository,
        "revisions": [asdict(each) for each in history.revisions],
    }
    members = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in head.items()]
    errors = ",\n".join(json.dumps(asdict(each)) for each in history.errors)
    return "{\n" + ",\n".join(members) + f',\n"errors": [\n{errors}\n]\n}}\n'


def decode_history(data: bytes, *, name: str) -> History:
    """Return the history that the bytes hold.

    Raises:
        InvalidHistoryError: They are something else.

    """
    try:
        raw = json.loads(data)
        version = raw["schema_version"]
        if version == HISTORY_SCHEMA_VERSION:
            return History(
                _optional(raw["repository"]),
                tuple(
                    Revision(*(_text(each[key]) for key in ("name", "commit", "committed_at")))
                    for each in raw["revisions"]
                ),
                tuple(map(_life, raw["errors"])),
            )
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise InvalidHistoryError(name) from error
    raise InvalidHistoryError(name)


def _life(raw: Mapping[str, Any]) -> Life:
    line = raw["line"]
    if type(line) is not int:
        raise TypeError(line)
    return Life(
        id=_text(raw["id"]),
        aliases=tuple(map(_text, raw["aliases"])),
        since=_optional(raw["since"]),
        last_seen=_optional(raw["last_seen"]),
        title=_text(raw["title"]),
        exception=_optional(raw["exception"]),
        path=_text(raw["path"]),
        scope=_text(raw["scope"]),
        line=line,
        events=tuple(
            Event(_text(each["revision"]), _KINDS[each["kind"]], _optional(each["old"]), _optional(each["new"]))
            for each in raw["events"]
        ),
    )


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError(value)
    return value


def _optional(value: object) -> str | None:
    return None if value is None else _text(value)
