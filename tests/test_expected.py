"""Which errors tests expect, by class and by the words of their regular expression."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor import extract, open_source
from extractor.expected import expected_ids
from extractor.model import Options
from extractor.scan.expectations import find_expectations

_CODE = """
def f(x, name):
    if x < 0:
        raise ValueError(f"{name} must not be negative, got {x}")
    if x > 9:
        raise KeyError("too large")
"""


@pytest.mark.parametrize(
    ("test", "expected"),
    [
        ('with pytest.raises(ValueError, match="must not be negative"): f()', 1),
        ('with raises(ValueError, match=r"x must not be negative, got -\\d+"): f()', 1),
        ('with self.assertRaisesRegex(ValueError, "must not be neg"): f()', 1),
        ('with pytest.raises((TypeError, ValueError), match=f"{n} must not be " + "negative"): f()', 1),
        ('with pytest.raises(ValueError, match=re.escape("must not be negative, got")): f()', 1),
        ('with pytest.raises(Exception, match="must not be negative"): f()', 1),  # a base class
        ('with pytest.raises(LookupError, match="other|too large"): f()', 1),
        ('with pytest.raises(TypeError, match="must not be negative"): f()', 0),  # another class
        ('with pytest.raises(ValueError, match="must be positive"): f()', 0),  # another text
        ("with pytest.raises(ValueError): f()", 0),  # may be any of its class
        ('with pytest.raises(ValueError, match="x"): f()', 0),  # too little to tell
        ("with pytest.raises(ValueError, match=TEXT): f()", 0),
        ('with pytest.raises(ValueError, match="negative be not must"): f()', 0),  # in another order
        ("with pytest.raises(ValueError, match=" + "(" * 500 + ")" * 500 + "): f()", 0),
        ('with pytest.raises(ValueError, match="(a+)+$must not be negative"): f()', 1),  # is never run
    ],
)
def test_expected(tmp_path: Path, test: str, expected: int) -> None:
    """A test counts where its class and the words of its text fit."""
    (tmp_path / "code.py").write_text(_CODE, "utf-8")
    (tmp_path / "test_code.py").write_text(test + "\n", "utf-8")
    tree = open_source(str(tmp_path))

    assert expected == len(expected_ids(extract(tree, Options()).records, tree))


def test_a_broken_file_expects_nothing() -> None:
    """Bytes that are no Python cost nobody anything."""
    assert () == find_expectations(b"raises(\xff\x00 match=")
    assert () == find_expectations(b"pytest.raises(ValueError, match=")
