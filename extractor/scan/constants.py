"""Constants of modules and classes: names that are assigned once, with the texts, exceptions or table they hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import libcst as cst

from extractor.facts import Constant, Construction
from extractor.scan.construction import raised_by
from extractor.scan.known import Flow
from extractor.scan.locate import looks_like_exception
from extractor.scan.lookups import entries_of
from extractor.scan.message import argument_of
from extractor.scan.scopes import Scopes
from extractor.scan.surroundings import Surroundings, looked_up_name
from extractor.scan.writer import dotted_name

_TABLES = (cst.Dict, cst.List, cst.Tuple)
_TEXTS = (
    cst.SimpleString, cst.ConcatenatedString, cst.FormattedString, cst.BinaryOperation, cst.IfExp, cst.Subscript,
)  # fmt: skip
# Of a call these make a text, or keep one for later.
_TEXT_CALLS = frozenset(
    "_ __ _l _lazy N_ Template cleandoc dedent format gettext gettext_lazy gettext_noop join lazy_gettext lower lstrip "
    "ngettext pgettext rstrip str strip ugettext ugettext_lazy upper".split()
)
_FIRST = 4
_MAYBE_TEXTS = (*_TEXTS, cst.Call, cst.Name, cst.Attribute)
_VALUES = frozenset({"None", "True", "False"})


class Constants:
    """What the names of one file hold, by scope."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._found: dict[str, dict[str, Constant | None]] = {}

    def assigned(
        self,
        targets: Sequence[cst.BaseExpression],
        value: cst.BaseExpression | None,
        around: Callable[[Flow], Surroundings],
        flow: Flow,
        *,
        is_field: bool,
    ) -> None:
        """Note an assignment outside of functions; a second one leaves a name unknown but for one in another branch."""
        scope = self._found.setdefault(self._scopes.current, {})
        for target in targets:
            name = dotted_name(target)
            if name is not None and value is not None and self._scopes.is_chosen(name):
                scope[name] = _or_else(scope.get(name), self._constant(value, lambda: around(flow)))
            elif isinstance(target, cst.Name) and target.value not in scope and len(targets) == 1 and value is not None:
                is_always = all(each.passed or each.guard.kind == "early_exit" for each in flow.conditions)
                is_plain = is_always and not self._scopes.is_changed_elsewhere(target.value)
                found = self._constant(value, lambda: around(flow)) if is_plain else None
                is_field = is_field and self._scopes.current != ""
                scope[target.value] = replace(found, is_field=is_field) if found is not None else None
            elif name is not None:
                scope[name.partition(".")[0]] = None

    def _constant(self, node: cst.BaseExpression, around: Callable[[], Surroundings]) -> Constant | None:
        if isinstance(node, _TABLES):
            entries = entries_of(node, around(), argument_of) if _holds_texts(node) else None
            # A table may be changed by anybody; what a function looks up in it is another matter.
            held = replace(around(), steps=1)
            return Constant(argument_of(node, held), entries=entries) if entries else None
        if isinstance(node, cst.Call):
            makes: tuple[Construction, ...] = ()
            name = looked_up_name(node.func)
            if name is not None and looks_like_exception(name.encode()):
                makes = raised_by(node, around(), self._scopes.lookup()).constructions
            is_text = name is None or name.rpartition(".")[2] in _TEXT_CALLS
            return Constant(argument_of(node, around()), makes) if makes or is_text else None
        # Of `None` and numbers of a module nobody expects that they stay.
        is_value = isinstance(node, cst.Integer) or (isinstance(node, cst.Name) and node.value in _VALUES)
        is_kept = isinstance(node, _TEXTS) or (self._scopes.current != "" and is_value)
        return Constant(argument_of(node, around())) if is_kept else None

    def found(self) -> dict[str, dict[str, Constant]]:
        """Return the constants by scope and name, sorted."""
        kept = {
            scope: {name: constant for name, constant in sorted(names.items()) if constant is not None}
            for scope, names in sorted(self._found.items())
        }
        return {scope: names for scope, names in kept.items() if names}


def _or_else(first: Constant | None, other: Constant | None) -> Constant | None:
    """Return a constant that holds what another branch gives it, if not what the first one does."""
    if first is None or other is None:
        return first or other
    templates = (*first.value.templates, *other.value.templates)
    return replace(first, value=replace(first.value, templates=tuple(dict.fromkeys(templates))))


def _holds_texts(node: cst.Dict | cst.List | cst.Tuple) -> bool:
    """Say whether a table may hold texts, going by its first values."""
    values = (getattr(element, "value", None) for element in node.elements[:_FIRST])
    return any(isinstance(value, _MAYBE_TEXTS) for value in values)
