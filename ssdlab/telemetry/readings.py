"""Readings of one quantity in the order of time, and how far a count rose in a span."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    import pandas as pd

FloatArray = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class Readings:
    """What was read of one quantity: times [s, Unix] and values, in order of time."""

    time_s: FloatArray
    value: FloatArray

    def rise_within(self, begin_s: float, end_s: float) -> float:
        """Return how far a count went up from just before a span to its end.

        The sum of all rises: a counter that began anew has not gone down. NaN where
        there are not two readings.

        >>> counted = Readings(time_s=np.arange(1.0, 4.0), value=np.array([7, 9, 1.0]))
        >>> counted.rise_within(1.5, 3.0)
        2.0
        """
        before = int(np.searchsorted(self.time_s, begin_s, side="right")) - 1
        after = int(np.searchsorted(self.time_s, end_s, side="right"))
        values = self.value[max(before, 0) : after]
        return float(np.diff(values).clip(min=0).sum()) if len(values) > 1 else np.nan


def readings_of(rows: "pd.DataFrame") -> Readings:
    """Return the readings in rows of the table ``telemetry``, of one quantity."""
    time_s, values = (rows[name].to_numpy(np.float64) for name in ("time_s", "value"))
    order = np.argsort(time_s, kind="stable")
    order = order[~np.isnan(values[order])]
    return Readings(time_s=time_s[order], value=values[order])


def split_readings(telemetry: "pd.DataFrame") -> dict[tuple[str, str], Readings]:
    """Return the readings of each quantity of a run, by its source and name."""
    return {
        (str(source), str(name)): readings_of(rows)
        for (source, name), rows in telemetry[
            ["source", "name", "time_s", "value"]
        ].groupby(["source", "name"], sort=False)
    }
