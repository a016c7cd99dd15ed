"""The alternatives of a text: only those that can come about, and not more than say something."""

from __future__ import annotations

import pytest

from extractor.facts import RaiseSite
from extractor.scan import scan


def site_of(body: str) -> RaiseSite:
    lines = "".join(f"    {line}\n" for line in body.split("\n"))
    return scan("m.py", f"def f(a, b, c):\n{lines}".encode(), context=0).sites[-1]


def texts_of(body: str) -> list[str]:
    """Return the texts of the first argument of the last raise statement."""
    (construction,) = site_of(body).constructions
    assert construction.arguments
    templates = construction.arguments[0].templates
    return [
        "".join(each if isinstance(each, str) else f"{{{each.expression}}}" for each in one.segments)
        for one in templates
    ]


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("raise E('x' if a else 'y')", ["x", "y"]),
        ("raise E(f\"{'x' if a else 'y'}{'1' if b else '2'}\")", ["x1", "x2", "y1", "y2"]),
        ("raise E(f\"{'x' if a else 'y'}{'1' if a else '2'}\")", ["x1", "y2"]),  # one test, one outcome
        ("raise E('x' if a else ('y' if a else 'z'))", ["x", "z"]),
        (
            "raise E(f\"{'x' if a() else 'y'}{'1' if a() else '2'}\")",
            ["x1", "x2", "y1", "y2"],
        ),  # a call may answer anew
        ("m = 'x' if a else 'y'\nraise E(m)", ["x", "y"]),
        ("m = 'x'\nm = m + m\nraise E(m)", ["xx"]),
        ("m = 'x'\n" + "m = m + m\n" * 40 + "raise E(m)", ["{m}"]),  # longer than anybody reads
        ("m = 'x' if a else 'y'\n" * 2 + "m = m + m + m + m + m\nraise E(m)", ["xxxxx", "yyyyy"]),
        ("raise E(" + " + ".join(f"('x' if a[{index}] else 'y')" for index in range(5)) + ")", None),
    ],
)
def test_alternatives(body: str, expected: list[str] | None) -> None:
    """Each text once that the tests of one statement allow; too many of them are one placeholder."""
    actual = texts_of(body)

    assert len(actual) <= 16
    if expected is not None:
        assert expected == actual


def test_too_many_classes_are_unknown() -> None:
    """A class that is chosen in too many ways is known only at run time."""
    site = site_of(
        "e = A if a[0] else B\n" + "".join(f"e = e if a[{index}] else e\n" for index in range(1, 8)) + "raise e('x')"
    )

    assert ["dynamic type"] == [each.reason for each in site.constructions]
