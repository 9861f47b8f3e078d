"""The changes since the main branch, and the tests closest to them.

A test module is close to a file if it imports it, directly or indirectly, or names it.
The closest run first, within a time budget.
"""

import ast
import subprocess
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import grimp

from tools.lanes import PURE, QUICK, ROOT, read_durations

_PACKAGES = ("ssdlab", "tests", "tools")
_BASES = ("origin/main", "main", "HEAD")
_UNKNOWN_S = 2.5  # a test module without a recorded duration
_ABOUT_PAGES = "tests.test_house"


@dataclass(frozen=True, kw_only=True)
class Change:
    """The files changed or added since a commit, relative to the checkout."""

    base: str
    files: tuple[Path, ...]

    @property
    def python(self) -> tuple[Path, ...]:
        """The Python files and notebooks, which ruff checks."""
        return tuple(f for f in self.files if f.suffix in {".py", ".pyi", ".ipynb"})


@dataclass(frozen=True, kw_only=True)
class Choice:
    """Test modules affected by a change, closest first: those to run, and others."""

    chosen: tuple[Path, ...]
    left: tuple[Path, ...]


def find_changes(root: Path = ROOT) -> Change:
    """Return the changes since this branch left main, including uncommitted ones."""
    bases = (_ask_git(root, "merge-base", "HEAD", name) for name in _BASES)
    base = next(filter(None, bases))[0]
    changed = _ask_git(root, "diff", "--name-only", "--diff-filter=d", base)
    added = _ask_git(root, "ls-files", "--others", "--exclude-standard")
    files = map(Path, sorted({*changed, *added}))
    return Change(base=base, files=tuple(f for f in files if (root / f).is_file()))


def _ask_git(root: Path, *words: str) -> list[str]:
    done = subprocess.run(
        ["git", *words], cwd=root, capture_output=True, text=True, check=False
    )
    return done.stdout.splitlines() if done.returncode == 0 else []


def touched_tests(change: Change, *, budget_s: float) -> Choice:
    """Choose the test modules affected by a change, within a time budget.

    Changed test modules are always chosen.
    """
    distances = _distances(change.files)
    durations = _durations()
    chosen: list[Path] = []
    left: list[Path] = []
    spent_s = 0.0
    for module, distance in sorted(distances.items(), key=lambda item: item[::-1]):
        if not module.rpartition(".")[2].startswith("test_"):
            continue
        spent_s += durations.get(module, _UNKNOWN_S)
        fits = distance == 0 or spent_s <= budget_s
        (chosen if fits else left).append(Path(*module.split(".")).with_suffix(".py"))
    return Choice(chosen=tuple(chosen), left=tuple(left))


def _durations() -> Mapping[str, float]:
    """Return the last recorded durations of test modules by name.

    Durations from `make quick` take precedence.
    """
    known: dict[str, float] = {}
    for lane in (PURE, QUICK):
        modules: dict[str, float] = {}
        for one in read_durations([lane]):
            name = one.test.partition("::")[0]
            modules[name] = modules.get(name, 0.0) + one.seconds
        known |= modules
    return known


def _distances(files: Collection[Path]) -> Mapping[str, int]:
    """Return the number of imports from each module to the nearest changed file."""
    importers = _importers()
    nearest = dict(_starts(files, importers))
    queue = deque(sorted(nearest, key=nearest.__getitem__))
    while queue:
        module = queue.popleft()
        for other in importers.get(module, ()):
            if other not in nearest:
                nearest[other] = nearest[module] + 1
                queue.append(other)
    return nearest


def _starts(
    files: Iterable[Path], modules: Collection[str]
) -> Iterator[tuple[str, int]]:
    """Yield the modules that a changed file is, affects as conftest, or is named in."""
    others = []
    for file in files:
        name = ".".join(file.with_suffix("").parts).removesuffix(".__init__")
        if file.name == "conftest.py":
            folder = name.removesuffix("conftest")
            yield from ((module, 1) for module in modules if module.startswith(folder))
        elif file.suffix in {".py", ".pyi"} and name in modules:
            yield name, 0
        else:
            others.append(file.name)
    if others:
        yield _ABOUT_PAGES, 1
        yield from ((module, 1) for module in _naming(others, modules))


def _naming(names: Sequence[str], modules: Collection[str]) -> Iterator[str]:
    """Yield the modules whose text contains one of the names."""
    for module in modules:
        path = ROOT.joinpath(*module.split(".")).with_suffix(".py")
        if path.is_file():
            text = path.read_text("utf-8")
            if any(name in text for name in names):
                yield module


def _importers() -> dict[str, set[str]]:
    """Return the importers of each module, including lazily loaded names."""
    graph = grimp.build_graph(*_PACKAGES, cache_dir=str(ROOT / "build/grimp"))
    importers = {
        module: set(graph.find_modules_that_directly_import(module))
        for module in graph.modules
    }
    for stub in (ROOT / "ssdlab").rglob("*.pyi"):
        package = ".".join(stub.relative_to(ROOT).parent.parts)
        loads = ".".join(stub.relative_to(ROOT).with_suffix("").parts)
        for node in ast.walk(ast.parse(stub.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                lazy = f"{package}.{node.module}" if node.level else node.module
                importers.setdefault(lazy, set()).add(loads.removesuffix(".__init__"))
    return importers
