"""`raisedex show`: one record as a page, or a list where the key stands for several."""

from __future__ import annotations

import re
import sys

import click

from extractor.model import Corpus, Record


@click.command("show", short_help="Show an error as a terminal page.")
@click.argument("corpus", type=click.Path(allow_dash=True))
@click.argument("key")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="A page for people, or the record as it stands in the corpus; several records make a JSON list.",
)
def command(corpus: str, key: str, output_format: str) -> None:
    """Show the error in CORPUS that KEY stands for.

    KEY is an id or its beginning (4 digits or more), a place as path:line, or a piece of the message, the title or the
    class name. Where it stands for several errors, they are listed. CORPUS may be - for standard input. Exit code 1
    says that there is no such error.

    \b
    Examples:
      raisedex show vllm.json 9c1f03a6a98046c2
      raisedex show vllm.json compilation.py:1055
      raisedex show vllm.json "must be positive"
      raisedex show vllm.json 9c1f --format json
    """
    from extractor.lookup import find_gone, look_up
    from extractor.printable import printable

    catalog = _read(corpus)
    records = look_up(catalog, key)
    gone = find_gone(catalog, key) if not records else None
    if gone is not None:
        until = f"; {gone.last_seen} had it last" if gone.last_seen else ""
        told = f"{gone.exception or 'an error'} in {gone.path}, {gone.title!r}, is gone{until}"
        click.echo(f"raisedex: {printable(told)}", err=True)
        raise click.exceptions.Exit(1)
    if not records:
        click.echo(f"raisedex: no error in {corpus!r} fits {key!r}; give an id, path:line or text", err=True)
        raise click.exceptions.Exit(1)
    if len(records) > 1:
        click.echo(f"{len(records)} errors fit {key!r}; give an id for the page of one", err=True)
    click.echo(_as_json(records) if output_format == "json" else _as_text(records, catalog), nl=False)


def _read(corpus: str) -> Corpus:
    from extractor.corpus import decode, read_corpus

    return decode(sys.stdin.buffer.read(), name="standard input") if corpus == "-" else read_corpus(corpus)


def _as_text(records: tuple[Record, ...], catalog: Corpus) -> str:
    from extractor.cli.page import listing, page
    from extractor.cli.terminal import display_of

    display = display_of(sys.stdout)
    return page(records[0], catalog.source, display=display) if len(records) == 1 else listing(records, display=display)


def _as_json(records: tuple[Record, ...]) -> str:
    from extractor.cli.terminal import display_of
    from extractor.corpus import encode_record

    texts = [encode_record(record).decode() for record in records]
    text = texts[0] if len(texts) == 1 else "[\n" + ",\n".join(texts) + "\n]"
    return _harmless(text, encoding=display_of(sys.stdout).encoding) + "\n"


def _harmless(text: str, *, encoding: str) -> str:
    from extractor.printable import is_harmless

    def shown(found: re.Match[str]) -> str:
        return found[0] if is_harmless(found[0], encoding) else _json_escape(found[0])

    # Such characters stand only inside of strings, so the JSON says the same.
    return re.sub(r"[^\n -~]", shown, text)


def _json_escape(letter: str) -> str:
    units = letter.encode("utf-16-be")
    return "".join(f"\\u{units[index]:02x}{units[index + 1]:02x}" for index in range(0, len(units), 2))
