"""Conditions from the headers of statements: what must hold to get into a block, and what held if it was passed by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from extractor.model import Guard, GuardKind
from extractor.scan.expression import express, express_part
from extractor.scan.flow import remember
from extractor.scan.known import Condition, Flag, Flow
from extractor.scan.patterns import pattern_text
from extractor.scan.statements import block_statements, block_text, statement_text, with_text
from extractor.scan.writer import dotted_name

_TESTS = (cst.Comparison, cst.BooleanOperation)
# Functions and methods of the standard library that answer yes or no.
_PREDICATES = frozenset("all any bool callable hasattr isinstance issubclass".split())
_PREDICATE_METHODS = frozenset(
    "endswith exists is_absolute is_dir is_file is_relative_to is_set is_symlink isabs isalnum isalpha isascii "
    "isdecimal isdigit isdir isdisjoint isfile isidentifier islink islower isnumeric isprintable isspace issubset "
    "issuperset istitle isupper startswith".split()
)
_TYPE_CHECKING = frozenset({"TYPE_CHECKING", "typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING"})


def condition_of(
    node: cst.BaseExpression, kind: GuardKind, line: int, flow: Flow, *, holds: bool, certain: bool = True
) -> Condition:
    """Return the condition that a test came out true or false where the flow is this one."""
    expression = express(node)
    guard = Guard(kind, expression.text, holds, line, certain)
    condition = Condition(guard, expression.names, node=node)
    return _expanded(condition, node, flow.flags) if flow.flags else condition


def _expanded(condition: Condition, node: cst.BaseExpression, flags: Mapping[str, Flag]) -> Condition:
    is_negated = isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not)
    name = node.expression if isinstance(node, cst.UnaryOperation) and is_negated else node
    flag = flags.get(name.value) if isinstance(name, cst.Name) else None
    if flag is None:
        return condition
    text = flag.text if not is_negated else f"not {flag.text}" if flag.atomic else f"not ({flag.text})"
    return replace(condition, guard=replace(condition.guard, expanded=text), expanded_names=flag.names)


def flag_of(node: cst.BaseExpression) -> Flag | None:
    """Return an expression as a test, None where it is not written as one: what it gives may be anything."""
    if not isinstance(node, _TESTS) and not _is_predicate(node):
        return None
    expression = express(node)
    return Flag(expression.text, expression.names, expression.atomic)


def _is_predicate(node: cst.BaseExpression) -> bool:
    if isinstance(node, cst.UnaryOperation):
        return isinstance(node.operator, cst.Not)
    if not isinstance(node, cst.Call):
        return False
    if isinstance(node.func, cst.Attribute):
        return node.func.attr.value in _PREDICATE_METHODS
    return isinstance(node.func, cst.Name) and node.func.value in _PREDICATES


def static_truth(node: cst.BaseExpression, full_name: Callable[[str], str | None]) -> bool | None:
    """Return what a test always is, None where that depends: constants, TYPE_CHECKING and `not` of these.

    `full_name` tells what a dotted name stands for.
    """
    if isinstance(node, cst.Integer):
        return node.evaluated_value != 0
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        inner = static_truth(node.expression, full_name)
        return None if inner is None else not inner
    if isinstance(node, cst.Float):
        return node.evaluated_value != 0
    if isinstance(node, cst.SimpleString):
        # Bytes are as true as a text.
        return bool(node.raw_value)
    name = dotted_name(node)
    if name in {"True", "False", "None"}:
        return name == "True"
    return False if name is not None and full_name(name) in _TYPE_CHECKING else None


def for_condition(node: cst.For, line: int) -> Condition:
    """Return the condition that a `for` loop has an item."""
    target, iterable = express_part(node.target), express_part(node.iter)
    return Condition(Guard("for", f"{target.text} in {iterable.text}", True, line), target.names | iterable.names)


def with_condition(node: cst.With, line: int) -> Condition:
    """Return the condition that the items of a `with` statement were entered."""
    return Condition(Guard("with", with_text(node), True, line), frozenset())


def except_condition(node: cst.ExceptHandler | cst.ExceptStarHandler, line: int) -> Condition:
    """Return the condition that an except clause caught something."""
    caught = express(node.type).text if node.type is not None else ""
    if isinstance(node.type, cst.Tuple):
        caught = f"({caught})"
    name = f" as {express(node.name.name).text}" if node.name is not None else ""
    return Condition(Guard("except", caught + name, True, line), frozenset())


def try_else_condition(node: cst.Try | cst.TryStar, line: int) -> Condition:
    """Return the condition that the body of a `try` raised nothing."""
    return Condition(Guard("try_else", block_text(node.body), True, line), frozenset())


def is_one_step(block: cst.BaseSuite) -> bool:
    """Say whether a block is a single small statement, so that its text says all of it; an assert is a guard itself."""
    first, *others = block_statements(block)
    return not others and not isinstance(first, cst.Assert) and statement_text(first)[1]


@dataclass(frozen=True, slots=True)
class CaseConditions:
    """The conditions of one `case`: those to get in, and the one that it was passed by."""

    inside: tuple[Condition, ...]
    passed: Condition


def case_conditions(subject: cst.BaseExpression, case: cst.MatchCase, line: int, flow: Flow) -> CaseConditions:
    """Return the conditions of one case of a `match` statement, to which this flow comes."""
    target = express(subject)
    text = f"match {target.text}: case {pattern_text(case.pattern)}"
    inside = (Condition(Guard("case", text, True, line), target.names),)
    if case.guard is None:
        return CaseConditions(inside, Condition(Guard("case", text, False, line), target.names))
    test = express(case.guard)
    passed = Condition(Guard("case", f"{text} if {test.text}", False, line), target.names | test.names)
    return CaseConditions((*inside, condition_of(case.guard, "case", line, flow, holds=True)), passed)


def is_catch_all(case: cst.MatchCase) -> bool:
    """Say whether a case matches everything."""
    return case.guard is None and _matches_all(case.pattern)


def _matches_all(pattern: cst.MatchPattern) -> bool:
    if isinstance(pattern, cst.MatchOr):
        return any(_matches_all(element.pattern) for element in pattern.patterns)
    return isinstance(pattern, cst.MatchAs) and (pattern.pattern is None or _matches_all(pattern.pattern))


def is_plain_test(guard: Guard) -> bool:
    """Say whether the text of a guard is a test of an `if`, so that it can stand in a larger one."""
    return guard.kind in {"if", "else", "early_exit"} and not guard.text.startswith("match ")


def remembered(flow: Flow, names: Sequence[str], value: cst.BaseExpression, changed: Iterable[str]) -> Flow:
    """Return the flow with a test that these names were set to, unless it reads what was changed along with them."""
    test = flag_of(value)
    if test is None or not test.names.isdisjoint(changed):
        return flow
    return remember(flow, names, test)
