"""The state of a visit: the functions and classes that are open, and what was found so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import libcst as cst

from extractor.facts import (
    NOTHING,
    Binding,
    CallFact,
    Catcher,
    ClassFact,
    DocumentedRaise,
    RaiseSite,
    Reference,
    Wanted,
)
from extractor.model import Handler
from extractor.scan.calls import CallLines
from extractor.scan.classes import OpenClass
from extractor.scan.constants import Constants
from extractor.scan.definitions import Definitions
from extractor.scan.exits import Exits
from extractor.scan.functions import (
    OpenFunction,
    OpenInitializer,
)
from extractor.scan.handlers import (
    AnyTry,
)
from extractor.scan.known import Caught, Flow
from extractor.scan.own_methods import OwnMethods
from extractor.scan.own_object import OwnObject
from extractor.scan.path import Path
from extractor.scan.positions import Positions
from extractor.scan.scopes import Scopes
from extractor.scan.surroundings import Surroundings

# Builtins that make texts, as long as they are not something else.
TEXT_BUILTINS = frozenset({"repr", "str"})


@dataclass(slots=True)
class Body:
    """The function (or the module) whose statements are being visited."""

    path: Path
    is_stub: bool = False
    annotated: frozenset[str] = frozenset()
    initializer: OpenInitializer | None = None
    function: OpenFunction | None = None
    tries: list[AnyTry] = field(default_factory=list)
    handlers: list[tuple[Handler | None, Caught]] = field(default_factory=list)
    catchers: list[tuple[Catcher, ...]] = field(default_factory=list)
    matches: list[cst.Match] = field(default_factory=list)
    decorators: tuple[Reference, ...] = ()
    definitions: tuple[cst.FunctionDef | cst.ClassDef, ...] = ()
    documented: tuple[DocumentedRaise, ...] | None = None


class Visit:
    """A module that is being visited. `sites`, `classes`, `functions`, `constants` and `scopes` are the result.

    `wanted` says what others take from the file.
    """

    def __init__(
        self,
        positions: Positions,
        lines: Sequence[str],
        methods: OwnMethods,
        swallowing: frozenset[str] = frozenset(),
        *,
        context: int,
        wanted: Wanted = NOTHING,
    ) -> None:
        self.sites: list[RaiseSite] = []
        self.classes: list[ClassFact] = []
        self.functions = Definitions()
        self.calls: list[CallFact] = []
        self.scopes = Scopes()
        self.constants = Constants(self.scopes)
        self._wanted, self._called = wanted.functions, wanted.calls
        self._positions, self._lines, self._context = positions, lines, context
        self._methods, self._swallowing = methods, swallowing
        self._order = count()
        self._bodies = [Body(self._path(Flow()))]
        self._open_classes: list[OpenClass] = []
        # A function of its parts and not of the whole, which would keep itself and its trees alive.
        classes, scopes = self._open_classes, self.scopes
        self.path.settled = lambda name: not classes and scopes.is_settled(name)
        bodies = self._bodies
        self.scopes.is_reached = lambda: bodies[-1].path.flow.reachable
        self._outer_flows: list[Flow] = []
        self._line: int | None = None
        self._last_line = 1
        self._call_lines = CallLines(lines)
        # The builtins and the names of translations that are something else in this module.
        self.shadowed: frozenset[str] = frozenset()
        self._exits: Exits
        # The functions of the module that set its variables.
        self._setters: dict[str, frozenset[str]] = {}

    def _path(self, flow: Flow, own: OwnObject | None = None) -> Path:
        return Path(flow, self.scopes.full_name, self._order, own)

    @property
    def path(self) -> Path:
        """The path through the innermost function."""
        return self._bodies[-1].path

    @property
    def _body(self) -> Body:
        return self._bodies[-1]

    def line(self, node: cst.CSTNode) -> int:
        """The line that a node starts on."""
        self._last_line = self._positions.of(node).line
        return self._last_line

    def references(self) -> list[Reference]:
        """Every reference in the facts."""
        return [
            *self.scopes.referred,
            *(reference for site in self.sites for reference in _site_references(site)),
            *(reference for each in self.classes for reference in (*each.bases, *each.decorators)),
        ]

    def _around(self, flow: Flow, line: int = 0, *, exported: bool = False) -> Surroundings:
        return Surroundings(
            values=flow.values,
            line=line,
            shadowed=self.shadowed,
            now=flow.values,
            constant=self.scopes.constant,
            full_name=self.scopes.full_name,
            refer=self.scopes.refer,
            exported=exported,
            annotated=self._body.annotated,
        )

    def _around_for_others(self, flow: Flow) -> Surroundings:
        return self._around(flow, exported=True)

    def _innermost_class(self, scope: str) -> OpenClass | None:
        innermost = self._open_classes[-1] if self._open_classes else None
        return innermost if innermost is not None and scope.rpartition(".")[0] == innermost.scope else None

    def _class_here(self) -> OpenClass | None:
        innermost = self._open_classes[-1] if self._open_classes else None
        return innermost if innermost is not None and innermost.scope == self.scopes.current else None

    def _bind(self, names: Sequence[str], kind: Any = "variable") -> None:
        for name in names:
            self.scopes.bind(name, Binding(kind))


def _site_references(site: RaiseSite) -> list[Reference]:
    return [
        *(each.reference for each in site.constructions if each.reference is not None),
        *site.decorators,
        *(reference for clauses in site.catchers for clause in clauses for reference in clause.references),
    ]
