"""What expressions mean to somebody else: texts followed through constants, attributes, helpers and tables.

An evaluation is bounded in depth and in the number of alternatives, so it ends on any tree.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from extractor.facts import (
    BASE,
    Argument,
    Called,
    Filled,
    Hole,
    Keyed,
    Named,
    Reference,
    Source,
    Template,
    Test,
    Values,
)
from extractor.formatting import FieldError, fields_of
from extractor.link.calls import UnknownCallError, bind, closed, shown, spread, the_argument
from extractor.link.decisions import Outcomes, agree, decide
from extractor.link.frames import Frame, Table, Target, by_way_of, given_otherwise
from extractor.link.functions import Functions
from extractor.link.members import Members
from extractor.link.names import Names
from extractor.link.values import NamedValues
from extractor.model import Form
from extractor.quoting import represent
from extractor.templates import MOST_ALTERNATIVES, Field, is_plain, is_tuple, join, plain_text

_DEEPEST = 6
_OWN_NAMES = re.compile(r"\b(?:self|cls|super)\b")


@dataclass(slots=True)
class Evaluation:
    """Evaluates over the facts of a tree."""

    names: Names
    members: Members
    functions: Functions
    values: NamedValues = field(init=False)

    def __post_init__(self) -> None:
        self.values = NamedValues(self.names, self.members, self.functions, self)

    # Arguments and texts

    def arguments(self, arguments: Sequence[Argument], frame: Frame) -> tuple[Argument, ...]:
        """Return the arguments of a call in terms of the raise statement.

        Raises:
            UnknownCallError: A starred one cannot be told, or one reads what only the function knows.

        """
        made: list[Argument] = []
        for argument in arguments:
            if argument.star and frame.bound is not None:
                made += spread(argument, frame.bound)
            else:
                made.append(self.argument(argument, frame))
        return tuple(made)

    def argument(self, argument: Argument, frame: Frame) -> Argument:
        """Return one argument in terms of the raise statement."""
        hole = shown(argument.hole, frame.bound)
        templates = self.templates(argument.templates, frame)
        return replace(argument, hole=hole, templates=templates or (Template((hole,), "none", False, reason="call"),))

    def templates(self, templates: Sequence[Template], frame: Frame) -> tuple[Template, ...]:
        """Return the texts that are possible here, in terms of the raise statement."""
        made = [
            text
            for template in templates
            if self.is_possible(template.tests, frame)
            for text in self._expanded(template, frame)
        ]
        return tuple(dict.fromkeys(made))

    def is_possible(self, tests: Sequence[Test], frame: Frame) -> bool:
        """Say whether conditions of a function can be met by this call of it."""
        return agree(tests) and all(decide(test, self._outcomes(frame)) is not False for test in tests)

    def is_certain(self, tests: Sequence[Test], frame: Frame) -> bool:
        """Say whether they are surely met."""
        return all(decide(test, self._outcomes(frame)) for test in tests)

    def _outcomes(self, frame: Frame) -> Outcomes:
        return Outcomes(lambda each: self.argument(each, frame), lambda each: self.values.size(each, frame))

    def _expanded(self, template: Template, frame: Frame) -> list[Template]:
        choices = [self._segment(segment, frame) for segment in template.segments]
        if len(choices) > 1 or template.form == "percent":
            # The parts of a tuple fill the fields of a text one by one.
            choices = [
                [self._closed(segment, frame)] if any(map(is_tuple, choice)) else choice
                for segment, choice in zip(template.segments, choices, strict=True)
            ]
        joined = join(choices, template.form)
        if joined is None:
            joined = join([[self._closed(segment, frame)] for segment in template.segments], template.form) or []
        is_alone = len(template.segments) == 1 and isinstance(template.segments[0], Hole)
        made: list[Template] = []
        for index, text in enumerate(joined):
            inner = choices[0][index] if is_alone and index < len(choices[0]) else None
            made.append(self._merged(template, text, inner, frame))
        return made

    def _merged(self, template: Template, text: Template, inner: Template | None, frame: Frame) -> Template:
        """Return a text that was expanded from a template; `inner` is what stands for the whole of it."""
        is_here = frame.bound is None
        form = inner.form if inner is not None else frame.form or template.form
        reason = inner.reason if inner is not None else None
        if reason is not None and is_here:
            reason = template.reason
        elif reason == "expression" and frame.form is not None and inner is not None and _reads_own(inner):
            # Only the class knows what that is.
            reason = "constructor"
        return Template(
            segments=text.segments,
            form=form if reason is None or not is_here else template.form,
            is_text=template.is_text or (inner is not None and inner.is_text),
            via=(None if reason and template.reason == "variable" else template.via)
            or (inner.via if inner is not None else None)
            or text.via,
            # Conditions of another function are in its own terms, so they are left out.
            guards=tuple(dict.fromkeys((*(template.guards if is_here else ()), *text.guards))),
            reason=reason,
            parts=tuple(self._part(part, frame) for part in template.parts),
        )

    def _part(self, part: Template, frame: Frame) -> Template:
        (expanded, *_) = self._expanded(replace(part, parts=()), frame)
        return expanded

    def _segment(self, segment: str | Hole, frame: Frame) -> Sequence[Template]:
        if isinstance(segment, str):
            return [Template((segment,), "literal", is_text=True)]
        found = self.value(segment, frame)
        if found is None or len(found.templates) > MOST_ALTERNATIVES:
            return [self._closed(segment, frame)]
        return [_dressed(template, found.hole, segment) for template in found.templates]

    def _closed(self, segment: str | Hole, frame: Frame) -> Template:
        if isinstance(segment, str):
            return Template((segment,), "literal", is_text=True)
        hole = closed(segment, frame.bound) if frame.bound is not None else replace(segment, source=None)
        return Template((hole,), "none", is_text=False, reason="expression")

    # Values

    def value(self, hole: Hole, frame: Frame) -> Argument | None:
        """Return the value that stands in a placeholder, None where it is not known."""
        if frame.bound is not None and hole.parameter is not None:
            return the_argument(hole.parameter, frame.bound)
        if hole.source is None or frame.depth > _DEEPEST:
            return None
        try:
            given = self._given(hole.source, frame)
            texts = self._sourced(hole.source, frame) if given is None else None
            if not texts:
                return given
            plain = replace(hole, conversion=None, format_spec=None, source=None)
            return Argument(None, "", shown(plain, frame.bound), texts)
        except UnknownCallError:
            return None

    def _given(self, source: Source, frame: Frame) -> Argument | None:
        """Return what the raise statement gave, where a source is a part of an exception that was seen being made."""
        if isinstance(source, Named):
            own, attribute = self.functions.own_of(source.reference, frame)
            return own.attributes.get(attribute) if own is not None else None
        if not isinstance(source, Keyed) or not isinstance(source.table, Reference):
            return None
        own, attribute = self.functions.own_of(source.table, frame)
        key = _key_of(self.argument(source.key, frame)) if own is not None and attribute == "args" else None
        if own is None or own.args is None or key is None or not key.isdecimal() or any(each.star for each in own.args):
            return None
        return own.args[int(key)] if int(key) < len(own.args) else None

    def _sourced(self, source: Source, frame: Frame) -> tuple[Template, ...] | None:
        if isinstance(source, Named):
            return self.values.named(source.reference, frame)
        if isinstance(source, Called):
            return self._called(source, frame)
        return self._filled(source, frame) if isinstance(source, Filled) else self._keyed(source, frame)

    def known(self, templates: Sequence[Template], frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts of something that stands elsewhere, None where not all of them are known."""
        texts = self.templates(templates, frame)
        return texts if texts and not any(text.reason for text in texts) else None

    # Functions

    def _called(self, source: Called, frame: Frame) -> tuple[Template, ...] | None:
        if source.reference.name == f"{BASE}.__str__" and not source.arguments and frame.own is not None:
            return self.base_text(frame)
        target = self.functions.target(source.reference, frame)
        if target is None or target.fact.is_async is not source.is_awaited:
            return None
        texts = self.returned(target, source.arguments, frame)
        if texts is None and source.translated and not any(map(_is_made_of_parameter, target.fact.texts or ())):
            return self.templates(source.translated, frame)
        # A function that may give None gives it for a reason.
        return None if texts is not None and any(map(_is_none, texts)) else texts

    def base_text(self, frame: Frame) -> tuple[Template, ...] | None:
        """Return what the `__str__` behind that of the current class gives."""
        own = frame.own
        assert own is not None
        found = self.members.find(own.name, "__str__", behind=frame.owner)
        if found is not None and found.function is not None:
            fact = self.functions.function(found.path, found.function)
            return self.returned(Target(found.path, fact, own, found.owner), (), frame) if fact is not None else None
        return own.text

    def returned(self, target: Target, arguments: Sequence[Argument], frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts that a call of a function gives, None where not all of them are known."""
        if target.fact.texts is None:
            return None
        texts = self.known(target.fact.texts, self.entered(target, arguments, frame))
        return by_way_of(target.name, texts)

    def told(self, target: Target, frame: Frame) -> tuple[Template, ...]:
        """Return the texts of a method without arguments, also those that only run time knows; none if there are none.

        Raises:
            UnknownCallError: It has parameters without a default.

        """
        return self.templates(target.fact.texts or (), self.entered(target, (), frame))

    def entered(self, target: Target, arguments: Sequence[Argument], frame: Frame) -> Frame:
        """Return the frame inside of a function that is called.

        Raises:
            UnknownCallError: The call does not fit or cannot be told.

        """
        if frame.depth >= _DEEPEST:
            raise UnknownCallError("call")
        inside = Frame(target.path, {}, target.own, target.owner, frame.form, frame.depth + 1)
        given = self.arguments(arguments, frame)
        defaults: list[Argument] = []

        def default(value: Argument) -> Argument:
            defaults.append(self.argument(value, inside))
            return defaults[-1]

        bound = bind(target.fact.parameters, given, default)
        others = frozenset(name for name, values in bound.items() if not any(each in defaults for each in values))
        return replace(inside, bound=bound, given=others)

    # Filled texts and tables

    def _filled(self, source: Filled, frame: Frame) -> tuple[Template, ...] | None:
        texts = self.values.template_texts(source.text, frame) if "template" in source.style else None
        texts = texts or self.templates(source.text.templates, frame)
        if not texts or not all(text.is_text and text.reason is None for text in texts):
            return None
        try:
            values = self._values(source.values, frame)
            filled = [self._filled_text(source, text, values, frame) for text in texts]
        except (FieldError, UnknownCallError):
            return None
        return None if None in filled else tuple(text for each in filled if each is not None for text in each)

    def _filled_text(self, source: Filled, text: Template, values: Values, frame: Frame) -> list[Template] | None:
        if not is_plain(text):
            # What an object was given in place of the text of its class, filled or not.
            return [text] if not plain_text(text) else None
        form: Form = "percent" if source.style == "percent" else "format"
        fields = fields_of(source.style, plain_text(text), values)
        joined = join([_field_texts(each, frame) for each in fields], frame.form or form)
        return [replace(each, via=text.via or each.via) for each in joined] if joined is not None else None

    def _values(self, values: Values, frame: Frame) -> Values:
        """Return values in terms of the raise statement, with what a call puts into `*args` and `**options`."""
        return Values(
            self.arguments(values.positional, frame),
            self.arguments(values.named, frame),
            self.argument(values.whole, frame) if values.whole is not None else None,
        )

    def _keyed(self, source: Keyed, frame: Frame) -> tuple[Template, ...] | None:
        if isinstance(source.table, Reference):
            table = self.values.table(source.table, frame)
        else:
            table = Table.of(source.table, frame)
        if table is None:
            return None
        wanted = _key_of(self.argument(source.key, frame))
        chosen = [(entry.value, inside) for entry, inside in table.entries if wanted in {None, entry.key}]
        if source.default is not None and (wanted is None or not chosen):
            chosen.append((source.default, frame))
        found = [self.known(value.templates, inside) for value, inside in chosen]
        if None in found:
            return None
        texts = tuple(text for each in found if each is not None for text in each)
        texts = by_way_of(table.name, texts) or () if table.name else texts
        is_open = table.is_open and isinstance(source.table, Reference)
        return (*texts, given_otherwise(_lookup_text(source, frame))) if is_open and texts else texts


def _lookup_text(source: Keyed, frame: Frame) -> str:
    assert isinstance(source.table, Reference)
    return f"{source.table.name}[{shown(source.key.hole, frame.bound).expression}]"


def _field_texts(each: str | Field, frame: Frame) -> Sequence[Template]:
    if isinstance(each, str):
        return [Template((each,), "literal", is_text=True)]
    # At the raise statement itself the name of a value says more than the value.
    return [each.placeholder()] if frame.bound is None else each.choices()


def _key_of(argument: Argument) -> str | None:
    if len(argument.templates) != 1 or not is_plain(argument.templates[0]):
        return None
    (template,) = argument.templates
    text = plain_text(template)
    return f"'{text}'" if template.is_text else text


def _reads_own(template: Template) -> bool:
    return any(isinstance(segment, Hole) and _OWN_NAMES.search(segment.expression) for segment in template.segments)


def _is_made_of_parameter(template: Template) -> bool:
    """Say whether a text is what a parameter's own methods or operators make of it."""
    holes = [segment for segment in template.segments if isinstance(segment, Hole)]
    return any(len(hole.pieces) > 1 and not hole.pieces[0] and hole.parameter is None for hole in holes)


def _is_none(template: Template) -> bool:
    return not template.is_text and template.segments == ("None",)


def _dressed(template: Template, value: Hole, field: Hole) -> Template:
    """Return a text as a field with a conversion or a format specification shows it."""
    if field.conversion is None and field.format_spec is None:
        return template
    if field.conversion == "r" and field.format_spec is None and is_plain(template):
        text = plain_text(template)
        return replace(template, segments=(represent(text) if template.is_text else text,), is_text=True)
    if field.format_spec == "d" and is_plain(template) and not template.is_text and plain_text(template).isdecimal():
        return template
    hole = replace(value, conversion=field.conversion, format_spec=field.format_spec)
    return Template((hole,), "none", is_text=True, guards=template.guards, reason="expression")
