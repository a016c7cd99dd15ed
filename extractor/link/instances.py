"""Exceptions being made: the arguments and attributes that one has when its constructors are done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from extractor.facts import Argument, BaseCall, ClassFact, Initializer
from extractor.link.calls import UnknownCallError, bind
from extractor.link.evaluation import Evaluation
from extractor.link.frames import Frame, Own
from extractor.link.hierarchy import Hierarchy, TreeClass

_MOST_WAYS = 16


@dataclass(frozen=True, slots=True)
class Instance:
    """An exception that was made: what `str()` shows unless a class says otherwise, and what its attributes hold.

    `via` is the class whose constructor made the arguments.
    """

    arguments: tuple[Argument, ...]
    attributes: Mapping[str, Argument]
    via: str | None


@dataclass(slots=True)
class Instances:
    """Follows constructors over the classes of a tree."""

    hierarchy: Hierarchy
    evaluation: Evaluation

    def made(self, name: str, arguments: tuple[Argument, ...]) -> list[Instance]:
        """Return every exception that calling a class (a qualified name) can make.

        Raises:
            UnknownCallError: What a constructor does cannot be followed.

        """
        if self.evaluation.members.is_patched(name, ("__init__", "__new__")):
            raise UnknownCallError("constructor")
        # `__new__` keeps what the call itself gives, unless an `__init__` hands something else to the built-in class.
        kept = tuple(argument for argument in arguments if argument.keyword is None)
        ways = self._constructed(name, self.hierarchy.order(name), arguments, kept)
        if len(ways) > _MOST_WAYS:
            raise UnknownCallError("constructor")
        return ways

    def _constructed(
        self, name: str, order: Sequence[str], arguments: tuple[Argument, ...], kept: tuple[Argument, ...]
    ) -> list[Instance]:
        """Follow the constructors of the classes in this order, as far as each calls the next one."""
        for index, each in enumerate(order):
            known = self.hierarchy.tree_classes.get(each)
            if known is None:
                break
            is_redefined = "__init__" in known.fact.methods and self.hierarchy.is_redefined(each)
            if "__new__" in known.fact.methods or is_redefined:
                raise UnknownCallError("constructor")
            if known.fact.fields is not None:
                return self._from_fields(name, order[index:], known, arguments, kept)
            if "__init__" not in known.fact.methods:
                continue
            if known.fact.initializer is None:
                self.evaluation.functions.want(known.path, "__init__")
                raise UnknownCallError("constructor")
            return self._initialized(name, order[index:], known, known.fact.initializer, arguments, kept)
        return [Instance(arguments, {}, None)]

    def _initialized(
        self,
        name: str,
        order: Sequence[str],
        known: TreeClass,
        initializer: Initializer,
        arguments: tuple[Argument, ...],
        kept: tuple[Argument, ...],
    ) -> list[Instance]:
        if initializer.reason is not None:
            raise UnknownCallError(initializer.reason)
        stored = self.hierarchy.names.facts[known.path].stored.get(known.fact.scope, {})
        if "*" in stored or (initializer.args is None and "args" in stored):
            # Another method may set what `str()` shows, or anything at all.
            raise UnknownCallError("constructor")
        if not initializer.calls and self.hierarchy.is_subclass(order[0], "builtins.OSError"):
            # OSError leaves its arguments to an `__init__` below it.
            raise UnknownCallError("constructor")
        inside = Frame(known.path, {}, Own(name, exact=True, args=kept), order[0], "class-message", 1)
        bound = bind(initializer.parameters, arguments, lambda default: self.evaluation.argument(default, inside))
        return self._run(order, known, initializer, Instance(kept, {}, None), replace(inside, bound=bound))

    def _run(
        self, order: Sequence[str], known: TreeClass, initializer: Initializer, kept: Instance, inside: Frame
    ) -> list[Instance]:
        """Follow the calls of an `__init__`; `kept` is what comes of it where it makes none."""
        possible = [call for call in initializer.calls if self.evaluation.is_possible(call.tests, inside)]
        ways = [way for call in possible for way in self._handed_on(order, known, call, inside)]
        if not initializer.always_calls and not any(self._is_certain(call, inside) for call in possible):
            ways.append(kept)
        return [self._finished(initializer, way, inside) for way in ways]

    def _is_certain(self, call: BaseCall, inside: Frame) -> bool:
        return bool(call.tests) and self.evaluation.is_certain(call.tests, inside)

    def _handed_on(self, order: Sequence[str], known: TreeClass, call: BaseCall, inside: Frame) -> list[Instance]:
        name = inside.own.name if inside.own is not None else order[0]
        given = self.evaluation.arguments(call.arguments, inside)
        if any(all(text.reason == "constructor" for text in each.templates) for each in given):
            raise UnknownCallError("constructor")
        behind = order[1:]
        if call.base is not None:
            base = self.hierarchy.add(self.hierarchy.names.resolve(known.path, call.base))
            # A class that is called by its name need not be the next one.
            behind = order[order.index(base) :] if base in order else behind
        own = inside.own
        ways = self._constructed(name, behind, given, (own.args if own is not None else None) or ())
        via = order[0].rpartition(".")[2]
        # Where no class hands anything to the built-in one, the text is none of theirs.
        kept = own.args if own is not None else None
        return [way if way.arguments is kept else replace(way, via=via) for way in ways]

    def _finished(self, initializer: Initializer, way: Instance, inside: Frame) -> Instance:
        """Return an instance with what an `__init__` sets besides."""
        name = inside.own.name if inside.own is not None else ""
        own = Own(name, exact=True, attributes=way.attributes, args=way.arguments)
        after = replace(inside, own=own)
        attributes = {**(inside.own.attributes if inside.own is not None else {}), **way.attributes}
        for each in initializer.attributes:
            key = each.keyword or ""
            if key in attributes and key in initializer.early:
                continue
            member = self.evaluation.members.find(own.name, key)
            if member is not None and member.function is not None:
                # A property's setter may keep something else.
                attributes.pop(key, None)
                continue
            with suppress(UnknownCallError):
                attributes[key] = replace(self.evaluation.argument(each, after), keyword=None)
        arguments = way.arguments
        if initializer.args is not None and "args" not in initializer.early:
            arguments = self.evaluation.arguments(initializer.args, after)
        return Instance(arguments, attributes, way.via)

    def _from_fields(
        self,
        name: str,
        order: Sequence[str],
        known: TreeClass,
        arguments: tuple[Argument, ...],
        kept: tuple[Argument, ...],
    ) -> list[Instance]:
        """Return what the `__init__` of a dataclass makes: it sets the fields and runs `__post_init__`."""
        fields = {parameter.name: parameter for fact in self._dataclasses(order) for parameter in fact.fields or ()}
        inside = Frame(known.path, {}, Own(name, exact=True, args=kept), order[0], "class-message", 1)
        bound = bind(tuple(fields.values()), arguments, lambda default: self.evaluation.argument(default, inside))
        made = Instance(kept, {key: each for key, (each,) in bound.items()}, None)
        after = self.evaluation.members.find(order[0], "__post_init__")
        if after is None:
            return [made]
        if known.fact.initializer is None:
            raise UnknownCallError("constructor")
        own = Own(name, exact=True, attributes=made.attributes, args=kept)
        return self._run(order, known, known.fact.initializer, made, replace(inside, own=own))

    def _dataclasses(self, order: Sequence[str]) -> list[ClassFact]:
        facts = [known.fact for each in reversed(order) if (known := self.hierarchy.tree_classes.get(each)) is not None]
        return [fact for fact in facts if fact.fields is not None]
