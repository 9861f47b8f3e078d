"""The uncertainty budget of a steady-state result, as the GUM lays it out."""

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import pandas as pd

from ssdlab.budget.entries import (
    DRIVE_TO_DRIVE,
    OF_ROUNDS_OR_IOS,
    RUN_TO_RUN,
    Entry,
    population_entries,
    resolution_entries,
    round_entries,
    surroundings_entries,
)
from ssdlab.budget.result import Result, choose_result
from ssdlab.fleet.pilot import read_pilot, require_confidence
from ssdlab.fleet.store import Store
from ssdlab.ingest.opening import open_run
from ssdlab.model.errors import NoRunLeftError, UnknownNameError
from ssdlab.stats.uncertainty import Combined, combine_contributions
from ssdlab.store.run import Run

Reason = Literal["", "no-value", "not-steady", "not-judged", "no-scatter"]
Scope = Literal["run", "drive", "model"]
_NO_STORE = "no store was given: --store"


@dataclass(frozen=True, kw_only=True, eq=False)
class Budget:
    """The uncertainty budget of a result, as `summarise_budget` returns it.

    Attributes
    ----------
    run : Run
        The run.
    result : Result
        Its result: test, workload, metric, value in the stored unit, rounds.
    entries : tuple of Entry
        Every source, with its contribution or why it is not evaluated.
    combined : Combined or None
        Combined and expanded uncertainty of what is evaluated.
    reason : str
        Why there is none; empty if there is.
    """

    run: Run
    result: Result
    entries: tuple[Entry, ...]
    combined: Combined | None
    reason: Reason = ""

    @property
    def scope(self) -> Scope:
        """What the uncertainty is of: this run, its drive, or drives of its model."""
        told = {one.source for one in self.entries if one.contribution}
        if RUN_TO_RUN not in told:
            return "run"
        return "model" if DRIVE_TO_DRIVE in told else "drive"


def summarise_budget(  # noqa: PLR0913 - each is a choice of a user
    run: Run | str | Path,
    *,
    cell: str = "",
    test: str = "",
    metric: str = "",
    direction: str = "total",
    store: Store | str | Path | None = None,
    where: Iterable[str] = (),
    accept: str = "",
    confidence_percent: float = 95.0,
) -> Budget:
    """Return the uncertainty budget of a steady-state result of a run.

    Parameters
    ----------
    run : Run, str or Path
        The run, as `ssdlab.open_run` takes it.
    cell : str, default ""
        The first words of a workload; by default ``RND 4 KiB 0/100`` if it was
        measured.
    test : str, default ""
        The test; by default the IOPS test if there is one.
    metric : str, default ""
        As of `ssdlab.summarise_fleet`.
    direction : {"total", "read", "write", "trim"}, default "total"
        Which IOs.
    store : Store, str or Path, optional
        A store that knows how runs and drives of this model and firmware scatter.
        Without one that is not evaluated.
    where : iterable of str, default ()
        Conditions on the runs of the store besides model and firmware.
    accept : str, default ""
        Conditions that may differ, as of `ssdlab.summarise_fleet`.
    confidence_percent : float, default 95
        Of the expanded uncertainty [%].

    Returns
    -------
    Budget
        Every source with its contribution, or why it is not evaluated.

    Raises
    ------
    UnknownNameError
        If there is no such test, workload, metric, direction or condition.
    NoHistogramError
        If a percentile is asked of a run without histograms.
    ParameterError
        If the confidence is out of its range.
    RunFolderError
        If there is no such run.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.summarise_budget("data/samples/virtual-b")
    >>> found.scope, [one.source for one in found.entries if one.contribution]
    ('run', ['round to round', 'drift in the window', 'resolution of times'])
    """
    require_confidence("confidence_percent", confidence_percent)
    opened = run if isinstance(run, Run) else open_run(run)
    result = choose_result(
        opened, cell=cell, test=test, metric=metric, direction=direction
    )
    runs, why = None, _NO_STORE
    if store is not None:
        runs, why = _read_population(
            opened, result, store, where=tuple(where), accept=accept
        )
    entries = (
        *round_entries(result),
        *resolution_entries(result),
        *surroundings_entries(result, opened),
        *population_entries(result.value, runs, why=why),
    )
    combined, reason = judge_entries(
        result, entries, confidence_percent=confidence_percent
    )
    return Budget(
        run=opened, result=result, entries=entries, combined=combined, reason=reason
    )


def judge_entries(
    result: Result, entries: Iterable[Entry], *, confidence_percent: float
) -> tuple[Combined | None, Reason]:
    """Return the combined uncertainty, or why there is none.

    A result without steady state, or whose own scatter is not known, has none.
    """
    known = [one for one in entries if one.contribution is not None]
    own = [one for one in known if one.source in OF_ROUNDS_OR_IOS]
    reason: Reason = ""
    if result.is_steady is None:
        reason = "not-judged"
    elif not result.is_steady:
        reason = "not-steady"
    elif not result.value > 0:
        reason = "no-value"
    elif not own:
        reason = "no-scatter"
    if reason:
        return None, reason
    parts = [one.contribution for one in known if one.contribution]
    return combine_contributions(parts, confidence_percent=confidence_percent), ""


def _read_population(
    run: Run,
    result: Result,
    store: Store | str | Path,
    *,
    where: tuple[str, ...],
    accept: str,
) -> tuple[pd.DataFrame | None, str]:
    """Return the runs of a store of the same model, firmware and cell; or why none."""
    target = run.record.target
    own = (f"device_model={target.model}", f"device_firmware={target.firmware}")
    names = {"test": result.test, "direction": result.direction}
    try:
        pilot = read_pilot(
            store, cell=result.workload, metric=result.metric.name, accept=accept,
            where=[*map(_literal, own), *where], **names,
        )  # fmt: skip
    except UnknownNameError as error:
        if error.kind not in {"test", "direction", "workload"}:
            raise
        return None, f"the store has no such {error.kind}"
    except NoRunLeftError as error:
        return None, f"in the store {error.reason}"
    if pilot.choice.cell != result.cell:
        return None, "the store has this workload in another phase only"
    return pilot.kept, "no run of the store can be used: ssdlab fleet tells why"


def _literal(condition: str) -> str:
    """Return a condition whose value is not read as a pattern.

    >>> _literal("device_model=A[1]*")
    'device_model=A[[]1][*]'
    """
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in condition)
