"""What a dotted name in one file means: a class of the tree, a class elsewhere, or a reason why that is not known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from extractor.facts import Binding, FileFacts, Reference
from extractor.link.modules import Modules
from extractor.link.standard import NOT_EXCEPTIONS, standard_class

# Import cycles and chains of aliases end here.
_MOST_STEPS = 20
# A name that is bound in several ways in several modules has more ways to go than anybody waits for.
_MOST_LOOKS = 500
_STARS = frozenset({"star", "star?"})
_CLASS_ENDINGS = ("error", "exception", "timeout", "warning")


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a name means.

    One of: a class of the tree (`path` and `scope`), a class elsewhere (`qualified_name`), a function of the tree
    (`path` and `function`), a constant of a module or class (`path` and `value`, its scope and name), a module of the
    tree (`path` alone), or nothing that is known. All but classes and modules have a `reason` why they are no class.
    `certain` is False where another meaning is possible, and `others` are the other classes where they are known.
    `outside` is the dotted name of something elsewhere that is taken to be no class.
    """

    path: str | None = None
    scope: str | None = None
    qualified_name: str | None = None
    reason: str | None = None
    certain: bool = True
    function: str | None = None
    value: tuple[str, str] | None = None
    outside: str | None = None
    others: tuple[Meaning, ...] = ()

    @property
    def outer_name(self) -> str | None:
        """The dotted name of something elsewhere, be it a class or not."""
        return self.qualified_name or self.outside

    @property
    def is_class(self) -> bool:
        """Whether the name is taken to be a class."""
        return self.scope is not None or self.qualified_name is not None


@dataclass(slots=True)
class Names:
    """Resolves names over the facts of a tree. `missing` collects files whose facts would be needed for an answer."""

    modules: Modules
    facts: Mapping[str, FileFacts]
    missing: set[str] = field(default_factory=set)
    _known: dict[tuple[str, str, tuple[str, ...]], Meaning] = field(default_factory=dict)
    _closures: dict[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    _looks: int = 0

    def resolve(self, path: str, reference: Reference) -> Meaning:
        """Return what a reference in a file means."""
        key = (path, reference.name, reference.scopes)
        meaning = self._known.get(key)
        if meaning is None:
            self._looks = 0
            meaning = self._known[key] = self._look_up(path, reference.name, reference.scopes, 0)
        return meaning

    def _look_up(self, path: str, name: str, scopes: tuple[str, ...], steps: int) -> Meaning:
        root, _, rest = name.partition(".")
        bindings = self.facts[path].bindings
        for index, scope in enumerate(scopes):
            found = self._unfolded(path, root, bindings.get(scope, {}).get(root, ()))
            constant = self._constant(path, scope, root, found) if not rest else None
            if constant is not None:
                return constant
            if found:
                return self._chosen(path, found, rest, scopes[index:], steps)
        starred = self._from_stars(path, root, rest, steps)
        return starred if starred is not None else _builtin(root, rest)

    def _constant(self, path: str, scope: str, name: str, bindings: tuple[Binding, ...]) -> Meaning | None:
        is_variable = all(binding.kind == "variable" for binding in bindings)
        if is_variable and name in self.facts[path].constants.get(scope, {}):
            return Meaning(path, reason="dynamic type", value=(scope, name))
        return None

    def own_class(self, path: str, name: str, scopes: tuple[str, ...]) -> str | None:
        """Return the scope of the class whose object or class a name of a method holds, None where it holds none."""
        for scope in scopes:
            found = self.facts[path].bindings.get(scope, {}).get(name)
            if found:
                return found[0].target if len(found) == 1 and found[0].kind == "own" else None
        return None

    def is_parameter(self, path: str, reference: Reference | None) -> bool:
        """Say whether a reference names a parameter of the function that it stands in."""
        if reference is None or not reference.scopes:
            return False
        found = self.facts[path].bindings.get(reference.scopes[0], {}).get(reference.name, ())
        return len(found) == 1 and found[0].kind == "parameter"

    def annotation(self, path: str, name: str, scopes: tuple[str, ...]) -> Reference | None:
        """Return the class that a parameter is said to be of, None where a name is no such parameter."""
        for index, scope in enumerate(scopes):
            found = self.facts[path].bindings.get(scope, {}).get(name)
            if found:
                is_annotated = len(found) == 1 and found[0].kind == "parameter" and found[0].annotation
                return Reference(found[0].annotation, scopes[index + 1 :], 0) if is_annotated else None
        return None

    def _chosen(
        self, path: str, bindings: tuple[Binding, ...], rest: str, scopes: tuple[str, ...], steps: int
    ) -> Meaning:
        meanings = list(dict.fromkeys(self._bound(path, each, rest, scopes, steps) for each in bindings))
        inner = [meaning for meaning in meanings if meaning.function is not None or meaning.value is not None]
        if len(inner) == 1 and all(binding.kind == "import" for binding in bindings):
            # What is imported if the one that is meant is not there.
            return replace(inner[0], certain=len(meanings) == 1)
        classes = [meaning for meaning in meanings if meaning.is_class]
        if classes and any(each.kind == "variable" for each in bindings) and self._is_function(path, scopes[0]):
            # It holds another class as well, of which nothing is known.
            return Meaning(reason="dynamic type")
        if not classes:
            # `error = None` is there before anything else, and a function may stand in for one from outside.
            best = max(
                meanings, key=lambda meaning: (meaning.outside is not None, meaning.reason != "not an exception")
            )
            return best if len(meanings) == 1 else replace(best, function=None, value=None)
        first = classes[0]
        is_fallback = any(binding.kind == "import" for binding in bindings)
        if len({_class_name(meaning) for meaning in classes}) > 1 and not is_fallback:
            # Not one class from here or there, but one or another.
            return Meaning(reason="dynamic type")
        if len(meanings) == 1:
            return first
        # Outside there is mostly one class, by whatever way it is imported.
        others = {_place(each): each for each in classes if _place(each) != _place(first)}
        return Meaning(first.path, first.scope, first.qualified_name, certain=False, others=tuple(others.values()))

    def _is_function(self, path: str, scope: str) -> bool:
        return scope != "" and all(fact.scope != scope for fact in self.facts[path].classes)

    def _bound(self, path: str, binding: Binding, rest: str, scopes: tuple[str, ...], steps: int) -> Meaning:
        self._looks += 1
        if steps > _MOST_STEPS or self._looks > _MOST_LOOKS:
            return Meaning(reason="unknown name")
        if binding.kind == "class":
            return self._inside(path, binding.target, rest, steps)
        if binding.kind == "function" and not rest:
            return Meaning(path, reason="call", function=binding.target)
        if binding.kind == "import":
            module, _, name = binding.target.partition(":")
            return self._imported(path, module, ".".join(part for part in (name, rest) if part), steps)
        if binding.kind == "alias":
            target = f"{binding.target}.{rest}" if rest else binding.target
            # `Error = Error` means the outer one.
            return self._look_up(
                path, target, scopes[1:] if self._is_self(path, binding, scopes) else scopes, steps + 1
            )
        if binding.kind == "parameter" and binding.target and not rest:
            default = self._look_up(path, binding.target, scopes[1:], steps + 1)
            if default.is_class:
                return Meaning(default.path, default.scope, default.qualified_name, certain=False)
        return Meaning(reason="dynamic type")

    def _is_self(self, path: str, binding: Binding, scopes: tuple[str, ...]) -> bool:
        return binding in self.facts[path].bindings.get(scopes[0], {}).get(binding.target, ())

    def _inside(self, path: str, scope: str, rest: str, steps: int) -> Meaning:
        """Follow attributes of a class: nested classes and aliases in its body."""
        if not rest:
            return Meaning(path, scope)
        head, _, tail = rest.partition(".")
        found = self.facts[path].bindings.get(scope, {}).get(head)
        if not found:
            return Meaning(reason="attribute")
        return self._chosen(path, found, tail, (scope, ""), steps + 1)

    def _imported(self, path: str, module: str, name: str, steps: int) -> Meaning:
        if module.startswith("."):
            found, full = self.modules.find_relative(module, path)
        else:
            found, full = self.modules.find(module, path), module
        if found == path:
            # `from . import errors` in the package itself, which has no such name before.
            root, _, rest = name.partition(".")
            found, name = (submodule, rest) if (submodule := self.modules.submodule(path, root)) else (found, name)
        if found is not None:
            return self._in_module(found, name, steps + 1)
        qualified = f"{full}.{name}" if name else full
        # `import a.b` binds `a`, and the tree may have `a.b` without a file for `a`.
        deeper = self._deeper(path, full, name, steps)
        return deeper if deeper is not None else _external(qualified)

    def _deeper(self, path: str, module: str, name: str, steps: int) -> Meaning | None:
        head, _, rest = name.partition(".")
        if not head or steps > _MOST_STEPS:
            return None
        found = self.modules.find(f"{module}.{head}", path)
        if found is not None:
            return self._in_module(found, rest, steps + 1)
        return self._deeper(path, f"{module}.{head}", rest, steps + 1) if rest else None

    def _in_module(self, path: str, name: str, steps: int) -> Meaning:
        if not name:
            return Meaning(path=path)
        if steps > _MOST_STEPS:
            return Meaning(reason="unknown name")
        root, _, rest = name.partition(".")
        facts = self.facts.get(path)
        if facts is None:
            self.missing.add(path)
            return Meaning(reason="unknown name")
        found = self._unfolded(path, root, facts.bindings.get("", {}).get(root, ()))
        constant = self._constant(path, "", root, found) if not rest else None
        if constant is not None:
            return constant
        if found:
            return self._chosen(path, found, rest, ("",), steps)
        starred = self._from_stars(path, root, rest, steps)
        if starred is not None:
            return starred
        submodule = self.modules.submodule(path, root)
        if submodule is not None:
            return self._in_module(submodule, rest, steps + 1)
        # A module may make its names when it is asked for them.
        return Meaning(reason="dynamic type" if "__getattr__" in facts.bindings.get("", {}) else "unknown name")

    def _from_stars(self, path: str, root: str, rest: str, steps: int) -> Meaning | None:
        """Look for a name in what a module imports with a star; the last import wins, as at run time."""
        if root.startswith("_"):
            return None
        for target, way in self._star_closure(path).items():
            if not all(self._gives(each, root) for each in way):
                continue
            found = self._unfolded(target, root, self.facts[target].bindings.get("", {}).get(root, ()))
            if found:
                meaning = self._chosen(target, found, rest, ("",), steps + 1)
                if meaning.is_class or meaning.path is not None:
                    return meaning
            constant = self._constant(target, "", root, found) if not rest else None
            if constant is not None:
                return constant
        return None

    def _unfolded(self, path: str, name: str, bindings: tuple[Binding, ...]) -> tuple[Binding, ...]:
        """Return the bindings of a name with the star imports behind them that bring it made plain imports."""
        if all(binding.kind not in _STARS for binding in bindings):
            return bindings
        found: list[Binding] = []
        for binding in bindings:
            if binding.kind not in _STARS:
                found.append(binding)
            elif self._brings(path, binding.target, name):
                imported = Binding("import", f"{binding.target}:{name}")
                found = [imported] if binding.kind == "star" else [*found, imported]
        return tuple(found)

    def _brings(self, path: str, module: str, name: str) -> bool:
        """Say whether a star import of a module of the tree brings a name."""
        target = self._star_target(path, module)
        if target is None or name.startswith("_"):
            return False
        if target not in self.facts:
            self.missing.add(target)
            return False
        # What comes back from the file itself is what it has already.
        ways = {target: (), **self._star_closure(target)}
        return self._gives(target, name) and any(
            self._has(each, name) and all(self._gives(one, name) for one in way)
            for each, way in ways.items()
            if each != path
        )

    def _gives(self, path: str, name: str) -> bool:
        exports = self.facts[path].exports
        return exports is None or name in exports

    def _has(self, path: str, name: str) -> bool:
        facts = self.facts[path]
        found = facts.bindings.get("", {}).get(name, ())
        return any(binding.kind not in _STARS for binding in found) or name in facts.constants.get("", {})

    def _star_closure(self, path: str) -> Mapping[str, tuple[str, ...]]:
        """Return the modules whose names a module gets through star imports, each once, the strongest first.

        Each comes with the modules that its names pass on the way, itself the last of them.
        """
        known = self._closures.get(path)
        if known is None:
            seen: dict[str, tuple[str, ...]] = {path: ()}
            pending: list[tuple[str, tuple[str, ...]]]
            pending = [(target, (target,)) for target in reversed(list(self._star_targets(path)))]
            while pending:
                target, way = pending.pop()
                if target not in seen:
                    seen[target] = way
                    pending += [(each, (*way, each)) for each in reversed(list(self._star_targets(target)))]
            known = {target: way for target, way in seen.items() if target != path and target in self.facts}
            self._closures[path] = known
        return known

    def _star_targets(self, path: str) -> Iterator[str]:
        facts = self.facts.get(path)
        if facts is None:
            self.missing.add(path)
            return
        for module in reversed(facts.star_imports):
            found = self._star_target(path, module)
            if found is not None:
                yield found

    def _star_target(self, path: str, module: str) -> str | None:
        is_relative = module.startswith(".")
        return self.modules.find_relative(module, path)[0] if is_relative else self.modules.find(module, path)


def _place(meaning: Meaning) -> tuple[str | None, str]:
    return meaning.path, _class_name(meaning) if meaning.path is None else meaning.scope or ""


def _class_name(meaning: Meaning) -> str:
    return (meaning.scope or meaning.qualified_name or "").rpartition(".")[2]


def _builtin(root: str, rest: str) -> Meaning:
    found = standard_class(f"builtins.{root}") if not rest else None
    if found is not None:
        return Meaning(qualified_name=found)
    return Meaning(reason="not an exception" if root in NOT_EXCEPTIONS and not rest else "unknown name")


def _external(qualified_name: str) -> Meaning:
    standard = standard_class(qualified_name)
    if standard is None and not _reads_like_class(qualified_name.rpartition(".")[2]):
        return Meaning(reason="attribute", outside=qualified_name)
    return Meaning(qualified_name=standard or qualified_name)


def _reads_like_class(name: str) -> bool:
    # Other packages are not read; a name in lower case is mostly a function that makes the exception.
    return name.lstrip("_")[:1].isupper() or name.endswith(_CLASS_ENDINGS)
