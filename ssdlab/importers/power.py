"""Power that another program recorded beside a run, added to its telemetry."""

import csv
import json
import math
import time
from datetime import datetime
from pathlib import Path
from typing import Final, NoReturn

import numpy as np

from ssdlab.host.meters import joules_of
from ssdlab.ingest.ingest import ingest_run
from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import RunFolderError, UserFileError
from ssdlab.model.telemetry import CLOCK_ERROR, ENERGY, METER, POWER
from ssdlab.store.lock import locked
from ssdlab.system.folders import LOG_BYTES, Folder
from ssdlab.telemetry.clocks import ClockOffset, find_offset

_COLUMNS: Final = (
    "Name its columns in the first line: time_s (Unix time) or time (ISO 8601 with "
    "offset), and watts, or one watts_… a rail: they are summed."
)
_LEAST_ROWS: Final = 3
_STIMULUS: Final = [
    *("kind", "access", "block_size_bytes", "read_percent", "threads", "queue_depth")
]
_ADDED: Final = "power.jsonl"
_RECORDED: Final = "meter-"


def import_power(
    run: Path, source: Path, *, offset: ClockOffset | None = None
) -> ClockOffset:
    """Add the power that a CSV file holds to a finished run, and write its tables.

    Parameters
    ----------
    run : Path
        The run folder.
    source : Path
        A CSV file with ``time_s`` or ``time``, and ``watts`` or several ``watts_…``.
    offset : ClockOffset, optional
        What is to be added to its times; found from the power itself if left out.

    Returns
    -------
    ClockOffset
        What was added.

    Raises
    ------
    UserFileError
        If the file is no such CSV, or its clock cannot be aligned.
    RunFolderError
        If the run is under way, or has power from a meter.
    """
    times, watts = read_power(source)
    opened = open_run(run)
    if opened.is_going_on:
        _refuse_run(run, "it is not finished", "Wait for it, or resume it.")
    steps = opened.steps.dropna(subset=["started_s", "ended_s"])
    spans = steps[["started_s", "ended_s"]].to_numpy(np.float64)
    stimuli = list(steps[_STIMULUS].astype(str).itertuples(index=False, name=None))
    found = offset or find_offset(times, watts, spans, stimuli)
    if found is None:
        raise UserFileError(
            source=str(source),
            reason="its clock cannot be aligned with the run: the power does not tell "
            "the steps apart, or does not cover them all",
            remedy="Say how far it is: --offset SECONDS --clock-error SECONDS.",
        )
    at_s = [one + found.offset_s for one in times]
    inside = sum(spans[:, 0].min() <= one <= spans[:, 1].max() for one in at_s)
    if inside < _LEAST_ROWS:
        raise UserFileError(
            source=str(source),
            reason="none of its times are within the run",
            remedy="Check its time zone, or --offset.",
        )
    with locked(run, sleep=time.sleep):
        readings = Folder(run) / "telemetry"
        if any(name.startswith(_RECORDED) for name in readings.visible_names()):
            _refuse_run(run, "a meter recorded its power", "That stays as it is.")
        readings.make().write(_ADDED, _lines(at_s, watts, found.error_s))
        try:
            ingest_run(run)
        except RunFolderError:  # such as one whose raw output is not whole
            readings.remove(_ADDED)
            raise
    return found


def read_power(source: Path) -> tuple[list[float], list[float]]:
    """Return times [s] and watts of a CSV file, in order of time."""
    rows = _read_rows(source)
    head = [name.strip().lower() for name in rows[0]] if rows else []
    place = next((head.index(one) for one in ("time_s", "time") if one in head), None)
    rails = [n for n, name in enumerate(head) if name.split("_")[0] == "watts"]
    if place is None or not rails:
        _refuse(source, "it has no column of times, or none of watts")
    known = []
    for number, row in enumerate(rows[1:], start=2):
        try:
            text = row[place] if row else ""
            if not text:
                continue
            moment = _moment(text) if head[place] == "time" else float(text)
            power = math.fsum(float(row[one]) for one in rails)
        except (ValueError, IndexError):
            _refuse(source, f"line {number} has no time and watts")
        if not (math.isfinite(moment) and math.isfinite(power)):
            _refuse(source, f"line {number} has no finite numbers")
        known.append((moment, power))
    if len(known) < _LEAST_ROWS:
        _refuse(source, f"it has fewer than {_LEAST_ROWS} readings")
    times, watts = zip(*sorted(known), strict=True)
    return list(times), list(watts)


def _read_rows(source: Path) -> list[list[str]]:
    try:
        if source.stat().st_size > LOG_BYTES:
            _refuse(source, "it is too large")
        with source.open(encoding="utf-8-sig", newline="") as file:
            return list(csv.reader(file))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        _refuse(source, f"it cannot be read ({error})")


def _moment(text: str) -> float:
    moment = datetime.fromisoformat(text.strip())
    if moment.tzinfo is None:
        msg = "it has no offset from UTC"
        raise ValueError(msg)
    return moment.timestamp()


def _lines(at_s: list[float], watts: list[float], error_s: float) -> bytes:
    joules = list(joules_of(at_s, watts))
    entries = [
        {"time_s": moment, METER: {ENERGY: energy, POWER: power}}
        for moment, energy, power in zip(at_s, joules, watts, strict=True)
    ]
    entries[0][METER][CLOCK_ERROR] = error_s  # type: ignore[index] # a mapping
    return "".join(f"{json.dumps(entry)}\n" for entry in entries).encode()


def _refuse(source: Path, reason: str) -> NoReturn:
    raise UserFileError(source=str(source), reason=reason, remedy=_COLUMNS)


def _refuse_run(run: Path, reason: str, remedy: str) -> NoReturn:
    raise RunFolderError(folder=str(run), reason=reason, remedy=remedy)
