"""What the callers of a function hand to it, where the function's message is one of its parameters."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from extractor.facts import Argument, CallFact, Construction, FileFacts
from extractor.link.calls import UnknownCallError
from extractor.link.evaluation import Evaluation
from extractor.link.frames import Frame, Target
from extractor.model import Guard

_MOST_CALLS = 64


@dataclass(frozen=True, slots=True)
class Call:
    """The arguments of a construction as one call of its function makes them, in terms of the caller."""

    arguments: tuple[Argument, ...]
    guards: tuple[Guard, ...]
    path: str
    scope: str
    line: int | None

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
            except UnknownCallError:
                continue
            found.append(Call(tuple(map(_seen, arguments)), call.guards, caller_path, call.scope, call.line))
        return found

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


def _seen(argument: Argument) -> Argument:
    # By way of what the caller has it says nothing to the callee's reader, who is told of the caller.
    return replace(argument, templates=tuple(replace(template, via=None) for template in argument.templates))
