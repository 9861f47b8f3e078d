"""Demand variation: its points, and which are Max, Mid and Min IOPS (PTS 13)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, get_args

from ssdlab.model.spec import PointName
from ssdlab.stats.knee import find_efficient, find_knee

if TYPE_CHECKING:
    import pandas as pd

MAX_LAT_NS = 5e6  # of a point that may be chosen: 5 ms
DEMAND_PHASE = "demand"
POINT_NAMES: tuple[PointName, ...] = get_args(PointName)

_STEP = ["run_id", "step_id"]
_POINT = ["run_id", "threads", "queue_depth", "toio"]
_POINT_VALUES = ("iops", "bw_bytes_per_s", "lat_mean_ns")


@dataclass(frozen=True, kw_only=True, slots=True)
class DemandPoint:
    """One TC and QD, and what was measured there: IOPS, mean response time [ns]."""

    threads: int
    queue_depth: int
    iops: float
    lat_mean_ns: float

    @property
    def outstanding(self) -> int:
        """Outstanding IOs in all: TOIO."""
        return self.threads * self.queue_depth


@dataclass(frozen=True, kw_only=True, slots=True)
class OperatingPoints:
    """The three points; ``is_within_limit`` says whether any was fast enough."""

    max: DemandPoint
    mid: DemandPoint
    min: DemandPoint
    is_within_limit: bool


def select_points(
    points: Sequence[DemandPoint], *, max_lat_ns: float = MAX_LAT_NS
) -> OperatingPoints:
    """Choose the points of the long runs: PTS 2.0.2, section 13, step 4.

    Eligible is what has a mean response time below the limit. Max is the highest IOPS
    of those, Mid the one nearest to half way between their highest and lowest IOPS, Min
    the least TOIO of all points: TC1/QD1. Ties go to the least TOIO, then to the fewest
    threads.

    Where no point is below the limit all of them are eligible, and
    ``is_within_limit`` is false.
    """
    measured = [p for p in points if p.iops == p.iops and p.lat_mean_ns > 0]
    if not measured:
        msg = "no point of the demand variation was measured"
        raise ValueError(msg)
    fast = [point for point in measured if point.lat_mean_ns < max_lat_ns]
    eligible = sorted(fast or measured, key=lambda p: (p.outstanding, p.threads))
    highest = max(eligible, key=lambda p: p.iops)
    half_way = (highest.iops + min(p.iops for p in eligible)) / 2
    return OperatingPoints(
        max=highest,
        mid=min(eligible, key=lambda p: abs(p.iops - half_way)),
        min=min(measured, key=lambda p: (p.outstanding, p.threads)),
        is_within_limit=bool(fast),
    )


def select_demand(measurements: "pd.DataFrame", *, test: str) -> "pd.DataFrame":
    """Return the points of a demand variation, one row a round, TC and QD."""
    chosen = measurements[
        (measurements["test"] == test)
        & (measurements["phase"] == DEMAND_PHASE)
        & (measurements["kind"] == "cell")
        & (measurements["direction"] == "total")
    ]
    return chosen.assign(toio=chosen["threads"] * chosen["queue_depth"])


def summarise_demand(
    measurements: "pd.DataFrame",
    windows: "pd.DataFrame",
    *,
    steps: "pd.DataFrame",
    test: str,
) -> "pd.DataFrame":
    """Average each point of a demand variation over the measurement window.

    Parameters
    ----------
    measurements : pandas.DataFrame
        The table ``measurements``, of one run or of several.
    windows : pandas.DataFrame
        The table ``windows``; its final rows say which rounds count.
    steps : pandas.DataFrame
        The table ``steps``: it holds the processor time of the host.
    test : str
        The test: cbw or dirth.

    Returns
    -------
    pandas.DataFrame
        One row a TC and QD, by both ascending: ``run_id``, ``threads``,
        ``queue_depth``, ``toio`` (TC times QD), ``iops`` [1/s], ``bw_bytes_per_s``
        [B/s], ``lat_mean_ns`` [ns], ``host_user_cpu_percent`` and
        ``host_system_cpu_percent`` [%] (means of the rounds), ``lat_max_ns`` [ns]
        (maximum over the rounds), ``n_rounds``, and ``is_efficient`` and ``is_knee``
        (`ssdlab.stats.knee.find_knee`). Points of equal TOIO are rows of their own.
        What was not recorded is missing; there is no row before there is a window.

    Notes
    -----
    The processor time is that of the whole host while the step ran: what fio tells is
    of its own process.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-all")
    >>> points = summarise_demand(
    ...     run.measurements, run.windows, steps=run.steps, test="cbw"
    ... )
    >>> len(points)
    16
    """
    cells = _in_window(select_demand(measurements, test=test), windows, test)
    host = ["host_user_cpu_percent", "host_system_cpu_percent"]
    cells = cells.merge(steps[[*_STEP, *host]], on=_STEP, how="left")
    means = ("iops", "bw_bytes_per_s", "lat_mean_ns", *host)
    table = cells.groupby(_POINT, as_index=False).agg(
        **{name: (name, "mean") for name in means},
        lat_max_ns=("lat_max_ns", "max"),
        n_rounds=("iops", "count"),
    )
    table = table[table["n_rounds"] > 0].reset_index(drop=True)
    return _with_knee(table)


def _in_window(
    cells: "pd.DataFrame", windows: "pd.DataFrame", test: str
) -> "pd.DataFrame":
    final = windows[
        (windows["test"] == test)
        & (windows["phase"] == DEMAND_PHASE)
        & windows["is_final"].fillna(value=False)
    ]
    bounds = ["window_first_round", "window_last_round"]
    cells = cells.merge(final[["run_id", *bounds]], on="run_id")
    first, last = (cells[name] for name in bounds)
    inside = cells["round"].between(first, last)
    return cells[inside].drop(columns=bounds)


def _with_knee(table: "pd.DataFrame") -> "pd.DataFrame":
    """Mark what no other point of its run beats, and the knee among it."""
    marked = table.assign(is_efficient=False, is_knee=False)
    for _, rows in table.groupby("run_id"):
        rates, times = rows["iops"].astype(float), rows["lat_mean_ns"].astype(float)
        marked.loc[rows.index[find_efficient(rates, times)], "is_efficient"] = True
        knee = find_knee(rates, times)
        if knee is not None:
            marked.loc[rows.index[knee], "is_knee"] = True
    return marked


def summarise_pre_writes(
    measurements: "pd.DataFrame", *, test: str, phase: str = DEMAND_PHASE
) -> "pd.DataFrame":
    """Return the pre-writes of a phase, one row a run of them.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.
    """
    rows = measurements[
        (measurements["test"] == test)
        & (measurements["phase"] == phase)
        & (measurements["kind"] == "pre_write")
        & (measurements["direction"] == "total")
    ]
    table = rows.sort_values(["run_id", "round"]).reset_index(drop=True)
    table["time_s"] = table.groupby("run_id")["runtime_s"].cumsum()
    names = ["run_id", "round", "threads", "queue_depth", "time_s", "iops"]
    return table[[*names, "bw_bytes_per_s", "lat_mean_ns", "io_bytes"]]


def summarise_points(
    measurements: "pd.DataFrame", *, test: str, max_lat_ns: float = MAX_LAT_NS
) -> "pd.DataFrame":
    """Return the points Max, Mid and Min of a demand variation, from its last round.

    See Also
    --------
    select_points : The rule.

    References
    ----------
    .. [1] SNIA, "SSS Performance Test Specification", v2.0.2, 2020, sections 13, 14.
    """
    cells = select_demand(measurements, test=test).reset_index(drop=True)
    places: list[int] = []
    found: list[tuple[str, bool]] = []
    for _, rows in cells.groupby("run_id"):
        last = rows[rows["round"] == rows["round"].max()]
        measured = last[last["iops"].notna() & (last["lat_mean_ns"] > 0)]
        if len(last) < rows["round"].value_counts().max() or measured.empty:
            continue
        places_of = {_point(row): int(row.Index) for row in measured.itertuples()}
        chosen = select_points(list(places_of), max_lat_ns=max_lat_ns)
        for name in POINT_NAMES:
            places.append(places_of[getattr(chosen, name)])
            found.append((name, chosen.is_within_limit))
    table = cells.loc[places].reset_index(drop=True)
    table = table.assign(
        point=[name for name, _ in found],
        phase=[f"{name}-iops" for name, _ in found],
        is_within_limit=[is_within for _, is_within in found],
    )
    names = ["run_id", "test", "point", "phase", "round"]
    names += ["threads", "queue_depth", "toio"]
    return table[[*names, *_POINT_VALUES, "is_within_limit"]]


def _point(row: Any) -> DemandPoint:
    return DemandPoint(
        threads=int(row.threads),
        queue_depth=int(row.queue_depth),
        iops=float(row.iops),
        lat_mean_ns=float(row.lat_mean_ns),
    )
