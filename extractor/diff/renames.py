"""Files, classes and functions that go by another name: found by the raise sites that they took along."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import accumulate

from extractor.diff.sites import Place, Site

# Of the raise sites of the larger side so many must be the same for it to be the same file.
_SAME_SHARE = 0.5


@dataclass(slots=True)
class Renames:
    """What is called otherwise in the new corpus: files by path, and scopes by path and name as they were."""

    paths: dict[str, str] = field(default_factory=dict)
    scopes: dict[Place, str] = field(default_factory=dict)

    def translated(self, place: Place) -> Place:
        """Return where a place of the old corpus is in the new one."""
        path, scope = place
        for prefix in reversed(_prefixes(scope)):
            if (path, prefix) in self.scopes:
                scope = self.scopes[path, prefix] + scope[len(prefix) :]
                break
        return self.paths.get(path, path), scope

    def learn_paths(
        self, old: Collection[Place], new: Collection[Place], left: tuple[Iterable[Site], Iterable[Site]]
    ) -> None:
        """Find the files that are gone and are there under another path.

        Args:
            old: Where all of the old corpus stand.
            new: Where all of the new one stand.
            left: The sites of both that have no other half yet.

        """
        before_paths, after_paths = {path for path, _ in old}, {path for path, _ in new}
        gone, come = before_paths - after_paths, after_paths - before_paths
        before = _by_path(site for site in left[0] if site.place[0] in gone)
        after = _by_path(site for site in left[1] if site.place[0] in come)
        shares: dict[tuple[str, str], float] = {}
        for path, other in _candidates(before, after):
            same = (before[path] & after[other]).total()
            share = same / max(before[path].total(), after[other].total())
            if share >= _SAME_SHARE:
                shares[path, other] = share
        self.paths.update(best_pairs(shares))

    def learn_scopes(self, pairs: Iterable[tuple[Site, Site]], old: Collection[Place], new: Collection[Place]) -> None:
        """Find the classes and functions that are gone and whose raise sites all went to one that is new."""
        targets: dict[Place, set[Place]] = defaultdict(set)
        for before, after in pairs:
            for prefix, other in _renamed(before.place[1], after.place[1]):
                targets[before.place[0], prefix].add((after.place[0], other))
        known_before, known_after = set(_with_prefixes(old)), set(_with_prefixes(new))
        for (path, prefix), found in targets.items():
            target = next(iter(found))
            is_whole = len(found) == 1 and self.paths.get(path, path) == target[0]
            if is_whole and (self.paths.get(path, path), prefix) not in known_after and target not in known_before:
                self.scopes[path, prefix] = target[1]


def best_pairs(scores: Mapping[tuple[str, str], float]) -> dict[str, str]:
    """Return the pairs that are the best of both their halves, without those that another one comes up to."""
    best: list[dict[str, list[tuple[float, str]]]] = [defaultdict(list), defaultdict(list)]
    for (one, other), score in scores.items():
        best[0][one].append((score, other))
        best[1][other].append((score, one))
    tops = [{name: _only_top(found) for name, found in side.items()} for side in best]
    return {one: other for one, other in tops[0].items() if other is not None and tops[1][other] == one}


def _only_top(found: list[tuple[float, str]]) -> str | None:
    (score, name), *rest = sorted(found, reverse=True)
    return None if rest and rest[0][0] == score else name


def _by_path(sites: Iterable[Site]) -> dict[str, Counter[Hashable]]:
    found: dict[str, Counter[Hashable]] = defaultdict(Counter)
    for site in sites:
        found[site.place[0]][site.place[1], site.classes, site.said] += 1
    return found


def _candidates(
    before: Mapping[str, Counter[Hashable]], after: Mapping[str, Counter[Hashable]]
) -> set[tuple[str, str]]:
    holders: dict[Hashable, list[str]] = defaultdict(list)
    for other, sites in after.items():
        for site in sites:
            holders[site].append(other)
    return {(path, other) for path, sites in before.items() for site in sites for other in holders.get(site, ())}


def _renamed(old: str, new: str) -> list[tuple[str, str]]:
    """Return the scope that has another name, with its new one, where that is the only difference of two."""
    before, after = old.split("."), new.split(".")
    if len(before) != len(after):
        return []
    different = [index for index, pair in enumerate(zip(before, after, strict=True)) if pair[0] != pair[1]]
    if len(different) != 1:
        return []
    end = different[0] + 1
    return [(".".join(before[:end]), ".".join(after[:end]))]


def _prefixes(scope: str) -> list[str]:
    return list(accumulate(scope.split("."), lambda before, name: f"{before}.{name}"))


def _with_prefixes(places: Iterable[Place]) -> Iterable[Place]:
    return ((path, prefix) for path, scope in places for prefix in _prefixes(scope))
