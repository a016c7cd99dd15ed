"""Where a command writes what it made: a file, or standard output."""

from __future__ import annotations

import click


def write_text(text: str, output: str | None) -> None:
    """Write to a file as a whole or not at all; None and - are standard output.

    Raises:
        UnwritableFileError: The file cannot be written.

    """
    if output is None or output == "-":
        click.echo(text, nl=False)
        return
    from extractor.corpus import write_bytes

    write_bytes(text.encode("utf-8", "backslashreplace"), output)
