"""What tells this program from all others: of its own sources, and of what parses for it."""

from __future__ import annotations

import hashlib
from functools import cache
from importlib.metadata import version
from pathlib import Path

import extractor

_PARSERS = ("libcst", "tree-sitter", "tree-sitter-python")


@cache
def fingerprint() -> str:
    """Return a text that is the same only where a scan finds the same."""
    digest = hashlib.sha256(extractor.__version__.encode())
    # Between releases the sources change and the version does not.
    package = Path(extractor.__file__).parent
    for file in sorted(package.rglob("*.py")):
        digest.update(file.read_bytes())
    return f"{digest.hexdigest()} {description()}"


def description() -> str:
    """Return the versions that matter, for people."""
    return f"raisedex {extractor.__version__} ({', '.join(f'{name} {version(name)}' for name in _PARSERS)})"
