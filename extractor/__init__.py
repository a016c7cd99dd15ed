"""raisedex: the error catalog of a Python project, made from its source."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from extractor.corpus import encode, read_corpus, write_corpus
    from extractor.errors import ExtractorError
    from extractor.lookup import look_up
    from extractor.model import Corpus, Options, Record
    from extractor.pipeline import extract
    from extractor.source import open_source

__version__ = "0.1.0"

__all__ = [
    "Corpus",
    "ExtractorError",
    "Options",
    "Record",
    "encode",
    "extract",
    "look_up",
    "open_source",
    "read_corpus",
    "write_corpus",
]

_PLACES = {
    "Corpus": "extractor.model",
    "ExtractorError": "extractor.errors",
    "Options": "extractor.model",
    "Record": "extractor.model",
    "encode": "extractor.corpus",
    "extract": "extractor.pipeline",
    "look_up": "extractor.lookup",
    "open_source": "extractor.source",
    "read_corpus": "extractor.corpus",
    "write_corpus": "extractor.corpus",
}


def __getattr__(name: str) -> Any:
    # LibCST and networkx take longer to import than most commands run.
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_PLACES[name]), name)
