"""Errors followed from corpus to corpus: ids live on through moves and rewordings, and what is gone is remembered."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from extractor.diff.changes import Change
from extractor.diff.pairing import Pairing
from extractor.diff.sites import Site
from extractor.diff.verdicts import verdict
from extractor.model import Corpus, Record, Tombstone

_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Inheritance:
    """A corpus with the ids of an earlier one, and what became of each error by id.

    `changes` are those of errors that both have, `added` and `removed` are ids, and `returned` those of added ones that
    had been there before.
    """

    corpus: Corpus
    changes: Mapping[str, Change]
    added: tuple[str, ...]
    removed: tuple[str, ...]
    returned: frozenset[str]


def inherit(old: Corpus, new: Corpus, *, revision: str | None, previous: str | None) -> Inheritance:
    """Return the new corpus with the ids, aliases and first revisions of the old one.

    Args:
        old: The earlier corpus, with what it inherited itself.
        new: The later one, as it was extracted.
        revision: What the later revision is called, for errors that are new in it.
        previous: What the earlier one is called, for errors that are gone.

    """
    pairing = Pairing(list(map(Site, old.records)), list(map(Site, new.records)))
    pairing.pair()
    earlier = {id(after.record): before.record for before, after in (*pairing.same, *pairing.pairs)}
    buried = {identity: each for each in old.gone for identity in (each.id, *each.aliases)}
    taken = {record.id for record in earlier.values()}
    records: list[Record] = []
    added: list[str] = []
    returned: dict[str, Tombstone] = {}
    for record in new.records:
        before = earlier.get(id(record))
        if before is not None:
            records.append(_heir(record, before.id, before.aliases, before.since))
            continue
        tombstone = buried.get(record.id)
        if tombstone is not None and tombstone.id not in taken:
            heir = _heir(record, tombstone.id, tombstone.aliases, tombstone.since)
            returned[tombstone.id] = tombstone
        else:
            heir = replace(record, id=free_id(record.id, taken), since=revision)
        taken.add(heir.id)
        added.append(heir.id)
        records.append(heir)
    gone = [each for each in old.gone if each.id not in returned]
    removed = [site.record for site in pairing.old]
    gone += [_tombstone(record, previous) for record in removed]
    changes = {before.record.id: change for before, after in pairing.pairs if (change := verdict(before, after))}
    corpus = replace(new, records=tuple(records), gone=tuple(sorted(gone, key=lambda each: (each.path, each.id))))
    return Inheritance(corpus, changes, tuple(added), tuple(each.id for each in removed), frozenset(returned))


def _heir(record: Record, identity: str, aliases: Sequence[str], since: str | None) -> Record:
    known = tuple(each for each in dict.fromkeys([*aliases, record.id]) if each != identity)
    return replace(record, id=identity, aliases=known, since=since)


def free_id(identity: str, taken: Collection[str]) -> str:
    """Return an id that no other error has; one that lives on elsewhere may have the one that is due here."""
    found, number = identity, 0
    while found in taken:
        number += 1
        found = hashlib.sha256(f"again {number} {identity}".encode()).hexdigest()[:_DIGITS]
    return found


def _tombstone(record: Record, last_seen: str | None) -> Tombstone:
    exception = record.exception.name if record.exception is not None else None
    place = record.location
    return Tombstone(
        record.id, record.aliases, record.title, exception, place.path, place.scope, record.since, last_seen
    )
