"""Conditions from the headers of statements: what must hold to get into a block, and what held if it was passed by."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import libcst as cst

from extractor.model import Guard, GuardKind
from extractor.scan.expression import express, express_part
from extractor.scan.flow import Condition
from extractor.scan.patterns import pattern_text
from extractor.scan.statements import all_statements, block_statements, block_text, nested_blocks, with_text
from extractor.scan.writer import dotted_name

_TYPE_CHECKING = frozenset({"TYPE_CHECKING", "typing.TYPE_CHECKING", "typing_extensions.TYPE_CHECKING"})


def condition_of(
    node: cst.BaseExpression, kind: GuardKind, line: int, *, holds: bool, certain: bool = True
) -> Condition:
    """Return the condition that a test came out true or false."""
    expression = express(node)
    return Condition(Guard(kind, expression.text, holds, line, certain), expression.names, node)


def static_truth(node: cst.BaseExpression, full_name: Callable[[str], str | None]) -> bool | None:
    """Return what a test always is, None where that depends: constants, TYPE_CHECKING and `not` of these.

    `full_name` tells what a dotted name stands for.
    """
    if isinstance(node, cst.Integer):
        return node.evaluated_value != 0
    if isinstance(node, cst.UnaryOperation) and isinstance(node.operator, cst.Not):
        inner = static_truth(node.expression, full_name)
        return None if inner is None else not inner
    name = dotted_name(node)
    if name in {"True", "False", "None"}:
        return name == "True"
    if name is None or not name.endswith("TYPE_CHECKING"):
        return None
    return False if full_name(name) in _TYPE_CHECKING else None


def for_condition(node: cst.For, line: int) -> Condition:
    """Return the condition that a `for` loop has an item."""
    target, iterable = express_part(node.target), express_part(node.iter)
    return Condition(Guard("for", f"{target.text} in {iterable.text}", True, line), target.names | iterable.names)


def loop_else_condition(node: cst.For | cst.While, line: int) -> Condition:
    """Return the condition that a loop ended without a break."""
    if isinstance(node, cst.While):
        return condition_of(node.test, "loop_else", line, holds=False)
    loop = for_condition(node, line)
    test = _break_test(node)
    text = loop.guard.text + (f" if {express(test).text}" if test is not None else "")
    return Condition(Guard("loop_else", text, False, line), loop.names)


def _break_test(node: cst.For) -> cst.BaseExpression | None:
    """Return the test of a loop that begins with `if test: … break` and breaks nowhere else."""
    first, *others = block_statements(node.body)
    if not isinstance(first, cst.If) or first.orelse is not None or any(map(_may_break, others)):
        return None
    *before, last = block_statements(first.body)
    is_plain = isinstance(last, cst.Break) and not any(list(nested_blocks(statement)) for statement in before)
    return first.test if is_plain else None


def _may_break(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.Break) or any(
        isinstance(inner, cst.Break) for block in nested_blocks(statement) for inner in all_statements(block)
    )


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


@dataclass(frozen=True, slots=True)
class CaseConditions:
    """The conditions of one `case`: those to get in, and the one that it was passed by."""

    inside: tuple[Condition, ...]
    passed: Condition


def case_conditions(subject: cst.BaseExpression, case: cst.MatchCase, line: int) -> CaseConditions:
    """Return the conditions of one case of a `match` statement."""
    target = express(subject)
    text = f"match {target.text}: case {pattern_text(case.pattern)}"
    inside = (Condition(Guard("case", text, True, line), target.names),)
    if case.guard is None:
        return CaseConditions(inside, Condition(Guard("case", text, False, line), target.names))
    test = express(case.guard)
    passed = Condition(Guard("case", f"{text} if {test.text}", False, line), target.names | test.names)
    return CaseConditions((*inside, condition_of(case.guard, "case", line, holds=True)), passed)


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


def only_later(first: Condition, later: Condition) -> Condition:
    """Return the condition that a later branch of an `elif` chain was not left by, where an earlier one falls through.

    For `if a: … elif b: return` the way on is `a or not b`, so the text is `not a and b`, which is false.
    """
    text = f"not {_operand(first.guard.text)} and {_left_by(later.guard)}"
    stale = first.guard.stale or later.guard.stale
    return Condition(Guard("early_exit", text, False, later.guard.line, stale=stale), first.names | later.names)


def _left_by(guard: Guard) -> str:
    # The guard holds on the way on, so the branch that leaves was entered by its opposite.
    return f"not {_operand(guard.text)}" if guard.holds else _operand(guard.text, of_and=True)


def _operand(text: str, *, of_and: bool = False) -> str:
    """Put a text in parentheses unless it binds tighter than what it becomes an operand of."""
    words = text.split()
    is_name = all(part.isidentifier() for part in text.split("."))
    is_call = len(words) == 1 and text.endswith(")") and not text.startswith("(")
    tighter = of_and and not {"or", "if", "lambda"} & set(words) and ":=" not in text
    return text if is_name or is_call or tighter else f"({text})"
