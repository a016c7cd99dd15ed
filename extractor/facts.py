"""What `scan` finds in one file and `link` reads: small, picklable, free of syntax trees.

Names in here are as written; only `link` knows what they mean across files.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

from extractor.model import Context, Diagnostic, Form, Guard, Handler

BindingKind = Literal["class", "function", "import", "alias", "caught", "own", "parameter", "variable", "star", "star?"]
SiteKind = Literal["error", "reraise", "abstract", "unreachable"]
FunctionKind = Literal["function", "method", "class method", "static method", "property"]
FillStyle = Literal["percent", "format", "template", "safe template"]
TestKind = Literal["truth", "none", "instance", "equal", "length", "all", "any"]

# How a reference to something of the base classes begins.
BASE = "super()"
# Stands for attributes of whatever name.
ANY = "*"


@dataclass(frozen=True, slots=True)
class Hole:
    """A placeholder whose expression is cut at the parameters of its function.

    `pieces` alternates source text and parameter name, beginning and ending with text, so that `link` can write the
    expression in terms of a call; joined it is the expression itself. `atomic` says that the expression needs no
    parentheses inside a larger one. `source` is how its value may be found elsewhere.
    """

    pieces: tuple[str, ...]
    conversion: str | None = None
    format_spec: str | None = None
    atomic: bool = True
    source: Source | None = None

    @property
    def expression(self) -> str:
        """The expression as it stands in its own function."""
        return "".join(self.pieces)

    @property
    def parameter(self) -> str | None:
        """The parameter's name where the whole expression is one."""
        return self.pieces[1] if len(self.pieces) == 3 and not self.pieces[0] and not self.pieces[2] else None


@dataclass(frozen=True, slots=True)
class Reference:
    """A dotted name as written, and the scopes that Python looks its first part up in, innermost first."""

    name: str
    scopes: tuple[str, ...]
    line: int


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
class Test:
    """A condition on a value, as far as what a function is called with can decide it.

    "instance" compares with the type names in `other`, "equal" and "length" with one value in it, "all" and "any" join
    `parts`. `holds` is False where the condition must come out false.
    """

    kind: TestKind
    holds: bool
    operand: Argument | None = None
    other: tuple[str, ...] = ()
    parts: tuple[Test, ...] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """One text that an expression can give: literal text and holes.

    `guards` is what this text needs beyond the conditions of the place it is used at, and `tests` the same where it
    stands in a function that others call. `is_text` says that the value is surely a `str`; `reason` is set for a text
    that is wholly a run-time value, and says of which syntax. `parts` are the texts that a joined list may hold.
    """

    segments: tuple[str | Hole, ...]
    form: Form
    is_text: bool
    via: str | None = None
    guards: tuple[Guard, ...] = ()
    reason: str | None = None
    tests: tuple[Test, ...] = ()
    parts: tuple[Template, ...] = ()


@dataclass(frozen=True, slots=True)
class Named:
    """The value of a dotted name: a constant, or an attribute of the own object."""

    reference: Reference


@dataclass(frozen=True, slots=True)
class Called:
    """What a function or method returns; "super().name" is one of a base class.

    `translated` is what it gives if it does no more with a text than to look for a translation, as its name says.
    """

    reference: Reference
    arguments: tuple[Argument, ...]
    is_awaited: bool = False
    translated: tuple[Template, ...] = ()


@dataclass(frozen=True, slots=True)
class Filled:
    """A text with replacement fields that is known elsewhere, filled with values."""

    style: FillStyle
    text: Argument
    values: Values


@dataclass(frozen=True, slots=True)
class Keyed:
    """An entry of a table; `default` is what a missing key gives, None where that is an error."""

    table: Reference | tuple[Entry, ...]
    key: Argument
    default: Argument | None = None


Source = Named | Called | Filled | Keyed


@dataclass(frozen=True, slots=True)
class Values:
    """What fills the fields of a text: `whole` is a single value that stands for all of them."""

    positional: tuple[Argument, ...] = ()
    named: tuple[Argument, ...] = ()
    whole: Argument | None = None


@dataclass(frozen=True, slots=True)
class Entry:
    """One entry of a dictionary display: a key that is a literal text or number, and the value's texts."""

    key: str
    value: Argument


@dataclass(frozen=True, slots=True)
class Construction:
    """One way in which a raise statement makes its exception.

    `reference` is None where the class is no dotted name; then `reason` says why. `arguments` is None for a class that
    is raised without a call. `via` names the variable that the exception was held in. `is_sure` is False for a class
    that a caught exception may have, but also one below it. `tests` is what this way needs, see `Template`. `changed`
    are the attributes that were set once it was made, `ANY` for all that its methods set; "args" also stands for a text
    that was made out of sight. `is_again` says that nothing is made: it is what was caught.
    """

    reference: Reference | None
    arguments: tuple[Argument, ...] | None
    guards: tuple[Guard, ...] = ()
    via: str | None = None
    reason: str | None = None
    is_sure: bool = True
    tests: tuple[Test, ...] = ()
    changed: frozenset[str] = frozenset()
    is_again: bool = False


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
    """One parameter of a function, with its default value."""

    name: str
    kind: Literal["positional", "keyword", "*", "**"]
    default: Argument | None


@dataclass(frozen=True, slots=True)
class BaseCall:
    """A call of a base class's `__init__`: its arguments, the base if it is named, and what it needs to be made."""

    arguments: tuple[Argument, ...]
    base: Reference | None = None
    tests: tuple[Test, ...] = ()


@dataclass(frozen=True, slots=True)
class Initializer:
    """A class's `__init__`, as far as it decides `str(exception)`.

    `calls` are those of the base class's `__init__`, and `always_calls` says that every way through has one; without
    any, the arguments of the call itself are kept.
    `attributes` are what the attributes of the own object hold at the end, by keyword; those in `early` were set before
    the base class's `__init__` ran. `args` is what it sets its arguments to. `reason` is set where it does something
    that cannot be followed.
    """

    parameters: tuple[Parameter, ...]
    calls: tuple[BaseCall, ...] = ()
    always_calls: bool = False
    attributes: tuple[Argument, ...] = ()
    early: frozenset[str] = frozenset()
    args: tuple[Argument, ...] | None = None
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class FunctionFact:
    """A function that others may take a text or an exception from; `parameters` without that for the own object.

    `texts` and `makes` are what it returns, read as a text and as an exception; None where that cannot be followed.
    `annotation` is what it says to return.
    """

    scope: str
    kind: FunctionKind
    parameters: tuple[Parameter, ...]
    texts: tuple[Template, ...] | None
    makes: tuple[Construction, ...] | None
    annotation: Reference | None = None
    is_async: bool = False


@dataclass(frozen=True, slots=True)
class CallFact:
    """A call of a function whose text depends on its callers, and the conditions under which it is made.

    `line` is None where its text was not found in the file.
    """

    scope: str
    reference: Reference
    arguments: tuple[Argument, ...]
    guards: tuple[Guard, ...]
    line: int | None = None


@dataclass(frozen=True, slots=True)
class ClassFact:
    """A class statement.

    `methods` are the names of all functions in its body; those of `initializer` and `FileFacts.functions` that are not
    there were not read. `fields` is set for a dataclass, whose `__init__` is made of them. `decorators` stand above the
    class.
    """

    scope: str
    line: int
    bases: tuple[Reference, ...]
    initializer: Initializer | None
    methods: frozenset[str]
    fields: tuple[Parameter, ...] | None = None
    decorators: tuple[Reference, ...] = ()


@dataclass(frozen=True, slots=True)
class Constant:
    """What the only assignment to a name of a module or class gives: texts, exceptions, or a table.

    `is_field` says that it is annotated in a class body, so that it may be no more than a field's default.
    """

    value: Argument
    makes: tuple[Construction, ...] = ()
    entries: tuple[Entry, ...] | None = None
    is_field: bool = False


@dataclass(frozen=True, slots=True)
class Binding:
    """What a name is bound to in a scope.

    `target` is the scope of a class or function, "module:name" or "module:" with leading dots for an import, the dotted
    name for an alias or a parameter's default, the class for a method's own object, and "" otherwise. A "star" is an
    import of all that a module has behind what bound the name before, "star?" one that may not be made. `annotation` is
    the class that a parameter is said to be of.
    """

    kind: BindingKind
    target: str = ""
    annotation: str = ""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What link wants to know of a file: functions, and calls of functions, by their names without a qualifier."""

    functions: frozenset[str] = frozenset()
    calls: frozenset[str] = frozenset()

    def __or__(self, other: Wanted) -> Wanted:
        return Wanted(self.functions | other.functions, self.calls | other.calls)

    def covers(self, other: Wanted) -> bool:
        """Say whether nothing is in the other one that is not in this one."""
        return other.functions <= self.functions and other.calls <= self.calls


NOTHING = Wanted()


@dataclass(frozen=True, slots=True)
class FileFacts:
    """All that one file gives.

    `bindings` and `constants` are by scope, then name; a name bound several times has several bindings. `exports` is
    what `__all__` names, None where there is none that can be read. `stored` says how often attributes and tables are
    changed in the file, by name and by the scope of the class whose methods do so to their own object, "" for others.
    `collected` are the attributes, by the scope of their class, that hold a table which is put together from what the
    class and its bases have by a name.
    """

    path: str
    lines: int
    sites: tuple[RaiseSite, ...]
    classes: tuple[ClassFact, ...]
    bindings: dict[str, dict[str, tuple[Binding, ...]]]
    star_imports: tuple[str, ...]
    diagnostics: tuple[Diagnostic, ...]
    exports: tuple[str, ...] | None = None
    functions: tuple[FunctionFact, ...] = ()
    calls: tuple[CallFact, ...] = ()
    constants: dict[str, dict[str, Constant]] = field(default_factory=dict)
    stored: dict[str, dict[str, int]] = field(default_factory=dict)
    collected: dict[str, dict[str, str]] = field(default_factory=dict)
