"""The summary says what was found, in lines that fit and text that is harmless."""

from __future__ import annotations

from dataclasses import replace

from extractor.cli.summary import summary_text
from extractor.cli.terminal import Display
from extractor.model import Corpus, Diagnostic
from tests.sample import CORPUS, SEED, UNKNOWN, corpus_of

PIPE = Display()


def shown(corpus: Corpus, display: Display = PIPE) -> str:
    """Return the summary."""
    return summary_text(corpus, seconds=1.25, display=display)


def _with_classes(count: int) -> Corpus:
    classes = {f"Error{number:02}": 2_000 - number for number in range(count)}
    return replace(CORPUS, summary=replace(CORPUS.summary, by_exception=classes))


def test_the_summary_of_the_sample() -> None:
    expected = (
        "4 raise sites in 4 files (1,200 lines), 1.2 s\n"
        "  by class:    ValueError 2, NotImplementedError 1, QuotaError 1\n"
        "  by kind:     error 3, abstract 1\n"
        "  unresolved:  starred arguments 1\n"
        "  diagnostics: syntax-error 1\n"
        "    paint/old.py:3: invalid syntax\n"
    )

    assert expected == shown(CORPUS)


def test_what_there_is_none_of_has_no_line() -> None:
    assert ["by class:", "by kind:"] == [
        line[2:].partition("  ")[0] for line in shown(corpus_of(SEED)).splitlines()[1:]
    ]


def test_an_empty_corpus_is_one_line() -> None:
    assert "0 raise sites in 4 files (1,200 lines), 1.2 s\n" == shown(corpus_of())


def test_the_most_frequent_classes_are_named_and_the_others_counted() -> None:
    text = " ".join(shown(_with_classes(12)).split())

    assert "Error00 2,000, Error01 1,999," in text
    assert "Error07 1,993, 4 other classes 7,962" in text
    assert "Error08" not in text


def test_what_could_not_be_read_is_shown_before_raises_that_go_wrong() -> None:
    odd = tuple(Diagnostic("a.py", line, "invalid-raise", "no exception") for line in range(9))
    lost = Diagnostic("z.py", None, "encoding", "unknown")

    assert "    z.py: unknown" in shown(corpus_of(SEED, diagnostics=(*odd, lost)))


def test_the_first_diagnostics_are_shown_and_the_others_counted() -> None:
    trouble = tuple(Diagnostic(f"file_{number}.py", None, "encoding", "unknown") for number in range(7))
    lines = shown(corpus_of(SEED, diagnostics=trouble)).splitlines()

    assert "    file_4.py: unknown" == lines[-2]
    assert "    … and 2 more in the corpus" == lines[-1]


def test_lines_fit_the_terminal() -> None:
    lines = shown(_with_classes(8), Display(width=40, is_terminal=True)).splitlines()

    assert 40 >= max(map(len, lines[1:]))


def test_nothing_that_a_terminal_acts_on_gets_through() -> None:
    """Class names and paths come from the analysed code."""
    assert UNKNOWN.exception is not None
    record = replace(UNKNOWN, exception=replace(UNKNOWN.exception, name="\x1b[31mError\u202e"))
    text = shown(corpus_of(record, diagnostics=(Diagnostic("a\x07\n.py", 1, "encoding", "\x9b"),)))

    assert r"\x1b[31mError\u202e 1" in text
    assert r"a\x07\n.py:1: \x9b" in text
    assert text.replace("\n", "").isprintable()


def test_an_encoding_without_ellipsis_gets_none() -> None:
    trouble = tuple(Diagnostic(f"file_{number}.py", None, "encoding", "é") for number in range(7))
    text = shown(corpus_of(SEED, diagnostics=trouble), Display(encoding="ascii"))

    assert text.isascii()
    assert text.endswith("and 2 more\n")
