"""Templates put together: every alternative of a text from the alternatives of its parts."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, replace

from extractor.contradictions import contradict, has_one_answer
from extractor.facts import Argument, Hole, Template
from extractor.model import Form

# More alternatives than this say less than the placeholder they stand for.
MOST_ALTERNATIVES = 16


def merge(parts: Iterable[str | Hole]) -> tuple[str | Hole, ...]:
    """Return the parts of a text with neighbouring literals made one and empty ones left out."""
    merged: list[str | Hole] = []
    for part in parts:
        if isinstance(part, str) and merged and isinstance(merged[-1], str):
            merged[-1] += part
        elif part != "":
            merged.append(part)
    return tuple(merged)


def join(alternatives: Sequence[Sequence[Template]], form: Form, stable: Collection[str] = ()) -> list[Template] | None:
    """Return every text that the parts make one behind the other, None where these are too many to say something.

    `stable` are names whose tests have one answer, see `contradict`.
    """
    rows: list[list[Template]] = [[]]
    for choices in alternatives:
        if len(choices) > 1:
            rows = [[*row, choice] for row in rows for choice in choices if _agree(row, choice, stable)]
        else:
            for row in rows:
                row.extend(choices)
        if len(rows) > MOST_ALTERNATIVES:
            return None
    return [_joined(row, form) for row in rows]


def _agree(templates: Sequence[Template], other: Template, stable: Collection[str]) -> bool:
    guards = [guard for template in templates for guard in template.guards]
    return not guards or not contradict([*guards, *other.guards], stable)


def _joined(templates: Sequence[Template], form: Form) -> Template:
    return Template(
        segments=merge(part for template in templates for part in template.segments),
        form=form,
        is_text=True,
        via=next((template.via for template in templates if template.via and len(template.segments) > 1), None),
        guards=tuple(dict.fromkeys(guard for template in templates for guard in template.guards)),
        tests=tuple(dict.fromkeys(test for template in templates for test in template.tests)),
        parts=tuple(part for template in templates for part in template.parts),
    )


def is_plain(template: Template) -> bool:
    """Say whether a text is known to the last character."""
    return all(isinstance(segment, str) for segment in template.segments)


def plain_text(template: Template) -> str:
    """Return the literal part of a text: all of it, where it is plain."""
    return "".join(segment for segment in template.segments if isinstance(segment, str))


def is_tuple(template: Template) -> bool:
    """Say whether a value is a tuple that stands in the source."""
    first = template.segments[0] if template.segments else ""
    return not template.is_text and isinstance(first, str) and first.startswith("(")


def is_choice(templates: Sequence[Template], *, is_repeated: bool) -> bool:
    """Say whether a value is one of several texts that are all known to the last character.

    One that is repeated must be the same each time, which only tests without calls can tell.
    """
    is_told = not is_repeated or all(_is_told(each) for each in templates)
    is_known = all(each.is_text and each.reason is None and is_plain(each) for each in templates)
    return len(templates) > 1 and is_told and is_known


def _is_told(template: Template) -> bool:
    return any(has_one_answer(guard) for guard in template.guards)


@dataclass(frozen=True, slots=True)
class Field:
    """A replacement field: the value that fills it, followed by `suffix` as source text."""

    argument: Argument
    suffix: str
    conversion: str | None
    spec: str | None

    def placeholder(self) -> Template:
        """Return what the field shows: a text that is written right there, else the value as an expression."""
        if not self.suffix and self.spec in {None, "d"} and len(self.argument.templates) == 1:
            (template,) = self.argument.templates
            is_written = template.form == "literal" and template.via is None and not template.guards
            is_number = not template.is_text and plain_text(template).isdecimal()
            if is_written and (is_number if self.spec else not (self.conversion and template.is_text)):
                return template
        hole = replace(self.argument.hole, conversion=self.conversion, format_spec=self.spec)
        return Template((_suffixed(hole, self.suffix) if self.suffix else hole,), "none", is_text=True)

    def is_choice(self, *, is_repeated: bool) -> bool:
        """Say whether the field shows one of several texts that are all written out, see the function."""
        is_whole = not (self.suffix or self.conversion or self.spec)
        return is_whole and is_choice(self.argument.templates, is_repeated=is_repeated)

    def choices(self) -> tuple[Template, ...]:
        """Return the texts of the value, where the field shows it as it is."""
        if self.suffix or self.conversion or self.spec:
            return (self.placeholder(),)
        return self.argument.templates


def _suffixed(hole: Hole, suffix: str) -> Hole:
    opening, closing = ("", suffix) if hole.atomic else ("(", ")" + suffix)
    pieces = list(hole.pieces)
    pieces[0], pieces[-1] = opening + pieces[0], pieces[-1] + closing
    return replace(hole, pieces=tuple(pieces), atomic=True, source=None)
