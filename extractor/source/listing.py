"""Which files of a tree are listed: the rules that every kind of source shares."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from extractor.model import Diagnostic
from extractor.source.selection import Selection

FILE_LIMIT = 16 * 1024 * 1024
"""The largest `.py` file that is read, in bytes. Real ones stay below 4 MB; what is larger is data."""

VENV_MARKER = "pyvenv.cfg"
PROJECT_FILES = frozenset({"pyproject.toml", "setup.py", "setup.cfg"})
SKIPPED_FOLDERS = frozenset(
    {".git", ".hg", ".svn", ".bzr", ".jj", ".sl", ".pijul", ".fossil", "_darcs", "CVS", "node_modules", "__pycache__"}
)

_REFUSALS = {
    "symlink": "symbolic links are not followed",
    "hard-link": "hard links in archives are not followed",
    "submodule": "submodules are not read; read its own repository",
    "special-file": "neither a file nor a folder",
    "encrypted-member": "encrypted members are not read",
    "unsafe-path": "absolute, outside of the archive, or not portable",
}


CandidateKind = Literal[
    "file",
    "symlink",
    "hard-link",
    "submodule",
    "special-file",
    "encrypted-member",
    "unsafe-path",
]


@dataclass(frozen=True, slots=True)
class Candidate:
    """Something that a source holds and that may be listed.

    `kind` is "file" or the code of the diagnostic that refuses it; `size` is None where it is not known yet.
    """

    path: str
    kind: CandidateKind = "file"
    size: int | None = None
    blob: str | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    """The `.py` files of a tree by path, the folders that hold a project, and what was refused."""

    files: tuple[Candidate, ...]
    projects: frozenset[str]
    diagnostics: tuple[Diagnostic, ...]


def list_files(candidates: Iterable[Candidate], selection: Selection) -> Listing:
    """Choose what is read from what a source holds."""
    offered = tuple(candidates)
    environments = {folder_of(offer.path) for offer in offered if name_of(offer.path) == VENV_MARKER} - {""}
    kept = [offer for offer in offered if not _is_in_skipped_folder(offer.path, environments)]
    wanted = [offer for offer in kept if _is_wanted(offer, selection)]
    refused = [diagnostic for offer in wanted if (diagnostic := refusal(offer)) is not None]
    return Listing(
        tuple(sorted((offer for offer in wanted if refusal(offer) is None), key=lambda offer: offer.path)),
        frozenset(folder_of(offer.path) for offer in kept if is_project_file(offer)),
        sorted_diagnostics(refused),
    )


def refusal(candidate: Candidate) -> Diagnostic | None:
    """Return why this candidate is not read, None if it is."""
    if candidate.kind != "file":
        return Diagnostic(candidate.path, None, candidate.kind, _REFUSALS[candidate.kind])
    if candidate.size is not None and candidate.size > FILE_LIMIT:
        return too_large(candidate.path)
    return None


def too_large(path: str) -> Diagnostic:
    """Return the diagnostic for a file beyond `FILE_LIMIT`."""
    return Diagnostic(path, None, "too-large", f"larger than {FILE_LIMIT // 1024 // 1024} MiB")


def sorted_diagnostics(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Return the diagnostics in the order of their paths, then of their codes."""
    return tuple(sorted(diagnostics, key=lambda found: (found.path, found.code, found.message)))


def is_python(path: str) -> bool:
    """Return whether the name is one of a Python source file."""
    return path.endswith(".py")


def is_project_file(candidate: Candidate) -> bool:
    """Return whether this file makes its folder the root of a project."""
    return candidate.kind == "file" and name_of(candidate.path) in PROJECT_FILES


def folder_of(path: str) -> str:
    """Return the folder part of a path, "" at the root."""
    return path.rpartition("/")[0]


def name_of(path: str) -> str:
    """Return the last part of a path."""
    return path.rpartition("/")[2]


def _is_wanted(candidate: Candidate, selection: Selection) -> bool:
    # A submodule is a folder: no pattern can include it, because what it holds is not known.
    if candidate.kind in ("submodule", "unsafe-path"):
        return not selection.excludes(candidate.path)
    if candidate.kind == "symlink" and "." not in name_of(candidate.path):
        # It may lead to a package folder; those have no dot in their names.
        return not selection.excludes(candidate.path)
    return is_python(candidate.path) and selection.accepts(candidate.path)


def _is_in_skipped_folder(path: str, environments: set[str]) -> bool:
    parts = path.split("/")[:-1]
    if not SKIPPED_FOLDERS.isdisjoint(parts):
        return True
    return bool(environments) and any("/".join(parts[:end]) in environments for end in range(1, len(parts) + 1))
