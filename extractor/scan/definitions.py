"""Functions that are defined more than once by the same name: what a caller of it may get."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from extractor.contradictions import contradict
from extractor.facts import FunctionFact, Initializer
from extractor.model import Guard

# The conditions of a definition; none where it is always made.
Guards = tuple[Guard, ...]


@dataclass(slots=True)
class Definitions:
    """The functions of one file in source order."""

    _found: dict[str, list[tuple[FunctionFact, Guards]]] = field(default_factory=dict)

    def add(self, fact: FunctionFact, guards: Guards) -> None:
        """Note a function; one without conditions takes the place of those before it."""
        if not guards:
            self._found.pop(fact.scope, None)
        self._found.setdefault(fact.scope, []).append((fact, guards))

    def hide(self, scope: str) -> None:
        """Note that a class has something else by the name of a function that was noted."""
        if scope in self._found:
            self._found[scope] = [(_unknown(fact), guards) for fact, guards in self._found[scope]]

    def facts(self) -> tuple[FunctionFact, ...]:
        """Return one fact for each name: what it gives is what one of its definitions gives."""
        return tuple(map(_one, self._found.values()))


def _one(found: Sequence[tuple[FunctionFact, Guards]]) -> FunctionFact:
    first, *others = (fact for fact, _ in found)
    # A class that defines none of them has what its bases have.
    if first.kind != "function" and not is_always([guards for _, guards in found]):
        return _unknown(first)
    for other in others:
        first = _either(first, other)
    return first


def _either(first: FunctionFact, other: FunctionFact) -> FunctionFact:
    if replace(first, texts=None, makes=None) != replace(other, texts=None, makes=None):
        return _unknown(first)
    texts, makes = (first.texts, other.texts), (first.makes, other.makes)
    return replace(
        first,
        texts=tuple(dict.fromkeys(each for every in texts for each in every or ())) if None not in texts else None,
        makes=tuple(dict.fromkeys(each for every in makes for each in every or ())) if None not in makes else None,
    )


def _unknown(fact: FunctionFact) -> FunctionFact:
    return replace(fact, texts=None, makes=None, annotation=None)


def is_always(definitions: Sequence[Guards]) -> bool:
    """Say whether one of the definitions with these conditions is made, whatever they come out as."""
    if () in definitions:
        return True
    # `if` and `else`
    is_pair = [len(guards) for guards in definitions] == [1, 1]
    return is_pair and contradict([guard for guards in definitions for guard in guards])


def initializer_of(found: Sequence[tuple[Initializer, Guards]], *, is_hidden: bool) -> Initializer | None:
    """Return the `__init__` of a class, one that cannot be followed where it may be one or another."""
    if not found:
        return None
    initializer, guards = found[-1]
    return initializer if not guards and not is_hidden else replace(initializer, reason="constructor")
