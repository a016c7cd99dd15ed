"""A raise site with its class and texts found, made into a record."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import dataclass, field, replace

from extractor.contradictions import without_opposites
from extractor.facts import Catcher, Construction, RaiseSite, Template
from extractor.link.callers import Call, Callers
from extractor.link.documented import documented_text
from extractor.link.hierarchy import Hierarchy
from extractor.link.identity import Identities, skeleton_of, template_id
from extractor.link.lints import lints
from extractor.link.makers import Made, Makers
from extractor.link.speech import Speech, Spoken
from extractor.link.surfaces import surface_of
from extractor.link.wording import message_of, pattern_of, segments_of, shape_pattern, title_of
from extractor.model import (
    CallSite,
    Diagnostic,
    ExceptionClass,
    Guard,
    Location,
    Part,
    Record,
    RecordKind,
    Segment,
    Variant,
)
from extractor.quoting import show_path

# (path, first line, last line) to a link, None where there is none.
Permalinks = Callable[[str, int, int], str | None]

_MOST_CALLED_TEXTS = 16
_CHOOSING = frozenset({"builtins.BaseExceptionGroup", "builtins.OSError"})
_EVERYTHING = frozenset({"builtins.Exception", "builtins.BaseException"})
_ABOVE_KEY_ERROR = _EVERYTHING | {"builtins.LookupError"}


@dataclass(frozen=True, slots=True)
class Way:
    """One construction with the class that it was found to make.

    `refused` is one that cannot be raised, and `call` is where the text comes from that a caller gives.
    """

    construction: Construction
    exception: ExceptionClass | None
    texts: tuple[Spoken, ...]
    reason: str | None
    refused: ExceptionClass | None = None
    call: CallSite | None = None


@dataclass(slots=True)
class Recorder:
    """Makes records of the sites of a tree; ask in the order of path, line and column.

    `diagnostics` collects what is wrong with the raise statements themselves.
    """

    hierarchy: Hierarchy
    speech: Speech
    makers: Makers
    callers: Callers
    identities: Identities
    permalinks: Permalinks
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def record(self, path: str, site: RaiseSite) -> Record:
        """Return the record of one raise site."""
        ways = _meant([way for construction in site.constructions for way in self.ways(path, construction)])
        ways = _possible(ways, site.guards)
        exception = ways[0].exception
        if exception is not None and any(way.exception is None for way in ways):
            # A variant without a class of its own would have that of the record.
            ways = [replace(way, exception=_perhaps(way.exception)) for way in ways]
            exception = ways[0].exception
        called = [way for construction in site.constructions for way in self._called(path, site, construction, ways)]
        variants = tuple(_variant(way, text, exception, site.guards) for way in [*ways, *called] for text in way.texts)
        own = [segments_of(text.own_segments or ()) for way in ways for text in way.texts]
        shown = show_path(path)
        name = exception.name if exception is not None else "raise"
        first = ways[0].texts[0]
        made = [(way.construction, way.exception or way.refused, way.reason) for way in ways]
        self.diagnostics += lints(site, path, made, self.hierarchy)
        escapes = any(self._escapes(path, site.catchers, way.exception) for way in ways)
        is_shown = escapes and site.kind != "unreachable"
        return Record(
            id=self.identities.next(shown, site.scope, skeleton_of(own)),
            template_id=template_id(own),
            title=title_of(variants[0].segments, f"{name} in {site.scope or '<module>'}"),
            kind=self._kind(site, exception),
            exception=exception,
            variants=variants,
            message=None if first.segments is None else message_of(variants[0].segments),
            unresolved=next((way.reason for way in ways if way.reason), None)
            or (_text_reason(ways) if not called else None),
            location=self._location(path, shown, site),
            guards=site.guards,
            handler=site.handler,
            cause=site.cause,
            escapes=escapes,
            context=site.context,
            permalink=self.permalinks(path, site.line, site.end_line),
            documented=documented_text(site.documented, exception),
            applied_to=site.applied_to,
            surface=surface_of(site, path, exception, variants, self.hierarchy) if is_shown else None,
        )

    def ways(self, path: str, construction: Construction) -> list[Way]:
        """Return what one construction makes."""
        if construction.reference is None:
            construction = self.makers.told(construction, path)
            return [Way(construction, None, _nameless(construction), construction.reason or "expression")]
        return [self._way(made) for made in self.makers.made(construction, path)]

    def _way(self, made: Made) -> Way:
        construction, meaning = made.construction, made.meaning
        exception = self.hierarchy.class_of(meaning)
        if exception is None or exception.qualified_name is None:
            return self._unknown_class(construction, meaning.reason)
        if self.hierarchy.is_no_exception(exception.qualified_name):
            return Way(construction, None, (_silent(None),), "not an exception", refused=exception)
        if construction.is_again:
            return Way(construction, replace(exception, certain=False), (_silent(None),), None)
        if made.is_unread:
            return Way(construction, replace(exception, certain=False), (_silent("call"),), None)
        texts = self.speech.spoken(exception.qualified_name, construction.arguments or (), construction.changed)
        reason = None if construction.is_sure else "dynamic type"
        return Way(construction, _as_made(exception, construction), texts, reason)

    def _called(self, path: str, site: RaiseSite, construction: Construction, ways: Sequence[Way]) -> list[Way]:
        """Return what the site says to the callers of its function, where that is what they hand to it."""
        texts = [text for way in ways for text in way.texts]
        is_class_handed = self.hierarchy.names.is_parameter(path, construction.reference)
        is_handed = is_class_handed or (all(text.reason for text in texts) and _is_handed_on(construction))
        if not is_handed or len(ways) != 1 or site.is_again:
            return []
        found: dict[tuple[object, ...], Way] = {}
        for call in self.callers.calls(path, site.scope, construction):
            exception = self.hierarchy.class_of(call.given) if call.given is not None else ways[0].exception
            if exception is None or exception.qualified_name is None:
                continue
            for text in self.speech.spoken(exception.qualified_name, call.arguments, construction.changed):
                is_told = call.given is None and any(text.segments == each.segments for each in texts)
                if text.segments is None or text.reason is not None or is_told:
                    continue
                key = (text.segments, exception)
                if key in found:
                    known = found[key]
                    guards = tuple(guard for guard in known.construction.guards if guard in call.guards)
                    found[key] = replace(known, construction=replace(known.construction, guards=guards))
                    continue
                # The site itself is the same, whoever calls.
                told = replace(text, via=call.caller, guards=_placed(text.guards), inner=texts[0].own_segments)
                shown = replace(construction, guards=call.guards, via=None)
                found[key] = Way(shown, exception, (told,), None, call=self._call_site(call))
        return list(found.values())[:_MOST_CALLED_TEXTS]

    def _call_site(self, call: Call) -> CallSite:
        permalink = self.permalinks(call.path, call.line, call.line) if call.line is not None else None
        return CallSite(show_path(call.path), call.scope, call.line, permalink)

    def _unknown_class(self, construction: Construction, reason: str | None) -> Way:
        if reason == "attribute":
            reason = "attribute" if construction.arguments is None else "call"
        texts = _nameless(construction)
        if reason != "unknown name" or construction.reference is None:
            return Way(construction, None, texts, reason or "unknown name")
        # Most likely a class that comes in by a way that is not followed; its text is the usual one.
        name = construction.reference.name.rpartition(".")[2]
        exception = ExceptionClass(name, None, (), certain=False)
        told = tuple(replace(text, dress="plain" if text.segments is not None else None) for text in texts)
        return Way(construction, exception, told, "unknown name")

    def _kind(self, site: RaiseSite, exception: ExceptionClass | None) -> RecordKind:
        if site.kind != "abstract":
            return site.kind
        name = exception.qualified_name if exception is not None else None
        is_stub = name is not None and self.hierarchy.is_subclass(name, "builtins.NotImplementedError")
        return "abstract" if is_stub else "error"

    def _location(self, path: str, shown: str, site: RaiseSite) -> Location:
        module = show_path(self.hierarchy.names.modules.name(path))
        return Location(shown, module, site.scope, site.line, site.column, site.end_line, site.end_column)

    def _escapes(self, path: str, around: Sequence[tuple[Catcher, ...]], exception: ExceptionClass | None) -> bool:
        for clauses in around:
            catching = next((clause for clause in clauses if self._catches(path, clause, exception)), None)
            if catching is not None and not catching.reraises:
                return False
        return True

    def _catches(self, path: str, clause: Catcher, exception: ExceptionClass | None) -> bool:
        if clause.catches_all:
            return True
        caught = {self.hierarchy.add(self.hierarchy.names.resolve(path, each)) for each in clause.references}
        if exception is None or exception.qualified_name is None:
            return bool(caught & _EVERYTHING)
        return bool(caught & {exception.qualified_name, *exception.ancestors})


def _nameless(construction: Construction) -> tuple[Spoken, ...]:
    """Return what an exception of unknown class most likely says: a single argument as it is, but no promise."""
    arguments = construction.arguments or ()
    if len(arguments) != 1 or arguments[0].star or arguments[0].keyword:
        return (_silent(None),)
    return tuple(
        Spoken(template.segments, template.form, template.via, template.guards, None, template.reason)
        for template in arguments[0].templates
    )


def _possible(ways: list[Way], guards: Sequence[Guard]) -> list[Way]:
    """Leave out the value that a variable starts with, None or nothing, where the site's guards say it has another."""
    outcomes = {(guard.text, guard.holds) for guard in guards if not guard.stale}
    kept = [replace(way, texts=tuple(text for text in way.texts if not _is_ruled_out(text, outcomes))) for way in ways]
    kept = [way for way in kept if way.texts]
    return kept or ways


def _is_ruled_out(text: Spoken, outcomes: Set[tuple[str, bool]]) -> bool:
    name = text.via
    if name is None or text.form != "literal" or text.segments not in {(), ("None",)}:
        return False
    told = {(name, True), (f"not {name}", False)}
    if text.segments:
        told |= {(f"{name} is not None", True), (f"{name} is None", False)}
    else:
        told |= {(f"len({name}) > 0", True), (f"{name} == ''", False), (f"{name} != ''", True)}
    return bool(told & outcomes)


def _perhaps(exception: ExceptionClass | None) -> ExceptionClass | None:
    return replace(exception, certain=False) if exception is not None else None


def _is_handed_on(construction: Construction) -> bool:
    """Say whether an argument of an exception is a parameter of the function that it is raised in."""
    templates = [template for argument in construction.arguments or () for template in argument.templates]
    return any(template.reason == "parameter" for template in templates)


def _placed(guards: Sequence[Guard]) -> tuple[Guard, ...]:
    # The lines of some statements are not known, and with them not those of what is conditional in them.
    return tuple(guard for guard in guards if guard.line)


def _meant(ways: list[Way]) -> list[Way]:
    # `error = None` is what a variable holds where nothing is raised.
    return [way for way in ways if way.reason != "not an exception"] or ways


def _as_made(exception: ExceptionClass, construction: Construction) -> ExceptionClass:
    # Called with an error number, or with exceptions of one kind, these make an instance of a class below them.
    given = construction.arguments or ()
    is_chosen = exception.qualified_name in _CHOOSING and (len(given) > 1 or any(each.star for each in given))
    return replace(exception, certain=False) if is_chosen or not construction.is_sure else exception


def _silent(reason: str | None) -> Spoken:
    return Spoken(None, "none", None, (), None, reason)


def _text_reason(ways: Sequence[Way]) -> str | None:
    return next((text.reason for way in ways for text in way.texts if text.reason), None)


def _variant(way: Way, text: Spoken, first: ExceptionClass | None, passed: Sequence[Guard]) -> Variant:
    segments = segments_of(text.segments or ())
    known = text.segments is not None and text.dress is not None
    return Variant(
        segments=segments,
        form=text.form,
        # A text comes by several steps, the last of them first.
        guards=without_opposites(
            sorted(dict.fromkeys((*way.construction.guards, *text.guards)), key=lambda guard: guard.line)
        ),
        via=text.via or way.construction.via,
        pattern=_pattern(text, segments, way.exception) if known else None,
        exception=way.exception if way.exception != first else None,
        parts=tuple(_part(each, passed) for each in text.parts),
        call=way.call,
    )


def _pattern(text: Spoken, segments: Sequence[Segment], exception: ExceptionClass | None) -> str | None:
    if text.dress is None:
        return None
    if text.shape is not None:
        return shape_pattern(text.shape)
    is_settled = exception is None or exception.certain
    may_quote = text.dress == "quoted" or (text.dress == "plain" and _may_be_key_error(exception))
    return pattern_of(segments, text.dress if is_settled or not may_quote else "perhaps quoted")


def _may_be_key_error(exception: ExceptionClass | None) -> bool:
    return exception is not None and exception.qualified_name in _ABOVE_KEY_ERROR


def _part(template: Template, passed: Sequence[Guard]) -> Part:
    known = {(guard.text, guard.holds, guard.line) for guard in passed}
    guards = (guard for guard in template.guards if (guard.text, guard.holds, guard.line) not in known)
    return Part(segments_of(template.segments), tuple(guards))
