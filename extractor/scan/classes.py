"""Class statements: bases, and what the methods do to the text of an exception."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from extractor.facts import Argument, ClassFact, Initializer, Parameter, Reference, Template
from extractor.scan.bindings import target_paths
from extractor.scan.construction import arguments_of
from extractor.scan.flow import Definition, Flow
from extractor.scan.message import Surroundings, hole_of, templates_of
from extractor.scan.writer import dotted_name

_UNREAD = frozenset({"__init__", "__new__", "__str__"})


@dataclass(slots=True)
class OpenClass:
    """A class statement that is being visited."""

    scope: str
    line: int
    bases: tuple[Reference, ...]
    decorators: tuple[Reference, ...] = ()
    node: cst.ClassDef | None = None
    initializer: Initializer | None = None
    texts: tuple[Template, ...] | None = None
    methods: set[str] = field(default_factory=set)
    detailed: bool = True

    def method(self, node: cst.FunctionDef) -> None:
        """Note a method."""
        # What a dataclass does after its own `__init__` may be to call another one.
        self.methods.add("__new__" if node.name.value == "__post_init__" else node.name.value)

    def assigned(self, node: cst.Assign) -> None:
        """Note an assignment in the class body: a cut method is bound to an ellipsis."""
        names = {name for target in node.targets if (name := dotted_name(target.target)) is not None} & _UNREAD
        if names and isinstance(node.value, cst.Ellipsis):
            self.detailed = False
        elif names:
            self.methods |= names
            self.texts = None if "__str__" in names else self.texts
            if "__init__" in names:
                self.initializer = Initializer((), None, "constructor")

    def fact(self) -> ClassFact:
        """Return what was found."""
        return ClassFact(
            scope=self.scope,
            line=self.line,
            bases=self.bases,
            initializer=self.initializer,
            has_str="__str__" in self.methods,
            texts=self.texts,
            has_new="__new__" in self.methods,
            detailed=self.detailed,
            decorators=self.decorators,
        )


def base_references(node: cst.ClassDef, scopes: tuple[str, ...], line: int) -> tuple[Reference, ...]:
    """Return the bases of a class that are written as names; `Base[T]` counts as `Base`."""
    names = (dotted_name(_unsubscripted(item.value)) for item in node.bases)
    return tuple(Reference(name or "?", scopes, line) for name in names)


def _unsubscripted(node: cst.BaseExpression) -> cst.BaseExpression:
    return node.value if isinstance(node, cst.Subscript) else node


def parameters_of(node: cst.Parameters) -> Iterator[cst.Param]:
    """Yield every parameter of a function."""
    yield from node.posonly_params
    yield from node.params
    yield from (each for each in (node.star_arg, node.star_kwarg) if isinstance(each, cst.Param))
    yield from node.kwonly_params


@dataclass(slots=True)
class OpenText:
    """A `__str__` that is being visited: what it returns."""

    constant: Callable[[str], Definition | None]
    templates: list[Template] = field(default_factory=list)
    is_followed: bool = True

    def returned(self, node: cst.BaseExpression | None, flow: Flow) -> None:
        """Note a return statement."""
        if node is None:
            self.is_followed = False
            return
        around = Surroundings(flow.values, 0, constant=self.constant)
        passed = tuple(condition.guard for condition in flow.conditions)
        self.templates += (
            replace(template, guards=(*passed, *template.guards)) for template in templates_of(node, around)
        )

    def fact(self) -> tuple[Template, ...] | None:
        """Return what was found, None where a text can be anything."""
        texts = tuple(dict.fromkeys(self.templates))
        return texts if texts and self.is_followed else None


@dataclass(frozen=True, slots=True)
class BaseCall:
    """A call of a base class's `__init__`: its arguments, the base if it is named, and whether it is always made."""

    arguments: tuple[Argument, ...]
    base: Reference | None
    is_sure: bool


@dataclass(slots=True)
class OpenInitializer:
    """An `__init__` that is being visited: the calls of the base class's `__init__` found so far."""

    node: cst.FunctionDef
    scopes: tuple[str, ...]
    constant: Callable[[str], Definition | None]
    calls: list[BaseCall] = field(default_factory=list)
    attributes: dict[str, Argument | None] = field(default_factory=dict)
    may_leave: bool = False
    reason: str | None = None

    def expression(self, node: cst.BaseExpression, flow: Flow) -> None:
        """Note an expression, which may hand the arguments on."""
        found = _handed_on(node)
        if found is None:
            return
        owner, arguments = found
        base = Reference(owner, self.scopes, 0) if owner else None
        is_sure = flow.reachable and not flow.conditions and not self.may_leave
        around = Surroundings(flow.values, 0, constant=self.constant)
        self.calls.append(BaseCall(arguments_of(arguments, around), base, is_sure))

    def assigned(self, targets: Sequence[cst.BaseExpression], value: cst.BaseExpression | None, flow: Flow) -> None:
        """Note an assignment: `self.args` is what `str()` shows, other attributes are what a `__str__` may use."""
        for target in targets:
            for path in target_paths(target):
                owner, _, name = path.partition(".")
                if name == "args":
                    self.reason = "constructor"
                elif name and owner == self._own_name():
                    is_whole = dotted_name(target) == path
                    self.attributes[name] = self._attribute(name, value if is_whole else None, flow)

    def _own_name(self) -> str | None:
        every = (*self.node.params.posonly_params, *self.node.params.params)
        return every[0].name.value if every else None

    def _attribute(self, name: str, value: cst.BaseExpression | None, flow: Flow) -> Argument | None:
        is_sure = flow.reachable and not flow.conditions and not self.may_leave and name not in self.attributes
        if value is None or not is_sure:
            return None
        around = Surroundings(flow.values, 0, constant=self.constant)
        return Argument(name, "", hole_of(value, around), templates_of(value, around))

    def fact(self) -> Initializer:
        """Return what was found."""
        parameters = tuple(_parameters(self.node.params))
        attributes = tuple(each for each in self.attributes.values() if each is not None)
        if not self.calls:
            return Initializer(parameters, None, self.reason, attributes=attributes)
        call, *others = self.calls
        reason = self.reason or (None if call.is_sure and not others else "constructor")
        return Initializer(parameters, call.arguments, reason, call.base, attributes)


def _handed_on(node: cst.BaseExpression) -> tuple[str, tuple[cst.Arg, ...]] | None:
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    if node.func.attr.value != "__init__":
        return None
    owner = node.func.value
    if isinstance(owner, cst.Call) and dotted_name(owner.func) == "super":
        return "", tuple(node.args)
    # `Base.__init__(self, …)`
    name = dotted_name(owner)
    return (name, tuple(node.args[1:])) if name is not None else None


def _parameters(node: cst.Parameters) -> Iterator[Parameter]:
    nowhere = Surroundings({}, 0)
    for param in (*node.posonly_params, *node.params)[1:]:
        yield Parameter(param.name.value, "positional", _default(param, nowhere))
    if isinstance(node.star_arg, cst.Param):
        yield Parameter(node.star_arg.name.value, "*", None)
    for param in node.kwonly_params:
        yield Parameter(param.name.value, "keyword", _default(param, nowhere))
    if node.star_kwarg is not None:
        yield Parameter(node.star_kwarg.name.value, "**", None)


def _default(param: cst.Param, nowhere: Surroundings) -> Template | None:
    return templates_of(param.default, nowhere)[0] if param.default is not None else None
