"""What of a record is compared with others: where it stands, what it raises, and what it says."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property

from extractor.diff.conditions import Condition, conditions_of
from extractor.lookup import text_of
from extractor.model import ExceptionClass, Record, Segment

# Stands for any placeholder, and cannot stand in source text.
_HOLE = "\0"
# Held against others, the time goes by the product.
_MOST_WORDS = 60

Place = tuple[str, str]


@dataclass(eq=False)
class Site:
    """A record as the comparison sees it. `place` is its path and scope, which a renaming translates."""

    record: Record
    place: Place = field(init=False)

    def __post_init__(self) -> None:
        self.place = (self.record.location.path, self.record.location.scope)

    @cached_property
    def classes(self) -> tuple[str, ...]:
        """The qualified names of what it raises, the record's first."""
        others = (each.exception for each in self.record.variants if each.exception is not None)
        return tuple(dict.fromkeys(map(class_name, (self.record.exception, *others))))

    @cached_property
    def said(self) -> tuple[str, ...]:
        """The texts of its variants, with their placeholders as source."""
        return texts_of(self.record)

    @cached_property
    def texts(self) -> tuple[str, ...]:
        """The texts of its variants, with their placeholders blanked."""
        return tuple(dict.fromkeys(_blanked(each.segments) for each in self.record.variants))

    @cached_property
    def words(self) -> list[str]:
        """The words of its texts, as many as are enough to tell whether others are near."""
        return " ".join(self.said).split()[:_MOST_WORDS]

    @cached_property
    def is_told_by_text(self) -> bool:
        """Whether there is literal text that tells it from others."""
        return any(letter.isalpha() for text in self.texts for letter in text)

    @cached_property
    def conditions(self) -> frozenset[Condition]:
        """What must hold for it to be reached."""
        return conditions_of(self.record.guards)

    @cached_property
    def own_conditions(self) -> frozenset[Condition]:
        """What must hold for it to be reached, without the early exits in front of it."""
        return conditions_of(self.record.guards, background=False)


def texts_of(record: Record) -> tuple[str, ...]:
    """Return what a record can say, with placeholders as source."""
    return tuple(dict.fromkeys(text_of(each.segments) for each in record.variants))


def is_plainly_same(old: Record, new: Record) -> bool:
    """Say whether two records of one id are the same but for where their lines stand; most are, and this is cheap."""
    before, after = old.location, new.location
    return (
        (before.path, before.scope) == (after.path, after.scope)
        and (old.exception, old.kind) == (new.exception, new.kind)
        and len(old.variants) == len(new.variants)
        and all(
            (one.segments, one.exception) == (other.segments, other.exception)
            for one, other in zip(old.variants, new.variants, strict=True)
        )
        and len(old.guards) == len(new.guards)
        and all(
            (one.text, one.holds, one.kind, one.expanded, one.stale)
            == (other.text, other.holds, other.kind, other.expanded, other.stale)
            for one, other in zip(old.guards, new.guards, strict=True)
        )
    )


def class_name(exception: ExceptionClass | None) -> str:
    """Return the qualified name of a class, as far as it is known."""
    return (exception.qualified_name or exception.name) if exception is not None else ""


def _blanked(segments: Iterable[Segment]) -> str:
    return "".join(each if isinstance(each, str) else _HOLE for each in segments)
