"""The cells that a run measured: a workload of a phase in one direction each.

A rate is that of the rounds by which the steady state is determined, as in the report;
a histogram that of all IOs of the window, as of ``ssdlab qos``.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from ssdlab.qos.load import Load
from ssdlab.qos.loads import workload_label
from ssdlab.stats.latency_kind import LatencyKind, latency_kind, with_latency_of
from ssdlab.stats.matrix import choose_rounds, mark_window

if TYPE_CHECKING:
    from ssdlab.store.run import Run

_KINDS = ("cell", "histogram", "mean")
_KEYS = ["test", "phase", "kind", "workload", "direction"]
WORKLOAD: Final = [
    "access", "block_size_bytes", "read_percent", "threads", "queue_depth",
]  # fmt: skip


@dataclass(frozen=True, kw_only=True, eq=False)
class MeasuredCell:
    """A cell of a run: its names, its rounds, and the bins of those in its window.

    ``names`` are test, phase, kind, workload and direction. ``rows`` are its rows of
    ``measurements``, marked by the window, and ``bins`` None where there are none.
    ``is_steady`` is None where its phase was not judged.
    """

    names: Mapping[str, str]
    rows: pd.DataFrame
    bins: pd.DataFrame | None
    is_steady: bool | None
    neighbours: str | None

    @property
    def name(self) -> str:
        """The cell as a store of runs names it."""
        return " ".join(self.names.values())

    @cached_property
    def latency(self) -> LatencyKind:
        """Which latency its histogram is of."""
        return "lat" if self.bins is None else latency_kind(self._window, self.bins)

    @cached_property
    def _window(self) -> pd.DataFrame:
        return choose_rounds(self.rows, "is_in_window")

    @cached_property
    def window(self) -> pd.DataFrame:
        """The rounds of its window, all of them if it has none."""
        return with_latency_of(self._window, self.latency)

    @cached_property
    def sampled(self) -> pd.DataFrame:
        """The rounds by which its steady state is determined."""
        return with_latency_of(choose_rounds(self.rows, "is_sampled"), self.latency)

    @property
    def whole_load(self) -> Load:
        """All IOs of its window, without bins."""
        return Load(
            **self.names,
            steps=self.window,
            bins=self.rows.iloc[:0],
            latency=self.latency,
        )

    @cached_property
    def load(self) -> Load | None:
        """The IOs of its window that are in bins; None if there are none."""
        if self.bins is None:
            return None
        is_binned = self.window["step_id"].isin(self.bins["step_id"])
        steps = self.window[is_binned].reset_index(drop=True)
        return Load(**self.names, steps=steps, bins=self.bins, latency=self.latency)


def measured_cells(run: "Run") -> Iterator[MeasuredCell]:
    """Yield the cells of a run, in the order of their names."""
    measured = run.measurements[run.measurements["kind"].isin(_KINDS)]
    marked = mark_window(measured, run.windows)
    marked["workload"] = _labels(marked)
    held = run.bins[run.bins["count"] > 0]
    by_side = dict(iter(held.groupby(["step_id", "direction"], sort=False)))
    steady = _steady_phases(run.windows)
    neighbours = run.steps.set_index("step_id")["neighbours"]
    found = []
    for key, rows in marked.groupby(_KEYS, sort=True, dropna=False):
        names = dict(zip(_KEYS, map(str, key), strict=True))
        ordered = rows.sort_values("step_id", kind="stable").reset_index(drop=True)
        steps = choose_rounds(ordered, "is_in_window")
        own = [
            by_side[side]
            for side in zip(steps["step_id"], steps["direction"], strict=True)
            if side in by_side
        ]
        bins = pd.concat(own).sort_values("lat_ns", kind="stable") if own else None
        found.append(
            MeasuredCell(
                names=names,
                rows=ordered,
                bins=bins,
                is_steady=steady.get((names["test"], names["phase"])),
                neighbours=joined_lines(neighbours.reindex(steps["step_id"])),
            )
        )
    yield from sorted(found, key=lambda cell: cell.name)


def joined_lines(texts: Iterable[Any]) -> str | None:
    """Return the distinct lines of texts; None if all of them are missing."""
    known = [str(text) for text in texts if not pd.isna(text)]
    lines = dict.fromkeys(line for text in known for line in text.splitlines())
    return "\n".join(lines) if known else None


def _labels(rows: pd.DataFrame) -> list[str]:
    values = list(zip(*(rows[name] for name in WORKLOAD), strict=True))
    known = {
        one: workload_label(dict(zip(WORKLOAD, one, strict=True)))
        for one in dict.fromkeys(values)
    }
    return [known[one] for one in values]


def _steady_phases(windows: pd.DataFrame) -> dict[tuple[str, str], bool]:
    """Return whether each judged phase got steady in all its tracking variables."""
    final = windows[windows["is_final"].fillna(value=False).astype(bool)]
    is_steady = final["is_round_steady"].fillna(value=False).astype(bool)
    found: dict[tuple[str, str], bool] = {}
    for test, phase, one in zip(final["test"], final["phase"], is_steady, strict=True):
        found[test, phase] = found.get((test, phase), True) and one
    return found
