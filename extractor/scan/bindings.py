"""What statements bind and change: the names and dotted paths that mean something else afterwards."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain
from typing import Any

import libcst as cst

from extractor.scan.attributes import (
    ANY,
    SETTING,
    changed_in_namespace,
    named_paths,
    namespace_owner,
    path_of,
    set_by_name,
)
from extractor.scan.own_object import OwnObject
from extractor.scan.statements import all_statements, block_statements, nested_blocks

# Methods of the built-in containers that change their object in place.
MUTATORS = frozenset(
    "add append appendleft clear difference_update discard extend extendleft insert intersection_update pop popitem "
    "popleft remove reverse rotate setdefault sort symmetric_difference_update update".split()
)
# Functions of the standard library that change their first argument in place.
MUTATING_FUNCTIONS = frozenset(
    "heapify heappop heappush heappushpop heapreplace insort insort_left insort_right shuffle".split()
)
# Functions and methods that leave a list as it is.
_LOOKING = frozenset(
    "all any append bool debug enumerate error extend format info isinstance join len list max min print range repr "
    "reversed set sorted str sum tuple type warn warning zip".split()
)
_UNCHANGING = frozenset({cst.Name, cst.SimpleString, cst.Integer, cst.Float, cst.Lambda})
# What stands in these is evaluated later, several times or never.
_DEFERRED = (cst.Lambda, cst.ListComp, cst.SetComp, cst.DictComp, cst.GeneratorExp)
_SYNTAX_ONLY = frozenset(
    "__slots__ lpar rpar lbracket rbracket lbrace rbrace comma semicolon equal dot operator star asynchronous colon "
    "first_colon second_colon keyword leading_lines lines_after_decorators header footer".split()
)
_node_kinds: dict[type[Any], bool] = {}
_fields_of: dict[type[Any], tuple[str, ...]] = {}


def children(node: cst.CSTNode) -> Iterator[cst.CSTNode]:
    """Yield the nodes directly below one that carry meaning: no whitespace, no punctuation."""
    kind = type(node)
    fields = _fields_of.get(kind)
    if fields is None:
        names = kind.__dataclass_fields__
        fields = tuple(name for name in names if name not in _SYNTAX_ONLY and "whitespace" not in name)
        _fields_of[kind] = fields
    for name in fields:
        value = getattr(node, name)
        if _is_node(value):
            yield value
        elif isinstance(value, (list, tuple)):
            yield from (item for item in value if _is_node(item))


def _is_node(value: object) -> bool:
    kind = type(value)
    known = _node_kinds.get(kind)
    if known is None:
        known = _node_kinds[kind] = isinstance(value, cst.CSTNode)
    return known


def target_paths(node: cst.CSTNode) -> Iterator[str]:
    """Yield the dotted paths that assigning to a target changes; a subscript changes what it is taken from."""
    if isinstance(node, (cst.Tuple, cst.List)):
        for element in node.elements:
            yield from target_paths(element.value)
        return
    path = path_of(node)
    while path is None and isinstance(node, (cst.Subscript, cst.StarredElement)):
        node = node.value
        path = path_of(node)
    if path is not None:
        yield path
        owner = namespace_owner(node) if isinstance(node, cst.Attribute) else None
        yield from named_paths(owner, ANY)
    elif isinstance(node, (cst.Tuple, cst.List)):
        yield from target_paths(node)


def expression_changes(node: cst.CSTNode, own: OwnObject | None = None) -> Iterator[str]:
    """Yield the paths that evaluating an expression changes: `:=` targets, objects of mutating methods and functions.

    Of methods of the own object, where there is one, it is what they assign.
    """
    pending = [node]
    while pending:
        current = pending.pop()
        kind = type(current)
        if kind in _UNCHANGING:
            continue
        if kind is cst.NamedExpr:
            yield from target_paths(current.target)  # type: ignore[attr-defined]
        elif kind is cst.Call:
            yield from _call_changes(current)  # type: ignore[arg-type]
            if own is not None:
                yield from own.call_changes(current)  # type: ignore[arg-type]
        pending.extend(children(current))


def sure_assignments(node: cst.CSTNode, outcome: bool | None = None) -> dict[str, cst.BaseExpression]:
    """Return what `:=` assigns to names for sure when an expression is evaluated, and comes out like this if known.

    A name that it may be assigned twice is left out.
    """
    every = Counter(expression_changes(node))
    return {name: value for name, value in _assigned(node, outcome) if every[name] == 1}


def _assigned(node: Any, outcome: bool | None) -> Iterator[tuple[str, cst.BaseExpression]]:
    if isinstance(node, cst.NamedExpr):
        yield from _assigned(node.value, outcome)
        yield from ((path, node.value) for path in target_paths(node.target))
    elif isinstance(node, cst.BooleanOperation):
        # The right side of `and` is evaluated if the whole is true, that of `or` if it is false.
        is_whole = outcome is isinstance(node.operator, cst.And)
        yield from _assigned(node.left, outcome if is_whole else None)
        if outcome is not None and is_whole:
            yield from _assigned(node.right, outcome)
    elif isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        yield from _assigned(node.expression, None if outcome is None else not outcome)
    elif isinstance(node, cst.IfExp):
        yield from _assigned(node.test, None)
    elif isinstance(node, cst.Comparison):
        # A chain ends at the first comparison that is false.
        compared = node.comparisons if outcome else node.comparisons[:1]
        for part in (node.left, *(target.comparator for target in compared)):
            yield from _assigned(part, None)
    elif not isinstance(node, _DEFERRED):
        for child in children(node):
            yield from _assigned(child, None)


def _call_changes(node: cst.Call) -> Iterator[str]:
    function = node.func
    kind = type(function)
    if kind is not cst.Attribute and kind is not cst.Name:
        return
    name: str = function.attr.value if kind is cst.Attribute else function.value  # type: ignore[attr-defined]
    if kind is cst.Attribute and name in MUTATORS:
        changed = function.value  # type: ignore[attr-defined]
        owner = namespace_owner(changed)
        yield from target_paths(changed) if owner is None else changed_in_namespace(owner, name, node.args)
    if name in MUTATING_FUNCTIONS and node.args:
        yield from target_paths(node.args[0].value)
    elif name in SETTING:
        yield from set_by_name(node)


def pattern_names(node: cst.CSTNode) -> Iterator[str]:
    """Yield the names that a `case` pattern captures."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, (cst.MatchAs, cst.MatchStar)) and current.name is not None:
            yield current.name.value
        if isinstance(current, cst.MatchMapping) and current.rest is not None:
            yield current.rest.value
        if not isinstance(current, (cst.MatchValue, cst.Name)):
            pending.extend(children(current))


def import_names(node: cst.Import | cst.ImportFrom) -> Iterator[str]:
    """Yield the names that an import binds; a star import yields none."""
    if isinstance(node.names, cst.ImportStar):
        return
    for alias in node.names:
        yield alias.evaluated_alias or alias.evaluated_name.partition(".")[0]


def changes(statement: cst.CSTNode, own: OwnObject | None = None) -> frozenset[str]:
    """Return the paths that one statement changes by itself, without what is nested in it."""
    return frozenset(_changes(statement, own))


def changes_in(blocks: Iterable[cst.BaseSuite], own: OwnObject | None = None) -> frozenset[str]:
    """Return the paths that any statement of these blocks changes, at any depth of the same scope."""
    statements = (statement for block in blocks for statement in all_statements(block))
    return frozenset(path for statement in statements for path in _changes(statement, own))


def exit_changes(statement: cst.With, own: OwnObject | None) -> frozenset[str]:
    """Return the paths that leaving a `with` statement changes: the rest of its own methods runs only then."""
    if own is None:
        return frozenset()
    entered = {path for item in statement.items for path in expression_changes(item.item, own)}
    outer = {path for item in statement.items for path in expression_changes(item.item)}
    return frozenset({*(entered - outer), *own.entered_changes(statement)})


def appended(statement: cst.CSTNode) -> tuple[str, tuple[cst.BaseExpression, ...]] | None:
    """Return the name of a list and what a statement appends to it, None where it is no such statement."""
    if isinstance(statement, cst.AugAssign):
        is_sum = isinstance(statement.operator, cst.AddAssign)
        items = _items(statement.value) if is_sum else None
        return (statement.target.value, items) if items and isinstance(statement.target, cst.Name) else None
    call = statement.value if isinstance(statement, cst.Expr) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute) or len(call.args) != 1:
        return None
    owner, argument = call.func.value, call.args[0]
    if not isinstance(owner, cst.Name) or argument.star or argument.keyword:
        return None
    if call.func.attr.value == "append":
        return owner.value, (argument.value,)
    items = _items(argument.value) if call.func.attr.value == "extend" else None
    return (owner.value, items) if items else None


def _items(node: cst.BaseExpression) -> tuple[cst.BaseExpression, ...] | None:
    """Return the items of a list that is written out, without a choice between some of them."""
    if not isinstance(node, (cst.List, cst.Tuple)) or not all(isinstance(each, cst.Element) for each in node.elements):
        return None
    items = tuple(each.value for each in node.elements)
    return None if any(isinstance(each, (cst.IfExp, cst.BooleanOperation)) for each in items) else items


def handed_over(node: cst.CSTNode) -> Iterator[str]:
    """Yield the names that a statement hands to a function which may change them, or gives a second name."""
    pending = [node]
    while pending:
        current = pending.pop()
        if isinstance(current, cst.Call) and not _only_looks(current):
            yield from (each.value.value for each in current.args if isinstance(each.value, cst.Name))
        elif isinstance(current, (cst.Assign, cst.AnnAssign)) and isinstance(current.value, cst.Name):
            yield current.value.value
        pending.extend(children(current))


def _only_looks(node: cst.Call) -> bool:
    name = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
    return isinstance(name, cst.Name) and name.value in _LOOKING


def only_appended(body: cst.BaseSuite) -> frozenset[str]:
    """Return the names of lists that a block changes in no way but to append to them."""
    added: set[str] = set()
    others: set[str] = set()
    for statement in all_statements(body):
        found = appended(statement)
        if found is not None:
            added.add(found[0])
        others.update(
            chain.from_iterable(map(expression_changes, found[1])) if found is not None else _changes(statement)
        )
    return frozenset(added - others)


def loop_changes(body: cst.BaseSuite, own: OwnObject | None = None) -> frozenset[str]:
    """Return the paths that one round of a loop may change for the next one.

    What a block changes that ends by leaving the loop is not seen by a next round.
    """
    return frozenset(_round_changes(body, own, is_inner=False))


def _round_changes(block: cst.BaseSuite, own: OwnObject | None, *, is_inner: bool) -> Iterator[str]:
    for statement in block_statements(block):
        yield from _changes(statement, own)
        # A break leaves only the innermost loop, and a handler may catch what leaves a `try`.
        inner = is_inner or isinstance(statement, (cst.For, cst.While, cst.Try, cst.TryStar, cst.With))
        for nested in nested_blocks(statement):
            if inner or not _leaves_loop(nested):
                yield from _round_changes(nested, own, is_inner=inner)


def _leaves_loop(block: cst.BaseSuite) -> bool:
    *_, last = block_statements(block)
    if not isinstance(last, (cst.Break, cst.Return, cst.Raise)):
        return False
    return not any(isinstance(statement, cst.Continue) for statement in all_statements(block))


# The field that a statement evaluates. Looked up by type, since `isinstance` on LibCST's abstract classes is slow.
_EVALUATED: dict[type[Any], str] = {
    **dict.fromkeys((cst.Assign, cst.AnnAssign, cst.AugAssign, cst.Expr, cst.Return, cst.TypeAlias), "value"),
    **dict.fromkeys((cst.If, cst.While, cst.Assert), "test"),
    cst.For: "iter",
    cst.Match: "subject",
    cst.Raise: "exc",
}
_WITH_MORE = frozenset({cst.With, cst.Try, cst.TryStar, cst.Match})


def _changes(node: Any, own: OwnObject | None = None) -> Iterator[str]:
    kind = type(node)
    if kind in {cst.FunctionDef, cst.ClassDef}:
        yield node.name.value
        return
    if kind in {cst.Import, cst.ImportFrom}:
        yield from import_names(node)
        return
    for target in _targets(node):
        for path in target_paths(target):
            yield path
            yield from own.set_changes(path) if own is not None else ()
    for expression in _expressions(node):
        yield from expression_changes(expression, own)
    if kind in _WITH_MORE:
        yield from _more_changes(node, own)


def _more_changes(node: Any, own: OwnObject | None) -> Iterator[str]:
    if own is not None and isinstance(node, cst.With):
        yield from own.entered_changes(node)
    if isinstance(node, (cst.Try, cst.TryStar)):
        yield from (name for handler in node.handlers for name in handler_names(handler))
    if isinstance(node, cst.Match):
        for case in node.cases:
            yield from pattern_names(case.pattern)
            yield from expression_changes(case.guard, own) if case.guard is not None else ()


def handler_names(handler: cst.ExceptHandler | cst.ExceptStarHandler) -> Iterator[str]:
    """Yield the name that an except clause binds."""
    if handler.name is not None:
        yield from target_paths(handler.name.name)


def _targets(node: Any) -> Iterator[cst.CSTNode]:
    kind = type(node)
    if kind is cst.Assign:
        yield from (target.target for target in node.targets)
    elif kind in {cst.AugAssign, cst.For, cst.Del} or (kind is cst.AnnAssign and node.value):
        yield node.target
    elif kind is cst.With:
        yield from (item.asname.name for item in node.items if item.asname)
    elif kind is cst.TypeAlias:
        yield node.name


def _expressions(node: Any) -> Iterator[cst.CSTNode]:
    kind = type(node)
    name = _EVALUATED.get(kind)
    value = getattr(node, name) if name is not None else None
    if value is not None:
        yield value
    if kind is cst.With:
        yield from (item.item for item in node.items)
    elif kind is cst.If and type(node.orelse) is cst.If:
        yield from _expressions(node.orelse)
