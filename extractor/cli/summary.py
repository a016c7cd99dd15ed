"""What an extraction found, as a few lines for people."""

from __future__ import annotations

import textwrap

from extractor.cli.terminal import Display
from extractor.model import LINTS, Corpus, Diagnostic
from extractor.printable import printable

_MOST_CLASSES = 8
_MOST_DIAGNOSTICS = 5


def summary_text(corpus: Corpus, *, seconds: float, display: Display) -> str:
    """Return files, raise sites by class, what is unresolved and why, diagnostics by kind, and the time it took."""
    summary = corpus.summary
    # What is missing from the corpus comes before what is odd in it.
    diagnostics = sorted(corpus.diagnostics, key=lambda each: each.code in LINTS)
    lines = [
        f"{_counted(summary.records, 'raise site')} in {_counted(summary.files, 'file')} "
        f"({_counted(summary.lines, 'line')}), {seconds:.1f} s",
        *([] if summary.files else ["  no .py file fits; check SOURCE, --include and --exclude"]),
        *_row("by class", summary.by_exception, display, most=_MOST_CLASSES),
        *_row("by kind", summary.by_kind, display),
        *_row("unresolved", summary.unresolved, display),
        *_row("diagnostics", summary.diagnostics, display),
        *(_diagnostic(each, display) for each in diagnostics[:_MOST_DIAGNOSTICS]),
    ]
    left = len(diagnostics) - _MOST_DIAGNOSTICS
    if left > 0:
        lines.append(f"    … and {left} more in the corpus" if _writes_ellipsis(display) else f"    and {left} more")
    return "".join(f"{line}\n" for line in lines)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _row(name: str, counts: dict[str, int], display: Display, *, most: int | None = None) -> list[str]:
    if not counts:
        return []
    shown = [f"{printable(word, encoding=display.encoding)} {count:,}" for word, count in list(counts.items())[:most]]
    if most is not None and len(counts) > most:
        rest = sum(list(counts.values())[most:])
        shown.append(f"{len(counts) - most} other classes {rest:,}")
    return textwrap.wrap(
        f"  {name + ':':<12} {', '.join(shown)}", display.width, subsequent_indent=" " * 15, break_long_words=False
    )


def _diagnostic(diagnostic: Diagnostic, display: Display) -> str:
    place = diagnostic.path if diagnostic.line is None else f"{diagnostic.path}:{diagnostic.line}"
    text = f"{place}: {diagnostic.message}" if place else diagnostic.message
    return f"    {printable(text, encoding=display.encoding)}"


def _writes_ellipsis(display: Display) -> bool:
    return "…".encode(display.encoding, "ignore") != b""
