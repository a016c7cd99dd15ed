"""Templates of `%`, `.format` and f-strings, filled with real values, are what Python prints."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import random
from collections.abc import Mapping

import libcst as cst
import pytest

from extractor.facts import Hole
from extractor.scan.message import Surroundings, templates_of

VALUES: dict[str, object] = {
    "n": 7, "big": 123456, "neg": -3, "x": 2.5, "s": "text", "q": "it's", "b": True, "none": None, "t": (1, 2), "d": {"k": 1, "a b": 2, "0": 3},
    "l": [10, 20, 30], "c": 3 + 4j,
}  # fmt: skip


def filled(source: str, values: Mapping[str, object] = VALUES) -> str | None:
    """Return the text of an expression's template with its placeholders evaluated; None if all of it is one value."""
    (template,) = templates_of(cst.parse_expression(source), Surroundings({}, 1))
    if template.form == "none":
        return None
    return "".join(
        segment if isinstance(segment, str) else shown(segment, template.form, values) for segment in template.segments
    )


def shown(hole: Hole, form: str, values: Mapping[str, object]) -> str:
    value = eval(hole.expression, dict(values))
    conversion = {"r": repr, "s": str, "a": ascii, None: lambda each: each}[hole.conversion](value)
    if form == "percent":
        spec = hole.format_spec or ""
        return f"%{spec if spec and spec[-1].isalpha() else spec + 's'}" % (conversion,)
    return format(conversion, hole.format_spec or "")


def run(source: str) -> str | None:
    """Return what Python makes of an expression, None where it refuses."""
    try:
        return str(eval(source, dict(VALUES)))
    except (TypeError, ValueError, KeyError, IndexError, AttributeError):
        return None


PERCENT = ("%s", "%d", "%5d", "%-5s|", "%05.1f", "%r", "%a", "%%", "%x", "%#x", "%+d", "%c", "%e", "%.3s", "%i", "%ld", "% d", "%G", "{}", "100%", "%(k)s",
           "%(k)d", "%(a b)s", "%(no)s", "%*d", "%.*f", "%z", "%", "text ", "% s", "%(k)", "%(k)%", "%5%")  # fmt: skip
ARGUMENTS = (
    "n",
    "(n,)",
    "(n, s)",
    "(x, n, s)",
    "s",
    "d",
    "t",
    "{'k': n}",
    "{'k': s, 'a b': n}",
    "()",
    "(t,)",
    "[n, s]",
    "(*t,)",
    "l",
    "(n, *t)",
    "{}",
)
FORMAT = ("{}", "{0}", "{1}", "{n}", "{s!r}", "{0!s:>5}", "{:d}", "{:05.1f}", "{0.real}", "{d[k]}", "{d[a b]}", "{l[1]}", "{0[1]}", "{{", "}}", "{", "}", "text %s", "{!r}",
          "{:{}}", "{0:{1}}", "{!x}", "{.imag}", "{n:,}", "{d[0]}", "{0!a}", "{ }", "{s.upper}")  # fmt: skip
FORMAT_ARGUMENTS = (
    "n",
    "n, s",
    "s, n, x",
    "c",
    "n=n",
    "n, n=big, s=q",
    "d=d, l=l",
    "*t",
    "*l, n=n",
    "**d",
    "l, d=d",
    "",
    "n, *l",
    "s=s",
)


def test_percent_as_at_run_time() -> None:
    """A template of `%` prints what Python prints, or is not split into parts."""
    chance = random.Random(3)
    wrong = []
    for _ in range(4000):
        text = "".join(chance.choices(PERCENT, k=chance.randrange(1, 4)))
        source = f"{text!r} % {chance.choice(ARGUMENTS)}"
        # What Python refuses for the types of the values cannot be seen in the source.
        expected = run(source)
        if expected is not None and filled(source) not in {expected, None}:
            wrong.append((source, expected))

    assert not wrong, wrong[:5]


def test_format_as_at_run_time() -> None:
    """A template of `.format` prints what Python prints, or is not split into parts."""
    chance = random.Random(4)
    wrong = []
    for _ in range(4000):
        text = "".join(chance.choices(FORMAT, k=chance.randrange(1, 4)))
        source = f"{text!r}.format({chance.choice(FORMAT_ARGUMENTS)})"
        # What Python refuses for the types of the values cannot be seen in the source.
        expected = run(source)
        if expected is not None and filled(source) not in {expected, None}:
            wrong.append((source, expected))

    assert not wrong, wrong[:5]


@pytest.mark.parametrize(
    "source",
    [
        "'%s and %s' % (n, s)",
        "'%d%% of %r' % (n, s)",
        "'%(k)s' % d",
        "'%(k)5d|%(k)s' % {'k': n}",
        "'{0} {1} {0}'.format(n, s)",
        "'{} {n!r:>4}'.format(s, n=n)",
        "'{0.real:.1f}'.format(c)",
        "'{d[k]} {l[2]}'.format(d=d, l=l)",
        "f'{n} {s!r:>8} {x:.3f} {x = } {{}}'",
        "f'{n=:>5}'",
        "'a' + str(n) + 'b' + repr(s)",
        "'n: ' '%s' % s",
        "f'{n}' '%s' f'{s}'",
        "'%s: ' % s + '{}'.format(n)",
    ],
)
def test_split_and_right(source: str) -> None:
    """What is clear is split into its parts."""
    assert run(source) == filled(source)


@pytest.mark.parametrize(
    "source",
    [
        "'%s %s' % (n,)",  # not enough
        "'%s' % (n, s)",  # too many
        "'%s' % (*t,)",
        "'%*d' % (n, n)",
        "'%d %z' % (n, n)",
        "'{} {1}'.format(n, s)",  # from automatic to manual numbering
        "'{0} {}'.format(n, s)",
        "'{2}'.format(n)",
        "'{x}'.format(n=n)",
        "'{}'.format(*l)",
        "'{x}'.format(**d)",
        "'{'.format(n)",
        "'{:{}}'.format(n, 5)",
    ],
)
def test_what_cannot_be_known_is_one_value(source: str) -> None:
    assert filled(source) is None
