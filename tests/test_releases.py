"""A real release, end to end: vLLM 0.28.0 against facts that were found without raisedex.

The release comes from the package index that pip is configured for. Where that cannot be reached, these tests fail.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tarfile
import warnings
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from extractor.corpus import encode
from extractor.errors import ExtractorError
from extractor.model import Corpus, Diagnostic, Guard, Options, Record
from extractor.pipeline import extract
from extractor.source import Tree, open_source
from extractor.validation import validate

FACTS = json.loads((Path(__file__).parent.parent / "fixtures" / "releases" / "vllm-0.28.0.json").read_text("utf-8"))
SEEDS = FACTS["raise_sites"]
PACKAGE = FACTS["package"]

# The release is read once, so all of this belongs on one worker of pytest-xdist.
pytestmark = pytest.mark.xdist_group("vllm-0.28.0")

# (line, column, end line, end column), as raisedex counts
Place = tuple[int, int, int, int]


@pytest.fixture(scope="module")
def tree() -> Tree:
    """Open the release."""
    try:
        return open_source(FACTS["release"], sha256=FACTS["sha256"])
    except ExtractorError as error:
        pytest.fail(f"the release cannot be had: {error}")


@pytest.fixture(scope="module")
def corpus(tree: Tree) -> Corpus:
    """Return its catalog."""
    return extract(tree, Options(), jobs=2)


@pytest.fixture(scope="module")
def encoded(corpus: Corpus) -> bytes:
    """Return the bytes of the catalog."""
    return encode(corpus)


@pytest.fixture(scope="module")
def sources(tree: Tree) -> dict[str, bytes]:
    """Return the bytes of every file."""
    return {entry.path: content for entry, content in tree.read(tree.entries) if not isinstance(content, Diagnostic)}


@pytest.fixture(scope="module")
def statements(sources: Mapping[str, bytes]) -> dict[str, dict[Place, ast.Raise]]:
    """Return the raise statements that Python itself finds, by path and place."""
    return {path: found for path, content in sources.items() if (found := _raises(content))}


def _raises(content: bytes) -> dict[Place, ast.Raise]:
    if b"raise" not in content:
        return {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        module = ast.parse(content)
    lines = content.decode("utf-8-sig").splitlines(keepends=True) if not content.isascii() else []

    @cache
    def characters(line: int, offset: int) -> int:
        # `ast` counts bytes.
        return len(lines[line - 1].encode()[:offset].decode()) if lines else offset

    return {
        (
            node.lineno,
            characters(node.lineno, node.col_offset),
            node.end_lineno or 0,
            characters(node.end_lineno or 0, node.end_col_offset or 0),
        ): node
        for node in ast.walk(module)
        if isinstance(node, ast.Raise)
    }


def _place(record: Record) -> Place:
    location = record.location
    return location.line, location.column, location.end_line, location.end_column


def _raised_name(statement: ast.Raise) -> str | None:
    raised = statement.exc.func if isinstance(statement.exc, ast.Call) else statement.exc
    return raised.id if isinstance(raised, ast.Name) else None


def test_the_source_says_what_it_is(tree: Tree) -> None:
    info = tree.info

    assert FACTS["release"] == f"{info.name}=={info.version}"
    assert ("release", FACTS["sha256"]) == (info.kind, info.sha256)
    assert (FACTS["license"], FACTS["repository"]) == (info.license, info.repository)


def test_every_file_is_read(corpus: Corpus, sources: Mapping[str, bytes]) -> None:
    assert FACTS["files"] == corpus.summary.files == len(sources)
    assert PACKAGE["files"] == sum(path.startswith(PACKAGE["folder"]) for path in sources)


def test_the_diagnostics_are_raise_statements_that_go_wrong(corpus: Corpus) -> None:
    """No file is lost; each of these puts values beside a text with fields for them."""
    found: dict[str, list[str]] = {}
    for each in corpus.diagnostics:
        found.setdefault(each.code, []).append(f"{each.path}:{each.line}")

    assert FACTS["diagnostics"] == found


def test_there_is_a_record_at_exactly_the_places_where_python_finds_a_raise(
    corpus: Corpus, statements: Mapping[str, Mapping[Place, ast.Raise]]
) -> None:
    found: dict[str, set[Place]] = {}
    for record in corpus.records:
        found.setdefault(record.location.path, set()).add(_place(record))

    assert {path: set(places) for path, places in statements.items()} == found


def test_the_number_of_raise_statements(corpus: Corpus) -> None:
    assert FACTS["raise_statements"] == len(corpus.records) == corpus.summary.records
    assert PACKAGE["raise_statements"] == len(_in_package(corpus))


def _in_package(corpus: Corpus) -> list[Record]:
    return [record for record in corpus.records if record.location.path.startswith(PACKAGE["folder"])]


def test_what_is_raised_by_name_has_that_class(
    corpus: Corpus, statements: Mapping[str, Mapping[Place, ast.Raise]]
) -> None:
    """As many as the facts say, and the record says the same as the statement."""
    names = [(_raised_name(statements[record.location.path][_place(record)]), record) for record in _in_package(corpus)]
    counts = Counter(name for name, _ in names if name in PACKAGE["raised_by_name"])

    assert PACKAGE["raised_by_name"] == counts
    assert [] == [
        record.location
        for name, record in names
        if name in PACKAGE["raised_by_name"] and (record.exception is None or record.exception.name != name)
    ]


@pytest.mark.parametrize("qualified_name", FACTS["classes"])
def test_a_class_of_the_tree_has_its_real_ancestors(corpus: Corpus, qualified_name: str) -> None:
    """`VLLMValidationError` is no ValueError in this release."""
    found = {
        (record.exception.ancestors, record.exception.certain)
        for record in corpus.records
        if record.exception and record.exception.qualified_name == qualified_name
    }

    assert {(tuple(FACTS["classes"][qualified_name]), True)} == found


@pytest.fixture(params=SEEDS, ids=lambda seed: f"{seed['path']}:{seed['line']}")
def seed(request: pytest.FixtureRequest) -> dict[str, Any]:
    """Return the facts of one seed."""
    facts: dict[str, Any] = request.param
    return facts


@pytest.fixture
def record(corpus: Corpus, seed: dict[str, Any]) -> Record:
    """Return its record."""
    place = (seed["path"], seed["line"])
    (found,) = [each for each in corpus.records if (each.location.path, each.location.line) == place]
    return found


def test_the_seed_has_its_class_and_message(record: Record, seed: dict[str, Any]) -> None:
    assert record.exception is not None
    (variant,) = record.variants

    assert seed["exception"] == record.exception.qualified_name
    assert seed["message"] == record.message
    assert (seed["kind"], seed["form"], None) == (record.kind, variant.form, record.unresolved)
    assert (True, None, None) == (record.escapes, record.handler, record.cause)


def test_the_seed_stands_where_it_stands(record: Record, seed: dict[str, Any]) -> None:
    place = tuple(seed[name] for name in ("line", "column", "end_line", "end_column"))

    assert place == _place(record)
    assert (seed["scope"], "vllm.config.compilation") == (record.location.scope, record.location.module)


def test_the_seed_has_its_whole_path_condition(record: Record, seed: dict[str, Any]) -> None:
    """Found by reading the function, not by running raisedex."""
    expected = [Guard(kind, text, holds, line) for kind, line, holds, text in seed["guards"]]

    assert expected == list(record.guards)


def test_the_seed_has_its_context(record: Record, seed: dict[str, Any]) -> None:
    digest = hashlib.sha256("\n".join(record.context.lines).encode()).hexdigest()

    assert seed["context"] == {
        "first_line": record.context.first_line,
        "lines": len(record.context.lines),
        "sha256": digest,
    }


def test_ids_are_unique(corpus: Corpus) -> None:
    ids = {record.id for record in corpus.records}

    assert FACTS["raise_statements"] == len(ids)
    assert all(len(each) == 16 and int(each, 16) >= 0 for each in ids)


def test_records_are_in_order(corpus: Corpus) -> None:
    places = [(record.location.path, *_place(record)) for record in corpus.records]

    assert sorted(places) == places


def test_every_context_is_what_the_file_has(corpus: Corpus, sources: Mapping[str, bytes]) -> None:
    @cache
    def lines(path: str) -> list[str]:
        return sources[path].decode("utf-8-sig").replace("\r\n", "\n").split("\n")

    for record in corpus.records:
        context = record.context
        start = context.first_line - 1
        assert list(context.lines) == lines(record.location.path)[start : start + len(context.lines)]
        assert start == max(0, record.location.line - 1 - corpus.options.context)


def test_the_corpus_is_valid(encoded: bytes) -> None:
    assert () == validate(encoded)


def test_the_unpacked_archive_gives_the_same_bytes_with_one_process(
    corpus: Corpus, encoded: bytes, tmp_path: Path
) -> None:
    """But for what the source says of itself."""
    file = _archive(corpus)
    with tarfile.open(file) as archive:
        archive.extractall(tmp_path, filter="data")
    folder = tmp_path / FACTS["release"].replace("==", "-")
    unpacked = extract(open_source(str(folder)), Options(), jobs=1)

    assert encoded == encode(replace(unpacked, source=corpus.source))


def _archive(corpus: Corpus) -> Path:
    """Return the archive in the cache that the release was kept in."""
    from extractor.folders import cache_folder

    found = list(Path(cache_folder()).glob(f"releases/sha256-{corpus.source.sha256}/*.tar.gz"))
    assert 1 == len(found)
    assert corpus.source.sha256 == hashlib.sha256(found[0].read_bytes()).hexdigest()
    return found[0]
