"""The exception classes of the builtins and the standard library: a table, the same for every interpreter."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

# Names of builtins that people raise by mistake.
NOT_EXCEPTIONS = frozenset({"NotImplemented", "None", "True", "False", "Ellipsis", "str", "object", "type"})


@cache
def _table() -> dict[str, Any]:
    text = (files("extractor.link") / "standard_exceptions.json").read_text("utf-8")
    table: dict[str, Any] = json.loads(text)
    return table


def standard_class(name: str) -> str | None:
    """Return the defining qualified name of a standard exception class that is reached by this dotted name."""
    table = _table()
    if name in table["classes"]:
        return name
    alias: str | None = table["aliases"].get(name)
    return alias


def standard_bases(qualified_name: str) -> tuple[str, ...]:
    """Return the direct bases of a standard exception class, without `object`."""
    return tuple(_table()["classes"].get(qualified_name, ()))


def standard_names() -> tuple[str, ...]:
    """Return the defining names of all classes in the table."""
    return tuple(_table()["classes"])


def has_own_text(qualified_name: str) -> bool:
    """Say whether a class of the standard library makes its text in a way of its own."""
    return qualified_name in _table()["own_text"]
