"""Executed notebooks as papermill leaves them, made by hand."""

import json
from pathlib import Path
from typing import Any

FIGURE = {
    "data": [{"type": "scatter", "x": [1, 2, 3], "y": [4, 6, 5]}],
    "layout": {"title": {"text": "IOPS over rounds"}, "height": 300},
}


def text_cell(text: str) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": [text]}


def code_cell(source: str, *outputs: dict[str, Any], tag: str = "") -> dict[str, Any]:
    metadata = {"tags": [tag]} if tag else {}
    cell = {"cell_type": "code", "metadata": metadata, "source": source}
    return cell | {"outputs": list(outputs), "execution_count": 1}


def shown(**forms: object) -> dict[str, Any]:
    """Return an output; ``text__html`` stands for ``text/html``."""
    data = {name.replace("__", "/"): form for name, form in forms.items()}
    return {"output_type": "display_data", "data": data, "metadata": {}}


def figure() -> dict[str, Any]:
    bundle = {"application/vnd.plotly.v1+json": FIGURE, "text/html": "<b>no</b>"}
    return {"output_type": "display_data", "data": bundle, "metadata": {}}


def write_notebook(path: Path, *cells: dict[str, Any]) -> Path:
    notebook = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}
    path.write_text(json.dumps(notebook), "utf-8")
    return path
