"""Web addresses of repositories and of lines in one commit: the table of the forges that we know."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import quote, urlsplit

_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_HOST = re.compile(r"[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")
_SEGMENT = re.compile(r"(?:[A-Za-z0-9._~!$&'()*+,;=@-]|%[0-9A-Fa-f]{2})+")
_SHORTHAND = re.compile(r"[A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+")
_SCP_LIKE = re.compile(r"(?:[^@/:\[\]]+@)?(?P<host>[A-Za-z0-9.-]+):(?P<path>[^:].*)")
_LONGEST = 2000

# Hosts where the same repositories are reached through ssh, and the host that shows them.
_SSH_HOSTS = {
    "ssh.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
    "vs-ssh.visualstudio.com": "dev.azure.com",
    "www.github.com": "github.com",
}


@dataclass(frozen=True, slots=True)
class Forge:
    """One kind of web site for repositories.

    `hosts` are its hosts, `word` is what the name of a self-hosted one contains. `root` cuts the segments of a path to
    those that name the repository, None where they name none. `link` makes the part behind the repository's address.
    """

    hosts: tuple[str, ...]
    word: str | None
    root: Callable[[tuple[str, ...]], tuple[str, ...] | None]
    link: Callable[[str, str, int, int], str]


def _first_two(segments: tuple[str, ...]) -> tuple[str, ...] | None:
    return segments[:2] if len(segments) >= 2 else None


def _before_dash(segments: tuple[str, ...]) -> tuple[str, ...] | None:
    groups = segments[: segments.index("-")] if "-" in segments else segments
    return groups if len(groups) >= 2 else None


def _through_git(segments: tuple[str, ...]) -> tuple[str, ...] | None:
    if segments[:1] == ("v3",) and len(segments) == 4:  # the ssh form: v3/organization/project/name
        return (*segments[1:3], "_git", segments[3])
    if "_git" not in segments[1:-1]:
        return None
    return segments[: segments.index("_git", 1) + 2]


def _github_link(commit: str, path: str, first: int, last: int) -> str:
    return f"/blob/{commit}/{path}#L{first}" + (f"-L{last}" if last > first else "")


def _gitlab_link(commit: str, path: str, first: int, last: int) -> str:
    return f"/-/blob/{commit}/{path}#L{first}" + (f"-{last}" if last > first else "")


def _bitbucket_link(commit: str, path: str, first: int, last: int) -> str:
    return f"/src/{commit}/{path}#lines-{first}" + (f":{last}" if last > first else "")


def _gitea_link(commit: str, path: str, first: int, last: int) -> str:
    return f"/src/commit/{commit}/{path}#L{first}" + (f"-L{last}" if last > first else "")


def _azure_link(commit: str, path: str, first: int, last: int) -> str:
    # The marked text ends before column 1 of `lineEnd`, so that line is the one after the last.
    lines = f"line={first}&lineEnd={last + 1}&lineStartColumn=1&lineEndColumn=1&lineStyle=plain"
    return f"?path=/{path}&version=GC{commit}&{lines}"


FORGES = (
    Forge(("github.com",), None, _first_two, _github_link),
    Forge(("gitlab.com",), "gitlab", _before_dash, _gitlab_link),
    Forge(("bitbucket.org",), None, _first_two, _bitbucket_link),
    Forge(("codeberg.org", "gitea.com"), "gitea", _first_two, _gitea_link),
    Forge((), "forgejo", _first_two, _gitea_link),
    Forge(("dev.azure.com",), None, _through_git, _azure_link),
    Forge((), ".visualstudio.com", _through_git, _azure_link),
)


def find_forge(repository: str) -> Forge | None:
    """Return the forge that shows this web address, None where its host is not known."""
    host = urlsplit(repository).hostname or ""
    for forge in FORGES:
        if host in forge.hosts:
            return forge
    return next((forge for forge in FORGES if forge.word and forge.word in host), None)


def permalink(repository: str | None, commit: str | None, path: str, first_line: int, last_line: int) -> str | None:
    """Return the address of lines of a file in one commit, None where the forge or the commit is not known.

    Args:
        repository: The web address, as `repository_url` returns it.
        path: The file's path from the repository's root; bytes of it that are no UTF-8 are surrogate-escaped.

    """
    if repository is None or commit is None or not _COMMIT.fullmatch(commit):
        return None
    forge = find_forge(repository)
    if forge is None or repository_url(repository) != repository:
        return None
    encoded = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return repository + forge.link(commit, encoded, first_line, last_line)


def repository_url(remote: str) -> str | None:
    """Return the web address of a git remote without credentials, None where it has none (a local path)."""
    text = remote.strip(" ")
    if len(text) > _LONGEST or not text.isprintable() or "\\" in text:
        return None
    if "://" in text:
        return _from_url(text.removeprefix("git+"))
    scp_like = _SCP_LIKE.fullmatch(text)
    # A host without a dot is an alias in ssh's or git's configuration, or a drive letter.
    if scp_like is None or "." not in scp_like["host"]:
        return None
    return _web_address("https", scp_like["host"], scp_like["path"])


def named_repository(text: str) -> str | None:
    """Return the web address for OWNER/NAME, which means GitHub, or for an address, None if it is neither."""
    if _SHORTHAND.fullmatch(text):
        return _web_address("https", "github.com", text)
    return repository_url(text)


def _from_url(url: str) -> str | None:
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if host is None:
        return None
    if parts.scheme in ("ssh", "git", "git+ssh"):
        return _web_address("https", host, parts.path)
    if parts.scheme == "https":
        return _web_address("https", host, parts.path, port if port != 443 else None)
    if parts.scheme == "http":
        # A web site without encryption is kept only where its port says that there is no other.
        return _web_address("https" if port in (None, 80) else "http", host, parts.path, port if port != 80 else None)
    return None


def _web_address(scheme: str, host: str, path: str, port: int | None = None) -> str | None:
    host = _SSH_HOSTS.get(host.lower(), host.lower())
    segments = tuple(segment for segment in path.replace(" ", "%20").split("/") if segment)
    if not segments or not _HOST.fullmatch(host):
        return None
    segments = (*segments[:-1], segments[-1].removesuffix(".git"))
    if not all(_SEGMENT.fullmatch(segment) and segment not in (".", "..") for segment in segments):
        return None
    origin = f"{scheme}://{host}" + (f":{port}" if port is not None else "")
    forge = find_forge(origin)
    named = forge.root(segments) if forge else segments
    if named is None:
        return None
    return "/".join((origin, *named[:-1], named[-1].removesuffix(".git")))
