"""A list of projects: what its lines mean, and the names of their corpora."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from extractor.errors import InvalidListError
from extractor.projects import Project, read_projects


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let relative paths start in a folder with a repository, some odd names and a file."""
    for name in ("repository", "odd@name", "number #1", "one==1.0"):
        (tmp_path / name).mkdir()
    (tmp_path / "single.py").write_text("")
    monkeypatch.chdir(tmp_path)


def read(text: str) -> list[tuple[str, str | None]]:
    """Return what each line of a list names."""
    return [(each.location, each.revision) for each in read_projects(text.encode(), "LIST")]


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("click==8.1.7", ("click==8.1.7", None)),
        ("  click == 8.1.7\t", ("click == 8.1.7", None)),
        ("click==8.1.7  # pinned", ("click==8.1.7", None)),
        ("repository", ("repository", None)),
        ("./repository/", ("./repository/", None)),
        ("single.py", ("single.py", None)),
        ("repository@v1.0", ("repository", "v1.0")),
        ("repository@feature/x", ("repository", "feature/x")),
        ("repository@HEAD@{1}", ("repository", "HEAD@{1}")),
        ("odd@name", ("odd@name", None)),
        ("odd@name@main", ("odd@name", "main")),
        ("number #1", ("number #1", None)),
        ("number #1@main # both", ("number", None)),
        ("one==1.0", ("one==1.0", None)),  # a folder that is there
        ("gone/repository@v1", ("gone/repository", "v1")),  # its failure is its own
        ("gone@v1", ("gone", "v1")),
        ("gone/folder", ("gone/folder", None)),
        ("gone.py", ("gone.py", None)),
        ("gone-1.0.tar.gz", ("gone-1.0.tar.gz", None)),
        ("click==no version", ("", None)),
        ("click", ("", None)),
        ("click>=8", ("", None)),
        ("click==", ("", None)),
        ("click[extra]==8.1.7", ("", None)),
        ("click==8.1.7 --hash=sha256:0", ("", None)),
        ("https://example.org/click.git@main", ("", None)),
        ("-r other.txt", ("", None)),
        ("@main", ("", None)),
        ("repository@", ("", None)),
        ("\x1b[31m", ("", None)),
    ],
)
def test_what_a_line_names(line: str, expected: tuple[str, str | None]) -> None:
    """Or, where nothing is expected, that it is refused by its number before anything is done."""
    text = f"# a comment\n\nclick==1\n{line}\n"
    if expected == ("", None):
        with pytest.raises(InvalidListError, match=re.escape("line 4 of LIST, ")) as raised:
            read(text)
        assert str(raised.value).isprintable()
    elif line == "number #1@main # both":
        with pytest.raises(InvalidListError):  # what is not there may be a comment
            read(text)
    else:
        assert [("click==1", None), expected] == read(text)


@pytest.mark.parametrize("text", ["", "\n\n", "# nothing\n", "\ufeff# nothing"])
def test_a_list_may_be_empty(text: str) -> None:
    assert [] == read(text)


def test_windows_line_ends_and_a_byte_order_mark_are_no_part_of_a_line() -> None:
    assert [("click==1", None), ("single.py", None)] == read("\ufeffclick==1\r\nsingle.py\r\n")


def test_a_project_that_comes_again_counts_once() -> None:
    """Also a release that is written in another way."""
    assert [("Typing_Extensions==4.0", None), ("repository", None)] == read(
        "Typing_Extensions==4.0\nrepository\ntyping-extensions == 4.0\nrepository  # again\n"
    )


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("click==8.1.7", r"click==8\.1\.7\.json"),
        ("Zope.Interface==1!2.0+Local.1", r"zope-interface==1!2\.0\+local\.1\.json"),
        ("click==../../../x", r"click-\.\.-\.\.-\.\.-x-[0-9a-f]{8}\.json"),
        ("one==1.0", r"one-1\.0-[0-9a-f]{8}\.json"),  # a folder, and no release
        ("./repository", r"repository-[0-9a-f]{8}\.json"),
        ("repository@feature/x", r"repository-feature-x-[0-9a-f]{8}\.json"),
        ("../..", r"project-[0-9a-f]{8}\.json"),
        ("x/" * 200, r"[a-z0-9.-]{1,60}-[0-9a-f]{8}\.json"),
    ],
)
def test_the_file_of_a_project_is_a_name_for_every_system(line: str, expected: str) -> None:
    (project,) = read_projects(line.encode(), "LIST")

    assert re.fullmatch(expected, project.file)


def test_every_project_has_a_file_of_its_own() -> None:
    texts = ["a/b", "a-b/", "A/b", "./a/b", "a/b@main", "summary", "a b/", "a\xa0b/", "a\udcffb/", "one==1.0"]
    names = {Project(text, text).file.lower() for text in texts} | {Project("a/b@main", "a/b", "main").file}

    assert len(texts) == len(names)
    assert "summary.json" not in names
