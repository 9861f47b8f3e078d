"""What a run contributes to a store: rows of ``runs``, ``cells`` and ``histograms``.

A row of ``cells`` is a workload of a phase in one direction. Its rates are the means of
the rounds by which the steady state is determined, as in the report; its latencies are
those of all IOs of the window, as of ``ssdlab qos``. A cell without bins has rates and
means, but no percentiles.
"""

import hashlib
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import orjson
import pandas as pd

from ssdlab.fio.bins import bin_edges, bin_index
from ssdlab.fleet.measured import WORKLOAD, MeasuredCell, joined_lines, measured_cells
from ssdlab.fleet.tables import LEVELS, Row, RunRows
from ssdlab.ingest.ingested import lines_of
from ssdlab.model.asked import Asked, Suite
from ssdlab.model.io_engine import engine_of
from ssdlab.model.schema import RUNS, SCHEMA_VERSION
from ssdlab.model.telemetry import WRITTEN
from ssdlab.qos.averages import mean_of
from ssdlab.qos.load import Load
from ssdlab.qos.loads import workload_label
from ssdlab.stats.claims import claim_levels
from ssdlab.stats.clusters import FEWEST_ROUNDS
from ssdlab.stats.trend import estimate_nonnegative_mean
from ssdlab.store.catalog import duration_of
from ssdlab.telemetry.amplification import summarise_amplification
from ssdlab.telemetry.energy import summarise_energy
from ssdlab.telemetry.processor import processor_us_per_io

if TYPE_CHECKING:
    from ssdlab.store.run import Run

_READINGS = {
    "written_before_bytes": WRITTEN,
    "power_on_hours": "power_on_hours",
    "wear_percent": "wear_percent",
}
_OF_DRIVE = ("block", "virtual")
_BASES = {"histogram": "run", "mean": "printed"}


def rows_of_run(
    run: "Run", *, record_sha256: str, manifest_sha256: str, added_s: float
) -> RunRows:
    """Return what a run contributes to a store; it is named after what it is."""
    target = run.record.target
    device: Row = {
        "device_model": target.model,
        "device_serial": target.serial,
        "device_firmware": target.firmware,
    }
    cells = [device | own for own in _cells(run)]
    histograms = [
        {name: row[name] for name in ("cell", "lat_min_ns", "lat_max_ns")} | bins
        for row in cells
        if (bins := row.pop("bins"))
    ]
    rows = {
        "histograms": histograms,
        "cells": cells,
        "runs": [
            _of_run(run)
            | {
                "manifest_sha256": manifest_sha256 or None,
                "record_sha256": record_sha256,
                "cells": len(cells),
                "histograms": len(histograms),
            }
        ],
    }
    ingest_id = _digest(rows)
    shared: Row = {
        "run_id": run.record.run_id,
        "ingest_id": ingest_id,
        "added_s": added_s,
    }
    return RunRows(
        run_id=run.record.run_id,
        ingest_id=ingest_id,
        rows={name: [own | shared for own in of] for name, of in rows.items()},
    )


def _of_run(run: "Run") -> Row:
    (own,) = _plain_rows(run.runs)
    answers = run.answers
    return {name: own.get(name) for name in RUNS.column_names} | {
        "folder": str(run.path.resolve()),
        "schema_version": SCHEMA_VERSION,
        "settings": _settings(run.record.asked),
        "duration_s": duration_of(run.state),
        "is_conformant": answers.conforms,
        "is_steady": answers.is_steady,
        "departures": lines_of(answers.found("procedure")),
        "doubts": lines_of(answers.found("numbers")),
        "neighbours": joined_lines(run.steps["neighbours"]),
        "io_engine": engine_of(run.cell_options) or None,
        **_first_readings(run.telemetry),
    }


def _settings(asked: Asked) -> str:
    """Return the values of a profile as JSON, by the test that uses them."""
    tests = asked.tests_by_detail if isinstance(asked, Suite) else {}
    by_test: dict[str, dict[str, object]] = {}
    for name, value in asked.details.items():
        for test in tests.get(name, ("",)):
            by_test.setdefault(test, {})[name] = value
    return orjson.dumps(by_test, option=orjson.OPT_SORT_KEYS).decode()


def _digest(rows: Mapping[str, Sequence[Row]]) -> str:
    options = orjson.OPT_SERIALIZE_NUMPY | orjson.OPT_SORT_KEYS
    return hashlib.sha256(orjson.dumps(rows, option=options)).hexdigest()[:32]


def _cells(run: "Run") -> Iterator[Row]:
    """Yield the cells of a run in their order; ``bins`` is empty if there are none."""
    amplification, energy = _amplification(run), _energy(run)
    for cell in measured_cells(run):
        names = cell.names
        yield {
            "cell": cell.name,
            **names,
            **{name: _known(cell.rows[name].iloc[0]) for name in WORKLOAD},
            "basis": _basis(names["kind"], cell.rows),
            "is_steady": cell.is_steady,
            **_rates(cell.sampled),
            **_latencies(cell),
            "cpu_us_per_io": _processor_time(cell),
            "write_amplification": amplification.get((names["test"], names["phase"])),
            **energy.get(cell.name, {}),
            "neighbours": cell.neighbours,
        }


def _amplification(run: "Run") -> dict[tuple[str, str], float | None]:
    """Return the write amplification of each phase of which the drive tells it."""
    found = summarise_amplification(run.telemetry, run.steps)
    places = zip(found["test"], found["phase"], strict=True)
    return dict(zip(places, map(_number, found["amplification"]), strict=True))


def _energy(run: "Run") -> dict[str, Row]:
    """Return the power of each cell, all directions together, that was metered."""
    found = summarise_energy(run.telemetry, run.steps, run.measurements, run.windows)
    rows = [
        {str(name): value for name, value in row.items()}
        for row in found.to_dict("records")
    ]
    return {
        f"{row['test']} {row['phase']} {row['kind']} {workload_label(row)} total": {
            "watts": _number(row["watts"]),
            "joules_per_io": _number(row["joules_per_io"]),
        }
        for row in rows
        if row["kind"] in {"cell", "histogram"}
    }


def _processor_time(cell: MeasuredCell) -> float | None:
    """Return the processor time per IO of all directions together [us]."""
    if cell.names["direction"] != "total":
        return None
    return _number(processor_us_per_io(cell.window))


def _basis(kind: str, rows: pd.DataFrame) -> str:
    is_in_window = bool(rows["is_in_window"].fillna(value=False).any())
    return _BASES.get(kind, "window" if is_in_window else "rounds")


def _rates(rounds: pd.DataFrame) -> Row:
    """Return the means of the rates, and the interval of the IOPS."""
    iops = rounds["iops"].astype(float).dropna().to_numpy()
    rates = rounds["bw_bytes_per_s"].astype(float)
    row: Row = {
        "sampled_rounds": len(rounds),
        "iops": float(iops.mean()) if iops.size else None,
        "bw_bytes_per_s": _number(rates.mean()),
    }
    if iops.size >= FEWEST_ROUNDS:
        found = estimate_nonnegative_mean(iops)
        row |= {"iops_low": _number(found.low), "iops_high": _number(found.high)}
    return row


def _latencies(cell: MeasuredCell) -> Row:
    """Return what is known of the latencies of all IOs of the window of a cell."""
    load, own = cell.load, cell.window
    bounded: Row = {"bins": {}}
    if load is not None:
        bounded = {"bins": _bins(load), **_percentiles(load)}
    total = own["total_ios"]
    return {
        "rounds": len(own),
        "total_ios": None if total.isna().any() else int(total.sum()),
        "latency": cell.latency,
        "lat_min_ns": _number(own["lat_min_ns"].astype(float).min(skipna=False)),
        "lat_mean_ns": _number(mean_of(cell.whole_load, "lat_mean_ns")),
        "lat_max_ns": _number(own["lat_max_ns"].astype(float).max(skipna=False)),
        **bounded,
    }


def _percentiles(load: Load) -> Row:
    row: Row = {}
    claims = claim_levels(load.binned, LEVELS.values())
    for name, claim in zip(LEVELS, claims, strict=True):
        row |= {
            f"lat_{name}_ns": _number(claim.interval.estimate),
            f"lat_{name}_low_ns": _number(claim.interval.low),
            f"lat_{name}_high_ns": _number(claim.interval.high),
            f"is_{name}_supported": claim.is_supported,
        }
    return row


def _bins(load: Load) -> Row:
    """Return the merged bins by their numbers; nothing if they are other than fio's."""
    binned = load.binned
    held = load.bins.drop_duplicates("lat_ns")
    lower, upper = bin_edges(held["lat_ns"].to_numpy(np.int64))
    is_own = (lower == held["lat_lower_ns"]).all() and (
        upper == held["lat_upper_ns"]
    ).all()
    if not is_own:
        return {}
    return {
        "bin": bin_index(binned.names).astype(np.int16),
        "count": binned.merged.astype(np.int64),
    }


def _first_readings(telemetry: pd.DataFrame) -> Row:
    """Return what the drive said of its life before the run, as far as it did."""
    of_drive = telemetry[telemetry["source"].isin(_OF_DRIVE)].sort_values("time_s")
    first = of_drive.drop_duplicates("name").set_index("name")["value"]
    return {
        column: _number(first[name])
        for column, name in _READINGS.items()
        if name in first
    }


def _plain_rows(frame: pd.DataFrame) -> list[Row]:
    plain = frame.astype(object)
    known = plain.where(plain.notna(), None).to_dict("records")
    return [{str(name): value for name, value in row.items()} for row in known]


def _known(value: Any) -> Any:
    return None if pd.isna(value) else value


def _number(value: float) -> float | None:
    """Return a number; None if it is not known or not bounded."""
    return float(value) if math.isfinite(value) else None
