"""What a raise statement makes: the class behind a name, or what the function or constant of that name gives."""

from __future__ import annotations

from dataclasses import dataclass, replace

from extractor.facts import Construction, Reference
from extractor.link.calls import UnknownCallError
from extractor.link.evaluation import Evaluation
from extractor.link.frames import Frame, Own, Target
from extractor.link.members import Member
from extractor.link.names import Meaning

_MOST_WAYS = 16
_DEEPEST = 4


@dataclass(frozen=True, slots=True)
class Made:
    """A construction in terms of the raise statement, and what its name means.

    `is_unread` says that only the class is known: a function says so of what it returns.
    """

    construction: Construction
    meaning: Meaning
    is_unread: bool = False


@dataclass(slots=True)
class Makers:
    """Finds what constructions make over the facts of a tree."""

    evaluation: Evaluation

    def made(self, construction: Construction, path: str) -> list[Made]:
        """Return every way in which a construction of a raise statement makes its exception, at least one."""
        frame = Frame(path)
        found = self._made(construction, frame)
        if found is not None and 0 < len(found) <= _MOST_WAYS:
            return found
        meaning = self._meaning(construction.reference, frame)
        return [Made(self.told(construction, path), meaning)]

    def told(self, construction: Construction, path: str) -> Construction:
        """Return a construction of a raise statement with what its texts are elsewhere."""
        return self._told(construction, Frame(path))

    def _told(self, construction: Construction, frame: Frame) -> Construction:
        if construction.arguments is None:
            return construction
        return replace(construction, arguments=self.evaluation.arguments(construction.arguments, frame))

    def _meaning(self, reference: Reference | None, frame: Frame) -> Meaning:
        if reference is None:
            return Meaning(reason="expression")
        own, attribute = self.evaluation.functions.own_of(reference, frame)
        if own is None:
            return self.evaluation.names.resolve(frame.path, reference)
        if attribute in {"", "__class__"}:
            return self._own_class(own)
        found = self._member(own, attribute)
        return self._attribute(own, attribute, found) if found is not None else Meaning(reason="attribute")

    def _attribute(self, own: Own, attribute: str, found: Member) -> Meaning:
        """Return the class that an attribute holds, with those that objects of subclasses have in its place."""
        members, name = self.evaluation.members, attribute.removeprefix("__class__.")
        overriding = [] if own.exact else members.overriding(own.name, name, found)
        if overriding is None or members.is_stored(own.name, name):
            return Meaning(reason="attribute")
        first, *others = map(self._aliased, (found, *overriding))
        if not all(meaning.is_class for meaning in (first, *others)):
            return Meaning(reason="attribute")
        different = (each for each in dict.fromkeys(others) if each != first)
        return replace(first, others=(*first.others, *different))

    def _own_class(self, own: Own) -> Meaning:
        known = self.evaluation.members.hierarchy.tree_classes.get(own.name)
        if known is None:
            return Meaning(reason="dynamic type")
        return Meaning(known.path, known.fact.scope, certain=own.exact)

    def _member(self, own: Own, attribute: str) -> Member | None:
        name = attribute.removeprefix("__class__.")
        return self.evaluation.members.find(own.name, name) if "." not in name else None

    def _aliased(self, member: Member) -> Meaning:
        """Return the class that a name of a class body stands for."""
        targets = [each.target for each in member.bindings if each.kind in {"alias", "class"}]
        if len(targets) != 1:
            return Meaning(reason="attribute")
        if member.bindings[0].kind == "class":
            return Meaning(member.path, targets[0], certain=False)
        reference = Reference(targets[0], (member.scope, ""), 0)
        meaning = self.evaluation.names.resolve(member.path, reference)
        # Objects and subclasses may have something else by that name.
        return replace(meaning, certain=False) if meaning.is_class else Meaning(reason="attribute")

    def _made(self, construction: Construction, frame: Frame) -> list[Made] | None:
        if construction.reference is None or frame.depth > _DEEPEST or _is_given(construction.reference, frame):
            return None
        meaning = self._meaning(construction.reference, frame)
        if meaning.is_class:
            told = self._told(construction, frame)
            return [Made(told, replace(each, certain=meaning.certain)) for each in (meaning, *meaning.others)]
        if meaning.value is not None and meaning.path is not None and construction.arguments is None:
            scope, name = meaning.value
            facts = self.evaluation.names.facts[meaning.path]
            if any("args" in names for names in facts.stored.values()):
                # An exception of that file gets another text later.
                return None
            constant = facts.constants[scope][name]
            inside = Frame(meaning.path, {}, depth=frame.depth + 1)
            return self._each(constant.makes, inside, construction, name)
        if construction.arguments is None:
            return self._held(construction, frame)
        target = self.evaluation.functions.target(construction.reference, frame)
        made = self._returned(target, construction, frame) if target is not None else None
        if made is None or meaning.certain:
            return made
        return [replace(each, meaning=replace(each.meaning, certain=False)) for each in made]

    def _held(self, construction: Construction, frame: Frame) -> list[Made] | None:
        """Return what an attribute of the own object or class holds."""
        assert construction.reference is not None
        own, attribute = self.evaluation.functions.own_of(construction.reference, frame)
        found = self._member(own, attribute) if own is not None else None
        if found is None:
            return None
        assert own is not None
        is_settled = own.exact or self.evaluation.members.overriding(own.name, attribute, found) == []
        if not is_settled or self.evaluation.members.is_stored(own.name, attribute):
            return None
        if found.constant is not None:
            inside = Frame(found.path, {}, own, found.owner, depth=frame.depth + 1)
            return self._each(found.constant.makes, inside, construction, attribute)
        if found.function is None:
            return None
        fact = self.evaluation.functions.function(found.path, found.function)
        if fact is None or fact.kind != "property":
            return None
        return self._returned(Target(found.path, fact, own, found.owner), replace(construction, arguments=()), frame)

    def _returned(self, target: Target, construction: Construction, frame: Frame) -> list[Made] | None:
        """Return what a function gives that is called with the arguments of a construction."""
        try:
            inside = self.evaluation.entered(target, construction.arguments or (), frame)
        except UnknownCallError:
            return self._annotated(target, construction, frame)
        if target.fact.makes is not None:
            possible = [each for each in target.fact.makes if self.evaluation.is_possible(each.tests, inside)]
            made = self._each(tuple(possible), inside, construction, target.name)
            if made is not None:
                return made
        return self._annotated(target, construction, frame)

    def _annotated(self, target: Target, construction: Construction, frame: Frame) -> list[Made] | None:
        if target.fact.annotation is None:
            return None
        meaning = self._meaning(target.fact.annotation, Frame(target.path, {}, target.own, target.owner))
        if not meaning.is_class:
            return None
        told = replace(construction, arguments=None)
        return [Made(told, replace(meaning, certain=False), is_unread=True)]

    def _each(self, makes: tuple[Construction, ...], inside: Frame, outer: Construction, via: str) -> list[Made] | None:
        made: list[Made] = []
        for each in makes:
            try:
                found = self._made(each, inside)
            except UnknownCallError:
                found = None
            if found is None:
                return None
            made += (_seen_from(one, outer, via) for one in found)
        return made or None


def _is_given(reference: Reference, frame: Frame) -> bool:
    """Say whether a call gives the class of what its function makes, in place of a default."""
    return reference.name in frame.given


def _seen_from(made: Made, outer: Construction, via: str) -> Made:
    """Return what a function makes as its caller sees it: under the caller's conditions, not the function's."""
    inner = made.construction
    changed = inner.changed | outer.changed
    told = replace(inner, guards=outer.guards, via=outer.via or via, reference=outer.reference, tests=())
    return replace(made, construction=replace(told, changed=changed))
