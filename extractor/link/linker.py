"""The facts of a whole tree to its records, and which more facts that takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from extractor.facts import FileFacts
from extractor.link.hierarchy import Hierarchy
from extractor.link.identity import Identities
from extractor.link.modules import Modules
from extractor.link.names import Names
from extractor.link.records import Permalinks, Recorder
from extractor.link.speech import Speech
from extractor.model import Diagnostic, Record


@dataclass(frozen=True, slots=True)
class Demand:
    """Files that link would have to know, or to know in more detail, sorted."""

    missing: tuple[str, ...]
    thorough: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.missing or self.thorough)


@dataclass(frozen=True, slots=True)
class Linked:
    """The records of all raise sites by path, line and column, what is wrong with these sites, and what link lacks.

    As long as there is a demand, the records are those of what is known so far. Answer it and link again: names and
    classes are followed only as far as some raise statement needs them, so most files of a tree are never scanned.
    """

    records: tuple[Record, ...]
    diagnostics: tuple[Diagnostic, ...]
    demand: Demand


def link(facts: Mapping[str, FileFacts], modules: Modules, permalinks: Permalinks) -> Linked:
    """Return what the facts of a tree come to."""
    hierarchy = Hierarchy(Names(modules, facts))
    recorder = Recorder(hierarchy, Speech(hierarchy), Identities(), permalinks)
    records = tuple(
        recorder.record(path, site)
        for path in sorted(facts)
        for site in sorted(facts[path].sites, key=lambda site: (site.line, site.column))
    )
    demand = Demand(tuple(sorted(hierarchy.names.missing)), tuple(sorted(recorder.speech.thorough)))
    return Linked(records, tuple(recorder.diagnostics), demand)
