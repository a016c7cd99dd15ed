"""Except clauses and what else swallows an exception: `suppress`, and a `finally` that leaves."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

import libcst as cst

from extractor.facts import Catcher, Reference
from extractor.model import Handler
from extractor.scan.expression import express
from extractor.scan.known import Definition, Known, Value
from extractor.scan.scopes import Scopes
from extractor.scan.statements import all_statements, block_statements, block_text
from extractor.scan.writer import dotted_name

AnyHandler = cst.ExceptHandler | cst.ExceptStarHandler
AnyTry = cst.Try | cst.TryStar
# Of contextlib, pytest, unittest and all that are made after them; a star import may bring one.
SWALLOWING_NAMES = frozenset({"suppress", "raises", "assert_raises", "assertRaises", "assertRaisesRegex"})
_ABANDONING = (cst.Return, cst.Break, cst.Continue, cst.Raise)


def caught_expressions(handler: AnyHandler) -> tuple[cst.BaseExpression, ...]:
    """Return the classes of an except clause as written; none for a bare `except`."""
    if handler.type is None:
        return ()
    if isinstance(handler.type, cst.Tuple):
        return tuple(element.value for element in handler.type.elements)
    return (handler.type,)


def handler_record(handler: AnyHandler, body: cst.BaseSuite, line: int) -> Handler:
    """Return what a record says of the except clause around a raise site."""
    exceptions = tuple(express(node).text for node in caught_expressions(handler))
    return Handler(exceptions, _bound_name(handler), block_text(body), line)


def _bound_name(handler: AnyHandler) -> str | None:
    return dotted_name(handler.name.name) if handler.name is not None else None


def caught_references(handler: AnyHandler, scopes: tuple[str, ...], line: int) -> tuple[Reference, ...] | None:
    """Return references to the caught classes, None where one is not written as a dotted name."""
    if handler.type is None:
        return (Reference("BaseException", ("",), line),)
    return _references(caught_expressions(handler), scopes, line)


def held_references(handler: AnyHandler, scopes: tuple[str, ...], line: int) -> tuple[Reference, ...] | None:
    """Return references to the classes of what is active in an except clause; see `caught_references`."""
    if isinstance(handler, cst.ExceptStarHandler):
        # The exceptions of these classes come in a group, which may be of any kind.
        return (Reference("BaseExceptionGroup", (), line),)
    return caught_references(handler, scopes, line)


def _references(
    nodes: Iterable[cst.BaseExpression], scopes: tuple[str, ...], line: int
) -> tuple[Reference, ...] | None:
    names = [dotted_name(node) for node in nodes]
    known = [name for name in names if name is not None]
    return tuple(Reference(name, scopes, line) for name in known) if len(known) == len(names) else None


def try_catchers(node: AnyTry, scopes: tuple[str, ...]) -> tuple[Catcher, ...]:
    """Return the except clauses of a `try`, in order."""
    return tuple(
        Catcher(
            caught_references(handler, scopes, 0) or (),
            catches_all=handler.type is None,
            reraises=_raises_again(handler),
        )
        for handler in node.handlers
    )


def _raises_again(handler: AnyHandler) -> bool:
    statements = list(all_statements(handler.body))
    names = {name for name in (_bound_name(handler),) if name is not None}
    for statement in statements:
        if isinstance(statement, cst.Assign) and dotted_name(statement.value) in names:
            names |= {name for target in statement.targets if (name := dotted_name(target.target)) is not None}
    return any(
        isinstance(statement, cst.Raise) and (statement.exc is None or raised_name(statement.exc) in names)
        for statement in statements
    )


def raised_name(node: cst.BaseExpression) -> str | None:
    """Return the dotted name that a raise statement raises, also if it is `name.with_traceback(…)`."""
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value
    return dotted_name(node)


def finally_catcher(node: AnyTry) -> tuple[Catcher, ...]:
    """Return a clause that swallows everything if the `finally` leaves by itself."""
    if node.finalbody is None:
        return ()
    leaving = next((each for each in block_statements(node.finalbody.body) if isinstance(each, _ABANDONING)), None)
    if leaving is None or (isinstance(leaving, cst.Raise) and leaving.exc is None):
        return ()
    return (Catcher((), catches_all=True, reraises=False),)


def with_catchers(node: cst.With, scopes: Scopes, around: Swallowing) -> tuple[Catcher, ...]:
    """Return what the items of a `with` statement are known to swallow, one clause for each item that does."""
    found: list[Catcher] = []
    for item in node.items:
        manager = around.made(item.item)
        if is_swallowing(manager, scopes.full_name):
            assert isinstance(manager, cst.Call)
            caught = _references(_positional(manager), scopes.lookup(), 0) or ()
            found.append(Catcher(caught, catches_all=False, reraises=False))
        elif around.is_of_file(manager):
            # It may not swallow what is raised here.
            found.append(Catcher((), catches_all=False, reraises=False))
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Swallowing:
    """The context managers of a file that swallow exceptions, by their names, and what local names hold."""

    names: frozenset[str]
    values: Mapping[str, Value]

    def made(self, node: cst.BaseExpression) -> cst.BaseExpression:
        """Return the expression that a name was set to, as far as that is known."""
        value = self.values.get(node.value) if isinstance(node, cst.Name) else None
        return value.value if isinstance(value, Definition) else node

    def is_of_file(self, node: cst.BaseExpression) -> bool:
        """Say whether a context manager is one of these."""
        name = dotted_name(node.func) if isinstance(node, cst.Call) else None
        owner, _, last = (name or "").rpartition(".")
        is_near = not owner or self.values.get(owner) is Known.OWN or owner == "cls"
        return is_near and last in self.names and not isinstance(self.values.get(last), Known)


def is_swallowing(node: cst.BaseExpression, full_name: Callable[[str], str | None]) -> bool:
    """Say whether a context manager is known to swallow exceptions; `full_name` tells what a dotted name means."""
    name = dotted_name(node.func) if isinstance(node, cst.Call) else None
    full = full_name(name) if name is not None else None
    return full is not None and full.rpartition(".")[2] in SWALLOWING_NAMES


def _positional(node: cst.Call) -> tuple[cst.BaseExpression, ...]:
    given = [argument.value for argument in node.args if argument.keyword is None]
    return tuple(each for value in given for each in _members(value))


def _members(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.Tuple):
        yield from (element.value for element in node.elements)
    else:
        yield node
