"""String literals mean what Python says, without asking Python and without its warnings."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import ast
import random
import warnings

import libcst as cst
import pytest

from extractor.scan.literals import string_value
from extractor.scan.message import Surroundings, templates_of

PIECES = (
    "a", "é", "😀", " ", "{", "}", "%", "#", "\\\\", "\\'", '\\"', "\\a", "\\b", "\\f", "\\n", "\\r", "\\t", "\\v", "\\0", "\\7", "\\12",
    "\\101", "\\377", "\\400", "\\777", "\\x41", "\\xff", "\\u00e9", "\\ud800", "\\U0001F600", "\\N{BULLET}", "\\N{LATIN SMALL LETTER A}",
    "\\q", "\\8", "\\ ", "\\{", "\\%", "\\\n",
)  # fmt: skip
PREFIXES = ("", "r", "R", "u", "U")
QUOTES = ("'", '"', "'''", '"""')


def evaluated(source: str) -> str:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        value = ast.literal_eval(source)
    assert isinstance(value, str)
    return value


def value_of(source: str) -> str | None:
    node = cst.parse_expression(source)
    assert isinstance(node, cst.SimpleString)
    return string_value(node)


def literal(chance: random.Random) -> str:
    prefix, quotes = chance.choice(PREFIXES), chance.choice(QUOTES)
    pieces = chance.choices(PIECES, k=chance.randrange(6))
    if "r" in prefix.lower():
        # A raw string may not end with an odd number of backslashes.
        pieces.append("z")
    return f"{prefix}{quotes}{''.join(pieces)}{quotes}"


def test_every_escape() -> None:
    """Each piece alone, with every prefix and kind of quotes, is what Python makes of it."""
    sources = [f"{prefix}{quotes}{piece}z{quotes}" for prefix in PREFIXES for quotes in QUOTES for piece in PIECES]
    wrong = [source for source in sources if evaluated(source) != value_of(source)]

    assert [] == wrong


def test_random_literals() -> None:
    """So is any row of them."""
    chance = random.Random(1)
    sources = [literal(chance) for _ in range(1500)]
    wrong = [source for source in sources if evaluated(source) != value_of(source)]

    assert [] == wrong


@pytest.mark.parametrize("source", ["b'a'", "B'a'", "rb'a'", "Rb'a'", "bR'a'"])
def test_bytes_are_no_text(source: str) -> None:
    assert value_of(source) is None


def test_fields_of_f_strings_keep_their_literal_text() -> None:
    """The literal text of an f-string without names is what it evaluates to."""
    chance = random.Random(2)
    wrong = []
    for _ in range(800):
        pieces = [piece.replace("{", "{{").replace("}", "}}") if "\\N" not in piece else piece for piece in PIECES]
        body = "".join(chance.choices(pieces, k=chance.randrange(6)))
        # `\{` is no escape, and what Python says of it in f-strings changed.
        source = f"f'{body}'" if "\\{" not in body and "\n" not in body else "f''"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            expected = str(eval(source)).encode("utf-8", "backslashreplace").decode()
        (template,) = templates_of(cst.parse_expression(source), Surroundings({}, 1))
        if expected != "".join(map(str, template.segments)):
            wrong.append(source)

    assert [] == wrong
