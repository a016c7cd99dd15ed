"""What is wrong with a policy, a comparison or a history that an operator asks for."""

from __future__ import annotations

from extractor.errors import ExtractorError


class InvalidPolicyError(ExtractorError):
    """The table `[tool.raisedex]` of a pyproject.toml cannot be used."""

    def __init__(self, file: str, reason: str) -> None:
        self.file, self.reason = file, reason
        super().__init__(" ".join(f"{file}: {reason}; mend it or give --no-policy".split()))


class UnknownSideError(ExtractorError):
    """A side of a comparison is no corpus, source or revision."""

    def __init__(self, side: str, source: str) -> None:
        self.side, self.source = side, source
        super().__init__(
            f"{side!r} is no corpus, no NAME==VERSION, and no revision of {source!r}; give one, or --source REPO"
        )


class UntestableCorpusError(ExtractorError):
    """Whether tests expect an error can only be seen in a tree."""

    def __init__(self, side: str) -> None:
        self.side = side
        super().__init__(
            f"{side!r} is a corpus, which does not say what tests expect; give a revision, or leave out test"
        )


class InvalidRangeError(ExtractorError):
    """A range of revisions is none, or nothing is in it."""

    def __init__(self, span: str, reason: str) -> None:
        self.span, self.reason = span, reason
        super().__init__(f"{span!r} {reason}; give another one")


class InvalidHistoryError(ExtractorError):
    """A file is no history."""

    def __init__(self, name: str) -> None:
        self.name = name
        super().__init__(f"{name!r} is no history of this version; make one with 'raisedex history --format json'")
