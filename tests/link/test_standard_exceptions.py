"""The table of standard exception classes agrees with the interpreter that runs the tests."""

from __future__ import annotations

import builtins
import importlib
import json
import warnings
from pathlib import Path

import pytest

import extractor
from extractor.link.standard import has_own_text

TABLE = json.loads((Path(extractor.__file__).parent / "link" / "standard_exceptions.json").read_bytes())
CLASSES: dict[str, list[str]] = TABLE["classes"]
ALIASES: dict[str, str] = TABLE["aliases"]

# Their bases are not the same in all Pythons that the table covers; it has the newest.
CHANGED_BASES: frozenset[str] = frozenset()


def find_class(name: str) -> type | None:
    """Return what a dotted name means in this interpreter, or None if it has no such class."""
    parts = name.split(".")
    for length in range(len(parts) - 1, 0, -1):
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                value = importlib.import_module(".".join(parts[:length]))
            for part in parts[length:]:
                value = getattr(value, part)
        except (ImportError, AttributeError):
            continue
        return value if isinstance(value, type) else None
    return None


def name_in_table(value: type) -> str:
    """Return the name that the table gives to a class of this interpreter."""
    name = f"{value.__module__}.{value.__qualname__}"
    return ALIASES.get(name, name)


@pytest.mark.parametrize("name", CLASSES)
def test_bases_are_those_of_the_interpreter(name: str) -> None:
    """A class that exists here has exactly the bases of the table."""
    found = find_class(name)
    if found is None or name in CHANGED_BASES:
        return  # of another version or operating system

    assert CLASSES[name] == [name_in_table(base) for base in found.__bases__ if base is not object]


@pytest.mark.parametrize("alias", ALIASES)
def test_aliases_name_the_class(alias: str) -> None:
    """An alias that exists here and the class that it stands for are one object."""
    found, expected = find_class(alias), find_class(ALIASES[alias])
    if found is None or expected is None:
        return  # of another version or operating system

    assert expected is found


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("configparser.NoSectionError", True),
        ("ssl.SSLError", True),
        ("http.client.LineTooLong", True),
        ("queue.Empty", False),
        ("shutil.SameFileError", False),
        ("builtins.KeyError", False),  # known to `link.speech`
    ],
)
def test_classes_with_a_text_of_their_own_are_listed(name: str, expected: bool) -> None:
    """A class is listed if `str()` of it does not simply show its arguments."""
    assert expected == has_own_text(name)


def test_every_builtin_exception_is_listed() -> None:
    """Each exception of `builtins` is a class or an alias of the table."""
    names = {f"builtins.{n}" for n, v in vars(builtins).items() if isinstance(v, type) and issubclass(v, BaseException)}

    assert set() == names - CLASSES.keys() - ALIASES.keys()


def test_every_base_and_alias_leads_to_a_class() -> None:
    """No name of the table leads out of it, and none is both a class and an alias."""
    named = {base for bases in CLASSES.values() for base in bases} | set(ALIASES.values())

    assert set() == named - CLASSES.keys()
    assert set() == CLASSES.keys() & ALIASES.keys()


@pytest.mark.parametrize(
    ("alias", "expected"),
    [
        ("builtins.IOError", "builtins.OSError"),
        ("json.JSONDecodeError", "json.decoder.JSONDecodeError"),
        ("socket.error", "builtins.OSError"),
        ("concurrent.futures.TimeoutError", "builtins.TimeoutError"),
        ("_queue.Empty", "queue.Empty"),  # C accelerators call themselves private
        ("re.error", "re.PatternError"),  # renamed in 3.13, the old name stayed
    ],
)
def test_known_aliases(alias: str, expected: str) -> None:
    """Names that people write lead to the class that they mean."""
    assert expected == ALIASES[alias]
