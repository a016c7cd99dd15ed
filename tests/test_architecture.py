"""Imports go one way, heavy libraries stay in their corner, and no file knows the machine that it was written on."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import extractor

ROOT = Path(__file__).parent.parent
PACKAGE = ROOT / "extractor"

# From top to bottom: a module imports only from layers below its own, and from its own package.
LAYERS: tuple[tuple[str, ...], ...] = (
    ("extractor.__main__",),
    ("extractor.cli",),
    ("extractor.history", "extractor.policy"),
    ("extractor.reports",),
    ("extractor.cataloging", "extractor.diff"),
    ("extractor.catalogs", "extractor.pipeline", "extractor.lookup", "extractor.validation"),
    ("extractor.batch", "extractor.projects"),
    ("extractor.scanning",),
    ("extractor.expected", "extractor.survey"),
    ("extractor.cache", "extractor.document", "extractor.executors"),
    ("extractor.corpus", "extractor.workers"),
    ("extractor.decoding", "extractor.summary"),
    ("extractor.link",),
    ("extractor.scan",),
    ("extractor.source",),
    ("extractor.formatting",),
    ("extractor.templates",),
    (
        "extractor.cluster",
        "extractor.collection",
        "extractor.contradictions",
        "extractor.facts",
        "extractor.folders",
        "extractor.packing",
        "extractor.printable",
        "extractor.quoting",
        "extractor.store",
        "extractor.timings",
        "extractor.tool",
    ),
    ("extractor.model", "extractor.policy_errors"),
    ("extractor.errors",),
)
# The public face, which imports lazily from everywhere and has only its version to offer to those below.
FACE = "extractor"

# Which modules may import a library, and only they do.
CORNERS = {
    "libcst": ("extractor.scan",),
    "tree_sitter": ("extractor.scan",),
    "tree_sitter_python": ("extractor.scan",),
    "networkx": ("extractor.link",),
    "orjson": ("extractor.corpus",),
    "jsonschema": ("extractor.validation",),
    "referencing": ("extractor.validation",),
    "click": ("extractor.cli",),
    "rich": ("extractor.cli",),
    "distributed": ("extractor.cluster",),
    "tarfile": ("extractor.source",),
    "zipfile": ("extractor.source",),
    "pypi_simple": ("extractor.source",),
    "requests": ("extractor.source",),
    "packaging": ("extractor.source",),
    "platformdirs": ("extractor.source", "extractor.folders"),
    "subprocess": ("extractor.source", "extractor.workers"),
    # Between us and workers, our own or of an executor, and in the cache, which unpickles our data classes alone.
    "pickle": ("extractor.packing", "extractor.workers", "extractor.executors", "extractor.cache"),
    "sqlite3": ("extractor.store",),
}
# Ways to run what was read, or to import the caller's main module again.
FORBIDDEN_MODULES = {"imp", "code", "codeop", "marshal", "multiprocessing", "runpy", "shelve", "socket", "urllib3"}
FORBIDDEN_CALLS = {"eval", "exec", "compile", "__import__", "breakpoint", "print", "input"}
LONGEST = 400
MOST_PUBLIC_NAMES = 14


@cache
def modules() -> dict[str, ast.Module]:
    """Return the syntax tree of every module of the package."""
    return {name_of(file): ast.parse(file.read_bytes()) for file in sorted(PACKAGE.rglob("*.py"))}


def name_of(file: Path) -> str:
    """Return the dotted name of a file's module."""
    parts = file.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@cache
def imports(module: str) -> frozenset[str]:
    """Return the modules that a module imports at any depth; of ours those that exist."""
    found = set()
    for node in ast.walk(modules()[module]):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relative to itself"
            assert node.module is not None
            members = {f"{node.module}.{alias.name}" for alias in node.names}
            found.update(members & set(modules()))
            # `from extractor import model` takes nothing from the package itself.
            if not members <= set(modules()):
                found.add(node.module)
    return frozenset(found)


def is_inside(module: str, package: str) -> bool:
    """Return whether a module is a package or in it."""
    return module == package or module.startswith(f"{package}.")


def layers_of(module: str) -> list[int]:
    """Return the layers that a module is in."""
    return [depth for depth, layer in enumerate(LAYERS) for name in layer if is_inside(module, name)]


def our_edges(module: str) -> Iterator[str]:
    """Yield which of our modules a module imports, without the face."""
    return (name for name in imports(module) if is_inside(name, FACE) and name != FACE)


ALL = sorted(modules())
LAYERED = [module for module in ALL if module != FACE]


@pytest.mark.parametrize("module", LAYERED)
def test_module_is_in_exactly_one_layer(module: str) -> None:
    assert 1 == len(layers_of(module))


@pytest.mark.parametrize("package", [name for layer in LAYERS for name in layer])
def test_layer_names_something_that_exists(package: str) -> None:
    assert package in modules()


@pytest.mark.parametrize("module", LAYERED)
def test_module_imports_from_below_or_its_own_package(module: str) -> None:
    (here,) = layers_of(module)
    own = ".".join(module.split(".")[:2])
    wrong = [
        name
        for name in our_edges(module)
        if not is_inside(name, own) and not any(depth > here for depth in layers_of(name))
    ]

    assert [] == wrong


def test_nothing_but_the_version_is_taken_from_the_face() -> None:
    """`import extractor` is lazy, so a module that took more from it would hide what it depends on."""
    taken = {
        (module, alias.name)
        for module in LAYERED
        for node in ast.walk(modules()[module])
        if isinstance(node, ast.ImportFrom) and node.module == FACE
        for alias in node.names
        if f"{FACE}.{alias.name}" not in modules()
    }

    assert {"__version__"} >= {name for _, name in taken}


def test_no_module_imports_itself_by_way_of_others() -> None:
    edges = {module: set(our_edges(module)) - {module} for module in LAYERED}
    # `import a.b` runs `a` first, but a package's face may name its own modules.
    while leaves := [module for module, targets in edges.items() if not targets & set(edges)]:
        for leaf in leaves:
            del edges[leaf]

    assert {"extractor.cli.completion", "extractor.cli.main"} >= edges.keys(), edges


def test_the_only_cycle_is_the_completion_script_of_the_whole_command_line() -> None:
    """It describes the group that it is a command of, and so asks for it when it runs, not when it is imported."""
    top = [node for node in modules()["extractor.cli.completion"].body if isinstance(node, ast.ImportFrom)]

    assert "extractor.cli.main" not in {node.module for node in top}


@pytest.mark.parametrize("library", CORNERS)
def test_library_stays_in_its_corner(library: str) -> None:
    users = {module for module in ALL if any(is_inside(name, library) for name in imports(module))}
    outside = {module for module in users if not any(is_inside(module, corner) for corner in CORNERS[library])}

    assert users
    assert set() == outside


@pytest.mark.parametrize("module", ALL)
def test_module_has_no_way_to_run_what_was_read(module: str) -> None:
    called = {
        node.func.id
        for node in ast.walk(modules()[module])
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    imported = {name.partition(".")[0] for name in imports(module)}

    assert set() == called & FORBIDDEN_CALLS
    assert set() == imported & FORBIDDEN_MODULES


@pytest.mark.parametrize("module", ALL)
def test_module_imports_by_name_only_what_its_source_says(module: str) -> None:
    """A module's name that came out of analysed code would run it."""
    asked = [
        node.args[0]
        for node in ast.walk(modules()[module])
        if isinstance(node, ast.Call) and ast.unparse(node.func).endswith("import_module")
    ]
    # These look the name up in a table of their own.
    tables = {"extractor": ["_PLACES[name]"], "extractor.cli.main": ["place"]}

    assert tables.get(module, []) == [ast.unparse(name) for name in asked if not isinstance(name, ast.Constant)]


def _file(module: str) -> Path:
    path = ROOT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


@pytest.mark.parametrize("module", ALL)
def test_module_can_be_read_in_one_go(module: str) -> None:
    assert LONGEST >= len(_file(module).read_text("utf-8").splitlines())


def _undocumented(module: str) -> Iterator[str]:
    if not ast.get_docstring(modules()[module]):
        yield module
    pending: list[ast.Module | ast.ClassDef] = [modules()[module]]
    while pending:
        for node in pending.pop().body:
            if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                continue
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                pending.append(node)
            if not node.name.startswith("_") and not ast.get_docstring(node):
                yield node.name


@pytest.mark.parametrize("module", ALL)
def test_what_is_public_says_what_it_is(module: str) -> None:
    """LibCST gives the hooks of the visitor their names and their meaning."""
    hooks = ("visit_", "leave_", "on_") if module == "extractor.scan.visitor" else ()
    found = [name for name in _undocumented(module) if not (hooks and name.startswith(hooks))]

    assert [] == found


def test_public_names_are_few_and_there() -> None:
    assert len(extractor.__all__) <= MOST_PUBLIC_NAMES
    assert sorted(extractor.__all__) == list(extractor.__all__)
    assert set(extractor.__all__) == set(extractor._PLACES)
    assert [] == [name for name in extractor.__all__ if not getattr(extractor, name).__doc__]


def test_public_names_have_types() -> None:
    """What a type checker reads and what runs are the same."""
    (checked,) = [node for node in modules()[FACE].body if isinstance(node, ast.If)]
    named = {
        alias.name: node.module for node in checked.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }

    assert extractor._PLACES == named


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["extract", "--help"], ["show", "--help"]], ids=str)
def test_what_is_slow_to_import_is_not_imported_for_a_look(arguments: list[str]) -> None:
    slow = set("libcst networkx orjson rich tree_sitter requests jsonschema distributed multiprocessing".split())
    program = (
        "import sys; from extractor.cli.main import run; "
        f"code = run({arguments!r}); print(code, sorted({slow} & set(sys.modules)), file=sys.stderr)"
    )
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, cwd=ROOT)

    assert "0 []\n" == ended.stderr


def test_the_library_imports_nothing_until_it_is_used() -> None:
    program = "import sys, extractor; print(sorted(name for name in sys.modules if name.startswith('extractor.')))"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, cwd=ROOT)

    assert "[]\n" == ended.stdout


def _committed() -> list[Path]:
    """Return the files that are, or are about to be, in the repository."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    if not (ROOT / ".git").exists():
        pytest.skip("this is no git checkout, so which files are committed is not known")
    listed = subprocess.run(command, capture_output=True, check=True, cwd=ROOT).stdout
    return [file for name in listed.split(b"\0") if name and (file := ROOT / name.decode()).is_file()]


# Put together here, so that this file does not hold what it looks for.
_REGISTRIES = [b"pypi" + b".org", b"python" + b"hosted.org", b"pypi" + b".python.org"]
_FOLDERS = [b"/" + name + b"/" for name in (b"root", b"work", b"home", b"Users", b"workspace")]


@pytest.mark.parametrize("needle", [*_REGISTRIES, *_FOLDERS], ids=bytes.decode)
def test_no_committed_file_names(needle: bytes) -> None:
    """A registry is the operator's choice, and a folder of one machine means nothing on another."""
    # Behind the name of a host or folder it is only a part of an address (https://example.org/home/page).
    pattern = re.compile(rb"(?<![\w.])" + re.escape(needle))
    found = [str(file.relative_to(ROOT)) for file in _committed() if pattern.search(file.read_bytes())]

    assert [] == found


def test_make_and_continuous_integration_run_the_same_tests() -> None:
    """What passes here passes there."""
    assert "make test" in (ROOT / ".ci" / "run").read_text("utf-8")
