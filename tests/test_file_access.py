"""Modules that handle run folders open their files through `Folder` alone."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.paths import ROOT

PACKAGE = ROOT / "ssdlab"
HANDLES_RUNS = (
    "classes", "cli", "compare", "engine", "explorer", "fleet", "importers", "ingest",
    "paper", "report", "store", "streams", "targets", "testing", "virtual",
    "notebook.py", "fio/process.py", "fio/runner.py",
)  # fmt: skip
# Methods of Path that Folder has not, and functions that take the path of a file.
OF_PATH = {
    "chmod", "exists", "glob", "hardlink_to", "is_dir", "is_file", "is_symlink",
    "iterdir", "lstat", "mkdir", "read_bytes", "read_text", "readlink", "rglob",
    "rmdir", "stat", "symlink_to", "touch", "unlink", "write_bytes", "write_text",
}  # fmt: skip
OF_MODULES = {
    "os": {"chmod", "link", "listdir", "lstat", "makedirs", "mkdir", "open", "remove",
           "rename", "replace", "rmdir", "scandir", "stat", "symlink", "truncate",
           "unlink", "walk"},
    "shutil": {"copy", "copy2", "copyfile", "copytree", "move", "rmtree"},
    "tempfile": {"mkdtemp", "mkstemp", "NamedTemporaryFile"},
    "np": {"load", "save", "savez", "memmap", "fromfile", "loadtxt", "savetxt"},
    "pd": {"read_csv", "read_parquet", "read_json"},
    "gzip": {"open"},
}  # fmt: skip
# What opens other files than those of a run folder, and which.
ALLOWED: Mapping[str, str] = {
    "engine/ceiling.py": "a folder of its own for what is not kept",
    "engine/folders.py": "the run folder itself",
    "ingest/ingested.py": "no file: how much a step read",
    "engine/leftovers.py": "who owns the run folder itself",
    "engine/profiles.py": "the profile that the user named",
    "engine/suite.py": "who owns the run folder itself",
    "cli/following.py": "/dev/null",
    "cli/job_file.py": "templates beside the suite that the user named",
    "cli/monitor.py": "whether the folder of the metrics is there",
    "cli/quick.py": "the file that is measured",
    "cli/compare.py": "whether the folder of the page is there",
    "cli/execute.py": "the run folder itself, and those above it",
    "cli/group.py": "/dev/null",
    "cli/parse.py": "the table that the user named",
    "compare/folders.py": "what the user named as a run",
    "explorer/figure_widget.py": "a file of the package",
    "fio/process.py": "/proc",
    "importers/power.py": "the recorded power that the user named",
    "importers/published.py": "the report that the user named",
    "importers/sources.py": "foreign results that the user named",
    "importers/tkperf.py": "foreign results that the user named",
    "importers/write.py": "foreign results that the user named",
    "notebook.py": "notebooks of the package, and copies where the user named",
    "paper/html.py": "files of the package",
    "report/images.py": "the figure that the user named, and a page for the browser",
    "paper/notebook_page.py": "the notebook that the user named",
    "report/pdf.py": "a page for the browser",
    "streams/capture.py": "the capture that the user named",
    "store/catalog.py": "whether the folder of runs is there",
    "store/places.py": "which folder the user meant",
    "store/series_csv.py": "the table that the user named",
    "targets/file.py": "the file that is measured",
    "targets/held_file.py": "the file that is measured",
    "testing/replay.py": "outputs of fio in a folder that the user named",
    "testing/carry_out.py": "the folder of the new run itself",
    "virtual/build.py": "a library of the package",
    "virtual/counters.py": "a map of the counters that Folder opened",
    "virtual/process.py": "/proc",
    "virtual/server.py": "the socket folder",
}


def modules() -> list[Path]:
    found = []
    for name in HANDLES_RUNS:
        place = PACKAGE / name
        found += [place] if place.is_file() else sorted(place.rglob("*.py"))
    return found


def own_ways(source: str) -> Iterator[str]:
    """Yield where a module reaches for files without `Folder`."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="open")):
                yield f"line {node.lineno}: open()"
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module), attr=name)) if (
                name in OF_MODULES.get(module, ())
            ):
                yield f"line {node.lineno}: {module}.{name}()"
            case ast.Call(func=ast.Attribute(attr="open"), args=[first, *_]) if (
                _is_mode(first)
            ):
                yield f"line {node.lineno}: .open()"
            case ast.Attribute(attr=name) if name in OF_PATH:
                yield f"line {node.lineno}: .{name}"
            case _:
                pass


def _is_mode(argument: ast.expr) -> bool:
    return (
        isinstance(argument, ast.Constant)
        and isinstance(argument.value, str)
        and set(argument.value) <= set("rwxabt+")
    )


def module_id(module: Path) -> str:
    return module.relative_to(PACKAGE).as_posix()


@pytest.mark.parametrize(
    "source",
    [
        "open('x')",
        "path.open('rb')",
        "path.read_text('utf-8')",
        "list(map(Path.read_bytes, paths))",
        "os.open(path, 0)",
        "shutil.rmtree(folder)",
        "(run / 'x').exists()",
    ],
)
def test_way_around_is_seen(source: str) -> None:
    assert list(own_ways(source))


def test_folder_and_other_texts_are_no_way_around() -> None:
    source = "folder.read('x'); folder.opened('x'); shelf.open(name); a.replace('b', 1)"
    assert list(own_ways(source)) == []


@pytest.mark.parametrize("module", modules(), ids=module_id)
def test_run_folders_are_opened_by_folder_alone(module: Path) -> None:
    found = list(own_ways(module.read_text("utf-8")))
    if module_id(module) in ALLOWED:
        assert found, "it needs no exception any more"
    else:
        assert found == []


def test_every_exception_is_a_module() -> None:
    assert set(ALLOWED) <= set(map(module_id, modules()))
