"""Functions that others take texts and exceptions from: what they return, and what an `__init__` does to its object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import libcst as cst

from extractor.facts import (
    BASE,
    Argument,
    BaseCall,
    Construction,
    FunctionFact,
    FunctionKind,
    Initializer,
    Parameter,
    Reference,
    Template,
)
from extractor.scan.bindings import changes, children
from extractor.scan.construction import raised_by
from extractor.scan.flow import join
from extractor.scan.known import Choice, Definition, Flow, Known, Value
from extractor.scan.message import argument_of, arguments_of, templates_of, tests_of
from extractor.scan.statements import all_statements
from extractor.scan.surroundings import Surroundings, looked_up_name
from extractor.scan.writer import dotted_name

# Decorators that leave what a function returns as it is.
_PLAIN_DECORATORS = frozenset(
    "abstractmethod cache cached_property classmethod final lru_cache no_type_check override property staticmethod "
    "deprecated wraps".split()
)
_KINDS: dict[str, FunctionKind] = {
    "classmethod": "class method",
    "staticmethod": "static method",
    "property": "property",
    "cached_property": "property",
}
# Of a property, and of what type checkers read.
_ACCESSORIES = frozenset({"deleter", "overload", "setter"})
_MOST_RETURNS = 12

# The surroundings at a flow, as others see them.
Around = Callable[[Flow], Surroundings]


def kind_of(node: cst.FunctionDef, *, is_method: bool) -> FunctionKind:
    """Return how a function is called."""
    for name in _decorators(node):
        kind = _KINDS.get(name or "")
        if kind is not None and is_method:
            return kind
    if is_method and node.name.value in {"__new__", "__init_subclass__", "__class_getitem__"}:
        return "class method"
    return "method" if is_method else "function"


def _decorators(node: cst.FunctionDef) -> list[str | None]:
    expressions = (each.decorator for each in node.decorators)
    names = (dotted_name(each.func if isinstance(each, cst.Call) else each) for each in expressions)
    return [name.rpartition(".")[2] if name is not None else None for name in names]


def parameters_of(node: cst.Parameters) -> Iterator[cst.Param]:
    """Yield every parameter of a function."""
    yield from node.posonly_params
    yield from node.params
    yield from (each for each in (node.star_arg, node.star_kwarg) if isinstance(each, cst.Param))
    yield from node.kwonly_params


def own_parameter(node: cst.FunctionDef, kind: FunctionKind) -> str | None:
    """Return the name of the parameter for the own object or class."""
    every = (*node.params.posonly_params, *node.params.params)
    return every[0].name.value if every and kind in {"method", "class method", "property"} else None


def annotated_class(param: cst.Param) -> str:
    """Return the dotted name of the one class that a parameter is said to be of or None, "" where it is more."""
    node = param.annotation.annotation if param.annotation is not None else None
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.BitOr):
        sides = [side for side in (node.left, node.right) if dotted_name(side) != "None"]
        node = sides[0] if len(sides) == 1 else None
    if isinstance(node, cst.Subscript) and (dotted_name(node.value) or "").rpartition(".")[2] == "Optional":
        inner = node.slice[0].slice
        node = inner.value if len(node.slice) == 1 and isinstance(inner, cst.Index) else None
    if isinstance(node, cst.SimpleString):
        text = node.raw_value.removesuffix("| None").strip()
        return text if all(part.isidentifier() for part in text.split(".")) else ""
    return (dotted_name(node) or "") if node is not None else ""


def parameter_facts(node: cst.Parameters, around: Surroundings, *, skip: int) -> Iterator[Parameter]:
    """Yield the parameters but the first few, in the order in which a call fills them."""
    for param in (*node.posonly_params, *node.params)[skip:]:
        yield Parameter(param.name.value, "positional", _default(param, around))
    if isinstance(node.star_arg, cst.Param):
        yield Parameter(node.star_arg.name.value, "*", None)
    for param in node.kwonly_params:
        yield Parameter(param.name.value, "keyword", _default(param, around))
    if node.star_kwarg is not None:
        yield Parameter(node.star_kwarg.name.value, "**", None)


def _default(param: cst.Param, around: Surroundings) -> Argument | None:
    return argument_of(param.default, around) if param.default is not None else None


@dataclass(slots=True)
class OpenFunction:
    """A function that is being visited."""

    node: cst.FunctionDef
    kind: FunctionKind
    scope: str
    lookup: tuple[str, ...]
    around: Around
    texts: list[Template] = field(default_factory=list)
    makes: list[Construction] = field(default_factory=list)
    returns: int = 0
    is_followed: bool = True

    @property
    def is_accessory(self) -> bool:
        """Whether it goes with another function of its name, which says what that gives."""
        return not _ACCESSORIES.isdisjoint(_decorators(self.node))

    def returned(self, node: cst.BaseExpression | None, flow: Flow) -> None:
        """Note a return statement."""
        if not flow.reachable:
            return
        self.returns += 1
        if node is None or self.returns > _MOST_RETURNS:
            self.is_followed = False
            return
        around = self.around(flow)
        passed = tests_of(flow.conditions, around)
        guards = tuple(condition.guard for condition in flow.conditions)
        self.texts += (
            replace(text, tests=(*passed, *text.tests), guards=(*guards, *text.guards))
            for text in templates_of(node, around)
        )
        raised = raised_by(node, around, self.lookup)
        makes = raised.constructions or (Construction(None, None, reason="call"),)
        self.makes += (replace(each, tests=(*passed, *each.tests)) for each in makes)

    def fact(self, end: Flow) -> FunctionFact:
        """Return what was found; `end` is the flow behind the last statement."""
        skip = 0 if own_parameter(self.node, self.kind) is None else 1
        is_plain = all(name in _PLAIN_DECORATORS for name in _decorators(self.node))
        is_followed = self.is_followed and is_plain and bool(self.returns) and not end.reachable
        around = self.around(Flow())
        return FunctionFact(
            scope=self.scope,
            kind=self.kind,
            parameters=tuple(parameter_facts(self.node.params, around, skip=skip)),
            texts=tuple(dict.fromkeys(self.texts)) if is_followed else None,
            makes=tuple(dict.fromkeys(self.makes)) if self.is_followed and is_plain and self.returns else None,
            annotation=self._annotation(around),
            is_async=self.node.asynchronous is not None,
        )

    def _annotation(self, around: Surroundings) -> Reference | None:
        if self.node.returns is None:
            return None
        node = self.node.returns.annotation
        name = node.raw_value if isinstance(node, cst.SimpleString) else dotted_name(node)
        is_name = name is not None and all(part.isidentifier() for part in name.split("."))
        return around.refer(name) if is_name and name is not None and around.refer is not None else None


@dataclass(slots=True)
class OpenInitializer:
    """An `__init__` that is being visited: its calls of the base class's one, and how it ends."""

    node: cst.FunctionDef
    owner: str
    around: Around
    calls: list[BaseCall] = field(default_factory=list)
    exits: list[Flow] = field(default_factory=list)
    before: Mapping[str, Value] = field(default_factory=dict)
    reason: str | None = None

    def expression(self, node: cst.BaseExpression, flow: Flow) -> bool:
        """Note an expression, and say whether it hands arguments on."""
        found = _handed_on(node, self.owner)
        if found is None or not flow.reachable:
            if flow.reachable and _hides_base_call(node):
                self.reason = "constructor"
            return False
        owner, arguments = found
        for each in arguments:
            name = dotted_name(each.value) if each.star == "**" else None
            is_changed = name is not None and flow.values.get(name) is not Known.PARAMETER
            if is_changed and name is not None and not _only_taken_from(self.node, name):
                self.reason = "constructor"
        if any(condition.guard.kind in {"for", "while"} for condition in flow.conditions):
            self.reason = "constructor"
        around = self.around(flow)
        base = around.refer(owner) if owner and around.refer is not None else None
        self.calls.append(BaseCall(arguments_of(arguments, around), base, tests_of(flow.conditions, around)))
        self.before = flow.values
        return True

    def assigned(self, targets: Sequence[cst.BaseExpression]) -> None:
        """Note an assignment to a part of the own arguments, which are what `str()` shows."""
        own = f"{own_parameter(self.node, 'method')}.args"
        for target in targets:
            if isinstance(target, cst.Subscript) and dotted_name(target.value) == own:
                self.reason = "constructor"

    def fact(self, end: Flow) -> Initializer:
        """Return what was found; `end` is the flow behind the last statement."""
        flow = join(Flow(), [*self.exits, end])
        around = self.around(flow)
        own = f"{own_parameter(self.node, 'method')}."
        names = [name for name in flow.values if name.startswith(own) and name.count(".") == 1]
        args = _own_arguments(own + "args", around) if own + "args" in names else None
        return Initializer(
            parameters=tuple(parameter_facts(self.node.params, self.around(Flow()), skip=1)),
            calls=tuple(self.calls),
            always_calls=isinstance(flow.values.get(BASE), (Definition, Choice)),
            attributes=tuple(argument_of(_attribute(name), around, name.removeprefix(own)) for name in names),
            early=frozenset(name.removeprefix(own) for name in names if self.before.get(name) is flow.values[name]),
            args=args,
            reason=self.reason or ("constructor" if own + "args" in names and args is None else None),
        )


def _own_arguments(name: str, around: Surroundings) -> tuple[Argument, ...] | None:
    """Return what the own arguments were set to, None where that is not one tuple."""
    ways = around.definitions(name)
    if len(ways) != 1:
        return None
    ((definition, _),) = ways
    if not isinstance(definition.value, cst.Tuple):
        return None
    elements = definition.value.elements
    return tuple(
        argument_of(each.value, around.at(definition), None, "*" if isinstance(each, cst.StarredElement) else "")
        for each in elements
    )


def _attribute(name: str) -> cst.BaseExpression:
    owner, _, attribute = name.partition(".")
    return cst.Attribute(cst.Name(owner), cst.Name(attribute))


def _hides_base_call(node: cst.BaseExpression) -> bool:
    """Say whether an expression has to do with a base class's `__init__` in a way that is not followed."""
    pending: list[cst.CSTNode] = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, cst.Call) and dotted_name(current.func) == "super":
            return True
        pending.extend(children(current))
    return False


def _only_taken_from(node: cst.FunctionDef, name: str) -> bool:
    """Say whether a function changes its own keywords by nothing but taking some out."""
    for statement in all_statements(node.body):
        if name not in changes(statement) or isinstance(statement, cst.Del):
            continue
        taken = statement.value if isinstance(statement, (cst.Assign, cst.AnnAssign, cst.Expr)) else None
        function = taken.func if isinstance(taken, cst.Call) else None
        is_pop = isinstance(function, cst.Attribute) and function.attr.value == "pop"
        if not is_pop or dotted_name(function.value if isinstance(function, cst.Attribute) else node) != name:
            return False
    return True


def _is_super(node: cst.Call, owner: str) -> bool:
    """Say whether a call is `super()`, or `super(Owner, self)` in that class."""
    if dotted_name(node.func) != "super":
        return False
    return not node.args or (dotted_name(node.args[0].value) or "").rpartition(".")[2] == owner


def _handed_on(node: cst.BaseExpression, inside: str) -> tuple[str, tuple[cst.Arg, ...]] | None:
    """Return the base class that an `__init__` is called of, "" for `super()`, and the arguments."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    if node.func.attr.value != "__init__":
        return None
    owner = node.func.value
    if isinstance(owner, cst.Call) and _is_super(owner, inside):
        return "", tuple(node.args)
    # `Base.__init__(self, …)`
    name = looked_up_name(owner)
    return (name, tuple(node.args[1:])) if name is not None and name != BASE else None
