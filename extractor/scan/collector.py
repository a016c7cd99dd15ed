"""Collects the facts of one module while the visitor walks it: keeps scope, path and handlers in step."""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import replace
from typing import Any

import libcst as cst

from extractor.facts import Binding
from extractor.model import Guard
from extractor.scan.bindings import handler_names, pattern_names
from extractor.scan.bodies import TEXT_BUILTINS, Body
from extractor.scan.called_texts import TRANSLATIONS
from extractor.scan.classes import OpenClass, base_references, is_dataclass
from extractor.scan.decorators import decorator_references
from extractor.scan.exits import Exits
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
    Swallowing,
    finally_catcher,
    handler_record,
    held_references,
    try_catchers,
    with_catchers,
)
from extractor.scan.inner_functions import changed_around, read_around, setters_of
from extractor.scan.known import Caught, Flow, Known
from extractor.scan.locate import looks_like_exception
from extractor.scan.own_object import OwnObject
from extractor.scan.raise_site import is_stub
from extractor.scan.small_statements import SmallStatements
from extractor.scan.statements import all_statements
from extractor.scan.writer import dotted_name, target_names

# What a class is made by: here the docstring of the class speaks as well.
_MAKERS = frozenset({"__init__", "__new__", "__post_init__"})
_DECLARED = re.compile(r"\s*(global|nonlocal)\s+(.*)")
# Methods that say what an exception is made of, whoever asks for them.
_SPEAKING = frozenset({"__str__", "__repr__"})


class Collector(SmallStatements):
    """What the visitor reports to."""

    # Module, functions and classes

    def open_module(self, node: cst.Module) -> None:
        """Enter the module."""
        declared: dict[str, set[str]] = {"global": set(), "nonlocal": set()}
        for found in filter(None, map(_DECLARED.match, self._lines)):
            declared[found[1]].update(name.strip() for name in found[2].split(","))
        declared_global = declared["global"]
        self.scopes.foresee(node, declared_global, declared["nonlocal"])
        self.shadowed = frozenset(name for name in TEXT_BUILTINS if self.scopes.is_own(name))
        self.shadowed |= frozenset(name for name in TRANSLATIONS if self.scopes.is_own_function(name))
        self._setters = setters_of(node) if declared_global else {}
        self._exits = Exits(node, self._lines, self.scopes, declared_global=declared_global)

    def open_function(self, node: cst.FunctionDef) -> None:
        """Enter a function: a new path, on which only its parameters are known."""
        self.line(node)
        self.scopes.bind(node.name.value, Binding("function", self.scopes.qualified(node.name.value)))
        self.path.change(node)
        self.path.declare([node.name.value])
        owner = self._class_here()
        if owner is not None and self.path.flow.reachable:
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
        flow = Flow(values=values, reachable=self.path.flow.reachable, in_function=True)
        name, is_asked = node.name.value, node.name.value in self._wanted
        is_followed = owner is not None and name in owner.initializers and (owner.looks_like_exception or is_asked)
        body = Body(
            self._path(flow, self._own_object(own, owner, values, is_made=is_followed)),
            is_stub(node),
            decorators=decorators,
            definitions=(node,),
            annotated=frozenset(each.name.value for each in parameters_of(node.params) if annotated_class(each)),
        )
        if owner is not None and owner.node is not None and name in _MAKERS:
            body.definitions = (node, owner.node)
        if owner is not None and is_followed:
            body.initializer = OpenInitializer(node, owner.scope.rpartition(".")[2], self._around_for_others)
        elif is_asked or (owner is not None and (name in _SPEAKING or owner.looks_like_exception)):
            scope, lookup = self.scopes.current, self.scopes.lookup()
            body.function = OpenFunction(node, kind, scope, lookup, self._around_for_others)
        self._bodies.append(body)
        if any(isinstance(each, (cst.FunctionDef, cst.ClassDef)) for each in all_statements(node.body)):
            self.scopes.foresee_body(node.body)

    def _own_object(
        self, name: str | None, owner: OpenClass | None, parameters: Collection[str], *, is_made: bool
    ) -> OwnObject | None:
        """Return the object whose methods a function with these parameters can call, if need be of one around it."""
        if owner is not None:
            found = self._methods.own_object(name, owner.line, is_made=is_made) if name is not None else None
            return replace(found, functions=self._setters) if found is not None and self._setters else found
        around = self.path.own
        if around is not None:
            return around if around.name not in parameters else None
        return OwnObject("", lambda call: (), functions=self._setters) if self._setters else None

    def close_function(self, node: cst.FunctionDef) -> None:
        """Leave a function."""
        body = self._bodies.pop()
        flow = body.path.flow
        owner = self._innermost_class(self.scopes.current)
        # A class is there as a whole, whatever stands around it.
        around = len(self._outer_flows[-1].conditions) if owner is not None else 0
        here = self.path.flow.conditions[around:]
        if owner is None and self.path.flow.in_function:
            bound = self.scopes.bindings[self.scopes.current]
            changed = changed_around(node, body.path.own, bound)
            read = read_around(node, bound)
            self.path.take_function(node.name.value, changed, read)
            if self._body.initializer is not None and any(each.endswith(("super", "__init__")) for each in read):
                self._body.initializer.reason = "constructor"
        guards = tuple(each.guard for each in here if not each.passed and each.guard.kind != "with")
        if owner is not None and len(self._body.tries) > owner.tries:
            # What stands before it in a `try` may raise.
            guards = (*guards, Guard("try_else", "", True, 0))
        if not self.path.flow.reachable:
            pass
        elif body.initializer is not None and owner is not None:
            owner.initializers_found.append((body.initializer.fact(flow), guards))
        elif body.function is not None and not body.function.is_accessory:
            self.functions.add(body.function.fact(flow), guards)
        self.scopes.close()

    def open_class(self, node: cst.ClassDef) -> None:
        """Enter a class body, which runs in line, with names of its own."""
        line = self.line(node)
        scope = self.scopes.qualified(node.name.value)
        bases = base_references(node, self.scopes.lookup(), line)
        decorators = decorator_references(node, self.scopes.lookup(), line)
        for base in bases:
            self.scopes.use(base.name)
        bind = self.scopes.bind_anew if self._is_always() else self.scopes.bind
        bind(node.name.value, Binding("class", scope))
        self.scopes.open(node.name.value, is_class=True)
        header = " ".join([node.name.value, *(base.name for base in bases)])
        is_exception = looks_like_exception(header.encode())
        self._open_classes.append(
            OpenClass(scope, line, bases, is_exception, is_dataclass(node), decorators, node, len(self._body.tries))
        )
        self._outer_flows.append(self.path.flow)
        # What a class body has not set yet is looked up around it.
        self.path.flow = replace(self.path.flow, in_function=False)

    def close_class(self, node: cst.ClassDef) -> None:
        """Leave a class body."""
        closed = self._open_classes.pop()
        for name in closed.hidden:
            self.functions.hide(f"{closed.scope}.{name}")
        self.classes.append(closed.fact())
        self.scopes.close()
        outer = self._outer_flows.pop()
        self.path.flow = replace(self.path.flow, values=outer.values, flags={}, in_function=outer.in_function)
        self.path.change(node)
        self.path.declare([node.name.value])

    # Compound statements that bind or catch

    def open_for(self, node: cst.For) -> None:
        """Enter a `for` loop."""
        self._bind(target_names(node.target))
        self.path.open_for(node, self.line(node))

    def open_with(self, node: cst.With) -> None:
        """Enter a `with` statement."""
        around = Swallowing(self._swallowing, self.path.flow.values)
        self._bind([name for item in node.items if item.asname for name in target_names(item.asname.name)])
        self.path.open_with(node, self.line(node))
        self._body.catchers.append(with_catchers(node, self.scopes, around))

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
        caught = Caught(held_references(node, self.scopes.lookup(), line))
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
        self._body.handlers.append((None, Caught(None)))
        self.path.turn_to_finally(node)

    def close_try(self, node: AnyTry) -> None:
        """Leave a `try`."""
        self._body.handlers.pop()
        self._body.tries.pop()
        self.path.close_try(node)
