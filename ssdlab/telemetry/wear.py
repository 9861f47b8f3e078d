"""Wear: how much of its rated life a drive says that a test used, and what is left.

Drives tell the rated life used in whole per cent, so a test of some hours mostly shows
no more than that it used less than one.
"""

import math
from typing import TYPE_CHECKING, Any, Final

from ssdlab.model.telemetry import DRIVE, WEAR, WRITTEN
from ssdlab.telemetry.readings import Readings, readings_of
from ssdlab.telemetry.summary import spans_of_tests

if TYPE_CHECKING:
    import pandas as pd

WHOLE_RUN: Final = ""
_UNIT_PERCENT: Final = 1.0
_WORN_PERCENT: Final = 100.0


def summarise_wear(telemetry: "pd.DataFrame", steps: "pd.DataFrame") -> "pd.DataFrame":
    """Return the rated life that each test used, and what is left of it.

    Parameters
    ----------
    telemetry, steps : pandas.DataFrame
        Tables of a run.

    Returns
    -------
    pandas.DataFrame
        A row for the run (``test`` is `WHOLE_RUN`), then one a test: ``host_bytes``
        written as the drive counts them [B], ``used_low`` and ``used_high``, the
        rated life used [%] as far as whole per cent tell, ``worn_percent`` at its end
        [%], and ``left_low_bytes`` and ``left_high_bytes``, how much more can be
        written like that until the rated life is used up [B]; the upper one is infinite
        where no wear is shown. Empty where the drive tells no wear.

    Examples
    --------
    A terabyte took the rated life used from 3 to 5 %: it used 1 to 3 %, and the 95 %
    that are left last for 31.7 to 95 of them.

    >>> import pandas as pd
    >>> told = {"wear_percent": [3.0, 5.0], "host_written_bytes": [0.0, 1e12]}
    >>> telemetry = pd.DataFrame([
    ...     {"source": "block", "name": name, "time_s": float(time), "value": value}
    ...     for name, values in told.items() for time, value in enumerate(values)
    ... ])
    >>> one = {"test": ["wsat"], "started_s": [0.0], "ended_s": [1.0]}
    >>> row = summarise_wear(telemetry, pd.DataFrame(one)).iloc[0]
    >>> float(row["used_low"]), float(row["used_high"])
    (1.0, 3.0)
    >>> [round(float(row[f"left_{end}_bytes"]) / 1e12, 1) for end in ("low", "high")]
    [31.7, 95.0]
    """
    import pandas as pd  # noqa: PLC0415 - 0.3 s before a run begins

    own = telemetry[telemetry["source"] == DRIVE]
    wear, written = (readings_of(own[own["name"] == name]) for name in (WEAR, WRITTEN))
    tests = list(spans_of_tests(steps))
    rows = []
    if len(wear.value) > 1 and len(written.value) > 1 and tests:
        run = (WHOLE_RUN, min(one[1] for one in tests), max(one[2] for one in tests))
        rows = [_row(wear, written, *span) for span in (run, *tests)]
    columns = ["test", "host_bytes", "used_low", "used_high", "worn_percent"]
    columns += ["left_low_bytes", "left_high_bytes"]
    return pd.DataFrame([row for row in rows if row], columns=columns)


def _row(  # noqa: PLR0917 - one call
    wear: Readings,
    written: Readings,
    test: str,
    begin_s: float,
    end_s: float,
) -> dict[str, Any]:
    """Return what a span used; nothing where it was not told."""
    host_bytes = written.rise_within(begin_s, end_s)
    used = wear.rise_within(begin_s, end_s)
    if math.isnan(used) or math.isnan(host_bytes):
        return {}
    worn = float(wear.value[wear.time_s <= end_s][-1])
    low, high = max(0.0, used - _UNIT_PERCENT), used + _UNIT_PERCENT
    left = max(0.0, _WORN_PERCENT - worn)
    return {
        "test": test,
        "host_bytes": host_bytes,
        "used_low": low,
        "used_high": high,
        "worn_percent": worn,
        "left_low_bytes": left / high * host_bytes,
        "left_high_bytes": left / low * host_bytes if low else math.inf,
    }
