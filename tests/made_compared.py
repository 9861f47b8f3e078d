"""Run folders of made drives whose true differences are known, for comparisons."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd

from ssdlab.model.schema import TABLES
from ssdlab.store.records import write_record
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import write_table
from tests.made_run import Recipe, make_run

TIMES = ("lat_min_ns", "lat_mean_ns", "lat_stddev_ns", "lat_max_ns")


@dataclass(frozen=True, kw_only=True)
class Twin:
    """A run like that of the recipe, but so many times as fast, with its own noise."""

    number: int
    speed: float = 1.0
    noise: float = 0.008
    kernel: str = "6.1.0-28-amd64"
    warned: str = ""  # a step in which the target complained
    recipe: Recipe = field(default_factory=Recipe)


def make_twin(folder: Path, twin: Twin) -> Run:
    """Write a run folder and open it."""
    made = make_run(folder / f"run{twin.number}", twin.recipe)
    run_id = f"20261121-1200{twin.number:02d}-made-{twin.number:04d}"
    host = replace(made.record.host, kernel=twin.kernel)
    write_record(made.path, replace(made.record, run_id=run_id, host=host))
    for name, table in TABLES.items():
        frame = _scaled(getattr(made, name).assign(run_id=run_id), twin, name)
        columns = {str(n): _plain(frame[n].tolist()) for n in frame.columns}
        write_table(made.folder / "tables", table, columns)
    return open_tables(made.path)


def _plain(values: list[object]) -> list[object]:
    return [None if pd.isna(value) else value for value in values]  # type: ignore[call-overload] # scalars


def _scaled(frame: pd.DataFrame, twin: Twin, name: str) -> pd.DataFrame:
    """Make every step as much faster as its drive is, and a little by chance."""
    if name == "steps":
        is_warned = frame["step_id"] == twin.warned
        return frame.assign(warnings=frame["warnings"].mask(is_warned, "late"))
    if name not in {"measurements", "percentiles"}:
        return frame
    rng = np.random.default_rng(twin.number)
    steps = sorted(frame["step_id"].unique())
    by_chance = np.exp(twin.noise * rng.standard_normal(100_000))
    factor = frame["step_id"].map({
        step: twin.speed * by_chance[int(step[:4])] for step in steps
    })
    if name == "percentiles":
        return frame.assign(**{
            n: frame[n] / factor for n in ("lat_ns", "lat_lower_ns", "lat_upper_ns")
        })
    more = {n: frame[n] * factor for n in ("iops", "bw_bytes_per_s")}
    return frame.assign(**more, **{n: frame[n] / factor for n in TIMES})
