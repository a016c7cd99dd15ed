"""The texts that an expression can give, as templates: literals, f-strings, names, sums and conditional expressions.

Each function returns every alternative; a conditional expression gives two, with the test as their guard. An expression
that says nothing of its text becomes one hole.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import libcst as cst

from extractor.facts import Argument, Called, Hole, Named, Source, Template, Test
from extractor.model import Form, Guard
from extractor.scan.called_texts import call_texts, filled_texts, filling_of, translated_texts
from extractor.scan.decisions import test_of, tests_for
from extractor.scan.displays import shown_display
from extractor.scan.expression import express, spec_text
from extractor.scan.fields import equal_text, part_conversion, string_parts
from extractor.scan.known import Conditions, Known
from extractor.scan.literals import field_text, string_value
from extractor.scan.lookups import keyed
from extractor.scan.surroundings import Surroundings, looked_up_name
from extractor.templates import MOST_ALTERNATIVES, is_choice, join, merge

_CONSTANTS = frozenset({"None", "True", "False"})
_TEXT_BUILTINS = frozenset({"ascii", "format", "repr", "str"})
_TEXT_METHODS = frozenset({"join", "format", "strip", "lower", "upper", "title", "replace", "decode"})

Parts = tuple["str | Hole", ...]


def templates_of(node: cst.BaseExpression, around: Surroundings) -> tuple[Template, ...]:
    """Return the texts that `str()` of an expression's value can be, at least one."""
    read = _READERS.get(type(node))
    found = read(node, around) if read is not None else None
    return tuple(found) if found and len(found) <= MOST_ALTERNATIVES else (hole_template(node, around),)


def hole_template(node: cst.BaseExpression, around: Surroundings) -> Template:
    """Return the template of a text that is wholly a run-time value."""
    is_text = isinstance(node, cst.Call) and _gives_text(node)
    return Template((hole_of(node, around, follow=True),), "none", is_text, reason=_reason(node, around))


def argument_of(node: cst.BaseExpression, around: Surroundings, keyword: str | None = None, star: str = "") -> Argument:
    """Return an expression as what a function may be called with."""
    return Argument(keyword, star, hole_of(node, around), templates_of(node, around))


def arguments_of(arguments: Sequence[cst.Arg], around: Surroundings) -> tuple[Argument, ...]:
    """Return the arguments of a call with their possible texts."""
    return tuple(
        argument_of(item.value, around, item.keyword.value if item.keyword else None, item.star) for item in arguments
    )


def hole_of(
    node: cst.BaseExpression,
    around: Surroundings,
    *,
    conversion: str | None = None,
    spec: str | None = None,
    follow: bool = False,
) -> Hole:
    """Return the placeholder for an expression; `follow` says that its value may be shown in its place."""
    if around.exported and isinstance(node, cst.Name):
        ways = around.definitions(node.value)
        if len(ways) == 1:
            # To others the name says nothing.
            ((definition, _),) = ways
            return hole_of(definition.value, around.at(definition), conversion=conversion, spec=spec, follow=follow)
    expression = express(node, around.parameters(), in_braces=True)
    source = source_of(node, around) if follow or around.exported else None
    return Hole(expression.pieces, conversion, spec, expression.atomic, source)


def source_of(node: cst.BaseExpression, around: Surroundings) -> Source | None:
    """Return how the value of an expression may be found elsewhere, None where only this function knows it."""
    is_awaited = isinstance(node, cst.Await)
    if isinstance(node, cst.Await):
        node = node.expression
    name = looked_up_name(node)
    reference = around.reference(name) if name not in _CONSTANTS else None
    if reference is not None:
        return Named(reference)
    found = keyed(node, around, argument_of)
    if found is not None:
        return found
    filling = filling_of(node, around, argument_of)
    if filling is not None:
        return filling if any(map(_is_found, filling.text.templates)) else None
    called = around.reference(looked_up_name(node.func)) if isinstance(node, cst.Call) else None
    if called is None:
        return None
    assert isinstance(node, cst.Call)
    return Called(called, arguments_of(node.args, around), is_awaited, translated_texts(node, around, argument_of))


def conditional_guard(node: cst.BaseExpression, around: Surroundings, *, holds: bool) -> Guard:
    """Return the guard of one side of a conditional expression with this test."""
    test = express(node)
    return Guard("conditional", test.text, holds, around.line, stale=around.has_changed(test.names))


def tests_of(conditions: Conditions, around: Surroundings) -> tuple[Test, ...]:
    """Return what a caller can decide of conditions; nothing where no other function uses the text."""
    return tests_for(conditions, around, argument_of)


def side_tests(node: cst.BaseExpression, around: Surroundings, *, holds: bool) -> tuple[Test, ...]:
    """Return the same for one side of a conditional expression with this test."""
    return (test_of(node, around, argument_of, holds=holds),) if around.exported else ()


def _gives_text(node: cst.Call) -> bool:
    function = node.func
    if isinstance(function, cst.Name):
        return function.value in _TEXT_BUILTINS
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


def _string(node: cst.SimpleString, around: Surroundings) -> list[Template] | None:
    value = string_value(node)
    return _display(node, around) if value is None else [Template(_literal(value), "literal", True)]


def _display(node: cst.BaseExpression, around: Surroundings) -> list[Template] | None:
    if around.is_held and isinstance(node, (cst.List, cst.Dict)):
        # It may have been changed since it was written out.
        return None
    parts = shown_display(node, lambda each: hole_of(each, around, conversion="r"))
    if parts is None:
        return None
    is_plain = all(isinstance(part, str) for part in parts)
    return [Template(merge(parts), "literal" if is_plain else "none", False)]


def _literals(node: cst.BaseExpression, around: Surroundings) -> list[Template] | None:
    choices = _pieces(node, around, unfolds=True)
    if choices is None:
        return None
    form: Form = "literal" if all(isinstance(part, cst.SimpleString) for part in string_parts(node)) else "f-string"
    texts = join(choices, form, around.stable())
    # Too many at once: the names say as much.
    return (
        texts
        if texts is not None or around.exported
        else join(_pieces(node, around, unfolds=False) or [], form, around.stable())
    )


def _pieces(node: cst.BaseExpression, around: Surroundings, *, unfolds: bool) -> list[Sequence[Template]] | None:
    choices: list[Sequence[Template]] = []
    shown = _shown_names(node) if unfolds else None
    for part in string_parts(node):
        if isinstance(part, cst.SimpleString):
            template = _string(part, around)
            if template is None:
                return None
            choices.append(template)
        elif isinstance(part, cst.FormattedString):
            choices += [_field(piece, part.prefix, around, shown) for piece in part.parts]
        else:
            return None
    return choices


def _shown_names(node: cst.BaseExpression) -> Counter[str]:
    """Return how many fields of an f-string show each name."""
    pieces = [piece for part in string_parts(node) for piece in getattr(part, "parts", ())]
    expressions = [getattr(piece, "expression", None) for piece in pieces]
    return Counter(each.value for each in expressions if isinstance(each, cst.Name))


def _field(part: Any, prefix: str, around: Surroundings, shown: Counter[str] | None) -> Sequence[Template]:
    if isinstance(part, cst.FormattedStringText):
        return [_text(_literal(field_text(part, prefix)))]
    before = _literal(equal_text(part)) if part.equal is not None else ()
    conversion, spec = part_conversion(part), spec_text(part.format_spec, prefix)
    if not (before or conversion or spec):
        if around.exported:
            return [replace(text, is_text=True) for text in templates_of(part.expression, around)]
        chosen = _plain_choice(part.expression, around, shown) if shown is not None else None
        if chosen is not None:
            return chosen
    return [_text((*before, hole_of(part.expression, around, conversion=conversion, spec=spec)))]


def _text(parts: Parts) -> Template:
    return Template(parts, "f-string", True)


def _plain_choice(node: cst.BaseExpression, around: Surroundings, shown: Counter[str]) -> list[Template] | None:
    # Only a choice between known texts is unfolded in a field; any other name says more than its value.
    if isinstance(node, cst.Call):
        texts = _call(node, around) or []
        return texts if any(text.parts for text in texts) else None
    if isinstance(node, (cst.SimpleString, cst.ConcatenatedString)):
        return _literals(node, around)
    if isinstance(node, cst.Name):
        named = _defined(node.value, around) if around.definitions(node.value) else None
        return named if named and is_choice(named, is_repeated=shown[node.value] > 1) else None
    if not isinstance(node, cst.IfExp):
        return None
    choices = _conditional(node, around)
    known = all(template.is_text and template.reason is None for template in choices)
    return choices if known and len(choices) <= MOST_ALTERNATIVES else None


def _conditional(node: cst.IfExp, around: Surroundings) -> list[Template]:
    return _sides(node.test, [(node.body, True), (node.orelse, False)], around)


def _sides(
    test: cst.BaseExpression, sides: Sequence[tuple[cst.BaseExpression, bool]], around: Surroundings
) -> list[Template]:
    templates = [
        replace(
            template,
            guards=(conditional_guard(test, around, holds=holds), *template.guards),
            tests=(*side_tests(test, around, holds=holds), *template.tests),
        )
        for side, holds in sides
        for template in templates_of(side, around)
    ]
    return [template for template in templates if not around.has_both(template.guards)]


def _either(node: cst.BooleanOperation, around: Surroundings) -> list[Template] | None:
    if not isinstance(node.operator, cst.Or):
        return None
    left = node.left
    if isinstance(left, cst.BooleanOperation) and isinstance(left.operator, cst.Or):
        # `a or b or c` is `a or (b or c)`, which asks each of them once.
        return _either(left.with_changes(right=node.with_changes(left=left.right), lpar=(), rpar=()), around)
    # `a or b` is `a if a else b`.
    return _sides(left, [(left, True), (node.right, False)], around)


def _name(node: cst.Name, around: Surroundings) -> list[Template] | None:
    if node.value in _CONSTANTS:
        return [Template((node.value,), "literal", False)]
    return _defined(node.value, around)


def _attribute(node: cst.Attribute, around: Surroundings) -> list[Template] | None:
    name = looked_up_name(node)
    return _defined(name, around) if name is not None else None


def _defined(name: str, around: Surroundings) -> list[Template] | None:
    ways = around.definitions(name) or around.constants(name)
    templates = [
        _used(template, name, conditions, around)
        for definition, conditions in ways
        for template in templates_of(definition.value, around.at(definition))
    ]
    possible = [template for template in templates if not around.has_both(template.guards)]
    if around.exported or not all(template.reason for template in possible):
        return possible
    return _still_named(possible, name)


def _still_named(templates: Sequence[Template], name: str) -> list[Template] | None:
    """Return the template of a name whose value only link may find; until then the name says as much."""
    last = name.rpartition(".")[2]
    if len(templates) != 1 or len(templates[0].segments) != 1:
        return None
    (segment,) = templates[0].segments
    if isinstance(segment, str) or segment.source is None or segment.conversion or segment.format_spec:
        return None
    return [replace(templates[0], segments=(Hole((name,), source=segment.source),), via=last, reason="variable")]


def _is_found(template: Template) -> bool:
    return any(isinstance(segment, Hole) and segment.source is not None for segment in template.segments)


def _used(template: Template, name: str, conditions: Conditions, around: Surroundings) -> Template:
    guards = (*map(around.guard_of, conditions), *template.guards)
    tests = (*tests_of(conditions, around), *template.tests)
    return replace(template, via=name.rpartition(".")[2], guards=guards, tests=tests)


def _operation(node: cst.BinaryOperation, around: Surroundings) -> list[Template] | None:
    if isinstance(node.operator, cst.Modulo):
        return filled_texts(node, around, argument_of)
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
    return join(choices, "concatenation", around.stable())


def _call(node: cst.Call, around: Surroundings) -> list[Template] | None:
    return call_texts(node, around, argument_of)


_READERS: dict[type[cst.CSTNode], Any] = {
    cst.SimpleString: _string,
    cst.ConcatenatedString: _literals,
    cst.FormattedString: _literals,
    cst.Dict: _display,
    cst.Float: _display,
    cst.Integer: _display,
    cst.List: _display,
    cst.Tuple: _display,
    cst.UnaryOperation: _display,
    cst.Name: _name,
    cst.Attribute: _attribute,
    cst.IfExp: _conditional,
    cst.BooleanOperation: _either,
    cst.BinaryOperation: _operation,
    cst.Call: _call,
}
