"""The texts that an expression can give, as templates: literals, f-strings, sums, `%`, `.format`, `str` and `repr`.

Each function returns every alternative; a conditional expression gives two, with the test as their guard. An expression
that says nothing of its text becomes one hole.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

import libcst as cst

from extractor.facts import BASE_TEXT, Hole, Template, merge
from extractor.model import Form, Guard
from extractor.scan.expression import express, spec_text
from extractor.scan.fields import equal_text, part_conversion, string_parts
from extractor.scan.flow import Choice, Definition, Known, Value
from extractor.scan.formats import FieldError, format_fields, percent_fields
from extractor.scan.literals import field_text, string_value

# More alternatives than this say less than the placeholder they stand for.
MOST_ALTERNATIVES = 16
_MOST_STEPS = 8
_MOST_FOLLOWED = 128
# Builtins that turn anything into a text.
TEXT_BUILTINS = frozenset({"ascii", "format", "repr", "str"})
_CONSTANTS = frozenset({"None", "True", "False"})
_TEXT_METHODS = frozenset({"join", "format", "strip", "lower", "upper", "title", "replace", "decode"})

Parts = tuple["str | Hole", ...]


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known where an expression stands: local values, the line for guards, and the steps followed so far.

    `followed` counts all definitions that were followed from the first place on, which double with each step.
    `shadowed` holds the builtins that are something else here. `now` holds the local values where the text is used.
    `constant` finds the one assignment of a module's variable.
    """

    values: Mapping[str, Value]
    line: int
    steps: int = 0
    followed: Iterator[int] = field(default_factory=count)
    shadowed: frozenset[str] = frozenset()
    now: Mapping[str, Value] = field(default_factory=dict)
    constant: Callable[[str], Definition | None] = field(default=lambda name: None)

    def parameters(self) -> frozenset[str]:
        """The parameters of the function that were not rebound up to here."""
        return frozenset(name for name, value in self.values.items() if value is Known.PARAMETER)

    def definitions(self, name: str) -> tuple[tuple[Definition, tuple[Guard, ...]], ...]:
        """The definitions of a local name that reach this place, each with what it needs; none where not all are known.

        Definitions are followed only for some steps.
        """
        value = self.values.get(name)
        if self.steps >= _MOST_STEPS or next(self.followed) >= _MOST_FOLLOWED:
            return ()
        if isinstance(value, Choice):
            return tuple((each, tuple(condition.guard for condition in needs)) for each, needs in value.ways)
        return ((value, ()),) if isinstance(value, Definition) else ()

    def constants(self, name: str) -> tuple[tuple[Definition, tuple[Guard, ...]], ...]:
        """The definition of a module's variable, in the form of `definitions`; none where it is a local name."""
        found = self.constant(name) if name not in self.values and self.steps < _MOST_STEPS else None
        return ((found, ()),) if found is not None else ()

    def at(self, definition: Definition) -> Surroundings:
        """The surroundings of the definition's own place."""
        return replace(self, values=definition.values, line=definition.line or self.line, steps=self.steps + 1)

    def has_changed(self, names: Iterable[str]) -> bool:
        """Say whether one of these dotted names holds something else where the text is used."""
        roots = {name.partition(".")[0] for name in names}
        return self.steps > 0 and any(self.values.get(root) is not self.now.get(root) for root in roots)


def templates_of(node: cst.BaseExpression, around: Surroundings) -> tuple[Template, ...]:
    """Return the texts that `str()` of an expression's value can be, at least one."""
    read = _READERS.get(type(node))
    found = read(node, around) if read is not None else None
    return tuple(found) if found and len(found) <= MOST_ALTERNATIVES else (hole_template(node, around),)


def hole_template(node: cst.BaseExpression, around: Surroundings) -> Template:
    """Return the template of a text that is wholly a run-time value."""
    is_text = (isinstance(node, cst.Call) and _gives_text(node)) or _is_base_text(node, around)
    return Template((hole_of(node, around),), "none", is_text, reason=_reason(node, around))


def hole_of(
    node: cst.BaseExpression, around: Surroundings, *, conversion: str | None = None, spec: str | None = None
) -> Hole:
    """Return the placeholder for an expression."""
    if _is_base_text(node, around):
        return Hole((BASE_TEXT,), conversion, spec)
    expression = express(node, around.parameters())
    return Hole(expression.pieces, conversion, spec, expression.atomic)


def _is_base_text(node: cst.BaseExpression, around: Surroundings) -> bool:
    """Say whether an expression is what the base class's `__str__` returns, also by way of a variable."""
    if isinstance(node, cst.Name):
        value = around.values.get(node.value)
        return isinstance(value, Definition) and _is_base_call(value.value)
    return _is_base_call(node)


def _is_base_call(node: cst.BaseExpression) -> bool:
    return isinstance(node, cst.Call) and not node.args and express(node).text == BASE_TEXT


def conditional_guard(node: cst.IfExp, around: Surroundings, *, holds: bool) -> Guard:
    """Return the guard of one side of a conditional expression."""
    test = express(node.test)
    return Guard("conditional", test.text, holds, around.line, stale=around.has_changed(test.names))


def _gives_text(node: cst.Call) -> bool:
    function = node.func
    if isinstance(function, cst.Name):
        return function.value in {"str", "repr", "ascii", "format"}
    literal = (cst.SimpleString, cst.FormattedString, cst.ConcatenatedString)
    return isinstance(function, cst.Attribute) and (
        function.attr.value in _TEXT_METHODS and isinstance(function.value, literal)
    )


def _reason(node: cst.BaseExpression, around: Surroundings) -> str:
    if isinstance(node, cst.Name):
        return "parameter" if around.values.get(node.value) is Known.PARAMETER else "variable"
    kinds = {cst.Attribute: "attribute", cst.Call: "call", cst.Subscript: "subscript"}
    return kinds.get(type(node), "expression")


def _literal(text: str) -> Parts:
    # A lone surrogate is no UTF-8, which a corpus is.
    return (text.encode("utf-8", "backslashreplace").decode(),) if text else ()


def _join(alternatives: Sequence[Sequence[Template]], form: Form) -> list[Template] | None:
    rows: list[list[Template]] = [[]]
    for choices in alternatives:
        if len(choices) > 1:
            rows = [[*row, choice] for row in rows for choice in choices if _agree(row, choice)]
        else:
            for row in rows:
                row.extend(choices)
        if len(rows) > MOST_ALTERNATIVES:
            return None
    return [_joined(row, form) for row in rows]


def _agree(templates: Sequence[Template], other: Template) -> bool:
    guards = [guard for template in templates for guard in template.guards]
    return not guards or not contradicts_itself([*guards, *other.guards])


def contradicts_itself(guards: Sequence[Guard]) -> bool:
    """Say whether the tests of one statement would have to come out both ways; a call may do so."""
    outcomes = {(guard.text, guard.line, guard.holds) for guard in guards if "(" not in guard.text}
    return any((text, line, not holds) in outcomes for text, line, holds in outcomes)


def _joined(templates: Sequence[Template], form: Form) -> Template:
    parts = merge(part for template in templates for part in template.segments)
    guards = tuple(dict.fromkeys(guard for template in templates for guard in template.guards))
    via = next((template.via for template in templates if template.via and len(template.segments) > 1), None)
    return Template(parts, form, True, via, guards)


def _string(node: cst.SimpleString, around: Surroundings) -> list[Template] | None:
    value = string_value(node)
    return None if value is None else [Template(_literal(value), "literal", True)]


def _integer(node: cst.Integer, around: Surroundings) -> list[Template] | None:
    return [Template((str(int(node.value)),), "literal", False)] if node.value.isdecimal() else None


def _literals(node: cst.BaseExpression, around: Surroundings) -> list[Template] | None:
    choices: list[Sequence[Template]] = []
    parts = string_parts(node)
    for part in parts:
        if isinstance(part, cst.SimpleString):
            template = _string(part, around)
            if template is None:
                return None
            choices.append(template)
        elif isinstance(part, cst.FormattedString):
            choices += [_field(piece, part.prefix, around) for piece in part.parts]
        else:
            return None
    plain = all(isinstance(part, cst.SimpleString) for part in parts)
    return _join(choices, "literal" if plain else "f-string")


def _field(part: Any, prefix: str, around: Surroundings) -> Sequence[Template]:
    if isinstance(part, cst.FormattedStringText):
        return [_text(_literal(field_text(part, prefix)))]
    before = _literal(equal_text(part)) if part.equal is not None else ()
    conversion, spec = part_conversion(part), spec_text(part.format_spec, prefix)
    if not (before or conversion or spec):
        chosen = _plain_choice(part.expression, around)
        if chosen is not None:
            return chosen
    return [_text((*before, hole_of(part.expression, around, conversion=conversion, spec=spec)))]


def _text(parts: Parts) -> Template:
    return Template(parts, "f-string", True)


def _plain_choice(node: cst.BaseExpression, around: Surroundings) -> list[Template] | None:
    # Only a choice between known texts is unfolded in a field; any other name says more than its value.
    if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
        return _literals(node, around)
    if not isinstance(node, cst.IfExp):
        return None
    choices = _conditional(node, around)
    known = all(template.is_text and template.reason is None for template in choices)
    return choices if known and len(choices) <= MOST_ALTERNATIVES else None


def _conditional(node: cst.IfExp, around: Surroundings) -> list[Template]:
    templates = [
        replace(template, guards=(conditional_guard(node, around, holds=holds), *template.guards))
        for side, holds in ((node.body, True), (node.orelse, False))
        for template in templates_of(side, around)
    ]
    return [template for template in templates if not contradicts_itself(template.guards)]


def _name(node: cst.Name, around: Surroundings) -> list[Template] | None:
    if node.value in _CONSTANTS:
        return [Template((node.value,), "literal", False)]
    ways = around.definitions(node.value) or around.constants(node.value)
    templates = [
        replace(template, via=node.value, guards=(*guards, *template.guards))
        for definition, guards in ways
        for template in templates_of(definition.value, around.at(definition))
    ]
    possible = [template for template in templates if not contradicts_itself(template.guards)]
    return None if all(template.reason for template in possible) else possible


def _operation(node: cst.BinaryOperation, around: Surroundings) -> list[Template] | None:
    if isinstance(node.operator, cst.Modulo):
        return _percent(node, around)
    return _sum(node, around) if isinstance(node.operator, cst.Add) else None


def _sum(node: cst.BinaryOperation, around: Surroundings) -> list[Template] | None:
    operands: list[cst.BaseExpression] = []
    left: cst.BaseExpression = node
    while isinstance(left, cst.BinaryOperation) and isinstance(left.operator, cst.Add):
        operands.append(left.right)
        left = left.left
    choices = [templates_of(operand, around) for operand in (left, *reversed(operands))]
    if not any(template.is_text for operand in choices for template in operand):
        return None
    return _join(choices, "concatenation")


def _percent(node: cst.BinaryOperation, around: Surroundings) -> list[Template] | None:
    return _filled(node.left, around, "percent", lambda text: percent_fields(text, node.right))


def _call(node: cst.Call, around: Surroundings) -> list[Template] | None:
    function = node.func
    if isinstance(function, cst.Attribute) and function.attr.value == "format":
        return _filled(function.value, around, "format", lambda text: format_fields(text, node.args))
    if not isinstance(function, cst.Name) or function.value in around.values or function.value in around.shadowed:
        return None
    if len(node.args) != 1 or node.args[0].keyword is not None or node.args[0].star:
        return None
    value = node.args[0].value
    if function.value == "str":
        return [_stringified(template) for template in templates_of(value, around)]
    if function.value == "repr":
        hole = hole_of(value, around, conversion="r")
        return [Template((hole,), "none", True, reason=_reason(value, around))]
    return None


def _stringified(template: Template) -> Template:
    return replace(template, is_text=True)


def _filled(node: cst.BaseExpression, around: Surroundings, form: Form, fields: Any) -> list[Template] | None:
    templates = templates_of(node, around)
    if not all(template.is_text and _is_plain(template) for template in templates):
        return None
    try:
        return [
            Template(
                _parts(fields("".join(map(str, template.segments))), around), form, True, template.via, template.guards
            )
            for template in templates
        ]
    except FieldError:
        return None


def _is_plain(template: Template) -> bool:
    return all(isinstance(segment, str) for segment in template.segments)


def _parts(fields: Sequence[Any], around: Surroundings) -> Parts:
    parts: list[str | Hole] = []
    for each in fields:
        if isinstance(each, str):
            parts += _literal(each)
            continue
        hole = hole_of(each.node, around, conversion=each.conversion, spec=each.spec)
        parts.append(_suffixed(hole, each.suffix) if each.suffix else hole)
    return merge(parts)


def _suffixed(hole: Hole, suffix: str) -> Hole:
    opening, closing = ("", suffix) if hole.atomic else ("(", ")" + suffix)
    pieces = list(hole.pieces)
    pieces[0], pieces[-1] = opening + pieces[0], pieces[-1] + closing
    return replace(hole, pieces=tuple(pieces), atomic=True)


_READERS: dict[type[cst.CSTNode], Any] = {
    cst.SimpleString: _string,
    cst.ConcatenatedString: _literals,
    cst.FormattedString: _literals,
    cst.Integer: _integer,
    cst.Name: _name,
    cst.IfExp: _conditional,
    cst.BinaryOperation: _operation,
    cst.Call: _call,
}
