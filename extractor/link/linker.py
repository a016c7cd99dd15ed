"""The facts of a whole tree to its records, and which more facts that takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass

from extractor.facts import FileFacts, RaiseSite
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

    Functions go by their names without a qualifier. `sites` are the raise sites, by path, line and column, that showed
    it: what else has to be known is mostly theirs.
    """

    files: tuple[str, ...]
    functions: tuple[tuple[str, frozenset[str]], ...]
    calls: tuple[str, ...]
    sites: frozenset[tuple[str, int, int]] = frozenset()


@dataclass(frozen=True, slots=True)
class Linked:
    """The records of all raise sites by path, line and column, what is wrong with these sites, and what link lacks.

    As long as there is a demand, the records are those of what is known so far. Answer it and link again: names and
    classes are followed only as far as some raise statement needs them, so most files of a tree are never scanned.
    """

    records: tuple[Record, ...]
    diagnostics: tuple[Diagnostic, ...]
    demand: Demand


def link(
    facts: Mapping[str, FileFacts],
    modules: Modules,
    permalinks: Permalinks,
    only: Collection[tuple[str, int, int]] | None = None,
    keep: Callable[[Record], None] | None = None,
) -> Linked:
    """Return what the facts of a tree come to.

    Args:
        facts: The facts of the files that were scanned, by path.
        modules: All files of the tree.
        permalinks: Makes links.
        only: Look at these raise sites alone (path, line and column), to find out what else has to be known; what is
            said of them is not final then.
        keep: Is given each record in place of `Linked.records`.

    """
    names = Names(modules, facts)
    hierarchy = Hierarchy(names)
    members = Members(hierarchy)
    functions = Functions(names, members)
    evaluation = Evaluation(names, members, functions)
    speech = Speech(hierarchy, evaluation, Instances(hierarchy, evaluation))
    callers = Callers(evaluation, facts)
    recorder = Recorder(hierarchy, speech, Makers(evaluation), callers, Identities(), permalinks)
    records: list[Record] = []
    take = keep or records.append
    asking: set[tuple[str, int, int]] = set()
    for path, site in _sites(facts, only):
        before = len(names.missing), functions.asked, len(callers.wanted)
        take(recorder.record(path, site))
        if (len(names.missing), functions.asked, len(callers.wanted)) != before:
            asking.add((path, site.line, site.column))
    wanted = tuple((path, frozenset(found)) for path, found in sorted(functions.wanted.items()))
    demand = Demand(tuple(sorted(names.missing)), wanted, tuple(sorted(callers.wanted)), frozenset(asking))
    return Linked(tuple(records), tuple(recorder.diagnostics), demand)


def _sites(
    facts: Mapping[str, FileFacts], only: Collection[tuple[str, int, int]] | None
) -> Iterator[tuple[str, RaiseSite]]:
    """Yield the raise sites by path, line and column."""
    for path in sorted(facts):
        for site in sorted(facts[path].sites, key=lambda site: (site.line, site.column)):
            if only is None or (path, site.line, site.column) in only:
                yield path, site
