"""What an exception says: the text of `str(exception)` from its class and the arguments it is made with.

Built-in behaviour as CPython has it: `BaseException.__str__`, and the classes with a text of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product

from extractor.facts import BASE_TEXT, Argument, Hole, Initializer, Template, merge
from extractor.link.calls import UnknownCallError, bind, handed_on
from extractor.link.hierarchy import Hierarchy
from extractor.link.standard import has_own_text
from extractor.model import Form, Guard
from extractor.quoting import represent

_MESSAGE_KEYWORDS = (
    "message",
    "msg",
    "detail",
    "details",
    "reason",
    "description",
    "text",
    "error",
    "errmsg",
    "err_msg",
)
_MOST_TEXTS = 16
_PLAIN, _QUOTED = "plain", "quoted"
# The built-in classes with a `__str__` of their own; the first of them in the order of method resolution speaks.
_OF_SEVERAL_PARTS = frozenset(
    f"builtins.{name}" for name in ("SyntaxError", "UnicodeDecodeError", "UnicodeEncodeError", "UnicodeTranslateError")
)
_SPEAKERS = _OF_SEVERAL_PARTS | frozenset(
    f"builtins.{name}"
    for name in ("AttributeError", "BaseExceptionGroup", "ImportError", "KeyError", "NameError", "OSError")
)


# Attributes of an exception by name, each with what it was set to.
Attributes = Mapping[str, Argument]


@dataclass(frozen=True, slots=True)
class Spoken:
    """One text of an exception: what to show, and how `str()` dresses it.

    `dress` is "plain", "quoted" (`repr` of the text, as KeyError does) or "group" (an ExceptionGroup's count behind
    it); None where it is not known what `str()` gives. `reason` is set where the text is not known. `inner` is what the
    text was before a `__str__` of the tree put something around it.
    """

    segments: tuple[str | Hole, ...] | None
    form: Form
    via: str | None
    guards: tuple[Guard, ...]
    dress: str | None
    reason: str | None = None
    inner: tuple[str | Hole, ...] | None = None

    @property
    def own_segments(self) -> tuple[str | Hole, ...] | None:
        """What the raise statement itself says."""
        return self.segments if self.inner is None else self.inner


@dataclass(slots=True)
class Speech:
    """Finds texts over the classes of a tree. `thorough` collects files whose classes must be read in more detail."""

    hierarchy: Hierarchy
    thorough: set[str] = field(default_factory=set)

    def spoken(self, name: str, arguments: tuple[Argument, ...] | None) -> tuple[Spoken, ...]:
        """Return every text of an exception of this class (a qualified name) made with these arguments."""
        try:
            passed, via, attributes = self._passed(name, arguments or ())
        except UnknownCallError as error:
            return (_unknown(error.reason),)
        order = self.hierarchy.order(name)
        speaker = next((each for each in order if each in _SPEAKERS or has_own_text(each)), "builtins.BaseException")
        if has_own_text(speaker):
            texts = [replace(text, dress=None, reason="external class") for text in _external_text(passed)]
        elif speaker == "builtins.BaseException" and any(each in self.hierarchy.incomplete for each in order):
            texts = _external_text(passed)
        elif speaker == "builtins.BaseExceptionGroup":
            # Made by `__new__`, so no `__init__` has a say.
            texts = _builtin_text(speaker, arguments or ())
        else:
            texts = _builtin_text(speaker, passed)
        texts = [replace(text, via=via or text.via) for text in texts]
        return tuple(self._rephrased(texts, order, attributes))

    def _passed(
        self, name: str, arguments: tuple[Argument, ...]
    ) -> tuple[tuple[Argument, ...], str | None, Attributes]:
        """Follow the arguments through the initializers of the tree's classes to the first class outside.

        Returns:
            What gets there, the class whose initializer was read first, and the attributes that were set on the way.

        """
        via: str | None = None
        attributes: dict[str, Argument] = {}
        skipped_to: str | None = None
        for each in self.hierarchy.order(name):
            known = self.hierarchy.tree_classes.get(each)
            if known is None:
                break
            if skipped_to not in (None, each):
                continue
            if not known.fact.detailed:
                self.thorough.add(known.path)
            if known.fact.has_new:
                raise UnknownCallError("constructor")
            initializer = known.fact.initializer
            if initializer is None:
                continue
            if initializer.super_arguments is not None:
                via = via or each.rpartition(".")[2]
            if initializer.super_arguments is None and self.hierarchy.is_subclass(each, "builtins.OSError"):
                # OSError leaves its arguments to an `__init__` below it.
                raise UnknownCallError("constructor")
            attributes = {**_attributes(initializer, arguments), **attributes}
            arguments = _handed_on(initializer, arguments)
            if initializer.base is not None:
                skipped_to = self.hierarchy.add(self.hierarchy.names.resolve(known.path, initializer.base))
            if initializer.super_arguments is None:
                # Without `super().__init__` the base classes' initializers do not run.
                break
        return arguments, via, attributes

    def _rephrased(self, texts: list[Spoken], order: Sequence[str], attributes: Attributes) -> list[Spoken]:
        """Put the texts through the `__str__` of the tree's classes, as far up as each calls the one of its base."""
        methods: list[tuple[str, tuple[Template, ...]]] = []
        for name in order:
            known = self.hierarchy.tree_classes.get(name)
            if name == "builtins.BaseException" or name in _SPEAKERS:
                # Mix-ins behind the built-in class are not asked.
                break
            if known is None or not known.fact.has_str:
                continue
            if known.fact.texts is None:
                return [_unknown("custom __str__")]
            methods.append((name.rpartition(".")[2], known.fact.texts))
            if not any(map(_has_base_text, known.fact.texts)):
                texts = [Spoken((), "none", None, (), _PLAIN)]
                break
        if not methods:
            return texts
        for via, templates in reversed(methods):
            possible = [template for template in templates if _is_possible(template, attributes)] or templates
            texts = [_said(template, base, via, attributes) for template in possible for base in texts]
        # With one text unknown, none of the others is sure.
        if len(texts) > _MOST_TEXTS or any(text.segments is None for text in texts):
            return [_unknown("custom __str__")]
        # What the raise statement says comes before what the class makes of it.
        return sorted(texts, key=lambda text: (text.segments != text.own_segments, len(text.segments or ())))


def _has_base_text(template: Template) -> bool:
    return any(isinstance(segment, Hole) and segment.expression == BASE_TEXT for segment in template.segments)


def _is_possible(template: Template, attributes: Attributes) -> bool:
    """Say whether a `__str__` can return this, as far as it depends on an attribute that is known to be None.

    Its other conditions are in terms of the class, which mean nothing where it is raised.
    """
    unset = {name for name, argument in attributes.items() if argument.hole.expression == "None"}
    outcomes = {
        text: holds
        for name in unset
        for text, holds in (
            (f"self.{name}", False),
            (f"not self.{name}", True),
            (f"self.{name} is None", True),
            (f"self.{name} is not None", False),
        )
    }
    return all(outcomes.get(guard.text, guard.holds) == guard.holds for guard in template.guards)


def _attributes(initializer: Initializer, arguments: tuple[Argument, ...]) -> Attributes:
    """Return the attributes that an `__init__` sets, in terms of the call; none where it cannot be followed."""
    try:
        bound = bind(initializer.parameters, arguments)
    except UnknownCallError:
        return {}
    found: dict[str, Argument] = {}
    for attribute in initializer.attributes:
        try:
            (found[attribute.keyword or ""],) = handed_on([attribute], bound)
        except UnknownCallError:
            continue
    return found


def _said(template: Template, base: Spoken, via: str, attributes: Attributes) -> Spoken:
    """Return what one return of a `__str__` gives for an exception whose base class says `base`."""
    segments: list[str | Hole] = []
    for segment in template.segments:
        if not isinstance(segment, Hole):
            segments.append(segment)
        elif segment.expression == BASE_TEXT and segment.conversion is None and segment.format_spec is None:
            if base.segments is None or base.dress != _PLAIN:
                return _unknown(base.reason or "custom __str__")
            segments += base.segments
        else:
            segments += _attribute_text(segment, attributes)
    whole = merge(segments)
    if whole == base.segments:
        return base
    if not any(isinstance(segment, str) for segment in whole):
        return _unknown("custom __str__")
    inner = base.own_segments if _has_base_text(template) else None
    return Spoken(whole, "class-message", via, base.guards, _PLAIN, base.reason if base.segments else None, inner)


def _attribute_text(hole: Hole, attributes: Attributes) -> tuple[str | Hole, ...]:
    """Return what an attribute of `self` was set to; anything else stays as the class has it."""
    is_own = len(hole.pieces) == 3 and hole.pieces[0] == "" and hole.pieces[2].startswith(".")
    known = attributes.get(hole.pieces[2][1:]) if is_own else None
    if known is None or len(known.templates) != 1:
        return (hole,)
    if hole.conversion is None and hole.format_spec is None:
        return known.templates[0].segments
    return (replace(known.hole, conversion=hole.conversion, format_spec=hole.format_spec),)


def _builtin_text(speaker: str, arguments: tuple[Argument, ...]) -> list[Spoken]:
    if any(argument.star == "*" for argument in arguments):
        return [_unknown("starred arguments")]
    positional = [argument for argument in arguments if argument.keyword is None and not argument.star]
    if speaker == "builtins.BaseExceptionGroup" and len(positional) == 2:
        return _single(positional[0], "group")
    if speaker == "builtins.KeyError" and len(positional) == 1:
        return _single(positional[0], _QUOTED)
    if speaker == "builtins.OSError" and 2 <= len(positional) <= 5:
        return _system_error(positional)
    if speaker == "builtins.SyntaxError" and not positional:
        return [Spoken(("None",), "none", None, (), _PLAIN)]
    if len(positional) > 1 and speaker in _OF_SEVERAL_PARTS:
        return [_unknown("constructor")]
    if len(positional) == 1:
        return _single(positional[0], _PLAIN)
    return _tuple_text(positional) if positional else [Spoken((), "none", None, (), _PLAIN)]


def _unknown(reason: str) -> Spoken:
    return Spoken(None, "none", None, (), None, reason)


def _handed_on(initializer: Initializer, arguments: tuple[Argument, ...]) -> tuple[Argument, ...]:
    """Return what an `__init__` hands to the next one."""
    if initializer.reason is not None:
        raise UnknownCallError(initializer.reason)
    if initializer.super_arguments is None:
        return tuple(argument for argument in arguments if argument.keyword is None)
    return handed_on(initializer.super_arguments, bind(initializer.parameters, arguments))


def _single(argument: Argument, dress: str) -> list[Spoken]:
    return [_from_template(template, dress) for template in argument.templates]


def _from_template(template: Template, dress: str | None) -> Spoken:
    segments, reason = template.segments, template.reason
    if dress == _QUOTED and not template.is_text:
        # `str(KeyError(key))` is `repr(key)`, whatever the key is: that is the whole text.
        quoted = tuple(replace(each, conversion="r") if isinstance(each, Hole) else each for each in segments)
        return Spoken(quoted, template.form, template.via, template.guards, _PLAIN)
    return Spoken(segments, template.form, template.via, template.guards, dress, reason)


def _external_text(arguments: tuple[Argument, ...]) -> list[Spoken]:
    """Guess the text of a class that is not known: one argument is mostly shown as it is."""
    if any(argument.star for argument in arguments):
        return [_unknown("starred arguments")]
    if not arguments:
        return [_unknown("external class")]
    if len(arguments) == 1 and arguments[0].keyword is None:
        return _single(arguments[0], _PLAIN)
    told = _told(arguments)
    if told is None:
        return [_unknown("external class")]
    return [replace(each, dress=None, reason="external class") for each in _single(told, _PLAIN)]


def _told(arguments: Sequence[Argument]) -> Argument | None:
    """Return the argument that most likely holds the text."""
    named = {argument.keyword: argument for argument in arguments if argument.keyword is not None}
    for keyword in _MESSAGE_KEYWORDS:
        if keyword in named:
            return named[keyword]
    texts = [each for each in arguments if each.keyword is None and all(one.is_text for one in each.templates)]
    return texts[0] if len(texts) == 1 else None


def _combined(choices: Iterable[Sequence[Template]], build: list[str | int]) -> list[Spoken]:
    texts: list[Spoken] = []
    for chosen in product(*choices):
        parts: list[str | Hole] = []
        for item in build:
            parts += (item,) if isinstance(item, str) else chosen[item].segments
        guards = tuple(dict.fromkeys(guard for template in chosen for guard in template.guards))
        texts.append(Spoken(merge(parts), chosen[0].form, None, guards, _PLAIN))
    return texts if len(texts) <= _MOST_TEXTS else [_unknown("expression")]


def _system_error(arguments: Sequence[Argument]) -> list[Spoken]:
    # `[Errno 2] No such file: 'name' -> 'other'`; the fourth argument is Windows' own code.
    shown = [arguments[0].templates, arguments[1].templates]
    build: list[str | int] = ["[Errno ", 0, "] ", 1]
    for position, before in ((2, ": "), (4, " -> ")):
        if position < len(arguments) and arguments[position].hole.expression != "None":
            build += [before, len(shown)]
            shown.append(tuple(_represented(each, arguments[position]) for each in arguments[position].templates))
    texts = _combined(shown, build)
    # Without a name there is nothing behind the text, and a name may well be None.
    return [replace(text, dress="file") for text in texts] if len(shown) > 2 else texts


def _tuple_text(arguments: Sequence[Argument]) -> list[Spoken]:
    build: list[str | int] = ["("]
    for index in range(len(arguments)):
        build += [", ", index] if index else [index]
    shown = [[_represented(template, argument) for template in argument.templates] for argument in arguments]
    return _combined(shown, [*build, ")"])


def _represented(template: Template, argument: Argument) -> Template:
    """Return the template of `repr()` of an argument."""
    segments = template.segments
    if all(isinstance(segment, str) for segment in segments):
        text = "".join(str(segment) for segment in segments)
        return replace(template, segments=(represent(text) if template.is_text else text,))
    return replace(template, segments=(replace(argument.hole, conversion="r"),))
