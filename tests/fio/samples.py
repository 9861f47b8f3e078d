"""The captured outputs of fio, and a way to change one value in them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ssdlab.fio.document import FioDocument
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.logs.read import FioLog, LogKind, parse_log
from tests.paths import ROOT

DATA = ROOT / "tests" / "data"


def captured(name: str) -> Path:
    """Return the path of an output that fio 3.33 wrote."""
    return DATA / f"fio-3.33-{name}"


def document_of(name: str) -> FioDocument:
    return parse_document(captured(name).read_bytes(), source=name)


def changed(name: str, change: Callable[[dict[str, Any]], object]) -> bytes:
    """Return a captured output after a change to its only job."""
    content = json.loads(captured(name).read_bytes())
    change(content["jobs"][0])
    return json.dumps(content).encode()


def changed_document(
    name: str, change: Callable[[dict[str, Any]], object]
) -> FioDocument:
    return parse_document(changed(name, change), source=name)


def form_path(version: str) -> Path:
    """Return an output that was written by hand as that version of fio would."""
    return DATA / "forms" / f"fio-{version}.json"


def form_of(version: str) -> FioDocument:
    return parse_document(form_path(version).read_bytes(), source=f"fio-{version}.json")


def log_of(kind: LogKind, thread: int) -> FioLog:
    """Return the log of a kind that a thread of a captured run wrote."""
    text = captured(f"randrw_{kind}.{thread}.log").read_text()
    return parse_log(text, kind=kind)
