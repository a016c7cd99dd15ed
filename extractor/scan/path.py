"""The path through one function body: the flow as the visitor moves along, branch by branch.

The methods are called in source order; each compound statement opens a frame that remembers the flow it started from
and the flows that come out of its branches.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import libcst as cst

from extractor.scan import guards, ways
from extractor.scan.bindings import (
    changes,
    changes_in,
    exit_changes,
    expression_changes,
    handler_names,
    loop_changes,
    only_appended,
    pattern_names,
)
from extractor.scan.evaluated import outdates_itself
from extractor.scan.flow import (
    aged,
    assume,
    change,
    define,
    early_exit,
    gathered_from,
    join,
    leave,
    merged_lists,
    passed_loop,
    stale,
    trimmed,
    without,
)
from extractor.scan.known import Caught, Conditions, Flow, Frame, Rounds, Unknown, Value
from extractor.scan.rounds import rounds_from, settled
from extractor.scan.statements import nested_blocks
from extractor.scan.steps import Steps
from extractor.scan.writer import target_names

_OWN_GUARD = frozenset({"with", "try_else"})


class Path(Steps):
    """The path through one function, class or module body, branch by branch."""

    # if

    def open_if(self, node: cst.If, line: int) -> None:
        """Enter the body of an `if` or `elif`."""
        frame = self._open(self._evaluated(self.flow, node.test, line), line)
        frame.assigns = frame.before is not self.flow
        self.flow = self._side(frame, node, holds=True)

    def turn_if(self, node: cst.If) -> None:
        """Go from the body to what is behind `else`, be it there or not."""
        frame = self._top()
        frame.outcomes.append(self.flow)
        self.flow = self._side(frame, node, holds=False)

    def _side(self, frame: Frame, node: cst.If, *, holds: bool) -> Flow:
        before, line, truth = frame.before, frame.line, self._truth(node.test)
        if truth is holds:
            return before
        tested = self._tested(before, node.test, line, holds=holds) if frame.assigns else before
        inside = assume(tested, self._condition(node.test, "if" if holds else "else", line, before, holds=holds))
        return inside if truth is None else leave(inside)

    def close_if(self) -> None:
        """Come out of an `if`."""
        frame = self._frames.pop()
        body, other = frame.outcomes[0], self.flow
        joined = join(frame.before, [body, other])
        if body.reachable and other.reachable:
            count = len(frame.before.conditions)
            joined = assume(joined, *ways.met(body.conditions[count:], other.conditions[count:]))
        self.flow = joined

    # Loops

    def open_for(self, node: cst.For, line: int) -> None:
        """Enter the body of a `for` loop."""
        targets = target_names(node.target)
        # The iterable is read again by no round, but it may be what the loop's condition is about.
        own = self.own if self._is_about_own(node.iter) else self._watched()
        by_rounds = loop_changes(node.body, own)
        lists = self._lists_in(node.body)
        rounds = rounds_from(self.flow, by_rounds.difference(targets, lists, self.shared))
        before = self._into_rounds(lists, rounds, changes(node, own) | by_rounds)
        frame = self._open(before, line)
        frame.breaks, frame.lists, frame.rounds = [], lists, rounds
        inside = define(before, dict.fromkeys(targets, Unknown()))
        # The iterable is not looked at again in a next round.
        self.flow = assume(inside, *aged([guards.for_condition(node, line)], by_rounds - set(targets)))
        frame.depth, frame.changed = len(self.flow.conditions), by_rounds

    def open_while(self, node: cst.While, line: int) -> None:
        """Enter the body of a `while` loop."""
        own = self.own if self._is_about_own(node.test) else self._watched()
        by_rounds = loop_changes(node.body, own)
        lists = self._lists_in(node.body)
        rounds = rounds_from(self.flow, by_rounds.difference(lists, self.shared))
        around = self._into_rounds(lists, rounds, by_rounds)
        before = self._evaluated(around, node.test, line)
        frame = self._open(before, line)
        frame.breaks, frame.assigns, frame.lists, frame.rounds = [], before is not around, lists, rounds
        self.flow = before
        truth = self._truth(node.test)
        if truth is not True:
            tested = self._tested(before, node.test, line, holds=True) if frame.assigns else before
            self.flow = assume(tested, self._condition(node.test, "while", line, before, holds=True))
        frame.depth = len(self.flow.conditions)
        if truth is False:
            self.leave()

    def _lists_in(self, body: cst.BaseSuite) -> dict[str, Value]:
        """Return the lists whose items are known, of those that a loop only appends to."""
        values = self.flow.values
        return {name: values[name] for name in only_appended(body) if gathered_from(values.get(name)) is not None}

    def _into_rounds(self, lists: Mapping[str, Value], rounds: Rounds, changed: Iterable[str]) -> Flow:
        """Return the flow into any round of a loop that changes these names."""
        flow = change(self.flow, changed)
        return define(flow, {**lists, **rounds.starts}) if lists or rounds.starts else flow

    def turn_loop(self, node: cst.For | cst.While) -> None:
        """Go from the body of a loop to what is behind it when it ends by itself."""
        frame, last = self._top(), self.flow
        ends = [flow for flow in (*frame.continues, last) if flow.reachable]
        for name in frame.lists:
            merged = merged_lists([frame.before.values.get(name), *(flow.values.get(name) for flow in ends)])
            frame.before = define(frame.before, {name: merged or Unknown()})
        # A `break` in the `else` of a loop is one of the loop around it.
        frame.before, *frame.outcomes = settled(frame.rounds, ends, [frame.before, *(frame.breaks or ())])
        frame.breaks = None
        self.flow = frame.before
        truth = self._truth(node.test) if isinstance(node, cst.While) else None
        if truth is True:
            self.leave()
            return
        if isinstance(node, cst.While) and frame.assigns:
            self.flow = self._tested(self.flow, node.test, frame.line, holds=False)
        if node.orelse is None and any(flow.reachable for flow in frame.outcomes):
            return
        exits = ways.met_by_all([flow.conditions[frame.depth :] for flow in ends])
        if isinstance(node, cst.While):
            self._end_while(node, frame, exits)
        else:
            self._end_for(node, frame, exits, had_rounds=bool(ends) or last.doubtful)

    def _end_while(self, node: cst.While, frame: Frame, exits: Conditions) -> None:
        ended = self._condition(node.test, "loop_else", frame.line, frame.before, holds=False)
        asked = ways.last_round_conditions(exits, set(expression_changes(node.test, self.own)))
        # What a round asked and then changed is of no use to those who come later.
        shown = [each for each in asked if node.orelse is not None or not each.guard.stale]
        self.flow = assume(self.flow, ended, *shown)

    def _end_for(self, node: cst.For, frame: Frame, exits: Conditions, *, had_rounds: bool) -> None:
        changed = frame.changed
        if exits and self._is_read(exits):
            changed = loop_changes(node.body, self.own)
        whole = ways.whole_loop_condition(node, frame.line, changed)
        found = ways.loop_conditions(whole, node, exits, changed)
        # What each item leaves had none. Of other loops it only counts that they could have been left.
        if not found and (frame.outcomes or not had_rounds):
            found = (replace(whole, guard=replace(whole.guard, certain=not had_rounds)),)
        self.flow = assume(self.flow, *found)

    def close_loop(self) -> None:
        """Come out of a loop."""
        frame = self._frames.pop()
        ends = [flow for flow in (self.flow, *frame.outcomes) if flow.reachable]
        joined = join(frame.before, [self.flow, *frame.outcomes])
        # With several ways, what held when the loop was left may be from any of its rounds.
        self.flow = passed_loop(joined, frame.before) if len(ends) == 1 else trimmed(joined, frame.before)

    # try

    def open_try(self, line: int) -> None:
        """Enter the body of a `try`."""
        self._open(self.flow, line).jumps = self._jumps()

    def turn_to_handlers(self) -> None:
        """End the body of a `try`."""
        self._top().outcomes.append(self.flow)

    def open_handler(
        self, node: cst.ExceptHandler | cst.ExceptStarHandler, body: cst.BaseSuite, line: int, caught: Caught
    ) -> None:
        """Enter an except clause; anything in the body may or may not have happened."""
        names = list(handler_names(node))
        frame = self._top()
        start, frame.handler_jumps = frame.before, self._jumps()
        before = change(start, {*changes_in([body], self._watched(start)), *names})
        self.flow = define(assume(before, guards.except_condition(node, line)), dict.fromkeys(names, caught))

    def close_handler(self, node: cst.ExceptHandler | cst.ExceptStarHandler) -> None:
        """Leave an except clause, whose name is gone then."""
        frame, names = self._top(), list(handler_names(node))
        self._change_jumps(frame.handler_jumps, names)
        frame.outcomes.append(change(self.flow, names))

    def turn_to_try_else(self, node: cst.Try | cst.TryStar) -> None:
        """Go on where the body of a `try` raised nothing."""
        frame = self._top()
        self.flow = frame.outcomes[0]
        if node.orelse is not None:
            self.flow = assume(self.flow, guards.try_else_condition(node, frame.line))

    def turn_to_finally(self, node: cst.Try | cst.TryStar) -> None:
        """End the `else` of a `try`; a `finally` is entered from anywhere in what is before it."""
        frame = self._top()
        others = frame.outcomes[1:]
        normal = self._tried(node, frame, others)
        frame.outcomes = [join(frame.before, [normal, *others])]
        self.flow = frame.before
        if node.finalbody is not None:
            blocks = [block for block in nested_blocks(node) if block is not node.finalbody.body]
            self.flow = change(frame.before, changes_in(blocks, self._watched(frame.before)))

    def _tried(self, node: cst.Try | cst.TryStar, frame: Frame, handled: Sequence[Flow]) -> Flow:
        """Return the flow past the body of a `try` and its `else`; it is known to have worked if the handlers leave."""
        normal, count = self.flow, len(frame.outcomes[0].conditions)
        if node.orelse is not None:
            normal = without(normal, count, kinds=_OWN_GUARD)
        if not handled or any(flow.reachable or flow.doubtful for flow in handled) or not guards.is_one_step(node.body):
            return normal
        count = len(frame.before.conditions)
        tried = replace(guards.try_else_condition(node, frame.line), passed=True)
        return replace(normal, conditions=(*normal.conditions[:count], tried, *normal.conditions[count:]))

    def close_try(self, node: cst.Try | cst.TryStar) -> None:
        """Come out of a `try`."""
        frame = self._frames.pop()
        joined, last = frame.outcomes[0], self.flow
        if node.finalbody is None:
            self.flow = joined
            return
        acquired = last.conditions[len(frame.before.conditions) :]
        by_finally = changes_in([node.finalbody.body], self.own)
        joined = change(joined, by_finally)
        self._change_jumps(frame.jumps, by_finally)
        self.flow = replace(assume(joined, *acquired), reachable=joined.reachable and last.reachable)

    # with

    def open_with(self, node: cst.With, line: int) -> None:
        """Enter the body of a `with` statement."""
        before = change(self.flow, changes(node, self._watched()))
        self._open(before, line).jumps = self._jumps()
        self.flow = assume(before, guards.with_condition(node, line))

    def close_with(self, node: cst.With, *, swallows: bool) -> None:
        """Come out of a `with` statement, also by an exception if it swallows some."""
        frame = self._frames.pop()
        inside = without(self.flow, len(frame.before.conditions), kinds=_OWN_GUARD)
        has_jumped = self._jumps() != frame.jumps
        by_exit = exit_changes(node, self.own if has_jumped else self._watched(inside))
        inside = change(inside, by_exit)
        self._change_jumps(frame.jumps, by_exit)
        watched = self._watched(frame.before)
        if swallows:
            swallowed = change(frame.before, changes_in([node.body], watched))
            self.flow = join(frame.before, [inside, swallowed])
        elif inside.reachable:
            self.flow = inside
        else:
            # Any context manager may swallow an exception, but few do.
            left = change(frame.before, changes_in([node.body], watched))
            self.flow = replace(left, reachable=False, doubtful=True)

    # match

    def open_match(self, node: cst.Match) -> None:
        """Enter a `match` statement."""
        self._open(self._evaluated(self.flow, node.subject, None), 0)

    def open_case(self, subject: cst.BaseExpression, case: cst.MatchCase, line: int) -> None:
        """Enter one case."""
        frame = self._top()
        by_guard = expression_changes(case.guard, self.own) if case.guard is not None else ()
        changed = {*pattern_names(case.pattern), *by_guard}
        # A pattern may bind its names and then not match.
        frame.before = change(frame.before, changed)
        frame.passed = aged(frame.passed, changed)
        self.flow = assume(frame.before, *frame.passed)
        if case.guard is not None:
            self.flow = self._tested(self.flow, case.guard, line, holds=True)
        if not guards.is_catch_all(case):
            conditions = guards.case_conditions(subject, case, line, self.flow)
            frame.passed = (*frame.passed, conditions.passed)
            inside = conditions.inside
            if case.guard is not None and outdates_itself(case.guard, self.own):
                inside = (*inside[:-1], stale(inside[-1]))
            self.flow = assume(self.flow, *inside)

    def close_case(self) -> None:
        """Leave one case."""
        self._top().outcomes.append(self.flow)

    def close_match(self, node: cst.Match) -> None:
        """Come out of a `match` statement, past all of its cases where none catches everything."""
        frame = self._frames.pop()
        if not any(guards.is_catch_all(case) for case in node.cases):
            frame.outcomes.append(assume(frame.before, *frame.passed))
        joined = join(frame.before, frame.outcomes)
        count = len(frame.before.conditions)
        alive = [flow.conditions[count:] for flow in frame.outcomes if flow.reachable]
        passed = ways.met_by_all(alive) if len(alive) > 1 else ()
        self.flow = assume(joined, *map(early_exit, passed))
