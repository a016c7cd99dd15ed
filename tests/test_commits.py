"""Fifty commits of a repository, each a release of a real library: what the cache spares is not missing from a corpus.

The releases come from the package index that pip is configured for. Where that cannot be reached, this test fails.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from extractor.cache import Cache, store_of_facts
from extractor.errors import ExtractorError
from extractor.folders import CACHE_VARIABLE
from extractor.model import Diagnostic, Options
from extractor.pipeline import extract_document
from extractor.source import open_source
from tests.repositories import git

HISTORY = json.loads(
    (Path(__file__).parent.parent / "fixtures" / "releases" / "cachetools-history.json").read_text("utf-8")
)
# The library alone, without its tests and documentation.
INCLUDED = ("src/**", "cachetools/**")


def commits(repository: Path, *, latest: int | None = None) -> Iterator[str]:
    """Commit each release in turn, or only the latest ones, and yield its version."""
    git(repository, "init", "--quiet")
    for version, digest in list(HISTORY["versions"].items())[-latest if latest else 0 :]:
        _replace(repository, f"{HISTORY['project']}=={version}", digest)
        git(repository, "add", "--all", "--force")
        git(repository, "commit", "--quiet", "--allow-empty", f"--message={version}")
        yield version


def _replace(folder: Path, release: str, digest: str) -> None:
    for child in folder.iterdir():
        if child.name != ".git":
            shutil.rmtree(child) if child.is_dir() else child.unlink()
    try:
        tree = open_source(release, sha256=digest, include=INCLUDED)
    except ExtractorError as error:
        pytest.fail(f"the release cannot be had: {error}")
    for entry, content in tree.read(tree.entries):
        assert not isinstance(content, Diagnostic), entry
        (folder / entry.path).parent.mkdir(parents=True, exist_ok=True)
        (folder / entry.path).write_bytes(content)


def test_each_regenerated_corpus_is_that_of_a_cold_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was found for earlier commits is used and changes no byte."""
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path / "cache"))
    repository = tmp_path / "repository"
    repository.mkdir()
    sizes = set()
    for version in commits(repository):
        tree = open_source(str(repository), revision="HEAD")
        with closing(Cache(store_of_facts())) as cache:
            regenerated = extract_document(tree, Options(), cache=cache).data
        cold = extract_document(tree, Options(), cache=Cache(None)).data
        assert regenerated == cold, version
        sizes.add(len(cold))

    # They are not all alike, or this would say nothing.
    assert len(HISTORY["versions"]) == 50 < 2 * len(sizes)
