"""Build ``notebooks/*.ipynb`` from their percent scripts, reproducibly.


Usage: ``python -m tools.build_notebooks [--check]``
"""

import json
import sys
from pathlib import Path

import jupytext
import nbformat

from tools import generated

ROOT = Path(__file__).resolve().parents[1]
KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def render_notebook(script: str) -> str:
    """Return the notebook of a percent script as JSON.

    It has no outputs, and cell ids count from 0, as with nbstripout.
    """
    notebook = jupytext.reads(script, fmt="py:percent")
    cells = [
        _cell(cell, number=number) for number, cell in enumerate(notebook["cells"])
    ]
    document = {
        "cells": cells,
        "metadata": {"kernelspec": KERNEL, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    nbformat.validate(document)
    return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True) + "\n"


def built_notebooks(folder: Path) -> dict[Path, str]:
    """Return each notebook of the folder with its expected content."""
    return {
        script.with_suffix(".ipynb"): render_notebook(script.read_text("utf-8"))
        for script in sorted(folder.glob("*.py"))
    }


def orphans(folder: Path) -> list[Path]:
    """Return the notebooks without a script."""
    return [
        notebook
        for notebook in sorted(folder.glob("*.ipynb"))
        if not notebook.with_suffix(".py").is_file()
    ]


def _cell(cell: nbformat.NotebookNode, *, number: int) -> dict[str, object]:
    built: dict[str, object] = {
        "cell_type": cell["cell_type"],
        "id": str(number),
        "metadata": dict(cell["metadata"]),
        "source": cell["source"].splitlines(keepends=True),
    }
    if cell["cell_type"] == "code":
        built |= {"execution_count": None, "outputs": []}
    return built


def main(argv: list[str]) -> int:
    """Build or check the notebooks of this repository."""
    folder = ROOT / "notebooks"
    lost = orphans(folder)
    for notebook in lost:
        print(f"{notebook} has no script; write {notebook.stem}.py or delete it")
    code = generated.run(argv, built_notebooks(folder), command="tools.build_notebooks")
    return code or (1 if lost else 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
