"""What became of one pair of raise sites."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.diff.changes import Change, ChangeKind, Field, Handlers
from extractor.diff.conditions import reach_of
from extractor.diff.sites import Site, class_name
from extractor.model import ExceptionClass

_KIND_OF: tuple[tuple[frozenset[Field], ChangeKind], ...] = (
    (frozenset({"exception"}), "retyped"),
    (frozenset({"text", "placeholders"}), "reworded"),
    (frozenset({"path", "scope"}), "moved"),
    (frozenset({"guards", "kind"}), "guards_changed"),
)


def verdict(old: Site, new: Site) -> Change | None:
    """Return what changed from one raise site to the other, None where nothing did."""
    before, after = old.record, new.record
    # What guards a function is not known here, so that those of two functions cannot be held against each other.
    reach = reach_of(before.guards, after.guards) if old.place == new.place else None
    fields = tuple(_fields(old, new))
    if not fields and reach is None:
        return None
    every: tuple[Field, ...] = (*fields, "guards") if reach is not None else fields
    kind = next(kind for named, kind in _KIND_OF if named.intersection(every))
    is_background = reach is not None and old.own_conditions == new.own_conditions
    return Change(kind, before, after, every, reach, is_background, handlers_of(before.exception, after.exception))


def handlers_of(old: ExceptionClass | None, new: ExceptionClass | None) -> Handlers:
    """Return the classes that only one of two is or derives from, as far as that is known."""
    if old is None or new is None or old == new:
        return Handlers()
    before, after = ((class_name(each), *each.ancestors) for each in (old, new))
    # What is not known of the one may be what the other has.
    lost = tuple(name for name in before if name not in after) if new.certain else ()
    gained = tuple(name for name in after if name not in before) if old.certain else ()
    return Handlers(lost, gained)


def _fields(old: Site, new: Site) -> Iterator[Field]:
    before, after = old.record, new.record
    if before.location.path != after.location.path:
        yield "path"
    if before.location.scope != after.location.scope:
        yield "scope"
    if old.classes != new.classes:
        yield "exception"
    if old.texts != new.texts:
        yield "text"
    elif old.said != new.said:
        yield "placeholders"
    if (before.kind == "unreachable") != (after.kind == "unreachable"):
        yield "kind"
