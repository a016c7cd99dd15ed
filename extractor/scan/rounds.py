"""What a local name holds that the rounds of a loop change: what it held before the loop, or what a round set it to.

In a round nothing more is said of it than its name; behind the loop all rounds are known, and with them its values.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import libcst as cst

from extractor.scan.flow import choice_of, define, ways_of
from extractor.scan.known import Choice, Conditions, Definition, Flow, Rounds, Unknown, Value


def rounds_from(before: Flow, names: Iterable[str]) -> Rounds:
    """Return the rounds that change these names, as far as it is known what the names hold before."""
    known = (name for name in names if "." not in name and ways_of(name, before) is not None)
    return Rounds(before, {name: Definition(cst.Name(name), {name: Unknown()}, order=-1) for name in known})


def settled(rounds: Rounds, ends: Sequence[Flow], leaving: Sequence[Flow]) -> list[Flow]:
    """Return flows that lead out of a loop with what names hold there; `ends` are those at the ends of its rounds."""
    held = {name: _held(name, start, rounds.before, ends) for name, start in rounds.starts.items()}
    return [_settled(flow, rounds, held) for flow in leaving] if held else list(leaving)


def _held(name: str, start: Definition, before: Flow, ends: Sequence[Flow]) -> Value:
    found = dict(ways_of(name, before) or ())
    for end in ends:
        ways = ways_of(name, end)
        if ways is None:
            return Unknown()
        # It may have been set in a round before the last one, and of the conditions there nothing is known here.
        found.update((definition, ()) for definition, _ in ways if definition is not start)
    return choice_of(found)


def _settled(flow: Flow, rounds: Rounds, held: Mapping[str, Value]) -> Flow:
    changed: dict[str, Value] = {}
    for name, start in rounds.starts.items():
        value = flow.values.get(name)
        if value is start:
            changed[name] = held[name]
        elif isinstance(value, Choice) and any(definition is start for definition, _ in value.ways):
            changed[name] = _with_start(value, start, held[name])
    return define(flow, changed) if changed else flow


def _with_start(value: Choice, start: Definition, held: Value) -> Value:
    if not isinstance(held, Choice):
        return held
    ways: dict[Definition, Conditions] = {definition: () for definition, _ in held.ways}
    ways.update(
        (definition, ()) if definition in ways else way for way in value.ways if (definition := way[0]) is not start
    )
    return choice_of(ways)
