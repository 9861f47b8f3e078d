"""Gauge R&R of a store: what of the scatter is the measurement's, and what the drives'.

Hosts are the appraisers, drives the parts, and the runs of a drive on a host the
repeats. Where drives were measured on several hosts both are crossed, otherwise drives
are nested in hosts, and their interaction is unknown.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final, Literal

import numpy as np
import pandas as pd

from ssdlab.fleet.pilot import Pilot, host_labels, read_pilot
from ssdlab.fleet.store import Store
from ssdlab.fleet.tables import FLEET_RUNS
from ssdlab.model.errors import UnknownNameError
from ssdlab.stats.anova import Components, analyse_crossed, analyse_nested
from ssdlab.stats.interval import Interval

Design = Literal["crossed", "nested"]
Part = Literal[
    "repeatability", "host", "host x drive", "gauge R&R", "drive", "total"
]  # fmt: skip
Reason = Literal[
    "", "no-runs", "one-host", "one-drive", "no-repeats", "few-in-common", "apart",
    "few-drives", "no-scatter",
]  # fmt: skip

HOST_COLUMNS: Final = ("platform", "cpu")
CATEGORIES: Final = (
    1.41  # times the ratio of drives to gauge: sqrt(2), as it is written
)
GOOD_PERCENT: Final = 10.0
USABLE_PERCENT: Final = 30.0
PARTS: Final[Mapping[Part, tuple[str, ...]]] = {
    "repeatability": ("run",),
    "host": ("host",),
    "host x drive": ("both",),
    "gauge R&R": ("host", "both", "run"),
    "drive": ("drive",),
    "total": ("host", "both", "run", "drive"),
}


@dataclass(frozen=True, kw_only=True)
class Gauge:
    """A gauge R&R study, as `assess_gauge` returns it.

    Attributes
    ----------
    pilot : Pilot
        The runs of the store, and which are left out.
    runs : pandas.DataFrame
        The runs that are looked at, with ``drive``, ``host``, ``value`` and ``log``.
    host_columns : tuple of str
        What distinguishes hosts.
    design : {"crossed", "nested"}
        Whether drives were measured on several hosts.
    components : Components or None
        Variances of the logarithm: ``host``, ``drive``, ``both`` (of their interaction,
        if crossed) and ``run``.
    reason : str
        Why nothing is known; empty if something is.
    """

    pilot: Pilot
    runs: pd.DataFrame
    host_columns: tuple[str, ...]
    design: Design
    components: Components | None
    reason: Reason = ""

    @property
    def parts(self) -> tuple[Part, ...]:
        """What is known: without the interaction if drives are nested in hosts."""
        known = self.components
        if known is None:
            return ()
        return tuple(
            part
            for part, names in PARTS.items()
            if len(names) > 1 or names[0] in known.names
        )

    def scatter(self, part: Part) -> Interval:
        """Return the standard deviation of a part, of the logarithm [%]."""
        return self._interval(lambda of: 100 * np.sqrt(np.maximum(0, _sum(of, part))))

    def share(self, part: Part) -> Interval:
        """Return the standard deviation of a part to that of all [%]."""
        return self._interval(
            lambda of: (
                100 * np.sqrt(_ratio(_sum(of, part), _sum(of, "total"), most=1.0))
            )
        )

    @cached_property
    def gauge_share(self) -> Interval:
        """What is called %GRR: the part of the gauge, of the total variation [%]."""
        return self.share("gauge R&R")

    @cached_property
    def categories(self) -> Interval:
        """How many classes of drives can be distinguished (ndc), rounded down."""
        found = self._interval(
            lambda of: (
                CATEGORIES
                * np.sqrt(_ratio(_sum(of, "drive"), _sum(of, "gauge R&R"), most=np.inf))
            )
        )
        return Interval(
            estimate=float(np.floor(found.estimate)),
            low=float(np.floor(found.low)),
            high=float(np.floor(found.high)),
            confidence_percent=found.confidence_percent,
        )

    @property
    def counts(self) -> pd.DataFrame:
        """How many runs there are of each drive (rows) on each host."""
        return pd.crosstab(self.runs["drive"], self.runs["host"])

    @property
    def is_balanced(self) -> bool:
        """Whether each drive has as many runs, on each host if they are crossed."""
        counts = self.counts.to_numpy()
        if self.design == "crossed":
            return bool((counts == counts[0, 0]).all())
        of_drives, of_hosts = counts.max(axis=1), (counts > 0).sum(axis=0)
        return len(set(of_drives)) == 1 and len(set(of_hosts)) == 1

    def _interval(self, function: Any) -> Interval:
        if self.components is None:
            return Interval(estimate=np.nan, low=np.nan, high=np.nan)
        return self.components.interval(function)


def _sum(of: Mapping[str, Any], part: Part) -> Any:
    """Return the variance of a part; what is unknown is no part of it."""
    return np.sum([of[name] for name in PARTS[part] if name in of], axis=0)


def _ratio(own: Any, whole: Any, *, most: float) -> Any:
    """Return the ratio of two variances, from 0 to ``most``; that if nothing is below.

    >>> _ratio(np.array([1.0, -1.0, 3.0]), np.array([2.0, 2.0, 0.0]), most=1.0).tolist()
    [0.5, 0.0, 1.0]
    """
    own = np.maximum(0.0, own)
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(np.asarray(whole) > 0, own / whole, np.where(own > 0, most, 0))
    return np.minimum(most, found)


def assess_gauge(  # noqa: PLR0913 - each is a choice of a user
    store: Store | str | Path,
    *,
    cell: str = "",
    test: str = "",
    metric: str = "",
    direction: str = "total",
    where: Iterable[str] = (),
    accept: str = "",
    hosts: Iterable[str] = HOST_COLUMNS,
) -> Gauge:
    """Return a gauge R&R study of the runs of a store: hosts, drives and repeats.

    Parameters
    ----------
    store : Store, str or Path
        A store with runs of two drives and two hosts at least, some of them repeated.
    cell, test, metric, direction : str
        What is looked at, as of `ssdlab.summarise_fleet`.
    where : iterable of str, default ()
        Conditions on the runs, such as ``device_firmware=1.1``.
    accept : str, default ""
        Conditions that may differ, as of `ssdlab.summarise_fleet`.
    hosts : iterable of str, default ("platform", "cpu")
        The columns of ``runs`` that distinguish hosts. Two hosts of the same make are
        one, unless another column, such as ``label``, names them.

    Returns
    -------
    Gauge
        Components of variance, %GRR and categories; or ``reason``, why they are
        unknown.

    Raises
    ------
    UnknownNameError
        If there is no such workload, test, metric, condition or column.
    StoreError
        If the store is empty, or no run is as asked for.

    Examples
    --------
    >>> import ssdlab
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = ssdlab.open_store(f"{folder}/store", create=True)
    ...     ssdlab.assess_gauge(store.add("data/samples/virtual-b")).reason
    'one-host'
    """
    columns = tuple(hosts)
    for name in columns:
        if name not in FLEET_RUNS.column_names:
            known = FLEET_RUNS.column_names
            raise UnknownNameError(kind="column", name=name, known=known)
    pilot = read_pilot(
        store, cell=cell, test=test, metric=metric, direction=direction, where=where,
        accept=accept,
    )  # fmt: skip
    runs = pilot.kept.assign(host=host_labels(pilot, columns))
    return study_runs(pilot, runs, host_columns=columns)


def study_runs(
    pilot: Pilot, runs: pd.DataFrame, *, host_columns: tuple[str, ...] = HOST_COLUMNS
) -> Gauge:
    """Return the study of runs with their ``drive``, ``host`` and ``log``."""
    hosts_of = runs.groupby("drive")["host"].nunique()
    design: Design = "crossed" if (hosts_of > 1).any() else "nested"
    reason, known = _analyse(runs, design)
    return Gauge(
        pilot=pilot,
        runs=runs,
        host_columns=host_columns,
        design=design,
        components=known,
        reason=reason,
    )


def _analyse(runs: pd.DataFrame, design: Design) -> tuple[Reason, Components | None]:
    """Return the components of variance, or why they are unknown."""
    hosts, drives = runs["host"].nunique(), runs["drive"].nunique()
    lacks: Mapping[Reason, bool] = {
        "no-runs": runs.empty,
        "one-host": hosts < 2,
        "one-drive": drives < 2,
    }
    reason = next((reason for reason, holds in lacks.items() if holds), None)
    if reason:
        return reason, None
    labels = {name: runs[name].tolist() for name in ("host", "drive")}
    if design == "crossed":
        rows = analyse_crossed(
            runs["log"], *labels.items(), both="both", rest="run"
        )  # fmt: skip
    else:
        rows = analyse_nested(runs["log"], labels, rest="run")
    freedoms = {row.name: row.freedom for row in rows}
    is_apart = design == "crossed" and freedoms.get("host", 0) < hosts - 1
    lacks = {
        "no-repeats": "run" not in freedoms,
        "apart": is_apart,
        "few-in-common": design == "crossed" and "both" not in freedoms,
        "few-drives": "drive" not in freedoms,
        "no-scatter": not any(row.square for row in rows),
    }
    reason = next((reason for reason, holds in lacks.items() if holds), None)
    return (reason, None) if reason else ("", Components(rows=rows))
