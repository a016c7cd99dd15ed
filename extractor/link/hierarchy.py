"""The exception classes of a tree and their ancestors, over the builtins and the standard library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

import networkx as nx

from extractor.facts import ClassFact
from extractor.link.names import Meaning, Names
from extractor.link.standard import standard_bases
from extractor.model import ExceptionClass

# Bases that say something to type checkers only.
_TYPING_ONLY = frozenset({
    "typing.Generic", "typing.Protocol", "typing_extensions.Generic", "typing_extensions.Protocol"
})  # fmt: skip
# Outside classes that are known to have no bases.
_ROOTS = frozenset({"abc.ABC", "builtins.BaseException"})


@dataclass(frozen=True, slots=True)
class TreeClass:
    """A class of the tree and the file that it is in."""

    path: str
    fact: ClassFact


@dataclass(slots=True)
class Hierarchy:
    """The class graph: an edge leads from a class to a base, both as qualified names.

    Classes are added when they are asked for, with all that they derive from. `incomplete` holds the classes with a
    base that is not known.
    """

    names: Names
    graph: nx.DiGraph[str] = field(default_factory=nx.DiGraph)
    tree_classes: dict[str, TreeClass] = field(default_factory=dict)
    incomplete: set[str] = field(default_factory=set)
    _facts: dict[tuple[str, str], ClassFact] = field(default_factory=dict)
    _redefined: set[tuple[str, str]] = field(default_factory=set)
    _orders: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def class_of(self, meaning: Meaning) -> ExceptionClass | None:
        """Return the class that a name means, None where it means none."""
        name = self.add(meaning)
        if name is None:
            return None
        ancestors = self.order(name)[1:]
        every = (name, *ancestors)
        certain = meaning.certain and not any(each in self.incomplete or self._makes_others(each) for each in every)
        return ExceptionClass(name.rpartition(".")[2], name, ancestors, certain)

    def is_redefined(self, name: str) -> bool:
        """Say whether a file defines a class more than once, or one that it derives from."""
        classes = (self.tree_classes.get(each) for each in self.order(name))
        return any((known.path, known.fact.scope) in self._redefined for known in classes if known is not None)

    def _makes_others(self, name: str) -> bool:
        known = self.tree_classes.get(name)
        # Calling it may give an object of another class.
        return known is not None and "__new__" in known.fact.methods

    def add(self, meaning: Meaning) -> str | None:
        """Put the class that a name means into the graph, and return its qualified name."""
        if meaning.qualified_name is not None:
            return self._add_outer(meaning.qualified_name)
        if meaning.path is None or meaning.scope is None:
            return None
        name = f"{self.names.modules.name(meaning.path)}.{meaning.scope}"
        if name not in self.graph:
            self.graph.add_node(name)
            fact = self._fact(meaning.path, meaning.scope)
            if fact is not None:
                self.tree_classes[name] = TreeClass(meaning.path, fact)
                if (meaning.path, meaning.scope) in self._redefined:
                    self.incomplete.add(name)
                self._add_bases(name, meaning.path, fact)
        return name

    def _fact(self, path: str, scope: str) -> ClassFact | None:
        if (path, scope) not in self._facts:
            facts = self.names.facts[path]
            for fact in facts.classes:
                # The last definition of a name is the one that is there when functions run.
                known = self._facts.get((path, fact.scope))
                if known is not None:
                    self._redefined.add((path, fact.scope))
                    # What one of them says is not what the others say.
                    fact = replace(fact, methods=fact.methods | known.methods)
                self._facts[path, fact.scope] = fact
        return self._facts.get((path, scope))

    def _add_bases(self, name: str, path: str, fact: ClassFact) -> None:
        for reference in fact.bases:
            meaning = self.names.resolve(path, reference)
            if (meaning.path, meaning.scope) == (path, fact.scope):
                # `class TimeoutError(TimeoutError)` derives from what the name meant before.
                meaning = self.names.resolve(path, replace(reference, scopes=reference.scopes[1:]))
            if reference.name == "object" or meaning.qualified_name in _TYPING_ONLY:
                continue
            base = self.add(meaning)
            is_circular = base is not None and nx.has_path(self.graph, base, name)
            if base is None or is_circular or not meaning.certain:
                self.incomplete.add(name)
            if base is not None and not is_circular:
                self.graph.add_edge(name, base)

    def _add_outer(self, name: str) -> str:
        if name not in self.graph:
            self.graph.add_node(name)
            bases = standard_bases(name)
            if not bases and name not in _ROOTS:
                self.incomplete.add(name)
            self.graph.add_edges_from((name, self._add_outer(base)) for base in bases)
        return name

    def order(self, name: str) -> tuple[str, ...]:
        """Return a class and its ancestors in the order of method resolution."""
        found = self._orders.get(name)
        if found is None:
            bases = list(self.graph.successors(name))
            merged, is_consistent = merge_orders([*map(self.order, bases), bases])
            if not is_consistent:
                # Python would refuse such a class.
                self.incomplete.add(name)
            found = self._orders[name] = (name, *merged)
        return found

    def is_no_exception(self, name: str) -> bool:
        """Say whether a class in the graph is known not to be an exception, so that raising it fails."""
        order = self.order(name)
        if "builtins.BaseException" in order or any(each in self.incomplete for each in order):
            return False
        # A decorator may make anything of a class.
        return not any(known.fact.decorators for each in order if (known := self.tree_classes.get(each)) is not None)

    def is_subclass(self, name: str, base: str) -> bool:
        """Say whether a class in the graph is another one or is known to derive from it."""
        return base in self.order(name)


def merge_orders(orders: Iterable[Sequence[str]]) -> tuple[list[str], bool]:
    """Merge the orders of the bases and the bases themselves into one (C3, as Python computes the MRO).

    Where the bases contradict each other, the first of them goes first and the answer says that it is not consistent.
    """
    pending = [list(order) for order in orders if order]
    merged: list[str] = []
    is_consistent = True
    while pending:
        heads = [order[0] for order in pending]
        fitting = [head for head in heads if not any(head in order[1:] for order in pending)]
        is_consistent &= bool(fitting)
        head = fitting[0] if fitting else heads[0]
        merged.append(head)
        # A head that stands further back elsewhere is taken out there as well.
        pending = [rest for order in pending if (rest := [each for each in order if each != head])]
    return merged, is_consistent
