"""What a location means, and which options fit it."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from extractor.errors import (
    ExtractorError,
    InvalidCommitError,
    InvalidDigestError,
    InvalidRepositoryError,
    MisplacedOptionError,
    UnknownSourceError,
)
from extractor.source import find_kind, open_source

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("location", "expected"),
    [
        ("folder", "folder"),
        ("file.py", "file"),
        ("a.tar.gz", "archive"),
        ("A.ZIP", "archive"),
        ("n==1.0", "release"),
        ("n == 1.0", "release"),
        ("there==1.0", "folder"),  # an existing path is what it is
    ],
)
def test_location_says_what_kind_it_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str, expected: str
) -> None:
    """Existing paths first."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "folder").mkdir()
    (tmp_path / "there==1.0").mkdir()
    for name in ("file.py", "a.tar.gz", "A.ZIP"):
        (tmp_path / name).touch()

    assert expected == find_kind(location)


@pytest.mark.parametrize(
    "location", ["", "absent", "a\0b", "text.txt", "pipe.py", "broken", "n>=1", "n===1", "n[x]==1", "n==", "\x1b[31m\n"]
)
def test_anything_else_is_one_clear_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str) -> None:
    """Not a traceback, and not a wait for a writer."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text.txt").touch()
    (tmp_path / "broken").symlink_to("nowhere")
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe.py")
    with pytest.raises(UnknownSourceError, match="NAME==VERSION") as caught:
        open_source(location)

    assert str(caught.value).isprintable()


@pytest.mark.parametrize(
    ("location", "options", "error"),
    [
        ("a.py", {"revision": "HEAD"}, MisplacedOptionError),
        ("n==1", {"revision": "HEAD"}, MisplacedOptionError),
        (".", {"revision": "HEAD", "commit": COMMIT}, MisplacedOptionError),
        (".", {"sha256": "0" * 64}, MisplacedOptionError),
        (".", {"commit": "main"}, InvalidCommitError),
        (".", {"commit": COMMIT[:39]}, InvalidCommitError),
        ("n==1", {"sha256": "0" * 63}, InvalidDigestError),
        (".", {"repository": "nowhere"}, InvalidRepositoryError),
        (".", {"repository": "javascript:alert(1)"}, InvalidRepositoryError),
    ],
)
def test_option_that_does_not_fit_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, location: str, options: dict[str, str], error: type[ExtractorError]
) -> None:
    """It would otherwise be ignored."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.py").touch()
    with pytest.raises(error):
        open_source(location, **options)  # type: ignore[arg-type]


def test_network_library_is_not_loaded_before_it_is_needed() -> None:
    """It costs more than reading a small tree."""
    libraries = "{'requests', 'pypi_simple', 'packaging', 'platformdirs'}"
    code = f"import sys, extractor.source; print(*{libraries} & set(sys.modules))"
    printed = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=Path(__file__).parents[2]
    )

    assert "" == printed.stdout.strip()
