"""The table ``windows`` as objects: a tracking variable at the end of a round each."""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields

import pandas as pd

from ssdlab.model.spec import Metric


@dataclass(frozen=True, kw_only=True, slots=True)
class JudgedWindow:
    """A steady-state judgement, with the names of the columns of ``windows``."""

    test: str
    phase: str
    round: int
    tracking: str
    cell: int
    job: str | None
    metric: Metric
    block_size_bytes: int | None
    read_percent: int | None
    window_first_round: int
    window_last_round: int
    average: float
    minimum: float
    maximum: float
    range_ratio: float
    slope_per_round: float
    intercept: float
    slope_ratio: float
    correlation: float
    is_range_ok: bool
    is_slope_ok: bool
    is_steady: bool
    is_round_steady: bool
    reason: str

    @property
    def rounds_text(self) -> str:
        """First and last round of the window."""
        return f"{self.window_first_round} - {self.window_last_round}"

    def rounds_of(self, measurements: pd.DataFrame) -> pd.DataFrame:
        """Return the measurements of its cell, oldest first.

        Those of a single job are in the table ``jobs``, those of all in
        ``measurements``.
        """
        is_own = (
            (measurements["test"] == self.test)
            & (measurements["phase"] == self.phase)
            & (measurements["kind"] == "cell")
            & (measurements["cell"] == self.cell)
        )
        if self.job is not None:
            is_own &= measurements["job"] == self.job
        chosen: pd.DataFrame = measurements[is_own].sort_values("round")
        return chosen


_NAMES = [field.name for field in fields(JudgedWindow)]


def read_windows(windows: pd.DataFrame) -> tuple[JudgedWindow, ...]:
    """Return the rows of ``windows`` as values.

    Parameters
    ----------
    windows : pandas.DataFrame
        The table of a run, or some of its rows.

    Returns
    -------
    tuple of JudgedWindow
        One per row, in order.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-lat")
    >>> window = read_windows(run.windows)[-1]
    >>> window.tracking, window.rounds_text, window.is_steady
    ('RND 4 KiB 0/100', '3 - 7', True)
    """
    known = {
        name: windows[name].to_numpy(object, na_value=None)  # type: ignore[call-overload] # the stubs lack None
        for name in _NAMES
    }
    known["correlation"] = windows["correlation"].to_numpy(float, na_value=math.nan)
    return tuple(
        JudgedWindow(**dict(zip(_NAMES, row, strict=True)))
        for row in zip(*(column.tolist() for column in known.values()), strict=True)
    )


def read_final_windows(
    windows: pd.DataFrame, test: str = ""
) -> tuple[JudgedWindow, ...]:
    """Return the judgements that a run reports, of a test or of all."""
    chosen = windows["is_final"].fillna(value=False).astype(bool)
    if test:
        chosen &= windows["test"] == test
    return read_windows(windows[chosen])


def by_phase(
    judged: Iterable[JudgedWindow],
) -> Iterator[tuple[str, list[JudgedWindow]]]:
    """Yield each phase with its judgements, in their order."""
    phases: dict[str, list[JudgedWindow]] = {}
    for one in judged:
        phases.setdefault(one.phase, []).append(one)
    yield from phases.items()
