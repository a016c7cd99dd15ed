"""What a change does to the errors of a project: two corpora to a verdict for each raise site that changed."""

from extractor.diff.changes import KINDS, Change, ChangeKind, ClassChange, Comparison, Reach
from extractor.diff.compare import compare

__all__ = ["KINDS", "Change", "ChangeKind", "ClassChange", "Comparison", "Reach", "compare"]
