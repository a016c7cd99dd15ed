"""Raise statements that do something else than they seem to: diagnostics of the analysed code."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from extractor.facts import Argument, Construction, RaiseSite, Template
from extractor.link.hierarchy import Hierarchy
from extractor.link.standard import NOT_EXCEPTIONS, has_own_text
from extractor.model import Diagnostic, ExceptionClass

# The space flag is left out: "100% sure" has no field.
_PERCENT_FIELD = re.compile(r"%(?:\(\w+\))?[#0\-+]*(?:\d+|\*)?(?:\.(?:\d+|\*))?[diouxXeEfFgGcrsa](?!\w)")
_BRACE_FIELD = re.compile(r"\{(?:\w[\w.\[\]]*)?(?:![rsa])?(?::[^{}\s]*)?\}")
# These make something of several arguments.
_OF_SEVERAL_PARTS = frozenset(
    f"builtins.{name}"
    for name in (
        "BaseExceptionGroup",
        "OSError",
        "SyntaxError",
        "UnicodeDecodeError",
        "UnicodeEncodeError",
        "UnicodeTranslateError",
    )
)


# Methods by which a class makes something else of its arguments.
_SPEAKING = frozenset({"__init__", "__new__", "__str__"})
# A construction, its class, and why that is not known.
Made = tuple[Construction, ExceptionClass | None, str | None]


def lints(site: RaiseSite, path: str, made: Sequence[Made], hierarchy: Hierarchy) -> Iterator[Diagnostic]:
    """Yield what is wrong with a raise statement, given what it can make; nothing where it never runs."""
    if site.kind == "unreachable" or site.is_again:
        return
    for construction, exception, reason in made:
        if (reason == "not an exception" and _is_plain(construction)) or _is_no_exception(exception, hierarchy):
            what = construction.reference.name if construction.reference is not None else "what is raised"
            message = f"{what} is no exception, so Python raises a TypeError in its place; raise an exception class"
            yield Diagnostic(path, site.line, "invalid-raise", message)
        elif exception is not None and _is_never_filled(construction.arguments or (), exception, hierarchy):
            message = f"{exception.name} never puts its arguments into the fields of the first; format the text"
            yield Diagnostic(path, site.line, "raising-format-tuple", message)


def _is_plain(construction: Construction) -> bool:
    """Say whether what is raised stands there, rather than in a variable that something else may set."""
    return construction.reference is None or construction.reference.name in NOT_EXCEPTIONS


def _is_no_exception(exception: ExceptionClass | None, hierarchy: Hierarchy) -> bool:
    if exception is None or not exception.certain or exception.qualified_name is None:
        return False
    return hierarchy.is_no_exception(exception.qualified_name)


def _is_never_filled(arguments: Sequence[Argument], exception: ExceptionClass, hierarchy: Hierarchy) -> bool:
    if len(arguments) < 2 or any(argument.star or argument.keyword for argument in arguments):
        return False
    return _has_fields(arguments[0]) and _keeps_arguments(exception, hierarchy)


def _has_fields(argument: Argument) -> bool:
    return any(_is_unfilled(template) for template in argument.templates)


def _is_unfilled(template: Template) -> bool:
    if template.form != "literal" or not template.is_text:
        return False
    text = "".join(segment for segment in template.segments if isinstance(segment, str))
    return bool(_PERCENT_FIELD.search(text.replace("%%", "")) or _BRACE_FIELD.search(text))


def _keeps_arguments(exception: ExceptionClass, hierarchy: Hierarchy) -> bool:
    """Say whether `str()` of several arguments is that of a tuple: no class in between makes something else of them."""
    if exception.qualified_name is None or not exception.certain:
        return False
    for name in (exception.qualified_name, *exception.ancestors):
        known = hierarchy.tree_classes.get(name)
        if known is None:
            if name in _OF_SEVERAL_PARTS or has_own_text(name):
                return False
        elif known.fact.fields is not None or known.fact.methods & _SPEAKING:
            return False
    return True
