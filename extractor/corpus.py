"""Bytes to corpus and back: the one place that knows how an error catalog stands in a file.

A corpus is JSON with one record on each line, so that line-based tools can find and compare records. Unknown keys are
ignored and fields that have a default may be missing, so a file written elsewhere serves as well.
"""

from __future__ import annotations

import errno
import json
import os
import re
import secrets
import stat
from contextlib import suppress
from dataclasses import asdict, fields
from pathlib import Path

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
    members = (b"%b:%b" % (_dump(field.name), _member(getattr(corpus, field.name))) for field in fields(corpus))
    return b"{\n" + b",\n".join(members) + b"\n}\n"


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
        raw = parse(data, name=name)
        if not isinstance(raw, dict) or "schema_version" not in raw or "records" not in raw:
            raise NotACorpusError(name, "is JSON but no corpus")
        version = raw["schema_version"]
        if type(version) is int and version != SCHEMA_VERSION:
            raise SchemaVersionError(name, version, SCHEMA_VERSION)
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
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        # Python source may hold lone surrogates ("\ud800"), which orjson refuses and JSON itself allows.
        if _SURROGATE.search(data):
            with suppress(ValueError, RecursionError):
                return json.loads(data)
        raise NotACorpusError(name, _defect(data, error)) from error


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
    try:
        _write(Path(path), data)
    except OSError as error:
        raise UnwritableFileError(os.fspath(path), error) from error


def _write(path: Path, data: bytes) -> None:
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
    if path.exists() and not path.is_file():
        # A pipe or device (/dev/stdout, /dev/null) is written to; replacing it would destroy it.
        path.write_bytes(data)
        return
    _replace(Path(os.path.realpath(path)), data)


def _replace(target: Path, data: bytes) -> None:
    temporary = target.with_name(f".raisedex-{secrets.token_hex(8)}")
    # Opened by hand because `tempfile` makes files that only their owner can read.
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
    try:
        with open(descriptor, "wb") as stream:
            stream.write(data)
        if target.exists():
            temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


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
