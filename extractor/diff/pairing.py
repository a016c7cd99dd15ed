"""Which raise site of one corpus is which of another: by identity first, then by what only two of them share."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from extractor.diff.renames import Renames
from extractor.diff.sites import Place, Site, is_plainly_same

# How much of two texts must be the same words for one to be the other reworded.
_NEAR = 0.5
# By so much must a pair be better than any other of its halves.
_MARGIN = 0.1
_SAME_CONDITIONS, _SAME_CLASS = 0.5, 0.1
# More sites than these in one place are not compared each with each.
_MOST_COMPARED = 40

Pair = tuple[Site, Site]
Key = Callable[[Site], Hashable]


@dataclass(slots=True)
class Pairing:
    """Pairs the sites of two corpora; `old` and `new` hold those that have no other half, in order.

    `same` are the pairs of which it is plain that nothing changed, and `places` are where others stand on both sides.
    """

    old: list[Site]
    new: list[Site]
    places: set[Place] = field(default_factory=set)
    pairs: list[Pair] = field(default_factory=list)
    same: list[Pair] = field(default_factory=list)

    def pair(self) -> None:
        """Find the pairs, the surest first."""
        places = {site.place for site in self.old} | self.places, {site.place for site in self.new} | self.places
        self._pair_by_id(only_same=True)
        self.same, self.pairs = self.pairs, []
        self._pair_same()
        self._pair_by_id()
        renames = Renames()
        renames.learn_paths(*places, (self.old, self.new))
        self._translate(renames)
        self._pair_same()
        self._pair_moved()
        renames.learn_scopes([pair for pair in self.pairs if _is_elsewhere(pair)], *places)
        self._translate(renames)
        self._pair_same()
        self._pair_unique(lambda site: (site.place, site.texts))
        self._pair_near()
        self._pair_moved()

    def _translate(self, renames: Renames) -> None:
        for site in self.old:
            location = site.record.location
            site.place = renames.translated((location.path, location.scope))

    def _pair_same(self) -> None:
        """Pair what is equal: place, class and text. Twins are told apart by their conditions, then by their order."""
        for key in (_whole_key, _own_key):
            self._pair_groups(key)
        before, after = _grouped(self.old, _equal_key), _grouped(self.new, _equal_key)
        self._take(pair for name, sites in before.items() for pair in _likest(sites, after.get(name, ())))

    def _pair_groups(self, key: Key) -> None:
        """Pair in order the sites of one key; some of the larger side are left."""
        before, after = _grouped(self.old, key), _grouped(self.new, key)
        self._take(pair for name, sites in before.items() for pair in zip(sites, after.get(name, ()), strict=False))

    def _pair_by_id(self, *, only_same: bool = False) -> None:
        known = {site.record.id: site for site in self.new}
        found: dict[int, Pair] = {}
        for site in self.old:
            # What moved keeps its first id, and is told again by the one that it would have where it is.
            for identity in (site.record.id, *reversed(site.record.aliases)):
                other = known.get(identity)
                if other is None or id(other) in found:
                    continue
                if not only_same or is_plainly_same(site.record, other.record):
                    found[id(other)] = (site, other)
                    break
        self._take(found.values())

    def _pair_moved(self) -> None:
        """Pair what says the same elsewhere, the nearest place first, where there is only one on both sides."""
        keys: tuple[Key, ...] = (
            lambda site: (site.place[1], site.classes, site.said),
            lambda site: (site.place[0], site.classes, site.said),
            lambda site: (site.place[1].rpartition(".")[2], site.classes, site.said),
            lambda site: (site.classes, site.said),
            lambda site: (site.classes, site.texts),
            lambda site: site.texts,
        )
        for key in keys:
            self._pair_unique(lambda site, key=key: key(site) if site.is_told_by_text else None)  # type: ignore[misc]

    def _pair_unique(self, key: Key) -> None:
        before, after = _grouped(self.old, key), _grouped(self.new, key)
        self._take(
            (sites[0], after[name][0])
            for name, sites in before.items()
            if name is not None and len(sites) == 1 and len(after.get(name, ())) == 1
        )

    def _pair_near(self) -> None:
        """Pair what stands in one place and says nearly the same, or stands under the same conditions."""
        before, after = _grouped(self.old, lambda site: site.place), _grouped(self.new, lambda site: site.place)
        for place, sites in before.items():
            others = after.get(place, [])
            if others and len(sites) * len(others) <= _MOST_COMPARED**2:
                self._take(_nearest(sites, others))

    def _take(self, pairs: Iterable[Pair]) -> None:
        found = list(pairs)
        taken = {id(site) for pair in found for site in pair}
        self.pairs += found
        self.old = [site for site in self.old if id(site) not in taken]
        self.new = [site for site in self.new if id(site) not in taken]


def _likest(old: Sequence[Site], new: Sequence[Site]) -> list[Pair]:
    """Pair as many as there are on the smaller side, those first whose conditions have most in common."""
    if len(old) * len(new) > _MOST_COMPARED**2:
        return list(zip(old, new, strict=False))
    every = [(_difference(one, other), row, column) for row, one in enumerate(old) for column, other in enumerate(new)]
    found: dict[int, int] = {}
    for _, row, column in sorted(every):
        if row not in found and column not in found.values():
            found[row] = column
    return [(old[row], new[column]) for row, column in found.items()]


def _difference(old: Site, new: Site) -> int:
    return len(old.conditions ^ new.conditions)


def _nearest(old: Sequence[Site], new: Sequence[Site]) -> list[Pair]:
    """Return the pairs that are near, and nearer than any other pair of one of their halves."""
    scores = {(one, other): score for one in old for other in new if (score := _nearness(one, other)) > 0}
    found: list[Pair] = []
    while scores:
        tops = _tops(scores, 0), _tops(scores, 1)
        best = [
            pair
            for pair, score in scores.items()
            if all(score >= _MARGIN + _rival(pair, tops[half][id(pair[half])]) for half in (0, 1))
        ]
        if not best:
            break
        found += best
        taken = {id(site) for pair in best for site in pair}
        scores = {pair: score for pair, score in scores.items() if taken.isdisjoint(map(id, pair))}
    return found


def _tops(scores: Mapping[Pair, float], half: int) -> dict[int, list[tuple[float, Pair]]]:
    """Return the two best pairs of each site of one side."""
    found: dict[int, list[tuple[float, Pair]]] = defaultdict(list)
    for pair, score in scores.items():
        best = found[id(pair[half])]
        best.append((score, pair))
        best.sort(key=lambda each: -each[0])
        del best[2:]
    return found


def _rival(pair: Pair, tops: Sequence[tuple[float, Pair]]) -> float:
    """Return how good the best other pair is; one that there is not is no rival."""
    return next((score for score, other in tops if other != pair), float("-inf"))


def _nearness(old: Site, new: Site) -> float:
    ratio = SequenceMatcher(None, old.words, new.words, autojunk=False).ratio()
    is_same_test = bool(old.own_conditions) and old.own_conditions == new.own_conditions
    if ratio < _NEAR and not is_same_test:
        return 0
    return ratio + _SAME_CONDITIONS * is_same_test + _SAME_CLASS * (old.classes == new.classes)


def _is_elsewhere(pair: Pair) -> bool:
    old, new = pair[0].record.location, pair[1].record.location
    return (old.path, old.scope) != (new.path, new.scope)


def _grouped(sites: Iterable[Site], key: Key) -> dict[Hashable, list[Site]]:
    found: dict[Hashable, list[Site]] = defaultdict(list)
    for site in sites:
        found[key(site)].append(site)
    return found


def _equal_key(site: Site) -> Hashable:
    return site.place, site.classes, site.said


def _own_key(site: Site) -> Hashable:
    return site.place, site.classes, site.said, site.own_conditions


def _whole_key(site: Site) -> Hashable:
    return site.place, site.classes, site.said, site.conditions
