"""The facts of a whole tree to its records, and which more facts that takes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from extractor.facts import FileFacts
from extractor.link.callers import Callers
from extractor.link.evaluation import Evaluation
from extractor.link.functions import Functions
from extractor.link.hierarchy import Hierarchy
from extractor.link.identity import Identities
from extractor.link.instances import Instances
from extractor.link.makers import Makers
from extractor.link.members import Members
from extractor.link.modules import Modules
from extractor.link.names import Names
from extractor.link.records import Permalinks, Recorder
from extractor.link.speech import Speech
from extractor.model import Diagnostic, Record


@dataclass(frozen=True, slots=True)
class Demand:
    """What link would have to know, sorted: files, functions of files, and calls of functions in any file.

    Functions go by their names without a qualifier.
    """

    files: tuple[str, ...]
    functions: tuple[tuple[str, frozenset[str]], ...]
    calls: tuple[str, ...]


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
    names = Names(modules, facts)
    hierarchy = Hierarchy(names)
    members = Members(hierarchy)
    evaluation = Evaluation(names, members, Functions(names, members))
    speech = Speech(hierarchy, evaluation, Instances(hierarchy, evaluation))
    callers = Callers(evaluation, facts)
    recorder = Recorder(hierarchy, speech, Makers(evaluation), callers, Identities(), permalinks)
    records = tuple(
        recorder.record(path, site)
        for path in sorted(facts)
        for site in sorted(facts[path].sites, key=lambda site: (site.line, site.column))
    )
    functions = ((path, frozenset(wanted)) for path, wanted in sorted(evaluation.functions.wanted.items()))
    demand = Demand(tuple(sorted(names.missing)), tuple(functions), tuple(sorted(callers.wanted)))
    return Linked(records, tuple(recorder.diagnostics), demand)
