"""The policy of a project decides what is compared, what fails, and what is left out."""

from __future__ import annotations

from pathlib import Path

import pytest

from extractor.diff import compare
from extractor.policy import Ignore, Policy, read_policy
from extractor.policy_errors import InvalidPolicyError
from tests.reports_sample import sample


def test_a_policy_is_read(tmp_path: Path) -> None:
    """Each key has its place."""
    (tmp_path / "pyproject.toml").write_text(
        """
        [tool.raisedex]
        paths = ["src"]
        exclude = ["src/vendored"]
        exceptions = ["ValueError"]
        fail-on = ["removed", "guards-changed"]
        require = ["message", "test"]
        [[tool.raisedex.ignore]]
        pattern = "internal"
        reason = "nobody sees it"
        """,
        "utf-8",
    )
    expected = Policy(
        paths=("src",),
        exclude=("src/vendored",),
        exceptions=("ValueError",),
        fail_on=("removed", "guards_changed"),
        require=("message", "test"),
        ignore=(Ignore(None, "internal", None, "nobody sees it"),),
    )

    assert expected == read_policy(tmp_path / "pyproject.toml")


def test_no_policy_asks_nothing(tmp_path: Path) -> None:
    """A project without the file or the table can start today."""
    (tmp_path / "other.toml").write_text("[project]\nname = 'x'\n", "utf-8")

    assert Policy() == read_policy(tmp_path / "pyproject.toml")
    assert Policy() == read_policy(tmp_path / "other.toml")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("fail_on = ['added']", "no key 'fail_on'"),
        ("fail-on = ['new']", "no 'new'; there are added, removed"),
        ("fail-on = 'added'", "must be a list of texts"),
        ("require = ['tests']", "there are message, test, documented"),
        ("ignore = [{id = '1234'}]", "needs a reason"),
        ("ignore = [{id = 'xyz', reason = 'r'}]", "no id"),
        ("ignore = [{pattern = '(', reason = 'r'}]", "no regular expression"),
        ("ignore = [{id = '1234', path = 'a', reason = 'r'}]", "one of id, pattern and path"),
        ("ignore = {}", "must be a list of tables"),
        ("paths = [", "is not TOML"),
    ],
)
def test_a_wrong_policy_is_refused(tmp_path: Path, table: str, told: str) -> None:
    """In one line that says what is wrong, and where."""
    file = tmp_path / "pyproject.toml"
    file.write_text(f"[tool.raisedex]\n{table}\n", "utf-8")
    with pytest.raises(InvalidPolicyError) as caught:
        read_policy(file)

    assert told in str(caught.value)
    assert str(file) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_is_ignored_is_counted(tmp_path: Path) -> None:
    """By path, by text and by id; the other changes stay."""
    comparison = compare(*sample(tmp_path))
    moved = next(change for change in comparison.changes if change.kind == "moved")
    policy = Policy(
        ignore=(
            Ignore(moved.record.id[:6], None, None, "r"),
            Ignore(None, "goes away$", None, "r"),
            Ignore(None, None, "more.py", "r"),
        )
    )
    kept, ignored = policy.without_ignored(comparison)

    assert 2 == ignored
    assert {"added", "retyped", "reworded", "guards_changed"} == {change.kind for change in kept.changes}


def test_only_new_and_changed_errors_are_asked(tmp_path: Path) -> None:
    """An error that merely moved or did not change may be as bad as it was."""
    comparison = compare(*sample(tmp_path))
    by_id = {change.record.id: change.kind for change in comparison.changes}
    lacking = Policy(require=("documented", "message")).lacking(comparison)

    assert {"added", "retyped", "reworded", "guards_changed"} == {by_id[identity] for identity in lacking}
    assert {("documented",)} == set(lacking.values())


def test_what_a_test_expects_lacks_none(tmp_path: Path) -> None:
    """Of those that a test expects nothing is asked."""
    comparison = compare(*sample(tmp_path))
    asked = Policy(require=("test",)).lacking(comparison)
    first = next(iter(asked))

    assert first not in Policy(require=("test",)).lacking(comparison, frozenset({first}))
