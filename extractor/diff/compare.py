"""Two corpora to what became of each raise site."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from extractor.diff.changes import Change, ClassChange, Comparison
from extractor.diff.pairing import Pairing
from extractor.diff.reading import Alike
from extractor.diff.sites import Site, class_name
from extractor.diff.verdicts import handlers_of, verdict
from extractor.model import Corpus, ExceptionClass, Record


def compare(old: Corpus, new: Corpus, alike: Sequence[Alike] = ()) -> Comparison:
    """Return what became of the records of one corpus in another one; `alike` are those left out of both.

    Each record is in exactly one change, or unchanged. Records are paired by place, class and text, then by id, then
    where only one on either side says the same elsewhere (moved) or nearly the same in the same place (reworded); what
    could be the one or the other stays removed and added.
    """
    pairing = Pairing(list(map(Site, old.records)), list(map(Site, new.records)), {each.place for each in alike})
    pairing.pair()
    verdicts = [verdict(*pair) for pair in pairing.pairs]
    pairs = [(old_site.record, new_site.record) for old_site, new_site in (*pairing.same, *pairing.pairs)]
    changes = [each for each in verdicts if each is not None]
    changes += [Change("removed", site.record, None) for site in pairing.old]
    changes += [Change("added", None, site.record) for site in pairing.new]
    return Comparison(
        old=old.source,
        new=new.source,
        changes=tuple(sorted(changes, key=_order)),
        classes=tuple(_class_changes(old.records, new.records, pairs, alike)),
        unchanged=len(alike) + len(pairing.same) + verdicts.count(None),
    )


def _order(change: Change) -> tuple[str, int, int, bool]:
    location = change.record.location
    return location.path, location.line, location.column, change.new is None


def _class_changes(
    old: Sequence[Record], new: Sequence[Record], pairs: Iterable[tuple[Record, Record]], alike: Sequence[Alike]
) -> Iterable[ClassChange]:
    shared = [each.exception for each in alike]
    before, after = (_known([*shared, *_classes(records)]) for records in (old, new))
    raising = Counter(map(class_name, shared))
    raising.update(
        class_name(record.exception) for earlier, record in pairs if _is_same_class(earlier.exception, record.exception)
    )
    for name in sorted(before.keys() & after.keys()):
        handlers = handlers_of(before[name], after[name])
        if handlers.lost or handlers.gained:
            # What raises it has another class than before, so that it is not among those left out.
            first = next((record for record in new if name in map(class_name, _classes([record]))), None)
            if first is not None:
                yield ClassChange(before[name], after[name], handlers, raising[name], first)


def _is_same_class(old: ExceptionClass | None, new: ExceptionClass | None) -> bool:
    return old is not None and new is not None and class_name(old) == class_name(new)


def _classes(records: Iterable[Record]) -> Iterable[ExceptionClass | None]:
    for record in records:
        yield record.exception
        yield from (variant.exception for variant in record.variants)


def _known(classes: Iterable[ExceptionClass | None]) -> dict[str, ExceptionClass]:
    found: dict[str, ExceptionClass] = {}
    for each in classes:
        if each is None or each.qualified_name is None:
            continue
        known = found.get(each.qualified_name)
        # A caught exception may be of a class below, which says nothing of the class itself.
        if known is None or (each.certain and not known.certain):
            found[each.qualified_name] = each
    return found
