"""A tree that is small to read and large enough that worker processes scan it."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.fixture_cases import ROOT as CASES

# More than `_WORTH_A_PROCESS`, in several chunks.
_COPIES = 20

_MODULE = '''\
"""Module {number}."""

from copies.module_{other} import Error{other}


class Error{number}(Error{other} if {number} % 7 == 0 else ValueError):
    def __init__(self, name, *, limit={number}):
        super().__init__(f"module {number} takes no {{name!r}} over {{limit:>4}}")


def check_{number}(value, names):
    if value is None:
        return None
    for name in names:
        if name.startswith("_"):
            continue
        if value > {number}:
            raise Error{number}(name)
        try:
            text = "no %s in %d" % (name, {number})
            raise KeyError(text) from None
        except KeyError as error:
            raise Error{other}(name, limit=value) from error
    raise ValueError("none of " + repr(names) + " fits {number}")

'''
_FILLER = "TEXT = '''\\\n" + "raise nothing here, please\n" * 3_500 + "'''\n"


def write_tree(folder: Path) -> Path:
    """Write the tree: every fixture, generated modules that import one another, and files that cannot be read well."""
    shutil.copytree(CASES, folder / "cases", ignore=shutil.ignore_patterns("*.json"))
    copies = folder / "copies"
    copies.mkdir()
    for number in range(_COPIES):
        other = (number + 1) % _COPIES
        text = _MODULE.format(number=number, other=other) + _FILLER
        (copies / f"module_{number}.py").write_text(text, "utf-8")
    (copies / "__init__.py").write_bytes(b"")
    (folder / "latin.py").write_bytes(b"# coding: latin-1\nraise ValueError('caf\xe9')\n")
    (folder / "undecodable.py").write_bytes(b"raise ValueError('caf\xe9')\n")
    (folder / "broken.py").write_bytes(b"def good():\n    raise ValueError('kept')\n\ndef bad(:\n    raise TypeError\n")
    (folder / "windows.py").write_bytes(b"\xef\xbb\xbfif x:\r\n    raise OSError(1, 'one')\r\n")
    (folder / "pyproject.toml").write_bytes(b'[project]\nname = "tree"\nversion = "1"\n')
    return folder
