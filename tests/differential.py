"""The same records by two ways: with all that LibCST is not shown cut away, and with LibCST parsing whole files.

    python -m tests.differential FOLDER

takes minutes for a large tree, prints what differs and ends with 1 if something does.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import fields
from functools import partial
from unittest import mock

from extractor import scan as package
from extractor.model import Corpus, Options, Record
from extractor.pipeline import extract
from extractor.source import open_source


def both_ways(folder: str, exclude: Sequence[str] = ()) -> tuple[Corpus, Corpus]:
    """Return the catalog of a folder as usual, and with whole files parsed."""
    tree = open_source(folder, exclude=exclude)
    options = Options(exclude=tuple(exclude))
    usual = extract(tree, options)
    with mock.patch.object(package, "scan", partial(package.scan, whole=True)):
        return usual, extract(tree, options)


def differences(usual: Corpus, whole: Corpus) -> Iterator[str]:
    """Yield a line for each record and diagnostic that is not the same in both."""
    if len(usual.records) != len(whole.records):
        yield f"{len(usual.records)} records, {len(whole.records)} with whole files"
    for one, other in zip(usual.records, whole.records, strict=False):
        if one != other:
            yield f"{one.location.path}:{one.location.line}: {', '.join(_differing(one, other))}"
    if usual.diagnostics != whole.diagnostics:
        yield "the diagnostics differ"


def _differing(one: Record, other: Record) -> Iterator[str]:
    for field in fields(one):
        if getattr(one, field.name) != getattr(other, field.name):
            yield field.name


def main() -> None:
    """Compare both ways for a folder."""
    usual, whole = both_ways(sys.argv[1])
    found = list(differences(usual, whole))
    print(*found, f"{len(usual.records)} records, {len(found)} differences", sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
