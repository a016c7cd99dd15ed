"""Arguments put in the place of parameters: which parameter of a function gets what at one call."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from extractor.facts import Argument, Hole, Parameter

Bound = Mapping[str, tuple[Argument, ...]]


class UnknownCallError(ValueError):
    """It cannot be known what a call hands on; `reason` is one of `model.UNRESOLVED`."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def bind(
    parameters: Sequence[Parameter], arguments: Sequence[Argument], default: Callable[[Argument], Argument]
) -> dict[str, tuple[Argument, ...]]:
    """Return the arguments that each parameter gets: `*` and `**` any number, one without an argument its default.

    What `*args` and `**options` get stands under their names with the stars, since it is no value of theirs. `default`
    turns a default value into what it means to the caller.

    Raises:
        UnknownCallError: The call does not fit, or stars hide which parameter gets what.

    """
    if any(argument.star for argument in arguments):
        raise UnknownCallError("starred arguments")
    bound: dict[str, tuple[Argument, ...]] = {}
    rest = [argument for argument in arguments if argument.keyword is None]
    named = {argument.keyword: argument for argument in arguments if argument.keyword is not None}
    for parameter in parameters:
        if parameter.kind == "*":
            bound["*" + parameter.name], rest = tuple(rest), []
        elif parameter.kind == "**":
            bound["**" + parameter.name], named = tuple(named.values()), {}
        elif parameter.kind == "positional" and rest and parameter.name not in named:
            bound[parameter.name] = (rest.pop(0),)
        elif parameter.name in named and not (parameter.kind == "positional" and rest):
            bound[parameter.name] = (replace(named.pop(parameter.name), keyword=None),)
        elif parameter.default is not None and parameter.name not in named:
            bound[parameter.name] = (default(parameter.default),)
        else:
            raise UnknownCallError("constructor")
    if rest or named:
        raise UnknownCallError("constructor")
    return bound


def the_argument(name: str, bound: Bound) -> Argument:
    """Return what a parameter holds.

    Raises:
        UnknownCallError: It is no plain parameter.

    """
    found = bound.get(name, ())
    if len(found) != 1:
        raise UnknownCallError("constructor")
    return found[0]


def spread(argument: Argument, bound: Bound) -> tuple[Argument, ...]:
    """Return what a starred argument hands on: `*args` and `**options` what the outer call put there.

    Raises:
        UnknownCallError: It is something else.

    """
    name = argument.hole.expression
    given = bound.get(argument.star + name)
    if argument.star == "**":
        # Nothing can be taken out of no keywords; of others it is not known which are left.
        return given if given is not None and (not given or argument.hole.parameter) else (argument,)
    if given is None or argument.hole.parameter is None:
        raise UnknownCallError("starred arguments")
    return given


def closed(hole: Hole, bound: Bound) -> Hole:
    """Return a placeholder in terms of the caller.

    Raises:
        UnknownCallError: It reads a parameter that holds no single value.

    """
    pieces: list[str] = [hole.pieces[0]]
    for name, text in zip(hole.pieces[1::2], hole.pieces[2::2], strict=True):
        inner = the_argument(name, bound).hole
        is_alone = hole.parameter is not None
        opening, closing = ("", "") if inner.atomic or is_alone else ("(", ")")
        pieces[-1] += opening + inner.pieces[0]
        pieces += inner.pieces[1:]
        pieces[-1] += closing + text
    atomic = hole.atomic and (hole.parameter is None or the_argument(hole.parameter, bound).hole.atomic)
    return replace(hole, pieces=tuple(pieces), atomic=atomic, source=None)


def shown(hole: Hole, bound: Bound | None) -> Hole:
    """Return a placeholder in terms of the caller as far as that goes; its own terms where it does not."""
    if bound is None:
        return replace(hole, source=None)
    try:
        return closed(hole, bound)
    except UnknownCallError:
        return replace(hole, pieces=(hole.expression,), source=None)
