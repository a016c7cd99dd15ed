"""What a project says of itself."""

from __future__ import annotations

import pytest

from extractor.source.project_metadata import ProjectFacts, parse_core_metadata, parse_pyproject, read_project


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["Name: n", "Version: 1.0", "License-Expression: MIT"], ProjectFacts("n", "1.0", "MIT")),
        (["License: BSD", "License-Expression: BSD-3-Clause"], ProjectFacts(license="BSD-3-Clause")),
        (["License: UNKNOWN"], ProjectFacts()),
        (["License: Permission is hereby granted,", "        free of charge, to any person"], ProjectFacts()),
        (["Name: n\x1b[31m", "Version: 1 0"], ProjectFacts()),  # not what a name or version can be
        (
            ["Project-URL: Homepage, https://github.com/o/home", "Project-URL: Source Code, https://gitlab.com/o/n"],
            ProjectFacts(repository="https://gitlab.com/o/n"),
        ),
        (["Home-page: https://github.com/o/n/"], ProjectFacts(repository="https://github.com/o/n")),
        (["Home-page: https://n.example.org/"], ProjectFacts()),
        (["Project-URL: Issues, https://github.com/o/n/issues"], ProjectFacts(repository="https://github.com/o/n")),
        (["Project-URL: Source, javascript:alert(1)"], ProjectFacts()),
        (["Project-URL: nothing"], ProjectFacts()),
        (["", "Name: in the description"], ProjectFacts()),
    ],
)
def test_core_metadata_is_read(lines: list[str], expected: ProjectFacts) -> None:
    """Facts are taken where they are plain, and left out where they are not."""
    assert expected == parse_core_metadata("\n".join(lines).encode())


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ('[project]\nname="n"\nversion="1"\nlicense="MIT"', ProjectFacts("n", "1", "MIT")),
        ('[project]\nlicense={text="MIT"}', ProjectFacts(license="MIT")),
        ('[project]\nlicense={file="LICENSE"}', ProjectFacts()),
        ('[project.urls]\nRepository="https://github.com/o/n.git"', ProjectFacts(repository="https://github.com/o/n")),
        ("[project]\nname=1\nlicense=[]\nurls=3", ProjectFacts()),
        ("project=3", ProjectFacts()),
        ("[project", ProjectFacts()),
        ("\xff", ProjectFacts()),
        ("x=" + "[" * 5000, ProjectFacts()),
    ],
)
def test_pyproject_is_read(content: str, expected: ProjectFacts) -> None:
    """A malformed file says nothing."""
    assert expected == parse_pyproject(content.encode("latin-1"))


def test_built_metadata_comes_before_pyproject() -> None:
    """The version of a release is often dynamic in pyproject.toml."""
    files = {"PKG-INFO": b"Name: n\nVersion: 2", "pyproject.toml": b'[project]\nversion="1"\nlicense="MIT"'}

    assert ProjectFacts("n", "2", "MIT") == read_project(files.get)
