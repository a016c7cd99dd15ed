"""The data of a path through a function: the conditions that were passed, and what local names hold.

A `Flow` never changes; `flow` makes new ones.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum

import libcst as cst

from extractor.facts import Reference
from extractor.model import Guard


@dataclass(frozen=True, slots=True)
class Condition:
    """A guard and the dotted names that its text reads, and those that what it is expanded to reads.

    `node` is the test it comes from, and `values` what was known where that was evaluated. `passed` is
    what holds of all that follows, as an early exit does, and not only of the block that it comes from.
    """

    guard: Guard
    names: frozenset[str]
    expanded_names: frozenset[str] = frozenset()
    node: cst.BaseExpression | None = field(default=None, compare=False)
    values: Mapping[str, Value] | None = field(default=None, compare=False)
    passed: bool = field(default=False, compare=False)


@dataclass(frozen=True, slots=True, eq=False)
class Flag:
    """What a local name was set to, where that is a test and nothing in it has changed since."""

    text: str
    names: frozenset[str]
    atomic: bool


class Known(Enum):
    """What can be said of a name that has no single definition; `OWN` is the object that a method belongs to.

    `DECLARED` is what an import, a function or a class statement binds, of which the scopes know more.
    """

    DECLARED = "declared"
    OWN = "own"
    PARAMETER = "parameter"


class Unknown:
    """A value of which nothing is known but that it is another one than before."""

    __slots__ = ()


@dataclass(frozen=True, slots=True, eq=False)
class Definition:
    """The one assignment that a local name has its value from, and what was known where it stands.

    `line` is that of an assignment whose value is a conditional expression, else None. `order` counts up in source
    order. `changed` are the attributes of the value that were set since.
    """

    value: cst.BaseExpression
    values: Mapping[str, Value]
    line: int | None = None
    order: int = 0
    changed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class Caught:
    """A name that an except clause binds, with the classes of that clause; None where they are no plain names."""

    references: tuple[Reference, ...] | None


Conditions = tuple[Condition, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """The assignments that can reach this point, each with the conditions of the way that it comes by."""

    ways: tuple[tuple[Definition, Conditions], ...]


@dataclass(frozen=True, slots=True, eq=False)
class Gathered:
    """A list that items are appended to: where it began, and each item with what it needs to be put in.

    Conditions that held where the list began are among them.
    """

    start: Definition
    items: tuple[tuple[Definition, Conditions], ...]


Value = Known | Unknown | Definition | Choice | Caught | Gathered


@dataclass(frozen=True, slots=True)
class Flow:
    """The state at one point: path condition, local values by name, and whether control gets here at all.

    `flags` holds the local names whose value is that of a test still. `doubtful` says that only a context manager which
    swallows what leaves its block could lead here. In a `function` a name that is set later on is nobody else's.
    """

    conditions: Conditions = ()
    values: Mapping[str, Value] = field(default_factory=dict)
    reachable: bool = True
    doubtful: bool = False
    flags: Mapping[str, Flag] = field(default_factory=dict)
    in_function: bool = False


@dataclass(frozen=True, slots=True)
class Rounds:
    """The rounds of a loop: the flow before all of them, and what stands for a name's value at the start of any."""

    before: Flow
    starts: Mapping[str, Definition]


@dataclass(slots=True)
class Frame:
    """An open compound statement: the flow before it, the ways out of it so far, and what its kind needs besides."""

    before: Flow
    outcomes: list[Flow] = field(default_factory=list)
    breaks: list[Flow] | None = None
    continues: list[Flow] = field(default_factory=list)
    rounds: Rounds = field(default_factory=lambda: Rounds(Flow(), {}))
    lists: Mapping[str, Value] = field(default_factory=dict)
    passed: Conditions = ()
    line: int = 0
    depth: int = 0
    changed: frozenset[str] = frozenset()
    jumps: tuple[int, int] = (0, 0)
    handler_jumps: tuple[int, int] = (0, 0)
    assigns: bool = False
