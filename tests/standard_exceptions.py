"""Make `extractor/link/standard_exceptions.json`: the exception classes of the standard library, over several Pythons.

    python tests/standard_exceptions.py PYTHON3.11 PYTHON3.12 PYTHON3.13 > extractor/link/standard_exceptions.json

Each interpreter lists its own classes in a process of its own; where they disagree, the one named last decides.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import pkgutil
import subprocess
import sys
import types
import warnings
from collections.abc import Iterable, Iterator
from typing import TypedDict


class Table(TypedDict):
    """Direct bases by class, classes by their other names, and the classes that make their text themselves."""

    classes: dict[str, list[str]]
    aliases: dict[str, str]
    own_text: list[str]


# They open windows, run programs, start servers or are no part of what a program imports.
SKIPPED = {"antigravity", "ensurepip", "idlelib", "lib2to3", "pip", "setuptools", "test", "this", "turtledemo"}
# What an interpreter on Linux without Tk, gdbm and ndbm cannot show; the sources of CPython say it (`Modules/`, `PC/`).
UNSEEN_CLASSES = {
    "dbm.gnu.error": ["builtins.OSError"],
    "dbm.ndbm.error": ["builtins.OSError"],
    "tkinter.TclError": ["builtins.Exception"],
}
UNSEEN_ALIASES = {
    "_dbm.error": "dbm.ndbm.error",
    "_gdbm.error": "dbm.gnu.error",
    "_tkinter.TclError": "tkinter.TclError",
    "builtins.WindowsError": "builtins.OSError",
}


def import_standard_library() -> Iterator[tuple[str, types.ModuleType]]:
    """Yield the public modules of the running interpreter with their names, as far as they can be imported."""
    names = sorted(name for name in sys.stdlib_module_names if is_public(name))
    while names:
        name = names.pop(0)
        # Sound, database and operating system modules may be missing or refuse to load: that is no trouble of ours.
        try:
            with warnings.catch_warnings(), contextlib.redirect_stdout(io.StringIO()):
                warnings.simplefilter("ignore")
                module = importlib.import_module(name)
        except (Exception, SystemExit):
            continue
        yield name, module
        for child in pkgutil.iter_modules(getattr(module, "__path__", ())):
            if is_public(f"{name}.{child.name}"):
                names.append(f"{name}.{child.name}")


def is_public(name: str) -> bool:
    """Say whether no part of a module name is private, a test or skipped."""
    parts = name.split(".")
    return parts[0] not in SKIPPED and not any(part.startswith("_") or part in {"test", "tests"} for part in parts)


def find_exceptions(module: types.ModuleType) -> Iterator[tuple[str, type[BaseException]]]:
    """Yield the exception classes that a module names, and those inside its own classes, with their dotted names."""
    for name, value in sorted(vars(module).items()):
        if isinstance(value, type):
            yield from nested_exceptions(name, value, module.__name__)


def nested_exceptions(name: str, value: type, module: str) -> Iterator[tuple[str, type[BaseException]]]:
    """Yield a class if it is an exception, then the exceptions defined in its body."""
    if issubclass(value, BaseException):
        yield name, value
    if value.__module__ == module and value.__qualname__ == name:
        for inner, nested in sorted(vars(value).items()):
            if isinstance(nested, type) and nested.__qualname__ == f"{name}.{inner}":
                yield from nested_exceptions(f"{name}.{inner}", nested, module)


def list_exceptions() -> Table:
    """Return the classes with their direct bases, and the other names of these classes, of the running interpreter.

    Other classes that exceptions derive from are listed as well, so that every base can be looked up.
    """
    places: dict[type, set[str]] = {}
    for name, module in import_standard_library():
        for inner, value in find_exceptions(module):
            places.setdefault(value, set()).add(f"{name}.{inner}")
    for value in list(places):
        for ancestor in value.__mro__[:-1]:
            places.setdefault(ancestor, set())
    names = {value: defining_name(value, places[value]) for value in places}
    aliases = {place: names[value] for value in places for place in {*places[value], own_name(value)}}
    return {
        "classes": {
            name: [names[base] for base in value.__bases__ if base is not object] for value, name in names.items()
        },
        "aliases": {place: name for place, name in aliases.items() if place != name},
        "own_text": [name for value, name in names.items() if has_own_text(value)],
    }


def has_own_text(value: type) -> bool:
    """Say whether a class outside of `builtins` does not simply show its arguments as its built-in base does."""
    if value.__module__ == "builtins" or not issubclass(value, BaseException):
        return False
    base = next(each for each in value.__mro__ if each.__module__ == "builtins")
    return any(getattr(value, name) is not getattr(base, name) for name in ("__init__", "__str__"))


def own_name(value: type) -> str:
    """Return the name under which a class says that it was defined."""
    return f"{value.__module__}.{value.__qualname__}"


def defining_name(value: type, places: set[str]) -> str:
    """Return the name of a class: its own, or the shortest public one where its own is that of a private module."""
    own = own_name(value)
    if own.startswith("_") and places:
        return min(places, key=lambda place: (place.rpartition(".")[2] != value.__name__, len(place), place))
    return own


def merge(tables: Iterable[Table]) -> Table:
    """Return one table of several; where a name is disputed, the last table that has it decides."""
    classes, aliases = dict(UNSEEN_CLASSES), dict(UNSEEN_ALIASES)
    own_text: set[str] = set()
    for table in tables:
        for name in table["classes"]:
            aliases.pop(name, None)
        for name in table["aliases"]:
            classes.pop(name, None)
        classes |= table["classes"]
        aliases |= table["aliases"]
        own_text |= set(table["own_text"])
    final = {name: follow(name, aliases) for name in aliases}
    return {
        "classes": {name: [final.get(base, base) for base in bases] for name, bases in sorted(classes.items())},
        "aliases": dict(sorted(final.items())),
        "own_text": sorted({final.get(name, name) for name in own_text}),
    }


def follow(name: str, aliases: dict[str, str]) -> str:
    """Return the class that an alias ends at: what it names may be called otherwise in a newer Python."""
    while name in aliases:
        name = aliases[name]
    return name


def render(table: Table) -> str:
    """Return the table as JSON, one class or alias a line, sorted."""
    parts = []
    for key in ("classes", "aliases"):
        lines = (f"{json.dumps(name)}:{json.dumps(value)}" for name, value in sorted(table[key].items()))
        parts.append(f"{json.dumps(key)}:{{\n" + ",\n".join(lines) + "\n}")
    parts.append('"own_text":[\n' + ",\n".join(map(json.dumps, table["own_text"])) + "\n]")
    return "{" + ",\n".join(parts) + "}"


def main(interpreters: list[str]) -> None:
    """Print the table of the interpreters, or of this one if none is named."""
    if not interpreters:
        table = list_exceptions()
    else:
        runs = [subprocess.run([path, "-I", __file__], stdout=subprocess.PIPE, check=True) for path in interpreters]
        table = merge(json.loads(run.stdout) for run in runs)
    print(render(table))


if __name__ == "__main__":
    main(sys.argv[1:])
