"""`raisedex validate`: whether files are what `schema/` says."""

from __future__ import annotations

import sys

import click

_SHOWN = 20


@click.command("validate", short_help="Check corpora against the schema.")
@click.argument("files", nargs=-1, required=True, metavar="FILE...", type=click.Path(allow_dash=True))
def command(files: tuple[str, ...]) -> None:
    """Check that each FILE is a corpus: against the JSON Schema, and that ids, order and counts are right.

    The summary.json of `raisedex extract-many` is checked against its schema.

    One line for each problem: the file, where in it (a JSON pointer) and what is wrong. Exit code 1 says that there are
    problems, 2 that a file could not be read. FILE may be - for standard input.

    \b
    Example:
      raisedex validate vllm.json transformers.json
    """
    raise click.exceptions.Exit(max([_check(file) for file in files]))


def _check(file: str) -> int:
    from extractor.corpus import read_bytes
    from extractor.errors import UnreadableFileError
    from extractor.validation import validate

    try:
        data = sys.stdin.buffer.read() if file == "-" else read_bytes(file)
    except UnreadableFileError as error:
        # The other files are still worth a look.
        click.echo(f"raisedex: {error}", err=True)
        return 2
    problems = validate(data, limit=_SHOWN + 1)
    _report(file, [f"{problem.pointer or '/'}: {problem.message}" for problem in problems])
    return 1 if problems else 0


def _report(file: str, problems: list[str]) -> None:
    from extractor.cli.terminal import display_of
    from extractor.printable import printable

    shown = problems[:_SHOWN] or ["valid"]
    if len(problems) > _SHOWN:
        shown.append(f"more than {_SHOWN} problems; mend these first")
    encoding = display_of(sys.stdout).encoding
    for line in shown:
        click.echo(printable(f"{file}: {line}", encoding=encoding))
