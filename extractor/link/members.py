"""What a class has by a name: constants, methods and aliases in its body or in those of its base classes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from extractor.facts import Binding, ClassFact, Constant, FileFacts
from extractor.link.hierarchy import Hierarchy
from extractor.link.names import Meaning

# More subclasses than these are not asked for what they override.
_MOST_SUBCLASSES = 64


@dataclass(frozen=True, slots=True)
class Member:
    """What a class has by a name, and the class and file that it stands in. One of the last three is set."""

    path: str
    owner: str
    scope: str
    constant: Constant | None = None
    function: str | None = None
    bindings: tuple[Binding, ...] = ()


@dataclass(slots=True)
class Members:
    """Finds members over the classes of a tree."""

    hierarchy: Hierarchy
    _by_base: dict[str, list[tuple[str, ClassFact]]] = field(default_factory=dict)

    def find(self, name: str, attribute: str, *, behind: str | None = None) -> Member | None:
        """Return what a class (a qualified name) has by a name, as the order of method resolution goes.

        Args:
            name: The class.
            attribute: The name.
            behind: Look only in the classes behind this one, as `super` does.

        """
        order = self.hierarchy.order(name)
        if behind is not None:
            order = order[order.index(behind) + 1 :] if behind in order else ()
        for each in order:
            known = self.hierarchy.tree_classes.get(each)
            if known is not None:
                found = self._own(known.path, each, known.fact, attribute)
                if found is not None:
                    return found
            elif each in self.hierarchy.incomplete:
                # A class that was not read may have it.
                return None
        return None

    def _own(self, path: str, owner: str, fact: ClassFact, attribute: str) -> Member | None:
        facts = self.hierarchy.names.facts[path]
        if attribute in fact.methods:
            return Member(path, owner, fact.scope, function=f"{fact.scope}.{attribute}")
        bindings = facts.bindings.get(fact.scope, {}).get(attribute, ())
        aliased = next((each.target for each in bindings if each.kind == "alias"), None)
        if aliased in fact.methods:
            # `__str__ = __repr__`
            return Member(path, owner, fact.scope, function=f"{fact.scope}.{aliased}")
        constant = facts.constants.get(fact.scope, {}).get(attribute)
        if constant is not None:
            return Member(path, owner, fact.scope, constant=constant)
        return Member(path, owner, fact.scope, bindings=bindings) if bindings else None

    def all(self, name: str, attribute: str) -> list[Member]:
        """Return what a class and its bases have by a name, in the order of method resolution."""
        known = ((each, self.hierarchy.tree_classes.get(each)) for each in self.hierarchy.order(name))
        found = (self._own(one.path, each, one.fact, attribute) for each, one in known if one is not None)
        return [member for member in found if member is not None]

    def collected(self, name: str, attribute: str) -> str | None:
        """Return by which name classes have what an attribute collects from all of them, None where it does not."""
        for each in self.hierarchy.order(name):
            known = self.hierarchy.tree_classes.get(each)
            tables = self.hierarchy.names.facts[known.path].collected if known is not None else {}
            found = tables.get(known.fact.scope, {}).get(attribute) if known is not None else None
            if found is not None:
                return found
        return None

    def overriding(self, name: str, attribute: str, found: Member | None = None) -> list[Member] | None:
        """Return what objects of known subclasses have instead, by path and place; None where that cannot be known.

        Args:
            name: The class.
            attribute: The name.
            found: What the class itself has, if that was looked up already.

        """
        found = found or self.find(name, attribute)
        others: dict[str, Member] = {}
        subclasses = list(self._subclasses(name))
        if len(subclasses) >= _MOST_SUBCLASSES:
            return None
        for path, fact in subclasses:
            qualified = self.hierarchy.add(Meaning(path, fact.scope))
            if qualified is None or not self.hierarchy.is_subclass(qualified, name):
                continue
            if self.is_patched(qualified, (attribute,)):
                return None
            # A mix-in beside the class may have it as well.
            own = self.find(qualified, attribute)
            if own is None:
                if found is None:
                    continue
                return None
            if found is None or own.owner != found.owner:
                others[own.owner] = own
        return list(others.values())

    def is_patched(self, name: str, attributes: Iterable[str]) -> bool:
        """Say whether a file gives one of its classes, this one or a base, other attributes by these names later."""
        known = (self.hierarchy.tree_classes.get(each) for each in self.hierarchy.order(name))
        stored = (
            self.hierarchy.names.facts[each.path].stored.get(f"{each.fact.scope}.", {})
            for each in known
            if each is not None
        )
        wanted = {*attributes, "*"}
        return any(not wanted.isdisjoint(names) for names in stored)

    def is_stored(self, name: str, attribute: str) -> bool:
        """Say whether objects of a class or of known subclasses may have an attribute of their own by a name."""
        return self.times_stored(name, attribute) > 0

    def times_stored(self, name: str, attribute: str) -> int:
        """Return how many statements may set an attribute of objects of a class or of known subclasses."""
        classes = [known for each in self.hierarchy.order(name) if (known := self.hierarchy.tree_classes.get(each))]
        places = {(known.path, scope) for known in classes for scope in (known.fact.scope, "")}
        places |= {(path, scope) for path, fact in self._subclasses(name) for scope in (fact.scope, "")}
        facts = self.hierarchy.names.facts
        named = (facts[path].stored.get(scope, {}) for path, scope in places)
        # Some statements set what they are told to set.
        return sum(names.get(attribute, 0) + 2 * names.get("*", 0) for names in named)

    def _subclasses(self, name: str) -> Iterator[tuple[str, ClassFact]]:
        """Yield the classes that derive from one, as far as their bases go by its name."""
        if not self._by_base:
            self._index()
        pending = [name.rpartition(".")[2]]
        seen: set[tuple[str, str]] = set()
        while pending:
            for path, fact in self._by_base.get(pending.pop(), ()):
                if (path, fact.scope) not in seen and len(seen) < _MOST_SUBCLASSES:
                    seen.add((path, fact.scope))
                    pending.append(fact.scope.rpartition(".")[2])
                    yield path, fact

    def _index(self) -> None:
        for path, facts in sorted(self.hierarchy.names.facts.items()):
            for fact in facts.classes:
                for base in fact.bases:
                    self._by_base.setdefault(_own_name(facts, base.name), []).append((path, fact))


def _own_name(facts: FileFacts, name: str) -> str:
    """Return the name that a base class has where it is defined, as far as an import tells."""
    bindings = facts.bindings.get("", {}).get(name, ())
    target = next((each.target for each in bindings if each.kind in {"import", "alias"}), name)
    return target.rpartition(":")[2].rpartition(".")[2] or name.rpartition(".")[2]
