"""Where the idle time before a step went: its parts, and which was the greatest."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    import pandas as pd

GapPart = Literal["released_late", "unready", "reports", "begin"]

PART_WORDS: Final[Mapping[GapPart, str]] = {
    "released_late": "released late",
    "unready": "fio not ready",
    "reports": "threads ended apart",
    "begin": "IO began late",
}


def less_waits(steps: "pd.DataFrame") -> "pd.Series[float]":
    """Return the gap before each step less the idle time that a test asks for [s]."""
    idle_s, asked_s = steps["idle_before_s"], steps["wait_s"].fillna(0.0)
    return idle_s.where(asked_s == 0, (idle_s - asked_s).clip(lower=0))


def split_gaps(steps: "pd.DataFrame") -> "pd.DataFrame":
    """Split the gap before each step into its parts [s], with the name of the greatest.

    Missing where the run did not record when fio was released. The gate of a step opens
    ``released_late`` after the last report of the step before, and its threads come to
    the gate ``unready`` after that. The gap is measured back from its last report, so
    it holds as much as its own ``reports`` are apart. The rest is ``begin``.
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a run need not pay to begin

    before_s = steps["ended_s"].shift(1)
    released_s = steps["released_s"] - before_s - steps["wait_s"].fillna(0.0)
    parts = pd.DataFrame({
        "released_late": released_s.clip(lower=0),
        "unready": steps["unready_s"],
        "reports": steps["reports_s"],
    }).where(steps["idle_before_s"].notna(), axis=0)
    parts = parts.astype("float64")
    parts["begin"] = (less_waits(steps) - parts.sum(axis=1, skipna=False)).clip(lower=0)
    known = parts.notna().all(axis=1)
    greatest = pd.Series(None, index=steps.index, dtype="object")
    greatest[known] = parts[known].idxmax(axis=1)
    return parts.assign(greatest=greatest)
