"""Conditions from the headers of statements: what must hold to get into a block, and what held if it was passed by."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import libcst as cst

from extractor.model import Guard, GuardKind
from extractor.scan.bindings import OwnObject, changes, changes_in, expression_changes
from extractor.scan.expression import express, express_part
from extractor.scan.flow import Condition, Flag, Flow, aged, assume, remember
from extractor.scan.patterns import pattern_text
from extractor.scan.statements import all_statements, block_statements, block_text, nested_blocks, with_text
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


def loop_else_condition(node: cst.For, line: int) -> Condition:
    """Return the condition that a `for` loop ended without a break."""
    loop = for_condition(node, line)
    branch = break_branch(node)
    text = loop.guard.text + (f" if {express(branch.test).text}" if branch is not None else "")
    return Condition(Guard("loop_else", text, False, line), loop.names)


def break_branch(node: cst.For | cst.While) -> cst.If | None:
    """Return the branch that ends in the only `break` of a loop, if every round comes to its test.

    A `for` loop has to begin with it: its test is shown as one of the items.
    """
    statements = list(block_statements(node.body))
    breaking = [statement for statement in statements if _may(cst.Break, statement)]
    branch = breaking[0] if len(breaking) == 1 else None
    if not isinstance(branch, cst.If):
        return None
    before = statements[: statements.index(branch)]
    if before if isinstance(node, cst.For) else any(_may(cst.Continue, statement) for statement in before):
        return None
    body, *others = nested_blocks(branch)
    *inner, last = block_statements(body)
    is_plain = isinstance(last, cst.Break) and not any(list(nested_blocks(statement)) for statement in inner)
    return (
        branch
        if is_plain and not any(_may(cst.Break, each) for block in others for each in block_statements(block))
        else None
    )


def no_break_condition(node: cst.While, branch: cst.If, line: int, flow: Flow, own: OwnObject | None) -> Condition:
    """Return the condition that the test of this branch never made a `while` loop break.

    It came out false in every round, but there may have been none.
    """
    condition = condition_of(branch.test, "loop_else", line, flow, holds=False, certain=False)
    statements = list(block_statements(node.body))
    _, *others = nested_blocks(branch)
    later = [*statements[statements.index(branch) + 1 :], *(each for block in others for each in all_statements(block))]
    blocks = [block for statement in later for block in nested_blocks(statement)]
    changed = changes_in(blocks, own).union(*(changes(statement, own) for statement in later))
    (aged_condition,) = aged([condition], {*changed, *expression_changes(node.test, own)})
    return aged_condition


def _may(kind: type[cst.CSTNode], statement: cst.CSTNode) -> bool:
    return isinstance(statement, kind) or any(
        isinstance(inner, kind) for block in nested_blocks(statement) for inner in all_statements(block)
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


def remembered(flow: Flow, names: Sequence[str], value: cst.BaseExpression, changed: Iterable[str]) -> Flow:
    """Return the flow with a test that these names were set to, unless it reads what was changed along with them."""
    test = flag_of(value)
    if test is None or not test.names.isdisjoint(changed):
        return flow
    return remember(flow, names, test)


def with_chain_exits(before: Flow, joined: Flow, other: Flow, changed: Iterable[str]) -> Flow:
    """Add what later branches of a chain were not left by; `changed` is what the branch that falls through changes."""
    count = len(before.conditions)
    if len(other.conditions) < count + 2:
        return joined
    first = other.conditions[count]
    later = [each for each in other.conditions[count + 1 :] if is_plain_test(each.guard)]
    exits = [only_later(first, each) for each in later]
    return assume(joined, *aged(exits, set(changed)))
