"""What is cut away before LibCST sees a file changes no record: shown on the standard library of this interpreter."""

from __future__ import annotations

import sysconfig

from tests.differential import both_ways, differences

# Tests and tools with a life of their own; what is left are 300,000 lines of any style there is.
EXCLUDED = (
    "**/test/**",
    "**/tests/**",
    "**/idle_test/**",
    "site-packages/**",
    "idlelib/**",
    "lib2to3/**",
    "config-*/**",
)


def test_the_standard_library_comes_out_the_same() -> None:
    """Each record of thousands, with its text, class and conditions."""
    usual, whole = both_ways(sysconfig.get_paths()["stdlib"], EXCLUDED)

    assert len(usual.records) > 3000
    assert list(differences(usual, whole)) == []
