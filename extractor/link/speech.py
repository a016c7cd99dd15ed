"""What an exception says: the text of `str(exception)` from its class and the arguments it is made with.

Built-in behaviour as CPython has it: `BaseException.__str__`, and the classes with a text of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence, Set
from dataclasses import dataclass, replace
from itertools import product

from extractor.facts import ANY, Argument, Hole, Template
from extractor.link.calls import UnknownCallError
from extractor.link.evaluation import Evaluation
from extractor.link.frames import Frame, Own, Target
from extractor.link.hierarchy import Hierarchy
from extractor.link.instances import Instance, Instances
from extractor.link.members import Member
from extractor.link.standard import has_own_text
from extractor.link.wording import Quoted, quoted_shape
from extractor.model import Form, Guard
from extractor.quoting import represent
from extractor.templates import merge

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

# The attributes that built-in classes show instead of their arguments, and those that none shows.
_READ = {
    "builtins.ImportError": frozenset({"msg"}),
    "builtins.OSError": frozenset({"errno", "filename", "filename2", "strerror", "winerror"}),
}
_NOT_SHOWN = frozenset({"__cause__", "__context__", "__notes__", "__suppress_context__", "__traceback__"})


@dataclass(frozen=True, slots=True)
class Spoken:
    """One text of an exception: what to show, and how `str()` dresses it.

    `dress` is "plain", "quoted" (`repr` of the text, as KeyError does), "perhaps quoted", "group" (an ExceptionGroup's
    count behind it), "file" (an OSError's file name) or "located" (a SyntaxError's place); None where it is not known
    what `str()` gives.
    `reason` is set where the text is not known. `inner` is what the text was before a `__str__` of the tree put
    something around it. `parts` are those of the template. `shape` is set where a part of the text is shown as its
    `repr`, which the pattern must allow for.
    """

    segments: tuple[str | Hole, ...] | None
    form: Form
    via: str | None
    guards: tuple[Guard, ...]
    dress: str | None
    reason: str | None = None
    inner: tuple[str | Hole, ...] | None = None
    parts: tuple[Template, ...] = ()
    shape: tuple[str | Hole | Quoted, ...] | None = None

    @property
    def own_segments(self) -> tuple[str | Hole, ...] | None:
        """What the raise statement itself says."""
        return self.segments if self.inner is None else self.inner


@dataclass(slots=True)
class Speech:
    """Finds texts over the classes of a tree."""

    hierarchy: Hierarchy
    evaluation: Evaluation
    instances: Instances

    def spoken(self, name: str, arguments: tuple[Argument, ...], changed: Set[str] = frozenset()) -> tuple[Spoken, ...]:
        """Return every text of an exception of this class (a qualified name) made with these arguments.

        `changed` are attributes that are set later, see `facts.Construction`.
        """
        if changed and self._shows(name, changed - _NOT_SHOWN):
            return (_unknown("variable"),)
        try:
            made = [_changed(instance, changed) for instance in self.instances.made(name, arguments)]
        except UnknownCallError as error:
            return (_unknown(error.reason),)
        texts = [text for instance in made for text in self._said(name, instance, arguments)]
        if len(texts) > _MOST_TEXTS:
            return (_unknown("custom __str__"),)
        return tuple(dict.fromkeys(texts))

    def _shows(self, name: str, changed: Set[str]) -> bool:
        """Say whether the text of an exception is made by a built-in class of one of these attributes."""
        speaker = self._speaker(name)
        is_open = speaker in _OF_SEVERAL_PARTS or has_own_text(speaker)
        return not changed.isdisjoint(_READ.get(speaker, frozenset()) | {"args"}) or (is_open and bool(changed))

    def _speaker(self, name: str) -> str:
        order = self.hierarchy.order(name)
        return next((each for each in order if each in _SPEAKERS or has_own_text(each)), "builtins.BaseException")

    def _said(self, name: str, instance: Instance, arguments: tuple[Argument, ...]) -> list[Spoken]:
        order, speaker = self.hierarchy.order(name), self._speaker(name)
        passed = instance.arguments
        if has_own_text(speaker):
            texts = [replace(text, dress=None, reason="external class") for text in _external_text(passed)]
        elif speaker == "builtins.BaseException" and any(each in self.hierarchy.incomplete for each in order):
            texts = _external_text(passed)
        elif speaker == "builtins.BaseExceptionGroup":
            # Made by `__new__`, so no `__init__` has a say.
            texts = _builtin_text(speaker, arguments)
        else:
            texts = _builtin_text(speaker, passed)
        texts = [replace(text, via=instance.via or text.via) for text in texts]
        return self._rephrased(name, instance, texts)

    def _rephrased(self, name: str, instance: Instance, texts: list[Spoken]) -> list[Spoken]:
        """Put the texts through the `__str__` of the tree's classes, where one stands before that of the builtins."""
        members = self.evaluation.members
        if members.is_patched(name, ("__str__",)):
            return [_unknown("custom __str__")]
        method = self._text_method(name)
        if method is None:
            return texts
        if method.function is None or self.hierarchy.is_redefined(name):
            return [_unknown("custom __str__")]
        base = tuple(map(_as_template, texts)) if all(text.dress == _PLAIN for text in texts) else None
        own = Own(name, exact=True, attributes=instance.attributes, args=instance.arguments, text=base)
        frame = Frame(method.path, {}, own, form="class-message")
        fact = self.evaluation.functions.function(method.path, method.function)
        if fact is None or fact.texts is None:
            return [_unknown("custom __str__")]
        target = Target(method.path, fact, own, method.owner)
        try:
            said = self.evaluation.told(target, frame)
        except UnknownCallError:
            said = ()
        # Where only the class knows all of a text, nothing is said of it.
        if len(said) > _MOST_TEXTS or all(text.reason == "constructor" for text in said):
            return [_unknown("custom __str__")]
        via = method.owner.rpartition(".")[2]
        spoken = [_as_spoken(text, texts, via) for text in said]
        # What the raise statement says comes before what the class makes of it.
        plain = {text.segments for text in texts}
        return sorted(spoken, key=lambda text: text.segments not in plain)

    def _text_method(self, name: str) -> Member | None:
        """Return the `__str__` that speaks, None where it is that of a built-in class."""
        method = self.evaluation.members.find(name, "__str__")
        if method is None:
            return None
        order = self.hierarchy.order(name)
        # Mix-ins behind the built-in class are not asked.
        builtin = (index for index, each in enumerate(order) if each == "builtins.BaseException" or each in _SPEAKERS)
        return method if order.index(method.owner) < next(builtin, len(order)) else None


def _changed(instance: Instance, changed: Set[str]) -> Instance:
    """Return an exception of which no more is known than that these attributes were set."""
    names = {*changed, *(instance.attributes if ANY in changed else ())} - {ANY}
    set_later = {name: _value_of(Hole((f"self.{name}",))) for name in names}
    return replace(instance, attributes={**instance.attributes, **set_later}) if names else instance


def _value_of(hole: Hole) -> Argument:
    return Argument(None, "", hole, (Template((hole,), "none", is_text=False, reason="variable"),))


def _as_template(text: Spoken) -> Template:
    segments = text.segments or ()
    reason = text.reason or ("call" if text.segments is None else None)
    return Template(segments, text.form, is_text=True, via=text.via, guards=text.guards, reason=reason)


def _as_spoken(text: Template, base: Sequence[Spoken], via: str) -> Spoken:
    """Return what a `__str__` gives; where that is what it would be without one, the text keeps its own way."""
    for each in base:
        if each.segments == text.segments:
            return replace(each, dress=_PLAIN)
    inside = next((each.own_segments for each in base if _holds(text.segments, each.own_segments or ())), None)
    reason = "custom __str__" if text.reason == "constructor" else text.reason
    return Spoken(text.segments, "class-message", via, text.guards, _PLAIN, reason, inside)


def _holds(whole: Sequence[str | Hole], part: Sequence[str | Hole]) -> bool:
    """Say whether a text holds another one."""
    if not part:
        return False
    shown = [
        "".join(each if isinstance(each, str) else f"\0{each.expression}\0" for each in parts)
        for parts in (whole, part)
    ]
    return shown[1] in shown[0]


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
    if speaker == "builtins.SyntaxError" and len(positional) == 2:
        return _single(positional[0], "located")
    if len(positional) > 1 and speaker in _OF_SEVERAL_PARTS:
        return [_unknown("constructor")]
    if len(positional) == 1:
        return _single(positional[0], _PLAIN)
    return _tuple_text(positional) if positional else [Spoken((), "none", None, (), _PLAIN)]


def _unknown(reason: str) -> Spoken:
    return Spoken(None, "none", None, (), None, reason)


def _single(argument: Argument, dress: str) -> list[Spoken]:
    return [_from_template(template, dress) for template in argument.templates]


def _from_template(template: Template, dress: str | None) -> Spoken:
    segments, reason = template.segments, template.reason
    if dress == _QUOTED and not template.is_text:
        # `str(KeyError(key))` is `repr(key)`, whatever the key is: that is the whole text.
        quoted = tuple(replace(each, conversion="r") if isinstance(each, Hole) else each for each in segments)
        return Spoken(quoted, template.form, template.via, template.guards, _PLAIN)
    return Spoken(segments, template.form, template.via, template.guards, dress, reason, parts=template.parts)


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


@dataclass(frozen=True, slots=True)
class _Shown:
    """A text as it stands in a larger one, with its `repr` or without."""

    template: Template
    is_quoted: bool = False


def _combined(choices: Iterable[Sequence[_Shown]], build: list[str | int]) -> list[Spoken]:
    texts = [_one_of_parts(chosen, build) for chosen in product(*choices)]
    return texts if len(texts) <= _MOST_TEXTS else [_unknown("expression")]


def _one_of_parts(chosen: Sequence[_Shown], build: list[str | int]) -> Spoken:
    parts: list[str | Hole] = []
    shape: list[str | Hole | Quoted] = []
    for item in build:
        shown = _Shown(Template((item,), "literal", is_text=True)) if isinstance(item, str) else chosen[item]
        parts += shown.template.segments
        shape += quoted_shape(shown.template.segments) if shown.is_quoted else shown.template.segments
    guards = tuple(dict.fromkeys(guard for each in chosen for guard in each.template.guards))
    has_quotes = any(isinstance(each, Quoted) for each in shape)
    form = chosen[0].template.form
    return Spoken(merge(parts), form, None, guards, _PLAIN, shape=tuple(shape) if has_quotes else None)


def _system_error(arguments: Sequence[Argument]) -> list[Spoken]:
    # `[Errno 2] No such file: 'name' -> 'other'`; the fourth argument is Windows' own code.
    shown = [[_Shown(each) for each in argument.templates] for argument in arguments[:2]]
    build: list[str | int] = ["[Errno ", 0, "] ", 1]
    for position, before in ((2, ": "), (4, " -> ")):
        if position < len(arguments) and arguments[position].hole.expression != "None":
            build += [before, len(shown)]
            shown.append([_file_name(each, arguments[position]) for each in arguments[position].templates])
    texts = _combined(shown, build)
    # Without a name there is nothing behind the text, and a name may well be None.
    return [replace(text, dress="file") for text in texts] if len(shown) > 2 else texts


def _file_name(template: Template, argument: Argument) -> _Shown:
    shown = _represented(template, argument)
    if not shown.is_quoted:
        return shown
    # The pattern ends where a name begins that is not known.
    return _Shown(replace(template, segments=(replace(argument.hole, conversion="r"),)))


def _tuple_text(arguments: Sequence[Argument]) -> list[Spoken]:
    build: list[str | int] = ["("]
    for index in range(len(arguments)):
        build += [", ", index] if index else [index]
    shown = [[_represented(template, argument) for template in argument.templates] for argument in arguments]
    return _combined(shown, [*build, ")"])


def _represented(template: Template, argument: Argument) -> _Shown:
    """Return the template of `repr()` of an argument."""
    segments = template.segments
    if all(isinstance(segment, str) for segment in segments):
        text = "".join(str(segment) for segment in segments)
        return _Shown(replace(template, segments=(represent(text) if template.is_text else text,)))
    if template.is_text and template.reason is None and any(isinstance(segment, str) for segment in segments):
        return _Shown(replace(template, segments=("'", *segments, "'")), is_quoted=True)
    return _Shown(replace(template, segments=(replace(argument.hole, conversion="r"),)))
