"""Rows of runs that nobody measured: those of a real run, moved and scaled."""

from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

import ssdlab
from ssdlab.fleet.rows import rows_of_run
from ssdlab.fleet.tables import RunRows
from tests.paths import ROOT

NOW_S = 1.7e9
_SAMPLE = ROOT / "data" / "samples" / "virtual-b"


@cache
def rows_of_sample(sample: Path = _SAMPLE) -> RunRows:
    """Return the rows of a recorded run."""
    return rows_of_run(
        ssdlab.open_run(sample), record_sha256="0", manifest_sha256="", added_s=NOW_S
    )


def made_rows(number: int, *, version: int = 1, cells: int | None = 6) -> RunRows:
    """Return the rows of a run like the recorded one, on one of 500 drives."""
    template = rows_of_sample()
    run_id, ingest_id = f"r{number:06d}", f"i{number:06d}-{version}"
    drive = f"S{number % 500:05d}"
    shift = int(np.random.default_rng(number).integers(-6, 7))
    own = {"run_id": run_id, "ingest_id": ingest_id}
    of_cells = [
        row | own | {"device_serial": drive, "iops": row["iops"] * (1 + shift / 100)}
        for row in template.rows["cells"][:cells]
    ]
    kept = {row["cell"] for row in of_cells}
    histograms = [
        row | own | {"bin": row["bin"] + np.int16(shift)}
        for row in template.rows["histograms"]
        if row["cell"] in kept
    ]
    runs = [
        template.rows["runs"][0]
        | own
        | {
            "device_serial": drive,
            "device_firmware": f"F{number % 3}",
            "started_at": f"2026-01-01T00:00:{number:06d}",
            "folder": f"/runs/{run_id}",
            "cells": len(of_cells),
            "histograms": len(histograms),
        }
    ]
    rows = {"histograms": histograms, "cells": of_cells, "runs": runs}
    return replace(template, run_id=run_id, ingest_id=ingest_id, rows=rows)
