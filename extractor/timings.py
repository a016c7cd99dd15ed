"""Where the time of a run goes, phase by phase."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager


class Timings:
    """Wall-clock seconds by phase, in the order in which the phases began first; a phase may come several times."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Add the time that is spent inside to a phase. Phases do not overlap."""
        start = time.perf_counter()
        self.seconds.setdefault(name, 0.0)
        try:
            yield
        finally:
            self.seconds[name] += time.perf_counter() - start
