"""``report.json``: report fields that the user gave."""

import json
from dataclasses import asdict
from pathlib import Path

from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import from_plain
from ssdlab.model.report_fields import ReportFields
from ssdlab.store.records import to_json
from ssdlab.system.folders import Folder

_FILE = "report.json"


def read_given(run: Path) -> ReportFields:
    """Return the fields that the user gave; all empty if there are none."""
    text = Folder(run).find_text(_FILE)
    if not text:
        return ReportFields()
    try:
        return from_plain(ReportFields, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise RunFolderError(
            folder=str(run),
            reason=f"{_FILE} is damaged ({error})",
            remedy=f"Remove {_FILE} and enter its fields again.",
        ) from None


def add_given(run: Path, given: ReportFields) -> None:
    """Save fields for the report, in addition to those given before."""
    fields = read_given(run).with_given(given)
    try:
        Folder(run).write(_FILE, to_json(asdict(fields)))
    except OSError as error:
        raise RunFolderError(
            folder=str(run),
            reason=f"{_FILE} cannot be written ({error.strerror})",
            remedy="Free some space, or check the permissions.",
        ) from None
