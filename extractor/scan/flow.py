"""What becomes of a flow, see `known`, as control passes statements: what is assumed, changed and joined.

Where branches meet, `join` keeps what holds on every way that gets
there. A block falls through exactly if the flow at its end is reachable.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache

import libcst as cst

from extractor.contradictions import without_not
from extractor.model import Guard
from extractor.scan.known import Choice, Condition, Conditions, Definition, Flag, Flow, Gathered, Known, Unknown, Value

# More definitions of a name than this say less than that it is a variable.
_MOST_DEFINITIONS = 8
_BRANCHES = frozenset({"if", "else", "case"})
# The kinds that hold in a block and not behind it.
_INSIDE = frozenset({"for", "with"})
# The kinds whose text is a test, so that the same text twice means the same.
_TESTS = frozenset({"if", "else", "early_exit", "assert", "while", "loop_else"})


def assume(flow: Flow, *conditions: Condition) -> Flow:
    """Return the flow with further conditions.

    An earlier one that says the opposite of a new one no longer holds: something changed that no statement shows, such
    as what a call does to an attribute.
    """
    claims = {_claim(each.guard) for each in conditions if each.guard.kind in _TESTS}
    new = (each if each.values is not None else replace(each, values=flow.values) for each in conditions)
    return replace(flow, conditions=(*(_unopposed(each, claims) for each in flow.conditions), *new))


def _unopposed(condition: Condition, claims: Collection[tuple[str, bool]]) -> Condition:
    if not claims or condition.guard.stale or condition.guard.kind not in _TESTS:
        return condition
    text, holds = _claim(condition.guard)
    return stale(condition) if (text, not holds) in claims else condition


def _claim(guard: Guard) -> tuple[str, bool]:
    return without_not(guard.text, holds=guard.holds)


def leave(flow: Flow) -> Flow:
    """Return the flow behind a statement that never falls through."""
    return replace(flow, reachable=False)


def define(flow: Flow, values: Mapping[str, Value]) -> Flow:
    """Return the flow with new values for names."""
    return replace(flow, values={**flow.values, **values})


def remember(flow: Flow, names: Iterable[str], flag: Flag) -> Flow:
    """Return the flow after these names were set to the value of a test."""
    return replace(flow, flags={**flow.flags, **dict.fromkeys(names, flag)})


def change(flow: Flow, paths: Iterable[str]) -> Flow:
    """Return the flow after these dotted paths were rebound: conditions that read them are stale, values unknown.

    A path `m.*` is any attribute of `m`, see `attributes`.
    """
    changed = _changed(paths)
    if not changed.names:
        return flow
    conditions = tuple(_aged(condition, changed) for condition in flow.conditions)
    flags = _unchanged_flags(flow.flags, changed) if flow.flags else flow.flags
    known: dict[str, Value] = {
        name: _aged_choice(value, changed) for name, value in flow.values.items() if isinstance(value, Choice)
    }
    other = Unknown()
    known.update((name, other) for name in flow.values if "." in name and _reads(frozenset({name}), changed))
    known.update((path, other) for path in changed.paths)
    values = {**flow.values, **known} if known else flow.values
    return replace(flow, conditions=conditions, values=values, flags=flags)


@dataclass(frozen=True, slots=True)
class _Changed:
    """What was rebound: the paths, the names that read one of them, and what other such names begin with."""

    paths: tuple[str, ...]
    names: frozenset[str]
    prefixes: tuple[str, ...]


def _changed(paths: Iterable[str]) -> _Changed:
    every = sorted(set(paths))
    plain = tuple(path for path in every if not path.endswith(".*"))
    owners = {f"{owner}.*" for path in every if (owner := path.rpartition(".")[0])}
    return _Changed(
        plain, frozenset(owners.union(plain)), tuple(path.removesuffix("*").rstrip(".") + "." for path in every)
    )


def _unchanged_flags(flags: Mapping[str, Flag], changed: _Changed) -> Mapping[str, Flag]:
    return {name: flag for name, flag in flags.items() if name not in changed.paths and not _reads(flag.names, changed)}


def _aged_choice(choice: Choice, changed: _Changed) -> Choice:
    if not any(
        _reads(condition.names | condition.expanded_names, changed)
        for _, conditions in choice.ways
        for condition in conditions
    ):
        return choice
    return Choice(tuple((way, tuple(_aged(each, changed) for each in conditions)) for way, conditions in choice.ways))


def _aged(condition: Condition, changed: _Changed) -> Condition:
    if condition.expanded_names and _reads(condition.expanded_names, changed):
        condition = _unexpanded(condition)
    if condition.guard.stale or not _reads(condition.names, changed):
        return condition
    return stale(condition)


def _unexpanded(condition: Condition) -> Condition:
    return replace(condition, guard=replace(condition.guard, expanded=None), expanded_names=frozenset())


def stale(condition: Condition) -> Condition:
    """Return a condition of which something that it reads was changed since."""
    return replace(condition, guard=replace(condition.guard, stale=True))


def reads(names: frozenset[str], paths: Iterable[str]) -> bool:
    """Say whether what reads these dotted names means something else once these paths were changed."""
    return _reads(names, _changed(paths))


def _reads(names: frozenset[str], changed: _Changed) -> bool:
    return not names.isdisjoint(changed.names) or any(name.startswith(changed.prefixes) for name in names)


def join(before: Flow, outcomes: Sequence[Flow]) -> Flow:
    """Return what is known where ways that started from `before` meet again.

    With a single way left all of its conditions hold; the others left, so its branch conditions are early exits.
    """
    alive = [flow for flow in outcomes if flow.reachable]
    if not alive:
        return replace(before, reachable=False, doubtful=any(flow.doubtful for flow in outcomes))
    if len(alive) == 1:
        return settle(before, alive[0])
    count = len(before.conditions)
    conditions = tuple(staler([flow.conditions[index] for flow in alive]) for index in range(count))
    flags = _agreed_flags([flow.flags for flow in alive])
    return Flow(conditions, _agreed(alive, count), True, flags=flags, in_function=before.in_function)


def _agreed_flags(ways: Sequence[Mapping[str, Flag]]) -> Mapping[str, Flag]:
    first, *others = ways
    return {name: test for name, test in first.items() if all(other.get(name) is test for other in others)}


def settle(before: Flow, flow: Flow) -> Flow:
    """Return the flow with the branch conditions that came since `before` turned into early exits."""
    count = len(before.conditions)
    return replace(flow, conditions=flow.conditions[:count] + tuple(map(early_exit, flow.conditions[count:])))


def early_exit(condition: Condition) -> Condition:
    """Return a condition of a branch as one that is known behind it."""
    if condition.guard.kind not in _BRANCHES:
        return condition
    return replace(condition, guard=replace(condition.guard, kind="early_exit"))


def passed_loop(flow: Flow, before: Flow) -> Flow:
    """Return the flow behind a loop that can be left in one way only: what held there was true of its last round."""
    count = len(before.conditions)
    kept = (_passed(each) for each in flow.conditions[count:] if each.guard.kind not in _INSIDE)
    return replace(flow, conditions=(*flow.conditions[:count], *kept))


def _passed(condition: Condition) -> Condition:
    kind = condition.guard.kind
    guard = replace(condition.guard, kind="early_exit") if kind == "while" else condition.guard
    return replace(condition, guard=guard, passed=True)


def staler(conditions: Sequence[Condition]) -> Condition:
    """Return a condition that comes by several ways as it holds on all of them."""
    found = next((condition for condition in conditions if condition.guard.stale), conditions[0])
    if not found.guard.expanded or all(condition.guard.expanded for condition in conditions):
        return found
    return _unexpanded(found)


def _agreed(ways: Sequence[Flow], count: int) -> dict[str, Value]:
    first = ways[0].values
    agreed: dict[str, Value] = {}
    for name in dict.fromkeys(name for flow in ways for name in flow.values):
        value = first.get(name)
        same = value is not None and all(flow.values.get(name) is value for flow in ways)
        agreed[name] = value if same and value is not None else _chosen(name, ways, count)
    return agreed


def gathered_from(value: Value | None) -> Gathered | None:
    """Return the list that a name holds, if it is one whose items are known."""
    if isinstance(value, Definition) and isinstance(value.value, cst.List):
        elements = value.value.elements
        if all(isinstance(element, cst.Element) for element in elements):
            items = [(Definition(element.value, value.values, order=value.order), ()) for element in elements]
            return Gathered(value, tuple(items))
    return value if isinstance(value, Gathered) else None


def merged_lists(values: Sequence[Value | None]) -> Gathered | None:
    """Return the list that comes by several ways, None where it is not the same one."""
    lists = [gathered_from(value) for value in values]
    starts = {each.start if each is not None else None for each in lists}
    if len(starts) != 1 or None in starts:
        return None
    items: dict[int, tuple[Definition, Conditions]] = {}
    for each in lists:
        for definition, conditions in each.items if each is not None else ():
            items.setdefault(id(definition.value), (definition, conditions))
    first = next(each for each in lists if each is not None)
    return Gathered(first.start, tuple(sorted(items.values(), key=lambda item: item[0].order)))


def _chosen(name: str, flows: Sequence[Flow], count: int) -> Value:
    """Return the definitions of a name that come by these ways, with the conditions that each has beyond the first."""
    if any(isinstance(flow.values.get(name), Gathered) for flow in flows):
        return merged_lists([flow.values.get(name) for flow in flows]) or Unknown()
    found: dict[Definition, list[Conditions]] = {}
    for flow in flows:
        ways = ways_of(name, flow)
        if ways is None:
            return Unknown()
        for definition, conditions in ways:
            found.setdefault(definition, []).append(flow.conditions[count:] + conditions)
    # Of a definition that comes by several ways it is not known by which, so no condition of theirs is needed.
    return choice_of({definition: every[0] if len(every) == 1 else () for definition, every in found.items()})


def ways_of(name: str, flow: Flow) -> tuple[tuple[Definition, Conditions], ...] | None:
    """Return the definitions of a name that reach this point, None where not all of them are known."""
    value = flow.values.get(name)
    if value is Known.PARAMETER or (value is None and "." in name):
        value = _unchanged(name)
    if value is None and flow.in_function and name.isidentifier():
        # A function's own name that was not set yet: to read it raises an error of its own.
        return ()
    if isinstance(value, Definition):
        return ((value, ()),)
    return value.ways if isinstance(value, Choice) else None


def choice_of(ways: Mapping[Definition, Conditions]) -> Value:
    """Return the value of a name that has one of these definitions, in source order."""
    if not 0 < len(ways) <= _MOST_DEFINITIONS:
        return Unknown()
    return Choice(tuple(sorted(ways.items(), key=lambda way: way[0].order)))


@cache
def _unchanged(name: str) -> Definition:
    """Return the definition of a parameter or attribute that is what it was when the function was called."""
    root, *rest = name.split(".")
    node: cst.BaseExpression = cst.Name(root)
    for attribute in rest:
        node = cst.Attribute(node, cst.Name(attribute))
    return Definition(node, {root: Known.OWN if rest else Known.PARAMETER}, order=-1)


def without(flow: Flow, index: int, *, kinds: frozenset[str]) -> Flow:
    """Return the flow without the condition at this place, if it is of one of these kinds."""
    conditions = flow.conditions
    if len(conditions) <= index or conditions[index].guard.kind not in kinds:
        return flow
    return replace(flow, conditions=conditions[:index] + conditions[index + 1 :])


def aged(conditions: Iterable[Condition], paths: Collection[str]) -> Conditions:
    """Return the conditions after these dotted paths were rebound."""
    return change(Flow(tuple(conditions)), paths).conditions


def trimmed(flow: Flow, before: Flow) -> Flow:
    """Return the flow with only as many conditions as `before` has."""
    return replace(flow, conditions=flow.conditions[: len(before.conditions)])
