"""Web addresses of repositories and of lines."""

from __future__ import annotations

import pytest

from extractor.source.permalinks import named_repository, permalink, repository_url

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.mark.parametrize(
    ("repository", "first", "last", "expected"),
    [
        ("https://github.com/o/n", 1055, 1058, f"https://github.com/o/n/blob/{COMMIT}/a/b.py#L1055-L1058"),
        ("https://github.com/o/n", 5, 5, f"https://github.com/o/n/blob/{COMMIT}/a/b.py#L5"),
        ("https://gitlab.com/g/s/n", 5, 8, f"https://gitlab.com/g/s/n/-/blob/{COMMIT}/a/b.py#L5-8"),
        ("https://gitlab.example.org:8443/g/n", 5, 5, f"https://gitlab.example.org:8443/g/n/-/blob/{COMMIT}/a/b.py#L5"),
        ("https://bitbucket.org/o/n", 5, 8, f"https://bitbucket.org/o/n/src/{COMMIT}/a/b.py#lines-5:8"),
        ("https://bitbucket.org/o/n", 5, 5, f"https://bitbucket.org/o/n/src/{COMMIT}/a/b.py#lines-5"),
        ("https://codeberg.org/o/n", 5, 8, f"https://codeberg.org/o/n/src/commit/{COMMIT}/a/b.py#L5-L8"),
        ("https://gitea.example.org/o/n", 5, 5, f"https://gitea.example.org/o/n/src/commit/{COMMIT}/a/b.py#L5"),
        (
            "https://my-forgejo.example.org/o/n",
            5,
            5,
            f"https://my-forgejo.example.org/o/n/src/commit/{COMMIT}/a/b.py#L5",
        ),
        (
            "https://dev.azure.com/o/p/_git/n",
            5,
            8,
            f"https://dev.azure.com/o/p/_git/n?path=/a/b.py&version=GC{COMMIT}"
            "&line=5&lineEnd=9&lineStartColumn=1&lineEndColumn=1&lineStyle=plain",
        ),
        ("https://git.example.org/o/n", 5, 8, None),  # nothing says what runs there
        ("https://github.com/o/n/tree/main", 5, 8, None),  # no repository's address
        ("javascript://github.com/o/n", 5, 8, None),
        (None, 5, 8, None),
    ],
)
def test_permalink_has_the_form_of_its_forge(
    repository: str | None, first: int, last: int, expected: str | None
) -> None:
    """Each forge gets its own form; an unknown one gets no link rather than a wrong one."""
    assert expected == permalink(repository, COMMIT, "a/b.py", first, last)


@pytest.mark.parametrize("commit", [None, "main", COMMIT[:12], COMMIT.upper(), COMMIT + "\n"])
def test_permalink_needs_a_whole_commit(commit: str | None) -> None:
    """A branch or a short hash can come to mean something else."""
    assert permalink("https://github.com/o/n", commit, "a.py", 1, 1) is None


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a b/#1?.py", "a%20b/%231%3F.py"),
        ("é.py", "%C3%A9.py"),
        ("\udcff.py", "%FF.py"),  # a name that is no UTF-8
        ("100%.py", "100%25.py"),
    ],
)
def test_permalink_encodes_the_bytes_of_the_path(path: str, expected: str) -> None:
    """What a path holds cannot change the meaning of the link."""
    assert f"https://github.com/o/n/blob/{COMMIT}/{expected}#L1" == permalink(
        "https://github.com/o/n", COMMIT, path, 1, 1
    )


@pytest.mark.parametrize(
    ("remote", "expected"),
    [
        ("git@github.com:o/n.git", "https://github.com/o/n"),
        ("github.com:o/n", "https://github.com/o/n"),
        ("ssh://git@github.com:22/o/n.git", "https://github.com/o/n"),
        ("ssh://git@ssh.github.com:443/o/n.git", "https://github.com/o/n"),
        ("git://github.com/o/n", "https://github.com/o/n"),
        ("git+https://github.com/o/n.git", "https://github.com/o/n"),
        ("https://user:secret@github.com/o/n.git/", "https://github.com/o/n"),
        ("https://GitHub.com/o/n?token=secret#readme", "https://github.com/o/n"),
        ("http://www.github.com/o/n", "https://github.com/o/n"),
        ("https://github.com/o/n/tree/main/sub", "https://github.com/o/n"),
        ("https://gitlab.com/g/s/n/-/tree/main", "https://gitlab.com/g/s/n"),
        ("https://gitlab.example.org:8443/g/n.git", "https://gitlab.example.org:8443/g/n"),
        ("ssh://git@gitlab.example.org:2222/g/n.git", "https://gitlab.example.org/g/n"),
        ("git@ssh.dev.azure.com:v3/o/my project/n", "https://dev.azure.com/o/my%20project/_git/n"),
        ("https://o@dev.azure.com/o/p/_git/n", "https://dev.azure.com/o/p/_git/n"),
        ("https://o.visualstudio.com/p/_git/n", "https://o.visualstudio.com/p/_git/n"),
        ("https://git.example.org/n.git", "https://git.example.org/n"),
        ("/srv/git/n.git", None),
        ("../n", None),
        ("o/n", None),  # as a remote, this is a folder
        ("file:///srv/git/n.git", None),
        ("C:/git/n", None),
        ("C:\\git\\n", None),
        ("work:o/n", None),  # an alias in ssh's configuration: its host is not known
        ("javascript:alert(1)", None),
        ("javascript://github.com/%0aalert(1)", None),
        ("https://github.com/o/n\nhttps://evil.example/", None),
        ("https://github.com/o/\x1b[31mn", None),
        ('https://github.com/o/"><script>', None),
        ("https://github.com/../n", None),
        ("https://github.com/o", None),
        ("https://github.com:port/o/n", None),
        ("https://[::1/o/n", None),
        ("https:///o/n", None),
        ("", None),
        ("https://github.com/o/" + "n" * 3000, None),
    ],
)
def test_repository_url_is_a_clean_web_address_or_none(remote: str, expected: str | None) -> None:
    """Credentials, ports of ssh and suffixes go; what has no web address gets none."""
    assert expected == repository_url(remote)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("o/n.git", "https://github.com/o/n"),
        ("o/n", "https://github.com/o/n"),
        ("https://codeberg.org/o/n", "https://codeberg.org/o/n"),
        ("o", None),
        ("o/n/m", None),
        ("../n", None),
        ("o/..", None),
    ],
)
def test_a_named_repository_may_be_owner_and_name(text: str, expected: str | None) -> None:
    """OWNER/NAME means GitHub."""
    assert expected == named_repository(text)
