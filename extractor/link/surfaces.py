"""Exceptions that pydantic catches in validators, to raise one of its own with their text in it.

Texts as pydantic 1.10 and 2.x make them. How many errors there are, the model's title, the field and the input depend
on the call, so patterns leave them open.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from extractor.facts import RaiseSite, Reference
from extractor.link.hierarchy import Hierarchy
from extractor.link.names import Meaning
from extractor.link.standard import standard_bases
from extractor.model import ExceptionClass, Surface, Variant

_MODELS = frozenset({
    "pydantic.BaseModel", "pydantic.BaseSettings", "pydantic.RootModel", "pydantic.generics.GenericModel",
    "pydantic.main.BaseModel", "pydantic.root_model.RootModel", "pydantic.v1.BaseModel", "pydantic.v1.BaseSettings",
    "pydantic.v1.generics.GenericModel", "pydantic.v1.main.BaseModel", "pydantic_settings.BaseSettings",
    "sqlmodel.SQLModel",
})  # fmt: skip
# Modules whose classes are no models, whatever derives from them.
_STANDARD = ("abc.", "builtins.", "collections.", "enum.", "typing.", "typing_extensions.")
_DATACLASSES = frozenset({"pydantic.dataclasses.dataclass", "pydantic.v1.dataclasses.dataclass"})
_NEW, _OLD, _EITHER = "2", "1", "1 or 2"
_VALIDATORS = {"field_validator": _NEW, "model_validator": _NEW, "validator": _EITHER, "root_validator": _EITHER}
# What pydantic catches, with its own words for it.
_CAUGHT = (
    ("builtins.ValueError", "Value error, ", "value_error"),
    ("builtins.AssertionError", "Assertion failed, ", "assertion_error"),
)
_BASES = ("builtins.ValueError", "builtins.Exception", "builtins.BaseException")
_NEW_ERROR = ExceptionClass("ValidationError", "pydantic_core._pydantic_core.ValidationError", _BASES, certain=True)
_OLD_ERROR = ExceptionClass(
    "ValidationError",
    "pydantic.v1.error_wrappers.ValidationError",
    ("pydantic.v1.utils.Representation", *_BASES),
    certain=True,
)
_EITHER_ERROR = ExceptionClass("ValidationError", _NEW_ERROR.qualified_name, _BASES, certain=False)
_ERRORS = {_NEW: _NEW_ERROR, _OLD: _OLD_ERROR, _EITHER: _EITHER_ERROR}
_ANYTHING = r"[\s\S]*"


def surface_of(
    site: RaiseSite, path: str, exception: ExceptionClass | None, variants: Sequence[Variant], hierarchy: Hierarchy
) -> Surface | None:
    """Return what the user sees in the place of what is raised here, None where that is the exception itself."""
    possible = [variant.exception or exception for variant in variants]
    if not any(_caught(each) for each in possible):
        return None
    version = _Validators(path, hierarchy).version(site)
    if version is None:
        return None
    patterns = tuple(_pattern(*pair, version) for pair in zip(variants, possible, strict=True))
    return Surface(_ERRORS[version], patterns)


def _caught(exception: ExceptionClass | None) -> tuple[str, str] | None:
    if exception is None:
        return None
    names = {exception.qualified_name, *exception.ancestors}
    return next(((words, code) for name, words, code in _CAUGHT if name in names), None)


def _pattern(variant: Variant, exception: ExceptionClass | None, version: str) -> str | None:
    caught = _caught(exception)
    if caught is None or variant.pattern is None:
        return None
    (words, code), text = caught, variant.pattern.removeprefix("^").removesuffix("$")
    said = {
        _NEW: rf"{words}{text} \[type={code}",
        _OLD: rf"{text} \(type={code}",
        _EITHER: rf"(?:{words})?{text} [\[(]type={code}",
    }
    return rf"^[0-9]+ validation errors? for {_ANYTHING}\n  {said[version]}{_ANYTHING}$"


@dataclass(frozen=True, slots=True)
class _Validators:
    """Which functions of a file pydantic calls, and of which version it is."""

    path: str
    hierarchy: Hierarchy

    def version(self, site: RaiseSite) -> str | None:
        owner, _, name = site.scope.rpartition(".")
        if not owner or owner.endswith("<locals>"):
            return None
        found = (self._validator(decorator) for decorator in site.decorators)
        version = next((each for each in found if each is not None), None)
        is_hook = name in {"__post_init__", "model_post_init"} and not site.decorators
        if version is None and not is_hook:
            return None
        exception = self.hierarchy.class_of(Meaning(path=self.path, scope=owner))
        if exception is None or exception.qualified_name is None:
            return None
        order = (exception.qualified_name, *exception.ancestors)
        made = set(self._decorators(order)) & _DATACLASSES
        if is_hook:
            is_called = made if name == "__post_init__" else _MODELS.intersection(order)
            return _NEW if any(".v1." not in each for each in is_called) else None
        # Nobody puts a validator into a class that some other package makes, unless that makes models.
        return version if made or _MODELS.intersection(order) or any(map(self._is_outside, order)) else None

    def _validator(self, decorator: Reference) -> str | None:
        name = self._outer_name(self.path, decorator)
        if not name.startswith("pydantic."):
            return None
        version = _VALIDATORS.get(name.rpartition(".")[2])
        return _OLD if version == _EITHER and name.startswith("pydantic.v1.") else version

    def _decorators(self, order: Sequence[str]) -> Iterator[str]:
        for name in order:
            known = self.hierarchy.tree_classes.get(name)
            if known is not None:
                yield from (self._outer_name(known.path, decorator) for decorator in known.fact.decorators)

    def _outer_name(self, path: str, reference: Reference) -> str:
        return self.hierarchy.names.resolve(path, reference).outer_name or ""

    def _is_outside(self, name: str) -> bool:
        is_known = name in self.hierarchy.tree_classes or standard_bases(name) or name.startswith(_STANDARD)
        return not is_known
