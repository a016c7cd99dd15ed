"""The path through one function body, statement by statement: what each binds, changes and ends."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import replace

import libcst as cst

from extractor.model import GuardKind
from extractor.scan import guards
from extractor.scan.bindings import appended, changes, expression_changes, handed_over, sure_assignments
from extractor.scan.evaluated import outdates_itself
from extractor.scan.expression import express
from extractor.scan.flow import aged, assume, change, define, gathered_from, leave, stale
from extractor.scan.known import Choice, Condition, Definition, Flow, Frame, Gathered, Known, Unknown, Value
from extractor.scan.own_object import OwnObject

# What a dotted name stands for if that is known, see `Scopes.full_name`.
FullName = Callable[[str], str | None]


class Steps:
    """The flow at the current statement of one function, class or module body."""

    def __init__(self, flow: Flow, full_name: FullName, order: Iterator[int], own: OwnObject | None = None) -> None:
        self.flow, self.own = flow, own
        # Names that other functions may set at any time.
        self.shared: set[str] = set()
        # Names that are bound once for good: the scopes know them, and of thousands in a module nobody keeps track.
        self.settled: Callable[[str], bool] = lambda name: False
        # What the functions inside of this one read of its variables, by their names.
        self.readers: dict[str, frozenset[str]] = {}
        self._full_name = full_name
        self._order = order
        self._frames: list[Frame] = []

    def _open(self, before: Flow, line: int) -> Frame:
        frame = Frame(before, line=line)
        self._frames.append(frame)
        return frame

    def _top(self) -> Frame:
        return self._frames[-1]

    def _truth(self, node: cst.BaseExpression) -> bool | None:
        return guards.static_truth(node, self._full_name)

    # Statements

    def resume(self) -> None:
        """Come to a statement: somebody wrote it behind a block that leaves, so its context manager must swallow."""
        if self.flow.doubtful:
            self.flow = replace(self.flow, reachable=True, doubtful=False)

    def change(self, statement: cst.CSTNode) -> None:
        """Pass a statement that binds or changes something."""
        paths = changes(statement, self._watched())
        self.flow = change(self.flow, [path for path in paths if not self.settled(path)])
        self._lose_lists(statement)

    def _watched(self, flow: Flow | None = None) -> OwnObject | None:
        """Return the own object if something that is known so far reads it: its methods are costly to look through."""
        own, flow = self.own, flow or self.flow
        if own is None or own.functions or own.is_made:
            return own
        names = (name for condition in flow.conditions for name in (*condition.names, *condition.expanded_names))
        start = own.name + "."
        if any(name.startswith(start) for name in (*names, *flow.values)) or flow.flags:
            return own
        return own if any(isinstance(value, (Choice, Gathered)) for value in flow.values.values()) else None

    def _is_read(self, conditions: Iterable[Condition]) -> bool:
        """Say whether one of these conditions reads the own object."""
        own = self.own
        return own is not None and any(
            name.partition(".")[0] == own.name for condition in conditions for name in condition.names
        )

    def _is_about_own(self, node: cst.BaseExpression) -> bool:
        """Say whether an expression may read the own object."""
        own = self.own
        return own is not None and any(name.partition(".")[0] == own.name for name in express(node).names)

    def _lose_lists(self, statement: cst.CSTNode) -> None:
        """Forget the items of lists that a statement gives to somebody else."""
        lists = [name for name, value in self.flow.values.items() if isinstance(value, Gathered)]
        if lists:
            lost = {*lists}.intersection(handed_over(statement))
            self.flow = define(self.flow, dict.fromkeys(lost, Unknown()))

    def define(
        self, names: Iterable[str], value: cst.BaseExpression, before: Mapping[str, Value], line: int | None
    ) -> None:
        """Set names to a value that was evaluated with these local values; see `known.Definition` for the line."""
        own = [name for name in names if name not in self.shared and not self.settled(name)]
        if own:
            self.flow = define(self.flow, dict.fromkeys(own, Definition(value, before, line, next(self._order))))
            self.flow = guards.remembered(self.flow, own, value, own)

    def set(self, name: str, value: cst.BaseExpression, before: Mapping[str, Value]) -> None:
        """Set one of the names of a statement to a value that was evaluated with these local values."""
        if name not in self.shared and not self.settled(name):
            self.flow = define(self.flow, {name: Definition(value, before, None, next(self._order))})

    def declare(self, names: Iterable[str]) -> None:
        """Set names to what the scopes know them as."""
        own = [name for name in names if not self.settled(name)]
        if own:
            self.flow = define(self.flow, dict.fromkeys(own, Known.DECLARED))

    def evaluate(self, statement: cst.Expr, line: int | None = None) -> None:
        """Pass an expression statement; what it appends to a list whose items are known becomes one of them."""
        before = self.flow
        self.flow = self._evaluated(self.flow, statement.value, None)
        if self.own is not None and self.own.is_made and self._is_read(self.flow.conditions):
            # The values that a base's `__init__` sets are known to link, but not what tests of them come out as.
            changed = frozenset(expression_changes(statement.value, replace(self.own, is_made=False)))
            self.flow = replace(self.flow, conditions=aged(self.flow.conditions, changed))
        self._lose_lists(statement)
        self.append(statement, before, line)

    def append(self, statement: cst.CSTNode, before: Flow, line: int | None = None) -> None:
        """Note what a statement appends to a list whose items were known before."""
        found = appended(statement)
        value = gathered_from(before.values.get(found[0])) if found is not None else None
        if found is None or value is None:
            return
        added = ((Definition(each, before.values, line, next(self._order)), before.conditions) for each in found[1])
        self.flow = define(self.flow, {found[0]: Gathered(value.start, (*value.items, *added))})

    def _evaluated(self, flow: Flow, node: cst.BaseExpression, line: int | None) -> Flow:
        changed = frozenset(expression_changes(node, self._watched()))
        return self._assigned(change(flow, changed), sure_assignments(node), changed, line) if changed else flow

    def _assigned(
        self, flow: Flow, values: Mapping[str, cst.BaseExpression], changed: Iterable[str], line: int | None
    ) -> Flow:
        """Return the flow with what `:=` assigned in an expression that changes these names, to the flow already."""
        after = flow
        for name, value in values.items():
            if name in self.shared:
                continue
            at = line if isinstance(value, cst.IfExp) else None
            after = define(after, {name: Definition(value, flow.values, at, next(self._order))})
            after = guards.remembered(after, [name], value, changed)
        return after

    def _tested(self, flow: Flow, test: cst.BaseExpression, line: int, *, holds: bool) -> Flow:
        """Return the flow with what a test assigned besides if it came out like this."""
        values = sure_assignments(test, holds)
        more = {name: value for name, value in values.items() if not isinstance(flow.values.get(name), Definition)}
        return self._assigned(flow, more, expression_changes(test, self.own), line) if more else flow

    def _condition(
        self, node: cst.BaseExpression, kind: GuardKind, line: int, flow: Flow, *, holds: bool, certain: bool = True
    ) -> Condition:
        """Return the condition that a test came out true or false; see `guards.condition_of`."""
        condition = guards.condition_of(node, kind, line, flow, holds=holds, certain=certain)
        more = frozenset(path for name in condition.names for path in self._read_by(name, flow))
        if more:
            condition = replace(condition, names=condition.names | more)
        # Most tests call nothing, and only a call or `:=` changes something.
        return stale(condition) if "(" in condition.guard.text and outdates_itself(node, self.own) else condition

    def _read_by(self, name: str, flow: Flow) -> Collection[str]:
        """Return what a function inside of this one reads of its variables, none where the name is no such function."""
        value = flow.values.get(name)
        if isinstance(value, Definition) and isinstance(value.value, cst.Lambda):
            return express(value.value).names
        return self.readers.get(name, ()) if value is Known.DECLARED else ()

    def take_function(self, name: str, changed: frozenset[str], read: frozenset[str]) -> None:
        """Note a function inside of this one: what it changes of the variables here when it is called, and reads."""
        self.readers[name] = read
        if changed:
            own = self.own or OwnObject("", lambda call: ())
            self.own = replace(own, functions={**own.functions, name: changed})

    def leave(self) -> None:
        """Pass a statement that never falls through."""
        self.flow = leave(self.flow)

    def _loop(self) -> Frame | None:
        """Return the loop that a `break` leaves."""
        return next((frame for frame in reversed(self._frames) if frame.breaks is not None), None)

    def leave_loop(self) -> None:
        """Pass a `break`."""
        loop = self._loop()
        if loop is not None and loop.breaks is not None:
            loop.breaks.append(self.flow)
        self.leave()

    def _jumps(self) -> tuple[int, int]:
        """Return how many ways out of the current loop or to its next round there are so far."""
        loop = self._loop()
        return (len(loop.breaks or ()), len(loop.continues)) if loop is not None else (0, 0)

    def _change_jumps(self, before: tuple[int, int], paths: Collection[str]) -> None:
        """Change paths on the ways that a `break` or `continue` went since: it passes what a block does at its end."""
        loop = self._loop() if paths else None
        for flows, kept in zip((loop.breaks or [], loop.continues), before, strict=True) if loop is not None else ():
            flows[kept:] = [change(flow, paths) for flow in flows[kept:]]

    def next_round(self) -> None:
        """Pass a `continue`."""
        loop = self._loop()
        if loop is not None:
            loop.continues.append(self.flow)
        self.leave()

    def check(self, node: cst.Assert, line: int) -> None:
        """Pass an `assert`."""
        self.change(node)
        condition = self._condition(node.test, "assert", line, self.flow, holds=True, certain=False)
        self.flow = assume(self.flow, condition)
