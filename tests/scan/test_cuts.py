"""What LibCST is not shown, and that no record depends on it."""

from __future__ import annotations

import pytest

from extractor.facts import NOTHING, Wanted
from extractor.scan import scan
from extractor.scan.cuts import cuts_of
from extractor.scan.locate import reduced, structure_of


def left_of(source: str, wanted: Wanted = NOTHING) -> str:
    """Return what LibCST is shown of a source."""
    structure = structure_of(source.encode())
    return reduced(structure.source, cuts_of(structure, wanted)).decode()


HEAD = "def f(a):\n    if a:\n        raise E(a)\n"


@pytest.mark.parametrize(
    ("tail", "is_cut"),
    [
        ("    return a + 1\n", True),
        ("    b = a\n    return [b for b in a]\n", True),
        ("    # a remark\n    a = 1; b = 2\n", True),
        ("    def g():\n        return a\n    return g\n", True),
        ("    for b in a:\n        a.append(b)\n", True),
        ("    yield a\n", False),  # makes it a generator
        ("    global a\n    a = 1\n", False),
        ("    sys.exit(a)\n", False),  # it never returns
        ("    raise F\n", False),
        ("    return lambda: (yield)\n", False),  # the word is enough
    ],
)
def test_tail_behind_the_last_raise_is_cut(tail: str, *, is_cut: bool) -> None:
    """Nothing behind the last raise is shown, unless it says what kind of function it is or that it never ends."""
    source = f"{HEAD}{tail}\nx = 1\n"
    part, whole = (scan("m.py", source.encode(), context=0, whole=each) for each in (False, True))

    assert is_cut == (f"{HEAD.rstrip()}\n" in left_of(source) and tail.strip() not in left_of(source))
    assert whole.sites == part.sites


@pytest.mark.parametrize(
    "source",
    [
        "def f():\n    def g():\n        raise E(text)\n    text = 'a'\n    return g\n",  # read inside, later on
        "def f():\n    class C:\n        def m(self):\n            raise E\n    x = 1\n",
        "class FooError(Exception):\n    def m(self):\n        if self.a:\n            raise E\n        return 1\n",
        "def f():\n    while a:\n        if b:\n            raise E(c)\n        c = 1\n",  # comes back to the raise
    ],
)
def test_what_a_raise_may_depend_on_is_left(source: str) -> None:
    assert source == left_of(source)


def test_functions_that_are_wanted_are_left() -> None:
    source = f"{HEAD}    return g()\n"

    assert source != left_of(source)
    assert source == left_of(source, Wanted(functions=frozenset({"f"})))
    assert source == left_of(source, Wanted(calls=frozenset({"g"})))


def test_caller_of_a_function_that_ends_by_a_call_of_an_exit_is_left() -> None:
    """A function that raises, and otherwise exits, never returns; nor does one that ends by calling it."""
    source = f"{HEAD}    sys.exit(1)\n\n\ndef g():\n    f(1)\n\n\ndef h(b):\n    if b:\n        g()\n    raise E\n"
    imported = f"import sys\n{source}"

    assert imported == left_of(imported)
    (guard,) = scan("m.py", imported.encode(), context=0).sites[1].guards
    assert ("early_exit", "b", False) == (guard.kind, guard.text, guard.holds)
