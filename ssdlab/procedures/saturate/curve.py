"""The rounds of one stimulus in a run: what it was, and what each of them did."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ssdlab.model.spec import stimulus_label
from ssdlab.paper.context import Context
from ssdlab.procedures.saturate.figures import Rate
from ssdlab.procedures.saturate.spec import ATTEMPTS
from ssdlab.procedures.saturate.summary import summarise_stimulus
from ssdlab.text.numbers import workers_text


@dataclass(frozen=True, kw_only=True)
class StimulusCurve:
    """The rounds of one phase; ``name`` is the stimulus with its TC/QD.

    ``rounds`` is what `summarise_stimulus` returned.
    """

    test: str
    phase: str
    name: str
    metric: Rate
    is_random_write: bool
    rounds: pd.DataFrame
    written_fills: float | None

    @property
    def rates(self) -> "pd.Series[float]":
        """The metric of each round."""
        return self.rounds[self.metric].astype("Float64").astype(float)


def read_curve(context: Context, *, test: str, phase: str) -> StimulusCurve | None:
    """Return the rounds of a phase, or nothing if none was finished."""
    rounds = summarise_stimulus(
        context.totals,
        context.steps,
        percentiles=context.percentiles,
        test=test,
        phase=phase,
    )
    if rounds.empty:
        return None
    cells = context.totals_of(test, phase)
    cell = cells[cells["kind"] == "cell"].iloc[0]
    return StimulusCurve(
        test=test,
        phase=phase,
        name=_name(cell),
        metric="iops" if cell["access"] == "rnd" else "bw_bytes_per_s",
        is_random_write=bool(cell["access"] == "rnd" and cell["read_percent"] < 100),
        rounds=rounds,
        written_fills=_written_fills(context, rounds),
    )


def read_attempts(context: Context, test: str) -> Iterator[StimulusCurve]:
    """Yield the attempts of a single-stimulus saturation that have rounds."""
    for phase in ATTEMPTS:
        if curve := read_curve(context, test=test, phase=phase):
            yield curve


def _name(cell: "pd.Series[Any]") -> str:
    label = stimulus_label(
        str(cell["access"]),
        0 if pd.isna(cell["block_size_bytes"]) else int(cell["block_size_bytes"]),
        int(cell["read_percent"]),
    )
    return f"{label} {workers_text(cell['threads'], cell['queue_depth'])}"


def _written_fills(context: Context, rounds: pd.DataFrame) -> float | None:
    """Return what the rounds wrote, in user capacities, if both are known."""
    capacity, written = (
        context.record.target.capacity_bytes,
        rounds["written_bytes"].iloc[-1],
    )
    return None if pd.isna(written) or not capacity else float(written) / capacity
