"""The bytes of a Python file as text, as the language reference says ("Encoding declarations")."""

from __future__ import annotations

import io
import tokenize


class UndecodableError(ValueError):
    """The bytes are not in the encoding that the file declares, or that encoding is not known."""


def decode(data: bytes) -> str:
    """Return the text of a file with every line ending made a line feed, without byte order mark.

    Raises:
        UndecodableError: As it says.

    """
    is_plain = data.isascii() and b"coding" not in data[:200]
    text = data.decode("ascii") if is_plain else _decoded(data)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def _decoded(data: bytes) -> str:
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding)
    except (SyntaxError, LookupError) as error:
        raise UndecodableError("the declared encoding is not known or does not fit the bytes") from error
    except UnicodeDecodeError as error:
        raise UndecodableError(f"byte {error.start} is not {error.encoding}") from error
