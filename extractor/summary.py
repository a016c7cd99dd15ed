"""What a corpus adds up to: the counts that `extract` writes and `validate` counts again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from extractor.model import Diagnostic, Record, Summary


@dataclass(slots=True)
class Counts:
    """Counts records one by one: by kind, class name, form of the first variant, and reason."""

    records: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    exceptions: Counter[str] = field(default_factory=Counter)
    forms: Counter[str] = field(default_factory=Counter)
    unresolved: Counter[str] = field(default_factory=Counter)

    def add(self, record: Record) -> None:
        """Count one record."""
        self.records += 1
        self.kinds[record.kind] += 1
        if record.exception:
            self.exceptions[record.exception.name] += 1
        if record.variants:
            self.forms[record.variants[0].form] += 1
        if record.unresolved:
            self.unresolved[record.unresolved] += 1

    def summary(self, diagnostics: Sequence[Diagnostic], *, files: int, lines: int) -> Summary:
        """Return the counts so far, with those of the diagnostics by code."""
        return Summary(
            files=files,
            lines=lines,
            records=self.records,
            by_kind=_sorted(self.kinds),
            by_exception=_sorted(self.exceptions),
            by_form=_sorted(self.forms),
            unresolved=_sorted(self.unresolved),
            diagnostics=_sorted(Counter(diagnostic.code for diagnostic in diagnostics)),
        )


def summarize(records: Iterable[Record], diagnostics: Sequence[Diagnostic], *, files: int, lines: int) -> Summary:
    """Count all records and diagnostics of a corpus."""
    counts = Counts()
    for record in records:
        counts.add(record)
    return counts.summary(diagnostics, files=files, lines=lines)


def _sorted(counter: Counter[str]) -> dict[str, int]:
    return dict(sorted(counter.items(), key=lambda count: (-count[1], count[0])))
