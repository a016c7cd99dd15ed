"""What expressions mean to somebody else: texts followed through constants, attributes, helpers and tables.

An evaluation is bounded in depth and in the number of alternatives, so it ends on any tree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from extractor.facts import (
    BASE,
    Argument,
    Called,
    Entry,
    Filled,
    FunctionFact,
    Hole,
    Keyed,
    Named,
    Reference,
    Source,
    Template,
    Test,
)
from extractor.formatting import FieldError, fields_of
from extractor.link.calls import Bound, UnknownCallError, bind, closed, spread, the_argument
from extractor.link.decisions import Values, decide
from extractor.link.members import Member, Members
from extractor.link.names import Names
from extractor.model import Form
from extractor.quoting import represent
from extractor.templates import MOST_ALTERNATIVES, Field, is_plain, join, plain_text

_DEEPEST = 6
_OWN_NAMES = re.compile(r"\b(?:self|cls|super)\b")
_CLASS_NAME = frozenset({"__class__.__name__", "__class__.__qualname__", "__name__", "__qualname__"})


@dataclass(frozen=True, slots=True)
class Own:
    """The object that a method belongs to: its class, whether it may be of a subclass, and what is known of it.

    `args` are what `str()` of an exception shows, and `text` is what the `__str__` of its built-in base class makes of
    them; None where the object is no exception that was seen being made.
    """

    name: str
    exact: bool
    attributes: Mapping[str, Argument] = field(default_factory=dict)
    args: tuple[Argument, ...] | None = None
    text: tuple[Template, ...] | None = None


@dataclass(frozen=True, slots=True)
class Frame:
    """Where an expression stands: its file, what parameters hold, and the object that a method belongs to.

    `bound` is None for a raise statement itself, in whose terms everything is told. `owner` is the class that the
    method stands in, and `form` what texts that are made here are called.
    """

    path: str
    bound: Bound | None = None
    own: Own | None = None
    owner: str | None = None
    form: Form | None = None
    depth: int = 0


@dataclass(frozen=True, slots=True)
class Target:
    """A function that is called: its facts and file, and the object that it belongs to."""

    path: str
    fact: FunctionFact
    own: Own | None = None
    owner: str | None = None

    @property
    def name(self) -> str:
        """The function's own name."""
        return self.fact.scope.rpartition(".")[2]


@dataclass(frozen=True, slots=True)
class Table:
    """The entries of a table, the frame that they stand in, and the table's name if it has one."""

    entries: Sequence[Entry]
    frame: Frame
    name: str | None = None


@dataclass(slots=True)
class Evaluation:
    """Evaluates over the facts of a tree. `wanted` collects functions by file that must be read for an answer."""

    names: Names
    members: Members
    wanted: dict[str, set[str]] = field(default_factory=dict)
    _functions: dict[str, dict[str, FunctionFact]] = field(default_factory=dict)

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
        hole = closed(argument.hole, frame.bound) if frame.bound is not None else replace(argument.hole, source=None)
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
        values = Values(lambda each: self.argument(each, frame), lambda each: self.size(each, frame))
        return all(decide(test, values) is not False for test in tests)

    def is_certain(self, tests: Sequence[Test], frame: Frame) -> bool:
        """Say whether they are surely met."""
        values = Values(lambda each: self.argument(each, frame), lambda each: self.size(each, frame))
        return all(decide(test, values) for test in tests)

    def _expanded(self, template: Template, frame: Frame) -> list[Template]:
        choices = [self._segment(segment, frame) for segment in template.segments]
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
            return Argument(None, "", closed(plain, frame.bound) if frame.bound is not None else plain, texts)
        except UnknownCallError:
            return None

    def _given(self, source: Source, frame: Frame) -> Argument | None:
        """Return what the raise statement gave, where a source is a part of an exception that was seen being made."""
        if isinstance(source, Named):
            own, attribute = self.own_of(source.reference, frame)
            return own.attributes.get(attribute) if own is not None else None
        if not isinstance(source, Keyed) or not isinstance(source.table, Reference):
            return None
        own, attribute = self.own_of(source.table, frame)
        key = _key_of(self.argument(source.key, frame)) if own is not None and attribute == "args" else None
        if own is None or own.args is None or key is None or not key.isdecimal() or any(each.star for each in own.args):
            return None
        return own.args[int(key)] if int(key) < len(own.args) else None

    def _sourced(self, source: Source, frame: Frame) -> tuple[Template, ...] | None:
        if isinstance(source, Named):
            return self._named(source.reference, frame)
        if isinstance(source, Called):
            return self._called(source, frame)
        return self._filled(source, frame) if isinstance(source, Filled) else self._keyed(source, frame)

    def _named(self, reference: Reference, frame: Frame) -> tuple[Template, ...] | None:
        own, attribute = self.own_of(reference, frame)
        if own is not None:
            return self._attribute(own, attribute, frame)
        name = reference.name
        if name.endswith((".value", ".name")):
            found = self._enum_member(reference, frame)
            if found is not None:
                return found
        prefix, _, last = name.rpartition(".")
        meaning = self.names.resolve(frame.path, reference)
        if meaning.value is not None and meaning.path is not None:
            constant = self.names.facts[meaning.path].constants[meaning.value[0]][meaning.value[1]]
            texts = self._known(
                constant.value.templates, Frame(meaning.path, {}, form=frame.form, depth=frame.depth + 1)
            )
            return _by_way_of(meaning.value[1], texts)
        owner = self._class(replace(reference, name=prefix), frame) if prefix else None
        # A member of an enumeration is more than its value.
        if owner is None or (self._is_enum(owner) and "enum.StrEnum" not in self.members.hierarchy.order(owner)):
            return None
        return self._attribute(Own(owner, exact=True), last, frame)

    def _is_enum(self, name: str) -> bool:
        return any(each.startswith("enum.") for each in self.members.hierarchy.order(name))

    def _enum_member(self, reference: Reference, frame: Frame) -> tuple[Template, ...] | None:
        member, _, last = reference.name.rpartition(".")
        prefix, _, name = member.rpartition(".")
        owner = self._class(replace(reference, name=prefix), frame)
        if owner is None or not self._is_enum(owner):
            return None
        found = self.members.find(owner, name)
        if found is None or found.constant is None:
            return None
        if last == "name":
            return (Template((name,), "literal", is_text=True, via=name),)
        return _by_way_of(name, self._known(found.constant.value.templates, self._inside(found, None, frame)))

    def _attribute(self, own: Own, attribute: str, frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts of an attribute of an object or class."""
        if attribute in _CLASS_NAME:
            name = own.name.rpartition(".")[2]
            return (Template((name,), frame.form or "literal", is_text=True),) if own.exact else None
        attribute = attribute.removeprefix("__class__.")
        if "." in attribute or (not own.exact and self.members.is_stored(own.name, attribute)):
            return None
        found = self.members.find(own.name, attribute)
        if found is None:
            return None
        others = [] if own.exact else self.members.overriding(own.name, attribute)
        texts = [self._member(each, own, attribute, frame) for each in (found, *others)]
        return None if None in texts else tuple(text for each in texts if each is not None for text in each)

    def _member(self, member: Member, own: Own, attribute: str, frame: Frame) -> tuple[Template, ...] | None:
        inside = self._inside(member, own, frame)
        if member.constant is not None:
            return _by_way_of(attribute, self._known(member.constant.value.templates, inside))
        if member.function is not None:
            fact = self.function(member.path, member.function)
            if fact is None or fact.kind != "property":
                return None
            return self.returned(Target(member.path, fact, own, member.owner), (), frame)
        aliased = next((each.target for each in member.bindings if each.kind == "alias"), None)
        if aliased is None:
            return None
        return _by_way_of(attribute, self._named(Reference(aliased, (member.scope, ""), 0), inside))

    def _inside(self, member: Member, own: Own | None, frame: Frame) -> Frame:
        return Frame(member.path, {}, own, member.owner, frame.form, frame.depth + 1)

    def _known(self, templates: Sequence[Template], frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts of something that stands elsewhere, None where not all of them are known."""
        texts = self.templates(templates, frame)
        return texts if texts and not any(text.reason for text in texts) else None

    def own_of(self, reference: Reference, frame: Frame) -> tuple[Own | None, str]:
        """Return the object whose attribute a reference names, and the attribute, "" for the object itself."""
        root, _, rest = reference.name.partition(".")
        scope = self.names.own_class(frame.path, root, reference.scopes)
        if scope is None:
            return None, rest
        if frame.own is not None:
            return frame.own, rest
        name = self.members.hierarchy.add(self.names.class_at(frame.path, scope))
        return (Own(name, exact=False) if name is not None else None), rest

    # Functions

    def _called(self, source: Called, frame: Frame) -> tuple[Template, ...] | None:
        if source.reference.name == f"{BASE}.__str__" and not source.arguments and frame.own is not None:
            return self.base_text(frame)
        target = self.target(source.reference, frame)
        if target is None or target.fact.is_async is not source.is_awaited:
            return None
        texts = self.returned(target, source.arguments, frame)
        # A function that may give None gives it for a reason.
        return None if texts is not None and any(map(_is_none, texts)) else texts

    def base_text(self, frame: Frame) -> tuple[Template, ...] | None:
        """Return what the `__str__` behind that of the current class gives."""
        own = frame.own
        assert own is not None
        found = self.members.find(own.name, "__str__", behind=frame.owner)
        if found is not None and found.function is not None:
            fact = self.function(found.path, found.function)
            return self.returned(Target(found.path, fact, own, found.owner), (), frame) if fact is not None else None
        return own.text

    def returned(self, target: Target, arguments: Sequence[Argument], frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts that a call of a function gives, None where not all of them are known."""
        if target.fact.texts is None:
            return None
        texts = self._known(target.fact.texts, self.entered(target, arguments, frame))
        return _by_way_of(target.name, texts)

    def entered(self, target: Target, arguments: Sequence[Argument], frame: Frame) -> Frame:
        """Return the frame inside of a function that is called.

        Raises:
            UnknownCallError: The call does not fit or cannot be told.

        """
        if frame.depth >= _DEEPEST:
            raise UnknownCallError("call")
        inside = Frame(target.path, {}, target.own, target.owner, frame.form, frame.depth + 1)
        given = self.arguments(arguments, frame)
        bound = bind(target.fact.parameters, given, lambda default: self.argument(default, inside))
        return replace(inside, bound=bound)

    def target(self, reference: Reference, frame: Frame) -> Target | None:
        """Return the function that a reference names, None where it is none that can be read."""
        own, attribute = self.own_of(reference, frame)
        root, _, rest = reference.name.partition(".")
        if root == BASE and frame.own is not None:
            return self._method(frame.own, self.members.find(frame.own.name, rest, behind=frame.owner))
        if own is not None:
            name = attribute.removeprefix("__class__.")
            found = self.members.find(own.name, name) if name and "." not in name else None
            is_overridden = not own.exact and found is not None and bool(self.members.overriding(own.name, name))
            return None if is_overridden else self._method(own, found)
        prefix, _, last = reference.name.rpartition(".")
        owner = self._class(replace(reference, name=prefix), frame) if prefix else None
        if owner is not None:
            target = self._method(Own(owner, exact=True), self.members.find(owner, last))
            return target if target is not None and target.fact.kind in {"class method", "static method"} else None
        meaning = self.names.resolve(frame.path, reference)
        if meaning.function is None or meaning.path is None:
            return None
        fact = self.function(meaning.path, meaning.function)
        return Target(meaning.path, fact) if fact is not None else None

    def _method(self, own: Own, member: Member | None) -> Target | None:
        if member is None or member.function is None:
            return None
        fact = self.function(member.path, member.function)
        return Target(member.path, fact, own, member.owner) if fact is not None else None

    def function(self, path: str, scope: str) -> FunctionFact | None:
        """Return the facts of a function; if it was not read, it will be."""
        known = self._functions.get(path)
        if known is None:
            known = self._functions[path] = {fact.scope: fact for fact in self.names.facts[path].functions}
        found = known.get(scope)
        if found is None:
            self.wanted.setdefault(path, set()).add(scope.rpartition(".")[2])
        return found

    # Filled texts and tables

    def _filled(self, source: Filled, frame: Frame) -> tuple[Template, ...] | None:
        texts = self._template_texts(source.text, frame) if "template" in source.style else None
        texts = texts or self.templates(source.text.templates, frame)
        if not texts or not all(text.is_text and is_plain(text) for text in texts):
            return None
        form: Form = "percent" if source.style == "percent" else "format"
        made: list[Template] = []
        for text in texts:
            try:
                fields = fields_of(source.style, plain_text(text), source.values)
            except FieldError:
                return None
            joined = join([self._field(each, frame) for each in fields], frame.form or form)
            if joined is None:
                return None
            made += (replace(each, via=text.via or each.via) for each in joined)
        return tuple(made)

    def _template_texts(self, argument: Argument, frame: Frame) -> tuple[Template, ...] | None:
        """Return the text of the `string.Template` that an expression is."""
        source = argument.hole.source or _source_of(argument)
        if isinstance(source, Called) and len(source.arguments) == 1:
            meaning = self.names.resolve(frame.path, source.reference)
            is_template = meaning.qualified_name == "string.Template"
            return self.templates(source.arguments[0].templates, frame) if is_template else None
        if not isinstance(source, Named):
            return None
        own, attribute = self.own_of(source.reference, frame)
        if own is not None:
            found = (
                self.members.find(own.name, attribute) if own.exact or not self._may_differ(own, attribute) else None
            )
            if found is None or found.constant is None:
                return None
            texts = self._template_texts(found.constant.value, self._inside(found, own, frame))
            return _by_way_of(attribute, texts)
        meaning = self.names.resolve(frame.path, source.reference)
        if meaning.value is None or meaning.path is None:
            return None
        scope, name = meaning.value
        constant = self.names.facts[meaning.path].constants[scope][name]
        return _by_way_of(name, self._template_texts(constant.value, Frame(meaning.path, {}, depth=frame.depth + 1)))

    def _may_differ(self, own: Own, attribute: str) -> bool:
        return self.members.is_stored(own.name, attribute) or bool(self.members.overriding(own.name, attribute))

    def _field(self, each: str | Field, frame: Frame) -> Sequence[Template]:
        if isinstance(each, str):
            return [Template((each,), "literal", is_text=True)]
        placeholder = each.placeholder()
        if frame.bound is None or each.suffix or each.conversion or each.spec:
            return self._expanded(placeholder, frame)
        return self.templates(each.argument.templates, frame) or [placeholder]

    def _keyed(self, source: Keyed, frame: Frame) -> tuple[Template, ...] | None:
        table = self._table(source.table, frame) if isinstance(source.table, Reference) else Table(source.table, frame)
        if table is None:
            return None
        wanted = _key_of(self.argument(source.key, frame))
        chosen = [(entry.value, table.frame) for entry in table.entries if wanted in {None, entry.key}]
        if source.default is not None and (wanted is None or not chosen):
            chosen.append((source.default, frame))
        found = [self._known(value.templates, inside) for value, inside in chosen]
        if None in found:
            return None
        texts = tuple(text for each in found if each is not None for text in each)
        return _by_way_of(table.name, texts) if table.name else texts

    def _table(self, reference: Reference, frame: Frame) -> Table | None:
        """Return the table that a name holds."""
        own, attribute = self.own_of(reference, frame)
        if own is not None:
            return self._table_of(own, attribute.removeprefix("__class__."), frame)
        meaning = self.names.resolve(frame.path, reference)
        if meaning.value is None or meaning.path is None:
            prefix, _, last = reference.name.rpartition(".")
            owner = self._class(replace(reference, name=prefix), frame) if prefix else None
            return self._table_of(Own(owner, exact=True), last, frame) if owner is not None else None
        scope, name = meaning.value
        if name in self.names.facts[meaning.path].stored.get("", ()):
            return None
        found_entries = self.names.facts[meaning.path].constants[scope][name].entries
        inside = Frame(meaning.path, {}, form=frame.form, depth=frame.depth + 1)
        return Table(found_entries, inside, name) if found_entries is not None else None

    def _table_of(self, own: Own, attribute: str, frame: Frame) -> Table | None:
        """Return the table that an attribute of an object or class holds."""
        if not attribute or "." in attribute or self.members.is_stored(own.name, attribute):
            return None
        found = self.members.find(own.name, attribute)
        if found is None or found.constant is None or found.constant.entries is None:
            return None
        is_own = own.exact or not self.members.overriding(own.name, attribute)
        return Table(found.constant.entries, self._inside(found, own, frame), attribute) if is_own else None

    def _class(self, reference: Reference, frame: Frame) -> str | None:
        return self.members.hierarchy.add(self.names.resolve(frame.path, reference))

    def size(self, argument: Argument, frame: Frame) -> int | None:
        """Return how many items a value has: the arguments of the own object, or a text's characters."""
        source = argument.hole.source
        if isinstance(source, Named):
            own, attribute = self.own_of(source.reference, frame)
            if own is not None and attribute == "args" and own.args is not None:
                return None if any(each.star for each in own.args) else len(own.args)
        return None


def _source_of(argument: Argument) -> Source | None:
    """Return the source of an argument that is a single value."""
    if len(argument.templates) != 1 or len(argument.templates[0].segments) != 1:
        return None
    (segment,) = argument.templates[0].segments
    return segment.source if isinstance(segment, Hole) else None


def _key_of(argument: Argument) -> str | None:
    if len(argument.templates) != 1 or not is_plain(argument.templates[0]):
        return None
    (template,) = argument.templates
    text = plain_text(template)
    return f"'{text}'" if template.is_text else text


def _reads_own(template: Template) -> bool:
    return any(isinstance(segment, Hole) and _OWN_NAMES.search(segment.expression) for segment in template.segments)


def _is_none(template: Template) -> bool:
    return not template.is_text and template.segments == ("None",)


def _by_way_of(via: str, texts: tuple[Template, ...] | None) -> tuple[Template, ...] | None:
    return tuple(replace(text, via=via) for text in texts) if texts is not None else None


def _dressed(template: Template, value: Hole, field: Hole) -> Template:
    """Return a text as a field with a conversion or a format specification shows it."""
    if field.conversion is None and field.format_spec is None:
        return template
    if field.conversion == "r" and field.format_spec is None and is_plain(template):
        text = plain_text(template)
        return replace(template, segments=(represent(text) if template.is_text else text,), is_text=True)
    hole = replace(value, conversion=field.conversion, format_spec=field.format_spec)
    return Template((hole,), "none", is_text=True, guards=template.guards, reason="expression")
