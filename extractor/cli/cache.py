"""`raisedex cache`: what is kept from run to run."""

from __future__ import annotations

import click

from extractor.errors import CacheFolderError


@click.command("cache", short_help="Show or clear what is kept between runs.")
@click.argument("action", type=click.Choice(["info", "clear"]))
def command(action: str) -> None:
    """Show where the facts of earlier runs are kept and how much room they take, or remove them.

    The corpus of a run is the same with them and without; they save its time. RAISEDEX_CACHE_DIR names another folder.
    Releases that were downloaded stay.

    \b
    Examples:
      raisedex cache info
      raisedex cache clear
    """
    from extractor.cache import store_of_facts
    from extractor.printable import printable

    store = store_of_facts()
    info = store.info()
    store.close()
    if action == "info":
        click.echo(f"{printable(info.path)}: {info.entries:,} entries, {_shown_size(info.size)}")
        return
    try:
        store.clear()
    except OSError as error:
        raise CacheFolderError(info.path, error.strerror) from error
    click.echo(f"{printable(info.path)}: {info.entries:,} entries removed, {_shown_size(info.size)} freed")


def _shown_size(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"
