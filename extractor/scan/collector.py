"""Collects the facts of one module while the visitor walks it: keeps scope, path and handlers in step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import libcst as cst

from extractor.facts import Binding, Catcher, ClassFact, DocumentedRaise, RaiseSite, Reference
from extractor.model import Handler
from extractor.scan.bindings import handler_names, pattern_names
from extractor.scan.classes import OpenClass, OpenInitializer, OpenText, base_references, parameters_of
from extractor.scan.decorators import decorator_references
from extractor.scan.docstrings import docstring_of, documented_raises
from extractor.scan.flow import Caught, Definition, Flow, Known, change, define
from extractor.scan.handlers import (
    AnyHandler,
    AnyTry,
    caught_references,
    finally_catcher,
    handler_record,
    never_returns,
    try_catchers,
    with_catchers,
)
from extractor.scan.message import TEXT_BUILTINS
from extractor.scan.path import Path
from extractor.scan.positions import Positions
from extractor.scan.raise_site import Place, is_stub, raise_site
from extractor.scan.scopes import Scopes
from extractor.scan.writer import dotted_name, target_names

# What `str()` of a built-in exception is made of.
_TEXT_ATTRIBUTES = frozenset({"args", "errno", "filename", "msg", "strerror"})


# What a class is made by: here the docstring of the class speaks as well.
_MAKERS = frozenset({"__init__", "__new__", "__post_init__"})
_GLOBAL = re.compile(r"\s*global\s+(.*)")


@dataclass(slots=True)
class Body:
    """The function (or the module) whose statements are being visited."""

    path: Path
    is_stub: bool = False
    initializer: OpenInitializer | None = None
    text: OpenText | None = None
    tries: list[AnyTry] = field(default_factory=list)
    handlers: list[tuple[Handler, Caught]] = field(default_factory=list)
    catchers: list[tuple[Catcher, ...]] = field(default_factory=list)
    matches: list[cst.Match] = field(default_factory=list)
    shared: set[str] = field(default_factory=set)
    decorators: tuple[Reference, ...] = ()
    definitions: tuple[cst.FunctionDef | cst.ClassDef, ...] = ()
    documented: tuple[DocumentedRaise, ...] | None = None


class Collector:
    """What the visitor reports to. `sites`, `classes` and `scopes` are the result."""

    def __init__(self, positions: Positions, lines: Sequence[str], *, context: int) -> None:
        self.sites: list[RaiseSite] = []
        self.classes: list[ClassFact] = []
        self.scopes = Scopes()
        self._positions, self._lines, self._context = positions, lines, context
        self._bodies = [Body(Path(Flow(), self.scopes.full_name))]
        self._open_classes: list[OpenClass] = []
        self._outer_values: list[Any] = []
        self._order = count()

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
            *(reference for site in self.sites for reference in _site_references(site)),
            *(reference for each in self.classes for reference in (*each.bases, *each.decorators)),
        ]

    # Module, functions and classes

    def open_module(self, node: cst.Module) -> None:
        """Enter the module."""
        declared = (found[1] for line in self._lines if (found := _GLOBAL.match(line)))
        self.scopes.foresee(node, {name.strip() for names in declared for name in names.split(",")})

    def open_function(self, node: cst.FunctionDef) -> None:
        """Enter a function: a new path, on which only its parameters are known."""
        self.line(node)
        self._bind([node.name.value])
        self.path.change(node)
        owner = self._class_here()
        if owner is not None:
            owner.method(node)
        decorators = decorator_references(node, self.scopes.lookup(), 0)
        self.scopes.open(node.name.value, is_class=False)
        names = [param.name.value for param in parameters_of(node.params)]
        for param in parameters_of(node.params):
            default = dotted_name(param.default) if param.default is not None else None
            self.scopes.bind(param.name.value, Binding("parameter", default or ""))
        flow = Flow(values=dict.fromkeys(names, Known.PARAMETER), reachable=self.path.flow.reachable)
        body = Body(Path(flow, self.scopes.full_name), is_stub(node), decorators=decorators, definitions=(node,))
        if owner is not None and owner.node is not None and node.name.value in _MAKERS:
            body.definitions = (node, owner.node)
        if owner is not None and node.name.value == "__init__":
            body.initializer = OpenInitializer(node, self.scopes.lookup(), self.scopes.constant)
        if owner is not None and node.name.value == "__str__":
            # A decorator may make anything of what the method returns.
            body.text = OpenText(self.scopes.constant, is_followed=not node.decorators)
        self._bodies.append(body)

    def close_function(self, node: cst.FunctionDef) -> None:
        """Leave a function."""
        body = self._bodies.pop()
        self.scopes.close()
        owner = self._class_here()
        if body.initializer is not None and owner is not None:
            owner.initializer = body.initializer.fact()
        if body.text is not None and owner is not None:
            owner.texts = body.text.fact()

    def open_class(self, node: cst.ClassDef) -> None:
        """Enter a class body, which runs in line, with names of its own."""
        line = self.line(node)
        scope = self.scopes.qualified(node.name.value)
        bases = base_references(node, self.scopes.lookup(), line)
        decorators = decorator_references(node, self.scopes.lookup(), line)
        self.scopes.bind(node.name.value, Binding("class", scope))
        self.scopes.open(node.name.value, is_class=True)
        self._open_classes.append(OpenClass(scope, line, bases, decorators, node))
        self._outer_values.append(self.path.flow.values)

    def close_class(self, node: cst.ClassDef) -> None:
        """Leave a class body."""
        self.classes.append(self._open_classes.pop().fact())
        self.scopes.close()
        self.path.flow = replace(self.path.flow, values=self._outer_values.pop())
        self.path.change(node)

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
        SMALL_STATEMENTS[type(node)](self, node)

    def _raise(self, node: cst.Raise) -> None:
        body = self._body
        span = self._positions.of(node)
        place = Place(
            scope=self.scopes.current,
            lookup=self.scopes.lookup(),
            span=span,
            flow=change(self.path.flow, body.shared),
            handlers=body.handlers,
            catchers=body.catchers,
            is_stub=body.is_stub,
            shadowed=frozenset(name for name in TEXT_BUILTINS if self.scopes.is_own(name)),
            constant=self.scopes.constant,
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
        if self._body.text is not None:
            self._body.text.returned(node.value, self.path.flow)
        if node.value is not None:
            self._handed_on(node.value)
        if self._body.initializer is not None:
            self._body.initializer.may_leave = True
        self.path.leave()

    def _assert(self, node: cst.Assert) -> None:
        self.path.check(node, self.line(node))

    def _expression(self, node: cst.Expr) -> None:
        self._handed_on(node.value)
        self.path.change(node)
        if never_returns(node.value, self.scopes):
            self.path.leave()

    def _handed_on(self, node: cst.BaseExpression) -> None:
        if self._body.initializer is not None:
            self._body.initializer.expression(node, self.path.flow)

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

    def _augmented(self, node: cst.AugAssign) -> None:
        is_sum = isinstance(node.operator, cst.AddAssign) and isinstance(node.target, cst.Name)
        value = cst.BinaryOperation(node.target, cst.Add(), node.value) if is_sum else None
        self._bound(node, [node.target], value)

    def _bound(
        self, node: cst.BaseSmallStatement, targets: Sequence[cst.BaseExpression], value: cst.BaseExpression | None
    ) -> None:
        line = self.line(node) if isinstance(value, cst.IfExp) else None
        self.scopes.bind_assignment(targets, value)
        if self._body.initializer is not None:
            self._body.initializer.assigned(targets, value, self.path.flow)
            if value is not None:
                self._body.initializer.expression(value, self.path.flow)
        before = self.path.flow.values
        self.path.change(node)
        shared = self._body.shared
        names = [target.value for target in targets if isinstance(target, cst.Name) and target.value not in shared]
        remade = [name for target in targets if (name := _remade(target)) is not None]
        self.path.flow = change(self.path.flow, remade) if remade else self.path.flow
        if value is not None and names:
            self.path.flow = define(
                self.path.flow, dict.fromkeys(names, Definition(value, before, line, next(self._order)))
            )

    def _import(self, node: cst.Import) -> None:
        self.scopes.bind_import(node)
        self.path.change(node)

    def _import_from(self, node: cst.ImportFrom) -> None:
        self.scopes.bind_import_from(node)
        self.path.change(node)

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
        body.shared.update(names)
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
    cst.Continue: lambda collector, node: collector.path.leave(),
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
