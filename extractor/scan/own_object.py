"""The object that a method belongs to, and what calls of its methods and of functions inside of it change."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain

import libcst as cst

from extractor.scan.attributes import path_of

# The owner of a method that is called as `super().method()`.
SUPER = "super"
# What the name of a static method ends with.
STATIC = "static"
_ENTERING = ("__enter__", "__exit__", "__aenter__", "__aexit__")


@dataclass(frozen=True, slots=True)
class OwnCall:
    """A method that is called on the own object; `owner` is the class it is called by, if not by the object."""

    method: str
    owner: str | None = None


@dataclass(frozen=True, slots=True)
class OwnObject:
    """The name that a method has for its object, and what a call changes, as paths from the object on.

    `is_made` says that the method is an `__init__` that link follows: what those of the base classes set, it knows.
    `functions` are those inside of the method, with what they change of its variables.
    """

    name: str
    changed_by: Callable[[OwnCall], Collection[str]]
    is_made: bool = False
    functions: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def changes(self, method: str, owner: str | None = None) -> Iterator[str]:
        """Yield the paths that calling one of its methods changes."""
        is_known = self.is_made and owner is not None and method == "__init__"
        changed = self.changed_by(OwnCall(method, owner)) if not is_known else ()
        return (f"{self.name}.{path}" for path in changed)

    def handed_changes(self, method: str, owner: str | None = None) -> Iterator[str]:
        """Yield the paths that a method changes which is handed the object and belongs to the class itself."""
        return self.changes(f"{method}.{STATIC}", owner)

    def call_changes(self, node: cst.Call) -> Iterator[str]:
        """Yield the paths that a call changes: of one of the own object's methods, of functions inside of this one."""
        if self.functions:
            yield from self._function_changes(node)
        yield from self._method_changes(node)

    def _function_changes(self, node: cst.Call) -> Iterator[str]:
        for each in (node.func, *(argument.value for argument in node.args)):
            if isinstance(each, cst.Name):
                yield from self.functions.get(each.value, ())

    def _method_changes(self, node: cst.Call) -> Iterator[str]:
        function = node.func
        owner, dot, method = (path_of(function) or "").rpartition(".")
        first = node.args[0] if node.args else None
        is_handed = first is not None and first.keyword is None and path_of(first.value) == self.name
        if owner == self.name:
            return chain(self.changes(method), self.handed_changes(method) if is_handed else ())
        if not dot and method == self.name:
            return self.changes("__call__")
        if isinstance(function, cst.Attribute) and isinstance(function.value, cst.Call):
            is_super = path_of(function.value.func) == SUPER
            return self.changes(function.attr.value, SUPER) if is_super else iter(())
        if not (is_handed and dot) or "." in owner:
            return iter(())
        return chain(self.changes(method, owner), self.handed_changes(method, owner))

    def set_changes(self, path: str) -> Iterator[str]:
        """Yield the paths that the setter of a property changes when this path is assigned."""
        owner, _, attribute = path.rpartition(".")
        return self.changes(f"{attribute}.setter") if owner == self.name else iter(())

    def entered_changes(self, node: cst.With) -> Iterator[str]:
        """Yield the paths that entering and leaving a `with` statement changes, if it is that of the own object."""
        if any(path_of(item.item) == self.name for item in node.items):
            for method in _ENTERING:
                yield from self.changes(method)
