"""What is known where an expression stands: local values, constants, and what names refer to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count

import libcst as cst

from extractor.contradictions import contradict
from extractor.facts import BASE, Argument, Reference
from extractor.model import Guard
from extractor.scan.known import Choice, Condition, Conditions, Definition, Gathered, Known, Value
from extractor.scan.writer import dotted_name

_MOST_STEPS = 8
_MOST_FOLLOWED = 128
# `message.argument_of`: from an expression and its surroundings, and a keyword and a star if there are any.
ArgumentOf = Callable[..., Argument]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known where an expression stands: local values, the line for guards, and the steps followed so far.

    `followed` counts all definitions that were followed from the first place on, which double with each step.
    `shadowed` holds the builtins that are something else here. `now` holds the local values where the text is used.
    `constant` finds the assignments of a variable of the module or a function around, `full_name` what a dotted name
    stands for, and `refer` makes the reference by which link finds what is defined elsewhere; without it nothing is
    looked for. `exported` says that others use the text, to whom local names mean nothing. `annotated` are the
    parameters that are said to be of one class.
    """

    values: Mapping[str, Value]
    line: int
    steps: int = 0
    followed: Iterator[int] = field(default_factory=count)
    shadowed: frozenset[str] = frozenset()
    now: Mapping[str, Value] = field(default_factory=dict)
    constant: Callable[[str], tuple[Definition, ...]] = field(default=lambda name: ())
    full_name: Callable[[str], str | None] = field(default=lambda name: name)
    refer: Callable[[str], Reference] | None = None
    exported: bool = False
    annotated: frozenset[str] = frozenset()

    def parameters(self) -> frozenset[str]:
        """The parameters of the function that were not rebound up to here."""
        return _parameters(self.values)

    @property
    def is_held(self) -> bool:
        """Whether the expression is the value of a name, and not written where it is used."""
        return self.steps > 0

    def stable(self) -> frozenset[str]:
        """The parameters that are never rebound up to where the text is used, so that a test of them has one answer."""
        return _parameters(self.now)

    def has_both(self, guards: Sequence[Guard]) -> bool:
        """Say whether these conditions contradict each other."""
        return len(guards) > 1 and contradict(guards, self.stable())

    def guard_of(self, condition: Condition) -> Guard:
        """Return the guard of a condition, stale if what it reads holds something else where the text is used."""
        guard = condition.guard
        is_stale = not guard.stale and self.has_changed(condition.names)
        return replace(guard, stale=True) if is_stale else guard

    def definitions(self, name: str) -> tuple[tuple[Definition, Conditions], ...]:
        """The definitions of a local name that reach this place, each with what it needs; none where not all are known.

        Definitions are followed only for some steps.
        """
        value = self.values.get(name)
        if value is None or self.steps >= _MOST_STEPS or next(self.followed) >= _MOST_FOLLOWED:
            return ()
        if isinstance(value, Choice):
            return value.ways
        return ((value, ()),) if isinstance(value, Definition) else ()

    def constants(self, name: str) -> tuple[tuple[Definition, Conditions], ...]:
        """The definitions of a variable from around, in the form of `definitions`; none where it is a local name."""
        found = self.constant(name) if name not in self.values and self.steps < _MOST_STEPS else ()
        return tuple((definition, ()) for definition in found)

    def gathered(self, name: str) -> Gathered | None:
        """The list that a local name holds, if all that was put into it is known."""
        value = self.values.get(name)
        return value if isinstance(value, Gathered) and self.steps < _MOST_STEPS else None

    def at(self, definition: Definition) -> Surroundings:
        """The surroundings of the definition's own place."""
        return replace(self, values=definition.values, line=definition.line or self.line, steps=self.steps + 1)

    def has_changed(self, names: Iterable[str]) -> bool:
        """Say whether one of these dotted names holds something else where the text is used."""
        return self.values is not self.now and any(
            self.values.get(path) is not self.now.get(path) for name in names for path in _prefixes(name)
        )

    def reference(self, name: str | None) -> Reference | None:
        """Return a reference to a dotted name, None where it is a local one that nobody else knows."""
        if name is None or self.refer is None:
            return None
        parts = name.split(".")
        for end in range(1, len(parts) + 1):
            value = self.values.get(".".join(parts[:end]))
            # What class a parameter is of may be written beside it.
            is_annotated = value is Known.PARAMETER and end == 1 < len(parts) and parts[0] in self.annotated
            if value not in {None, Known.DECLARED, Known.OWN} and not is_annotated:
                return None
        return self.refer(name)


def _parameters(values: Mapping[str, Value]) -> frozenset[str]:
    return frozenset(name for name, value in values.items() if value is Known.PARAMETER)


def _prefixes(name: str) -> Iterator[str]:
    """Yield what a dotted name begins with: `a`, `a.b` and `a.b.c`."""
    parts = name.split(".")
    return (".".join(parts[: end + 1]) for end in range(len(parts)))


def looked_up_name(node: cst.BaseExpression) -> str | None:
    """Return the dotted name of an expression, with `type(self)` written as an attribute and `super()` as a name."""
    parts: list[str] = []
    while isinstance(node, cst.Attribute):
        parts.append(node.attr.value)
        node = node.value
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Name):
        function = node.func.value
        if function == "super" and parts and not node.args:
            return ".".join([BASE, *reversed(parts)])
        argument = dotted_name(node.args[0].value) if len(node.args) == 1 else None
        if function == "type" and argument is not None and "." not in argument:
            return ".".join([argument, "__class__", *reversed(parts)])
        return None
    return ".".join([node.value, *reversed(parts)]) if isinstance(node, cst.Name) else None
