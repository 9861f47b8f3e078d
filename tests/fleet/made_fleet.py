"""Stores of as many drives as one likes, of which the truth is known."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa

import ssdlab
from ssdlab.fleet.delta import create_tables, open_table, schema_of
from ssdlab.fleet.place import place_of
from ssdlab.fleet.store import Store
from ssdlab.fleet.tables import FLEET_TABLES
from tests.fleet.made_rows import rows_of_sample

MODELS = ("Maker <b>One</b> 1.92 TB", "Maker Two 3.84 TB")
SLOWER = 0.96  # firmware F2 of the first model
FAR_OFF = 0.8  # the third drive of all, and the last run of the second
DAY_S = 86400.0
_HOUR_BYTES = 4e11


def made_fleet(
    place: str | Path, drives: int, *, seed: int = 1, cells: int = 2
) -> Store:
    """Make a store of so many drives of two models, with one to four runs each.

    Drives of a model differ by 1 %, runs of a drive by 0.5 %; they lose 0.2 % per 100
    TB. The first model has two firmwares, of which each drive gets the second in
    summer. One drive is far off, and of every 20 runs one is left out.
    """
    at = place_of(str(place), is_new=True)
    create_tables(at)
    found: dict[str, list[dict[str, Any]]] = {name: [] for name in FLEET_TABLES}
    for number, run in enumerate(_runs(drives, seed)):
        for name, rows in _rows(number, run, cells).items():
            found[name] += rows
    for name, rows in found.items():
        content = pa.Table.from_pylist(rows, schema=schema_of(FLEET_TABLES[name]))
        open_table(at, name).append(content, f"made:{seed}")
    return ssdlab.open_store(place)


def _runs(drives: int, seed: int) -> Iterator[dict[str, Any]]:
    rng = np.random.default_rng(seed)
    for number in range(drives):
        model = MODELS[number % 2]
        level = float(np.exp(rng.normal(0, 0.01))) * (FAR_OFF if number == 2 else 1)
        days = np.sort(rng.uniform(0, 360, rng.integers(1, 5)))
        for day in days:
            is_new = number % 2 == 0 and day > 180
            hours = 1000 + 24 * float(day)
            written = _HOUR_BYTES / 24 * hours * (1 + number % 3)
            worn = 1 - 0.002 * written / 1e14
            noise = float(np.exp(rng.normal(0, 0.005)))
            yield {
                "device_model": model,
                "device_serial": f"S{number:05d}",
                "device_firmware": "F2" if is_new else "F1",
                "day": float(day),
                "power_on_hours": hours,
                "written_before_bytes": written,
                "factor": level * worn * noise * (SLOWER if is_new else 1),
            }


def _rows(
    number: int, run: dict[str, Any], cells: int
) -> dict[str, list[dict[str, Any]]]:
    template = rows_of_sample()
    names = [name for name in run if name.startswith("device_")]
    own = {name: run[name] for name in names}
    own |= {"run_id": f"r{number:06d}", "ingest_id": f"i{number:06d}"}
    other = number % 20
    usual = "RND 4 KiB 0/100"
    chosen = [
        row for row in template.rows["cells"]
        if row["workload"].startswith(usual) and row["direction"] == "total"
    ][:cells]  # fmt: skip
    if other == 7:
        own["device_serial"] = ""
    changed = []
    for row in chosen:
        made = row | own | {"is_steady": other != 3}
        made |= {"neighbours": "r1: iops" if other == 5 else ""}
        for name in ("iops", "iops_low", "iops_high", "bw_bytes_per_s"):
            if made.get(name) is not None:
                made[name] *= run["factor"]
        for name in row:
            if name.startswith("lat_") and made[name] is not None:
                made[name] /= run["factor"]
        changed.append(made)
    keys = {row["cell"] for row in chosen}
    shift = round(64 * np.log2(1 / run["factor"]))
    histograms = [
        row
        | own
        | {"bin": [one + shift for one in row["bin"]]}
        | {name: row[name] / run["factor"] for name in ("lat_min_ns", "lat_max_ns")}
        for row in template.rows["histograms"]
        if row["cell"] in keys
    ]
    whole = template.rows["runs"][0] | own
    whole |= {name: run[name] for name in ("power_on_hours", "written_before_bytes")}
    moment = np.datetime64("2026-01-01") + np.timedelta64(round(run["day"] * 1440), "m")
    whole |= {
        "started_at": f"{moment}:00+00:00",
        "folder": f"/srv/runs/{own['run_id']}",
        "profile": "pts-2.0-enterprise",
        "is_virtual": False,
        "kernel": "Linux 5" if other == 9 else "Linux 6",
        "platform": f"host {number % 3}",
        "cells": len(changed),
        "histograms": len(histograms),
    }
    return {"histograms": histograms, "cells": changed, "runs": [whole]}


def kept_frame(*rows: dict[str, Any]) -> pd.DataFrame:
    """Return runs that are kept, as far as they are not told: of one model, by day."""
    made = []
    for number, row in enumerate(rows):
        usual = {
            "run_id": f"r{number}", "ingest_id": f"i{number}",
            "folder": f"/runs/{number}", "model": "M",
            "serial": row["drive"], "firmware": "A", "group": "M",
            "time": pd.Timestamp("2026-01-01", tz="UTC") + pd.Timedelta(days=number),
            "value": 100.0, "low": np.nan, "high": np.nan,
            "written_before_bytes": np.nan, "power_on_hours": np.nan,
        }  # fmt: skip
        made.append(usual | row)
    return pd.DataFrame(made)
