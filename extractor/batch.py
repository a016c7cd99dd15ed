"""What became of many projects: the nouns of a batch's summary, and the summary as bytes and back."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Literal

from extractor import __version__
from extractor.model import Corpus, Options, Tool

BATCH_VERSION = 1
"""The version of the format of a summary."""

Status = Literal["done", "failed", "pending"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one project.

    Attributes:
        project: Its line in the list.
        status: Whether it is done, failed, or was not come to yet.
        file: Its corpus, in the folder of the summary; None unless it is done.
        sha256: The digest of that file.
        key: The digest of what the corpus was made from and by; what is done under the same key is not done again.
        error: Why it failed, one line.
        files: How many files it has.
        lines: How many lines these have.
        records: How many raise sites its corpus has.
        unresolved: How many of these are unresolved.
        diagnostics: How many diagnostics its corpus has.

    """

    project: str
    status: Status
    file: str | None = None
    sha256: str | None = None
    key: str | None = None
    error: str | None = None
    files: int = 0
    lines: int = 0
    records: int = 0
    unresolved: int = 0
    diagnostics: int = 0


@dataclass(frozen=True, slots=True)
class Totals:
    """How many projects there are, and of which status, and the sums of what each has."""

    projects: int
    done: int
    failed: int
    pending: int
    files: int
    lines: int
    records: int
    unresolved: int
    diagnostics: int


@dataclass(frozen=True, slots=True)
class Batch:
    """The projects of a list in its order, what became of them, and counts over all."""

    schema_version: int
    tool: Tool
    options: Options
    summary: Totals
    projects: tuple[Outcome, ...]


def make_batch(options: Options, outcomes: Sequence[Outcome]) -> Batch:
    """Return the batch of these outcomes."""
    statuses = Counter(each.status for each in outcomes)
    totals = Totals(
        projects=len(outcomes),
        done=statuses["done"],
        failed=statuses["failed"],
        pending=statuses["pending"],
        files=sum(each.files for each in outcomes),
        lines=sum(each.lines for each in outcomes),
        records=sum(each.records for each in outcomes),
        unresolved=sum(each.unresolved for each in outcomes),
        diagnostics=sum(each.diagnostics for each in outcomes),
    )
    return Batch(BATCH_VERSION, Tool("raisedex", __version__), options, totals, tuple(outcomes))


def make_outcome(project: str, corpus: Corpus, *, file: str, sha256: str, key: str) -> Outcome:
    """Return the outcome of a project that is done; of its corpus only the counts are read."""
    counts = corpus.summary
    return Outcome(
        project,
        "done",
        file=file,
        sha256=sha256,
        key=key,
        files=counts.files,
        lines=counts.lines,
        records=counts.records,
        unresolved=sum(counts.unresolved.values()),
        diagnostics=sum(counts.diagnostics.values()),
    )


def encode_batch(batch: Batch) -> bytes:
    """Return the batch as JSON, each project on a line of its own."""
    members = [f'"{field.name}":{_dump(getattr(batch, field.name))}' for field in fields(batch)[:-1]]
    projects = ",\n".join(map(_dump, batch.projects))
    members.append(f'"projects":[\n{projects}\n]' if projects else '"projects":[]')
    return ("{\n" + ",\n".join(members) + "\n}\n").encode()


def decode_outcomes(data: bytes) -> dict[str, Outcome] | None:
    """Return the outcomes that a summary has keys for, by key; None if the bytes are no summary of ours."""
    try:
        raw = json.loads(data)
        if raw["tool"]["name"] != "raisedex" or not isinstance(raw["projects"], list):
            return None
        if raw["schema_version"] != BATCH_VERSION:
            return {}
        found = [Outcome(**each) for each in raw["projects"]]
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return {each.key: each for each in found if each.key is not None}


def _dump(value: object) -> str:
    return json.dumps(value, default=asdict, separators=(",", ":"))
