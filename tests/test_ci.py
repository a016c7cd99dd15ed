"""What runs in other people's CI: the action, the hook, the recipes, and the guide whose examples are cases."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from extractor.policy import read_policy
from tests.guide import PAGE, guide
from tests.repositories import git
from tests.schemastore import errors_of

ROOT = Path(__file__).parent.parent
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
PAGES = (ROOT / "docs" / "ci.md").read_text("utf-8")
STEPS = {step["name"]: step for step in ACTION["runs"]["steps"]}
_OLD = 'def f(x):\n    if x < 0:\n        raise ValueError("x is negative")\n'
_NEW = _OLD + '    raise KeyError("what is `new` here")\n'


def _yaml_blocks() -> list[Any]:
    return [yaml.safe_load(block) for block in re.findall(r"```yaml\n(.*?)```", PAGES, re.DOTALL)]


def test_the_guide_shows_what_the_cases_give() -> None:
    """`python -m tests.guide` writes it anew."""
    assert guide() == PAGE.read_text("utf-8")


def test_each_text_of_an_event_goes_by_a_variable() -> None:
    """An expression in a script would let the name of a branch run commands."""
    for step in STEPS.values():
        assert "${{" not in step["run"]


def test_each_input_is_described() -> None:
    """And each that is used exists."""
    used = set(re.findall(r"inputs\.([\w-]+)", (ROOT / "action.yml").read_text("utf-8")))

    assert set(ACTION["inputs"]) == used
    assert all(each["description"] for each in ACTION["inputs"].values())


def test_the_recipes_are_valid() -> None:
    """Workflow, GitLab job and hook have the keys that their services know, and the policy is one."""
    workflow, pipeline, hooks = _yaml_blocks()
    inputs = workflow["jobs"]["raisedex"]["steps"][-1]["with"]
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text("utf-8"))

    assert set(inputs) <= set(ACTION["inputs"])
    assert {"image", "rules", "variables", "cache", "script", "artifacts"} == set(pipeline["raisedex"])
    assert hook["id"] == hooks["repos"][0]["hooks"][0]["id"]
    assert [] == errors_of("pre-commit-hooks", [hook])


def test_the_policy_in_the_guide_is_one(tmp_path: Path) -> None:
    """It is read without complaint."""
    (block,) = re.findall(r"```toml\n(.*?)```", PAGES, re.DOTALL)
    (tmp_path / "pyproject.toml").write_text(block, "utf-8")

    assert ("removed", "retyped") == read_policy(tmp_path / "pyproject.toml").fail_on


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """Return a repository with a commit that adds an error, and the folders of a runner beside it."""
    folder = tmp_path / "checkout"
    folder.mkdir()
    git(folder, "init", "--quiet")
    for text in (_OLD, _NEW):
        (folder / "code.py").write_text(text, "utf-8")
        git(folder, "add", "--all")
        git(folder, "commit", "--quiet", "--message=x")
    scripts = tmp_path / "runner" / "raisedex" / "bin"
    scripts.mkdir(parents=True)
    # As the step before would have installed it.
    (scripts / "raisedex").write_text(f'#!/bin/sh\nexec "{sys.executable}" -P -m extractor "$@"\n', "utf-8")
    (scripts / "raisedex").chmod(0o755)
    return folder


def _run(step: str, checkout: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    runner = checkout.parent / "runner"
    environment = {
        **os.environ,
        "RUNNER_TEMP": str(runner),
        "GITHUB_OUTPUT": str(runner / "output"),
        "GITHUB_STEP_SUMMARY": str(runner / "summary"),
        "RAISEDEX_CACHE_DIR": str(runner / "cache"),
        **variables,
    }
    # As GitHub calls it.
    command = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", STEPS[step]["run"]]
    return subprocess.run(
        command, cwd=checkout, env=environment, capture_output=True, text=True, check=False, timeout=120
    )


@pytest.mark.parametrize(("fail_on", "failed"), [("", "false"), ("added", "true"), ("removed", "false")])
def test_the_action_compares(checkout: Path, fail_on: str, failed: str) -> None:
    """It annotates, writes the page of the job, and says whether the job is to fail."""
    inputs = {"BASE": "HEAD~1", "SOURCE": ".", "FAIL_ON": fail_on, "REQUIRE": "", "SARIF": "errors.sarif"}
    ended = _run("Compare", checkout, **inputs)
    runner = checkout.parent / "runner"

    assert (0, "") == (ended.returncode, ended.stderr)
    assert "file=code.py,line=4" in ended.stdout
    assert f"failed={failed}\n" == (runner / "output").read_text("utf-8")
    assert "1 added" in (runner / "summary").read_text("utf-8")
    assert [] == errors_of("sarif-2.1.0", json.loads((checkout / "errors.sarif").read_text("utf-8")))


def test_the_action_fetches_what_a_shallow_checkout_lacks(checkout: Path, tmp_path: Path) -> None:
    """The base of a pull request is not there by itself."""
    shallow = tmp_path / "shallow"
    git(tmp_path, "clone", "--quiet", "--depth=1", f"file://{checkout}", str(shallow))
    base = subprocess.run(
        ["git", "-C", str(checkout), "rev-parse", "HEAD~1"], capture_output=True, text=True, check=True
    ).stdout.strip()
    git(checkout, "config", "uploadpack.allowAnySHA1InWant", "true")
    ended = _run("Compare", shallow, BASE=base, SOURCE=".", FAIL_ON="", REQUIRE="", SARIF="")

    assert (0, "") == (ended.returncode, ended.stderr)
    assert "1 added" in ended.stdout


def test_the_action_passes_an_error_on(checkout: Path) -> None:
    """What cannot run is no finding."""
    ended = _run("Compare", checkout, BASE="HEAD~1", SOURCE=".", FAIL_ON="nonsense", REQUIRE="", SARIF="")

    assert 2 == ended.returncode


@pytest.mark.parametrize("known", ["", "17"])
def test_the_action_keeps_one_comment(checkout: Path, known: str) -> None:
    """The one that bears its mark is written anew, else there is a first one."""
    runner = checkout.parent / "runner"
    (runner / "raisedex.md").write_text("the report\n", "utf-8")
    gh = runner / "gh"
    gh.write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> "{runner}/calls"\ncase "$*" in *--jq*) echo "{known}";; esac\n', "utf-8"
    )
    gh.chmod(0o755)
    path = f"{runner}{os.pathsep}{os.environ['PATH']}"
    ended = _run("Comment", checkout, PATH=path, GH_TOKEN="x", REPOSITORY="o/n", NUMBER="5")
    written = (runner / "calls").read_text("utf-8").splitlines()[-1]

    assert (0, "") == (ended.returncode, ended.stderr)
    assert ("--method PATCH repos/o/n/issues/comments/17" in written) is bool(known)
    assert known or "repos/o/n/issues/5/comments" in written
    assert "<!-- raisedex -->\nthe report\n" == (runner / "comment.md").read_text("utf-8")


@pytest.mark.skipif(shutil.which("pre-commit") is None, reason="there is no pre-commit here")
def test_the_hook_is_one() -> None:
    """pre-commit itself takes the file."""
    subprocess.run(["pre-commit", "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")], check=True)
