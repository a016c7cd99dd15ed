"""Calls that never return: `sys.exit` and its like, and functions and methods of the file that only raise or exit.

Functions are used above the place where they are defined, so all of a module is looked through before it is visited.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

import libcst as cst

from extractor.scan.bindings import changes
from extractor.scan.completion import Ends, is_generator
from extractor.scan.functions import parameters_of
from extractor.scan.known import Definition, Value
from extractor.scan.literals import string_value
from extractor.scan.scopes import Scopes, imported_names
from extractor.scan.statements import all_statements, block_statements
from extractor.scan.writer import dotted_name

FullName = Callable[[str], "str | None"]

# What the documentation of each says never to return.
_EXITS = frozenset(
    "exit quit sys.exit os._exit os.abort os.execl os.execle os.execlp os.execlpe os.execv os.execve os.execvp "
    "os.execvpe typing.assert_never typing_extensions.assert_never pytest.exit pytest.fail pytest.skip "
    "pytest.xfail".split()
)
_EXIT_NAMES = frozenset(name.rpartition(".")[2] for name in _EXITS)
_TEST_CASES = frozenset({"unittest.TestCase", "unittest.IsolatedAsyncioTestCase"})
_TEST_CASE_EXITS = frozenset({"fail", "skipTest"})
# Bases that have no methods of that kind.
_EMPTY_BASES = frozenset("object abc.ABC typing.Generic typing.Protocol".split())
_PARSER = "argparse.ArgumentParser"
_PARSER_EXITS = frozenset({"error", "exit"})
_NEVER = frozenset(
    "NoReturn Never typing.NoReturn typing.Never typing_extensions.NoReturn typing_extensions.Never".split()
)
# Decorators that leave a call what it is.
_TRANSPARENT = frozenset(
    "classmethod staticmethod typing.final typing.override typing_extensions.final typing_extensions.override".split()
)


@dataclass(slots=True, eq=False)
class _Scope:
    """The module, a function or a class: what is around it, its block, and how often its statements bind each name."""

    name: str
    parent: _Scope | None
    node: cst.Module | cst.FunctionDef | cst.ClassDef
    counts: Counter[str] | None = None

    @property
    def is_class(self) -> bool:
        return isinstance(self.node, cst.ClassDef)

    def inner(self, name: str) -> str:
        if self.parent is None:
            return name
        return f"{self.name}.{name}" if self.is_class else f"{self.name}.<locals>.{name}"

    def bound(self) -> Counter[str]:
        if self.counts is None:
            parameters = parameters_of(self.node.params) if isinstance(self.node, cst.FunctionDef) else ()
            self.counts = Counter(param.name.value for param in parameters)
            for statement in all_statements(_block(self.node)):
                self.counts.update(changes(statement))
        return self.counts

    def imports(self) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        for statement in all_statements(_block(self.node)):
            if isinstance(statement, (cst.Import, cst.ImportFrom)):
                for name, target in imported_names(statement):
                    found.setdefault(name, []).append(target.replace(":", ".").rstrip("."))
        return found

    def first_parameter(self) -> str | None:
        """Return the name that a method has for its object or class."""
        if not isinstance(self.node, cst.FunctionDef) or self.parent is None or not self.parent.is_class:
            return None
        if any(dotted_name(each.decorator) == "staticmethod" for each in self.node.decorators):
            return None
        every = (*self.node.params.posonly_params, *self.node.params.params)
        return every[0].name.value if every else None


def _block(node: cst.Module | cst.FunctionDef | cst.ClassDef) -> cst.BaseSuite | cst.Module:
    return node if isinstance(node, cst.Module) else node.body


class Exits:
    """The functions of one module that never return."""

    def __init__(
        self, module: cst.Module, lines: Sequence[str], scopes: Scopes, *, declared_global: Collection[str]
    ) -> None:
        """Look through a module, whose names these scopes foresee; functions may declare some of them as global."""
        self._lines = lines
        self._full_name = scopes.global_name
        self._declared_global = declared_global
        self._module = _Scope("", None, module)
        self._scopes = {"": self._module}
        self._functions: dict[str, list[cst.FunctionDef]] = {}
        self._never: set[str] = set()
        self._look_through(self._module)
        self._names = _EXIT_NAMES | _TEST_CASE_EXITS | scopes.imported_as(_EXITS)
        self._find()

    def is_exit(self, node: cst.BaseExpression, scope: str, full_name: FullName, values: Mapping[str, Value]) -> bool:
        """Say whether evaluating an expression in a scope, with these local values, never returns."""
        call = node.expression if isinstance(node, cst.Await) else node
        if not isinstance(call, cst.Call):
            return False
        name = dotted_name(call.func)
        if name is None:
            return self._is_inherited_exit(call, scope, is_awaited=call is not node)
        root, _, attribute = name.partition(".")
        if full_name(name) in _EXITS or (
            attribute in _PARSER_EXITS and self._is_parser(root, scope, values, full_name)
        ):
            return True
        return (attribute or root) in self._names and self._is_own_exit(
            root, attribute, scope, is_awaited=call is not node
        )

    # What the module holds

    def _look_through(self, scope: _Scope) -> None:
        for statement in all_statements(_block(scope.node)):
            if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
                inner = _Scope(scope.inner(statement.name.value), scope, statement)
                self._scopes.setdefault(inner.name, inner)
                if isinstance(statement, cst.FunctionDef):
                    self._functions.setdefault(inner.name, []).append(statement)
                self._look_through(inner)

    def _find(self) -> None:
        """Find the functions that never return; each that is found may make further ones."""
        pending, found = dict(self._functions), {""}
        while found:
            found = {name for name, every in pending.items() if all(self._never_returns(name, each) for each in every)}
            for name in found:
                del pending[name]
            self._never |= found
            self._names |= {name.rpartition(".")[2] for name in found}

    def _never_returns(self, name: str, node: cst.FunctionDef) -> bool:
        if self._is_annotated(node):
            return True
        scope = self._scopes[name]
        full_name = self._name_in(scope)
        ends = Ends(lambda value: self._may_be_exit(value) and self.is_exit(value, name, full_name, {}), full_name)
        if not ends.never_returns(node):
            return False
        is_plain = all(full_name(dotted_name(each.decorator) or "?") in _TRANSPARENT for each in node.decorators)
        is_method = scope.parent is not None and scope.parent.is_class
        return is_plain and not (is_method and _is_abstract(node)) and not is_generator(node)

    def _is_annotated(self, node: cst.FunctionDef) -> bool:
        if node.returns is None:
            return False
        annotation = node.returns.annotation
        name = string_value(annotation) if isinstance(annotation, cst.SimpleString) else dotted_name(annotation)
        return name is not None and self._full_name(name) in _NEVER

    def _may_be_exit(self, node: cst.BaseExpression) -> bool:
        call = node.expression if isinstance(node, cst.Await) else node
        function = call.func if isinstance(call, cst.Call) else None
        name = function.attr if isinstance(function, cst.Attribute) else function
        return isinstance(name, cst.Name) and name.value in self._names

    def _name_in(self, scope: _Scope) -> FullName:
        """Return what tells the meaning of a dotted name in a scope, see `Scopes.full_name`."""

        def full_name(name: str) -> str | None:
            root, dot, rest = name.partition(".")
            owner = self._owner(root, scope)
            if owner is None or owner is self._module:
                return self._full_name(name)
            targets = owner.imports().get(root, [])
            return f"{targets[0]}{dot}{rest}" if len(targets) == owner.bound()[root] else None

        return full_name

    def _owner(self, name: str, scope: _Scope) -> _Scope | None:
        """Return the scope that a name is found in from here; methods do not see the names of their class."""
        current: _Scope | None = scope
        while current is not None:
            if name in current.bound() and (current is scope or not current.is_class):
                return current
            current = current.parent
        return None

    # What is called

    def _is_own_exit(self, root: str, attribute: str, scope: str, *, is_awaited: bool) -> bool:
        owner = self._owner(root, self._scopes.get(scope, self._module))
        if owner is None:
            return False
        if not attribute:
            return self._is_bound_to_exit(owner, root, is_awaited=is_awaited)
        named = self._scopes.get(owner.inner(root)) if owner.bound()[root] == 1 else None
        if root == owner.first_parameter() and owner.bound()[root] == 1:
            named = owner.parent
        return (
            named is not None
            and named.is_class
            and self._is_method_exit(named, attribute, is_awaited=is_awaited) is True
        )

    def _is_bound_to_exit(self, owner: _Scope, name: str, *, is_awaited: bool) -> bool:
        """Say whether all that a scope binds to a name are functions that never return."""
        functions = self._functions.get(owner.inner(name), [])
        is_only = owner.bound()[name] == len(functions) and not (
            owner is self._module and name in self._declared_global
        )
        is_run = is_awaited or all(function.asynchronous is None for function in functions)
        return owner.inner(name) in self._never and is_only and is_run

    def _is_method_exit(self, owner: _Scope, name: str, *, is_awaited: bool) -> bool | None:
        """Say whether a method never returns; None where neither the class nor a base has it."""
        if name not in owner.bound():
            return self._is_base_exit(owner, name, is_awaited=is_awaited)
        overriding = (each for each in self._scopes.values() if name in self._own(each) and owner in self._bases(each))
        return (
            self._is_bound_to_exit(owner, name, is_awaited=is_awaited)
            and all(self._is_bound_to_exit(each, name, is_awaited=is_awaited) for each in overriding)
            and not self._is_set_somewhere(name)
        )

    def _is_base_exit(self, owner: _Scope, name: str, *, is_awaited: bool) -> bool | None:
        for base, base_name in self._named_bases(owner):
            if base is not None:
                found = self._is_method_exit(base, name, is_awaited=is_awaited) if base is not owner else False
                if found is not None:
                    return found
            elif base_name not in _EMPTY_BASES:
                return base_name in _TEST_CASES and name in _TEST_CASE_EXITS
        return None

    def _is_inherited_exit(self, call: cst.Call, scope: str, *, is_awaited: bool) -> bool:
        """Say whether a call of `super().name()` never returns."""
        function = call.func
        if not isinstance(function, cst.Attribute) or not isinstance(function.value, cst.Call):
            return False
        if dotted_name(function.value.func) != "super" or function.attr.value not in self._names:
            return False
        method = self._scopes.get(scope, self._module)
        if method.is_class or method.parent is None or not method.parent.is_class:
            return False
        return self._is_base_exit(method.parent, function.attr.value, is_awaited=is_awaited) is True

    def _own(self, scope: _Scope) -> Mapping[str, int]:
        return scope.bound() if scope.is_class else {}

    def _bases(self, scope: _Scope) -> set[_Scope]:
        """Return the classes of this module that a class derives from."""
        found: set[_Scope] = set()
        pending = [scope]
        while pending:
            more = {base for base, _ in self._named_bases(pending.pop()) if base is not None} - found
            found |= more
            pending += more
        return found

    def _named_bases(self, scope: _Scope) -> Iterator[tuple[_Scope | None, str | None]]:
        """Yield the bases of a class in order: one of this module as its scope, another by its full name."""
        outer = scope.parent or scope
        for argument in scope.node.bases if isinstance(scope.node, cst.ClassDef) else ():
            value = argument.value.value if isinstance(argument.value, cst.Subscript) else argument.value
            name = dotted_name(value) or "?"
            owner = self._owner(name.partition(".")[0], outer)
            found = self._scopes.get(owner.inner(name)) if owner is not None else None
            yield (found, None) if found is not None and found.is_class else (None, self._name_in(outer)(name))

    def _is_set_somewhere(self, name: str) -> bool:
        """Say whether an assignment to an attribute may replace a method, also where LibCST does not see it."""
        is_set = re.compile(rf"\.\s*{name}\s*(?::[^=]{1, 200})?=(?!=)")
        return any(name in line and is_set.search(line) for line in self._lines)

    def _is_parser(self, root: str, scope: str, values: Mapping[str, Value], full_name: FullName) -> bool:
        """Say whether a name holds a command line parser of the standard library, made in this function or module."""
        value = values.get(root)
        if value is not None:
            return isinstance(value, Definition) and _is_call_of(_PARSER, value.value, full_name)
        if self._owner(root, self._scopes.get(scope, self._module)) is not self._module:
            return False
        made = [
            statement
            for statement in block_statements(_block(self._module.node))
            if isinstance(statement, cst.Assign) and any(dotted_name(each.target) == root for each in statement.targets)
        ]
        is_only = self._module.bound()[root] == len(made) == 1 and root not in self._declared_global
        return is_only and _is_call_of(_PARSER, made[0].value, self._full_name)


def _is_call_of(name: str, node: cst.BaseExpression, full_name: FullName) -> bool:
    called = dotted_name(node.func) if isinstance(node, cst.Call) else None
    return called is not None and full_name(called) == name


def _is_abstract(node: cst.FunctionDef) -> bool:
    """Say whether all that a method raises is NotImplementedError, which leaves the answer to subclasses."""
    raised = [each.exc for each in all_statements(node.body) if isinstance(each, cst.Raise) and each.exc is not None]
    names = {dotted_name(exc.func if isinstance(exc, cst.Call) else exc) for exc in raised}
    return names == {"NotImplementedError"}
