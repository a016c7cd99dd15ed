"""What a report tells: a comparison with what the policy of the project says of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

from extractor.diff import Change, ChangeKind, Comparison

# What a project may ask of each new or changed error.
Requirement = Literal["message", "test", "documented"]
REQUIREMENTS: tuple[Requirement, ...] = get_args(Requirement)


@dataclass(frozen=True, slots=True)
class Report:
    """A comparison and what the policy makes of it.

    `old_name` and `new_name` are the two sides as the operator named them. `failing` are the kinds of change that the
    run fails for. `lacking` says by record id which requirements a new or changed error does not meet. `ignored` counts
    the changes that the policy leaves out; they are not in the comparison.
    """

    comparison: Comparison
    old_name: str
    new_name: str
    failing: frozenset[ChangeKind] = frozenset()
    lacking: Mapping[str, tuple[Requirement, ...]] = field(default_factory=dict)
    ignored: int = 0

    @property
    def is_failure(self) -> bool:
        """Whether something happened that the run fails for."""
        return bool(self.failing & self.comparison.happened or self.lacking)

    def fails(self, change: Change) -> bool:
        """Say whether the run fails for this change."""
        return change.kind in self.failing or (change.new is not None and change.new.id in self.lacking)
