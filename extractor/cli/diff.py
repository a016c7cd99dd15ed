"""`raisedex diff`: what became of the errors from one revision to another."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING

import click

from extractor.cli import options
from extractor.cli.output import write_text
from extractor.collection import collection_paused
from extractor.model import Options
from extractor.printable import printable

if TYPE_CHECKING:
    from extractor.cli.sides import Side
    from extractor.diff import Comparison
    from extractor.policy import Policy
    from extractor.reports.report import Report

_KINDS = ("added", "removed", "retyped", "reworded", "moved", "guards-changed")
_REQUIREMENTS = ("message", "test", "documented")
_FORMATS = ("text", "markdown", "json", "sarif", "github", "gitlab")


class _Several(click.ParamType):  # type: ignore[type-arg,unused-ignore]
    """One or more of some words, with commas between them."""

    name = "words"

    def __init__(self, choices: tuple[str, ...]) -> None:
        self.choices = choices

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, ...]:
        words = tuple(word.strip().replace("_", "-") for word in value.split(","))
        wrong = next((word for word in words if word not in self.choices), None)
        if wrong is not None:
            self.fail(f"{wrong!r} is none of {', '.join(self.choices)}", param, ctx)
        return tuple(word.replace("-", "_") for word in words)


@click.command("diff", short_help="Show what a change does to the errors.")
@click.argument("old")
@click.argument("new", required=False)
@click.option(
    "--source",
    metavar="REPO",
    default=".",
    show_default="the current folder",
    help="Repository whose revisions are meant.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(_FORMATS),
    default="text",
    show_default=True,
    help="For people, a comment on a pull request, programs, code scanning, or the pages of GitHub and GitLab.",
)
@click.option(
    "--fail-on",
    metavar="KIND",
    multiple=True,
    type=_Several(_KINDS),
    help=f"Exit with 1 if there is such a change: {', '.join(_KINDS)}; may be given again.",
)
@click.option(
    "--require",
    metavar="WHAT",
    multiple=True,
    type=_Several(_REQUIREMENTS),
    help=f"Exit with 1 if a new or changed error has none: {', '.join(_REQUIREMENTS)}; may be given again.",
)
@click.option("--policy", metavar="FILE", help="Another pyproject.toml than that of REPO to take [tool.raisedex] from.")
@click.option("--no-policy", is_flag=True, help="Leave out what pyproject.toml says.")
@options.exceptions
@options.include
@options.exclude
@options.jobs
@options.no_cache
@click.option("--output", "-o", type=click.Path(allow_dash=True), help="File to write; - or nothing for stdout.")
def command(
    old: str,
    new: str | None,
    source: str,
    form: str,
    fail_on: tuple[tuple[str, ...], ...],
    require: tuple[tuple[str, ...], ...],
    policy: str | None,
    no_policy: bool,
    exceptions: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
    jobs: int | None,
    no_cache: bool,
    output: str | None,
) -> None:
    """Show which errors were added, removed, retyped, reworded or moved from OLD to NEW, and whose conditions changed.

    OLD and NEW are corpora, revisions of the repository (without NEW, the files as they are), folders, archives or
    NAME==VERSION. Formatting, comments, moved lines and split literals are no change.

    \b
    Examples:
      raisedex diff main HEAD
      raisedex diff main --fail-on removed,retyped
      raisedex diff old.json new.json --format markdown -o comment.md
      raisedex diff requests==2.31.0 requests==2.32.3

    Exit code 1 says that there is something named by --fail-on or --require, or by [tool.raisedex] in pyproject.toml.
    """
    from extractor.cli.sides import Sides

    rules = _policy(policy, source, no_policy=no_policy)
    rules = _with_options(rules, fail_on, require, exceptions, include, exclude)
    wanted = Options(rules.exceptions, rules.paths, rules.exclude)
    sides = Sides(source, wanted, jobs, no_cache, _remark)
    # All of it lives until the end.
    with collection_paused():
        report = _report(sides.open(old), sides.open(new), rules)
        text = _rendered(report, form, output)
    write_text(text, output)
    if form == "github":
        _write_step_summary(report)
    if report.is_failure:
        raise click.exceptions.Exit(1)


def _policy(file: str | None, source: str, *, no_policy: bool) -> Policy:
    from extractor.policy import Policy, read_policy

    if no_policy:
        return Policy()
    if file is not None and not os.path.isfile(file):
        raise click.UsageError(f"no file {file!r} to take a policy from")
    return read_policy(Path(file) if file is not None else Path(source, "pyproject.toml"))


def _with_options(
    policy: Policy,
    fail_on: tuple[tuple[str, ...], ...],
    require: tuple[tuple[str, ...], ...],
    exceptions: tuple[str, ...],
    include: tuple[str, ...],
    exclude: tuple[str, ...],
) -> Policy:
    from extractor.diff import KINDS
    from extractor.reports.report import REQUIREMENTS

    return replace(
        policy,
        paths=include or policy.paths,
        exclude=exclude or policy.exclude,
        exceptions=exceptions or policy.exceptions,
        fail_on=tuple(kind for kind in KINDS if kind in chain(*fail_on)) or policy.fail_on,
        require=tuple(each for each in REQUIREMENTS if each in chain(*require)) or policy.require,
    )


def _report(old: Side, new: Side, policy: Policy) -> Report:
    from extractor.diff import compare
    from extractor.diff.reading import read_both
    from extractor.reports.report import Report

    names = tuple("standard input" if side.name == "-" else side.name for side in (old, new))
    both = read_both(old.corpus, new.corpus, names=(names[0], names[1]))
    if _is_other_choice(both.old.options, both.new.options):
        _remark(
            "the two corpora were made with other --exception, --include or --exclude; what only one could have counts"
        )
    comparison, ignored = policy.without_ignored(compare(both.old, both.new, both.alike))
    tested = _tested(new, comparison) if "test" in policy.require else frozenset()
    return Report(
        comparison=comparison,
        old_name=old.name,
        new_name=new.name,
        failing=frozenset(policy.fail_on),
        lacking=policy.lacking(comparison, tested),
        ignored=ignored,
    )


def _is_other_choice(old: Options, new: Options) -> bool:
    return replace(old, context=0) != replace(new, context=0)


def _tested(side: Side, comparison: Comparison) -> frozenset[str]:
    from extractor.expected import expected_ids
    from extractor.policy_errors import UntestableCorpusError

    if side.reopen is None:
        raise UntestableCorpusError(side.name)
    records = [change.new for change in comparison.changes if change.new is not None]
    return expected_ids(records, side.reopen())


def _rendered(report: Report, form: str, output: str | None) -> str:
    if form == "text":
        from extractor.cli.changes import render_text
        from extractor.cli.terminal import Display, display_of

        display = display_of(sys.stdout) if output in (None, "-") else Display()
        return render_text(report, display=display)
    if form == "markdown":
        from extractor.reports.markdown import render_markdown

        return render_markdown(report)
    if form == "json":
        from extractor.reports.as_json import render_json

        return render_json(report)
    if form == "sarif":
        from extractor.reports.sarif import render_sarif

        return render_sarif(report)
    if form == "gitlab":
        from extractor.reports.gitlab import render_gitlab

        return render_gitlab(report)
    from extractor.reports.github import render_github

    return render_github(report)


def _write_step_summary(report: Report) -> None:
    """Add the report to the page of the job, where GitHub runs this."""
    file = os.environ.get("GITHUB_STEP_SUMMARY")
    if not file:
        return
    from extractor.errors import UnwritableFileError
    from extractor.reports.markdown import render_markdown

    try:
        with open(file, "a", encoding="utf-8", errors="backslashreplace") as opened:
            opened.write(render_markdown(report))
    except OSError as error:
        raise UnwritableFileError(file, error) from error


def _remark(text: str) -> None:
    click.echo(f"raisedex: {printable(text)}", err=True)
