"""What a project says of itself: name, version, license and repository, from its metadata files."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from email.parser import HeaderParser
from typing import Any

from extractor.source.permalinks import find_forge, repository_url

METADATA_LIMIT = 4 * 1024 * 1024
"""The largest metadata file that is parsed, in bytes."""

# Labels as projects write them, compared without case and punctuation; the first group that has an address wins.
_REPOSITORY_LABELS = (
    ("source", "sourcecode", "repository", "code", "github", "gitlab", "repo"),
    ("homepage", "home"),
)
_NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_VERSION = re.compile(r"[A-Za-z0-9.!+_-]+")
_LONGEST = 100


@dataclass(frozen=True, slots=True)
class ProjectFacts:
    """What metadata states; None for what it does not."""

    name: str | None = None
    version: str | None = None
    license: str | None = None
    repository: str | None = None


def read_project(read: Callable[[str], bytes | None], core_metadata: str = "PKG-INFO") -> ProjectFacts:
    """Return the facts at the root of a project: what was built into its metadata first, then its pyproject.toml.

    Args:
        read: Returns the content of a file at the root, None where there is none.
        core_metadata: The path of the file in the core metadata format.

    """
    built, written = read(core_metadata), read("pyproject.toml")
    first = parse_core_metadata(built) if built is not None else ProjectFacts()
    second = parse_pyproject(written) if written is not None else ProjectFacts()
    return ProjectFacts(
        first.name or second.name,
        first.version or second.version,
        first.license or second.license,
        first.repository or second.repository,
    )


def parse_core_metadata(content: bytes) -> ProjectFacts:
    """Return the facts in a PKG-INFO or METADATA file."""
    if len(content) > METADATA_LIMIT:
        return ProjectFacts()
    headers = HeaderParser().parsestr(content.decode("utf-8", "replace"))
    urls = [tuple(map(str.strip, value.split(",", 1))) for value in headers.get_all("Project-URL", [])]
    labelled = [(pair[0], pair[1]) for pair in urls if len(pair) == 2]
    return ProjectFacts(
        _matching(_NAME, headers.get("Name")),
        _matching(_VERSION, headers.get("Version")),
        _short_line(headers.get("License-Expression")) or _short_line(headers.get("License")),
        _find_repository([*labelled, ("homepage", str(headers.get("Home-page", "")))]),
    )


def parse_pyproject(content: bytes) -> ProjectFacts:
    """Return the facts in a pyproject.toml; none where it is malformed."""
    if len(content) > METADATA_LIMIT:
        return ProjectFacts()
    try:
        project = tomllib.loads(content.decode("utf-8")).get("project")
    except (ValueError, RecursionError):  # covers bad UTF-8 and bad TOML
        return ProjectFacts()
    if not isinstance(project, dict):
        return ProjectFacts()
    return ProjectFacts(
        _matching(_NAME, project.get("name")),
        _matching(_VERSION, project.get("version")),
        _short_line(_license_text(project.get("license"))),
        _find_repository(_string_pairs(project.get("urls"))),
    )


def _license_text(value: Any) -> Any:
    return value.get("text") if isinstance(value, dict) else value


def _string_pairs(value: Any) -> list[tuple[str, str]]:
    if not isinstance(value, dict):
        return []
    return [(label, url) for label, url in value.items() if isinstance(url, str)]


def _matching(pattern: re.Pattern[str], value: Any) -> str | None:
    text = value.strip() if isinstance(value, str) else ""
    return text if len(text) <= _LONGEST and pattern.fullmatch(text) else None


def _short_line(value: Any) -> str | None:
    # A license file pasted into the field is no name of a license; "UNKNOWN" is what old tools write for none.
    text = value.strip() if isinstance(value, str) else ""
    return text if 0 < len(text) <= _LONGEST and text.isprintable() and text != "UNKNOWN" else None


def _find_repository(urls: Iterable[tuple[str, str]]) -> str | None:
    known = [(re.sub(r"[^a-z]", "", label.lower()), address) for label, url in urls if (address := _forge_address(url))]
    for labels in _REPOSITORY_LABELS:
        for label, address in known:
            if label in labels:
                return address
    return known[0][1] if known else None


def _forge_address(url: str) -> str | None:
    # Only a known forge: a home page elsewhere is no repository.
    address = repository_url(url)
    return address if address is not None and find_forge(address) else None
