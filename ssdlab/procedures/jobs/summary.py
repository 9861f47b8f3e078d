"""What each job of a stimulus did over the measurement window."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

from ssdlab.model.spec import DIRECTIONS, PtsTest, Workload
from ssdlab.paper.context import Context
from ssdlab.procedures.jobs.open_loop import (
    bound_late_share,
    due_iops,
    due_level,
    find_following,
    offered_iops,
)
from ssdlab.procedures.jobs.spec import LONG, ROUNDS
from ssdlab.pts.block_checks import phase_workloads
from ssdlab.pts.shared.steady import reported_window
from ssdlab.qos.curves import summarise_curve
from ssdlab.qos.loads import select_loads
from ssdlab.stats.binned import bin_rounds
from ssdlab.stats.claims import LevelClaim, claim_levels

ALL_JOBS = "all jobs"
_LEVELS = {99.0: "two_nines", 99.9: "three_nines", 99.99: "four_nines"}
LOAD_LEVELS = {"p50": 50.0, "p90": 90.0, "p99": 99.0}
_MOST_LEVELS = 20
_ORDER: tuple[str, ...] = DIRECTIONS
_MEANS = ("iops", "bw_bytes_per_s")


@dataclass(frozen=True, kw_only=True, slots=True)
class Side:
    """The rounds of one job in one direction, with the bins of its histograms.

    ``job`` is `ALL_JOBS` for all of them together.
    """

    job: str
    direction: str
    rounds: pd.DataFrame
    bins: pd.DataFrame


def window_rounds(context: Context, test: str) -> tuple[int, int] | None:
    """Return the rounds that count: of the window, or all without one."""
    found = reported_window(context, test, ROUNDS)
    rounds = context.totals_of(test, ROUNDS)["round"].dropna()
    if found is None and len(rounds):
        return int(rounds.min()), int(rounds.max())
    return found


def find_sides(context: Context, test: str, phase: str = ROUNDS) -> tuple[Side, ...]:
    """Return all jobs together, then each job and direction.

    They are over the measurement window of rounds, or of the long run.
    """
    whole = _whole(context, test, phase)
    if whole is None:
        return ()
    jobs = _of(context, context.run.jobs, test=test, phase=phase)
    bins = context.run.job_bins
    sides = [whole]
    for (job, direction), rounds in jobs.groupby(["job", "direction"], sort=False):
        own = bins[(bins["job"] == job) & (bins["direction"] == direction)]
        sides.append(
            Side(job=str(job), direction=str(direction), rounds=rounds, bins=own)
        )
    return tuple(_needed(sides))


def _whole(context: Context, test: str, phase: str) -> Side | None:
    """Return all jobs of a stimulus together, if the phase was measured."""
    rounds = _of(context, context.totals, test=test, phase=phase)
    if rounds.empty:
        return None
    return Side(job=ALL_JOBS, direction="total", rounds=rounds, bins=context.bins)


def _of(
    context: Context, frame: pd.DataFrame, *, test: str, phase: str
) -> pd.DataFrame:
    """Return the rows of a phase that count: of rounds, those of the window."""
    is_own = (frame["test"] == test) & (frame["phase"] == phase)
    window = window_rounds(context, test) if phase == ROUNDS else None
    if window is not None:
        is_own &= frame["round"].between(*window).fillna(value=False).astype(bool)
    chosen: pd.DataFrame = frame[is_own & frame["kind"].isin(["cell", "histogram"])]
    return chosen


def _needed(sides: list[Side]) -> Iterator[Side]:
    """Yield sides in order, without a total of a job that has one direction."""
    for job in dict.fromkeys(one.job for one in sides):
        own = [one for one in sides if one.job == job]
        is_alone = len(own) == 2
        for one in sorted(own, key=lambda side: _ORDER.index(side.direction)):
            if not (is_alone and one.direction == "total"):
                yield one


def levels_of(context: Context) -> tuple[float, ...]:
    """Return the percentiles that were asked for besides the usual ones [%]."""
    asked = getattr(context.record.asked, "given", {}).get("percentiles", ())
    numbers = asked if isinstance(asked, list | tuple) else ()
    known = {one for one in numbers if type(one) in {int, float} and 0 < one < 100}
    return tuple(sorted(known - _LEVELS.keys()))[:_MOST_LEVELS]


def level_name(level: float) -> str:
    """Return the column of a percentile that was asked for.

    >>> level_name(99.999)
    'p99.999_ns'
    """
    return f"p{level:g}_ns"


def summarise_sides(
    sides: tuple[Side, ...], levels: tuple[float, ...] = ()
) -> pd.DataFrame:
    """Return a row for each side; ``levels`` are further percentiles [%].

    Rates are means of the rounds, the mean latency is weighted by IO count,
    percentiles come from the merged bins of all rounds, and the maximum is that of
    all rounds.
    """
    return pd.DataFrame([_summarise(side, levels) for side in sides])


def _summarise(side: Side, levels: tuple[float, ...] = ()) -> dict[str, Any]:
    rounds = side.rounds
    ios = rounds["total_ios"].astype(float)
    row: dict[str, Any] = {
        "job": side.job,
        "direction": side.direction,
        **{name: float(rounds[name].astype(float).mean()) for name in _MEANS},
        "total_ios": int(ios.sum()),
        "lat_mean_ns": float((rounds["lat_mean_ns"].astype(float) * ios).sum()),
        "lat_max_ns": float(rounds["lat_max_ns"].astype(float).max()),
    }
    row["lat_mean_ns"] = row["lat_mean_ns"] / ios.sum() if ios.sum() else float("nan")
    for claim in _claims(side, (*_LEVELS, *levels)):
        name = _LEVELS.get(claim.level)
        column = f"lat_{name}_ns" if name else level_name(claim.level)
        row[column] = claim.interval.estimate
        row[f"is_{name or level_name(claim.level)}_supported"] = claim.is_supported
    return row


def _claims(side: Side, levels: Sequence[float]) -> tuple[LevelClaim, ...]:
    """Return percentiles of the merged bins of all rounds; none without histograms."""
    rounds = side.rounds
    held = side.bins[
        (side.bins["direction"] == side.direction)
        & (side.bins["count"] > 0)
        & side.bins["step_id"].isin(rounds["step_id"])
    ]
    if held.empty:
        return ()
    own = rounds[rounds["step_id"].isin(held["step_id"])].sort_values("step_id")
    return claim_levels(bin_rounds(own, held), levels)


def summarise_stimuli(context: Context) -> pd.DataFrame:
    """Return a row for each stimulus that was measured, with its place in the matrix.

    ``matrix`` has its values by option, ``stimulus`` its name without them. The results
    are those of all jobs over the measurement window, or over the long run where there
    are no rounds. ``offered_iops`` is the sum of the rates that its jobs may not
    exceed, ``due_iops`` what fio makes of it, and ``follows`` whether so many IOs were
    done; all are missing if a job has no rate. At most ``late_share`` of the IOs were
    submitted late, so that ``due_p99_ns`` bounds the percentile of latencies from
    the due time; missing where nothing bounds it. Where fewer IOs were done than due,
    the last of a round was ``late_end_s`` late.
    """
    asked = context.record.asked
    known = getattr(asked, "given", {}).get("stimuli")
    rows = []
    for test in asked.tests:
        phase = ROUNDS
        whole = _whole(context, test.test_id, phase)
        if whole is None:
            phase = LONG
            whole = _whole(context, test.test_id, phase)
        work = _workload_of(test)
        if whole is None or work is None:
            continue
        said = known.get(test.test_id) if isinstance(known, dict) else None
        place = said if isinstance(said, dict) else {}
        rows.append({
            "test": test.test_id,
            "stimulus": str(place.get("name", test.title)),
            "matrix": _plain_texts(place.get("matrix")),
            "offered_iops": offered_iops(work),
            "access": work.access,
            **_summarise(whole),
            **_levels(whole, LOAD_LEVELS, "lat"),
            **_from_due_times(context, whole, work, phase=phase),
        })
    return pd.DataFrame(rows)


def _workload_of(test: PtsTest) -> Workload | None:
    """Return the jobs that a test measures together."""
    works = (work for phase in test.phases for work in phase_workloads(phase))
    return next((one for one in works if one.jobs), None)


def summarise_replays(context: Context, test: str, phase: str = ROUNDS) -> pd.DataFrame:
    """Return a row for each job of a stimulus that replays a log.

    ``file`` is the log and ``ios`` what it has. On average of the rounds that count
    ``done_share`` of them were done in ``runtime_s``, where the log has ``span_s`` [s];
    missing if it is replayed as fast as possible.
    """
    measured = _of(context, context.job_totals, test=test, phase=phase)
    (asked,) = (one for one in context.record.asked.tests if one.test_id == test)
    work = _workload_of(asked)
    rows = []
    for job in work.jobs if work else ():
        rounds = measured[measured["job"] == job.name]
        if job.replay is None or rounds.empty:
            continue
        rows.append({
            "job": job.name,
            "file": job.replay.file,
            "ios": job.replay.ios,
            "done_share": float(rounds["total_ios"].mean()) / job.replay.ios,
            "span_s": job.replay.span_s or None,
            "runtime_s": float(rounds["runtime_s"].mean()),
        })
    return pd.DataFrame(rows)


def _from_due_times(
    context: Context, whole: Side, work: Workload, *, phase: str
) -> dict[str, Any]:
    """Return whether the IOs of a stimulus were done when they were due."""
    took_s = whole.rounds["runtime_s"].astype(float)
    due, done = due_iops(work), float(whole.rounds["iops"].astype(float).mean())
    follows = find_following(done * took_s.sum(), due_ios=due * took_s.sum())
    if follows is None:
        return {}
    row: dict[str, Any] = {
        "due_iops": due,
        "follows": follows,
        "late_end_s": took_s.mean() * (1 - done / due) if follows == "behind" else None,
        "late_share": None,
    }
    (test,) = whole.rounds["test"].unique()
    jobs = _of(context, context.job_totals, test=str(test), phase=phase)
    share = bound_late_share(work, jobs)
    if math.isnan(share) or follows == "ahead":
        return row
    found = ((name, due_level(level, share)) for name, level in LOAD_LEVELS.items())
    bounds = {name: level for name, level in found if level is not None}
    return row | {"late_share": share} | _levels(whole, bounds, "due")


def _levels(side: Side, levels: Mapping[str, float], kind: str) -> dict[str, Any]:
    """Return percentiles by name [ns], and whether each is supported."""
    row: dict[str, Any] = {}
    claims = _claims(side, tuple(levels.values())) if levels else ()
    for name, claim in zip(levels, claims, strict=False):
        row[f"{kind}_{name}_ns"] = claim.interval.estimate
        mark = name if kind == "lat" else f"{kind}_{name}"
        row[f"is_{mark}_supported"] = claim.is_supported
    return row


def _plain_texts(values: object) -> dict[str, str]:
    """Return values of options; a record may come from anybody."""
    if not isinstance(values, dict):
        return {}
    return {str(name): str(value) for name, value in values.items()}


def curve_of_sides(sides: tuple[Side, ...]) -> pd.DataFrame:
    """Return the share of IOs that are slower, for each job."""
    frames = []
    wholes = {side.job: side for side in reversed(sides) if side.job != ALL_JOBS}
    for side in reversed(wholes.values()):
        held = side.bins[side.bins["step_id"].isin(side.rounds["step_id"])]
        if held.empty:
            continue
        (load,) = select_loads(side.rounds, held, direction=side.direction)
        frames.append(summarise_curve(load).assign(load=side.job))
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()
