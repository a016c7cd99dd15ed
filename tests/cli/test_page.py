"""The terminal page says all that a record holds, fits its terminal, and cannot do anything to it."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import replace

import pytest

from extractor.cli.page import listing, page
from extractor.cli.page_words import UNRESOLVED_WORDS
from extractor.cli.terminal import Display
from extractor.model import (
    UNRESOLVED,
    CallSite,
    Context,
    ExceptionClass,
    Guard,
    Handler,
    Part,
    Placeholder,
    Record,
    Surface,
    Variant,
)
from extractor.printable import printable
from tests.sample import COMMIT, HOSTILE, KEY_ERROR, SEED, SOURCE, STUB, TRANSLATED, UNKNOWN, worded

PIPE = Display()
TERMINAL = Display(is_terminal=True)
COLOURED = Display(is_terminal=True, has_colours=True)
NARROW = Display(width=40, is_terminal=True)

SEED_PAGE = f"""\
ValueError: All encoder_cudagraph_token_budgets must be positive, got
    {{self.encoder_cudagraph_token_budgets}}

Raised at vllm/config/compilation.py:1055 in CompilationConfig.__post_init__
ValueError derives from Exception, BaseException

Raised when all of this holds, outermost first:

    1034  early exit  not (self.cudagraph_mm_encoder and
                      self.encoder_cudagraph_max_vision_items_per_batch < 0)
    1042  early exit  not (self.cudagraph_mm_encoder and
                      self.encoder_cudagraph_max_frames_per_batch is not None
                      and self.encoder_cudagraph_max_frames_per_batch < 0)
  > 1052  if          self.encoder_cudagraph_token_budgets and any(b <= 0 for b
                      in self.encoder_cudagraph_token_budgets)

Source:

    1049 |                 "non-negative (None = auto-infer)"
    1050 |             )
    1051 |
    1052 |         if self.encoder_cudagraph_token_budgets and any(
    1053 |             b <= 0 for b in self.encoder_cudagraph_token_budgets
    1054 |         ):
  > 1055 |             raise ValueError(
  > 1056 |                 f"All encoder_cudagraph_token_budgets must be positive, "
  > 1057 |                 f"got {{self.encoder_cudagraph_token_budgets}}"
  > 1058 |             )
    1059 |
    1060 |         if self.backend == "":

link      https://github.com/vllm-project/vllm/blob/{COMMIT}/vllm/config/compilation.py#L1055-L1058
source    vllm 0.28.0, commit c7947540622c, 2026-08-14
id        9c1f03a6a98046c2
template  51d0c22be0a7714f
"""


def test_the_page_of_the_seed() -> None:
    """Class, message, place, path condition, excerpt and link, as a whole."""
    assert SEED_PAGE == page(SEED, SOURCE, display=PIPE)


SILENT = Variant((), "none", (), None, None)
OS_ERROR = ExceptionClass("OSError", "builtins.OSError", ("builtins.Exception", "builtins.BaseException"), False)
AGAIN = replace(
    STUB,
    kind="reraise",
    exception=replace(KEY_ERROR, certain=False),
    message=None,
    variants=(SILENT,),
    handler=Handler(("KeyError",), None, "return parts[name]", 7),
)
HANDED = Variant(
    ("not ready",),
    "literal",
    (Guard("if", "not ready", True, 4),),
    "dip",
    "^not ready$",
    call=CallSite("paint/brush.py", "dip", 9, "https://x.org/y"),
)
CALLED = replace(SEED, variants=(*SEED.variants, HANDED))
CAUGHT = replace(
    SEED,
    guards=(),
    variants=(
        *SEED.variants,
        replace(SILENT, guards=(Guard("except", "KeyError", True, 4), Guard("for", "x in xs", True, 5))),
    ),
)


def guarded(*guards: Guard) -> Record:
    return replace(STUB, guards=guards)


@pytest.mark.parametrize(
    ("record", "expected"),
    [
        (TRANSLATED, "It translates KeyError, caught in line 20, from `return COLOURS[name]`."),
        (TRANSLATED, "Its direct cause is `error`, shown before it."),
        (replace(TRANSLATED, cause="none"), "The caught exception is not shown with it (from None)."),
        (replace(TRANSLATED, cause="implicit"), "The caught exception is shown before it, as what was being handled."),
        (TRANSLATED, "No caller sees it: its own function swallows it."),
        (TRANSLATED, "15  assert      name\n                    (uncertain: python -O drops an assert)"),
        (TRANSLATED, "not (name.isdigit())\n                    (stale: a name in it was bound again since)"),
        (
            guarded(Guard("if", "not ok", True, 3, expanded="not (a and b)")),
            "not ok\n           (that is: not (a and b))",
        ),
        (
            guarded(Guard("else", "ok", False, 3, expanded="a and b")),
            "not (ok)\n             (that is: not (a and b))",
        ),
        (
            guarded(Guard("loop_else", "x in xs if x == key", holds=False, line=3)),
            "> 3  loop ended  no x in xs if x == key",
        ),
        (guarded(Guard("loop_else", "x in xs", False, 3)), "> 3  loop ended  not (x in xs)"),
        (guarded(Guard("loop_else", "a if b in c if d else e", False, 3)), "not (a if b in c if d else e)"),
        (
            guarded(Guard("try_else", "import a", True, 3), Guard("if", "b", True, 4)),
            "    3  try passed  import a\n  > 4  if",
        ),
        (
            guarded(Guard("loop_else", "ok()", False, 3, certain=False)),
            "(uncertain: the loop may have ended without this being asked)",
        ),
        (TRANSLATED, "1. ValueError: no colour called {name!r}; did you mean {}?\n     when near (line 21)"),
        (TRANSLATED, "2. KeyError: no colour called {name!r:>10}\n     when not (near) (line 21)"),
        (TRANSLATED, "The text comes through `text`."),
        (TRANSLATED, "Filled in at run time: {name!r}; other braces are text."),
        (TRANSLATED, "Documented as: If no colour has this name; if [bold]two[/] have\n"),
        (TRANSLATED, "It stands in the wrapper that a decorator puts around mix, Palette.pick."),
        (TRANSLATED, "The user sees a frame.work.ValidationError that has this text in its own."),
        (STUB, "It is a stub: to raise this is all that it does."),
        (STUB, "It carries no message."),
        (STUB, "No condition guards the statement."),
        (AGAIN, "KeyError or a class below\n\nRaised at"),
        (AGAIN, "It passes on what was caught, of this class or one below, with its message."),
        (AGAIN, "KeyError derives from LookupError, Exception, BaseException\n"),
        (AGAIN, "KeyError is caught in line 7, from `return parts[name]`."),
        (replace(AGAIN, cause="none"), "No other exception is shown with it (from None)."),
        (replace(AGAIN, cause="implicit"), "What is being handled there is shown before it."),
        (replace(AGAIN, exception=None, unresolved="dynamic type"), "It passes on what was caught, whatever that is,"),
        (replace(AGAIN, kind="unreachable"), "It can never run: no way through the code leads to it."),
        (replace(AGAIN, kind="unreachable"), "It would pass on what was caught"),
        (
            replace(AGAIN, variants=(SILENT, replace(SILENT, exception=OS_ERROR))),
            "KeyError or OSError or a class below",
        ),
        (
            replace(AGAIN, exception=None, unresolved="no active exception"),
            "Not fully known: it stands in no except clause; there may be nothing to raise.",
        ),
        (
            replace(TRANSLATED, handler=Handler(("A", "B", "C"), None, "x()", 3)),
            "It translates A, B or C, caught in line",
        ),
        (replace(TRANSLATED, handler=Handler((), None, "x()", 3)), "It translates any exception, caught in line 3"),
        (replace(TRANSLATED, handler=None, cause="none"), "No other exception is shown with it (from None)."),
        (replace(UNKNOWN, exception=None, unresolved="call"), "Not fully known: what is raised comes from a call"),
        (replace(UNKNOWN, unresolved="parameter"), "Not fully known: the text is a parameter"),
        (replace(SEED, variants=(*SEED.variants, SILENT)), "2. ValueError\n     What it says is not known."),
        (guarded(Guard("except", "", True, 3)), "> 3  except  any exception"),
        (guarded(Guard("early_exit", "not ready", holds=False, line=3)), "    3  early exit  ready\n"),
        (guarded(Guard("early_exit", "not a and b", holds=False, line=3)), "early exit  not (not a and b)"),
        (CAUGHT, "  2. ValueError\n     while handling KeyError (line 4)\n     for x in xs (line 5)"),
        (CAUGHT, "No condition guards the statement itself."),
        (
            CALLED,
            "when not ready (line 4 of paint/brush.py)\n"
            "     The text comes from the call at paint/brush.py:9 in dip.\n     https://x.org/y",
        ),
        (replace(STUB, kind="unreachable"), "It can never run"),
        (UNKNOWN, "Not fully known: the arguments are unpacked with a star."),
        (UNKNOWN, "Raised at paint/shape.py:30 at module level"),
        (UNKNOWN, "QuotaError has bases that are not known"),
        (replace(UNKNOWN, exception=None), "(unknown class)"),
    ],
)
def test_the_page_says_in_words(record: Record, expected: str) -> None:
    """What a field means is said without colours and codes."""
    assert expected in page(record, SOURCE, display=PIPE)


def test_the_page_of_what_is_passed_on_says_nothing_of_a_text() -> None:
    """It neither has one of its own nor translates anything."""
    shown = page(AGAIN, SOURCE, display=PIPE)

    assert [] == re.findall("carries|translates|variants|as far as|Not fully", shown)


@pytest.mark.parametrize("record", [SEED, STUB, UNKNOWN])
def test_the_page_says_nothing_that_is_not_so(record: Record) -> None:
    """What a record does not have is not mentioned."""
    shown = page(record, SOURCE, display=PIPE)

    assert [] == re.findall(
        "variants|translates|cause|swallows|stale|uncertain|comes through|Filled in|Documented|wrapper|user", shown
    )


def test_the_texts_of_a_joined_list_are_on_the_page() -> None:
    """Each with what puts it there."""
    part = Part(("no port for ", Placeholder("host")), (Guard("if", "port is None", True, 3),))
    variant = replace(SEED.variants[0], parts=(part,))

    shown = page(replace(SEED, variants=(variant,)), SOURCE, display=PIPE)

    assert "The list in it may hold:\n\n  - no port for {host}\n    when port is None (line 3)\n" in shown


def test_every_reason_has_its_words() -> None:
    """No code word reaches a reader."""
    assert set(UNRESOLVED) == set(UNRESOLVED_WORDS)


def test_exactly_the_lines_of_the_raise_statement_are_marked() -> None:
    """The gutter shows the statement without any colour."""
    marked = re.findall(r"^  > +(\d+) \|", page(SEED, SOURCE, display=PIPE), re.MULTILINE)

    assert ["1055", "1056", "1057", "1058"] == marked


@pytest.mark.parametrize("record", [SEED, TRANSLATED, STUB, UNKNOWN])
@pytest.mark.parametrize("width", [40, 80, 100])
def test_no_line_is_wider_than_the_terminal(record: Record, width: int) -> None:
    """Only a link is left whole, because a broken one is none."""
    lines = page(record, SOURCE, display=Display(width=width, is_terminal=True)).splitlines()

    assert [] == [line for line in lines if len(line) > width and not line.startswith(("link", "source"))]


def test_a_long_code_line_goes_on_below_itself_on_a_terminal() -> None:
    """The line numbers stay free of code."""
    code = "raise QuotaError(" + " + ".join(f"part_{number}" for number in range(12)) + ")"
    record = replace(UNKNOWN, context=Context(30, (code,)))
    excerpt = re.search(r"Source:\n\n(.*?)\n\n", page(record, SOURCE, display=TERMINAL), re.DOTALL)

    assert excerpt is not None
    first, second = excerpt[1].splitlines()
    assert first.startswith("  > 30 | raise QuotaError(part_0 + ")
    assert second.startswith("       | part_")


def test_a_long_code_line_stays_whole_in_a_pipe() -> None:
    """What another program reads has the lines of the source."""
    code = "raise QuotaError(" + " + ".join(f"part_{number}" for number in range(12)) + ")"
    record = replace(UNKNOWN, context=Context(30, (code,)))

    assert f"  > 30 | {code}\n" in page(record, SOURCE, display=PIPE)


def test_an_endless_code_line_is_cut() -> None:
    """A table of a million characters on one line does not fill the terminal."""
    record = replace(UNKNOWN, context=Context(30, ("x" * 1_000_000,)))

    assert 2_000 > len(page(record, SOURCE, display=PIPE))


def test_tabs_keep_the_shape_of_the_code() -> None:
    """A tab moves to the next column that four divides."""
    record = replace(UNKNOWN, context=Context(30, ("\tif x:", "ab\traise E")))
    shown = page(record, SOURCE, display=PIPE)

    assert "30 |     if x:\n" in shown
    assert "31 | ab  raise E\n" in shown


def test_a_message_of_several_lines_is_shown_so() -> None:
    """A line break in the message is one on the page."""
    assert page(worded("first\nsecond"), SOURCE, display=PIPE).startswith("QuotaError: first\n    second\n")


@pytest.mark.parametrize("display", [PIPE, TERMINAL, NARROW], ids=["pipe", "terminal", "narrow"])
@pytest.mark.parametrize("text", HOSTILE)
def test_nothing_that_a_terminal_acts_on_gets_through(text: str, display: Display) -> None:
    """Wherever the analysed code puts it, it is shown escaped."""
    shown = page(_everywhere(text), SOURCE, display=display) + listing([_everywhere(text)] * 2, display=display)

    assert {"Cc": {"\n"}} == {
        category: found for category in ("Cc", "Cf", "Cs", "Zl", "Zp") if (found := _of_category(shown, category))
    }


@pytest.mark.parametrize("text", HOSTILE)
def test_only_our_own_colours_get_through(text: str) -> None:
    """On a coloured terminal there are escape sequences, but none that the analysed code wrote."""
    shown = page(_everywhere(text), SOURCE, display=COLOURED)

    assert page(_everywhere(text), SOURCE, display=TERMINAL) == re.sub(r"\x1b\[[0-9;]*m", "", shown)


def test_markup_and_emoji_codes_are_text() -> None:
    """What rich would take for markup is shown as it stands."""
    text = "[bold red]markup[/] [/nothing] :boom: \\[x]"

    assert f"QuotaError: {text}\n" in page(worded(text), SOURCE, display=PIPE)


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "cp437"])
def test_what_the_encoding_cannot_write_is_escaped(encoding: str) -> None:
    """A page never fails on its way out."""
    shown = page(worded("café … 漢字"), SOURCE, display=Display(encoding=encoding))

    assert "\\u6f22\\u5b57" in shown
    assert shown == shown.encode(encoding).decode(encoding)


def test_colours_are_there_on_a_terminal_that_has_them() -> None:
    """Placeholders and the raise lines are marked by colour as well."""
    shown = page(SEED, SOURCE, display=COLOURED)

    assert "\x1b[36m{self.encoder_cudagraph_token_budgets}\x1b[0m" in shown


def test_a_list_has_one_line_for_each_record_in_a_pipe() -> None:
    """Id, class, place and title, for grep and cut."""
    expected = (
        "d41d8cd98f00b204  QuotaError  paint/shape.py:30  QuotaError\n"
        "9c1f03a6a98046c2  ValueError  vllm/config/compilation.py:1055  "
        "All encoder_cudagraph_token_budgets must be positive, got\n"
    )

    assert expected == listing([UNKNOWN, SEED], display=PIPE)


def test_a_list_has_two_lines_for_each_record_on_a_terminal() -> None:
    """The title stands below, so that 80 columns are enough."""
    expected = (
        "9c1f03a6a98046c2  ValueError  vllm/config/compilation.py:1055\n"
        "                  All encoder_cudagraph_token_budgets must be positive, got\n"
    )

    assert expected == listing([SEED], display=TERMINAL)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain ~ text", "plain ~ text"),
        ("naïve 漢字 \u3000 \u00a0", "naïve 漢字 \u3000 \u00a0"),  # spaces of other widths are harmless
        ("⚠\ufe0f", "⚠\ufe0f"),  # a part of many emoji
        ("a\tb\nc\rd", r"a\tb\nc\rd"),
        ("\x1b[0m", r"\x1b[0m"),
        ("\x9b0m", r"\x9b0m"),
        ("\u202e\u2066\u200b\u2028", r"\u202e\u2066\u200b\u2028"),
        ("\ud800", r"\ud800"),
        ("\U000e0041", r"\U000e0041"),
        ("\u3164", r"\u3164"),  # a Korean letter that shows nothing
    ],
)
def test_printable(text: str, expected: str) -> None:
    """Text that shows what it is stays; all else is written as in Python source."""
    assert expected == printable(text)


def _everywhere(text: str) -> Record:
    """Return a record that has the text in every field that holds some."""
    guards = (Guard("if", text, holds=True, line=1), Guard("early_exit", text, holds=False, line=2, stale=True))
    variant = Variant((text, Placeholder(text, "r", text)), "f-string", guards, text, None, TRANSLATED.exception)
    handed = replace(variant, call=CallSite(text, text, 3, text))
    assert TRANSLATED.exception
    assert TRANSLATED.handler
    return replace(
        TRANSLATED,
        title=text,
        message=text,
        exception=replace(TRANSLATED.exception, name=text, qualified_name=text, ancestors=(text,)),
        variants=(variant, replace(variant, segments=(text,)), handed),
        location=replace(TRANSLATED.location, path=text, scope=text),
        guards=guards,
        handler=replace(TRANSLATED.handler, exceptions=(text,), tried=text),
        cause=text,
        context=Context(21, (text, text)),
        permalink=text,
        documented=text,
        applied_to=(text,),
        surface=Surface(replace(TRANSLATED.exception, name=text, qualified_name=text), (text,)),
    )


def _of_category(shown: str, category: str) -> set[str]:
    return {letter for letter in shown if unicodedata.category(letter) == category}
