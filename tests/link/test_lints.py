"""Raise statements that do something else than they seem to: what is reported, and what is not."""

from __future__ import annotations

import pytest

from extractor.link import link
from extractor.link.modules import Modules
from extractor.scan import scan

PREAMBLE = """
class Plain(ValueError): pass
class Made(ValueError):
    def __new__(cls, text, *values): return super().__new__(cls, text % values)
class Shown(ValueError):
    def __str__(self): return self.args[0] % self.args[1:]
class Nothing: pass
@exception
class Decorated: pass
class Outside(elsewhere.Base): pass
"""


def codes_of(raised: str) -> list[str]:
    source = f"{PREAMBLE}def f(x, *xs):\n    raise {raised}\n"
    facts = scan("m.py", source.encode(), context=0)
    linked = link({"m.py": facts}, Modules(["m.py"], []), lambda *_: None)
    return [diagnostic.code for diagnostic in linked.diagnostics]


@pytest.mark.parametrize(
    "raised",
    ["ValueError('bad %s', x)", "Plain('{} or {!r:>9}', x, x)", "KeyError('%(a)s', x)", "ImportError('%.3f', x)"],
)
def test_fields_that_are_never_filled_in(raised: str) -> None:
    assert ["raising-format-tuple"] == codes_of(raised)


@pytest.mark.parametrize(
    "raised",
    [
        "ValueError('bad %s' % x, x)",
        "ValueError('bad', '%s')",
        "ValueError('100% sure, 100%', x)",
        "ValueError('use %%s', x)",
        "ValueError('set {1, 2} or {}'.format(x), x)",
        "ValueError('bad %s')",
        "ValueError('bad %s', *xs)",
        "Made('bad %s', x)",
        "Shown('bad %s', x)",
        "Outside('bad %s', x)",
        "OSError(2, 'no %s')",
        "SyntaxError('bad %s', x)",
    ],
)
def test_fields_that_are_none_or_may_be_filled_in(raised: str) -> None:
    assert [] == codes_of(raised)


@pytest.mark.parametrize(
    "raised",
    ["NotImplemented", "NotImplemented('x')", "None", "'text'", "'a' 'b'", "'%s' % x", "f'{x}'", "1", "1.5", "...",
     "b'x'", "[x]", "{}", "(x, x)", "lambda: x", "str(x)", "Nothing", "Nothing()"],
)  # fmt: skip
def test_what_is_no_exception(raised: str) -> None:
    assert ["invalid-raise"] == codes_of(raised)


@pytest.mark.parametrize(
    "raised",
    [
        "x",
        "x()",
        "type(x)",
        "type(x)('a')",
        "x % x",
        "x.y",
        "xs[0]",
        "Decorated()",
        "Outside()",
        "unknown",
        "Exception",
    ],
)
def test_what_may_be_an_exception(raised: str) -> None:
    assert [] == codes_of(raised)
