"""Package indexes: which files they offer for a release, and their bytes. The only user of pypi-simple and requests."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import IO, TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit
from urllib.request import url2pathname

from extractor.errors import MissingExtraError, NoIndexError, UnreachableIndexError, UntrustedIndexError
from extractor.source.pip_configuration import PipConfiguration, without_credentials

if TYPE_CHECKING:
    from pypi_simple import DistributionPackage, ProjectPage
    from requests import RequestException, Session

DOWNLOAD_LIMIT = 2 * 1024**3
"""The largest archive that is downloaded, in bytes."""

_BLOCK = 1024 * 1024
_FILE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+!-]*")
_ALGORITHMS = {"sha512": 128, "sha384": 96, "sha256": 64}


@dataclass(frozen=True, slots=True)
class IndexFile:
    """One file that an index offers: `digest` is the strongest that the index states, as (algorithm, hex digits)."""

    name: str
    version: str
    is_wheel: bool
    url: str
    index: str
    digests: tuple[tuple[str, str], ...]

    @property
    def digest(self) -> tuple[str, str] | None:
        """The strongest digest that the index states: the name of its algorithm, and its hex digits."""
        return self.digests[0] if self.digests else None


def find_index_urls(configuration: PipConfiguration) -> tuple[str, ...]:
    """Return the indexes that pip would ask, the main one first.

    Raises:
        NoIndexError: Pip is configured to use none.
        MissingExtraError: pypi-simple is not installed.

    """
    if configuration.no_index:
        raise NoIndexError
    with _network_library():
        from pypi_simple import PYPI_SIMPLE_ENDPOINT
    return (configuration.index_url or PYPI_SIMPLE_ENDPOINT, *configuration.extra_index_urls)


def list_index_files(index: str, project: str, configuration: PipConfiguration) -> tuple[IndexFile, ...] | None:
    """Return the sdists and wheels that an index has of a project, None where it does not know the project.

    Raises:
        UntrustedIndexError: The index is neither encrypted nor trusted.
        UnreachableIndexError: It gave no usable answer.
        MissingExtraError: pypi-simple is not installed.

    """
    shown = without_credentials(index)
    if not configuration.allows(index):
        raise UntrustedIndexError(shown)
    with _network_library():
        import pypi_simple
        import requests
    try:
        page = _read_page(index, project, configuration)
        found = tuple(_index_file(package, index, project) for package in page.packages)
    except pypi_simple.NoSuchProjectError:
        return None
    except requests.RequestException as error:
        raise UnreachableIndexError(shown, _reason(error)) from error
    except OSError as error:
        raise UnreachableIndexError(shown, error.strerror or str(error)) from error
    except (ValueError, pypi_simple.UnsupportedRepoVersionError) as error:
        raise UnreachableIndexError(shown, "its page cannot be understood") from error
    return tuple(file for file in found if file is not None)


def download(file: IndexFile, target: IO[bytes], configuration: PipConfiguration) -> None:
    """Write the bytes of a file that an index offers to `target`; what they are is for the caller to check.

    Raises:
        UnreachableIndexError: They cannot be had, or are more than `DOWNLOAD_LIMIT`.
        MissingExtraError: pypi-simple is not installed.

    """
    shown = without_credentials(file.url)
    with _network_library():
        import requests
    try:
        received = 0
        for block in _blocks(file, configuration):
            received += len(block)
            if received > DOWNLOAD_LIMIT:
                raise UnreachableIndexError(shown, f"the file is larger than {DOWNLOAD_LIMIT // 1024**3} GiB")
            target.write(block)
    except requests.RequestException as error:
        raise UnreachableIndexError(shown, _reason(error)) from error


@contextmanager
def _network_library() -> Iterator[None]:
    try:
        yield
    except ModuleNotFoundError as error:
        raise MissingExtraError("releases") from error


def _read_page(index: str, project: str, configuration: PipConfiguration) -> ProjectPage:
    from pypi_simple import NoSuchProjectError, ProjectPage, PyPISimple

    if urlsplit(index).scheme != "file":
        with _session(index, configuration) as session:
            session.auth = _credentials(index)
            client = PyPISimple(without_credentials(index), session=session)
            return client.get_project_page(project, timeout=configuration.timeout)
    url = f"{index.rstrip('/')}/{_canonical(project)}/"
    try:
        with open(os.path.join(_local_path(url), "index.html"), "rb") as page:
            return ProjectPage.from_html(project, page.read(), url)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise NoSuchProjectError(project, url) from error


def _blocks(file: IndexFile, configuration: PipConfiguration) -> Iterator[bytes]:
    if urlsplit(file.url).scheme == "file":
        try:
            with open(_local_path(file.url), "rb") as local:
                yield from iter(partial(local.read, _BLOCK), b"")
        except OSError as error:
            raise UnreachableIndexError(file.url, error.strerror or type(error).__name__) from error
        return
    # Credentials of an index are for its own host only, not for wherever it keeps its files.
    own = urlsplit(file.url)[:2] == urlsplit(without_credentials(file.index))[:2]
    with _session(file.url, configuration) as session:
        session.auth = _credentials(file.index) if own else None
        # Otherwise a server may say that the archive's own compression is one of the transfer, and it would be undone.
        session.headers["Accept-Encoding"] = "identity"
        with session.get(file.url, stream=True, timeout=configuration.timeout) as response:
            response.raise_for_status()
            yield from response.iter_content(_BLOCK)


def _session(url: str, configuration: PipConfiguration) -> Session:
    from requests import Session

    session = Session()
    session.headers["User-Agent"] = "raisedex"
    session.verify = False if configuration.trusts(url) else configuration.cert or True
    session.cert = configuration.client_cert
    if configuration.proxy:
        session.proxies = {"http": configuration.proxy, "https": configuration.proxy}
    return session


def _credentials(url: str) -> tuple[str, str] | None:
    parts = urlsplit(url)
    return (unquote(parts.username), unquote(parts.password or "")) if parts.username else None


def _index_file(package: DistributionPackage, index: str, project: str) -> IndexFile | None:
    if package.version is None or package.project is None or _canonical(package.project) != _canonical(project):
        return None
    is_wheel = package.package_type == "wheel"
    if not _FILE_NAME.fullmatch(package.filename) or not (is_wheel or package.package_type == "sdist"):
        return None
    url = _without_user(package.url)
    # A page from elsewhere must not name files of this machine.
    if urlsplit(url).scheme not in ("https", "http") and urlsplit(url).scheme != urlsplit(index).scheme:
        return None
    return IndexFile(package.filename, package.version, is_wheel, url, index, _stated_digests(package.digests))


def _stated_digests(digests: dict[str, str]) -> tuple[tuple[str, str], ...]:
    stated = ((algorithm, digests.get(algorithm, "").lower(), length) for algorithm, length in _ALGORITHMS.items())
    return tuple((name, value) for name, value, length in stated if re.fullmatch(rf"[0-9a-f]{{{length}}}", value))


def _without_user(url: str) -> str:
    # Unlike in `without_credentials`, a query stays: some indexes sign their addresses.
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, parts.query, ""))


def _canonical(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _local_path(url: str) -> str:
    return url2pathname(urlsplit(url).path)


def _reason(error: RequestException) -> str:
    # The text of these errors repeats the whole address, and may hold its credentials.
    if error.response is not None:
        return f"status {error.response.status_code}"
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", type(error).__name__).lower()
