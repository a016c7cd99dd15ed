"""Texts with replacement fields, filled: `%`, `str.format` and `string.Template`.

Formats as in the Python library reference: "printf-style String Formatting", "Format String Syntax" and "Template
strings".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from string import Formatter

from extractor.facts import Argument, FillStyle, Values
from extractor.quoting import quote
from extractor.templates import Field, is_tuple

_PERCENT = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<spec>[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?)[hlL]?(?P<type>.)", re.DOTALL
)
_PERCENT_TYPES = frozenset("diouxXeEfFgGcrsa")
_ACCESS = re.compile(r"\.(?P<attribute>\w+)|\[(?P<index>[^\]]+)\]")
_DOLLAR = re.compile(
    r"\$(?:(?P<escaped>\$)|(?P<named>[a-zA-Z_]\w*)|\{(?P<braced>[a-zA-Z_]\w*)\}|(?P<invalid>))", re.ASCII
)


class FieldError(ValueError):
    """The template does not fit its values, or not in a way that can be known before it runs."""


def fields_of(style: FillStyle, text: str, values: Values) -> list[str | Field]:
    """Return a text as literal parts and fields, each with the value that fills it.

    Raises:
        FieldError: The text is malformed or does not fit the values.

    """
    if style == "percent":
        return list(_percent_fields(text, values))
    if style == "format":
        return list(_format_fields(text, values))
    return list(_dollar_fields(text, values, is_safe=style == "safe template"))


def _named(values: Values, key: str) -> tuple[Argument, str]:
    """Return the value of a key, the last one that has it; what `**` brings in behind it is not known."""
    for argument in reversed(values.named):
        if argument.star:
            raise FieldError
        if argument.keyword == key:
            return argument, ""
    if values.whole is None:
        raise FieldError
    return _indexable(values.whole), f"[{quote(key)}]"


def _indexable(argument: Argument) -> Argument:
    if not argument.hole.atomic or any(template.form != "none" for template in argument.templates):
        raise FieldError
    return argument


# %


def _percent_fields(text: str, values: Values) -> Iterator[str | Field]:
    supply = _PercentValues(values, count=_percent_count(text))
    fields: list[str | Field] = []
    end = 0
    for found in _PERCENT.finditer(text):
        fields.append(text[end : found.start()])
        end = found.end()
        fields.append("%" if found["type"] == "%" else _percent_field(found, supply))
    fields.append(text[end:])
    if "%" in "".join(text[match_end:start] for match_end, start in _gaps(text)) or not supply.is_used_up():
        raise FieldError
    yield from fields


def _gaps(text: str) -> Iterator[tuple[int, int]]:
    end = 0
    for found in _PERCENT.finditer(text):
        yield end, found.start()
        end = found.end()
    yield end, len(text)


def _percent_count(text: str) -> int:
    return sum(found["type"] != "%" for found in _PERCENT.finditer(text))


def _percent_field(found: re.Match[str], supply: _PercentValues) -> Field:
    kind, spec = found["type"], found["spec"]
    if kind not in _PERCENT_TYPES or "*" in spec:
        raise FieldError
    argument, suffix = supply.take(found["key"])
    conversion = kind if kind in "ra" else None
    return Field(argument, suffix, conversion, (spec if kind in "ras" else spec + kind) or None)


class _PercentValues:
    """Hands out the right side of `%` value by value."""

    def __init__(self, values: Values, *, count: int) -> None:
        self._values, self._count, self._taken, self._keyed = values, count, 0, False

    def take(self, key: str | None) -> tuple[Argument, str]:
        if key is not None:
            self._keyed = True
            return _named(self._values, key)
        index, self._taken = self._taken, self._taken + 1
        whole = self._values.whole
        if whole is None:
            positional = self._values.positional
            if index >= len(positional) or any(each.star for each in positional):
                raise FieldError
            return positional[index], ""
        if self._count == 1 and any(map(is_tuple, whole.templates)):
            # It fills the field with its only part, if it has no more.
            raise FieldError
        # One field takes the value itself; several can only be filled from a tuple.
        return (whole, "") if self._count == 1 else (_indexable(whole), f"[{index}]")

    def is_used_up(self) -> bool:
        if self._keyed:
            return self._taken == 0
        return self._values.whole is not None or len(self._values.positional) == self._taken


# str.format


def _format_fields(text: str, values: Values) -> Iterator[str | Field]:
    automatic, is_numbered = 0, False
    try:
        parsed = list(Formatter().parse(text))
    except ValueError as error:
        raise FieldError from error
    for literal, name, spec, conversion in parsed:
        yield literal
        if name is None:
            continue
        first = re.split(r"[.\[]", name, maxsplit=1)[0]
        is_numbered |= first.isdecimal()
        rest = name[len(first) :]
        if not first:
            first, automatic = str(automatic), automatic + 1
        if spec and "{" in spec:
            raise FieldError
        if is_numbered and automatic:
            # Python refuses to go from one kind of numbering to the other.
            raise FieldError
        argument, suffix = _format_value(first, values)
        yield Field(argument, suffix + _accesses(rest), conversion, spec or None)


def _format_value(key: str, values: Values) -> tuple[Argument, str]:
    if not key.isdecimal():
        return _named(values, key)
    index = int(key)
    positional = [argument for argument in values.positional if argument.star != "**"]
    if index < len(positional) and not any(argument.star for argument in positional[: index + 1]):
        return positional[index], ""
    raise FieldError


def _accesses(text: str) -> str:
    result, end = "", 0
    while end < len(text):
        found = _ACCESS.match(text, end)
        if found is None:
            raise FieldError
        index = found["index"]
        result += f".{found['attribute']}" if index is None else f"[{index if index.isdecimal() else quote(index)}]"
        end = found.end()
    return result


# string.Template


def _dollar_fields(text: str, values: Values, *, is_safe: bool) -> Iterator[str | Field]:
    end = 0
    for found in _DOLLAR.finditer(text):
        yield text[end : found.start()]
        end = found.end()
        if found["invalid"] is not None and not is_safe:
            raise FieldError
        name = found["named"] or found["braced"]
        if found["escaped"]:
            yield "$"
        elif is_safe and not _has(values, name):
            yield found[0]
        else:
            argument, suffix = _named(values, name)
            yield Field(argument, suffix, None, None)
    yield text[end:]


def _has(values: Values, name: str | None) -> bool:
    """Say whether a value of this name is there; one that may be there counts."""
    return values.whole is not None or any(each.star or each.keyword == name for each in values.named)
