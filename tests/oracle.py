"""How the records fare against exceptions that were really raised: the table of an oracle.

    python -m tests.oracle ORACLE [LIBRARY …] [--jobs N] [--write]

prints the table; with --write it takes the place of the one in CONTRIBUTING.md. ORACLE is a folder that is made and
kept elsewhere: `sources.tsv` names releases, `events/` holds what their test suites raised, `to_neutral.py` turns a
corpus into what `score.py` reads. Both stay under build/oracle/, so that `score.py` can be asked for what is missed.
"""

from __future__ import annotations

import argparse
import csv
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from types import ModuleType
from typing import Any

from extractor.corpus import write_corpus
from extractor.errors import ExtractorError
from extractor.model import Corpus, Options, Record
from extractor.pipeline import available_cores, extract
from extractor.source import open_source

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "CONTRIBUTING.md"
_BUILD = ROOT / "build" / "oracle"
_PARTS = ("sources.tsv", "events", "to_neutral.py", "score.py")
_MARKER = "<!-- oracle -->\n"
_COLUMNS = ("library", "sites", "recall", "class", "certain", "then right", "precision", "match", "specific")

# A record or an event as the scorer reads it.
Line = dict[str, Any]
Place = tuple[str, int]


class OracleError(Exception):
    """There are no figures; the text is one line that says why and what to do."""


@dataclass(frozen=True, slots=True)
class Library:
    """A library of the oracle: its name there, and NAME==VERSION."""

    name: str
    release: str

    @property
    def stem(self) -> str:
        """The name of its files."""
        return f"{self.name}-{self.release.rpartition('==')[2]}"


@dataclass(frozen=True, slots=True)
class Evidence:
    """What is compared: a library's records, its events, and the places whose class raisedex calls certain."""

    records: list[Line]
    events: list[Line]
    certain: set[Place]

    def certain_only(self) -> Evidence:
        """Return what concerns those places."""
        records, events = ([line for line in lines if place_of(line) in self.certain] for lines in self.compared)
        return Evidence(records, events, self.certain)

    @property
    def compared(self) -> tuple[list[Line], list[Line]]:
        """What the scorer is given."""
        return self.records, self.events


def pooled(evidence: Iterable[Evidence]) -> Evidence:
    """Return the evidence of several libraries as that of one."""
    pool = Evidence([], [], set())
    for each in evidence:
        pool.records.extend(each.records)
        pool.events.extend(each.events)
        pool.certain.update(each.certain)
    return pool


def place_of(line: Line) -> Place:
    """Return where a record or an event is."""
    return line["path"], line["line"]


def read_libraries(oracle: Path) -> list[Library]:
    """Return the libraries of an oracle.

    Raises:
        OracleError: The folder is none.

    """
    if missing := [part for part in _PARTS if not (oracle / part).exists()]:
        raise OracleError(f"{str(oracle)!r} is no oracle, it has no {missing[0]}; name its folder")
    with (oracle / "sources.tsv").open(encoding="utf-8", newline="") as file:
        return [Library(row["library"], row["release"]) for row in csv.DictReader(file, delimiter="\t")]


def chosen(libraries: Sequence[Library], names: Sequence[str]) -> list[Library]:
    """Return the libraries of these names, all if there are none.

    Raises:
        OracleError: The oracle knows no such library.

    """
    known = {library.name: library for library in libraries}
    if unknown := [name for name in names if name not in known]:
        raise OracleError(f"no library {unknown[0]!r} in the oracle; it has {', '.join(known)}")
    return [known[name] for name in names] or list(libraries)


def installed(library: Library) -> Path:
    """Return a folder with what the release installs; the paths of the events are relative to that, not to its sdist.

    Raises:
        OracleError: Pip cannot install it.

    """
    folder = _BUILD / library.stem
    if not folder.exists():
        part = folder.with_name(f"{folder.name}.part")  # so that half a release is not taken for one
        shutil.rmtree(part, ignore_errors=True)
        options = ("-qq", "--disable-pip-version-check", "--no-deps", "--no-compile", "--target", str(part))
        ended = subprocess.run([sys.executable, "-m", "pip", "install", *options, library.release], check=False)
        if ended.returncode:
            raise OracleError(f"pip cannot install {library.release}; see above")
        part.rename(folder)
    return folder


def gather(library: Library, oracle: Path, scorer: ModuleType, *, jobs: int) -> Evidence:
    """Extract a release and return its records beside the events of the oracle."""
    corpus = extract(open_source(str(installed(library))), Options(), jobs=jobs)
    file = _BUILD / f"{library.stem}.json"
    write_corpus(corpus, file)
    command = [sys.executable, str(oracle / "to_neutral.py"), str(file)]
    neutral = file.with_suffix(".jsonl")
    neutral.write_bytes(subprocess.run(command, stdout=subprocess.PIPE, check=True).stdout)
    records = list(map(json.loads, neutral.read_text("utf-8").splitlines()))
    events = scorer.load(str(oracle / "events" / f"{library.stem}.jsonl.gz"))
    # Two libraries may have files of the same path.
    for line in (*records, *events):
        line["path"] = f"{library.name}/{line['path']}"
    return Evidence(records, events, {(f"{library.name}/{path}", line) for path, line in certain_places(corpus)})


def certain_places(corpus: Corpus) -> set[Place]:
    """Return the places where the class is certain in every variant of every record."""
    doubtful = {_place(record) for record in corpus.records if not has_certain_class(record)}
    return {_place(record) for record in corpus.records} - doubtful


def has_certain_class(record: Record) -> bool:
    """Return whether raisedex calls the class certain, whichever of its variants a record takes."""
    classes = [variant.exception or record.exception for variant in record.variants] or [record.exception]
    return all(each is not None and each.certain for each in classes)


def _place(record: Record) -> Place:
    return record.location.path, record.location.line


def figures(evidence: Evidence, scorer: ModuleType) -> dict[str, float | None]:
    """Return the scorer's figures, and the share of the certain classes that are right."""
    scores, _, _ = scorer.score(*evidence.compared)
    certain, _, _ = scorer.score(*evidence.certain_only().compared)
    return {
        "sites": scores["sites"],
        "recall": scores["site_recall"],
        "class": scores["type_exact"],
        "certain": 100 * certain["sites_new"] / scores["sites_new"] if scores["sites_new"] else None,
        "then right": certain["type_exact"],
        "precision": scores["msg_precision"],
        "match": scores["msg_match"],
        "specific": scores["msg_specific"],
    }


def mean(rows: Iterable[Mapping[str, float | None]]) -> dict[str, float | None]:
    """Return the mean of each figure over the libraries that have it."""
    known = {name: [row[name] for row in rows if row[name] is not None] for name in _COLUMNS[2:]}
    return {"sites": None} | {name: fmean(values) if values else None for name, values in known.items()}


def table(rows: Mapping[str, Mapping[str, float | None]]) -> str:
    """Return the rows as a table of Markdown that can be read on a terminal as well."""
    cells = [_COLUMNS, *((name, *(_cell(row[column]) for column in _COLUMNS[1:])) for name, row in rows.items())]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    rule = [f"{'-' * widths[0]}", *(f"{'-' * (width - 1)}:" for width in widths[1:])]
    lines = [[line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])] for line in cells]
    return "".join(f"| {' | '.join(line)} |\n" for line in [lines[0], rule, *lines[1:]])


def _cell(value: float | None) -> str:
    if value is None:
        return ""
    return f"{value:,}" if isinstance(value, int) else f"{value:.1f}"


def filled(page: str, made: str) -> str:
    """Return the page with the table behind the marker replaced."""
    return re.sub(rf"(?<={re.escape(_MARKER)})(?:\|.*\n)*", lambda _: made, page, count=1)


def measure(libraries: Sequence[Library], oracle: Path, *, jobs: int) -> str:
    """Return the table of these libraries."""
    scorer = load_module(oracle / "score.py")
    evidence = {}
    for library in libraries:
        print(library.release, file=sys.stderr)
        evidence[library.name] = gather(library, oracle, scorer, jobs=jobs)
    rows = {name: figures(each, scorer) for name, each in evidence.items()}
    summary = {"pooled": figures(pooled(evidence.values()), scorer), "mean": mean(list(rows.values()))}
    return table(summary | rows)


def load_module(path: Path) -> ModuleType:
    """Return a file that is on no search path as a module."""
    module = ModuleType(path.stem)
    # Not by way of an import system's loader, which would leave its byte code in a folder that is not ours.
    exec(compile(path.read_bytes(), str(path), "exec"), vars(module))
    return module


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; what goes wrong becomes one line and exit code 2."""
    parser = argparse.ArgumentParser(prog="python -m tests.oracle", description="Score raisedex against an oracle.")
    parser.add_argument("oracle", type=Path, help="the oracle's folder")
    parser.add_argument("libraries", nargs="*", metavar="library", help="a library of sources.tsv (default: all)")
    parser.add_argument("--jobs", type=int, default=available_cores(), help="how many processes scan files")
    parser.add_argument("--write", action="store_true", help=f"put the table into {PAGE.name}")
    options = parser.parse_args(arguments)
    try:
        if options.write and options.libraries:
            raise OracleError("--write is for all libraries; name none")
        libraries = chosen(read_libraries(options.oracle), options.libraries)
        made = measure(libraries, options.oracle, jobs=options.jobs)
    except (OracleError, ExtractorError) as error:
        print(f"tests.oracle: {error}", file=sys.stderr)
        return 2
    print(made, end="")
    if options.write:
        PAGE.write_text(filled(PAGE.read_text("utf-8"), made), "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
