"""Real git repositories, archives and a small package index for the tests of sources."""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import tarfile
import threading
import zipfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from extractor.model import Diagnostic
from extractor.source.tree import Tree

Files = Mapping[str, str | bytes]


@pytest.fixture(autouse=True)
def isolated_environment(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep configuration of this machine out, and ours off it."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        if name.startswith(("GIT_", "PIP_")) or name.lower().endswith("_proxy"):
            monkeypatch.delenv(name)
    for name, value in {
        "HOME": home,
        "XDG_CONFIG_HOME": home / "config",
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": os.devnull,
        "PIP_CONFIG_FILE": os.devnull,
        "RAISEDEX_CACHE_DIR": home / "cache",
        "GIT_CEILING_DIRECTORIES": home.parent,
    }.items():
        monkeypatch.setenv(name, str(value))


@pytest.fixture
def write_files() -> Callable[[Path, Files], Path]:
    """Return a function that writes files below a folder."""

    def write(folder: Path, files: Files) -> Path:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            file = folder / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)
        return folder

    return write


@pytest.fixture
def git() -> Callable[..., str]:
    """Return a function that runs git in a folder and returns what it prints."""

    def run(folder: Path, *arguments: str) -> str:
        identity = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "protocol.file.allow=always")
        dates = {"GIT_AUTHOR_DATE": "2026-01-02T03:04:05+02:00", "GIT_COMMITTER_DATE": "2026-01-02T03:04:05+02:00"}
        command = ["git", *identity, "-C", str(folder), *arguments]
        return subprocess.run(
            command, check=True, capture_output=True, text=True, env=os.environ | dates
        ).stdout.strip()

    return run


@pytest.fixture
def make_repository(write_files: Callable[[Path, Files], Path], git: Callable[..., str]) -> Callable[..., Path]:
    """Return a function that makes a git repository with one commit of the given files."""

    def make(folder: Path, files: Files, *options: str) -> Path:
        write_files(folder, files)
        git(folder, "init", "--quiet", "--initial-branch=main", *options)
        git(folder, "add", "--all", "--force")
        git(folder, "commit", "--quiet", "--message=first")
        return folder

    return make


@pytest.fixture
def read_all() -> Callable[[Tree], dict[str, bytes | str]]:
    """Return a function that reads a tree: path to bytes, or to the code of the diagnostic."""

    def read(tree: Tree) -> dict[str, bytes | str]:
        answers = tree.read(tree.entries)
        return {entry.path: found.code if isinstance(found, Diagnostic) else found for entry, found in answers}

    return read


@pytest.fixture
def make_tar() -> Callable[..., Path]:
    """Return a function that writes a tar archive of files and of ready-made members."""

    def make(file: Path, files: Files, *members: tarfile.TarInfo) -> Path:
        compression = file.name.rpartition(".")[2]
        mode = f"w:{compression}" if compression in ("gz", "bz2", "xz") else "w:gz" if compression == "tgz" else "w"
        with tarfile.open(file, mode) as archive:  # type: ignore[call-overload]
            for name, content in files.items():
                raw = content.encode() if isinstance(content, str) else content
                member = tarfile.TarInfo(name)
                member.size = len(raw)
                archive.addfile(member, io.BytesIO(raw))
            for member in members:
                archive.addfile(member)
        return file

    return make


@pytest.fixture
def make_zip() -> Callable[..., Path]:
    """Return a function that writes a zip archive of files and of ready-made members."""

    def make(file: Path, files: Files, *members: tuple[zipfile.ZipInfo, bytes]) -> Path:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(name, content)
            for member, content in members:
                archive.writestr(member, content)
        return file

    return make


class Index:
    """A package index in a folder, which a server on this machine shows."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.url, self.requests = folder, "", list[tuple[str, str | None]]()

    def add(self, project: str, file: Path, *, digest: str | None = "sha256", attributes: str = "") -> str:
        """Offer a file, and return its SHA-256."""
        content = file.read_bytes()
        page = self.folder / "simple" / project / "index.html"
        page.parent.mkdir(parents=True, exist_ok=True)
        (self.folder / "files").mkdir(exist_ok=True)
        (self.folder / "files" / file.name).write_bytes(content)
        fragment = f"#{digest}={hashlib.new(digest, content).hexdigest()}" if digest else ""
        with page.open("a") as opened:
            opened.write(f'<a href="../../files/{file.name}{fragment}" {attributes}>{file.name}</a><br>\n')
        return hashlib.sha256(content).hexdigest()


@pytest.fixture
def index(tmp_path: Path) -> Iterator[Index]:
    """Serve an empty package index."""
    made = Index(tmp_path / "index")
    (made.folder / "simple").mkdir(parents=True)

    class Handler(SimpleHTTPRequestHandler):
        def do_GET(self) -> None:
            made.requests.append((self.path, self.headers.get("Authorization")))
            super().do_GET()

        def log_message(self, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(made.folder)))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    made.url = f"http://127.0.0.1:{server.server_port}/simple"
    yield made
    server.shutdown()
    thread.join()
    server.server_close()
