"""What a page says of a record in sentences: its kind, what is not known of it, and how it came to be raised."""

from __future__ import annotations

from collections.abc import Iterator

from extractor.lookup import placeholder_text
from extractor.model import Handler, Record, Variant

_STUB = "It is a stub: to raise this is all that it does."
_DEAD = "It can never run: no way through the code leads to it."
# `{it}` is what is not known, the text or what is raised.
UNRESOLVED_WORDS = {
    "attribute": "{it} comes from an attribute, whose value is known only at run time",
    "call": "{it} comes from a call, whose result is known only at run time",
    "constructor": "the class makes its text in a constructor that could not be followed",
    "custom __str__": "the class makes its text in a __str__ of its own that could not be followed",
    "dynamic type": "the class is chosen at run time",
    "expression": "{it} comes from an expression that could not be followed",
    "external class": "a class outside of the source that was read makes the text",
    "no active exception": "it stands in no except clause; there may be nothing to raise",
    "not an exception": "what is raised is no exception, so Python raises a TypeError in its place",
    "parameter": "{it} is a parameter, so the caller decides",
    "starred arguments": "the arguments are unpacked with a star",
    "subscript": "{it} is looked up in a container at run time",
    "unknown name": "a name in it is bound nowhere in the source that was read",
    "variable": "{it} comes from a variable whose value could not be followed",
}


def is_passed_on(record: Record) -> bool:
    """Say whether a record is of a statement that raises nothing new, be it one that never runs."""
    is_silent = record.unresolved is None and not any(each.segments or each.pattern for each in record.variants)
    return record.kind == "reraise" or (record.message is None and is_silent)


def remarks(record: Record) -> Iterator[str]:
    """Yield what there is to say of a record before its variants."""
    if record.kind == "unreachable":
        yield _DEAD
    elif record.kind == "abstract":
        yield _STUB
    if is_passed_on(record):
        yield _passed_on(record)
    if record.unresolved and not (record.kind == "reraise" and record.unresolved == "dynamic type"):
        it = "what is raised" if record.exception is None else "the text"
        words = UNRESOLVED_WORDS.get(record.unresolved, record.unresolved)
        yield f"Not fully known: {words.format(it=it)}."
    elif record.message == "" and len(record.variants) < 2:
        yield "It carries no message."
    if record.documented:
        yield f"Documented as: {record.documented}"
    if record.applied_to:
        yield f"It stands in the wrapper that a decorator puts around {', '.join(record.applied_to)}."
    if record.surface:
        shown = record.surface.exception.qualified_name or record.surface.exception.name
        yield f"The user sees a {shown} that has this text in its own."


def _passed_on(record: Record) -> str:
    passing = "would pass" if record.kind == "unreachable" else "passes"
    if record.exception is None:
        return f"It {passing} on what was caught, whatever that is, with its message."
    return f"It {passing} on what was caught, of this class or one below, with its message."


def variant_remarks(variant: Variant) -> Iterator[str]:
    """Yield what there is to say of a text."""
    if variant.call is not None:
        line = f":{variant.call.line}" if variant.call.line is not None else ""
        yield f"The text comes from the call at {variant.call.path}{line} in {variant.call.scope or 'the module'}."
    elif variant.via and (variant.segments or variant.pattern):
        yield f"The text comes through `{variant.via}`."
    literal = "".join(segment for segment in variant.segments if isinstance(segment, str))
    if "{" in literal or "}" in literal:
        filled = [placeholder_text(segment) for segment in variant.segments if not isinstance(segment, str)]
        yield f"Filled in at run time: {', '.join(filled) or 'nothing'}; other braces are text."


def origins(record: Record) -> Iterator[str]:
    """Yield what a record has to do with other exceptions, and where it ends."""
    handler = record.handler
    if handler is not None:
        where = f"caught in line {handler.line}, from `{handler.tried}`."
        caught = _caught(handler)
        is_new = not is_passed_on(record)
        yield f"It translates {caught}, {where}" if is_new else f"{caught[0].upper()}{caught[1:]} is {where}"
    if record.cause is not None:
        yield _cause(record, record.cause)
    if not record.escapes:
        yield "No caller sees it: its own function swallows it."


def _caught(handler: Handler) -> str:
    *others, last = handler.exceptions or ("any exception",)
    return f"{', '.join(others)} or {last}" if others else last


def _cause(record: Record, cause: str) -> str:
    if cause == "none":
        is_new = record.handler is not None and not is_passed_on(record)
        hidden = "The caught exception is not shown" if is_new else "No other exception is shown"
        return f"{hidden} with it (from None)."
    if cause == "implicit":
        handled = "What is being handled there" if is_passed_on(record) else "The caught exception"
        return f"{handled} is shown before it{'' if is_passed_on(record) else ', as what was being handled'}."
    return f"Its direct cause is `{cause}`, shown before it."
