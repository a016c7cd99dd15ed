"""A catalog on its way to a file: all of a corpus but its records, and those as lines of JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal

from extractor.corpus import encode_line, json_pieces, line_pieces
from extractor.model import Corpus, Record
from extractor.summary import Counts

Format = Literal["json", "jsonl"]


@dataclass(frozen=True, slots=True)
class Document:
    """A corpus: `head` is all of it but its records, `lines` is one record each as JSON."""

    head: Corpus
    lines: Sequence[bytes]

    @property
    def data(self) -> bytes:
        """The corpus as JSON."""
        return b"".join(self.pieces("json"))

    def pieces(self, form: Format) -> Iterator[bytes]:
        """Yield the file in this format, piece by piece."""
        return (json_pieces if form == "json" else line_pieces)(self.head, self.lines)


@dataclass(slots=True)
class Lines:
    """Records encoded as they come, and what they add up to."""

    lines: list[bytes] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)

    def add(self, record: Record) -> None:
        """Take one more record."""
        self.lines.append(encode_line(record))
        self.counts.add(record)
