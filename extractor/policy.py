"""What a project wants of changes to its errors: the table `[tool.raisedex]` of its pyproject.toml."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, TypeVar

from extractor.diff import KINDS, Change, ChangeKind, Comparison
from extractor.model import Record
from extractor.policy_errors import InvalidPolicyError
from extractor.reports.report import REQUIREMENTS, Requirement
from extractor.source.selection import make_selection

_KEYS = frozenset({"paths", "exclude", "exceptions", "fail-on", "require", "ignore"})
_IGNORED_BY = ("id", "pattern", "path")
_ID = re.compile("[0-9a-f]{4,16}")
# A change of these kinds is the operator's doing, so that what is asked of an error is asked of it.
_ASKED: frozenset[ChangeKind] = frozenset({"added", "retyped", "reworded", "guards_changed"})

_Choice = TypeVar("_Choice", bound=str)


@dataclass(frozen=True, slots=True)
class Ignore:
    """Changes that are left out, and why.

    One of the first three is set: a record id or its beginning (4 digits or more), a regular expression that is
    searched in the message, a pattern of paths.
    """

    id: str | None
    pattern: str | None
    path: str | None
    reason: str

    def fits(self, record: Record) -> bool:
        """Say whether a record is meant."""
        if self.id is not None:
            return record.id.startswith(self.id)
        if self.pattern is not None:
            return re.search(self.pattern, record.message or "") is not None
        return make_selection([self.path or ""]).accepts(record.location.path)


@dataclass(frozen=True, slots=True)
class Policy:
    """What is compared, what a run fails for, what is asked of new and changed errors, and what is left out."""

    paths: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    exceptions: tuple[str, ...] = ()
    fail_on: tuple[ChangeKind, ...] = ()
    require: tuple[Requirement, ...] = ()
    ignore: tuple[Ignore, ...] = ()

    def without_ignored(self, comparison: Comparison) -> tuple[Comparison, int]:
        """Return a comparison without the changes that are left out, and how many these are."""
        kept = tuple(change for change in comparison.changes if not self._is_ignored(change))
        return replace(comparison, changes=kept), len(comparison.changes) - len(kept)

    def _is_ignored(self, change: Change) -> bool:
        sides = [side for side in (change.old, change.new) if side is not None]
        return any(ignore.fits(side) for ignore in self.ignore for side in sides)

    def lacking(
        self, comparison: Comparison, tested: frozenset[str] = frozenset()
    ) -> dict[str, tuple[Requirement, ...]]:
        """Return what new and changed errors lack of what is asked of them, by record id.

        Args:
            comparison: What changed.
            tested: The ids of records that a test expects.

        """
        asked = (change.new for change in comparison.changes if change.kind in _ASKED and change.new is not None)
        found = {record.id: tuple(self._lacks(record, tested)) for record in asked if record.kind == "error"}
        return {identity: lacks for identity, lacks in found.items() if lacks}

    def _lacks(self, record: Record, tested: frozenset[str]) -> Iterable[Requirement]:
        met: Mapping[Requirement, bool] = {
            # A text that is not known may be a good one.
            "message": any(variant.segments for variant in record.variants) or record.unresolved is not None,
            "test": record.id in tested,
            "documented": record.documented is not None,
        }
        return (each for each in self.require if not met[each])


def read_policy(file: Path) -> Policy:
    """Return the policy in a pyproject.toml; one that has none, or is not there, asks nothing.

    Raises:
        InvalidPolicyError: The file is no TOML, or the table says what it cannot say.

    """
    try:
        document = tomllib.loads(file.read_bytes().decode("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return Policy()
    except OSError as error:
        raise InvalidPolicyError(
            str(file), f"cannot be read: {(error.strerror or 'input/output error').lower()}"
        ) from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        raise InvalidPolicyError(str(file), f"is not TOML: {error}") from error
    tool = document.get("tool", {})
    table = tool.get("raisedex", {}) if isinstance(tool, dict) else {}
    try:
        return _policy(table)
    except _WrongValueError as error:
        raise InvalidPolicyError(str(file), str(error)) from error


class _WrongValueError(ValueError):
    """A value of the table is not what it must be."""


def _policy(table: Any) -> Policy:
    if not isinstance(table, dict):
        raise _WrongValueError("tool.raisedex must be a table")
    unknown = sorted(table.keys() - _KEYS)
    if unknown:
        raise _WrongValueError(f"tool.raisedex has no key {unknown[0]!r}; there are {', '.join(sorted(_KEYS))}")
    ignored = table.get("ignore", [])
    if not isinstance(ignored, list):
        raise _WrongValueError("tool.raisedex.ignore must be a list of tables")
    return Policy(
        paths=_texts(table, "paths"),
        exclude=_texts(table, "exclude"),
        exceptions=_texts(table, "exceptions"),
        fail_on=_chosen(table, "fail-on", KINDS),
        require=_chosen(table, "require", REQUIREMENTS),
        ignore=tuple(map(_ignore, ignored)),
    )


def _texts(table: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = table.get(key, [])
    if not isinstance(value, list) or not all(isinstance(each, str) and each for each in value):
        raise _WrongValueError(f"tool.raisedex.{key} must be a list of texts")
    return tuple(value)


def _chosen(table: Mapping[str, Any], key: str, choices: tuple[_Choice, ...]) -> tuple[_Choice, ...]:
    # `guards-changed` reads better in TOML and on a command line.
    by_name = {name: choice for choice in choices for name in (choice, choice.replace("_", "-"))}
    texts = _texts(table, key)
    wrong = next((text for text in texts if text not in by_name), None)
    if wrong is not None:
        names = ", ".join(choice.replace("_", "-") for choice in choices)
        raise _WrongValueError(f"tool.raisedex.{key} has no {wrong!r}; there are {names}")
    return tuple(dict.fromkeys(by_name[text] for text in texts))


def _ignore(value: Any) -> Ignore:
    if not isinstance(value, dict) or not all(isinstance(each, str) and each for each in value.values()):
        raise _WrongValueError("tool.raisedex.ignore must be a list of tables of texts")
    given = [key for key in _IGNORED_BY if key in value]
    if len(given) != 1 or value.keys() - {*_IGNORED_BY, "reason"}:
        raise _WrongValueError("an entry of tool.raisedex.ignore has one of id, pattern and path, and a reason")
    if "reason" not in value:
        raise _WrongValueError(f"tool.raisedex.ignore: {value[given[0]]!r} needs a reason")
    if "id" in value and not _ID.fullmatch(value["id"]):
        raise _WrongValueError(f"tool.raisedex.ignore: {value['id']!r} is no id of 4 to 16 hex digits")
    try:
        re.compile(value.get("pattern", ""))
    except re.error as error:
        raise _WrongValueError(
            f"tool.raisedex.ignore: {value['pattern']!r} is no regular expression: {error}"
        ) from error
    return Ignore(value.get("id"), value.get("pattern"), value.get("path"), value["reason"])
