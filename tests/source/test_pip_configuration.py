"""pip's configuration, as pip reads it."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from extractor.errors import PipConfigurationError
from extractor.source.pip_configuration import PipConfiguration, read_pip_configuration, without_credentials


@pytest.fixture
def machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that stands for a whole machine, with a file of pip at each of its places."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "user"))
    monkeypatch.setenv("XDG_CONFIG_DIRS", str(tmp_path / "system"))
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "site"))
    monkeypatch.setattr(
        "extractor.source.pip_configuration._system_folders", lambda: [str(tmp_path / "system" / "pip")]
    )
    return tmp_path


@pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="the places of Linux")
@pytest.mark.parametrize(
    ("files", "variables", "expected"),
    [
        ([], {}, None),
        (["system/pip"], {}, "system/pip"),
        (["system/pip", "home/.pip"], {}, "home/.pip"),
        (["home/.pip", "user/pip"], {}, "user/pip"),
        (["user/pip", "site"], {}, "site"),
        (["site", "named"], {"PIP_CONFIG_FILE": "named"}, "named"),
        (["user/pip", "absent"], {"PIP_CONFIG_FILE": "nothing"}, "user/pip"),
        (["user/pip", "system/pip"], {"PIP_CONFIG_FILE": os.devnull}, None),
        (["site"], {"PIP_INDEX_URL": "https://variable"}, "https://variable"),
        (["site"], {"PIP_INDEX_URL": ""}, "site"),  # pip ignores an empty variable
    ],
)
def test_later_place_wins(machine: Path, files: list[str], variables: dict[str, str], expected: str | None) -> None:
    """System, old user, user, environment, the named file, then variables."""
    for place in files:
        file = machine / place / "pip.conf"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"[global]\nindex_url = https://h/{place}\n")
    named = variables.get("PIP_CONFIG_FILE")
    if named and named != os.devnull:
        variables = variables | {"PIP_CONFIG_FILE": str(machine / named / "pip.conf")}

    address = f"https://h/{expected}" if expected in files else expected
    assert address == read_pip_configuration(variables).index_url


def test_named_file_replaces_those_of_the_user(machine: Path) -> None:
    """Pip does so, although it does not say so."""
    (machine / "user" / "pip").mkdir(parents=True)
    (machine / "user" / "pip" / "pip.conf").write_text("[global]\nproxy = p\n")
    (machine / "named").write_text("[global]\nindex-url = https://i\n")

    assert PipConfiguration(index_url="https://i") == read_pip_configuration(
        {"PIP_CONFIG_FILE": str(machine / "named")}
    )


def test_section_of_the_command_wins(machine: Path) -> None:
    """Whatever its place in the file or among the files."""
    (machine / "named").write_text(
        "[download]\nindex-url = https://d\n[install]\ncert = i\n[global]\nindex-url = https://g\ncert = g\n"
    )

    assert PipConfiguration(index_url="https://d", cert="i") == read_pip_configuration(
        {"PIP_CONFIG_FILE": str(machine / "named")}
    )


def test_all_options_are_read() -> None:
    """Each as pip spells it in the environment."""
    variables = {
        "PIP_CONFIG_FILE": os.devnull,
        "PIP_EXTRA_INDEX_URL": "https://a  https://b",
        "PIP_NO_INDEX": "on",
        "PIP_TRUSTED_HOST": "h",
        "PIP_CERT": "c",
        "PIP_CLIENT_CERT": "cc",
        "PIP_PROXY": "p",
        "PIP_DEFAULT_TIMEOUT": "7",
    }
    expected = PipConfiguration(None, ("https://a", "https://b"), True, ("h",), "c", "cc", "p", 7.0)

    assert expected == read_pip_configuration(variables)


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("PIP_NO_INDEX", "perhaps"),
        ("PIP_TIMEOUT", "soon"),
        ("PIP_TIMEOUT", "-1"),
        ("PIP_TIMEOUT", "nan"),
        ("PIP_INDEX_URL", "https://["),
        ("PIP_EXTRA_INDEX_URL", "ftp://h/simple"),
    ],
)
def test_value_without_meaning_is_an_error(variable: str, value: str) -> None:
    """It would silently mean something else."""
    with pytest.raises(PipConfigurationError, match="correct it"):
        read_pip_configuration({"PIP_CONFIG_FILE": os.devnull, variable: value})


@pytest.mark.parametrize("content", [b"index-url = https://u:secret@h/\n", b"[global]\n\xff\xfe = 1\n"])
def test_malformed_file_is_an_error_that_quotes_nothing(machine: Path, content: bytes) -> None:
    """Its lines may hold passwords."""
    (machine / "named").write_bytes(content)
    with pytest.raises(PipConfigurationError) as caught:
        read_pip_configuration({"PIP_CONFIG_FILE": str(machine / "named")})

    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://h/simple", True),
        ("file:///srv/simple", True),
        ("http://localhost:80/simple", True),
        ("http://[::1]/simple", True),
        ("http://trusted/simple", True),
        ("http://ported:81/simple", True),
        ("http://ported/simple", False),
        ("http://h/simple", False),
    ],
)
def test_index_must_be_encrypted_or_trusted(url: str, expected: bool) -> None:
    """As pip has it."""
    assert expected == PipConfiguration(trusted_hosts=("trusted", "ported:81")).allows(url)


def test_shown_url_has_no_credentials() -> None:
    """Nor a query, which may be one."""
    assert "https://h:1/simple" == without_credentials("https://u:p@w@h:1/simple?token=t#f")
