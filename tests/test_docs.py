"""What the README shows is what raisedex does: its commands run, its links lead somewhere, its output is real."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.program import parse, raisedex, words_of

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text("utf-8")
PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")


def blocks(language: str, *, marker: str = "") -> list[str]:
    """Return the fenced blocks of a language in the README; of those behind a marking comment, if one is given."""
    before = rf"^<!-- {marker} -->\n" if marker else "^"
    return re.findall(rf"{before}```{language}\n(.*?)^```$", README, re.MULTILINE | re.DOTALL)


COMMANDS = [line for block in blocks("(?:sh|shell|bash|console)") for line in block.splitlines() if "raisedex " in line]
COMMANDS = [line.removeprefix("$ ") for line in COMMANDS if line.removeprefix("$ ").startswith("raisedex ")]


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a repository with the package, as a reader of the README has one, and a folder of one's own."""
    folder = tmp_path_factory.mktemp("docs") / "checkout"
    ignored = shutil.ignore_patterns("__pycache__")
    shutil.copytree(ROOT / "extractor", folder / "extractor", ignore=ignored)
    shutil.copy(ROOT / "pyproject.toml", folder)
    (folder / "src").mkdir()
    (folder / "src" / "mine.py").write_text("raise ValueError('mine')\n")
    (folder / "projects.txt").write_text("src\n.@HEAD\n")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    for arguments in (["init", "--quiet"], ["add", "--all"], ["commit", "--quiet", "--message=first"]):
        subprocess.run(
            ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments],
            cwd=folder,
            check=True,
            env=environment | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"},
        )
    return folder


@pytest.fixture(scope="module")
def outputs(checkout: Path) -> dict[str, str]:
    """Run the commands of the README from top to bottom, and return what each printed."""
    printed: dict[str, str] = {}
    for line in COMMANDS:
        words = words_of(line)
        if _needs_index(line):
            # What it would have written is there for the commands below it.
            shutil.copy(checkout / "errors.json", checkout / parse(line).params["output"])
            continue
        ended = raisedex(*words, folder=checkout)

        assert 0 == ended.code, f"{line}: {ended.errors}"
        printed[" ".join(words)] = ended.output.decode()
    return printed


def _needs_index(line: str) -> bool:
    return bool(re.search(r"\S==\S", line))


def test_the_readme_has_commands() -> None:
    """Else the tests below would say nothing."""
    assert 5 < len(COMMANDS)
    assert any(not _needs_index(line) for line in COMMANDS)


@pytest.mark.parametrize("line", COMMANDS)
def test_every_command_of_the_readme_is_a_command_line(line: str) -> None:
    parse(line)


@pytest.mark.parametrize("line", re.findall(r"`(raisedex [a-z][^`\n]*)`", README))
def test_every_command_within_a_sentence_is_one(line: str) -> None:
    """Help and a command's mere name included."""
    words = words_of(line)

    assert 0 == raisedex(*words[:1], "--help").code
    if words[1:] and "--help" not in words:
        parse(line)


def test_every_command_of_the_readme_runs(outputs: dict[str, str]) -> None:
    assert outputs


def test_every_command_of_make_is_a_command_line() -> None:
    """With make's variables filled in."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    variables = dict(re.findall(r"^([A-Z_0-9]+) *[:?]?= *(.*)$", makefile, re.MULTILINE))
    for line in re.findall(r"^\t@?\$\(BIN\)/(raisedex .*)$", makefile, re.MULTILINE):
        parse(re.sub(r"\$\((\w+)\)", lambda found: variables.get(found[1], "x"), line))


def _json_commands(outputs: dict[str, str]) -> str:
    (printed,) = [output for line, output in outputs.items() if line.startswith("show ") and "--format json" in line]
    return printed


def test_the_record_of_the_readme_is_real(outputs: dict[str, str]) -> None:
    """Field for field, in the order of the fields; only the link depends on where the repository is."""
    (block,) = blocks("json", marker="record")
    shown, made = json.loads(block), json.loads(_json_commands(outputs))

    assert list(made) == list(shown)
    assert made | {"permalink": None} == shown | {"permalink": None}


def test_the_page_of_the_readme_is_real(outputs: dict[str, str]) -> None:
    """The one of the same record; commit and link depend on the repository."""
    (block,) = blocks("text", marker="page")
    made = [_without_repository(output) for line, output in outputs.items() if line.startswith("show ")]

    assert _without_repository(block) in made


def _without_repository(page: str) -> list[str]:
    return [line for line in page.splitlines() if not line.startswith(("source  ", "link  "))]


def test_the_python_of_the_readme_runs(checkout: Path) -> None:
    (program,) = blocks("python")
    environment = os.environ | {"PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-W", "error", "-c", program]
    ended = subprocess.run(command, cwd=checkout, env=environment, capture_output=True, text=True, check=False)

    assert (0, "") == (ended.returncode, ended.stderr)
    assert "src/mine.py 1 mine" in ended.stdout


@pytest.mark.parametrize("name", PAGES)
def test_links_to_files_lead_somewhere(name: str) -> None:
    page = ROOT / name
    if not page.exists():
        pytest.fail(f"there is no {name}")
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", page.read_text("utf-8"))

    assert [] == [link for link in links if "://" not in link and not (page.parent / link).exists()]


@pytest.mark.parametrize("name", PAGES)
def test_files_that_are_named_exist(name: str) -> None:
    """Names in code quotes that look like paths of this repository."""
    text = (ROOT / name).read_text("utf-8")
    folders = "|".join(("extractor", "schema", "fixtures", "tests", "docs", r"\.ci"))
    named = re.findall(rf"`((?:{folders})/[\w./-]*)`", text)

    assert [] == [path for path in named if not (ROOT / path).exists()]
