"""`raisedex completion`: the script that makes a shell complete the command line."""

from __future__ import annotations

import click

_SHELLS = ("bash", "fish", "zsh")


@click.command("completion", short_help="Print the completion script of a shell.")
@click.argument("shell", type=click.Choice(_SHELLS))
def command(shell: str) -> None:
    """Print the script that makes SHELL complete raisedex's commands and options.

    \b
    Examples:
      raisedex completion bash >> ~/.bashrc
      raisedex completion zsh > ~/.zfunc/_raisedex
      raisedex completion fish > ~/.config/fish/completions/raisedex.fish
    """
    from click.shell_completion import get_completion_class

    from extractor.cli.main import cli

    maker = get_completion_class(shell)
    assert maker is not None
    click.echo(maker(cli, {}, "raisedex", "_RAISEDEX_COMPLETE").source())
