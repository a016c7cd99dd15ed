"""Arguments put in the place of parameters: what an initializer's texts mean at one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import product

from extractor.facts import Argument, Hole, Parameter, Template, merge
from extractor.quoting import quote, represent

_MOST_TEMPLATES = 16

Bound = Mapping[str, tuple[Argument, ...]]


class UnknownCallError(ValueError):
    """It cannot be known what a call hands on; `reason` is one of `model.UNRESOLVED`."""

    def __init__(self, reason: str) -> None:
        self.reason = reason
        super().__init__(reason)


def bind(parameters: Sequence[Parameter], arguments: Sequence[Argument]) -> dict[str, tuple[Argument, ...]]:
    """Return the arguments that each parameter gets: `*` and `**` any number, one without an argument its default.

    What `*args` and `**options` get stands under their names with the stars, since it is no value of theirs.

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
            bound[parameter.name] = (_default(parameter.default),)
        else:
            raise UnknownCallError("constructor")
    if rest or named:
        raise UnknownCallError("constructor")
    return bound


def _default(template: Template) -> Argument:
    segments = template.segments
    is_value = len(segments) == 1 and isinstance(segments[0], Hole)
    text = "".join(str(segment) for segment in segments if isinstance(segment, str))
    hole = segments[0] if is_value else Hole((quote(text) if template.is_text else text,))
    assert isinstance(hole, Hole)
    return Argument(None, "", hole, (replace(template, form="class-message"),))


def handed_on(arguments: Sequence[Argument], bound: Bound) -> tuple[Argument, ...]:
    """Return the arguments of an inner call in terms of the outer call; `*args` becomes what the outer call put there.

    Raises:
        UnknownCallError: One reads something that only the inner function knows, such as an attribute of `self`.

    """
    return tuple(each for argument in arguments for each in _handed_on(argument, bound))


def _handed_on(argument: Argument, bound: Bound) -> tuple[Argument, ...]:
    if argument.star == "**":
        return _keywords(argument, bound)
    if argument.star:
        parameter = argument.hole.parameter
        if parameter is None or argument.star + parameter not in bound:
            raise UnknownCallError("starred arguments")
        return bound[argument.star + parameter]
    if any(template.guards for template in argument.templates):
        # Which text it is depends on conditions that only the inner function can test.
        raise UnknownCallError("constructor")
    templates = [made for template in argument.templates for made in _substituted(template, bound)]
    if len(templates) > _MOST_TEMPLATES:
        raise UnknownCallError("constructor")
    return (replace(argument, hole=_hole(argument.hole, bound), templates=tuple(templates)),)


def _keywords(argument: Argument, bound: Bound) -> tuple[Argument, ...]:
    given = bound.get("**" + argument.hole.expression)
    # Nothing can be taken out of no keywords; of others it is not known which are left, and built-in classes take none.
    return given if given is not None and (not given or argument.hole.parameter) else (argument,)


def _substituted(template: Template, bound: Bound) -> list[Template]:
    choices = [_choices(segment, bound) for segment in template.segments]
    made: list[Template] = []
    for chosen in product(*choices):
        segments = merge(segment for part in chosen for segment in part.segments)
        whole = chosen[0] if len(chosen) == 1 else None
        # Conditions of the inner function are in its own terms, so they are left out.
        guards = tuple(dict.fromkeys(guard for part in chosen for guard in part.guards))
        made.append(
            Template(
                segments,
                whole.form if whole is not None and _is_passed_on(template) else "class-message",
                whole.is_text or template.is_text if whole is not None else True,
                whole.via if whole is not None else template.via,
                guards,
                whole.reason if whole is not None else None,
            )
        )
    return made


def _is_passed_on(template: Template) -> bool:
    return isinstance(template.segments[0], Hole) and template.segments[0].parameter is not None


def _choices(segment: str | Hole, bound: Bound) -> Sequence[Template]:
    if isinstance(segment, str):
        return [Template((segment,), "literal", True)]
    if segment.conversion is None and segment.format_spec is None and segment.parameter is not None:
        return _argument(segment.parameter, bound).templates
    hole = _hole(segment, bound)
    if segment.conversion == "r" and segment.format_spec is None and segment.parameter is not None:
        return [_represented(_argument(segment.parameter, bound), hole)]
    return [Template((hole,), "none", False, reason="expression")]


def _represented(argument: Argument, hole: Hole) -> Template:
    template = argument.templates[0]
    if len(argument.templates) > 1 or not all(isinstance(segment, str) for segment in template.segments):
        return Template((hole,), "none", False, reason="expression")
    text = "".join(str(segment) for segment in template.segments)
    return Template((represent(text) if template.is_text else text,), "literal", True)


def _argument(name: str, bound: Bound) -> Argument:
    found = bound.get(name, ())
    if len(found) != 1:
        raise UnknownCallError("constructor")
    return found[0]


def _hole(hole: Hole, bound: Bound) -> Hole:
    pieces: list[str] = [hole.pieces[0]]
    for name, text in zip(hole.pieces[1::2], hole.pieces[2::2], strict=True):
        inner = _argument(name, bound).hole
        is_alone = hole.parameter is not None
        opening, closing = ("", "") if inner.atomic or is_alone else ("(", ")")
        pieces[-1] += opening + inner.pieces[0]
        pieces += inner.pieces[1:]
        pieces[-1] += closing + text
    atomic = hole.atomic and (hole.parameter is None or _argument(hole.parameter, bound).hole.atomic)
    return replace(hole, pieces=tuple(pieces), atomic=atomic)
