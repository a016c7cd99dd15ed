"""The nouns of a comparison: what became of a raise site from one corpus to the next."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Literal, get_args

from extractor.model import ExceptionClass, Record, SourceInfo

ChangeKind = Literal["added", "removed", "retyped", "reworded", "moved", "guards_changed"]
KINDS: tuple[ChangeKind, ...] = get_args(ChangeKind)

Field = Literal["path", "scope", "exception", "text", "placeholders", "guards", "kind"]
# How the conditions under which a raise site is reached changed; "other" where that cannot be told.
Reach = Literal["widened", "narrowed", "other"]


@dataclass(frozen=True, slots=True)
class Handlers:
    """What another class means to `except` clauses: the qualified names that catch no more, and those that now do."""

    lost: tuple[str, ...] = ()
    gained: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Change:
    """The verdict on one raise site.

    `old` is None for one that was added and `new` for one that was removed. `kind` is the gravest of what changed, in
    the order of `KINDS`, and `fields` is all of it: "path" and "scope" where it stands, "exception" the class, "text"
    the literal text, "placeholders" only what fills it, "guards" the path condition, "kind" whether it can run at all.
    `reach` is set where the path condition changed; `is_background` says that this is due to early exits in front of it
    alone.
    """

    kind: ChangeKind
    old: Record | None
    new: Record | None
    fields: tuple[Field, ...] = ()
    reach: Reach | None = None
    is_background: bool = False
    handlers: Handlers = Handlers()

    @property
    def record(self) -> Record:
        """The record as it is now, of one that was removed as it was."""
        record = self.new or self.old
        assert record is not None
        return record


@dataclass(frozen=True, slots=True)
class ClassChange:
    """An exception class of which other classes are bases now.

    `errors` is how many raise sites raise it in both corpora, and `first` the first record of the new one that does.
    """

    old: ExceptionClass
    new: ExceptionClass
    handlers: Handlers
    errors: int
    first: Record


@dataclass(frozen=True, slots=True)
class Comparison:
    """What became of the records of one corpus in another: all that changed, by path and line, and how many did not."""

    old: SourceInfo
    new: SourceInfo
    changes: tuple[Change, ...]
    classes: tuple[ClassChange, ...]
    unchanged: int

    @property
    def counts(self) -> dict[ChangeKind, int]:
        """How many changes there are of each kind, in the order of `KINDS`."""
        found = Counter(change.kind for change in self.changes)
        return {kind: found[kind] for kind in KINDS}

    @property
    def happened(self) -> frozenset[ChangeKind]:
        """The kinds that there is a change of; a class with other bases retypes what raises it."""
        kinds: set[ChangeKind] = {change.kind for change in self.changes}
        return frozenset(kinds | {"retyped"} if self.classes else kinds)
