"""A corpus keeps all it holds on the way through a file, and what is no corpus is refused in one line."""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Callable
from dataclasses import MISSING, fields, replace
from pathlib import Path
from typing import Any

import pytest

from extractor.corpus import decode, encode, encode_line, encode_record, line_pieces, read_corpus, write_corpus
from extractor.errors import (
    ExtractorError,
    MalformedCorpusError,
    NotACorpusError,
    SchemaVersionError,
    UnreadableFileError,
    UnwritableFileError,
)
from extractor.model import Corpus, Record
from tests.sample import CORPUS, HOSTILE, SEED, corpus_of, worded


@pytest.mark.parametrize("corpus", [CORPUS, corpus_of(), corpus_of(*map(worded, HOSTILE))])
def test_decode_gives_back_what_encode_took(corpus: Corpus) -> None:
    """Nothing is lost or changed, whatever the analysed code holds."""
    assert corpus == decode(encode(corpus), name="corpus.json")


def as_lines(corpus: Corpus) -> bytes:
    """Return a corpus as JSON Lines."""
    return b"".join(line_pieces(replace(corpus, records=()), map(encode_line, corpus.records)))


@pytest.mark.parametrize("corpus", [CORPUS, corpus_of(), corpus_of(*map(worded, HOSTILE))])
def test_decode_gives_back_what_stands_in_lines(corpus: Corpus) -> None:
    """JSON Lines hold the same corpus: its head, then one record a line."""
    head, *records = as_lines(corpus).splitlines()

    assert corpus == decode(as_lines(corpus), name="corpus.jsonl")
    assert "records" not in json.loads(head)
    assert [record.id for record in corpus.records] == [json.loads(record)["id"] for record in records]


@pytest.mark.parametrize(
    ("spoil", "defect"),
    [
        (lambda lines: lines[:-1], "records, which is not what its first line says"),
        (lambda lines: [*lines, lines[-1]], "records, which is not what its first line says"),
        (lambda lines: lines[:1], "is JSON but no corpus"),
        (lambda lines: [*lines[:-1], lines[-1][:-9]], "is cut off at its end"),
        (lambda lines: [lines[0], b"{", *lines[2:]], "is not JSON in line 2"),
        (lambda lines: [lines[0], b"", *lines[1:]], "is not JSON in line 2"),
    ],
)
def test_lines_that_are_missing_or_spoiled_are_refused(
    spoil: Callable[[list[bytes]], list[bytes]], defect: str
) -> None:
    """No record is lost silently."""
    lines = as_lines(CORPUS).splitlines()

    with pytest.raises(NotACorpusError, match=defect):
        decode(b"\n".join(spoil(lines)) + b"\n", name="corpus.jsonl")


@pytest.mark.parametrize("text", HOSTILE)
def test_encoded_text_is_json_for_everybody(text: str) -> None:
    """The standard library reads the same text, also where orjson would refuse it."""
    written = json.loads(encode(corpus_of(worded(text))))

    assert text == written["records"][0]["message"]


def test_each_record_has_a_line_of_its_own() -> None:
    """Line-based tools find a record and compare two corpora."""
    lines = encode(CORPUS).decode().split("\n")

    whole = [json.loads(line.removesuffix(","))["id"] for line in lines if line.startswith('{"id"')]

    assert [record.id for record in CORPUS.records] == whole


def test_fields_stand_in_the_order_of_the_model() -> None:
    """The order in the file is that of the dataclass."""
    written = json.loads(encode(CORPUS))

    assert [field.name for field in fields(Corpus)] == list(written)
    assert [field.name for field in fields(Record)] == list(written["records"][0])


def test_encode_record_gives_the_record_as_the_corpus_has_it() -> None:
    """Indented or on one line, the record is the same."""
    assert json.loads(encode(CORPUS))["records"][3] == json.loads(encode_record(SEED))


def test_unknown_keys_are_ignored() -> None:
    """A corpus that another tool wrote may say more."""
    raw = json.loads(encode(CORPUS))
    for part in (raw, raw["source"], raw["records"][0], raw["records"][0]["location"], raw["records"][3]["guards"][0]):
        part["extra"] = {"of": ["another", "tool"]}

    assert CORPUS == decode(json.dumps(raw).encode(), name="corpus.json")


def test_fields_with_a_default_may_be_missing() -> None:
    """A corpus that another tool wrote may say less."""
    raw = json.loads(encode(CORPUS))
    for key in ("sha256", "subdirectory", "modified"):
        del raw["source"][key]
    del raw["options"]["context"], raw["options"]["include"]
    for guard in raw["records"][3]["guards"]:
        del guard["certain"], guard["stale"], guard["expanded"]
    del raw["records"][3]["variants"][0]["segments"][1]["format_spec"]
    del raw["records"][3]["variants"][0]["exception"]
    for key in ("documented", "applied_to", "surface"):
        del raw["records"][3][key]

    assert CORPUS == decode(json.dumps(raw).encode(), name="corpus.json")


@pytest.mark.parametrize(
    ("data", "expected", "reason"),
    [
        (b"", NotACorpusError, "c.json is empty"),
        (b" \n", NotACorpusError, "c.json is empty"),
        (b"raise ValueError", NotACorpusError, "c.json is not JSON (line 1, column 1)"),
        (b'{"a": 1,\n nope}', NotACorpusError, "c.json is not JSON (line 2, column 2)"),
        (b"\xff\xfe{\x00}\x00", NotACorpusError, "c.json is not JSON (line 1, column 1)"),
        (b'{"a": "\\ud800", nope}', NotACorpusError, "c.json is not JSON (line 1"),
        (b"[" * 100_000, NotACorpusError, "c.json is not JSON (line 1"),
        (b"[]", NotACorpusError, "c.json is JSON but no corpus"),
        (b'"records"', NotACorpusError, "c.json is JSON but no corpus"),
        (b'{"version": "2.1.0", "runs": []}', NotACorpusError, "c.json is JSON but no corpus"),
        (
            b'{"schema_version": 2, "records": {}}',
            SchemaVersionError,
            "version 2, this raisedex reads 1; update raisedex",
        ),
        (
            b'{"schema_version": 0, "records": []}',
            SchemaVersionError,
            "version 0, this raisedex reads 1; extract it again",
        ),
        (b'{"schema_version": true, "records": []}', MalformedCorpusError, "schema_version must be a whole number"),
        (b'{"schema_version": 1, "records": []}', MalformedCorpusError, "id_version is missing"),
    ],
)
def test_what_is_no_corpus_is_refused_in_one_line(data: bytes, expected: type[ExtractorError], reason: str) -> None:
    """The line says what is wrong and what to do."""
    with pytest.raises(expected) as refusal:
        decode(data, name="c.json")

    assert reason in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_every_truncated_corpus_is_refused_as_cut_off() -> None:
    """No beginning of a corpus passes for one, wherever it ends."""
    data = encode(CORPUS).rstrip()

    for length in range(1, len(data), 97):
        with pytest.raises(NotACorpusError, match="is cut off at its end"):
            decode(data[:length], name="c.json")


def _set(*path: str | int, to: object) -> Callable[[Any], None]:
    def change(raw: Any) -> None:
        for key in path[:-1]:
            raw = raw[key]
        raw[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_set("records", 1, to=None), "records[1] must be an object"),
        (_set("records", to={}), "records must be a list"),
        (_set("records", 2, "id", to=7), "records[2].id must be a string"),
        (
            _set("records", 0, "kind", to="fault"),
            "records[0].kind must be one of error, reraise, abstract, unreachable",
        ),
        (_set("records", 0, "unresolved", to="magic"), "records[0].unresolved must be one of attribute, call,"),
        (_set("records", 0, "escapes", to=1), "records[0].escapes must be true or false"),
        (_set("records", 0, "cause", to=[]), "records[0].cause must be a string or null"),
        (_set("records", 0, "location", "line", to="22"), "records[0].location.line must be a whole number"),
        (_set("records", 0, "location", "line", to=True), "records[0].location.line must be a whole number"),
        (
            _set("records", 0, "exception", "ancestors", to=[None]),
            "records[0].exception.ancestors must be a list of str",
        ),
        (_set("records", 0, "context", "lines", 1, to=3), "records[0].context.lines must be a list of strings"),
        (_set("records", 3, "guards", 2, "holds", to=None), "records[3].guards[2].holds must be true or false"),
        (
            _set("records", 0, "variants", 1, "segments", 0, to=5),
            "records[0].variants[1].segments[0] must be an object",
        ),
        (_set("records", 0, "variants", 1, "segments", 1, to={}), "variants[1].segments[1].expression is missing"),
        (_set("records", 0, "handler", to="KeyError"), "records[0].handler must be an object"),
        (_set("records", 0, "documented", to=["a"]), "records[0].documented must be a string or null"),
        (_set("records", 0, "applied_to", to="mix"), "records[0].applied_to must be a list"),
        (_set("records", 0, "surface", to={}), "records[0].surface.patterns is missing"),
        (_set("records", 0, "surface", "patterns", 0, to=1), "surface.patterns must be a list of strings and nulls"),
        (_set("source", "kind", to="ftp"), "source.kind must be one of folder, file, git, archive, release"),
        (_set("summary", "by_kind", to={"error": "4"}), "summary.by_kind must map strings to whole numbers"),
        (_set("diagnostics", 0, "line", to="3"), "diagnostics[0].line must be a whole number"),
    ],
)
def test_a_wrong_value_is_refused_by_its_place(change: Callable[[Any], None], expected: str) -> None:
    """The message names the record's index and the field."""
    raw = json.loads(encode(CORPUS))
    change(raw)

    with pytest.raises(MalformedCorpusError) as refusal:
        decode(json.dumps(raw).encode(), name="c.json")

    assert expected in str(refusal.value)


@pytest.mark.parametrize("field", [field.name for field in fields(Record) if field.default is MISSING])
def test_a_record_without_one_of_its_fields_is_refused(field: str) -> None:
    """Every field of a record is required but those that have a default."""
    raw = json.loads(encode(CORPUS))
    del raw["records"][2][field]

    with pytest.raises(MalformedCorpusError, match=rf"c\.json: records\[2\]\.{field} is missing"):
        decode(json.dumps(raw).encode(), name="c.json")


def test_read_gives_back_what_write_took(tmp_path: Path) -> None:
    """A corpus file holds the corpus."""
    write_corpus(CORPUS, tmp_path / "corpus.json")

    assert CORPUS == read_corpus(tmp_path / "corpus.json")


@pytest.mark.parametrize(("name", "reason"), [("none.json", "there is no such file"), (".", "it is a folder")])
def test_a_file_that_cannot_be_read_is_named(tmp_path: Path, name: str, reason: str) -> None:
    """The message says which file and why."""
    with pytest.raises(UnreadableFileError, match=reason):
        read_corpus(tmp_path / name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        (".", "it is a folder; name a file in it"),
        ("none/corpus.json", "there is no such folder; make it first"),
        ("file/corpus.json", "a part of the path is no folder"),
        ("x" * 300, "file name too long"),
    ],
)
def test_a_target_that_cannot_be_written_is_named(tmp_path: Path, name: str, reason: str) -> None:
    """The message says which target and what to do."""
    (tmp_path / "file").touch()

    with pytest.raises(UnwritableFileError, match=reason):
        write_corpus(CORPUS, tmp_path / name)
    assert ["file"] == os.listdir(tmp_path)


@pytest.mark.parametrize(
    ("number", "reason"),
    [(errno.EACCES, "permission denied"), (errno.ENOSPC, "the disk is full; free some space"), (errno.EIO, "error")],
)
def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, reason: str
) -> None:
    """A corpus is written as a whole or not at all."""
    target = tmp_path / "corpus.json"
    target.write_text("old")

    def fail(*_: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "replace", fail)

    with pytest.raises(UnwritableFileError, match=reason):
        write_corpus(CORPUS, target)
    assert "old" == target.read_text()
    assert ["corpus.json"] == os.listdir(tmp_path)


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
@pytest.mark.parametrize(("before", "expected"), [(0o640, 0o640), (0o600, 0o600), (None, 0o644)])
def test_permissions_are_those_of_the_old_file_or_the_usual_ones(
    tmp_path: Path, before: int | None, expected: int
) -> None:
    """A corpus that was private stays so; a new one can be read as any new file."""
    target = tmp_path / "corpus.json"
    if before is not None:
        target.touch()
        target.chmod(before)
    mask = os.umask(0o022)
    try:
        write_corpus(CORPUS, target)
    finally:
        os.umask(mask)

    assert expected == stat.S_IMODE(target.stat().st_mode)


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege on Windows")
def test_a_link_still_points_to_the_file(tmp_path: Path) -> None:
    """What is replaced is the file that the link names, not the link."""
    (tmp_path / "real.json").write_text("old")
    (tmp_path / "link.json").symlink_to("real.json")

    write_corpus(CORPUS, tmp_path / "link.json")

    assert (tmp_path / "link.json").is_symlink()
    assert CORPUS == read_corpus(tmp_path / "real.json")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_written_to_rather_than_replaced(tmp_path: Path) -> None:
    """`-o /dev/stdout` or a named pipe gets the bytes."""
    target = tmp_path / "pipe"
    os.mkfifo(target)
    reader = os.open(target, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_corpus(corpus_of(SEED), target)
        received = os.read(reader, 1 << 16)
    finally:
        os.close(reader)

    assert encode(corpus_of(SEED)) == received
    assert stat.S_ISFIFO(target.stat().st_mode)


def test_the_bytes_are_a_function_of_the_corpus() -> None:
    """Equal corpora give equal bytes, different ones different bytes."""
    equal = decode(encode(CORPUS), name="corpus.json")
    other = replace(CORPUS, records=CORPUS.records[1:])

    assert encode(CORPUS) == encode(equal)
    assert encode(CORPUS) != encode(other)
