"""Normalized expressions mean what the source means, whatever it looked like."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import ast
import sysconfig
import warnings
from collections.abc import Iterator
from pathlib import Path

import libcst as cst
import pytest

from extractor.scan.expression import express

STANDARD_LIBRARY = Path(sysconfig.get_path("stdlib"))
# Chosen for odd syntax: walrus, lambdas, starred subscripts, format specs, long chains, async.
SAMPLE = ("ast.py", "argparse.py", "dataclasses.py", "decimal.py", "_pydecimal.py", "enum.py", "functools.py", "inspect.py",
          "statistics.py", "traceback.py", "typing.py", "asyncio/base_events.py", "test/test_fstring.py", "test/test_grammar.py",
          "test/test_unpack_ex.py", "test/test_named_expressions.py", "test/test_lambda.py")  # fmt: skip


def text_of(source: str) -> str:
    """Return the normalized text of an expression."""
    return express(cst.parse_expression(source)).text


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x", "x"),
        ("( x )", "x"),
        ("((x))", "x"),
        ("(x)+(y)", "(x) + (y)"),  # inner parentheses stay as written
        ("a .b. c", "a.b.c"),
        ("a\\\n  .b", "a.b"),
        ("f( 1,2 , )", "f(1, 2)"),
        ("f(*a,**b,c = 1)", "f(*a, **b, c=1)"),
        ("f(x for x in y)", "f(x for x in y)"),
        ("f(\n  a, # why\n  b,\n)", "f(a, b)"),
        ("x[1:2]", "x[1:2]"),
        ("x[ : , ::2,...]", "x[:, ::2, ...]"),
        ("x[1,]", "x[1,]"),  # a tuple of one
        ("x[()]", "x[()]"),
        ("x[*a]", "x[*a]"),
        ("x[a:=1]", "x[(a := 1)]"),
        ("-x**-y", "-x ** -y"),
        ("not  x", "not x"),
        ("~x", "~x"),
        ("a  if b else   c", "a if b else c"),
        ("a<b<=c!=d is not  e not  in f", "a < b <= c != d is not e not in f"),
        ("(n:=10)", "(n := 10)"),
        ("lambda:0", "lambda: 0"),
        ("lambda x,*a,y=1,**k:x", "lambda x, *a, y=1, **k: x"),
        ("lambda x,/,y,*,z: 0", "lambda x, /, y, *, z: 0"),
        ("lambda x=(1,\n 2): x", "lambda x=(1, 2): x"),
        ("lambda x='a  b': x", "lambda x='a  b': x"),  # white space inside a string stays
        ('lambda x="a": x', "lambda x='a': x"),
        ("[ ]", "[]"),
        ("()", "()"),
        ("(1,)", "1,"),
        ("{}", "{}"),
        ("{1:2,**a}", "{1: 2, **a}"),
        ("{1,2,}", "{1, 2}"),
        ("[*a,b]", "[*a, b]"),
        ("[x for(x)in y if x if z for w in v]", "[x for x in y if x if z for w in v]"),
        ("[x async for x in y]", "[x async for x in y]"),
        ("{k:v for k,v in x}", "{k: v for k, v in x}"),
        ("(x for x in y)", "(x for x in y)"),
        ("await  x", "await x"),
        ("(yield)", "(yield)"),
        ("(yield  x)", "(yield x)"),
        ("(yield from x)", "(yield from x)"),
        ('"a"', "'a'"),
        ('"it\'s"', '"it\'s"'),
        ("'''a\nb'''", "'a\\nb'"),
        ("r'\\d'", "'\\\\d'"),
        ("u'a'", "'a'"),
        ("B'a'", "b'a'"),
        ("rb'\\x'", "b'\\\\x'"),
        ("('a' \"b\"\n'c')", "'abc'"),
        ("F'{x}'", "f'{x}'"),
        ("f'{x!r:>{w}}'", "f'{x!r:>{w}}'"),
        ("f'{x=:}'", "f'x={x}'"),  # a spec, even an empty one, is not `!r`
        ("f'{ x = }'", "f' x = {x!r}'"),
        ("f'{{}}{x}'", "f'{{}}{x}'"),
        ("f'{ {1: 2} }'", "f'{ {1: 2}}'"),
        ("'a' f'{x}' 'b{}'", "f'a{x}b{{}}'"),
        ("1_000", "1_000"),
        ("0XFF", "0XFF"),
        ("1J", "1J"),
        ("...", "..."),
        ("x @ y // z << 1 & 2 ^ 3 | 4", "x @ y // z << 1 & 2 ^ 3 | 4"),
        ("a and(b or c)", "a and (b or c)"),
    ],
)
def test_normalized_text(source: str, expected: str) -> None:
    """The text is one line with one way to write everything."""
    actual = text_of(source)

    assert expected == actual


def corpus() -> Iterator[str]:
    """Yield the expressions of real code, the outermost ones of each statement."""
    for name in SAMPLE:
        path = STANDARD_LIBRARY / name
        if not path.exists():
            continue
        data = path.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tree = ast.parse(data)
        lines = data.splitlines(keepends=True)
        for statement in ast.walk(tree):
            for field in ("test", "value", "exc", "iter", "msg") if isinstance(statement, ast.stmt) else ():
                node = getattr(statement, field, None)
                if isinstance(node, ast.expr) and node.end_lineno is not None:
                    yield segment(lines[node.lineno - 1 : node.end_lineno], node)


def segment(lines: list[bytes], node: ast.expr) -> str:
    """Return the source of a node; `ast.get_source_segment` splits the whole file each time."""
    text = b"".join([*lines[:-1], lines[-1][: node.end_col_offset]])
    return text[node.col_offset :].decode()


def shape(node: ast.AST) -> str:
    """Return what a tree means; u-prefixes and empty format specs do not count."""
    for each in ast.walk(node):
        if isinstance(each, ast.Constant):
            each.kind = None
        if isinstance(each, ast.FormattedValue) and isinstance(each.format_spec, ast.JoinedStr):
            each.format_spec = each.format_spec if each.format_spec.values else None
    return ast.dump(node)


def parsed(source: str) -> ast.expr:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(f"({source}\n)", mode="eval").body


def test_same_tree_as_the_source() -> None:
    """Normalized text of real code parses to the tree of the source, on one line, and is its own normalized text."""
    sources = [source for source in dict.fromkeys(corpus()) if len(source) < 3000]
    wrong = [source for source in sources if not is_faithful(source)]

    # Not compared as lists: pytest's own difference of long ones takes minutes.
    assert not wrong, wrong[:5]
    assert len(sources) > 4000


def is_faithful(source: str) -> bool:
    try:
        # In parentheses an expression may go over several lines.
        tree = parsed(source)
    except SyntaxError:
        return True
    text = text_of(f"({source}\n)")
    return shape(tree) == shape(parsed(text)) and "\n" not in text and text == text_of(f"({text})")
