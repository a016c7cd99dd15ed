"""Texts that a call makes of another one: `%`, `.format` and their kin, `str`, translations, dedent, methods."""

from __future__ import annotations

import inspect
import textwrap
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

import libcst as cst

from extractor.facts import Argument, Filled, FillStyle, Hole, Template, Values
from extractor.formatting import FieldError, fields_of
from extractor.model import Form
from extractor.scan.joined_texts import joined_texts
from extractor.scan.known import Definition, Known
from extractor.scan.literals import string_value
from extractor.scan.surroundings import ArgumentOf, Surroundings
from extractor.scan.writer import dotted_name
from extractor.templates import Field, is_plain, join, merge, plain_text

# Functions that look a text up in a catalog of translations, with the place of the text among their arguments.
TRANSLATIONS = {
    **dict.fromkeys("_ __ _l _lazy N_ gettext gettext_lazy gettext_noop lazy_gettext lgettext".split(), (0,)),
    **dict.fromkeys("ugettext ugettext_lazy".split(), (0,)),
    **dict.fromkeys("ngettext ngettext_lazy ungettext lngettext _n".split(), (0, 1)),
    **dict.fromkeys("pgettext pgettext_lazy _p".split(), (1,)),
    **dict.fromkeys("npgettext npgettext_lazy".split(), (1, 2)),
}
_FOLDED: dict[str, Callable[[str], str]] = {"textwrap.dedent": textwrap.dedent, "inspect.cleandoc": inspect.cleandoc}
# Methods of `str` without arguments, by whether they look at no more than the ends of the text.
_ENDS = {"strip": str.strip, "lstrip": str.lstrip, "rstrip": str.rstrip}
_WHOLE = {
    "lower": str.lower,
    "upper": str.upper,
    "title": str.title,
    "capitalize": str.capitalize,
    "expandtabs": str.expandtabs,
}
# Stands for a placeholder where a text is folded by its white space: no source text has it.
_MARK = "\0"


def call_texts(node: cst.Call, around: Surroundings, argument_of: ArgumentOf) -> list[Template] | None:
    """Return the texts of a call, None where it is not one of a text."""
    function = node.func
    name = function.value if isinstance(function, cst.Name) else None
    if name in {"str", "repr", "len"}:
        return _builtin(name, node, around, argument_of)
    last = name or (function.attr.value if isinstance(function, cst.Attribute) else "")
    translated = TRANSLATIONS.get(last)
    if translated is not None and not (name is not None and _is_something_else(name, around)):
        return _translated(node, translated, around, argument_of)
    full = dotted_name(function)
    fold = _FOLDED.get(around.full_name(full) or "") if full is not None and len(node.args) == 1 else None
    if fold is not None:
        texts = argument_of(node.args[0].value, around).templates
        return [_folded(text, fold) for text in texts] if _are_texts(texts) else None
    if last == "join" and isinstance(function, cst.Attribute) and len(node.args) == 1:
        return joined_texts(node, function.value, around, argument_of)
    if full is not None and last == "cast" and len(node.args) == 2:
        is_cast = around.full_name(full) in {"typing.cast", "typing_extensions.cast"}
        return list(argument_of(node.args[1].value, around).templates) if is_cast else None
    filled = filled_texts(node, around, argument_of)
    if filled is not None or not isinstance(function, cst.Attribute) or node.args:
        return filled
    return _method(function, around, argument_of)


def filled_texts(node: cst.BaseExpression, around: Surroundings, argument_of: ArgumentOf) -> list[Template] | None:
    """Return the texts of a text that is filled with values."""
    filling = filling_of(node, around, argument_of)
    return _texts(filling, around) if filling is not None else None


def filling_of(node: cst.BaseExpression, around: Surroundings, argument_of: ArgumentOf) -> Filled | None:
    """Return what fills which text: `text % values`, `text.format(…)`, `Template(text).substitute(…)`."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Modulo):
        return _percent(node, around, argument_of)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    name, text = node.func.attr.value, node.func.value
    if name == "format":
        return Filled("format", argument_of(text, around), _call_values(node.args, around, argument_of))
    if name == "format_map" and len(node.args) == 1:
        return Filled("format", argument_of(text, around), _mapping(node.args, around, argument_of))
    if name not in {"substitute", "safe_substitute"}:
        return None
    values = _mapping(node.args, around, argument_of)
    style: FillStyle = "safe template" if name == "safe_substitute" else "template"
    if isinstance(text, cst.Call) and len(text.args) == 1:
        full = dotted_name(text.func)
        is_template = full is not None and around.full_name(full) == "string.Template"
        return Filled(style, argument_of(text.args[0].value, around), values) if is_template else None
    return Filled(style, argument_of(text, around), values)


def _call_values(arguments: Sequence[cst.Arg], around: Surroundings, argument_of: ArgumentOf) -> Values:
    given = [
        argument_of(each.value, around, each.keyword.value if each.keyword else None, each.star) for each in arguments
    ]
    return Values(
        tuple(each for each in given if each.keyword is None and each.star != "**"),
        tuple(each for each in given if each.keyword is not None or each.star == "**"),
    )


def _percent(node: cst.BinaryOperation, around: Surroundings, argument_of: ArgumentOf) -> Filled:
    right = node.right
    if isinstance(right, cst.Tuple):
        values = Values(
            tuple(
                argument_of(each.value, around, None, "*" if isinstance(each, cst.StarredElement) else "")
                for each in right.elements
            )
        )
    elif isinstance(right, cst.Dict):
        values = Values(named=_dict_values(right, around, argument_of))
    else:
        values = Values(whole=argument_of(right, around))
    return Filled("percent", argument_of(node.left, around), values)


def _dict_values(node: cst.Dict, around: Surroundings, argument_of: ArgumentOf) -> tuple[Argument, ...]:
    found: list[Argument] = []
    for element in node.elements:
        name = element.key if isinstance(element, cst.DictElement) else None
        key = string_value(name) if isinstance(name, cst.SimpleString) else None
        star = "" if isinstance(element, cst.DictElement) else "**"
        if key is not None or star:
            found.append(argument_of(element.value, around, key, star))
    return tuple(found)


def _builtin(name: str | None, node: cst.Call, around: Surroundings, argument_of: ArgumentOf) -> list[Template] | None:
    if name in around.values or name in around.shadowed:
        return None
    if len(node.args) != 1 or node.args[0].keyword is not None or node.args[0].star or name == "len":
        return None
    argument = argument_of(node.args[0].value, around)
    if name == "str":
        return [replace(template, is_text=True) for template in argument.templates]
    reason = argument.templates[0].reason or "expression"
    return [Template((replace(argument.hole, conversion="r"),), "none", True, reason=reason)]


def translated_texts(node: cst.Call, around: Surroundings, argument_of: ArgumentOf) -> tuple[Template, ...]:
    """Return the texts of a call of a function whose name says that it translates, none for other calls."""
    places = TRANSLATIONS.get(node.func.value) if isinstance(node.func, cst.Name) else None
    return tuple(_translated(node, places, around, argument_of) or ()) if places is not None else ()


def _is_something_else(name: str, around: Surroundings) -> bool:
    """Say whether a name that translations go by means something of this file: what it makes of a text is not known."""
    value = around.values.get(name)
    if isinstance(value, Definition):
        # `_ = catalog.gettext`, or whatever makes such a function.
        last = (dotted_name(value.value) or "").rpartition(".")[2]
        return last not in TRANSLATIONS and not isinstance(value.value, cst.Call)
    if value is Known.DECLARED:
        return around.full_name(name) is None
    # A function that is handed in by this name is one for translations, wherever it comes from.
    return name in around.shadowed if value is None else value is not Known.PARAMETER


def _translated(
    node: cst.Call, places: Sequence[int], around: Surroundings, argument_of: ArgumentOf
) -> list[Template] | None:
    if len(node.args) <= places[-1] or any(each.star or each.keyword is not None for each in node.args):
        return None
    texts = [text for place in places for text in argument_of(node.args[place].value, around).templates]
    # What a function does with its own parameter is looked at where it is called.
    handed = [text for text in texts if not (around.exported and text.reason == "parameter")]
    return texts if _are_texts(handed) else None


def _are_texts(templates: Iterable[Template]) -> bool:
    return all(template.is_text and template.reason is None for template in templates)


def _folded(template: Template, fold: Callable[[str], str]) -> Template:
    holes = [segment for segment in template.segments if isinstance(segment, Hole)]
    text = fold("".join(segment if isinstance(segment, str) else _MARK for segment in template.segments))
    first, *others = text.split(_MARK)
    parts: list[str | Hole] = [first]
    for hole, other in zip(holes, others, strict=True):
        parts += [hole, other]
    return replace(template, segments=merge(parts))


def _method(function: cst.Attribute, around: Surroundings, argument_of: ArgumentOf) -> list[Template] | None:
    name = function.attr.value
    if name not in _ENDS and name not in _WHOLE:
        return None
    texts = argument_of(function.value, around).templates
    if not _are_texts(texts):
        return None
    if name in _ENDS:
        # What a placeholder brings at an end may be stripped as well; it stands for what is left of that.
        return [_folded(text, _ENDS[name]) for text in texts]
    return [_folded(text, _WHOLE[name]) for text in texts] if all(map(is_plain, texts)) else None


def _mapping(arguments: Sequence[cst.Arg], around: Surroundings, argument_of: ArgumentOf) -> Values:
    """Return the values that a mapping and keywords give."""
    named: list[Argument] = []
    whole: Argument | None = None
    for each in arguments:
        if each.keyword is not None or each.star:
            named.append(argument_of(each.value, around, each.keyword.value if each.keyword else None, each.star))
        elif isinstance(each.value, cst.Dict):
            named = [*_dict_values(each.value, around, argument_of), *named]
        elif isinstance(each.value, cst.Call) and dotted_name(each.value.func) == "dict":
            inner = _mapping(each.value.args, around, argument_of)
            named, whole = [*inner.named, *named], inner.whole
        else:
            whole = argument_of(each.value, around)
    return Values(named=tuple(named), whole=whole)


def _texts(filling: Filled, around: Surroundings) -> list[Template] | None:
    """Return the filled texts, None where the text itself is not known here."""
    form: Form = "percent" if filling.style == "percent" else "format"
    if "template" in filling.style and not _is_template_text(filling):
        return None
    if not all(template.is_text and is_plain(template) for template in filling.text.templates):
        return None
    made: list[Template] = []
    for template in filling.text.templates:
        try:
            fields = fields_of(filling.style, plain_text(template), filling.values)
        except FieldError:
            return None
        shown = Counter(each.argument.hole.expression for each in fields if isinstance(each, Field))
        texts = join([_field_texts(each, shown, around) for each in fields], form, around.stable())
        if texts is None and not around.exported:
            # Too many at once: the names say as much.
            texts = join([_placeholder(each) for each in fields], form, around.stable())
        if texts is None:
            return None
        made += (
            replace(
                text,
                via=template.via,
                guards=(*template.guards, *text.guards),
                tests=(*template.tests, *text.tests),
            )
            for text in texts
        )
    return made


def _is_template_text(filling: Filled) -> bool:
    # The text of a `Template` that has a name is known to link alone; a text of that name has no such methods.
    return filling.text.hole.pieces[0][:1] in {"'", '"', "f"}


def _field_texts(each: str | Field, shown: Mapping[str, int], around: Surroundings) -> Sequence[Template]:
    if isinstance(each, str):
        return _placeholder(each)
    has_parts = any(template.parts for template in each.argument.templates)
    is_choice = each.is_choice(is_repeated=shown[each.argument.hole.expression] > 1)
    return each.choices() if around.exported or has_parts or is_choice else _placeholder(each)


def _placeholder(each: str | Field) -> Sequence[Template]:
    if isinstance(each, str):
        return [Template((each,), "literal", is_text=True)] if each else []
    return [each.placeholder()]
