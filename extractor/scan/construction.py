"""What a raise statement raises: the class as written and the arguments it is called with."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import libcst as cst

from extractor.facts import Argument, Construction, Reference, Test
from extractor.model import Guard
from extractor.scan.known import Caught, Known
from extractor.scan.message import arguments_of, conditional_guard, side_tests, tests_of
from extractor.scan.surroundings import Surroundings, looked_up_name
from extractor.scan.writer import dotted_name
from extractor.templates import MOST_ALTERNATIVES

# Methods that return the exception they are called on.
_SELF_RETURNING = frozenset({"with_traceback"})

_ALL = frozenset({"args"})
_TEXTS = (cst.SimpleString, cst.ConcatenatedString, cst.FormattedString)
# Whose values are no exceptions, whatever they are.
_VALUES = (*_TEXTS, cst.BaseNumber, cst.Ellipsis, cst.Tuple, cst.BaseList, cst.BaseDict, cst.BaseSet, cst.Lambda)


@dataclass(frozen=True, slots=True)
class Raised:
    """What a raise statement can raise; `caught` is set where it can only be one exception that was caught."""

    constructions: tuple[Construction, ...]
    caught: Caught | None = None

    @property
    def is_again(self) -> bool:
        """Whether nothing new is raised; a variable that is still None raises no exception at all."""
        ways = [each for each in self.constructions if each.reference is None or each.reference.name != "None"]
        return bool(ways) and all(each.is_again for each in ways)


def raised_by(node: cst.BaseExpression, around: Surroundings, scopes: tuple[str, ...]) -> Raised:
    """Return what an expression behind `raise` raises."""
    node = _peeled(node)
    caught = _caught(node, around)
    if caught is not None:
        return Raised(again(caught), caught)
    constructions = _constructions(node, around, scopes)
    possible = [each for each in constructions if not around.has_both(each.guards)]
    is_known = len(possible) <= MOST_ALTERNATIVES
    return Raised(tuple(possible) if is_known else (Construction(None, None, reason="dynamic type"),))


def under(raised: Raised, conditions: Sequence[Guard], around: Surroundings) -> Raised:
    """Return what is raised without that which the conditions of the statement say is not there."""
    kept = [
        replace(
            each, arguments=tuple(_under_guards(one, (*conditions, *each.guards), around) for one in each.arguments)
        )
        if each.arguments is not None
        else each
        for each in raised.constructions
        if not around.has_both([*conditions, *each.guards])
    ]
    return replace(raised, constructions=tuple(kept)) if kept else raised


def again(caught: Caught) -> tuple[Construction, ...]:
    """Return what is raised where a caught exception is: of a class that its clause names, or of one below that."""
    if caught.references is None:
        return (Construction(None, None, reason="dynamic type", is_sure=False, is_again=True),)
    return tuple(Construction(each, None, is_sure=False, is_again=True) for each in caught.references)


def _caught(node: cst.BaseExpression, around: Surroundings) -> Caught | None:
    """Return the caught exception that a name holds, also by way of another name, leaving out that it may be None."""
    if not isinstance(node, cst.Name):
        return None
    value = around.values.get(node.value)
    if isinstance(value, Caught):
        return value
    ways = [way for way, _ in around.definitions(node.value) if dotted_name(way.value) != "None"]
    found = [_caught(way.value, around.at(way)) for way in ways]
    every = [caught for caught in dict.fromkeys(found) if caught is not None]
    if not every or None in found:
        return None
    return every[0] if len(every) == 1 else _any_of(every)


def _any_of(every: Sequence[Caught]) -> Caught:
    references = [each.references for each in every]
    if None in references:
        return Caught(None)
    # Clauses on several lines may name the same class.
    by_name = {(one.name, one.scopes): one for each in references for one in each or ()}
    return Caught(tuple(by_name.values()))


def _peeled(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, cst.Await):
        node = node.expression
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        if node.func.attr.value not in _SELF_RETURNING:
            break
        node = node.func.value
    return node


def _constructions(node: cst.BaseExpression, around: Surroundings, scopes: tuple[str, ...]) -> list[Construction]:
    node = _peeled(node)
    of_caught = _type_of_caught(node, around)
    if of_caught:
        return [Construction(reference, None, is_sure=False) for reference in of_caught]
    if isinstance(node, cst.IfExp):
        return [
            _under(
                construction,
                [conditional_guard(node.test, around, holds=holds)],
                side_tests(node.test, around, holds=holds),
            )
            for side, holds in ((node.body, True), (node.orelse, False))
            for construction in _constructions(side, around, scopes)
        ]
    if isinstance(node, cst.Name):
        ways = around.definitions(node.value)
        if ways:
            return [
                _under(
                    _held(construction, node.value, definition.changed),
                    [*map(around.guard_of, conditions)],
                    tests_of(conditions, around),
                )
                for definition, conditions in ways
                for construction in _constructions(definition.value, around.at(definition), scopes)
            ]
        caught = around.values.get(node.value)
        if isinstance(caught, Caught):
            return list(again(caught))
    if isinstance(node, cst.Call):
        arguments = arguments_of(node.args, around)
        return [_called(construction, arguments, around) for construction in _classes(node.func, around, scopes)]
    return _classes(node, around, scopes)


def _held(construction: Construction, name: str, changed: frozenset[str]) -> Construction:
    # A variable that holds a class says nothing of the text.
    via = construction.via if construction.arguments is None else name
    return replace(construction, via=via, changed=construction.changed | changed)


def _called(construction: Construction, arguments: tuple[Argument, ...], around: Surroundings) -> Construction:
    # Calling what is already an instance gives something else.
    if construction.arguments is not None or construction.changed or construction.is_again:
        return Construction(None, arguments, construction.guards, construction.via, "call")
    if construction.reference is None and construction.reason == "not an exception":
        # A lambda may well return one.
        return Construction(None, None, construction.guards, construction.via, "call")
    if construction.reference is not None and construction.reference.name == "type":
        return Construction(None, None, construction.guards, construction.via, "dynamic type")
    return replace(
        construction, arguments=tuple(_under_guards(each, construction.guards, around) for each in arguments)
    )


def _under_guards(argument: Argument, guards: Sequence[Guard], around: Surroundings) -> Argument:
    """Return an argument without the texts that it has only where another class is chosen."""
    if not guards or len(argument.templates) == 1:
        return argument
    kept = tuple(each for each in argument.templates if not around.has_both([*guards, *each.guards]))
    return replace(argument, templates=kept or argument.templates)


def _classes(node: cst.BaseExpression, around: Surroundings, scopes: tuple[str, ...]) -> list[Construction]:
    if isinstance(node, cst.IfExp):
        return _constructions(node, around, scopes)
    if isinstance(node, cst.Name) and around.definitions(node.value):
        return _constructions(node, around, scopes)
    of_caught = _type_of_caught(node, around)
    if of_caught:
        return [Construction(reference, None, is_sure=False) for reference in of_caught]
    name = looked_up_name(node)
    if name is None:
        return [Construction(None, None, reason=_dynamic_reason(node))]
    value = around.values.get(name.partition(".")[0])
    is_unknown = value is Known.PARAMETER and "." in name and name.partition(".")[0] not in around.annotated
    if isinstance(value, Caught) and name == name.partition(".")[0]:
        return list(again(value))
    if isinstance(value, Caught) or is_unknown:
        return [Construction(None, None, reason="dynamic type")]
    reference = around.refer(name) if around.refer is not None else Reference(name, scopes, around.line)
    return [Construction(replace(reference, line=around.line), None)]


def _type_of_caught(node: cst.BaseExpression, around: Surroundings) -> tuple[Reference, ...]:
    """Return the classes that an except clause names, where an expression is the class of what it caught."""
    name = looked_up_name(node)
    owner, _, attribute = (name or "").rpartition(".")
    if attribute != "__class__":
        return ()
    caught = _caught(cst.Name(owner), around) if owner.isidentifier() else None
    return caught.references or () if caught is not None else ()


def _dynamic_reason(node: cst.BaseExpression) -> str:
    if isinstance(node, cst.Call):
        function = node.func
        is_type = isinstance(function, cst.Name) and function.value == "type"
        return "dynamic type" if is_type else "call"
    kinds = {
        cst.Attribute: "attribute",
        cst.Subscript: "subscript",
    }
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.Add, cst.Modulo)):
        # A text that is formatted or put together is a text.
        node = node.left if isinstance(node.left, _TEXTS) else node
    return "not an exception" if isinstance(node, _VALUES) else kinds.get(type(node), "expression")


def _under(construction: Construction, guards: Sequence[Guard], tests: Sequence[Test]) -> Construction:
    return replace(construction, guards=(*guards, *construction.guards), tests=(*tests, *construction.tests))
