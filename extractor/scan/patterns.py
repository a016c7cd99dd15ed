"""The pattern of a `case` as normalized source text."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import libcst as cst

from extractor.scan.expression import express


def pattern_text(node: Any) -> str:
    """Return a pattern on one line, without the parentheses around the whole."""
    write = _WRITERS[type(node)]
    text: str = write(node)
    return text


def _inner(node: Any) -> str:
    needs_parentheses = isinstance(node, (cst.MatchOr, cst.MatchAs)) and bool(node.lpar)
    return f"({pattern_text(node)})" if needs_parentheses else pattern_text(node)


def _list(nodes: Sequence[Any]) -> str:
    return ", ".join(_element(node) for node in nodes)


def _element(node: Any) -> str:
    return _star(node) if isinstance(node, cst.MatchStar) else _inner(node.value)


def _star(node: cst.MatchStar) -> str:
    return f"*{node.name.value if node.name else '_'}"


def _as(node: cst.MatchAs) -> str:
    name = node.name.value if node.name else "_"
    return name if node.pattern is None else f"{_inner(node.pattern)} as {name}"


def _class(node: cst.MatchClass) -> str:
    keywords = [f"{item.key.value}={_inner(item.pattern)}" for item in node.kwds]
    positional = [_inner(item.value) for item in node.patterns]
    return f"{express(node.cls).text}({', '.join(positional + keywords)})"


def _mapping(node: cst.MatchMapping) -> str:
    items = [f"{express(item.key).text}: {_inner(item.pattern)}" for item in node.elements]
    rest = [f"**{node.rest.value}"] if node.rest else []
    return "{" + ", ".join(items + rest) + "}"


def _tuple(node: cst.MatchTuple) -> str:
    return f"({_list(node.patterns)}{',' if len(node.patterns) == 1 else ''})"


_WRITERS: dict[type[cst.CSTNode], Any] = {
    cst.MatchValue: lambda node: express(node.value).text,
    cst.MatchSingleton: lambda node: node.value.value,
    cst.MatchOr: lambda node: " | ".join(_inner(element.pattern) for element in node.patterns),
    cst.MatchAs: _as,
    cst.MatchClass: _class,
    cst.MatchMapping: _mapping,
    cst.MatchList: lambda node: f"[{_list(node.patterns)}]",
    cst.MatchTuple: _tuple,
    cst.MatchStar: _star,
}
