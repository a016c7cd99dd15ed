"""What the callers of a function hand to it, where the function's message is one of its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from extractor.facts import Argument, CallFact, Construction, FileFacts, Hole, Named, Reference
from extractor.link.calls import UnknownCallError, bind
from extractor.link.evaluation import Evaluation
from extractor.link.frames import Frame, Target
from extractor.link.names import Meaning
from extractor.model import Guard

_MOST_CALLS = 64


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a construction as one call of its function makes them, in terms of the caller.

    `given` is the class where the call hands it over as well.
    """

    arguments: tuple[Argument, ...]
    guards: tuple[Guard, ...]
    path: str
    scope: str
    line: int | None
    given: Meaning | None = None

    @property
    def caller(self) -> str:
        """The name of the calling function."""
        return self.scope.rpartition(".")[2] or "<module>"


@dataclass(slots=True)
class Callers:
    """Finds calls over the facts of a tree. `wanted` collects the names of functions whose calls must be read."""

    evaluation: Evaluation
    facts: Mapping[str, FileFacts]
    wanted: set[str] = field(default_factory=set)
    _by_target: dict[tuple[str, str], list[tuple[str, CallFact, Target]]] | None = None

    def calls(self, path: str, scope: str, construction: Construction) -> list[Call]:
        """Return the calls of the function that a construction stands in, by path and place in the file."""
        name = scope.rpartition(".")[2]
        if not name or name.startswith("__") or construction.arguments is None:
            return []
        fact = self.evaluation.functions.function(path, scope)
        self.wanted.add(name)
        if fact is None:
            return []
        found: list[Call] = []
        for caller_path, call, target in self._of(path, scope):
            try:
                inside = self.evaluation.entered(target, call.arguments, Frame(caller_path))
                arguments = self.evaluation.arguments(construction.arguments, inside)
                given = self._given(construction, call, target, caller_path, inside)
            except UnknownCallError:
                continue
            found.append(Call(tuple(map(_seen, arguments)), call.guards, caller_path, call.scope, call.line, given))
        return found

    def _given(
        self, construction: Construction, call: CallFact, target: Target, caller: str, inside: Frame
    ) -> Meaning | None:
        """Return the class that a call hands over for the one of a construction, None where the default holds.

        Raises:
            UnknownCallError: It hands over something that is not known to be a class.

        """
        name = construction.reference.name if construction.reference is not None else ""
        if name not in inside.given:
            return None
        (given,) = bind(target.fact.parameters, call.arguments, lambda default: default)[name]
        reference = _named(given)
        meaning = self.evaluation.names.resolve(caller, reference) if reference is not None else None
        if meaning is None or not meaning.is_class:
            raise UnknownCallError("dynamic type")
        return meaning

    def _of(self, path: str, scope: str) -> Sequence[tuple[str, CallFact, Target]]:
        """Return the calls of a function, by whatever name."""
        if self._by_target is None:
            self._by_target = {}
            for caller, facts in sorted(self.facts.items()):
                for call in facts.calls:
                    target = self.evaluation.functions.target(call.reference, Frame(caller))
                    if target is not None:
                        key = (target.path, target.fact.scope)
                        self._by_target.setdefault(key, []).append((caller, call, target))
        return self._by_target.get((path, scope), ())[:_MOST_CALLS]


def _named(argument: Argument) -> Reference | None:
    """Return the name that an argument is, None where it is none that others know."""
    segments = argument.templates[0].segments if len(argument.templates) == 1 else ()
    hole = segments[0] if len(segments) == 1 else None
    source = hole.source if isinstance(hole, Hole) else None
    return source.reference if isinstance(source, Named) else None


def _seen(argument: Argument) -> Argument:
    # By way of what the caller has it says nothing to the callee's reader, who is told of the caller.
    return replace(argument, templates=tuple(replace(template, via=None) for template in argument.templates))
