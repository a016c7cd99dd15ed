"""What `scan` finds in one file and `link` reads: small, picklable, free of syntax trees.

Names in here are as written; only `link` knows what they mean across files.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from extractor.model import Context, Diagnostic, Form, Guard, Handler

BindingKind = Literal["class", "import", "alias", "caught", "parameter", "variable"]
SiteKind = Literal["error", "reraise", "abstract", "unreachable"]


BASE_TEXT = "super().__str__()"


@dataclass(frozen=True, slots=True)
class Hole:
    """A placeholder whose expression is cut at the parameters of its function.

    `pieces` alternates source text and parameter name, beginning and ending with text, so that `link` can write the
    expression in terms of a call; joined it is the expression itself. `atomic` says that the expression needs no
    parentheses inside a larger one.
    """

    pieces: tuple[str, ...]
    conversion: str | None = None
    format_spec: str | None = None
    atomic: bool = True

    @property
    def expression(self) -> str:
        """The expression as it stands in its own function."""
        return "".join(self.pieces)

    @property
    def parameter(self) -> str | None:
        """The parameter's name where the whole expression is one."""
        return self.pieces[1] if len(self.pieces) == 3 and not self.pieces[0] and not self.pieces[2] else None


def merge(parts: Iterable[str | Hole]) -> tuple[str | Hole, ...]:
    """Return the parts of a text with neighbouring literals made one and empty ones left out."""
    merged: list[str | Hole] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)


@dataclass(frozen=True, slots=True)
class Template:
    """One text that an expression can give: literal text and holes.

    `guards` is what this text needs beyond the conditions of the place it is used at. `is_text` says that the value is
    surely a `str`; `value` is False for a text that is wholly a run-time value, then `reason` says of which syntax.
    """

    segments: tuple[str | Hole, ...]
    form: Form
    is_text: bool
    via: str | None = None
    guards: tuple[Guard, ...] = ()
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of a call: its keyword if it has one, "*" or "**" if it is starred, and its possible texts.

    `hole` is the argument as an expression.
    """

    keyword: str | None
    star: str
    hole: Hole
    templates: tuple[Template, ...]


@dataclass(frozen=True, slots=True)
class Reference:
    """A dotted name as written, and the scopes that Python looks its first part up in, innermost first."""

    name: str
    scopes: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Construction:
    """One way in which a raise statement makes its exception.

    `reference` is None where the class is no dotted name; then `reason` says why. `arguments` is None for a class that
    is raised without a call. `via` names the variable that the exception was held in.
    """

    reference: Reference | None
    arguments: tuple[Argument, ...] | None
    guards: tuple[Guard, ...] = ()
    via: str | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class Catcher:
    """A statement around a raise site, in the same function, that may swallow what it raises.

    `references` are the classes it catches (empty with `catches_all` for a bare `except` or an abandoning `finally`).
    `reraises` says that it raises the exception on again.
    """

    references: tuple[Reference, ...]
    catches_all: bool
    reraises: bool


@dataclass(frozen=True, slots=True)
class DocumentedRaise:
    """What a docstring says of an exception: the class as written there, without markup, and the text on one line."""

    name: str
    text: str


@dataclass(frozen=True, slots=True)
class RaiseSite:
    """One raise statement.

    `is_again` says that it raises what was caught. `catchers` holds one tuple of clauses for each statement around it,
    innermost first. `documented` is what the docstring says of exceptions, `decorators` stand above the function, and
    `applied_to` is as in `model.Record`.
    """

    scope: str
    line: int
    column: int
    end_line: int
    end_column: int
    kind: SiteKind
    is_again: bool
    constructions: tuple[Construction, ...]
    guards: tuple[Guard, ...]
    handler: Handler | None
    cause: str | None
    catchers: tuple[tuple[Catcher, ...], ...]
    context: Context
    documented: tuple[DocumentedRaise, ...] = ()
    decorators: tuple[Reference, ...] = ()
    applied_to: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of a function; `default` is the text of its default value, if that is known."""

    name: str
    kind: Literal["positional", "keyword", "*", "**"]
    default: Template | None


@dataclass(frozen=True, slots=True)
class Initializer:
    """A class's `__init__`, as far as it decides `str(exception)`.

    `super_arguments` is what it hands to the base class's `__init__`; None where it calls none, so that the arguments
    of the call itself are kept. `base` is set where it names the class whose `__init__` it calls, instead of leaving
    that to `super`. `attributes` are the attributes of `self` that it sets once and always, as keyword arguments.
    `reason` is set where it does something that cannot be followed.
    """

    parameters: tuple[Parameter, ...]
    super_arguments: tuple[Argument, ...] | None
    reason: str | None
    base: Reference | None = None
    attributes: tuple[Argument, ...] = ()


@dataclass(frozen=True, slots=True)
class ClassFact:
    """A class statement.

    `has_str` says that the class has a `__str__`, and `texts` what that returns; None where it cannot be followed. In
    them `BASE_TEXT` is the placeholder for what the base class's `__str__` returns.
    `detailed` is False where its methods were not read. `decorators` stand above the class.
    """

    scope: str
    line: int
    bases: tuple[Reference, ...]
    initializer: Initializer | None
    has_str: bool
    texts: tuple[Template, ...] | None
    has_new: bool
    detailed: bool
    decorators: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Binding:
    """What a name is bound to in a scope.

    `target` is the class's scope for a class, "module:name" or "module:" with leading dots for an import, the dotted
    name for an alias or a parameter's default, and "" otherwise.
    """

    kind: BindingKind
    target: str = ""


@dataclass(frozen=True, slots=True)
class FileFacts:
    """All that one file gives.

    `bindings` is by scope, then name; a name bound several times has several. `exports` is what `__all__` names, None
    where there is none that can be read.
    """

    path: str
    lines: int
    sites: tuple[RaiseSite, ...]
    classes: tuple[ClassFact, ...]
    bindings: dict[str, dict[str, tuple[Binding, ...]]]
    star_imports: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    exports: tuple[str, ...] | None = None
