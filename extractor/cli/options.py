"""The options that several commands have, and what becomes of `--executor`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from concurrent.futures import Executor

exceptions = click.option(
    "--exception",
    "exceptions",
    metavar="TYPE",
    multiple=True,
    help="Keep only this class and what derives from it; may be given again. Without it, all are kept.",
)
include = click.option("--include", metavar="GLOB", multiple=True, help="Read only paths that fit; may be given again.")
exclude = click.option("--exclude", metavar="GLOB", multiple=True, help="Leave out paths that fit; may be given again.")
context = click.option(
    "--context",
    type=click.IntRange(min=0, max=1000),
    default=18,
    show_default=True,
    help="Source lines kept before and after each raise.",
)
jobs = click.option(
    "--jobs", type=click.IntRange(min=1), help="Processes to scan with.  [default: the cores available]"
)
executor = click.option(
    "--executor", metavar="dask:ADDRESS", help="Scan on the Dask cluster whose scheduler has this address instead."
)
no_cache = click.option("--no-cache", is_flag=True, help="Neither use nor keep what scans of earlier runs found.")


@contextmanager
def opened(executor: str | None) -> Iterator[Executor | None]:
    """Yield the executor of that name; None for processes of our own."""
    if executor is None:
        yield None
        return
    from extractor.cluster import open_executor

    with open_executor(executor) as found:
        yield found
