"""Runs of a store under equal conditions on several drives: what a study rests on.

They have one model and one firmware, those of the most drives.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
import pandas as pd

from ssdlab.fleet.conditions import parse_accepted
from ssdlab.fleet.population import Choice, choose_cell, kept_runs, read_runs
from ssdlab.fleet.selection import parse_conditions
from ssdlab.fleet.store import Store, open_store
from ssdlab.fleet.texts import counted
from ssdlab.model.errors import ParameterError
from ssdlab.text.numbers import NOT_RECORDED


@dataclass(frozen=True, kw_only=True)
class Pilot:
    """The runs of one workload: ``runs`` are all of a store, with why one is left out.

    ``accepted`` are the conditions that may differ.
    """

    store: Store
    choice: Choice
    runs: pd.DataFrame
    accepted: frozenset[str] = frozenset()

    @cached_property
    def _grouped(self) -> pd.DataFrame:
        return kept_runs(self.runs, "firmware")

    @cached_property
    def drives_by_group(self) -> Mapping[str, int]:
        """The number of drives of each model and firmware, the most first."""
        counts = self._grouped.groupby("group")["drive"].nunique()
        order = sorted(counts.items(), key=lambda one: (-one[1], str(one[0])))
        return {str(group): int(count) for group, count in order}

    @property
    def group(self) -> str:
        """The model and the firmware of the most drives; empty without a run."""
        return next(iter(self.drives_by_group), "")

    @cached_property
    def kept(self) -> pd.DataFrame:
        """The runs of that group, with the logarithm of their value."""
        own = self._grouped[self._grouped["group"] == self.group]
        return own.assign(log=np.log(own["value"])).reset_index(drop=True)

    @property
    def drives(self) -> int:
        """How many drives were measured."""
        return int(self.kept["drive"].nunique())

    @property
    def others_text(self) -> str:
        """Which other groups there are, in a sentence; empty without any."""
        own, *others = self.drives_by_group.items() or [("", 0)]
        if not others:
            return ""
        names = ", ".join(f"{name} ({counted(n, 'drive')})" for name, n in others[:3])
        more = ", …" * (len(others) > 3)
        return (
            f"Only {own[0]} is looked at, that of the most drives. Others: {names}"
            f"{more}. Choose with --where device_model=… or device_firmware=…."
        )


def read_pilot(  # noqa: PLR0913 - each is a choice of a user
    store: Store | str | Path,
    *,
    cell: str = "",
    test: str = "",
    metric: str = "",
    direction: str = "total",
    where: Iterable[str] = (),
    accept: str = "",
) -> Pilot:
    """Return what the runs of a store measured of one workload."""
    opened = store if isinstance(store, Store) else open_store(store)
    accepted = parse_accepted(accept)
    conditions = parse_conditions(where)
    choice = choose_cell(opened, cell, test=test, direction=direction, metric=metric)
    runs = read_runs(opened, choice, accepted=accepted, where=conditions)
    return Pilot(store=opened, choice=choice, runs=runs, accepted=accepted)


def require_confidence(name: str, value: float) -> None:
    """Require a confidence, or a share of studies, that a study may ask for [%]."""
    if not 50 <= value < 100:
        raise ParameterError(name=name, value=value, asked="from 50 to below 100")


def host_labels(pilot: Pilot, columns: Iterable[str]) -> list[str]:
    """Return the host of each kept run, as some columns of ``runs`` tell it."""
    names = list(columns)
    runs = pilot.store.runs().set_index("ingest_id").reindex(pilot.kept["ingest_id"])
    texts = runs.reindex(columns=names).astype(object)
    return [
        ", ".join(str(one).strip() for one in row if not pd.isna(one) and str(one))
        or NOT_RECORDED
        for row in texts.itertuples(index=False, name=None)
    ]
