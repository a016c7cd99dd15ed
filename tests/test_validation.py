"""`validate` finds what is wrong with a corpus and says where."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import pytest

from extractor import validation
from extractor.corpus import encode
from extractor.errors import MissingExtraError
from extractor.model import Corpus
from extractor.validation import Problem, validate
from tests.sample import CORPUS, HOSTILE, SEED, STUB, UNKNOWN, corpus_of, worded


@pytest.mark.parametrize("corpus", [CORPUS, corpus_of(), *(corpus_of(worded(text)) for text in HOSTILE)])
def test_a_corpus_that_we_write_is_valid(corpus: Corpus) -> None:
    """Whatever the analysed code holds, the file is what the schema says."""
    assert () == validate(encode(corpus))


def _edit(*path: str | int, to: object) -> Callable[[Any], None]:
    def change(raw: Any) -> None:
        for key in path[:-1]:
            raw = raw[key]
        raw[path[-1]] = to

    return change


@pytest.mark.parametrize(
    ("change", "pointer", "message"),
    [
        (_edit("schema_version", to=2), "/schema_version", "is 2, this raisedex reads 1"),
        (_edit("records", to={}), "/records", "{} is not of type 'array'"),
        (_edit("records", 1, to=3), "/records/1", "3 is not of type 'object'"),
        (_edit("records", 1, "id", to="STUB"), "/records/1/id", "'STUB' does not match"),
        (_edit("records", 1, "colour", to="red"), "/records/1", "('colour' was unexpected)"),
        (_edit("records", 0, "location", "line", to=0), "/records/0/location/line", "less than the minimum of 1"),
        (
            _edit("records", 0, "exception", "certain", to="yes"),
            "/records/0/exception/certain",
            "not of type 'boolean'",
        ),
        (_edit("records", 0, "guards", 1, "kind", to="maybe"), "/records/0/guards/1/kind", "'maybe' is not one of"),
        (
            _edit("records", 0, "context", "lines", 1, to=None),
            "/records/0/context/lines/1",
            "None is not of type 'string'",
        ),
        (_edit("source", "commit", to="main"), "/source/commit", "'main' does not match"),
        (_edit("summary", "by_kind", to={"error": -1}), "/summary/by_kind/error", "less than the minimum of 1"),
        (_edit("summary", "records", to=9), "/summary/records", "does not agree with the records; counted 4"),
        (_edit("summary", "by_kind", to={"error": 4}), "/summary/by_kind", "counted {'error': 3, 'abstract': 1}"),
        (_edit("records", 3, "id", to=STUB.id), "/records/3/id", "is also the id of /records/1"),
        (
            _edit("records", 2, "location", "path", to="a.py"),
            "/records/2/location",
            "not sorted by path, line and column",
        ),
        (_edit("records", 2, "location", "line", to=30.0), "", "records[2].location.line must be a whole number"),
    ],
)
def test_a_defect_is_found_at_its_place(change: Callable[[Any], None], pointer: str, message: str) -> None:
    """The JSON pointer leads to the value, and the message says what is wrong with it."""
    raw = json.loads(encode(CORPUS))
    change(raw)

    problems = validate(json.dumps(raw).encode())

    assert [pointer] == [problem.pointer for problem in problems]
    assert message in problems[0].message


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", Problem("", "is empty")),
        (encode(CORPUS)[:500], Problem("", "is cut off at its end")),
        (b"[]", Problem("", "is no corpus; make one with 'raisedex extract'")),
        (b"{}", Problem("", "is no corpus; make one with 'raisedex extract'")),
        (b'{"schema_version": true, "records": []}', Problem("", "is no corpus; make one with 'raisedex extract'")),
        (b'{"schema_version": 2, "records": []}', Problem("/schema_version", "is 2, this raisedex reads 1")),
    ],
)
def test_what_is_no_corpus_has_one_problem(data: bytes, expected: Problem) -> None:
    """A file that cannot be understood is a finding, not a crash."""
    assert (expected,) == validate(data)


@pytest.mark.parametrize(
    ("edit", "pointer", "message"),
    [
        (_edit("records", 2, "location", "end_line", to=1), "/records/2/location", "ends before it starts"),
        (_edit("records", 2, "context", "first_line", to=900), "/records/2/context", "does not hold the line"),
        (_edit("records", 2, "permalink", to="javascript:alert(1)"), "/records/2/permalink", "does not match"),
    ],
)
def test_a_record_that_contradicts_itself_is_found(edit: Any, pointer: str, message: str) -> None:
    """What no schema can say of two fields, and links that lead into a browser instead of a repository."""
    raw = json.loads(encode(CORPUS))
    edit(raw)
    problems = validate(json.dumps(raw).encode())

    assert [pointer] == [problem.pointer for problem in problems]
    assert message in problems[0].message


def test_two_records_in_one_place_are_found() -> None:
    """Each raise statement has one record."""
    twin = worded("twin", UNKNOWN)

    problems = validate(encode(corpus_of(UNKNOWN, twin)))

    assert ["/records/1/id", "/records/1/location"] == [problem.pointer for problem in problems]


def test_problems_come_in_the_order_of_the_file_up_to_the_limit() -> None:
    """A large broken file gives a short answer."""
    raw = json.loads(encode(CORPUS))
    for record in raw["records"]:
        record["id"] = None

    problems = validate(json.dumps(raw).encode(), limit=2)

    assert ["/records/0/id", "/records/1/id"] == [problem.pointer for problem in problems]


def test_a_pointer_escapes_what_has_a_meaning_in_it() -> None:
    """RFC 6901: ~ is ~0 and / is ~1."""
    raw = json.loads(encode(corpus_of(SEED)))
    raw["summary"]["by_exception"] = {"a/b~c": 0}

    assert "/summary/by_exception/a~1b~0c" == validate(json.dumps(raw).encode())[0].pointer


def test_messages_are_short() -> None:
    """A value of a million characters does not fill the terminal."""
    raw = json.loads(encode(corpus_of(SEED)))
    raw["records"][0]["escapes"] = "x" * 1_000_000

    assert 250 > len(validate(json.dumps(raw).encode())[0].message)


def test_without_jsonschema_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """The message is the command that mends it."""
    validation._validator.cache_clear()
    monkeypatch.setitem(sys.modules, "jsonschema", None)

    with pytest.raises(MissingExtraError, match=r'pip install "raisedex\[validate\]"'):
        validate(encode(CORPUS))


def test_a_corpus_is_checked_as_one_whatever_else_it_has() -> None:
    """Keys of other documents of ours make it none of these."""
    for key in ("projects", "changes", "revisions"):
        raw = json.loads(encode(CORPUS)) | {key: []}

        assert [key in problem.message for problem in validate(json.dumps(raw).encode())] == [True]
