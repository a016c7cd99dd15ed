"""Where pip is configured to get releases from: its environment variables and configuration files."""

from __future__ import annotations

import configparser
import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from extractor.errors import PipConfigurationError

# pip reads [global] and the section of its command, which wins; what we do is nearest to `pip download`.
_SECTIONS = ("global", "install", "download")
_TRUE, _FALSE = ("y", "yes", "t", "true", "on", "1"), ("n", "no", "f", "false", "off", "0", "")
_DEFAULT_TIMEOUT = 15.0
_LOCAL_HOSTS = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True, slots=True)
class PipConfiguration:
    """What pip would use to get a release.

    `index_url` is None where nothing is configured and the default index is meant.
    """

    index_url: str | None = None
    extra_index_urls: tuple[str, ...] = ()
    no_index: bool = False
    trusted_hosts: tuple[str, ...] = ()
    cert: str | None = None
    client_cert: str | None = None
    proxy: str | None = None
    timeout: float = _DEFAULT_TIMEOUT

    def trusts(self, url: str) -> bool:
        """Return whether this host was declared trusted, so that its certificate is not checked."""
        parts = urlsplit(url)
        return bool({parts.hostname, f"{parts.hostname}:{parts.port}"} & set(self.trusted_hosts))

    def allows(self, url: str) -> bool:
        """Return whether an index may be read: over https, from this machine, or from a trusted host."""
        parts = urlsplit(url)
        return parts.scheme in ("https", "file") or parts.hostname in _LOCAL_HOSTS or self.trusts(url)


def read_pip_configuration(environment: Mapping[str, str] | None = None) -> PipConfiguration:
    """Read pip's configuration as `pip download` would: environment variables before files, later files before earlier.

    Raises:
        PipConfigurationError: A file or a value cannot be understood.

    """
    variables = os.environ if environment is None else environment
    values = _read_files(variables)
    for name, value in variables.items():
        if name.startswith("PIP_") and value:
            values[_normalized(name.removeprefix("PIP_"))] = value
    return PipConfiguration(
        index_url=next(iter(_addresses(values, "index-url") or _addresses(values, "pypi-url")), None),
        extra_index_urls=_addresses(values, "extra-index-url"),
        no_index=_truth("no-index", values.get("no-index", "")),
        trusted_hosts=tuple(values.get("trusted-host", "").split()),
        cert=values.get("cert"),
        client_cert=values.get("client-cert"),
        proxy=values.get("proxy"),
        timeout=_seconds(values.get("timeout") or values.get("default-timeout") or str(_DEFAULT_TIMEOUT)),
    )


def without_credentials(url: str) -> str:
    """Return a URL that may be shown."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def _read_files(variables: Mapping[str, str]) -> dict[str, str]:
    named = variables.get("PIP_CONFIG_FILE")
    if named == os.devnull:
        return {}
    sections: dict[str, dict[str, str]] = {section: {} for section in _SECTIONS}
    for file in _configuration_files(named):
        parser = _parsed(file)
        for section in parser.sections():
            if section in sections:
                sections[section].update((_normalized(key), value) for key, value in parser.items(section))
    return {key: value for section in _SECTIONS for key, value in sections[section].items()}


def _configuration_files(named: str | None) -> list[str]:
    name = "pip.ini" if sys.platform == "win32" else "pip.conf"
    folders = _system_folders()
    if not (named and os.path.exists(named)):
        folders += _user_folders()
    files = [os.path.join(folder, name) for folder in (*folders, sys.prefix)]
    return [*files, named] if named else files


def _system_folders() -> list[str]:
    from platformdirs import site_config_dir, site_data_dir

    if sys.platform == "darwin":
        return site_data_dir("pip", appauthor=False, multipath=True).split(os.pathsep)
    if sys.platform == "win32":
        return [site_config_dir("pip", appauthor=False)]
    return [*site_config_dir("pip", appauthor=False, multipath=True).split(os.pathsep), "/etc"]


def _user_folders() -> list[str]:
    from platformdirs import user_config_dir, user_data_dir

    home = os.path.expanduser("~")
    legacy = os.path.join(home, "pip" if sys.platform == "win32" else ".pip")
    if sys.platform != "darwin":
        return [legacy, user_config_dir("pip", appauthor=False, roaming=True)]
    support = user_data_dir("pip", appauthor=False)
    return [legacy, support if os.path.isdir(support) else os.path.join(home, ".config", "pip")]


def _parsed(file: str) -> configparser.RawConfigParser:
    parser = configparser.RawConfigParser()
    try:
        with open(file, encoding="utf-8") as opened:
            parser.read_file(opened)
    except (FileNotFoundError, NotADirectoryError, PermissionError, IsADirectoryError):
        return configparser.RawConfigParser()  # pip goes on without it as well
    except (configparser.Error, UnicodeDecodeError, OSError) as error:
        # The text of a parser's error quotes the line, and lines hold passwords.
        raise PipConfigurationError(file, type(error).__name__) from error
    return parser


def _addresses(values: Mapping[str, str], key: str) -> tuple[str, ...]:
    urls = tuple(values.get(key, "").split())
    for url in urls:
        try:
            parts = urlsplit(url)
            usable = parts.scheme == "file" or (parts.scheme in ("https", "http") and bool(parts.hostname))
            usable = usable and parts.port != 0
        except ValueError:
            usable = False
        if not usable:
            raise PipConfigurationError(key, "it is no address")
    return urls


def _normalized(key: str) -> str:
    return key.lower().replace("_", "-").removeprefix("--")


def _truth(key: str, value: str) -> bool:
    if value.lower() in _TRUE:
        return True
    if value.lower() in _FALSE:
        return False
    raise PipConfigurationError(key, "it is neither true nor false")


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError as error:
        raise PipConfigurationError("timeout", "it is no number of seconds") from error
    if not 0 < seconds < 1_000_000:
        raise PipConfigurationError("timeout", "it is no number of seconds")
    return seconds
