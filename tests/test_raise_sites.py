"""Every case under fixtures/raise_sites gets the records that stand beside it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fixture_cases import actual, cases, expected, name_of


@pytest.mark.parametrize("case", cases(), ids=name_of)
def test_case_has_the_expected_records(case: Path) -> None:
    assert expected(case) == actual(case)


@pytest.mark.parametrize("case", cases(), ids=name_of)
def test_case_has_the_same_records_when_the_whole_file_is_parsed(case: Path) -> None:
    assert expected(case) == actual(case, whole=True)
