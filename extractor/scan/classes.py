"""Class statements: bases, methods, and the fields of a dataclass."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field

import libcst as cst

from extractor.facts import ClassFact, Initializer, Parameter, Reference
from extractor.scan.definitions import Guards, initializer_of
from extractor.scan.message import argument_of
from extractor.scan.surroundings import Surroundings
from extractor.scan.writer import dotted_name, target_names

# Methods that say what an exception is made of and what it says, whoever asks for them.
SPECIAL_METHODS = frozenset({"__init__", "__new__", "__post_init__", "__repr__", "__str__"})


@dataclass(slots=True)
class OpenClass:
    """A class statement that is being visited; `tries` counts the `try` statements around it."""

    scope: str
    line: int
    bases: tuple[Reference, ...]
    looks_like_exception: bool
    is_dataclass: bool
    decorators: tuple[Reference, ...] = ()
    node: cst.ClassDef | None = None
    tries: int = 0
    initializers_found: list[tuple[Initializer, Guards]] = field(default_factory=list)
    methods: set[str] = field(default_factory=set)
    hidden: set[str] = field(default_factory=set)
    fields: list[Parameter] = field(default_factory=list)

    @property
    def initializers(self) -> frozenset[str]:
        """The names of the methods that make an object what it is."""
        return frozenset({"__post_init__"}) if self.is_dataclass else frozenset({"__init__"})

    def method(self, node: cst.FunctionDef) -> None:
        """Note a method."""
        self.methods.add(node.name.value)

    def assigned(self, targets: Sequence[cst.BaseExpression], value: cst.BaseExpression) -> None:
        """Note an assignment in the class body: a cut method is bound to an ellipsis, and a lambda is a method."""
        names = {name for target in targets for name in target_names(target)}
        if isinstance(value, cst.Ellipsis):
            self.methods |= names
            return
        self.hide(names)
        if isinstance(value, cst.Lambda):
            self.methods |= names
        elif dotted_name(value) is None or "__init__" in names:
            self.methods |= names & SPECIAL_METHODS

    def hide(self, names: Collection[str]) -> None:
        """Note that names are bound to something else, or to nothing any more."""
        self.hidden.update(self.methods.intersection(names))

    def annotated(self, node: cst.AnnAssign, around: Surroundings) -> None:
        """Note an annotated name, which is a field of a dataclass."""
        if not self.is_dataclass or not isinstance(node.target, cst.Name) or is_class_variable(node.annotation):
            return
        value, is_parameter = _field_default(node.value)
        if is_parameter:
            default = argument_of(value, around) if value is not None else None
            self.fields.append(Parameter(node.target.value, "positional", default))

    def fact(self) -> ClassFact:
        """Return what was found."""
        return ClassFact(
            scope=self.scope,
            line=self.line,
            bases=self.bases,
            initializer=self._initializer(),
            methods=frozenset(self.methods),
            fields=tuple(self.fields) if self.is_dataclass and "__init__" not in self.methods else None,
            decorators=self.decorators,
        )

    def _initializer(self) -> Initializer | None:
        is_assigned = not self.initializers.isdisjoint(self.hidden)
        return initializer_of(self.initializers_found, is_hidden=is_assigned)


def _field_default(node: cst.BaseExpression | None) -> tuple[cst.BaseExpression | None, bool]:
    """Return the default of a field, and whether the constructor has a parameter for it."""
    if not isinstance(node, cst.Call) or (dotted_name(node.func) or "").rpartition(".")[2] != "field":
        return node, True
    given = {each.keyword.value: each.value for each in node.args if each.keyword is not None}
    is_parameter = "init" not in given or dotted_name(given["init"]) != "False"
    return given.get("default", given.get("default_factory")), is_parameter


def is_class_variable(node: cst.Annotation) -> bool:
    """Say whether an annotation is of a variable that all objects of a class share."""
    annotation = node.annotation
    name = dotted_name(annotation.value if isinstance(annotation, cst.Subscript) else annotation)
    return (name or "").rpartition(".")[2] in {"ClassVar", "Final"}


def is_dataclass(node: cst.ClassDef) -> bool:
    """Say whether a class has the decorator of the standard library's dataclasses."""
    expressions = (each.decorator for each in node.decorators)
    names = (dotted_name(each.func if isinstance(each, cst.Call) else each) for each in expressions)
    return any(name in {"dataclass", "dataclasses.dataclass"} for name in names)


def base_references(node: cst.ClassDef, scopes: tuple[str, ...], line: int) -> tuple[Reference, ...]:
    """Return the bases of a class that are written as names; `Base[T]` counts as `Base`."""
    names = (dotted_name(_unsubscripted(item.value)) for item in node.bases)
    return tuple(Reference(name or "?", scopes, line) for name in names)


def _unsubscripted(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.value if isinstance(node, cst.Subscript) else node
