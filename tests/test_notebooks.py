"""Notebooks are thin, and what is committed is what their scripts mean."""

import ast
import json
import re
import subprocess
import sys
from pathlib import Path

import jupytext
import nbformat
import pytest

from tests.paths import ROOT
from tools import build_notebooks, generated

FOLDER = ROOT / "notebooks"
SCRIPTS = sorted(FOLDER.glob("*.py"))
MAX_LINES_A_CELL = 10
MAX_PARAMETERS = 13  # one line each
MAX_LINES_A_NOTEBOOK = 80
LOGIC = (
    ast.FunctionDef
    | ast.AsyncFunctionDef
    | ast.ClassDef
    | ast.For
    | ast.AsyncFor
    | ast.While
    | ast.Try
    | ast.TryStar
    | ast.Lambda
    | ast.comprehension
)

EXAMPLE = """\
# %% [markdown]
# # Täxt
#
# Two lines: ½

# %% tags=["parameters"]
target: str = "virtual"
limit: float | None = None

# %%
# %matplotlib inline
import ssdlab

ssdlab.open_run(target)
"""


def code_cells(script: str) -> list[nbformat.NotebookNode]:
    notebook = jupytext.reads(script, fmt="py:percent")
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def line_count(source: str) -> int:
    return sum(1 for line in source.splitlines() if line.strip())


def tags(cell: nbformat.NotebookNode) -> list[str]:
    return list(cell["metadata"].get("tags", []))


def is_annotated_literal(statement: ast.stmt) -> bool:
    if not isinstance(statement, ast.AnnAssign) or statement.value is None:
        return False
    try:
        ast.literal_eval(statement.value)
    except ValueError:
        return False
    return True


def find_faults(script: str) -> list[str]:
    """Return what breaks the rule that a notebook is thin."""
    cells = code_cells(script)
    tree = ast.parse(script)
    return [
        *_parameter_faults(cells),
        *_size_faults(cells),
        *(
            f"line {getattr(node, 'lineno', '?')}: {type(node).__name__}"
            for node in ast.walk(tree)
            if isinstance(node, LOGIC)
        ),
        *(f"imports {name}" for name in _imports(tree) if name.startswith("ssdlab.")),
    ]


def _parameter_faults(cells: list[nbformat.NotebookNode]) -> list[str]:
    tagged = [cell for cell in cells if "parameters" in tags(cell)]
    if len(tagged) != 1:
        return [f"{len(tagged)} cells are tagged parameters"]
    return [
        f"no annotated literal: {ast.unparse(statement)}"
        for statement in ast.parse(tagged[0]["source"]).body
        if not is_annotated_literal(statement)
    ]


def _size_faults(cells: list[nbformat.NotebookNode]) -> list[str]:
    counts = [line_count(cell["source"]) for cell in cells]
    limits = [
        MAX_PARAMETERS if "parameters" in tags(cell) else MAX_LINES_A_CELL
        for cell in cells
    ]
    long = [
        f"a cell of {n} lines"
        for n, limit in zip(counts, limits, strict=True)
        if n > limit
    ]
    total = sum(counts)
    return [*long, *([f"{total} lines"] if total > MAX_LINES_A_NOTEBOOK else [])]


def _imports(tree: ast.AST) -> list[str]:
    plain = [n for n in ast.walk(tree) if isinstance(n, ast.Import)]
    from_ = [n for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)]
    return [a.name for n in plain for a in n.names] + [n.module or "" for n in from_]


def test_first_notebook_runs_the_suite() -> None:
    assert "01_run_pts" in [script.stem for script in SCRIPTS]


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_notebook_is_thin(script: Path) -> None:
    assert re.fullmatch(r"\d\d_[a-z_]+", script.stem)
    assert find_faults(script.read_text("utf-8")) == []


def test_committed_notebooks_equal_their_scripts() -> None:
    assert generated.stale_files(build_notebooks.built_notebooks(FOLDER)) == []
    assert build_notebooks.orphans(FOLDER) == []


def test_example_that_keeps_every_rule_has_no_fault() -> None:
    assert find_faults(EXAMPLE) == []


@pytest.mark.parametrize(
    ("addition", "fault"),
    [
        ("def f(): pass", "FunctionDef"),
        ("class A: pass", "ClassDef"),
        ("for x in y: pass", "For"),
        ("while x: pass", "While"),
        ("try:\n    x\nfinally:\n    y", "Try"),
        ("f = lambda: 1", "Lambda"),
        ("z = [x for x in y]", "comprehension"),
        ("from ssdlab.store import x", "imports ssdlab.store"),
        ("import ssdlab.store", "imports ssdlab.store"),
        ("x\n" * 11, "a cell of 11 lines"),
        ("# %%\nx\nx\nx\nx\nx\nx\nx\nx\nx\n" * 9, "86 lines"),
        ('# %% tags=["parameters"]\nx: int = 1', "2 cells are tagged"),
    ],
)
def test_fault_is_found_when_a_rule_is_broken(addition: str, fault: str) -> None:
    assert any(fault in found for found in find_faults(f"{EXAMPLE}\n# %%\n{addition}"))


@pytest.mark.parametrize("statement", ['x = "plain"', "x: int = f()", "x: int", "x"])
def test_fault_is_found_when_a_parameter_is_no_annotated_literal(
    statement: str,
) -> None:
    script = f'# %% tags=["parameters"]\n{statement}\n'
    assert find_faults(script) == [
        f"no annotated literal: {statement.replace(chr(34), chr(39))}"
    ]


def test_built_notebook_has_outline_of_its_script() -> None:
    notebook = json.loads(build_notebooks.render_notebook(EXAMPLE))
    assert [cell["id"] for cell in notebook["cells"]] == ["0", "1", "2"]
    assert notebook["cells"][0]["source"] == ["# Täxt\n", "\n", "Two lines: ½"]
    assert notebook["cells"][1]["metadata"] == {"tags": ["parameters"]}
    assert notebook["cells"][2]["source"][:2] == [
        "%matplotlib inline\n",
        "import ssdlab\n",
    ]
    assert notebook["cells"][2]["outputs"] == []
    assert notebook["metadata"]["kernelspec"]["name"] == "python3"


def test_built_notebook_does_not_depend_on_the_header_of_its_script() -> None:
    kernel = "{name: other, display_name: Other, language: python}"
    header = f"# ---\n# jupyter:\n#   kernelspec: {kernel}\n# ---\n\n"
    built = build_notebooks.render_notebook(header + EXAMPLE)
    assert built == build_notebooks.render_notebook(EXAMPLE)


def test_built_notebook_is_a_fixed_point_of_nbstripout(tmp_path: Path) -> None:
    notebook = tmp_path / "example.ipynb"
    built = build_notebooks.render_notebook(EXAMPLE)
    notebook.write_text(built, encoding="utf-8")
    subprocess.run([sys.executable, "-m", "nbstripout", notebook], check=True)
    assert notebook.read_text("utf-8") == built


def test_stale_notebook_is_named_and_then_rewritten(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "02_x.py").write_text(EXAMPLE, encoding="utf-8")
    contents = build_notebooks.built_notebooks(tmp_path)
    assert generated.run(["--check"], contents, command="tools.x") == 1
    assert (
        "02_x.ipynb is out of date; run: python -m tools.x" in capsys.readouterr().out
    )
    assert generated.run([], contents, command="tools.x") == 0
    assert generated.run(["--check"], contents, command="tools.x") == 0
    (tmp_path / "02_x.ipynb").write_text("{}")
    assert generated.run(["--check"], contents, command="tools.x") == 1


def test_notebook_without_a_script_is_an_orphan(tmp_path: Path) -> None:
    (tmp_path / "03_lost.ipynb").write_text("{}")
    assert build_notebooks.orphans(tmp_path) == [tmp_path / "03_lost.ipynb"]
