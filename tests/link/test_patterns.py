"""The pattern of a record matches what `str(exception)` is at run time; the code that runs is generated here."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import random
import re
import warnings
from collections.abc import Iterator

import pytest

from extractor.link import link
from extractor.link.modules import Modules
from extractor.model import Record
from extractor.scan import scan

TEXTS = (
    "", "plain", "it's", 'say "hi"', "it's \"both\"", "back\\slash", "two\nlines", "tab\t", "cr\r", "{brace}", "{}", "}{", "a.b*c+d?", "[x](y){2}|^$",
    "100%", "%s", "é", "日本", "😀", "\x00\x1b\x7f", "\x85\u2028\u200b", "\u00a0", " ", "\\d", "'", '"', "\\", "''", "\\'",
)  # fmt: skip
VALUES = (*TEXTS, 0, -7, 2.5, None, True, (1, "a'b"), ["x"], {"k": "it's"}, b"bytes\x00", ValueError("in'ner"))
CLASSES = ("ValueError", "KeyError", "OSError", "LookupError", "RuntimeError", "StopIteration", "ExceptionGroup", "Own", "OwnKey", "Built", "BuiltKey", "Passed",
           "ImportError", "UnicodeError", "SystemExit", "AssertionError", "AttributeError", "NameError", "FileNotFoundError")  # fmt: skip
COUNT = 1500
PREAMBLE = """
class Own(ValueError): pass
class OwnKey(Own, KeyError): pass
class Built(Exception):
    def __init__(self, what, *rest, why='no reason'):
        super().__init__(f'<{what!r}: {why}>', *rest)
class BuiltKey(KeyError):
    def __init__(self, what):
        super().__init__('no ' + str(what))
class Passed(Built):
    def __init__(self, *args): super().__init__(*args)
"""


class Generator:
    """Writes raise statements with random texts and values."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)

    def text(self) -> str:
        return self.chance.choice(TEXTS)

    def argument(self) -> str:
        kind = self.chance.choice(
            [
                "literal",
                "literal",
                "f-string",
                "percent",
                "format",
                "sum",
                "value",
                "number",
                "conditional",
                "repr",
                "tuple",
                "adjacent",
            ]
        )
        one, two = self.text(), self.text()
        braces = [text.replace("{", "{{").replace("}", "}}") for text in (one, two)]
        percent = [text.replace("%", "%%") for text in (one, two)]
        return {
            "literal": repr(one),
            "f-string": f"f{braces[0]!r} f'{{v}}{{w!r}}' f{braces[1]!r}",
            "percent": f"{percent[0] + '%s' + percent[1]!r} % (v,)",
            "format": f"{braces[0] + '{}' + braces[1] + '{0!r}'[:0]!r}.format(v)",
            "sum": f"{one!r} + str(v) + {two!r}",
            "value": "v",
            "number": str(self.chance.randrange(50)),
            "conditional": f"{one!r} if v else {two!r}",
            "repr": "repr(v)",
            "tuple": f"({one!r}, v)",
            "adjacent": f"{one!r} {two!r}",
        }[kind]

    def statement(self) -> str:
        name = self.chance.choice(CLASSES)
        if name == "ExceptionGroup":
            return f"raise ExceptionGroup({self.argument()}, [KeyError(v)]{self.chance.choice(['', ' * 3'])})"
        count = self.chance.choice([0, 1, 1, 1, 1, 2, 2, 3])
        arguments = ", ".join(self.argument() for _ in range(count))
        return self.chance.choice(
            [f"raise {name}({arguments})", f"raise {name}" if count == 0 else f"raise {name}({arguments})"]
        )


def text_at_run_time(statement: str, values: dict[str, object]) -> str | None:
    """Return `str()` of what a statement raises, None where making the exception fails."""
    names = dict(values)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(PREAMBLE, names)
        made = statement.removeprefix("raise ")
        try:
            exception = eval(made, names)
            if isinstance(exception, type):
                exception = exception()
            return str(exception)
        except (TypeError, ValueError):
            return None


def record_of(statement: str) -> Record:
    source = f"{PREAMBLE}\ndef f(v, w):\n    {statement}\n"
    facts = scan("m.py", source.encode("utf-8", "backslashreplace"), context=0)
    (record,) = link({"m.py": facts}, Modules(["m.py"], []), lambda *_: None).records
    return record


def matches(record: Record, text: str) -> bool:
    # A corpus is UTF-8, so a lone surrogate stands in it as its escape.
    shown = text.encode("utf-8", "backslashreplace").decode()
    return any(variant.pattern is None or re.fullmatch(variant.pattern, shown) for variant in record.variants)


def statements(count: int) -> Iterator[tuple[str, dict[str, object]]]:
    for seed in range(count):
        generator = Generator(seed)
        yield generator.statement(), {"v": generator.chance.choice(VALUES), "w": generator.chance.choice(VALUES)}


def test_pattern_matches_what_str_gives() -> None:
    """For random classes, texts and values, the pattern matches the text at run time."""
    wrong, known = [], 0
    for statement, values in statements(COUNT):
        text = text_at_run_time(statement, values)
        # A file name that turns out None is left out of the text of an OSError.
        if text is None or (values["v"] is None and statement.startswith(("raise OSError", "raise FileNotFoundError"))):
            continue
        record = record_of(statement)
        known += all(variant.pattern is not None for variant in record.variants)
        if not matches(record, text):
            wrong.append((statement, values, text, [variant.pattern for variant in record.variants]))

    assert not wrong, f"{len(wrong)}: {wrong[:3]}"
    assert known > COUNT / 2


@pytest.mark.parametrize(
    ("statement", "other"),
    [
        ("raise ValueError('a.c')", "abc"),
        ("raise ValueError('a')", "ab"),
        ("raise ValueError('')", "a"),
        ("raise KeyError('a')", "a"),  # str() puts quotes around it
        ("raise ValueError('a', 1)", "a"),
        ("raise ValueError", "a"),
        ("raise OSError(2, 'gone')", "(2, 'gone')"),
        ("raise ExceptionGroup('many', [KeyError(v)])", "many"),
        ("raise Built('a')", "a"),
    ],
)
def test_pattern_does_not_match(statement: str, other: str) -> None:
    """A pattern is no wider than its text."""
    (variant,) = record_of(statement).variants

    assert variant.pattern is not None
    assert re.fullmatch(variant.pattern, other) is None
