"""The fields of `%` and `str.format` templates, each with the expression that fills it.

Formats as in the Python library reference: "printf-style String Formatting" and "Format String Syntax".
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from string import Formatter

import libcst as cst

from extractor.quoting import quote
from extractor.scan.literals import string_value

_PERCENT = re.compile(
    r"%(?:\((?P<key>[^()]*)\))?(?P<spec>[#0\- +]*(?:\*|\d+)?(?:\.(?:\*|\d+)?)?)[hlL]?(?P<type>.)", re.DOTALL
)
_PERCENT_TYPES = frozenset("diouxXeEfFgGcrsa")
_ACCESS = re.compile(r"\.(?P<attribute>\w+)|\[(?P<index>[^\]]+)\]")


class FieldError(ValueError):
    """The template does not fit its arguments, or not in a way that can be known before it runs."""


@dataclass(frozen=True, slots=True)
class Field:
    """A replacement field: the expression that fills it, followed by `suffix` as source text."""

    node: cst.BaseExpression
    suffix: str
    conversion: str | None
    spec: str | None


def percent_fields(text: str, values: cst.BaseExpression) -> list[str | Field]:
    """Return literal texts and fields of `text % values`.

    Raises:
        FieldError: The template is malformed or has another number of fields than there are values.

    """
    fields: list[str | Field] = []
    supply = _PercentValues(values, count=_percent_count(text))
    end = 0
    for found in _PERCENT.finditer(text):
        fields.append(text[end : found.start()])
        end = found.end()
        fields.append("%" if found["type"] == "%" else _percent_field(found, supply))
    fields.append(text[end:])
    if "%" in "".join(text[match_end:start] for match_end, start in _gaps(text)) or not supply.is_used_up():
        raise FieldError
    return fields


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
    node, suffix = supply.take(found["key"])
    conversion = kind if kind in "ra" else None
    return Field(node, suffix, conversion, (spec if kind in "ras" else spec + kind) or None)


class _PercentValues:
    """Hands out the right side of `%` value by value."""

    def __init__(self, values: cst.BaseExpression, *, count: int) -> None:
        self._values, self._count, self._taken, self._keyed = values, count, 0, False

    def take(self, key: str | None) -> tuple[cst.BaseExpression, str]:
        if key is not None:
            self._keyed = True
            return _item(self._values, key)
        index, self._taken = self._taken, self._taken + 1
        if isinstance(self._values, cst.Tuple):
            elements = self._values.elements
            if index >= len(elements) or any(isinstance(each, cst.StarredElement) for each in elements):
                raise FieldError
            return elements[index].value, ""
        # One field takes the value itself; several can only be filled from a tuple.
        return (self._values, "") if self._count == 1 else (_indexable(self._values), f"[{index}]")

    def is_used_up(self) -> bool:
        if self._keyed:
            return self._taken == 0
        expected = len(self._values.elements) if isinstance(self._values, cst.Tuple) else None
        return expected is None or expected == self._taken


def _item(values: cst.BaseExpression, key: str) -> tuple[cst.BaseExpression, str]:
    if not isinstance(values, cst.Dict):
        return _indexable(values), f"[{quote(key)}]"
    # The last one of a key wins, and what `**` brings in behind it is not known.
    for element in reversed(values.elements):
        if isinstance(element, cst.StarredDictElement):
            break
        known = element.key if isinstance(element, cst.DictElement) else None
        if isinstance(known, cst.SimpleString) and string_value(known) == key:
            return element.value, ""
    raise FieldError


def _indexable(node: cst.BaseExpression) -> cst.BaseExpression:
    if isinstance(node, (cst.Name, cst.Attribute, cst.Call, cst.Subscript)):
        return node
    raise FieldError


def format_fields(text: str, arguments: Sequence[cst.Arg]) -> list[str | Field]:
    """Return literal texts and fields of `text.format(*arguments)`.

    Raises:
        FieldError: The template is malformed or names an argument that is not there.

    """
    fields: list[str | Field] = []
    automatic, is_numbered = 0, False
    try:
        parsed = list(Formatter().parse(text))
    except ValueError as error:
        raise FieldError from error
    for literal, name, spec, conversion in parsed:
        fields.append(literal)
        if name is None:
            continue
        first = re.split(r"[.\[]", name, maxsplit=1)[0]
        is_numbered |= first.isdecimal()
        if not first:
            first, automatic = str(automatic), automatic + 1
            name = first + name
        if spec and "{" in spec:
            raise FieldError
        if is_numbered and automatic:
            # Python refuses to go from one kind of numbering to the other.
            raise FieldError
        node = _argument(first, arguments)
        fields.append(Field(node, _accesses(name[len(first) :]), conversion, spec or None))
    return fields


def _argument(key: str, arguments: Sequence[cst.Arg]) -> cst.BaseExpression:
    if key.isdecimal():
        positional = [argument for argument in arguments if argument.keyword is None and argument.star != "**"]
        index = int(key)
        if index < len(positional) and not any(argument.star for argument in positional[: index + 1]):
            return positional[index].value
        raise FieldError
    for argument in arguments:
        if argument.keyword is not None and argument.keyword.value == key:
            return argument.value
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
