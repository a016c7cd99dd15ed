"""What names hold that stand elsewhere: constants, attributes, members of enumerations, tables."""

from __future__ import annotations

from dataclasses import dataclass, replace

from extractor.facts import Argument, Called, Entry, Hole, Named, Reference, Source, Template
from extractor.link.frames import Evaluator, Frame, Own, Table, Target, by_way_of, given_otherwise
from extractor.link.functions import Functions
from extractor.link.members import Member, Members
from extractor.link.names import Names

_CLASS_NAME = frozenset({"__class__.__name__", "__class__.__qualname__", "__name__", "__qualname__"})


@dataclass(slots=True)
class NamedValues:
    """Finds what names hold over the facts of a tree."""

    names: Names
    members: Members
    functions: Functions
    evaluator: Evaluator

    def named(self, reference: Reference, frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts of what a dotted name holds, None where they are not known."""
        own, attribute = self.functions.own_of(reference, frame)
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
            texts = self.evaluator.known(
                constant.value.templates, Frame(meaning.path, {}, form=frame.form, depth=frame.depth + 1)
            )
            return by_way_of(last, texts)
        owner = self.functions.class_of(replace(reference, name=prefix), frame) if prefix else None
        # A member of an enumeration is more than its value.
        if owner is None or self._is_enum(owner):
            return None
        return self._attribute(Own(owner, exact=True), last, frame)

    def _is_enum(self, name: str) -> bool:
        return any(each.startswith("enum.") for each in self.members.hierarchy.order(name))

    def _enum_member(self, reference: Reference, frame: Frame) -> tuple[Template, ...] | None:
        member, _, last = reference.name.rpartition(".")
        prefix, _, name = member.rpartition(".")
        owner = self.functions.class_of(replace(reference, name=prefix), frame)
        if owner is None or not self._is_enum(owner):
            return None
        found = self.members.find(owner, name)
        made_otherwise = self.members.find(owner, "__new__") or self.members.find(owner, last)
        if found is None or found.constant is None or made_otherwise is not None:
            return None
        if last == "name":
            return (Template((name,), "literal", is_text=True, via=name),)
        return by_way_of(name, self.evaluator.known(found.constant.value.templates, self._inside(found, None, frame)))

    def _attribute(self, own: Own, attribute: str, frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts of an attribute of an object or class."""
        if attribute in _CLASS_NAME:
            name = own.name.rpartition(".")[2]
            return (Template((name,), frame.form or "literal", is_text=True),) if own.exact else None
        attribute = attribute.removeprefix("__class__.")
        if "." in attribute:
            return None
        if not own.exact and self.members.is_stored(own.name, attribute):
            return self._set_at_first(own, attribute, frame)
        found = self.members.find(own.name, attribute)
        if found is None or self.members.is_patched(own.name, (attribute,)):
            return None
        others = [] if own.exact else self.members.overriding(own.name, attribute, found)
        if others is None:
            return None
        texts = [self._member(each, own, attribute, frame) for each in (found, *others)]
        if None in texts:
            return None
        every = tuple(text for each in texts if each is not None for text in each)
        # What is None in a class is there for others to set.
        return (
            None if not own.exact and any(text.segments == ("None",) and not text.is_text for text in every) else every
        )

    def _set_at_first(self, own: Own, attribute: str, frame: Frame) -> tuple[Template, ...] | None:
        """Return the texts of an attribute that only the constructor of its object sets, to what is known in part."""
        if self.members.times_stored(own.name, attribute) != 1 or self.members.overriding(own.name, attribute) != []:
            return None
        found = self.members.find(own.name, "__init__")
        known = self.members.hierarchy.tree_classes.get(found.owner) if found is not None else None
        if found is None or known is None:
            return None
        if known.fact.initializer is None:
            self.functions.want(found.path, "__init__")
            return None
        value = next((each for each in known.fact.initializer.attributes if each.keyword == attribute), None)
        if value is None:
            return None
        bound = {each.name: (_opaque(each.name),) for each in known.fact.initializer.parameters}
        inside = Frame(found.path, bound, own, found.owner, frame.form, frame.depth + 1)
        texts = self.evaluator.templates(value.templates, inside)
        sure = tuple(text for text in texts if text.reason is None)
        others = () if len(sure) == len(texts) else (given_otherwise(f"self.{attribute}"),)
        return (*(by_way_of(attribute, sure) or ()), *others) if sure else None

    def _member(self, member: Member, own: Own, attribute: str, frame: Frame) -> tuple[Template, ...] | None:
        inside = self._inside(member, own, frame)
        if member.constant is not None:
            # The default of a field that an object may have been given another value for.
            if member.constant.is_field and not own.exact:
                return None
            return by_way_of(attribute, self.evaluator.known(member.constant.value.templates, inside))
        if member.function is not None:
            fact = self.functions.function(member.path, member.function)
            if fact is None or fact.kind != "property":
                return None
            return self.evaluator.returned(Target(member.path, fact, own, member.owner), (), frame)
        aliased = next((each.target for each in member.bindings if each.kind == "alias"), None)
        if aliased is None:
            return None
        return by_way_of(attribute, self.named(Reference(aliased, (member.scope, ""), 0), inside))

    def _inside(self, member: Member, own: Own | None, frame: Frame) -> Frame:
        return Frame(member.path, {}, own, member.owner, frame.form, frame.depth + 1)

    def template_texts(self, argument: Argument, frame: Frame) -> tuple[Template, ...] | None:
        """Return the text of the `string.Template` that an expression is."""
        source = argument.hole.source or _source_of(argument)
        if isinstance(source, Called) and len(source.arguments) == 1:
            meaning = self.names.resolve(frame.path, source.reference)
            is_template = meaning.qualified_name == "string.Template"
            return self.evaluator.templates(source.arguments[0].templates, frame) if is_template else None
        if not isinstance(source, Named):
            return None
        own, attribute = self.functions.own_of(source.reference, frame)
        if own is not None:
            found = (
                self.members.find(own.name, attribute) if own.exact or not self._may_differ(own, attribute) else None
            )
            if found is None or found.constant is None:
                return None
            texts = self.template_texts(found.constant.value, self._inside(found, own, frame))
            return by_way_of(attribute, texts)
        meaning = self.names.resolve(frame.path, source.reference)
        if meaning.value is None or meaning.path is None:
            return None
        scope, name = meaning.value
        constant = self.names.facts[meaning.path].constants[scope][name]
        last = source.reference.name.rpartition(".")[2]
        return by_way_of(last, self.template_texts(constant.value, Frame(meaning.path, {}, depth=frame.depth + 1)))

    def _may_differ(self, own: Own, attribute: str) -> bool:
        return self.members.is_stored(own.name, attribute) or self.members.overriding(own.name, attribute) != []

    def table(self, reference: Reference, frame: Frame) -> Table | None:
        """Return the table that a name holds."""
        own, attribute = self.functions.own_of(reference, frame)
        if own is not None:
            return self._table_of(own, attribute.removeprefix("__class__."), frame)
        meaning = self.names.resolve(frame.path, reference)
        if meaning.value is None or meaning.path is None:
            prefix, _, last = reference.name.rpartition(".")
            owner = self.functions.class_of(replace(reference, name=prefix), frame) if prefix else None
            return self._table_of(Own(owner, exact=True), last, frame) if owner is not None else None
        scope, name = meaning.value
        last = reference.name.rpartition(".")[2]
        if name in self.names.facts[meaning.path].stored.get("", ()):
            return None
        found_entries = self.names.facts[meaning.path].constants[scope][name].entries
        inside = Frame(meaning.path, {}, form=frame.form, depth=frame.depth + 1)
        return Table.of(found_entries, inside, last) if found_entries is not None else None

    def _table_of(self, own: Own, attribute: str, frame: Frame) -> Table | None:
        """Return the table that an attribute of an object or class holds."""
        if not attribute or "." in attribute:
            return None
        collected = self.members.collected(own.name, attribute)
        if collected is not None:
            return self._collected(own, collected, frame)
        if self.members.is_stored(own.name, attribute):
            return None
        found = self.members.find(own.name, attribute)
        if found is None or found.constant is None or found.constant.entries is None:
            return None
        is_own = own.exact or self.members.overriding(own.name, attribute) == []
        return Table.of(found.constant.entries, self._inside(found, own, frame), attribute) if is_own else None

    def _collected(self, own: Own, name: str, frame: Frame) -> Table | None:
        """Return a table that is put together from those of a class and its bases, then those of its subclasses."""
        entries: dict[str, tuple[Entry, Frame]] = {}
        for member in self.members.all(own.name, name):
            if member.constant is None or member.constant.entries is None:
                return None
            for entry in member.constant.entries:
                entries.setdefault(entry.key, (entry, self._inside(member, own, frame)))
        below = [] if own.exact else self.members.overriding(own.name, name)
        if below is None:
            return None
        others = [
            (entry, self._inside(member, own, frame))
            for member in below
            if member.constant is not None
            for entry in member.constant.entries or ()
        ]
        return Table([*entries.values(), *others], name, is_open=True) if entries else None

    def size(self, argument: Argument, frame: Frame) -> int | None:
        """Return how many items a value has: the arguments of the own object, or a text's characters."""
        source = argument.hole.source
        if isinstance(source, Named):
            own, attribute = self.functions.own_of(source.reference, frame)
            if own is not None and attribute == "args" and own.args is not None:
                return None if any(each.star for each in own.args) else len(own.args)
        return None


def _opaque(name: str) -> Argument:
    """Return what a parameter holds that anybody may give."""
    hole = Hole((name,))
    return Argument(None, "", hole, (Template((hole,), "none", is_text=False, reason="parameter"),))


def _source_of(argument: Argument) -> Source | None:
    """Return the source of an argument that is a single value."""
    if len(argument.templates) != 1 or len(argument.templates[0].segments) != 1:
        return None
    (segment,) = argument.templates[0].segments
    return segment.source if isinstance(segment, Hole) else None
