"""One raise statement and where it stands, made into a raise site."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import libcst as cst

from extractor.facts import Catcher, Construction, DocumentedRaise, RaiseSite, Reference, SiteKind
from extractor.model import Context, Handler
from extractor.scan.construction import Raised, again, raised_by, under
from extractor.scan.expression import express
from extractor.scan.known import Caught, Flow
from extractor.scan.positions import Span
from extractor.scan.statements import block_statements
from extractor.scan.surroundings import Surroundings
from extractor.scan.writer import dotted_name


@dataclass(frozen=True, slots=True)
class Place:
    """What the collector knows where a raise statement stands; handlers and catchers from the outside in.

    A `finally` is among the handlers, without one of its own: what is passing by there is raised again by a bare
    `raise`.
    """

    scope: str
    lookup: tuple[str, ...]
    span: Span
    flow: Flow
    around: Surroundings
    handlers: Sequence[tuple[Handler | None, Caught]]
    catchers: Sequence[tuple[Catcher, ...]]
    is_stub: bool
    documented: tuple[DocumentedRaise, ...]
    decorators: tuple[Reference, ...]

    @property
    def handler(self) -> Handler | None:
        """The innermost except clause."""
        return next((handler for handler, _ in reversed(self.handlers) if handler is not None), None)


def raise_site(node: cst.Raise, place: Place, lines: Sequence[str], *, context: int) -> RaiseSite:
    """Return the raise site of a statement, with this many lines of context on either side."""
    span = place.span
    raised = _raised(node, place)
    return RaiseSite(
        scope=place.scope,
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        kind=_kind(place, is_again=raised.is_again),
        is_again=raised.is_again,
        constructions=raised.constructions,
        guards=tuple(condition.guard for condition in place.flow.conditions),
        handler=place.handler,
        cause=_cause(node, place, raised.caught),
        catchers=tuple(clauses for clauses in reversed(place.catchers) if clauses),
        context=context_of(lines, span.line, context),
        documented=place.documented,
        decorators=place.decorators,
    )


def context_of(lines: Sequence[str], line: int, count: int) -> Context:
    """Return a line with this many lines before and after it, as far as the file has them."""
    first = max(line - count, 1)
    return Context(first, tuple(lines[first - 1 : line + count]))


def is_stub(node: cst.FunctionDef) -> bool:
    """Say whether a function does nothing but raise, a docstring aside."""
    statements = list(block_statements(node.body))
    if statements and _is_docstring(statements[0]):
        statements = statements[1:]
    return len(statements) == 1 and isinstance(statements[0], cst.Raise)


def _is_docstring(node: cst.CSTNode) -> bool:
    return isinstance(node, cst.Expr) and isinstance(node.value, (cst.SimpleString, cst.ConcatenatedString))


def _raised(node: cst.Raise, place: Place) -> Raised:
    if node.exc is not None:
        raised = raised_by(node.exc, place.around, place.lookup)
        return under(raised, [condition.guard for condition in place.flow.conditions], place.around)
    if not place.handlers:
        return Raised((Construction(None, None, reason="no active exception", is_again=True),), Caught(None))
    caught = place.handlers[-1][1]
    return Raised(again(caught), caught)


def _kind(place: Place, *, is_again: bool) -> SiteKind:
    if not place.flow.reachable:
        return "unreachable"
    if is_again:
        return "reraise"
    return "abstract" if place.is_stub else "error"


def _cause(node: cst.Raise, place: Place, caught: Caught | None) -> str | None:
    if node.cause is not None:
        return "none" if dotted_name(node.cause.item) == "None" else express(node.cause.item).text
    if place.handler is None or node.exc is None:
        return None
    # The exception that is being handled does not become its own context.
    return None if caught is place.handlers[-1][1] else "implicit"
