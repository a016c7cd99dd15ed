"""Collects the facts of one module while the visitor walks it: keeps scope, path and handlers in step."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import libcst as cst

from extractor.facts import (
    BASE,
    NOTHING,
    Binding,
    CallFact,
    Catcher,
    ClassFact,
    DocumentedRaise,
    FunctionFact,
    RaiseSite,
    Reference,
    Wanted,
)
from extractor.model import Handler
from extractor.scan.bindings import OwnObject, handler_names, import_names, pattern_names
from extractor.scan.calls import calls_in
from extractor.scan.classes import OpenClass, base_references, is_dataclass
from extractor.scan.constants import Constants
from extractor.scan.decorators import decorator_references
from extractor.scan.docstrings import docstring_of, documented_raises
from extractor.scan.exits import Exits
from extractor.scan.flow import Caught, Definition, Flow, Known, change, define
from extractor.scan.functions import (
    OpenFunction,
    OpenInitializer,
    annotated_class,
    kind_of,
    own_parameter,
    parameters_of,
)
from extractor.scan.handlers import (
    AnyHandler,
    AnyTry,
    caught_references,
    finally_catcher,
    handler_record,
    try_catchers,
    with_catchers,
)
from extractor.scan.locate import looks_like_exception
from extractor.scan.own_methods import OwnMethods
from extractor.scan.path import Path
from extractor.scan.positions import Positions, may_be_conditional
from extractor.scan.raise_site import Place, is_stub, raise_site
from extractor.scan.scopes import Scopes
from extractor.scan.surroundings import Surroundings
from extractor.scan.writer import dotted_name, target_names

# What `str()` of a built-in exception is made of.
_TEXT_ATTRIBUTES = frozenset({"args", "errno", "filename", "msg", "strerror"})


# What a class is made by: here the docstring of the class speaks as well.
_MAKERS = frozenset({"__init__", "__new__", "__post_init__"})
_GLOBAL = re.compile(r"\s*global\s+(.*)")
# Builtins that make texts, as long as they are not something else.
_TEXT_BUILTINS = frozenset({"repr", "str"})
# Methods that say what an exception is made of, whoever asks for them.
_SPEAKING = frozenset({"__str__", "__repr__"})


@dataclass(slots=True)
class Body:
    """The function (or the module) whose statements are being visited."""

    path: Path
    is_stub: bool = False
    annotated: frozenset[str] = frozenset()
    initializer: OpenInitializer | None = None
    function: OpenFunction | None = None
    tries: list[AnyTry] = field(default_factory=list)
    handlers: list[tuple[Handler, Caught]] = field(default_factory=list)
    catchers: list[tuple[Catcher, ...]] = field(default_factory=list)
    matches: list[cst.Match] = field(default_factory=list)
    decorators: tuple[Reference, ...] = ()
    definitions: tuple[cst.FunctionDef | cst.ClassDef, ...] = ()
    documented: tuple[DocumentedRaise, ...] | None = None


class Collector:
    """What the visitor reports to. `sites`, `classes`, `functions`, `constants` and `scopes` are the result.

    `wanted` says what others take from the file.
    """

    def __init__(
        self,
        positions: Positions,
        lines: Sequence[str],
        methods: OwnMethods,
        *,
        context: int,
        wanted: Wanted = NOTHING,
    ) -> None:
        self.sites: list[RaiseSite] = []
        self.classes: list[ClassFact] = []
        self.functions: list[FunctionFact] = []
        self.calls: list[CallFact] = []
        self.scopes = Scopes()
        self.constants = Constants(self.scopes)
        self._wanted, self._called = wanted.functions, wanted.calls
        self._positions, self._lines, self._context = positions, lines, context
        self._methods = methods
        self._order = count()
        self._bodies = [Body(self._path(Flow()))]
        self._open_classes: list[OpenClass] = []
        self._outer_values: list[Any] = []
        self._line: int | None = None
        self._exits: Exits

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
        return self._positions.of(node).line

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
            shadowed=frozenset(name for name in _TEXT_BUILTINS if self.scopes.is_own(name)),
            now=flow.values,
            constant=self.scopes.constant,
            full_name=self.scopes.full_name,
            refer=self.scopes.refer,
            exported=exported,
            annotated=self._body.annotated,
        )

    def _around_for_others(self, flow: Flow) -> Surroundings:
        return self._around(flow, exported=True)

    # Module, functions and classes

    def open_module(self, node: cst.Module) -> None:
        """Enter the module."""
        declared = (found[1] for line in self._lines if (found := _GLOBAL.match(line)))
        declared_global = {name.strip() for names in declared for name in names.split(",")}
        self.scopes.foresee(node, declared_global)
        self._exits = Exits(node, self._lines, self.scopes, declared_global=declared_global)

    def open_function(self, node: cst.FunctionDef) -> None:
        """Enter a function: a new path, on which only its parameters are known."""
        self.line(node)
        self.scopes.bind(node.name.value, Binding("function", self.scopes.qualified(node.name.value)))
        self.path.change(node)
        self._declare_names([node.name.value])
        owner = self._class_here()
        if owner is not None:
            owner.method(node)
        kind = kind_of(node, is_method=owner is not None)
        own = own_parameter(node, kind)
        decorators = decorator_references(node, self.scopes.lookup(), 0)
        self.scopes.open(node.name.value, is_class=False)
        values: dict[str, Any] = {}
        for param in parameters_of(node.params):
            name = param.name.value
            is_own = name == own and owner is not None
            default = dotted_name(param.default) if param.default is not None else None
            bound = Binding("parameter", default or "", annotated_class(param))
            if is_own and owner is not None:
                bound = Binding("own", owner.scope)
            self.scopes.bind(name, bound)
            values[name] = Known.OWN if is_own else Known.PARAMETER
        flow = Flow(values=values, reachable=self.path.flow.reachable)
        body = Body(
            self._path(flow, self._own_object(own, owner, values)),
            is_stub(node),
            decorators=decorators,
            definitions=(node,),
            annotated=frozenset(each.name.value for each in parameters_of(node.params) if annotated_class(each)),
        )
        name = node.name.value
        if owner is not None and owner.node is not None and name in _MAKERS:
            body.definitions = (node, owner.node)
        if owner is not None and name in owner.initializers:
            body.initializer = OpenInitializer(node, self._around_for_others)
        elif name in self._wanted or (owner is not None and (name in _SPEAKING or owner.looks_like_exception)):
            scope, lookup = self.scopes.current, self.scopes.lookup()
            body.function = OpenFunction(node, kind, scope, lookup, self._around_for_others)
        self._bodies.append(body)

    def _own_object(self, name: str | None, owner: OpenClass | None, parameters: Collection[str]) -> OwnObject | None:
        """Return the object whose methods a function with these parameters can call, if need be of one around it."""
        if owner is not None:
            return self._methods.own_object(name, owner.line) if name is not None else None
        around = self.path.own
        return around if around is not None and around.name not in parameters else None

    def close_function(self, node: cst.FunctionDef) -> None:
        """Leave a function."""
        body = self._bodies.pop()
        flow = body.path.flow
        owner = self._innermost_class(self.scopes.current)
        if body.initializer is not None and owner is not None:
            owner.initializer = body.initializer.fact(flow)
        if body.function is not None:
            self.functions.append(body.function.fact(flow))
        self.scopes.close()

    def _innermost_class(self, scope: str) -> OpenClass | None:
        innermost = self._open_classes[-1] if self._open_classes else None
        return innermost if innermost is not None and scope.rpartition(".")[0] == innermost.scope else None

    def open_class(self, node: cst.ClassDef) -> None:
        """Enter a class body, which runs in line, with names of its own."""
        line = self.line(node)
        scope = self.scopes.qualified(node.name.value)
        bases = base_references(node, self.scopes.lookup(), line)
        decorators = decorator_references(node, self.scopes.lookup(), line)
        self.scopes.bind(node.name.value, Binding("class", scope))
        self.scopes.open(node.name.value, is_class=True)
        header = " ".join([node.name.value, *(base.name for base in bases)])
        is_exception = looks_like_exception(header.encode())
        self._open_classes.append(
            OpenClass(scope, line, bases, is_exception, is_dataclass(node), decorators=decorators, node=node)
        )
        self._outer_values.append(self.path.flow.values)

    def close_class(self, node: cst.ClassDef) -> None:
        """Leave a class body."""
        self.classes.append(self._open_classes.pop().fact())
        self.scopes.close()
        self.path.flow = replace(self.path.flow, values=self._outer_values.pop(), flags={})
        self.path.change(node)
        self._declare_names([node.name.value])

    def _class_here(self) -> OpenClass | None:
        innermost = self._open_classes[-1] if self._open_classes else None
        return innermost if innermost is not None and innermost.scope == self.scopes.current else None

    def _bind(self, names: Sequence[str], kind: Any = "variable") -> None:
        for name in names:
            self.scopes.bind(name, Binding(kind))

    # Compound statements that bind or catch

    def open_for(self, node: cst.For) -> None:
        """Enter a `for` loop."""
        self._bind(target_names(node.target))
        self.path.open_for(node, self.line(node))

    def open_with(self, node: cst.With) -> None:
        """Enter a `with` statement."""
        self._bind([name for item in node.items if item.asname for name in target_names(item.asname.name)])
        self.path.open_with(node, self.line(node))
        self._body.catchers.append(with_catchers(node, self.scopes))

    def close_with(self, node: cst.With) -> None:
        """Leave a `with` statement."""
        self.path.close_with(node, swallows=bool(self._body.catchers.pop()))

    def open_match(self, node: cst.Match) -> None:
        """Enter a `match` statement."""
        self._body.matches.append(node)
        self.path.open_match(node)

    def open_case(self, node: cst.MatchCase) -> None:
        """Enter a case."""
        self._bind(list(pattern_names(node.pattern)))
        self.path.open_case(self._body.matches[-1].subject, node, self.line(node))

    def close_match(self, node: cst.Match) -> None:
        """Leave a `match` statement."""
        self._body.matches.pop()
        self.path.close_match(node)

    def open_try(self, node: AnyTry) -> None:
        """Enter the body of a `try`."""
        body = self._body
        body.tries.append(node)
        body.catchers += [finally_catcher(node), try_catchers(node, self.scopes.lookup())]
        self.path.open_try(self.line(node))

    def turn_to_handlers(self) -> None:
        """End the body of a `try`; its except clauses catch nothing from here on."""
        self._body.catchers.pop()
        self.path.turn_to_handlers()

    def open_handler(self, node: AnyHandler) -> None:
        """Enter an except clause."""
        body, line = self._body, self.line(node)
        tried = body.tries[-1].body
        self._bind(list(handler_names(node)), "caught")
        caught = Caught(caught_references(node, self.scopes.lookup(), line))
        body.handlers.append((handler_record(node, tried, line), caught))
        self.path.open_handler(node, tried, line, caught)

    def close_handler(self, node: AnyHandler) -> None:
        """Leave an except clause."""
        self._body.handlers.pop()
        self.path.close_handler(node)

    def turn_to_try_else(self, node: AnyTry) -> None:
        """Go to the `else` of a `try`, be it there or not."""
        self.path.turn_to_try_else(node)

    def turn_to_finally(self, node: AnyTry) -> None:
        """Go to the `finally` of a `try`, be it there or not."""
        self._body.catchers.pop()
        self.path.turn_to_finally(node)

    def close_try(self, node: AnyTry) -> None:
        """Leave a `try`."""
        self._body.tries.pop()
        self.path.close_try(node)

    # Small statements

    def statement(self, node: cst.CSTNode) -> None:
        """Pass a small statement, one of `SMALL_STATEMENTS`."""
        self._line = self._line_of_items(node) if isinstance(node, cst.Expr) else None
        if self._called:
            flow, line = self.path.flow, self._line or 0
            self.calls += calls_in(node, self._called, self.scopes.current, flow, lambda: self._around(flow, line))
        SMALL_STATEMENTS[type(node)](self, node)

    def _raise(self, node: cst.Raise) -> None:
        body = self._body
        span = self._positions.of(node)
        flow = change(self.path.flow, body.path.shared)
        place = Place(
            scope=self.scopes.current,
            lookup=self.scopes.lookup(),
            span=span,
            flow=flow,
            around=self._around(flow, span.line),
            handlers=body.handlers,
            catchers=body.catchers,
            is_stub=body.is_stub,
            documented=self._documented(),
            decorators=body.decorators,
        )
        self.sites.append(raise_site(node, place, self._lines, context=self._context))
        self.path.leave()

    def _documented(self) -> tuple[DocumentedRaise, ...]:
        body = self._body
        if body.documented is None:
            found = (documented_raises(docstring_of(each)) for each in body.definitions)
            body.documented = next(filter(None, found), ())
        return body.documented

    def _return(self, node: cst.Return) -> None:
        body = self._body
        if body.function is not None:
            body.function.returned(node.value, self.path.flow)
        if node.value is not None:
            self._handed_on(node.value)
        if body.initializer is not None:
            body.initializer.exits.append(self.path.flow)
        self.path.leave()

    def _assert(self, node: cst.Assert) -> None:
        self.path.check(node, self.line(node))

    def _expression(self, node: cst.Expr) -> None:
        self._handed_on(node.value)
        if self._body.function is not None and isinstance(node.value, cst.Yield):
            # What a generator returns is not what a call of it gives.
            self._body.function.is_followed = False
        self.path.evaluate(node, self._line)
        self._leave_by(node.value)

    def _leave_by(self, node: cst.BaseExpression) -> None:
        if self._exits.is_exit(node, self.scopes.current, self.scopes.full_name, self.path.flow.values):
            self.path.leave()

    def _line_of_items(self, node: cst.Expr) -> int | None:
        call = node.value
        if not isinstance(call, cst.Call) or call.lpar:
            return None
        values = [each.value for each in call.args if each.keyword is None and not each.star]
        return self.line(node) if any(map(may_be_conditional, values)) else None

    def _handed_on(self, node: cst.BaseExpression) -> None:
        initializer = self._body.initializer
        if initializer is not None and initializer.expression(node, self.path.flow):
            self.path.flow = define(self.path.flow, {BASE: Definition(node, {})})

    def _assign(self, node: cst.Assign) -> None:
        targets = [target.target for target in node.targets]
        self._bound(node, targets, node.value)
        owner = self._class_here()
        if owner is not None:
            owner.assigned(node)

    def _annotated(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self._bound(node, [node.target], node.value)
        elif isinstance(node.target, cst.Name):
            self._bind([node.target.value])
        owner = self._class_here()
        if owner is not None:
            owner.annotated(node, self._around_for_others(self.path.flow))

    def _augmented(self, node: cst.AugAssign) -> None:
        is_sum = isinstance(node.operator, cst.AddAssign) and isinstance(node.target, cst.Name)
        value = cst.BinaryOperation(node.target, cst.Add(), node.value) if is_sum else None
        self._bound(node, [node.target], value)

    def _bound(
        self, node: cst.BaseSmallStatement, targets: Sequence[cst.BaseExpression], value: cst.BaseExpression | None
    ) -> None:
        has_landmark = may_be_conditional(value) and not isinstance(node, cst.AugAssign)
        line = self.line(node) if has_landmark else None
        self.scopes.bind_assignment(targets, value)
        if self._body.initializer is not None:
            self._body.initializer.assigned(targets)
            if value is not None:
                self._handed_on(value)
        if self.scopes.is_outside_functions:
            self.constants.assigned(targets, value, self._around_for_others(self.path.flow), self.path.flow)
        before = self.path.flow.values
        self.path.change(node)
        names = [name for target in targets if (name := self._defined_name(target)) is not None]
        remade = [name for target in targets if (name := _remade(target)) is not None]
        self.path.flow = change(self.path.flow, remade) if remade else self.path.flow
        if value is not None:
            self.path.define(names, value, before, line)
            self._leave_by(value)

    def _defined_name(self, target: cst.BaseExpression) -> str | None:
        """Return the name whose value an assignment sets: a plain one, or an attribute of the own object."""
        name = dotted_name(target)
        owner, _, attribute = (name or "").partition(".")
        is_own = self.path.flow.values.get(owner) is Known.OWN and attribute.isidentifier()
        return name if isinstance(target, cst.Name) or is_own else None

    def _import(self, node: cst.Import) -> None:
        self.scopes.bind_import(node)
        self._imported(node)

    def _import_from(self, node: cst.ImportFrom) -> None:
        self.scopes.bind_import_from(node)
        self._imported(node)

    def _imported(self, node: cst.Import | cst.ImportFrom) -> None:
        self.path.change(node)
        self._declare_names(import_names(node))

    def _declare_names(self, names: Iterable[str]) -> None:
        """Note names that a statement binds to what the scopes know."""
        self.path.flow = define(self.path.flow, dict.fromkeys(names, Known.DECLARED))

    def _declare(self, node: cst.Global | cst.Nonlocal) -> None:
        names = [item.name.value for item in node.names]
        self.scopes.declare_foreign(names)
        if isinstance(node, cst.Nonlocal):
            # From here on the functions around can find any value in them.
            for body in self._bodies[:-1]:
                self._share(body, names)
        else:
            # A module's variable may be set by any function that is called.
            self._share(self._body, names)
            self._share(self._bodies[0], names)

    def _share(self, body: Body, names: Sequence[str]) -> None:
        body.path.shared.update(names)
        body.path.flow = change(body.path.flow, names)

    def _delete(self, node: cst.Del) -> None:
        self.path.change(node)

    def _type_alias(self, node: cst.TypeAlias) -> None:
        self._bind([node.name.value])
        self.path.change(node)


def _remade(target: cst.BaseExpression) -> str | None:
    """Return the name of an exception whose text an assignment to an attribute changes."""
    if isinstance(target, cst.Attribute) and target.attr.value in _TEXT_ATTRIBUTES:
        return dotted_name(target.value)
    return None


def _site_references(site: RaiseSite) -> list[Reference]:
    return [
        *(each.reference for each in site.constructions if each.reference is not None),
        *site.decorators,
        *(reference for clauses in site.catchers for clause in clauses for reference in clause.references),
    ]


# The statements that hold no others and mean something on the way to a raise.
SMALL_STATEMENTS: dict[type[cst.CSTNode], Any] = {
    cst.Raise: Collector._raise,
    cst.Return: Collector._return,
    cst.Continue: lambda collector, node: collector.path.next_round(),
    cst.Break: lambda collector, node: collector.path.leave_loop(),
    cst.Assert: Collector._assert,
    cst.Expr: Collector._expression,
    cst.Assign: Collector._assign,
    cst.AnnAssign: Collector._annotated,
    cst.AugAssign: Collector._augmented,
    cst.Import: Collector._import,
    cst.ImportFrom: Collector._import_from,
    cst.Global: Collector._declare,
    cst.Nonlocal: Collector._declare,
    cst.Del: Collector._delete,
    cst.TypeAlias: Collector._type_alias,
}
