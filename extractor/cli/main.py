"""The `raisedex` command: finds the subcommand, and turns every error into one line and an exit code."""

from __future__ import annotations

import os
import sys
from importlib import import_module
from typing import Any

import click

from extractor import __version__
from extractor.errors import ExtractorError

_COMMANDS = {
    "cache": "extractor.cli.cache",
    "completion": "extractor.cli.completion",
    "diff": "extractor.cli.diff",
    "extract": "extractor.cli.extract",
    "extract-many": "extractor.cli.extract_many",
    "history": "extractor.cli.history",
    "show": "extractor.cli.show",
    "validate": "extractor.cli.validate",
}
_CANNOT_RUN, _INTERRUPTED, _PIPE_CLOSED = 2, 130, 141


class Commands(click.Group):
    """The subcommands, each imported only when it is asked for, so that start-up costs the same with any number."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the subcommands."""
        return sorted(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a subcommand by name."""
        place = _COMMANDS.get(cmd_name)
        command: click.Command | None = import_module(place).command if place is not None else None
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand; an unknown one is answered with those there are."""
        if args and args[0] not in _COMMANDS and not args[0].startswith("-"):
            raise click.UsageError(f"no command {args[0]!r}; there are {', '.join(sorted(_COMMANDS))}", ctx)
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand. Click itself would answer a closed pipe with exit code 1, which means findings here."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            _give_up_output()
            raise click.exceptions.Exit(_PIPE_CLOSED) from None


@click.group(cls=Commands, no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="raisedex")
def cli() -> None:
    """Make the error catalog of a Python project from its source.

    \b
    Examples:
      raisedex extract . --rev HEAD -o errors.json
      raisedex extract requests==2.32.3 -o requests.json
      raisedex extract-many projects.txt -o catalogs
      raisedex diff main HEAD
      raisedex history . --tags "v*"
      raisedex show errors.json "must be positive"
      raisedex validate errors.json

    Exit codes: 0 nothing to report, 1 findings, 2 could not run.
    """


def main() -> None:
    """Run the command line and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line and return its exit code; whatever goes wrong becomes one line on stderr."""
    try:
        code = cli.main(arguments, prog_name="raisedex", standalone_mode=False)
    except ExtractorError as error:
        return _refuse(str(error))
    except click.ClickException as error:
        return _refuse(_with_advice(error))
    except (KeyboardInterrupt, click.Abort):
        click.echo("raisedex: stopped", err=True)
        return _INTERRUPTED
    except OSError as error:
        _give_up_output()
        return _refuse(
            f"the system says {(error.strerror or 'input/output error').lower()}; mend that and run it again"
        )
    return code if isinstance(code, int) else 0


def _give_up_output() -> None:
    # Python would complain about stdout once more when it flushes at exit.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _refuse(message: str) -> int:
    from extractor.printable import printable

    click.echo(f"raisedex: {printable(message)}", err=True)
    return _CANNOT_RUN


def _with_advice(error: click.ClickException) -> str:
    message = " ".join(error.format_message().split()).rstrip(".")
    message = message[:1].lower() + message[1:]
    context = error.ctx if isinstance(error, click.UsageError) else None
    return f"{message}; see {context.command_path} --help" if context is not None else message
