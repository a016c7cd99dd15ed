"""What a corpus adds up to: the counts that `extract` writes and `validate` counts again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from extractor.model import Diagnostic, Record, Summary


def summarize(records: Sequence[Record], diagnostics: Sequence[Diagnostic], *, files: int, lines: int) -> Summary:
    """Count the records by kind, class name, form of the first variant and reason, and the diagnostics by code."""
    return Summary(
        files=files,
        lines=lines,
        records=len(records),
        by_kind=_counts(record.kind for record in records),
        by_exception=_counts(record.exception.name for record in records if record.exception),
        by_form=_counts(record.variants[0].form for record in records if record.variants),
        unresolved=_counts(record.unresolved for record in records if record.unresolved),
        diagnostics=_counts(diagnostic.code for diagnostic in diagnostics),
    )


def _counts(words: Iterable[str]) -> dict[str, int]:
    return dict(sorted(Counter(words).items(), key=lambda count: (-count[1], count[0])))
