"""A record as a terminal page, in the manner of `rustc --explain`, and several records as a list.

Text of the analysed code passes `printable` on its way in and is never read as markup. What colours say is said in
signs or words as well: `>` marks the raise statement and the conditions that decide.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from itertools import chain

from rich.text import Text

from extractor.cli.lines import console_of, hung, rendered
from extractor.cli.page_words import is_passed_on, origins, remarks, variant_remarks
from extractor.cli.terminal import Display
from extractor.contradictions import without_not
from extractor.lookup import placeholder_text
from extractor.model import ExceptionClass, Guard, Part, Record, SourceInfo, Variant
from extractor.printable import printable

Lines = list[Text]

_TAB = 4
_LONGEST_LINE = 1000
_GUARD_WORDS = {"early_exit": "early exit", "loop_else": "loop ended", "try_else": "try passed"}
# Before a condition that is no test.
_WHEN_WORDS = {
    "except": "while handling",
    "for": "for",
    "loop_else": "when the loop ended:",
    "try_else": "when this passed:",
    "with": "with",
}
# What was passed on the way; of the second the last one may be what the raise stands in.
_PASSED = frozenset({"early_exit", "loop_else", "try_else"})
_ELSE = _PASSED - {"early_exit"}
# How the text of a search loop reads, see fixtures/README.md.
_SEARCH = re.compile(r"[^()]+? in .+ if ")
_UNCERTAIN_WORDS = {
    "assert": "python -O drops an assert",
    "loop_else": "the loop may have ended without this being asked",
}


def page(record: Record, source: SourceInfo, *, display: Display) -> str:
    """Return the terminal page of a record."""
    blocks = (
        _title(record, display),
        _place(record, display),
        _paragraphs(_all_remarks(record), display),
        _variants(record, display),
        _parts(record, display),
        _path_condition(record, display),
        _paragraphs(origins(record), display),
        _excerpt(record, display),
        _facts(record, source, display),
    )
    return rendered(_separated(blocks), display)


def listing(records: Sequence[Record], *, display: Display) -> str:
    """Return one entry for each record: two lines on a terminal, one line for other programs."""
    return rendered(chain.from_iterable(_entry(record, display) for record in records), display)


def _entry(record: Record, display: Display) -> Lines:
    place = f"{record.location.path}:{record.location.line}"
    name, title = _shown(_class_name(record.exception), display), _shown(record.title, display)
    first = Text.assemble((record.id, "cyan"), "  ", (name, "bold"), "  ", _shown(place, display))
    if not display.is_terminal:
        return [Text.assemble(first, "  ", title)]
    return [*_wrapped(first, display), *hung(Text(" " * 18), Text(title, "dim"), display)]


def _title(record: Record, display: Display) -> Lines:
    names = dict.fromkeys(_class_name(each) for each in _possible_classes(record))
    head = Text(_shown(" or ".join(names), display), "bold red")
    if is_passed_on(record) and record.exception is not None:
        head.append(" or a class below", "bold red")
    if record.variants and record.variants[0].segments:
        head = Text.assemble(head, ": ", _message(record.variants[0], display))
    first, *rest = head.split("\n", allow_blank=True)
    return [*hung(Text(), first, display, indent=4), *chain.from_iterable(_indented(line, display) for line in rest)]


def _message(variant: Variant | Part, display: Display) -> Text:
    message = Text()
    for segment in variant.segments:
        if isinstance(segment, str):
            message.append("\n".join(_shown(line.expandtabs(_TAB), display) for line in segment.split("\n")))
        else:
            message.append(_shown(placeholder_text(segment), display), "cyan")
    return message


def _place(record: Record, display: Display) -> Lines:
    location = record.location
    where = Text.assemble("Raised at ", (_shown(f"{location.path}:{location.line}", display), "bold"))
    where.append(f" in {_shown(location.scope, display)}" if location.scope else " at module level")
    ancestries = (_wrapped(Text(_ancestry(each, record, display)), display) for each in _possible_classes(record))
    return [*_wrapped(where, display), *chain.from_iterable(ancestries)]


def _possible_classes(record: Record) -> list[ExceptionClass | None]:
    """Return the classes that the site can raise, each once."""
    others = (variant.exception for variant in record.variants if variant.exception is not None)
    return list(dict.fromkeys([record.exception, *others]))


def _ancestry(exception: ExceptionClass | None, record: Record, display: Display) -> str:
    if exception is None:
        return "The class is not known."
    defined = _without_builtins(exception.qualified_name or exception.name)
    bases = ", ".join(_without_builtins(ancestor) for ancestor in exception.ancestors)
    if not bases:
        is_root = exception.certain or exception.qualified_name == "builtins.BaseException"
        return _shown(f"{defined} {'has no bases' if is_root else 'has bases that are not known'}", display)
    # Of what was caught only the class is not certain, and the remarks say so.
    is_known = exception.certain or is_passed_on(record)
    return _shown(f"{defined} derives from {bases}{'' if is_known else ' (as far as is known)'}", display)


def _all_remarks(record: Record) -> Iterable[str]:
    yield from remarks(record)
    if len(record.variants) == 1:
        yield from variant_remarks(record.variants[0])


def _variants(record: Record, display: Display) -> Lines:
    # Of what was caught there are only the classes to say, and these stand at the top.
    if len(record.variants) < 2 or is_passed_on(record):
        return []
    lines = _heading("It has several variants", display)
    for number, variant in enumerate(record.variants, start=1):
        lines.extend([Text(), *_variant(number, variant, record, display)])
    return lines


def _variant(number: int, variant: Variant, record: Record, display: Display) -> Lines:
    name = Text(_shown(_class_name(variant.exception or record.exception), display), "bold")
    message = _message(variant, display)
    said = Text(": ").join([name, message]) if message else name
    lines = hung(Text(f"  {number}. "), said, display)
    call = variant.call
    elsewhere = f" of {call.path}" if call is not None and call.path != record.location.path else ""
    for guard in variant.guards:
        when = _condition(guard, display).append(_shown(f" (line {guard.line}{elsewhere})", display), "dim")
        lines.extend(hung(Text(f"     {_when(guard)} "), when + _notes(guard, display), display))
    sentences = [] if variant.segments or variant.pattern else ["What it says is not known."]
    sentences += variant_remarks(variant)
    lines += [line for sentence in sentences for line in _remark(sentence, display)]
    if call is not None and call.permalink:
        lines.append(Text(" " * 5).append(_shown(call.permalink, display), "default"))
    return lines


def _parts(record: Record, display: Display) -> Lines:
    """The texts of a list that the message joins."""
    parts = [part for variant in record.variants for part in variant.parts]
    if not parts:
        return []
    lines = [*_heading("The list in it may hold", display), Text()]
    for part in parts:
        lines.extend(hung(Text("  - "), _message(part, display), display))
        for guard in part.guards:
            when = _condition(guard, display).append(f" (line {guard.line})", "dim")
            lines.extend(hung(Text(f"    {_when(guard)} "), when + _notes(guard, display), display))
    return lines


def _remark(remark: str, display: Display) -> Lines:
    return hung(Text(" " * 5), Text(_shown(remark, display)), display)


def _path_condition(record: Record, display: Display) -> Lines:
    is_dead = record.kind == "unreachable"
    if not record.guards:
        itself = " itself" if any(variant.guards for variant in record.variants) else ""
        return [] if is_dead else _wrapped(Text(f"No condition guards the statement{itself}."), display)
    number = max(len(str(guard.line)) for guard in record.guards)
    kind = max(len(_guard_word(guard)) for guard in record.guards)
    when = "What stands around it" if is_dead else "Raised when all of this holds"
    lines = [*_heading(f"{when}, outermost first", display), Text()]
    for guard in record.guards:
        decides = guard.kind not in _PASSED or (guard.kind in _ELSE and guard is record.guards[-1])
        left = _gutter(decides).append(f"{guard.line:>{number}}  {_guard_word(guard):<{kind}}  ", "dim")
        condition = _condition(guard, display) + _notes(guard, display)
        lines.extend(hung(left, condition, display, style="" if decides else "dim"))
    return lines


def _when(guard: Guard) -> str:
    return _WHEN_WORDS.get(guard.kind, "when")


def _guard_word(guard: Guard) -> str:
    return _GUARD_WORDS.get(guard.kind, guard.kind)


def _condition(guard: Guard, display: Display) -> Text:
    return Text(_came_out(guard.text or "any exception", guard, display))


def _came_out(text: str, guard: Guard, display: Display) -> str:
    text, holds = without_not(text, holds=guard.holds) if not guard.holds else (text, True)
    shown = _shown(text, display)
    if holds:
        return shown
    is_search = guard.kind == "loop_else" and _SEARCH.match(text) is not None and " else " not in text
    return f"no {shown}" if is_search else f"not ({shown})"


def _notes(guard: Guard, display: Display) -> Text:
    notes = Text(style="italic")
    if guard.expanded is not None:
        notes.append(f"\n(that is: {_came_out(guard.expanded, guard, display)})")
    if not guard.certain:
        notes.append(f"\n(uncertain: {_UNCERTAIN_WORDS.get(guard.kind, 'it may not be enforced')})")
    if guard.stale:
        notes.append("\n(stale: a name in it was bound again since)")
    return notes


def _excerpt(record: Record, display: Display) -> Lines:
    context, location = record.context, record.location
    if not context.lines:
        return []
    number = len(str(context.first_line + len(context.lines) - 1))
    lines = [*_heading("Source", display), Text()]
    for line, source in enumerate(context.lines, start=context.first_line):
        raised = location.line <= line <= location.end_line
        left = _gutter(raised).append(f"{line:>{number}} | ", "dim")
        code = Text(_shown(_cut(source.expandtabs(_TAB)), display), "bold" if raised else "")
        more = Text(" " * (number + 5) + "| ", "dim")
        lines.extend(_folded(left, more, code, display))
    return lines


def _gutter(marked: bool) -> Text:
    return Text.assemble("  ", ("> ", "bold red")) if marked else Text(" " * 4)


def _cut(source: str) -> str:
    return source if len(source) <= _LONGEST_LINE else f"{source[:_LONGEST_LINE]} ..."


def _facts(record: Record, source: SourceInfo, display: Display) -> Lines:
    facts = {
        "link": record.permalink,
        "source": _revision(source),
        "since": record.since,
        "id": record.id,
        "earlier": ", ".join(record.aliases),
        "template": record.template_id,
    }
    known = {name: fact for name, fact in facts.items() if fact}
    # A broken line is no link, so these are left to the terminal.
    width = max(map(len, known))
    return [Text(f"{name:<{width}}  ", "dim").append(_shown(fact, display), "default") for name, fact in known.items()]


def _revision(source: SourceInfo) -> str:
    name = " ".join(part for part in (source.name or source.repository, source.version) if part)
    commit = f"commit {source.commit[:12]}" if source.commit else source.revision
    date = source.committed_at[:10] if source.committed_at else None
    return ", ".join(part for part in (name, commit, date) if part)


def _class_name(exception: ExceptionClass | None) -> str:
    return exception.name if exception else "(unknown class)"


def _without_builtins(qualified_name: str) -> str:
    return qualified_name.removeprefix("builtins.")


def _shown(text: str, display: Display) -> str:
    return printable(text, encoding=display.encoding)


def _heading(text: str, display: Display) -> Lines:
    return _wrapped(Text(f"{text}:", "bold"), display)


def _paragraphs(sentences: Iterable[str], display: Display) -> Lines:
    return [line for sentence in sentences for line in _wrapped(Text(_shown(sentence, display)), display)]


def _wrapped(text: Text, display: Display) -> Lines:
    return hung(Text(), text, display)


def _indented(text: Text, display: Display) -> Lines:
    return hung(Text(" " * 4), text, display)


def _folded(left: Text, more: Text, code: Text, display: Display) -> Lines:
    width = display.width - left.cell_len
    if not display.is_terminal or code.cell_len <= width:
        return [left + code]
    pieces = code.wrap(console_of(display), width, overflow="fold")
    return [(more if index else left) + piece for index, piece in enumerate(pieces)]


def _separated(blocks: Iterable[Lines]) -> Iterable[Text]:
    for index, block in enumerate(filter(None, blocks)):
        if index:
            yield Text()
        yield from block
