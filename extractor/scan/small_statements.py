"""The statements that hold no others, and what each means on the way to a raise."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from extractor.facts import (
    BASE,
    DocumentedRaise,
)
from extractor.scan.bindings import expression_changes, import_names
from extractor.scan.bodies import Body, Visit
from extractor.scan.calls import calls_in
from extractor.scan.classes import is_class_variable
from extractor.scan.docstrings import docstring_of, documented_raises
from extractor.scan.flow import change, define
from extractor.scan.known import Definition, Known, Value
from extractor.scan.positions import may_be_conditional
from extractor.scan.raise_site import Place, raise_site
from extractor.scan.scopes import is_cut
from extractor.scan.targets import unpacked, with_attribute, with_method
from extractor.scan.writer import dotted_name, target_names


class SmallStatements(Visit):
    """Takes small statements as the visitor comes to them."""

    def statement(self, node: cst.CSTNode) -> None:
        """Pass a small statement, one of `SMALL_STATEMENTS`."""
        self._line = self._line_of_items(node) if isinstance(node, cst.Expr) else None
        if self._called:
            flow, line = self.path.flow, self._line or 0
            self.calls += calls_in(
                node,
                self._called,
                self.scopes.current,
                flow,
                lambda: self._around(flow, line),
                lambda call: self._call_lines.line_of(call, behind=self._last_line),
            )
        SMALL_STATEMENTS[type(node)](self, node)

    def _raise(self, node: cst.Raise) -> None:
        body = self._body
        span = self._positions.of(node)
        known = change(self.path.flow, body.path.shared)
        # What its own expression changes is so by the time that it is raised.
        parts = (node.exc, node.cause.item if node.cause is not None else None)
        flow = change(
            known, {path for part in parts if part is not None for path in expression_changes(part, body.path.own)}
        )
        place = Place(
            scope=self.scopes.current,
            lookup=self.scopes.lookup(),
            span=span,
            flow=flow,
            around=replace(self._around(known, span.line), now=flow.values),
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
        self.path.flow = with_method(self.path.flow, node.value)
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
        if is_cut(targets, node.value):
            self._defined(node, targets)
        else:
            self._bound(node, targets, node.value)
        owner = self._class_here()
        if owner is not None:
            owner.assigned(targets, node.value)

    def _defined(self, node: cst.Assign, targets: Sequence[cst.BaseExpression]) -> None:
        """Take what is left of a function that was cut for its definition."""
        self.scopes.bind_assignment(targets, node.value)
        self.path.change(node)
        self.path.declare([name for target in targets for name in target_names(target)])

    def _annotated(self, node: cst.AnnAssign) -> None:
        if node.value is not None:
            self._bound(node, [node.target], node.value)
        elif isinstance(node.target, cst.Name):
            self._bind([node.target.value])
        owner = self._class_here()
        if owner is not None and node.value is not None:
            owner.assigned([node.target], node.value)
        if owner is not None and owner.is_dataclass:
            owner.annotated(node, self._around_for_others(self.path.flow))

    def _augmented(self, node: cst.AugAssign) -> None:
        is_sum = isinstance(node.operator, cst.AddAssign) and isinstance(node.target, cst.Name)
        value = cst.BinaryOperation(node.target, cst.Add(), node.value) if is_sum else None
        before = self.path.flow
        self._bound(node, [node.target], value)
        self.path.append(node, before)

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
            is_field = isinstance(node, cst.AnnAssign) and not is_class_variable(node.annotation)
            flow = self.path.flow
            self.constants.assigned(targets, value, self._around_for_others, flow, is_field=is_field)
        before = self.path.flow.values
        self.path.change(node)
        names = [name for target in targets if (name := self._defined_name(target)) is not None]
        for target in targets:
            self.path.flow = with_attribute(self.path.flow, target)
            self._unpack(target, value, before)
        if value is not None:
            self.path.define(names, value, before, line)
            self._leave_by(value)

    def _unpack(
        self, target: cst.BaseExpression, value: cst.BaseExpression | None, before: Mapping[str, Value]
    ) -> None:
        """Set the names of a tuple to what stands in their places in another one."""
        for each, given in unpacked(target, value):
            name = self._defined_name(each)
            # What is chosen by a condition has no line of its own here.
            if name is not None and not may_be_conditional(given):
                self.path.set(name, given, before)

    def _defined_name(self, target: cst.BaseExpression) -> str | None:
        """Return the name whose value an assignment sets: a plain one, or an attribute of the own object."""
        name = dotted_name(target)
        owner, _, attribute = (name or "").partition(".")
        is_own = self.path.flow.values.get(owner) is Known.OWN and attribute.isidentifier()
        return name if isinstance(target, cst.Name) or is_own else None

    def _import(self, node: cst.Import) -> None:
        self.scopes.bind_import(node, is_always=self._is_always())
        self._imported(node)

    def _import_from(self, node: cst.ImportFrom) -> None:
        self.scopes.bind_import_from(node, is_always=self._is_always())
        self._imported(node)

    def _is_always(self) -> bool:
        """Say whether whatever is here is run whenever the module is."""
        return self.scopes.current == "" and not self.path.flow.conditions and not self._body.tries

    def _imported(self, node: cst.Import | cst.ImportFrom) -> None:
        self.path.change(node)
        self.path.declare(import_names(node))

    def _declare(self, node: cst.Global | cst.Nonlocal) -> None:
        names = [item.name.value for item in node.names]
        self.scopes.declare_foreign(names, is_global=isinstance(node, cst.Global))
        if isinstance(node, cst.Nonlocal):
            # From here on the functions around can find any value in them.
            for body in self._bodies[:-1]:
                self._share(body, names)
            self.path.flow = change(self.path.flow, names)
        else:
            # A module's variable may be set by any function that is called.
            self._share(self._body, names)
            self._share(self._bodies[0], names)

    def _share(self, body: Body, names: Sequence[str]) -> None:
        body.path.shared.update(names)
        body.path.flow = change(body.path.flow, names)

    def _delete(self, node: cst.Del) -> None:
        owner = self._class_here()
        if owner is not None:
            owner.hide(target_names(node.target))
        self.path.change(node)

    def _type_alias(self, node: cst.TypeAlias) -> None:
        self._bind([node.name.value])
        self.path.change(node)


# The statements that hold no others and mean something on the way to a raise.
SMALL_STATEMENTS: dict[type[cst.CSTNode], Any] = {
    cst.Raise: SmallStatements._raise,
    cst.Return: SmallStatements._return,
    cst.Continue: lambda visit, node: visit.path.next_round(),
    cst.Break: lambda visit, node: visit.path.leave_loop(),
    cst.Assert: SmallStatements._assert,
    cst.Expr: SmallStatements._expression,
    cst.Assign: SmallStatements._assign,
    cst.AnnAssign: SmallStatements._annotated,
    cst.AugAssign: SmallStatements._augmented,
    cst.Import: SmallStatements._import,
    cst.ImportFrom: SmallStatements._import_from,
    cst.Global: SmallStatements._declare,
    cst.Nonlocal: SmallStatements._declare,
    cst.Del: SmallStatements._delete,
    cst.TypeAlias: SmallStatements._type_alias,
}
