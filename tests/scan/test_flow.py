"""Which statements fall through, and guards that are true whenever a raise statement is reached."""

# Cases read best one a line, however long.
# ruff: noqa: E501
from __future__ import annotations

import random
import re
from collections.abc import Iterator
from contextlib import suppress
from textwrap import indent

import pytest

from extractor.facts import FileFacts
from extractor.model import Guard
from extractor.scan import scan


def facts_of(source: str) -> FileFacts:
    return scan("m.py", source.encode(), context=0)


def is_reached(block: str) -> bool:
    """Say whether a raise statement behind a block of a function is taken to be reachable."""
    source = f"import sys, os, contextlib\ndef f(a, b, xs):\n{indent(block, '    ')}\n    raise LastError\n"
    site = facts_of(source).sites[-1]
    return site.kind != "unreachable"


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        ("pass", True),
        ("return", False),
        ("raise E", False),
        ("if a: return", True),
        ("if a: return\nelse: raise E", False),
        ("if a: return\nelif b: return", True),
        ("if a: return\nelif b: return\nelse: return", False),
        ("if True: return", False),
        ("if not False: return", False),
        ("if 1: return", False),
        ("if False: return", True),
        ("if False: pass\nelse: return", False),
        ("if a:\n    if b: return\n    return\nelse: return", False),
        ("sys.exit()", False),
        ("sys.exit(3)", False),
        ("os._exit(1)", False),
        ("exit()", False),
        ("x = sys.exit", True),  # not called
        ("print(sys.exit)", True),
        ("a.exit()", True),  # some other exit
        ("def sys(): pass\nsys.exit()", True),
        ("while True: pass", False),  # no break: nothing after it runs
        ("while True: break", True),
        ("while 1: a()", False),
        ("while a: return", True),
        ("while True:\n    if a: break", True),
        ("while True:\n    for x in xs: break", False),  # leaves the inner loop
        ("while True:\n    while b: break", False),
        ("while True:\n    for x in xs: pass\n    else: break", True),  # leaves the outer one
        ("while True:\n    try: break\n    finally: a()", True),
        ("while True:\n    try: a()\n    except E: break", True),
        ("while True:\n    with a: break", True),
        ("while True:\n    match a:\n        case 1: break", True),
        ("while True:\n    match a:\n        case 1: pass", False),
        ("while True:\n    def g():\n        while a: break", False),  # another function's
        ("while True:\n    return\n    break", False),  # dead break
        ("while True:\n    if False: break", False),
        ("while True: continue", False),
        ("while a: pass\nelse: return", False),  # the only way out without break
        ("while a: break\nelse: return", True),
        ("while False: return", True),
        ("for x in xs: return", True),
        ("for x in xs: pass\nelse: return", False),
        ("for x in xs: break\nelse: return", True),
        ("for x in xs:\n    if x: return\nelse: return", False),
        ("try: return\nexcept E: pass", True),
        ("try: return\nexcept E: return", False),
        ("try: return\nexcept E: raise", False),
        ("try: a()\nexcept E: return", True),
        ("try: a()\nexcept E: return\nelse: return", False),
        ("try: a()\nexcept E: pass\nelse: return", True),
        ("try: return\nfinally: a()", False),
        ("try: a()\nfinally: return", False),
        ("try: return\nexcept E: pass\nfinally: return", False),
        ("try: raise E\nexcept E: pass", True),
        ("try: raise E\nexcept E: return\nexcept F: return", False),
        ("try: raise E\nexcept* E: pass", True),
        ("with a: return", True),  # somebody wrote what follows, so it may swallow
        ("with a: a()", True),
        ("with contextlib.suppress(E): return", True),  # evaluating what is returned may raise
        ("with contextlib.suppress(E): raise E", True),
        ("with a, contextlib.suppress(E): raise E", True),
        ("from contextlib import *\nwith suppress(E): raise E", True),
        ("with raises(E): raise E", True),  # whoever made it after pytest's
        ("with self.assertRaises(E): raise E", True),
        ("with self.raised(E): raise E", True),
        ("match a:\n    case 1: return", True),
        ("match a:\n    case 1: return\n    case _: return", False),
        ("match a:\n    case 1: return\n    case x: return", False),  # a name catches all
        ("match a:\n    case 1: return\n    case _ if b: return", True),
        ("match a:\n    case 1: return\n    case 1 | _: return", False),  # an alternative catches all
        ("match a:\n    case (_): return", False),
        ("match a:\n    case _ as x: return", False),
        ("match a:\n    case int(): return\n    case [*_]: return", True),
        ("def g(): return", True),
        ("class K:\n    def g(self): return", True),
        ("lambda: sys.exit()", True),
        ("return; a()", False),
        ("assert False", True),  # gone under -O
    ],
)
def test_falls_through(block: str, expected: bool) -> None:
    """What follows a block is reachable unless every path leaves it."""
    actual = is_reached(block)

    assert expected == actual


def guards_of(body: str) -> list[tuple[str, bool, bool]]:
    """Return text, outcome and staleness of the guards of the last raise statement of a function."""
    site = facts_of(f"def f(self, a, xs):\n{indent(body, '    ')}\n").sites[-1]
    return [(guard.text, guard.holds, guard.stale) for guard in site.guards if guard.kind != "with"]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        # What changed `self.done` in between cannot be seen, but something did.
        (
            "if self.done: return\nself.wait()\nif self.done: raise E",
            [("self.done", False, True), ("self.done", True, False)],
        ),
        (
            "with self.lock:\n    if self.done: return\n    self.wait()\n    if self.done: raise E",
            [("self.done", False, True), ("self.done", True, False)],
        ),
        (
            "if not self.done: return\nself.wait()\nif not self.done: raise E",
            [("not self.done", False, True), ("not self.done", True, False)],
        ),
        (
            "if not self.done: return\nself.wait()\nif self.done: pass\nelse: raise E",
            [("not self.done", False, True), ("self.done", False, False)],
        ),
        ("if self.a: return\nif self.b: raise E", [("self.a", False, False), ("self.b", True, False)]),
        (
            "if a.b(): return\nif not a.b(): raise E",
            [("a.b()", False, False), ("not a.b()", True, False)],
        ),  # they agree
        (
            "if not a or xs: return\nif a or xs: raise E",
            [("not a or xs", False, False), ("a or xs", True, False)],
        ),  # not opposites
        (
            "while self.a: self.b()\nif self.a: raise E",
            [("self.a", False, True), ("self.a", True, False)],
        ),  # the loop ended, so something changed it since
    ],
)
def test_conditions_never_contradict_each_other(body: str, expected: list[tuple[str, bool, bool]]) -> None:
    """An earlier condition is stale where a later one says the opposite."""
    actual = guards_of(body)

    assert expected == actual


class Generator:
    """Writes random functions whose raise statements note what their variables are."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        self.lines = 0

    def block(self, depth: int, *, in_loop: bool) -> str:
        count = self.chance.randrange(1, 4)
        return "\n".join(self.statement(depth, in_loop=in_loop) for _ in range(count))

    def test(self) -> str:
        names = self.chance.choices("abcd", k=2)
        return self.chance.choice([
            names[0], f"not {names[0]}", f"{names[0]} and {names[1]}", f"{names[0]} or {names[1]}", f"{names[0]} > 1", f"{names[0]} == {names[1]}",
            f"not ({names[0]} and {names[1]})", f"{names[0]} if {names[1]} else {names[0]} > 2",
            "k", "not k", f"({names[0]} := {names[1]}) > 0",
        ])  # fmt: skip

    def nested(self, depth: int, *, in_loop: bool) -> str:
        return indent(self.block(depth - 1, in_loop=in_loop), "    ")

    def statement(self, depth: int, *, in_loop: bool) -> str:
        kinds = ["assign", "assign", "call", "raise", "raise", "return"] + ["break", "continue"] * in_loop
        kinds += [
            "if",
            "if",
            "elif",
            "else",
            "while",
            "hunt",
            "for",
            "search",
            "search",
            "search",
            "poll",
            "nested",
            "nested",
            "try",
            "finally",
            "with",
            "match",
            "chain",
            "flag",
            "flag",
            "fail",
        ] * (depth > 0)
        kind = self.chance.choice(kinds)
        test, name, number = self.test(), self.chance.choice("abcd"), self.chance.randrange(3)
        if kind == "assign":
            return self.chance.choice(
                [f"{name} = {number}", f"{name} += 1", f"{name} = a", f"{name} = step()", f"k = {test}"]
            )
        if kind == "call":
            return "may_raise()"
        if kind == "raise":
            # So that most of the statements behind it are reached as well.
            return "if step():\n    raise E(note(a, b, c, d, k))"
        if kind == "return":
            return "if step():\n    return" if self.chance.random() < 0.5 else "return"
        if kind in {"break", "continue"}:
            return kind
        body, other = self.nested(depth, in_loop=in_loop), self.nested(depth, in_loop=in_loop)
        looped = self.nested(depth, in_loop=True)
        return {
            "if": f"if {test}:\n{body}",
            "else": f"if {test}:\n{body}\nelse:\n{other}",
            "elif": f"if {test}:\n{body}\nelif {self.test()}:\n{other}",
            "chain": f"if {test}:\n{body}\nelif {self.test()}:\n{other}\nelif {self.test()}:\n    return\nelse:\n    may_raise()",
            "while": f"while turn() and ({test}):\n{looped}" + self.chance.choice(["", f"\nelse:\n{other}"]),
            "hunt": f"while turn() and ({test}):\n    if {self.test()}:\n        break\n{body}\nelse:\n{other}",
            "search": f"for {name} in range(3):\n    if {self.test()}:\n        {self.chance.choice(['return', 'break', 'continue', 'return'])}\n"
            f"    if {name} > {self.chance.choice('abcd')}:\n        return\n{looped}" + self.chance.choice(["", "", f"\nelse:\n{other}"]),
            "poll": f"while True:\n    if not turn():\n        return\n{body}\n    if {test}:\n        break\n{body}",
            "nested": f"if {test}:\n    if {self.test()}:\n        return\n{body}\nelif {self.test()}:\n    if {self.test()}:\n        fail()\n"
            f"    else:\n        {name} = 0\nelse:\n    if {self.test()}:\n        return",
            "flag": f"k = {test}\nif {self.chance.choice(['k', 'not k'])}:\n{body}\nelse:\n{other}",
            "fail": f"if {test}:\n    {self.chance.choice(['fail', 'give_up', 'fall_through'])}()",
            "for": f"for {name} in range(2):\n{looped}" + self.chance.choice(["", f"\nelse:\n{other}"]),
            "try": f"try:\n{body}\nexcept E:\n{other}" + self.chance.choice(["", f"\nelse:\n{self.nested(depth, in_loop=in_loop)}"]),
            "finally": f"try:\n{body}\nfinally:\n    {name} = {number}",
            "with": f"with contextlib.suppress(E):\n{body}",
            "match": f"match {name}:\n    case 0:\n{indent(body, '    ')}\n    case {name} if {test}:\n{indent(other, '    ')}",
        }[kind]  # fmt: skip


# Functions that the generated ones call; the last one returns.
_CALLED = """
def fail():
    raise E
def give_up():
    if step(): fail()
    else: raise E
def fall_through():
    if step(): fail()
"""


class E(Exception):  # noqa: N818  # as the generated functions call it
    pass


Event = tuple[int, dict[str, int]]


def run(source: str, seed: int) -> Iterator[Event]:
    """Run a generated function with random inputs; yield where it came to raise, and the variables there."""
    chance = random.Random(seed)
    events: list[Event] = []
    turns = iter(range(12))

    def note(*values: int) -> int:
        import sys

        events.append((sys._getframe(1).f_lineno, dict(zip("abcdk", values, strict=True))))
        return len(events)

    def may_raise() -> None:
        if chance.random() < 0.4:
            raise E

    names = {
        "E": E,
        "note": note,
        "may_raise": may_raise,
        "step": lambda: chance.randrange(2),
        "turn": lambda: next(turns, None) is not None,
    }
    exec(compile(f"import contextlib\n{source}{_CALLED}", "generated", "exec"), names)
    with suppress(E):
        names["f"](*(chance.randrange(3) for _ in range(5)))  # type: ignore[operator]
    yield from ((line - 1, values) for line, values in events)


def is_true(guard: Guard, values: dict[str, int]) -> bool:
    """Say whether a guard is what it says, and what it is expanded to as well."""
    texts = [guard.text] if guard.expanded is None else [guard.text, guard.expanded]
    if guard.kind == "loop_else" and " in range" in guard.text:
        texts = [f"any(True for {guard.text})"]
    return all(bool(eval(text, dict(values))) is guard.holds for text in texts if "step()" not in text)


def is_checked(guard: Guard) -> bool:
    # What a case is about is no test, nor that a `for` loop was not left, without the reason that it could have had.
    is_test = guard.kind in {"if", "else", "early_exit", "loop_else"} and not re.search(
        r"^match | in range\(\d\)$", guard.text
    )
    # What a call gives another time says nothing.
    return is_test and guard.certain and not guard.stale and "step()" not in guard.text and "turn()" not in guard.text


def test_guards_hold_whenever_a_site_is_reached() -> None:
    """In random functions, every guard that is not stale is what it says at each raise, and no dead site is reached."""
    wrong, reached, expanded, searched = [], 0, 0, 0
    for seed in range(400):
        body = indent(Generator(seed).block(3, in_loop=False), "    ")
        source = f"def f(a, b, c, d, k):\n{body}\n    raise E(note(a, b, c, d, k))\n"
        sites = {site.line: site for site in facts_of(source + _CALLED).sites}
        for inputs in range(8):
            for line, values in run(source, inputs):
                reached += 1
                guards = [each for each in sites[line].guards if is_checked(each)]
                expanded += sum(each.expanded is not None for each in guards)
                searched += sum(" in range" in each.text for each in guards)
                lies = [each for each in guards if not is_true(each, values)]
                if lies or sites[line].kind == "unreachable":
                    wrong.append((seed, line, lies, values, source))

    assert not wrong, f"{len(wrong)}: {wrong[0][:4]}\n{wrong[0][4]}"
    assert reached > 1200
    assert expanded > 40
    assert searched > 20
