"""The corpus is a function of the tree and the options: not of the machine, the moment or the way there.

And reading is all that happens to the tree: it stays as it is, and nothing of it runs.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import Any

import pytest

from extractor.corpus import encode
from extractor.model import Options
from extractor.pipeline import extract
from extractor.source import open_source
from tests.program import COMMAND, raisedex
from tests.repositories import git
from tests.trees import write_tree

ROOT = Path(__file__).parent.parent
REMOTE = "https://github.com/example/tree"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the tree, as a clean checkout of a repository with a remote."""
    folder = write_tree(tmp_path_factory.mktemp("determinism") / "tree")
    # What git would change on its way in or out is not what is tested here.
    (folder / ".gitattributes").write_text("* -text\n")
    for arguments in (
        ["init", "--quiet", "--initial-branch=main"],
        ["remote", "add", "origin", f"{REMOTE}.git"],
        ["add", "--all", "--force"],
        ["commit", "--quiet", "--message=first"],
    ):
        git(folder, *arguments)
    return folder


@pytest.fixture(scope="module")
def corpus(tree: Path) -> bytes:
    """Return the corpus of the tree, scanned in this process."""
    return encode(extract(open_source(str(tree)), Options(), jobs=1))


def _extracted(source: Path | str, *options: str, **environment: str) -> bytes:
    ended = raisedex("extract", source, "--jobs", "2", *options, environment=environment)

    assert 0 == ended.code, ended.errors
    return ended.output


def test_the_tree_is_worth_the_while(tree: Path, corpus: bytes) -> None:
    """Else the tests below would compare little."""
    found = json.loads(corpus)

    assert 1_600_000 < sum(file.stat().st_size for file in tree.rglob("*.py"))
    assert 350 < found["summary"]["records"]
    assert {"encoding", "syntax-error"} <= found["summary"]["diagnostics"].keys()
    assert all(record["permalink"].startswith(f"{REMOTE}/blob/") for record in found["records"])


@pytest.mark.parametrize("jobs", [2, 4])
def test_the_number_of_processes_does_not_show(tree: Path, corpus: bytes, jobs: int) -> None:
    assert corpus == encode(extract(open_source(str(tree)), Options(), jobs=jobs))


@pytest.mark.parametrize(("seed", "jobs"), [("0", "1"), ("1", "1"), ("random", "2")])
def test_the_hash_seed_does_not_show(tree: Path, corpus: bytes, seed: str, jobs: str) -> None:
    assert corpus == _extracted(tree, "--jobs", jobs, PYTHONHASHSEED=seed)


@pytest.mark.parametrize(
    "environment",
    [
        {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "TZ": "Asia/Kathmandu", "PYTHONOPTIMIZE": "2"},
        {"LC_ALL": "de_DE.ISO-8859-1", "LANGUAGE": "de", "PYTHONIOENCODING": "latin-1", "PYTHONUNBUFFERED": "1"},
        {"SOURCE_DATE_EPOCH": "1", "COLUMNS": "20", "NO_COLOR": "1", "PYTHONPATH": ".", "PYTHONHOME": ""},
    ],
    ids=lambda environment: next(iter(environment)),
)
def test_the_environment_does_not_show(tree: Path, corpus: bytes, environment: dict[str, str]) -> None:
    assert corpus == _extracted(tree, **environment)


@pytest.mark.parametrize("place", ["..", "cases", "."])
def test_the_working_folder_does_not_show(tree: Path, corpus: bytes, place: str) -> None:
    here = (tree / place).resolve()
    ended = raisedex("extract", os.path.relpath(tree, here), folder=here)

    assert corpus == ended.output


def test_the_place_of_the_tree_does_not_show(tree: Path, corpus: bytes, tmp_path: Path) -> None:
    shutil.copytree(tree, tmp_path / "elsewhere" / "under another name")

    assert corpus == _extracted(tmp_path / "elsewhere" / "under another name")


def test_the_time_of_the_files_does_not_show(tree: Path, corpus: bytes, tmp_path: Path) -> None:
    copy = shutil.copytree(tree, tmp_path / "copy")
    for file in copy.rglob("*.py"):
        os.utime(file, (1, 1))

    assert corpus == _extracted(copy)


def test_the_order_in_which_files_were_made_does_not_show(tree: Path, corpus: bytes, tmp_path: Path) -> None:
    """A folder lists its files in no order, or in the order in which they came."""
    copy = tmp_path / "copy"
    shutil.copytree(tree / ".git", copy / ".git")
    for file in sorted((file for file in tree.rglob("*") if file.is_file()), reverse=True):
        if ".git" not in file.parts:
            (copy / file.relative_to(tree)).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copy / file.relative_to(tree))

    assert corpus == _extracted(copy)


def test_git_objects_give_what_the_folder_gives(tree: Path, corpus: bytes) -> None:
    """A clean checkout and its commit differ only in what the source says of itself."""
    from_folder, from_objects = json.loads(corpus), json.loads(_extracted(tree, "--rev", "HEAD"))

    assert _without_source(from_folder) == _without_source(from_objects)
    differing = {name for name, value in from_folder["source"].items() if value != from_objects["source"][name]}
    assert {"kind", "revision"} == differing


def test_a_bare_clone_gives_what_its_origin_gives(tree: Path, tmp_path: Path) -> None:
    git(tmp_path, "clone", "--quiet", "--bare", str(tree), "bare.git")
    git(tmp_path / "bare.git", "remote", "set-url", "origin", f"{REMOTE}.git")

    assert _extracted(tree, "--rev", "HEAD") == _extracted(tmp_path / "bare.git")


def test_an_archive_gives_what_the_folder_gives(tree: Path, corpus: bytes, tmp_path: Path) -> None:
    """But for the links, because an archive does not know its commit."""
    with tarfile.open(tmp_path / "tree-1.tar.gz", "w:gz") as archive:
        archive.add(tree, "tree-1", filter=lambda member: None if ".git" in member.name.split("/") else member)
    from_archive = json.loads(_extracted(tmp_path / "tree-1.tar.gz"))
    from_folder = json.loads(corpus)

    for record in (*from_archive["records"], *from_folder["records"]):
        del record["permalink"]
        for variant in record["variants"]:
            if variant["call"] is not None:
                del variant["call"]["permalink"]
    assert _without_source(from_folder) == _without_source(from_archive)


def test_an_archive_with_its_commit_named_gives_the_links_too(tree: Path, corpus: bytes, tmp_path: Path) -> None:
    shutil.make_archive(str(tmp_path / "tree"), "zip", tree)
    commit = json.loads(corpus)["source"]["commit"]
    found = json.loads(_extracted(tmp_path / "tree.zip", "--commit", commit, "--repo", REMOTE))

    assert json.loads(corpus)["records"] == found["records"]


def _without_source(corpus: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in corpus.items() if name != "source"}


_OTHERS = [f"python3.{minor}" for minor in (11, 12, 13, 14) if minor != sys.version_info.minor]


@pytest.mark.parametrize("name", _OTHERS)
def test_the_version_of_python_does_not_show(tree: Path, corpus: bytes, name: str) -> None:
    """RAISEDEX_OTHER_PYTHONS may name further folders with interpreters that have what we depend on."""
    places = os.pathsep.join((os.environ.get("RAISEDEX_OTHER_PYTHONS", ""), os.environ.get("PATH", "")))
    other = shutil.which(name, path=places)
    needed = "import click, libcst, networkx, orjson, rich, tree_sitter, tree_sitter_python"
    if other is None or subprocess.run([other, "-c", needed], capture_output=True, check=False).returncode:
        pytest.skip(f"there is no {name} on PATH that has our dependencies")
    command = [other, "-m", "extractor", "extract", str(tree), "--jobs", "2"]
    ended = subprocess.run(command, capture_output=True, check=True, cwd=ROOT)

    assert corpus == ended.stdout


def _state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    return {
        str(file.relative_to(folder)): (
            status.st_mtime_ns,
            status.st_mode,
            file.read_bytes() if file.is_file() else b"",
        )
        for file in (folder, *sorted(folder.rglob("*")))
        if (status := file.lstat())
    }


@pytest.mark.parametrize("options", [(), ("--rev", "HEAD")], ids=["folder", "git objects"])
def test_the_tree_stays_as_it_is(tree: Path, corpus: bytes, tmp_path: Path, options: tuple[str, ...]) -> None:
    """To the byte and the time, the repository's own files included, and even where nothing may be written."""
    copy = shutil.copytree(tree, tmp_path / "copy")
    everything = [copy, *copy.rglob("*")]
    for place in everything:
        place.chmod(0o555 if place.is_dir() else 0o444)
    before = _state(copy)
    try:
        _extracted(copy, *options)

        assert before == _state(copy)
    finally:
        for place in everything:
            place.chmod(0o755 if place.is_dir() else 0o644)


# What Python or a build runs without being told to, and what we import, first of all from the current folder if it had
# a say.
_TRAPS = (
    *("sitecustomize.py", "usercustomize.py", "conftest.py", "setup.py", "noxfile.py", "__init__.py", "__main__.py"),
    *(f"{name}.py" for name in ("click", "libcst", "networkx", "orjson", "rich", "tree_sitter", "requests")),
    "package/__init__.py",
)
# `python -m` itself looks for these in the current folder, before there is any code of ours to run.
_UNSAFE_TRAPS = (
    *(f"{name}.py" for name in ("json", "pickle", "signal", "subprocess", "typing", "dataclasses", "multiprocessing")),
    "extractor/__init__.py",
)
_AS_INSTALLED, _AS_MODULE = list(COMMAND), [sys.executable, "-m", "extractor"]


@pytest.mark.parametrize(
    ("command", "traps"),
    [(_AS_INSTALLED, (*_TRAPS, *_UNSAFE_TRAPS)), (_AS_MODULE, _TRAPS)],
    ids=["as installed", "as module"],
)
@pytest.mark.parametrize("arguments", [(".",), ("tree.zip",), (".", "--rev", "HEAD")], ids=["folder", "zip", "git"])
def test_nothing_of_the_tree_ever_runs(
    tmp_path: Path, command: list[str], traps: tuple[str, ...], arguments: tuple[str, ...]
) -> None:
    """Not at import, not by a start-up file, not by git, and not when the tree is the working folder."""
    folder, marker = tmp_path / "tree", tmp_path / "it ran"
    files = {name: f"open({str(marker)!r}, 'a').write(__file__)\nraise ValueError('bait')\n" for name in traps}
    files |= {f"filler/part_{number}.py": f"raise ValueError\n'{'x' * 100_000}'\n" for number in range(20)}
    files |= {
        "trap.pth": f"import os; open({str(marker)!r}, 'a').write('pth')\n",
        ".gitattributes": "*.py filter=trap diff=trap\n",
    }
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    shutil.make_archive(str(tmp_path / "tree"), "zip", folder)
    shutil.move(tmp_path / "tree.zip", folder)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all", "--force")
    git(folder, "commit", "--quiet", "--message=first")
    for name in ("filter.trap.smudge", "filter.trap.clean", "diff.trap.textconv", "core.fsmonitor", "core.pager"):
        git(folder, "config", name, f"echo {name} >> '{marker}'")

    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    ended = subprocess.run(
        [*command, "extract", *arguments, "--jobs", "2"], cwd=folder, env=environment, capture_output=True, check=False
    )

    assert not marker.exists(), marker.read_text()
    assert 0 == ended.returncode, ended.stderr.decode()
    assert len(traps) + 20 == json.loads(ended.stdout)["summary"]["records"]
