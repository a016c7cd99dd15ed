"""The command line as a whole: its help, its version, its exit codes, and one line for whatever goes wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterator
from importlib.metadata import version
from pathlib import Path

import click
import pytest

import extractor
from extractor.cli.main import _COMMANDS, cli, run
from tests.program import command_of, on_terminal, parse, raisedex

COMMANDS = sorted(_COMMANDS)


def test_the_version_is_the_version() -> None:
    ended = raisedex("--version")

    assert (0, f"raisedex, version {extractor.__version__}\n", "") == (ended.code, ended.output.decode(), ended.errors)
    assert extractor.__version__ == version("raisedex")


def test_the_command_that_is_installed_is_the_module() -> None:
    """`raisedex` and `python -m extractor` are one."""
    script = Path(sys.executable).with_name("raisedex")
    if not script.exists():
        pytest.skip("raisedex is not installed in this environment")
    ended = subprocess.run([str(script), "--help"], capture_output=True, check=True)

    assert ended.stdout == raisedex("--help").output


@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_help_names_everycommand_of(flag: str) -> None:
    ended = raisedex(flag)

    assert (0, "") == (ended.code, ended.errors)
    assert COMMANDS == re.findall(r"^  ([a-z-]+)  +\S", ended.output.decode().partition("Commands:")[2], re.MULTILINE)


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], "missing command; see raisedex --help"),
        (
            ["frobnicate"],
            "no command 'frobnicate'; there are cache, completion, diff, extract, extract-many, history, show, "
            "validate; see raisedex",
        ),
        (
            ["extrat", "."],
            "no command 'extrat'; there are cache, completion, diff, extract, extract-many, history, show, "
            "validate; see raisedex",
        ),
        (["--no-such-option"], "no such option '--no-such-option'; see raisedex --help"),
        (["-x"], "no such option '-x'; see raisedex --help"),
        (["\x1b[31m\n"], r"no command '\x1b[31m\n'; there are"),
        (["completion"], "missing argument"),
        (["completion", "tcsh"], "'tcsh' is not one of 'bash', 'fish', 'zsh'; see raisedex completion --help"),
        (["show"], "missing argument 'CORPUS'; see raisedex show --help"),
        (["show", "none.json", "x"], "cannot read 'none.json': there is no such file; check the path"),
        (["show", "none.json", "x", "--format", "xml"], "'xml' is not one of 'text', 'json'"),
        (["validate"], "missing argument 'FILE...'; see raisedex validate --help"),
        (["validate", "none.json"], "cannot read 'none.json': there is no such file; check the path"),
    ],
    ids=lambda value: ascii(value) if isinstance(value, list) else "",
)
def test_what_cannot_be_done_is_one_line(
    capfd: pytest.CaptureFixture[str], arguments: list[str], expected: str
) -> None:
    code = run(arguments)
    output, errors = capfd.readouterr()

    assert (2, "") == (code, output)
    assert errors.startswith(f"raisedex: {expected}" if expected[0].islower() else "raisedex: ")
    assert expected in errors
    assert 1 == errors.count("\n") == len(errors.splitlines())


@pytest.mark.parametrize("environment", [{}, {"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_errors_have_no_colours(environment: dict[str, str]) -> None:
    ended = on_terminal("extract", "/none", "-o", "/dev/null", environment=environment)

    assert 2 == ended.code
    assert "\x1b" not in ended.errors


def _help(name: str) -> str:
    command = command_of(name) if name else cli
    with click.Context(command, info_name=f"raisedex {name}".strip()) as context:
        return command.get_help(context)


def _examples(name: str) -> list[str]:
    return re.findall(r"^\s+(raisedex .*)$", _help(name).partition("Example")[2], re.MULTILINE)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_has_examples(name: str) -> None:
    examples = _examples(name)

    assert examples
    assert all(example.startswith(f"raisedex {name}") for example in examples)


@pytest.mark.parametrize("example", [example for name in ("", *COMMANDS) for example in _examples(name)])
def test_every_example_is_a_command_line(example: str) -> None:
    """Its options exist and its values fit."""
    parse(example)


def _options() -> Iterator[tuple[str, click.Option]]:
    for name in COMMANDS:
        for parameter in command_of(name).params:
            if isinstance(parameter, click.Option):
                yield name, parameter


@pytest.mark.parametrize(("name", "option"), list(_options()), ids=str)
def test_every_option_says_what_it_is_for(name: str, option: click.Option) -> None:
    assert option.help
    assert option.help.rstrip("]").rstrip().endswith((".", "available", "cores"))
    assert all(flag in _help(name) for flag in option.opts)


@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_fits_a_terminal(name: str) -> None:
    assert 80 >= max(map(len, raisedex(*name.split(), "--help").output.decode().splitlines()))
