"""Where an expression stands that is evaluated, and what it needs to be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

from extractor.facts import Argument, Entry, FunctionFact, Hole, Template
from extractor.link.calls import Bound
from extractor.model import Form


@dataclass(frozen=True, slots=True)
class Own:
    """The object that a method belongs to: its class, whether it may be of a subclass, and what is known of it.

    `args` are what `str()` of an exception shows, and `text` is what the `__str__` of its built-in base class makes of
    them; None where the object is no exception that was seen being made.
    """

    name: str
    exact: bool
    attributes: Mapping[str, Argument] = field(default_factory=dict)
    args: tuple[Argument, ...] | None = None
    text: tuple[Template, ...] | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """Where an expression stands: its file, what parameters hold, and the object that a method belongs to.

    `bound` is None for a raise statement itself, in whose terms everything is told. `owner` is the class that the
    method stands in, and `form` what texts that are made here are called. `given` are the parameters that do not have
    their default.
    """

    path: str
    bound: Bound | None = None
    own: Own | None = None
    owner: str | None = None
    form: Form | None = None
    depth: int = 0
    given: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Target:
    """A function that is called: its facts and file, and the object that it belongs to."""

    path: str
    fact: FunctionFact
    own: Own | None = None
    owner: str | None = None

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.fact.scope.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Table:
    """The entries of a table, each with the frame that it stands in, and the table's name if it has one.

    `is_open` says that an object may have been given other entries.
    """

    entries: Sequence[tuple[Entry, Frame]]
    name: str | None = None
    is_open: bool = False

    @classmethod
    def of(cls, entries: Sequence[Entry], frame: Frame, name: str | None = None) -> Table:
        """Return a table whose entries stand in one frame."""
        return cls([(entry, frame) for entry in entries], name)


class Evaluator(Protocol):
    """Evaluates what stands elsewhere, see `evaluation.Evaluation`."""

    def argument(self, argument: Argument, frame: Frame) -> Argument:
        """Return one argument in terms of the raise statement."""
        ...

    def templates(self, templates: Sequence[Template], frame: Frame) -> tuple[Template, ...]:
        """Return the texts that are possible here, in terms of the raise statement."""
        ...

    def known(self, templates: Sequence[Template], frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts of something that stands elsewhere, None where not all of them are known."""
        ...

    def returned(self, target: Target, arguments: Sequence[Argument], frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts that a call of a function gives, None where not all of them are known."""
        ...


def given_otherwise(expression: str) -> Template:
    """Return the text of what an object holds that was given something else than what its class has."""
    return Template((Hole((expression,)),), "none", is_text=True)


def by_way_of(via: str, texts: tuple[Template, ...] | None) -> tuple[Template, ...] | None:
    """Return the texts with the name that they came through."""
    return tuple(replace(text, via=via) for text in texts) if texts is not None else None
