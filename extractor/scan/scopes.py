"""Scopes by qualified name, what names are bound to in them, and where a name is looked up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import libcst as cst

from extractor.facts import Binding, Reference
from extractor.scan.assigned import closure_texts, module_texts
from extractor.scan.bindings import changes
from extractor.scan.known import Definition
from extractor.scan.literals import string_value
from extractor.scan.statements import all_statements, module_text
from extractor.scan.writer import dotted_name, target_names

# What other files may ask for, or must know of to ask further.
_PUBLIC = frozenset({"class", "function", "import", "alias", "star", "star?"})


@dataclass(slots=True)
class Scope:
    """One open scope: the names in `foreign` are those of the module, declared `global`, those in `outer` of a function
    around, declared `nonlocal`.
    """

    name: str
    is_class: bool
    foreign: set[str] = field(default_factory=set)
    outer: set[str] = field(default_factory=set)


class Scopes:
    """The stack of open scopes of one file, and the bindings found in all of them."""

    def __init__(self) -> None:
        self._stack = [Scope("", is_class=False)]
        self.bindings: dict[str, dict[str, dict[Binding, None]]] = {"": {}}
        self._class_scopes = {""}
        self.star_imports: dict[str, None] = {}
        self.exports: tuple[str, ...] | None = None
        self.referred: dict[Reference, None] = {}
        self._module_names: dict[str, set[str]] = {}
        self._constants: dict[str, tuple[Definition, ...]] = {}
        self._closures: dict[str, dict[str, Definition]] = {}
        self._nonlocals: Collection[str] = ()
        self._assigned_elsewhere: Collection[str] = ()
        self._times: Counter[str] = Counter()
        self._functions: set[str] = set()
        self._perhaps_replaced: set[str] = set()
        self._used: set[str] = set()
        self._never_bound: set[tuple[str, str]] = set()
        # Whether the statement that is being visited can run at all; `if TYPE_CHECKING` never does.
        self.is_reached: Callable[[], bool] = lambda: True
        self._foreseen: dict[str, frozenset[str]] = {}

    def foresee(self, module: cst.Module, assigned_elsewhere: Collection[str], nonlocals: Collection[str] = ()) -> None:
        """Note all names of the module before anything is visited: functions use what is bound below them.

        Args:
            module: The module.
            assigned_elsewhere: Names that functions declare as global, whose values may be any.
            nonlocals: Names that functions declare as nonlocal.

        """
        times = self._times
        self._nonlocals = {*assigned_elsewhere, *nonlocals}
        self._assigned_elsewhere = assigned_elsewhere
        for statement in all_statements(module):
            if isinstance(statement, (cst.Import, cst.ImportFrom)):
                bound = list(imported_names(statement))
                if isinstance(statement.names, cst.ImportStar):
                    self._perhaps_replaced.update(times)
            else:
                bound = [(path, "") for path in changes(statement)]
            if is_definition(statement):
                self._functions.update(name for name, _ in bound)
            times.update(name for name, _ in bound)
            for name, target in bound:
                self._module_names.setdefault(name, set()).add(target)
        self._constants = module_texts(module, times, assigned_elsewhere)

    def constant(self, name: str) -> tuple[Definition, ...]:
        """Return the assignments of a variable of the module, or of a function around, that a name means here."""
        for scope in self.lookup()[:-1]:
            if name in self.bindings[scope] or name in self._foreseen.get(scope, ()):
                found = self._closures.get(scope, {}).get(name) if scope != self.current else None
                return (found,) if found is not None else ()
        return self._constants.get(name, ()) if name not in self._perhaps_replaced else ()

    def is_chosen(self, name: str) -> bool:
        """Say whether a name of the module holds a text by the branch that was taken there."""
        return self.current == "" and len(self._constants.get(name, ())) > 1

    def is_settled(self, name: str) -> bool:
        """Say whether a name of the module is bound by one statement alone."""
        return self._times[name] == 1 and name not in self._assigned_elsewhere

    def is_changed_elsewhere(self, name: str) -> bool:
        """Say whether a name of the module is bound more than once or by its functions."""
        return self.current == "" and (self._times[name] > 1 or name in self._assigned_elsewhere)

    def refer(self, name: str) -> Reference:
        """Return a reference to a dotted name from here."""
        reference = Reference(name, self.lookup(), 0)
        self.referred[reference] = None
        if self.is_outside_functions:
            self.use(name)
        return reference

    def use(self, name: str) -> None:
        """Note that the module itself, and no function that runs later, has looked up what a dotted name means."""
        self._used.add(name.partition(".")[0])

    @property
    def is_outside_functions(self) -> bool:
        """Whether the innermost scope is the module or a class of it, not inside any function."""
        return all(scope.is_class for scope in self._stack[1:])

    def is_own(self, name: str) -> bool:
        """Say whether a name is bound by the module, so that it is not the builtin of that name."""
        return name in self._module_names

    def is_own_function(self, name: str) -> bool:
        """Say whether a name is that of a function of the module and of nothing that it imports."""
        return name in self._functions and not any(self._module_names[name])

    def imported_as(self, targets: Collection[str]) -> set[str]:
        """Return the names that the module imports one of these dotted names as."""
        return {
            name
            for name, found in self._module_names.items()
            if any(target.replace(":", ".") in targets for target in found)
        }

    @property
    def current(self) -> str:
        """The qualified name of the innermost scope; "" for the module."""
        return self._stack[-1].name

    def qualified(self, name: str) -> str:
        """Return the qualified name of a function or class that is defined here, as `__qualname__` has it."""
        scope = self._stack[-1]
        if not scope.name or name in scope.foreign:
            return name
        return f"{scope.name}.{name}" if scope.is_class else f"{scope.name}.<locals>.{name}"

    def lookup(self) -> tuple[str, ...]:
        """Return the scopes that a name is looked up in from here: methods do not see the names of their class."""
        innermost, *outer = reversed(self._stack)
        return (innermost.name, *(scope.name for scope in outer if not scope.is_class))

    def foresee_body(self, body: cst.BaseSuite) -> None:
        """Note all names that a function binds: those in it use what is bound below them."""
        if len(self._stack) > 1:
            statements = list(all_statements(body))
            times = Counter(path for statement in statements for path in changes(statement))
            self._foreseen[self.current] = frozenset(times)
            others = {*self._nonlocals, *self.bindings[self.current]}
            self._closures[self.current] = closure_texts(statements, times, others)

    def open(self, name: str, *, is_class: bool) -> None:
        """Enter the scope of a function or class defined here."""
        qualified = self.qualified(name)
        self.bindings.setdefault(qualified, {})
        if is_class:
            self._class_scopes.add(qualified)
        self._stack.append(Scope(qualified, is_class))

    def close(self) -> None:
        """Leave the innermost scope."""
        self._stack.pop()

    def declare_foreign(self, names: Iterable[str], *, is_global: bool) -> None:
        """Note a `global` or `nonlocal` statement."""
        scope = self._stack[-1]
        (scope.foreign if is_global else scope.outer).update(names)

    def _owner(self, name: str) -> str:
        """Return the scope that a name belongs to which is bound here."""
        scope = self._stack[-1]
        if name in scope.outer:
            functions = (each.name for each in reversed(self._stack[1:-1]) if not each.is_class)
            return next((each for each in functions if name in self.bindings[each]), scope.name)
        return "" if name in scope.foreign else scope.name

    def bind(self, name: str, binding: Binding) -> None:
        """Bind a name in the innermost scope."""
        owner = self._owner(name)
        found = self.bindings[owner].setdefault(name, {})
        if not self.is_reached():
            if found:
                return
            # Better than nothing, until something else binds the name.
            self._never_bound.add((owner, name))
        elif (owner, name) in self._never_bound:
            self._never_bound.remove((owner, name))
            found.clear()
        found[binding] = None

    def bind_anew(self, name: str, binding: Binding) -> None:
        """Bind a name of the module for good: what it was bound to before is gone, unless somebody looked it up."""
        if self.current == "" and self.is_reached() and name not in self._used:
            self.bindings[""].pop(name, None)
        self.bind(name, binding)

    def bind_stand_in(self, name: str, target: str) -> None:
        """Note that a function of the module does what something of pydantic does."""
        found = self.bindings[""].get(target.partition(".")[0], {})
        if any(binding.kind == "import" and binding.target.startswith("pydantic") for binding in found):
            self.bindings[""].setdefault(name, {})[Binding("alias", target)] = None

    def bind_import(self, node: cst.Import, *, is_always: bool) -> None:
        """Bind the names of an `import` statement."""
        bind = self.bind_anew if is_always else self.bind
        for name, target in imported_names(node):
            bind(name, Binding("import", target))

    def bind_import_from(self, node: cst.ImportFrom, *, is_always: bool) -> None:
        """Bind the names of a `from` import."""
        if isinstance(node.names, cst.ImportStar):
            module = module_text(node)
            self.star_imports[module] = None
            for name in list(self.bindings[self.current]):
                self.bind(name, Binding("star" if is_always else "star?", module))
        bind = self.bind_anew if is_always else self.bind
        for name, target in imported_names(node):
            bind(name, Binding("import", target))

    def bind_assignment(self, targets: Sequence[cst.BaseExpression], value: cst.BaseExpression | None) -> None:
        """Bind the plain names of an assignment: to another name where the value is one, else to some value."""
        if self.current == "" and any(dotted_name(target) == "__all__" for target in targets):
            self.exports = _export_names(value)
        alias = dotted_name(value) if value is not None else None
        binding = Binding("alias", alias) if alias else Binding("variable")
        if alias and self.is_outside_functions:
            self.use(alias)
        if value is not None and is_cut(targets, value):
            # What is left of a function that was cut.
            (name,) = target_names(targets[0])
            binding = Binding("function", self.qualified(name))
        for target in targets:
            single = isinstance(target, cst.Name)
            for name in target_names(target):
                self.bind(name, binding if single else Binding("variable"))

    def full_name(self, name: str) -> str | None:
        """Return what a dotted name stands for if it comes from an import, itself if it is bound nowhere, else None."""
        root, dot, rest = name.partition(".")
        for scope in self.lookup()[:-1]:
            found = self.bindings[scope].get(root)
            if found:
                kinds = {binding.kind for binding in found}
                if kinds == {"own"}:
                    return name
                targets = [binding.target for binding in found]
                return _import_name(targets, dot + rest) if kinds == {"import"} else None
        return self.global_name(name)

    def global_name(self, name: str) -> str | None:
        """Return what a dotted name stands for in the module's own scope, see `full_name`."""
        root, dot, rest = name.partition(".")
        if root not in self._module_names:
            return name
        return _import_name(sorted(self._module_names[root]), dot + rest)

    def relevant(self, references: Iterable[Reference]) -> dict[str, dict[str, tuple[Binding, ...]]]:
        """Return the bindings that can be asked for, sorted: those of these references, and what can be imported."""
        wanted = {name for reference in references for name in (reference.name.partition(".")[0],)}
        aliases = {
            binding.target.partition(".")[0]
            for scope in self.bindings.values()
            for bindings in scope.values()
            for binding in bindings
            if binding.kind == "alias"
        }
        kept = {
            scope: {
                name: tuple(bindings)
                for name, bindings in sorted(names.items())
                if name in wanted or name in aliases or (scope in self._class_scopes and _is_public(bindings))
            }
            for scope, names in sorted(self.bindings.items())
        }
        return {scope: names for scope, names in kept.items() if names}


def is_definition(node: cst.CSTNode) -> bool:
    """Say whether a statement defines a function, or is what is left of one that does."""
    is_cut_one = isinstance(node, cst.Assign) and is_cut([each.target for each in node.targets], node.value)
    return is_cut_one or isinstance(node, cst.FunctionDef)


def is_cut(targets: Sequence[cst.BaseExpression], value: cst.BaseExpression) -> bool:
    """Say whether an assignment of this value is what `cuts` leaves of a function."""
    return isinstance(value, cst.Ellipsis) and not value.lpar and len(targets) == 1 and isinstance(targets[0], cst.Name)


def imported_names(node: cst.Import | cst.ImportFrom) -> Iterator[tuple[str, str]]:
    """Yield the names that an import binds with what they stand for, see `facts.Binding`; a star yields none."""
    if isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        name, bound = alias.evaluated_name, alias.evaluated_alias
        if isinstance(node, cst.ImportFrom):
            yield bound or name, f"{module_text(node)}:{name}"
        else:
            # `import a.b` binds `a`; `import a.b as c` binds the module itself.
            target = name if bound else name.partition(".")[0]
            yield bound or target, f"{target}:"


def _import_name(targets: Sequence[str], rest: str) -> str | None:
    """Return the dotted name behind imports, the first where there are several to fall back on."""
    if not all(targets):
        return None
    return targets[0].replace(":", ".").rstrip(".") + rest


def _export_names(value: cst.BaseExpression | None) -> tuple[str, ...] | None:
    """Return the names of a list of strings, None where it is anything else."""
    if not isinstance(value, (cst.List, cst.Tuple)):
        return None
    names = [each.value for each in value.elements if isinstance(each, cst.Element)]
    known = [string_value(name) for name in names if isinstance(name, cst.SimpleString)]
    return tuple(name for name in known if name is not None) if len(known) == len(value.elements) else None


def _is_public(bindings: Iterable[Binding]) -> bool:
    return any(binding.kind in _PUBLIC for binding in bindings)
