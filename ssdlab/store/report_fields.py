"""``report.json``: what people said for the report of a run, whenever they did."""

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
    """Return what people said; all empty where nobody said anything.

    Parameters
    ----------
    run : Path
        The run folder.

    Returns
    -------
    ReportFields
        The fields.

    Raises
    ------
    RunFolderError
        If the file is damaged.
    """
    text = Folder(run).find_text(_FILE)
    if not text:
        return ReportFields()
    try:
        return from_plain(ReportFields, json.loads(text))
    except (ValueError, RecursionError) as error:
        raise RunFolderError(
            folder=str(run),
            reason=f"{_FILE} is damaged ({error})",
            remedy=f"Remove {_FILE} and say again what it said.",
        ) from None


def add_given(run: Path, given: ReportFields) -> None:
    """Keep what people say for the report besides what they said before.

    Parameters
    ----------
    run : Path
        The run folder.
    given : ReportFields
        What they say now; a field that is empty stays as it was.

    Raises
    ------
    RunFolderError
        If the file that is there is damaged, or it cannot be written.
    """
    fields = read_given(run).with_given(given)
    try:
        Folder(run).write(_FILE, to_json(asdict(fields)))
    except OSError as error:
        raise RunFolderError(
            folder=str(run),
            reason=f"{_FILE} cannot be written ({error.strerror})",
            remedy="Make room, or see who may write there.",
        ) from None
