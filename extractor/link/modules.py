"""Which file is which module, and which file an import reaches."""

from __future__ import annotations

from collections.abc import Iterable
from posixpath import dirname

# Folders that hold packages without being one, as packaging guides lay projects out.
_SOURCE_FOLDERS = frozenset({"src", "lib", "python"})


class Modules:
    """The modules of a tree, by path and by name.

    A module's name starts at its project's root: the nearest folder above with a project file, or the tree's root;
    there a `src` folder that is no package is left out.
    """

    def __init__(self, paths: Iterable[str], projects: Iterable[str]) -> None:
        self._paths = frozenset(paths)
        self._projects = frozenset(projects) | {""}
        self._names: dict[str, str] = {}
        self._by_name: dict[str, str] = {}
        # Of a package and a module of one name Python takes the package.
        for path in sorted(self._paths, key=lambda path: (not path.endswith("/__init__.py"), path)):
            self._by_name.setdefault(self.name(path), path)

    def name(self, path: str) -> str:
        """Return the dotted name of the module in a file."""
        name = self._names.get(path)
        if name is None:
            name = self._names[path] = self._named(path)
        return name

    def _named(self, path: str) -> str:
        root = self._root(path)
        parts = path[len(root) :].lstrip("/").removesuffix(".py").split("/")
        if len(parts) > 1 and parts[0] in _SOURCE_FOLDERS and not self._is_package(f"{root}/{parts[0]}".lstrip("/")):
            parts = parts[1:]
        if parts[-1] == "__init__" and len(parts) > 1:
            parts = parts[:-1]
        return ".".join(parts)

    def _root(self, path: str) -> str:
        folder = dirname(path)
        while folder not in self._projects or (folder and self._is_package(folder)):
            if not folder:
                break
            folder = dirname(folder)
        return folder

    def _is_package(self, folder: str) -> bool:
        return f"{folder}/__init__.py".lstrip("/") in self._paths

    def find(self, name: str, importer: str) -> str | None:
        """Return the file that an absolute import of a module reaches from another file, None if it leaves the tree."""
        found = self._by_name.get(name)
        if found is not None:
            return found
        # A script finds what stands beside it, and a project that is part of a tree finds what is in it.
        folder = dirname(importer)
        relative = name.replace(".", "/")
        while True:
            # Modules in a package do not find their neighbours by a bare name.
            found = None if self._is_package(folder) else self._file(f"{folder}/{relative}".lstrip("/"))
            if found is not None or not folder:
                return found
            folder = dirname(folder)

    def find_relative(self, name: str, importer: str) -> tuple[str | None, str]:
        """Return the file that a relative import reaches, and the absolute name it stands for.

        Args:
            name: As written, with its leading dots: ".errors", "..", ".".
            importer: The file of the import.

        """
        rest = name.lstrip(".")
        folder = dirname(importer)
        for _ in range(len(name) - len(rest) - 1):
            folder = dirname(folder)
        place = "/".join(part for part in (folder, rest.replace(".", "/")) if part)
        found = self._file(place)
        return found, self.name(found) if found is not None else place.replace("/", ".")

    def submodule(self, package: str, name: str) -> str | None:
        """Return the file of a module inside the package of an `__init__.py`."""
        return self._file(f"{dirname(package)}/{name}".lstrip("/")) if package.endswith("__init__.py") else None

    def _file(self, place: str) -> str | None:
        for path in (f"{place}/__init__.py" if place else "__init__.py", f"{place}.py"):
            if path in self._paths:
                return path
        return None
