"""What a page of storage classes holds on each run, and the same as plain data."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import pandas as pd

from ssdlab.classes.histograms import ClassHistogram, read_class_histograms
from ssdlab.classes.metrics import (
    CLASS_METRICS,
    DRAWN_BY_NAME,
    METRICS_BY_NAME,
    RESPONSE_METRICS,
    find_run_conditions,
    run_kind,
)
from ssdlab.classes.places import (
    summarise_class_distances,
    summarise_class_places,
    summarise_nearest_classes,
)
from ssdlab.classes.values import summarise_class_values
from ssdlab.model.errors import RepeatedNameError, RunFolderError
from ssdlab.paper.context import Context, read_context
from ssdlab.pts.wsat.summary import summarise_saturation
from ssdlab.stats.plain_rows import plain_rows, plain_value
from ssdlab.store.run import Run

VirtualRanking = Literal["left out", "ranked"]
_MODELS = frozenset({"virtual", "file"})


@dataclass(frozen=True, kw_only=True)
class ClassRun:
    """One run compared with the storage classes.

    ``name`` says whether it is a model, a file or an import. ``places``,
    ``distances`` and ``nearest`` are empty where the run takes no part in ranking.
    ``responses`` are the response times of IOPS and TP, which are never ranked.
    """

    run_id: str
    name: str
    kind: str
    is_ranked: bool
    conditions: tuple[str, ...]
    measured: pd.DataFrame
    responses: pd.DataFrame
    places: pd.DataFrame
    distances: pd.DataFrame
    nearest: pd.DataFrame
    rounds: pd.DataFrame
    histograms: dict[str, ClassHistogram]

    @property
    def is_model(self) -> bool:
        """Whether it is a virtual SSD or a file, not a drive."""
        return self.kind in _MODELS

    @property
    def drawn(self) -> pd.DataFrame:
        """What figures draw: ``run_id``, ``metric`` and ``value``."""
        values = pd.concat([self.measured, self.responses], ignore_index=True)
        return values[["metric", "value"]].assign(run_id=self.run_id)


def read_class_runs(
    runs: Sequence[Run], classes: pd.DataFrame, *, virtual: VirtualRanking = "left out"
) -> tuple[ClassRun, ...]:
    """Return runs compared with the storage classes."""
    ids = [run.record.run_id for run in runs]
    for run_id in ids:
        if ids.count(run_id) > 1:
            text = ", ".join(str(run.path) for run in runs)
            raise RepeatedNameError(kind="run", name=run_id, text=text)
    contexts = [_read(run) for run in runs]
    names = _names([context.runs.iloc[0] for context in contexts])
    return tuple(
        _class_run(context, classes, name=name, virtual=virtual)
        for context, name in zip(contexts, names, strict=True)
    )


def _read(run: Run) -> Context:
    context = read_context(run)
    if context.runs.empty:
        raise RunFolderError(
            folder=str(run.path),
            reason="this run has no tables yet",
            remedy=f"Let it finish, or build them: ssdlab ingest {run.path}",
        )
    return context


def _names(runs: Sequence["pd.Series[Any]"]) -> list[str]:
    """Return a unique name for each run, with its kind if it is not a drive."""
    bare = [_bare_name(run) for run in runs]
    names = []
    for run, name in zip(runs, bare, strict=True):
        own = name if bare.count(name) == 1 else f"{name} {str(run['run_id'])[-4:]}"
        kind = run_kind(run.to_dict())
        names.append(own if kind == "drive" else f"{own} ({kind})")
    if len(set(names)) == len(names):
        return names
    return [f"{place}. {name}" for place, name in enumerate(names, start=1)]


def _bare_name(run: "pd.Series[Any]") -> str:
    for column in ("label", "device_model", "run_id"):
        text = "" if pd.isna(run[column]) else str(run[column]).strip()
        if text:
            return text
    return "run"


def _class_run(
    context: Context, classes: pd.DataFrame, *, name: str, virtual: VirtualRanking
) -> ClassRun:
    facts = context.runs.iloc[0].to_dict()
    kind = run_kind(facts)
    every = summarise_class_values(
        context.totals,
        context.windows,
        steps=context.steps,
        metrics=(*CLASS_METRICS, *RESPONSE_METRICS),
    )
    values, responses = every[: len(CLASS_METRICS)], every[len(CLASS_METRICS) :]
    is_ranked = kind not in _MODELS or virtual == "ranked"
    taken = values if is_ranked else values.iloc[:0]
    distances = summarise_class_distances(taken, classes)
    return ClassRun(
        run_id=str(facts["run_id"]),
        name=name,
        kind=kind,
        is_ranked=is_ranked,
        conditions=find_run_conditions(
            facts, classes, is_cache_left=context.record.is_cache_left
        ),
        measured=values,
        responses=responses.reset_index(drop=True),
        places=summarise_class_places(taken, classes),
        distances=distances,
        nearest=summarise_nearest_classes(distances),
        rounds=_rounds(context),
        histograms=read_class_histograms(context),
    )


def _rounds(context: Context) -> pd.DataFrame:
    """Return the rounds of the WSAT of RND 4 KiB writes."""
    totals = context.totals
    metric = METRICS_BY_NAME["fob_iops"]
    cells = totals[
        (totals["access"] == metric.access)
        & (totals["block_size_bytes"] == metric.block_size_bytes).fillna(value=False)
        & (totals["read_percent"] == metric.read_percent).fillna(value=False)
    ]
    return summarise_saturation(cells, context.steps, percentiles=context.percentiles)


def class_runs_as_dict(
    runs: Sequence[ClassRun], classes: pd.DataFrame
) -> dict[str, object]:
    """Return storage classes and runs as plain data; what is missing is ``None``."""
    return {"classes": plain_rows(classes), "runs": [_run_as_dict(run) for run in runs]}


def _run_as_dict(run: ClassRun) -> dict[str, object]:
    return {
        "run_id": run.run_id,
        "name": run.name,
        "kind": run.kind,
        "is_ranked": run.is_ranked,
        "conditions": list(run.conditions),
        "values": _values_as_data(run.measured),
        "response_times": _values_as_data(run.responses),
        "places": plain_rows(run.places),
        "distances": plain_rows(run.distances.dropna(subset=["factor"])),
        "nearest": plain_rows(run.nearest),
        "levels": {
            test: plain_rows(one.levels) for test, one in run.histograms.items()
        },
        "histograms": {
            test: _histogram_as_dict(one) for test, one in run.histograms.items()
        },
    }


def _values_as_data(values: pd.DataFrame) -> list[dict[str, object]]:
    """Return values as plain data, each with its unit."""
    rows: list[dict[str, object]] = plain_rows(values)
    for row in rows:
        row["unit"] = DRAWN_BY_NAME[str(row["metric"])].unit
        row["conditions"] = str(row["conditions"]).splitlines()
    return rows


def _histogram_as_dict(histogram: ClassHistogram) -> dict[str, object]:
    return {
        "total_ios": histogram.total_ios,
        "iops": plain_value(histogram.iops),
        "stimulus": histogram.stimulus or None,
        "workers": histogram.workers or None,
        "seconds": plain_value(histogram.seconds),
    }
