"""The functions and methods of a tree, by the names that they are called by."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from extractor.facts import BASE, FunctionFact, Reference
from extractor.link.frames import Frame, Own, Target
from extractor.link.members import Member, Members
from extractor.link.names import Meaning, Names


@dataclass(slots=True)
class Functions:
    """Finds functions over the facts of a tree. `wanted` collects those by file that must be read for an answer."""

    names: Names
    members: Members
    wanted: dict[str, set[str]] = field(default_factory=dict)
    _facts: dict[str, dict[str, FunctionFact]] = field(default_factory=dict)

    def function(self, path: str, scope: str) -> FunctionFact | None:
        """Return the facts of a function; if it was not read, it will be."""
        known = self._facts.get(path)
        if known is None:
            known = self._facts[path] = {fact.scope: fact for fact in self.names.facts[path].functions}
        found = known.get(scope)
        if found is None:
            self.want(path, scope.rpartition(".")[2])
        return found

    @property
    def asked(self) -> int:
        """How many functions were asked for that were not read."""
        return sum(map(len, self.wanted.values()))

    def want(self, path: str, name: str) -> None:
        """Note a function that must be read for an answer."""
        self.wanted.setdefault(path, set()).add(name)

    def target(self, reference: Reference, frame: Frame) -> Target | None:
        """Return the function that a reference names, None where it is none that can be read."""
        own, attribute = self.own_of(reference, frame)
        root, _, rest = reference.name.partition(".")
        if root == BASE and frame.own is not None:
            return self.method(frame.own, self.members.find(frame.own.name, rest, behind=frame.owner))
        if own is not None:
            name = attribute.removeprefix("__class__.")
            found = self.members.find(own.name, name) if name and "." not in name else None
            is_overridden = not own.exact and found is not None and self.members.overriding(own.name, name, found) != []
            is_other = is_overridden or self.members.is_patched(own.name, (name,))
            return None if is_other else self.method(own, found)
        prefix, _, last = reference.name.rpartition(".")
        owner = self.class_of(replace(reference, name=prefix), frame) if prefix else None
        if owner is not None and self.members.is_patched(owner, (last,)):
            return None
        if owner is not None:
            target = self.method(Own(owner, exact=True), self.members.find(owner, last))
            return target if target is not None and target.fact.kind in {"class method", "static method"} else None
        meaning = self.names.resolve(frame.path, reference)
        if meaning.function is None or meaning.path is None:
            return None
        fact = self.function(meaning.path, meaning.function)
        return Target(meaning.path, fact) if fact is not None else None

    def method(self, own: Own, member: Member | None) -> Target | None:
        """Return a member as a method of an object, None where it is none that can be read."""
        if member is None or member.function is None:
            return None
        fact = self.function(member.path, member.function)
        return Target(member.path, fact, own, member.owner) if fact is not None else None

    def own_of(self, reference: Reference, frame: Frame) -> tuple[Own | None, str]:
        """Return the object whose attribute a reference names, and the attribute, "" for the object itself."""
        root, _, rest = reference.name.partition(".")
        scope = self.names.own_class(frame.path, root, reference.scopes)
        if scope is None:
            return self._annotated(root, reference, frame) if rest else None, rest
        if frame.own is not None:
            return frame.own, rest
        name = self.members.hierarchy.add(Meaning(frame.path, scope))
        return (Own(name, exact=False) if name is not None else None), rest

    def class_of(self, reference: Reference, frame: Frame) -> str | None:
        """Return the qualified name of the class that a reference names, None where it names none."""
        return self.members.hierarchy.add(self.names.resolve(frame.path, reference))

    def _annotated(self, name: str, reference: Reference, frame: Frame) -> Own | None:
        """Return the object that a parameter holds, as far as its annotation says."""
        annotation = self.names.annotation(frame.path, name, reference.scopes)
        owner = self.class_of(annotation, frame) if annotation is not None else None
        known = self.members.hierarchy.tree_classes.get(owner) if owner is not None else None
        if owner is None or known is None:
            return None
        # What a protocol says is said by classes that need not know of it.
        is_protocol = any(base.name.rpartition(".")[2] == "Protocol" for base in known.fact.bases)
        return None if is_protocol else Own(owner, exact=False)
