"""The nouns of an error catalog: what a corpus holds, field by field.

Frozen, slotted dataclasses whose field order is the order in the file. What `scan` hands to `link` is in `facts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

SCHEMA_VERSION = 1
ID_VERSION = 1

RecordKind = Literal["error", "reraise", "abstract", "unreachable"]
Form = Literal["literal", "f-string", "percent", "format", "concatenation", "class-message", "none"]
GuardKind = Literal[
    "if",
    "else",
    "early_exit",
    "assert",
    "while",
    "for",
    "loop_else",
    "except",
    "try_else",
    "with",
    "case",
    "conditional",
]
SourceKind = Literal["folder", "file", "git", "archive", "release"]


@dataclass(frozen=True, slots=True)
class Placeholder:
    """An expression of a message template that is filled at run time.

    `expression` is normalized Python source; `conversion` is "r", "s", "a" or None; `format_spec` is what stands
    behind the colon of an f-string field, or None.
    """

    expression: str
    conversion: str | None = None
    format_spec: str | None = None


Segment = str | Placeholder


@dataclass(frozen=True, slots=True)
class Guard:
    """One condition that must hold to reach a raise site.

    `text` is the condition as written, on one line; it was true on the way if `holds`, else false. `line` counts from
    1. `certain` is False where the condition may not be enforced (an assert under -O); `stale` is True where a name in
    it was rebound between the test and the raise. `expanded` is set where the test is a local name or `not` one: the
    same test with what that name was set to in its place, if that can still be said in terms of the raise.
    """

    kind: GuardKind
    text: str
    holds: bool
    line: int
    certain: bool = True
    stale: bool = False
    expanded: str | None = None


@dataclass(frozen=True, slots=True)
class ExceptionClass:
    """The class that a raise site raises.

    `name` is the class's own name and `qualified_name` where it is defined ("builtins.OSError"); None if not known.
    `ancestors` are qualified names, nearest first, without `object`. `certain` is False where a part of that is a guess
    or the ancestry leaves the tree, and where it may be a class below this one: a caught exception may always be.
    """

    name: str
    qualified_name: str | None
    ancestors: tuple[str, ...]
    certain: bool


@dataclass(frozen=True, slots=True)
class Part:
    """A text that a joined list may hold, and what it needs beyond the site's guards to be in it."""

    segments: tuple[Segment, ...]
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True)
class CallSite:
    """A call that hands a text to the function of a raise site. `line` is None where it could not be found."""

    path: str
    scope: str
    line: int | None
    permalink: str | None


@dataclass(frozen=True, slots=True)
class Variant:
    """One way in which a raise site can speak.

    `guards` holds what this variant needs beyond the site's guards. `via` names the variable, constant, helper or class
    that the text came through. `pattern` is an anchored regular expression that `str(exception)` matches; it needs no
    flags, and is None where the text is not known. `exception` is set only where the class differs from the record's.
    `parts` are the texts that one of the placeholders joins, where they were put in a list on the way. `call` is set
    where a caller of the site's function gives the text: then `guards` are the conditions of that call, in its file.
    """

    segments: tuple[Segment, ...]
    form: Form
    guards: tuple[Guard, ...]
    via: str | None
    pattern: str | None
    exception: ExceptionClass | None = None
    parts: tuple[Part, ...] = ()
    call: CallSite | None = None


@dataclass(frozen=True, slots=True)
class Location:
    """Where a raise statement stands. Lines from 1, columns from 0 in characters, the end exclusive."""

    path: str
    module: str
    scope: str
    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Handler:
    """The except clause that a raise site stands in: what it translates.

    `exceptions` are the caught classes as written (empty for a bare `except`), `name` the bound name, `tried` the tried
    statement on one line, with " …" where there is more than one.
    """

    exceptions: tuple[str, ...]
    name: str | None
    tried: str
    line: int


@dataclass(frozen=True, slots=True)
class Context:
    """Source lines around the raise keyword, without line ends, as they stand in the file."""

    first_line: int
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Surface:
    """What a user sees in the place of an exception that a framework catches, to raise one of its own with its text.

    `patterns` has an anchored regular expression for each variant of the record, which `str()` of that other exception
    matches; None where the variant's text is not known, or its class is not one that the framework catches.
    """

    exception: ExceptionClass
    patterns: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """A raise site with identity.

    `id` is 16 hex digits that survive moved lines; `template_id` is shared by all sites with the same text and None
    where there is no literal text. `message` is the first variant for people, placeholders in braces. `unresolved` is
    None or one of `UNRESOLVED`. `cause` is the expression after `from`, "none" for `from None`, "implicit" where
    another exception is being handled and there is no `from`, else None. `escapes` is False where the site's own
    function swallows the exception. `documented` is what the docstring says of this exception under "Raises", on one
    line. `applied_to` names what the file decorates with the decorator whose wrapper this is: qualified names in source
    order, 16 at most. `surface` is set where the exception reaches the user as another one. `aliases` are other ids
    that the error has had or would have, and `since` is the first revision known to have it; both come from an earlier
    corpus or a history.
    """

    id: str
    template_id: str | None
    title: str
    kind: RecordKind
    exception: ExceptionClass | None
    variants: tuple[Variant, ...]
    message: str | None
    unresolved: str | None
    location: Location
    guards: tuple[Guard, ...]
    handler: Handler | None
    cause: str | None
    escapes: bool
    context: Context
    permalink: str | None
    documented: str | None = None
    applied_to: tuple[str, ...] = ()
    surface: Surface | None = None
    aliases: tuple[str, ...] = ()
    since: str | None = None


UNRESOLVED = (
    "attribute",
    "call",
    "constructor",
    "custom __str__",
    "dynamic type",
    "expression",
    "external class",
    "no active exception",
    "not an exception",
    "parameter",
    "starred arguments",
    "subscript",
    "unknown name",
    "variable",
)


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """What could not be read, or a raise statement that goes wrong (a code of `LINTS`).

    `code` is a short, stable word ("syntax-error"); `line` is None for a whole file.
    """

    path: str
    line: int | None
    code: str
    message: str


LINTS = ("invalid-raise", "raising-format-tuple")


@dataclass(frozen=True, slots=True)
class Tombstone:
    """An error that is gone. `since` and `last_seen` are the first and last revision known to have had it."""

    id: str
    aliases: tuple[str, ...]
    title: str
    exception: str | None
    path: str
    scope: str
    since: str | None
    last_seen: str | None


@dataclass(frozen=True, slots=True)
class SourceInfo:
    """What a source knows of itself.

    `repository` is a web URL without credentials. `commit` is 40 or 64 hex digits and `committed_at` an ISO 8601 time
    with its offset. `subdirectory` is where the paths of the corpus start within the repository ("" for its root).
    `modified` counts the files read that differ from that commit. `sha256` is of the archive read.
    """

    kind: SourceKind
    name: str | None = None
    version: str | None = None
    license: str | None = None
    repository: str | None = None
    revision: str | None = None
    commit: str | None = None
    committed_at: str | None = None
    subdirectory: str = ""
    modified: int = 0
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class Tool:
    """What wrote the corpus."""

    name: str
    version: str


@dataclass(frozen=True, slots=True)
class Options:
    """The options that decide what is in the corpus. `context` counts lines before and after the raise line."""

    exceptions: tuple[str, ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    context: int = 18


@dataclass(frozen=True, slots=True)
class Summary:
    """Counts over the corpus; each mapping is sorted by its count, largest first, then by name."""

    files: int
    lines: int
    records: int
    by_kind: dict[str, int]
    by_exception: dict[str, int]
    by_form: dict[str, int]
    unresolved: dict[str, int]
    diagnostics: dict[str, int]


@dataclass(frozen=True, slots=True)
class Corpus:
    """The error catalog of one revision: records by path, line and column, and what earlier revisions had besides."""

    schema_version: int
    id_version: int
    tool: Tool
    source: SourceInfo
    options: Options
    summary: Summary
    records: tuple[Record, ...]
    diagnostics: tuple[Diagnostic, ...]
    gone: tuple[Tombstone, ...] = ()
