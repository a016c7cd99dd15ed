"""Bytes to corpus and back: the one place that knows how an error catalog stands in a file.

A corpus is JSON with one record on each line, so that line-based tools can find and compare records. As JSON Lines its
first line is all but the records, and each further line is a record by itself. Unknown keys are ignored and fields that
have a default may be missing, so a file written elsewhere serves as well.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import TypeGuard

import orjson

from extractor.collection import collection_paused
from extractor.decoding import MalformedFieldError, build_corpus
from extractor.errors import (
    MalformedCorpusError,
    NotACorpusError,
    SchemaVersionError,
    UnreadableFileError,
    UnwritableFileError,
)
from extractor.model import SCHEMA_VERSION, Corpus, Record

_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


def encode(corpus: Corpus) -> bytes:
    """Return the corpus as JSON, each record and diagnostic on a line of its own."""
    return b"".join(json_pieces(corpus, map(encode_line, corpus.records)))


def encode_line(record: Record) -> bytes:
    """Return one record as JSON on one line."""
    return _dump(record)


def json_pieces(head: Corpus, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a corpus as JSON, piece by piece.

    Args:
        head: All of it but its records.
        lines: The records, each by `encode_line`.

    """
    before = b"{\n"
    for field in fields(head):
        yield b"%b%b:" % (before, _dump(field.name))
        yield from _list(lines) if field.name == "records" else (_member(getattr(head, field.name)),)
        before = b",\n"
    yield b"\n}\n"


def line_pieces(head: Corpus, lines: Iterable[bytes]) -> Iterator[bytes]:
    """Yield a corpus as JSON Lines, line by line; the arguments are those of `json_pieces`."""
    members = (b"%b:%b" % (_dump(each.name), _dump(getattr(head, each.name))) for each in fields(head))
    yield b"{" + b",".join(member for member in members if not member.startswith(b'"records":')) + b"}\n"
    for line in lines:
        yield line + b"\n"


def encode_record(record: Record) -> bytes:
    """Return one record as indented JSON, for people and for programs that want just this one."""
    try:
        return orjson.dumps(record, option=orjson.OPT_INDENT_2)
    except TypeError:
        return json.dumps(asdict(record), indent=2).encode()


def decode(data: bytes, *, name: str) -> Corpus:
    """Return the corpus that the bytes hold.

    Args:
        name: what messages call it, as a rule the file's name.

    Raises:
        NotACorpusError: the bytes are cut off, no JSON, or something else than a corpus.
        SchemaVersionError: the corpus is of an older or newer format.
        MalformedCorpusError: a field is missing or of the wrong type.

    """
    with collection_paused():
        return build(load(data, name=name), name=name)


def load(data: bytes, *, name: str) -> dict[str, object]:
    """Return a corpus as the JSON has it; the arguments and errors are those of `decode`, without a look at fields."""
    raw = parse(data, name=name)
    if not isinstance(raw, dict) or "schema_version" not in raw or "records" not in raw:
        raise NotACorpusError(name, "is JSON but no corpus")
    version = raw["schema_version"]
    if type(version) is int and version != SCHEMA_VERSION:
        raise SchemaVersionError(name, version, SCHEMA_VERSION)
    return raw


def build(raw: dict[str, object], *, name: str) -> Corpus:
    """Return the corpus that `load` gave.

    Raises:
        MalformedCorpusError: a field is missing or of the wrong type.

    """
    try:
        return build_corpus(raw)
    except MalformedFieldError as malformed:
        raise MalformedCorpusError(name, malformed.field, malformed.reason) from malformed


def parse(data: bytes, *, name: str) -> object:
    """Return what the JSON text says, whatever it is.

    Raises:
        NotACorpusError: the bytes are no JSON.

    """
    try:
        return _with_records(orjson.loads(data), [])
    except orjson.JSONDecodeError as error:
        if (found := _from_lines(data, name)) is not None:
            return found
        # Python source may hold lone surrogates ("\ud800"), which orjson refuses and JSON itself allows.
        if _SURROGATE.search(data):
            with suppress(ValueError, RecursionError):
                return json.loads(data)
        raise NotACorpusError(name, _defect(data, error)) from error


def _from_lines(data: bytes, name: str) -> object | None:
    """Return what JSON Lines say that begin with all of a corpus but its records, None for anything else."""
    first, *rest = data.split(b"\n")
    head = _loaded(first) if first.startswith(b"{") else None
    if not _is_head(head):
        return None
    if rest and rest[-1] == b"":
        rest.pop()
    records = []
    for number, line in enumerate(rest, start=2):
        record = _loaded(line)
        if record is None:
            defect = "is cut off at its end" if number == len(rest) + 1 else f"is not JSON in line {number}"
            raise NotACorpusError(name, defect)
        records.append(record)
    whole = _with_records(head, records)
    if whole is head:
        raise NotACorpusError(name, f"holds {len(records)} records, which is not what its first line says")
    return whole


def _with_records(head: object, records: list[object]) -> object:
    """Return a corpus as JSON has it, where this is the first line of one, and as many records follow as it says."""
    if not _is_head(head):
        return head
    summary = head.get("summary")
    expected = summary.get("records") if isinstance(summary, dict) else None
    return {**head, "records": records} if expected == len(records) else head


def _is_head(value: object) -> TypeGuard[dict[str, object]]:
    """Say whether this is all of a corpus but its records; other documents of ours have no ids."""
    return isinstance(value, dict) and value.keys() >= {"schema_version", "id_version"} and "records" not in value


def _loaded(line: bytes) -> object | None:
    found: object | None = None
    with suppress(ValueError, RecursionError):
        found = json.loads(line) if _SURROGATE.search(line) else orjson.loads(line)
    return found


def read_corpus(path: str | os.PathLike[str]) -> Corpus:
    """Read a corpus file.

    Raises:
        UnreadableFileError: the file cannot be read.
        NotACorpusError, SchemaVersionError, MalformedCorpusError: as for `decode`.

    """
    return decode(read_bytes(path), name=os.fspath(path))


def read_bytes(path: str | os.PathLike[str]) -> bytes:
    """Return what the file holds.

    Raises:
        UnreadableFileError: the file cannot be read.

    """
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise UnreadableFileError(os.fspath(path), error) from error


def write_corpus(corpus: Corpus, path: str | os.PathLike[str]) -> None:
    """Write the corpus as a whole or not at all; a reader never sees half of it.

    Raises:
        UnwritableFileError: the file cannot be written.

    """
    write_bytes(encode(corpus), path)


def write_bytes(data: bytes, path: str | os.PathLike[str]) -> None:
    """Write an encoded corpus as a whole or not at all.

    Raises:
        UnwritableFileError: the file cannot be written.

    """
    write_pieces((data,), path)


def write_pieces(pieces: Iterable[bytes], path: str | os.PathLike[str]) -> None:
    """Write a corpus that comes in pieces as a whole or not at all.

    Raises:
        UnwritableFileError: the file cannot be written.

    """
    try:
        _write(Path(path), pieces)
    except OSError as error:
        raise UnwritableFileError(os.fspath(path), error) from error


def _write(path: Path, pieces: Iterable[bytes]) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not path.is_file():
        # A pipe or device (/dev/stdout, /dev/null) is written to; replacing it would destroy it.
        with path.open("wb") as stream:
            stream.writelines(pieces)
        return
    _replace(Path(os.path.realpath(path)), pieces)


def _replace(target: Path, pieces: Iterable[bytes]) -> None:
    temporary = target.with_name(f".raisedex-{secrets.token_hex(8)}")
    # Opened by hand because `tempfile` makes files that only their owner can read.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as stream:
            stream.writelines(pieces)
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def _list(lines: Iterable[bytes]) -> Iterator[bytes]:
    before = b"[\n"
    for line in lines:
        yield before + line
        before = b",\n"
    yield b"\n]" if before == b",\n" else b"[]"


def _member(value: object) -> bytes:
    if not isinstance(value, tuple) or not value:
        return _dump(value)
    return b"[\n" + b",\n".join(map(_dump, value)) + b"\n]"


def _dump(value: object) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        return json.dumps(value, default=asdict, separators=(",", ":")).encode()


def _defect(data: bytes, error: orjson.JSONDecodeError) -> str:
    if not data.strip():
        return "is empty"
    if error.msg.startswith("unexpected end of data"):
        return "is cut off at its end"
    return f"is not JSON (line {error.lineno}, column {error.colno})"
