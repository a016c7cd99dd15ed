"""A catalog on its way to a file: all of a corpus but its records, and those as lines of JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from tempfile import SpooledTemporaryFile
from typing import Literal
from weakref import finalize

from extractor.corpus import encode_line, json_pieces, line_pieces
from extractor.errors import UnwritableFileError
from extractor.model import Corpus, Record
from extractor.summary import Counts

Format = Literal["json", "jsonl"]
# In bytes: a project of half a million lines is below.
_MOST_IN_MEMORY = 16_000_000


@dataclass(frozen=True, slots=True)
class Document:
    """A corpus: `head` is all of it but its records, `lines` is one record each as JSON."""

    head: Corpus
    lines: Iterable[bytes]

    @property
    def data(self) -> bytes:
        """The corpus as JSON."""
        return b"".join(self.pieces("json"))

    def pieces(self, form: Format) -> Iterator[bytes]:
        """Yield the file in this format, piece by piece."""
        return (json_pieces if form == "json" else line_pieces)(self.head, self.lines)


class Lines:
    """Records encoded as they come, on disk where they are many, and what they add up to."""

    def __init__(self) -> None:
        self.counts = Counts()
        self._file = SpooledTemporaryFile(_MOST_IN_MEMORY)  # noqa: SIM115
        finalize(self, self._file.close)

    def add(self, record: Record) -> None:
        """Take one more record.

        Raises:
            UnwritableFileError: There is no room for temporary files.

        """
        try:
            self._file.write(encode_line(record) + b"\n")
        except OSError as error:
            raise UnwritableFileError("a temporary file", error) from error
        self.counts.add(record)

    def __iter__(self) -> Iterator[bytes]:
        self._file.seek(0)
        return (line.removesuffix(b"\n") for line in self._file)
