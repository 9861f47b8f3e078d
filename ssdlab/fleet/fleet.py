"""A fleet: what a store of runs says of one workload of its drives."""

import atexit
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from typing import TYPE_CHECKING

from ssdlab.fleet.add import add_run, find_runs, require_runs
from ssdlab.fleet.ageing import summarise_ageing
from ssdlab.fleet.conditions import parse_accepted
from ssdlab.fleet.coverage import summarise_coverage
from ssdlab.fleet.delta import Writer, create_tables
from ssdlab.fleet.drives import find_odd_ones, summarise_drives, summarise_groups
from ssdlab.fleet.firmwares import contrast_firmwares
from ssdlab.fleet.history import find_changes
from ssdlab.fleet.place import place_of
from ssdlab.fleet.population import (
    GROUPINGS,
    By,
    Choice,
    choose_cell,
    kept_runs,
    read_runs,
    usual_grouping,
)
from ssdlab.fleet.rounds import MOST_READ, find_odd_rounds
from ssdlab.fleet.store import Store, open_store
from ssdlab.model.errors import UnknownNameError
from ssdlab.store.catalog import SAMPLES
from ssdlab.store.places import find_here_or_above

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True)
class Fleet:
    """One workload of the drives of a store, as `ssdlab.summarise_fleet` returns it.

    Attributes
    ----------
    store : Store
        The store.
    choice : Choice
        The cell and the metric.
    by : {"model", "firmware", "host"}
        What drives are grouped by.
    accepted : frozenset of str
        The conditions that may differ.
    runs : pandas.DataFrame
        Every run of the store: what it measured, and why it is left out.
    which : str
        Which store it is, if none was named.
    """

    store: Store
    choice: Choice
    by: By
    accepted: frozenset[str]
    runs: "pd.DataFrame"
    which: str = ""

    @cached_property
    def kept(self) -> "pd.DataFrame":
        """The runs that are kept, each with its group."""
        return kept_runs(self.runs, self.by)

    @cached_property
    def drives(self) -> "pd.DataFrame":
        """The level of each drive in each group, with its interval."""
        return summarise_drives(self.kept)

    @cached_property
    def groups(self) -> "pd.DataFrame":
        """The median of each group, and how its drives and their runs scatter."""
        return summarise_groups(self.kept, self.drives)

    @cached_property
    def odd(self) -> "pd.DataFrame":
        """How far each drive is from the median of its group, and each run."""
        return find_odd_ones(self.kept, self.drives)

    @cached_property
    def odd_rounds(self) -> "pd.DataFrame":
        """The rounds of the runs that are far off, or of drives that are."""
        far = self.odd[self.odd["is_outlier"].astype(bool)]
        order = far["z"].abs().sort_values(ascending=False).index
        runs = far.reindex(order).drop_duplicates("run_id").head(MOST_READ)
        return find_odd_rounds(runs, self.choice)

    @cached_property
    def firmwares(self) -> "pd.DataFrame":
        """How later firmwares of each model differ from its first."""
        return contrast_firmwares(self.kept, self.choice.metric)

    @cached_property
    def ageing(self) -> "pd.DataFrame":
        """By how much the drives of each model change with their life."""
        return summarise_ageing(self.kept)

    @cached_property
    def changes(self) -> "pd.DataFrame":
        """Where the level of each model, and of each drive, changed over time."""
        return find_changes(self.kept, self.choice.metric)

    @cached_property
    def histograms(self) -> "pd.DataFrame":
        """The bins of the cell."""
        choice = self.choice
        found = self.store.histograms(
            choice.workload, test=choice.test, direction=choice.direction
        )
        return found[found["cell"] == choice.cell]

    @cached_property
    def coverage(self) -> "pd.DataFrame":
        """When each drive was last measured by each test."""
        measured = self.store.sql("select distinct ingest_id, test from cells")
        return summarise_coverage(self.runs, measured)


def summarise_fleet(  # noqa: PLR0913 - each is a choice of a user
    store: Store | str | Path = "",
    *,
    cell: str = "",
    test: str = "",
    metric: str = "",
    direction: str = "total",
    by: str = "",
    accept: str = "",
) -> Fleet:
    """Return what a store says of one workload of its drives.

    Parameters
    ----------
    store : Store, str or Path
        A store of runs, or where it is; by default a temporary one of the sample runs.
    cell : str, default ""
        The first words of a workload, such as ``RND 4KiB 0/100``. Of all workloads that
        it means, that of the most drives is taken.
    test : str, default ""
        The test; by default that of the workload of the most drives.
    metric : str, default ""
        iops, bw, mean, p50, p90, p99, p99.9, p99.99, or p99.999 (the latter are of
        latency); by default bw of the test tp, mean of lat, and iops of others.
    direction : {"total", "read", "write", "trim"}, default "total"
        Which IOs.
    by : {"", "model", "firmware", "host"}, default ""
        What drives are grouped by; by default firmware where a model has several, else
        model.
    accept : str, default ""
        Conditions that may differ, separated by commas: profile, settings,
        specification, active range, virtual, write cache, fio version, kernel,
        operating system, ssdlab schema, steady state or neighbours; or all. Hosts may.

    Returns
    -------
    Fleet
        Its frames: ``runs``, ``drives``, ``groups``, ``odd``, ``coverage`` and others.

    Raises
    ------
    UnknownNameError
        If there is no such workload, test, metric, grouping or condition.
    StoreError
        If the store is empty.

    Examples
    --------
    >>> import ssdlab
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = ssdlab.open_store(f"{folder}/store", create=True)
    ...     store = store.add("data/samples/virtual-b")
    ...     fleet = ssdlab.summarise_fleet(store)
    >>> fleet.choice.workload, fleet.drives["drive"].tolist()
    ('RND 4 KiB 0/100 T2/Q16', ['VIRTUAL-B'])
    """
    if by and by not in GROUPINGS:
        raise UnknownNameError(kind="grouping", name=by, known=list(GROUPINGS))
    which = ""
    if store == "":
        store, which = _store_of_samples()
    opened = store if isinstance(store, Store) else open_store(store)
    accepted = parse_accepted(accept)
    choice = choose_cell(opened, cell, test=test, direction=direction, metric=metric)
    runs = read_runs(opened, choice, accepted=accepted)
    grouping = dict(zip(GROUPINGS, GROUPINGS, strict=True))[by] if by else None
    return Fleet(
        store=opened,
        choice=choice,
        by=grouping or usual_grouping(runs),
        accepted=accepted,
        runs=runs,
        which=which,
    )


def _store_of_samples() -> tuple[Store, str]:
    """Return a store of the sample runs, which ends with the process."""
    samples = find_here_or_above(SAMPLES)
    folder = mkdtemp(prefix="ssdlab-fleet-")
    atexit.register(rmtree, folder, ignore_errors=True)
    place = place_of(f"{folder}/store", is_new=True)
    create_tables(place)
    runs = list(find_runs([samples]))
    require_runs(runs)
    writer = Writer(place)
    for run in runs:
        add_run(writer, run, now_s=0.0)
    words = f"No store was named: these are the {len(runs)} sample runs in {samples}."
    return open_store(place.url), words
