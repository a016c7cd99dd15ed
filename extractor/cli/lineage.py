"""What `extract` takes over from an earlier corpus or a history: ids, first revisions, and what is gone."""

from __future__ import annotations

from dataclasses import replace

from extractor.corpus import decode, encode_line, read_bytes, read_corpus
from extractor.diff.lineage import inherit
from extractor.document import Document
from extractor.history import apply_history, decode_history
from extractor.model import Corpus, SourceInfo


def with_lineage(document: Document, *, previous: str | None, history: str | None) -> Document:
    """Return a catalog with what an earlier corpus or a history, both files, says of its errors.

    Raises:
        UnreadableFileError: The file cannot be read.
        NotACorpusError, SchemaVersionError, MalformedCorpusError: The earlier corpus is none.
        InvalidHistoryError: The history is none.

    """
    corpus = decode(document.data, name="the new corpus")
    revision = _revision(corpus.source)
    if previous is not None:
        old = read_corpus(previous)
        found = inherit(old, corpus, revision=revision, previous=_revision(old.source)).corpus
    else:
        assert history is not None
        found = apply_history(decode_history(read_bytes(history), name=history), corpus, revision)
    return _document(found)


def _document(corpus: Corpus) -> Document:
    return Document(replace(corpus, records=()), [encode_line(record) for record in corpus.records])


def _revision(source: SourceInfo) -> str | None:
    """Return what a revision is called: a release by its version, a commit by what the operator called it."""
    if source.kind == "git":
        return source.revision if source.revision not in (None, "HEAD") else (source.commit or "")[:12] or None
    return source.version or source.revision
