"""One workload of a store: what each run measured of it, and which runs are left out.

Runs are pooled only where their conditions are the same. The conditions of most drives
are taken; a run under others is left out by name, as is one that is no measure of its
drive alone. A drive is a model and a serial number.
"""

import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import compress
from types import MappingProxyType
from typing import Any, Final, Literal

import pandas as pd

from ssdlab.fleet.conditions import (
    OF_RUNS,
    Unfit,
    find_unfit,
    is_denied,
    settings_of_tests,
)
from ssdlab.fleet.contrast import METRICS, NAMES, FleetMetric
from ssdlab.fleet.selection import Condition, select_runs, value_text
from ssdlab.fleet.store import Store
from ssdlab.model.errors import StoreError, UnknownNameError
from ssdlab.pts.suite import CATALOG
from ssdlab.stats.cells import named_like
from ssdlab.text.numbers import NOT_RECORDED

By = Literal["model", "firmware", "host"]
LeftOut = (
    Literal["", "not-measured", "no-serial", "no-value", "unsupported", "conditions"]
    | Unfit
)

GROUPINGS: Final[tuple[By, ...]] = ("model", "firmware", "host")
_HOST = ("platform", "cpu")
# What must be the same in all runs that are pooled, and what it is called.
CONDITIONS: Final = MappingProxyType({
    **{
        name: words
        for name, words in OF_RUNS.items()
        if name not in (*_HOST, "dram_bytes")
    },
    "settings": "settings",
})
_USUAL_TEST, _USUAL_WORKLOAD = "iops", "RND 4 KiB 0/100"
_READINGS = ["written_before_bytes", "power_on_hours"]
_OF_RUN = [
    *("run_id", "ingest_id", "started_at", "folder"),
    *("is_conformant", "doubts", "ssdlab_version"),
    *_READINGS,
]


@dataclass(frozen=True, kw_only=True, slots=True)
class Choice:
    """The cell and the metric that are looked at.

    ``others`` are the cells that were meant as well and are not shown.
    """

    cell: str
    test: str
    phase: str
    kind: str
    workload: str
    direction: str
    metric: FleetMetric
    others: tuple[str, ...]


def find_metric(metric: str, test: str) -> FleetMetric:
    """Return a metric by its name; without one, what the test is compared by.

    >>> find_metric("p99.99", "lat").column, find_metric("", "tp").column
    ('lat_p9999_ns', 'bw_bytes_per_s')
    """
    if not metric:
        compared = CATALOG[test].compared.metrics if test in CATALOG else ()
        columns = [one.name for one in compared[:1]]
        own = (one for one in METRICS.values() if one.column in columns)
        return next(own, METRICS["iops"])
    if metric not in METRICS:
        raise UnknownNameError(kind="metric", name=metric, known=list(METRICS))
    return METRICS[metric]


def choose_cell(
    store: Store, cell: str = "", *, test: str = "", direction: str, metric: str = ""
) -> Choice:
    """Choose the cell of the most drives among those that a text means.

    Among equals the IOPS test and 4 KiB random writes come first.
    """
    found_metric = find_metric(metric, test)
    is_known = f"{found_metric.column} > 0"
    if found_metric.supported:
        is_known += f" and {found_metric.supported}"
    cells = store.sql(
        f"select {', '.join(NAMES)}, count(distinct (device_model, device_serial)) "  # noqa: S608 - names are ours
        f"filter ({is_known}) as drives from cells group by all"
    )
    if cells.empty:
        raise StoreError(
            store=store.url, reason="it has no runs", remedy="ssdlab store add"
        )
    for name, wanted in (("test", test), ("direction", direction)):
        known = sorted(set(cells[name]))
        if wanted and wanted not in known:
            raise UnknownNameError(kind=name, name=wanted, known=known)
        cells = cells[cells[name] == wanted] if wanted else cells
    found = cells[named_like(cells["workload"], cell)]
    if found.empty:
        known = sorted(set(cells["workload"]))
        raise UnknownNameError(kind="workload", name=cell, known=known)
    first, *others = sorted(found.to_dict("records"), key=_order)
    return Choice(
        **{name: str(first[name]) for name in NAMES},
        metric=found_metric,
        others=tuple(str(one["cell"]) for one in others) if cell else (),
    )


def _order(row: Any) -> tuple[Any, ...]:
    is_usual = str(row["workload"]).startswith(_USUAL_WORKLOAD)
    return -row["drives"], row["test"] != _USUAL_TEST, not is_usual, row["cell"]


def read_runs(
    store: Store,
    choice: Choice,
    *,
    accepted: Collection[str] = (),
    where: Sequence[Condition] = (),
) -> pd.DataFrame:
    """Return every run of a store, what it measured, and why it is left out.

    One row per run for which ``where`` holds, the oldest first: its drive, ``value``
    with the interval of its own rounds, ``left_out`` (empty for a run that is kept) and
    ``detail``.
    """
    named = {"test": choice.test, "direction": choice.direction}
    cells = store.cells(choice.workload, **named)
    cells = cells[cells["cell"] == choice.cell]
    steady = store.sql(
        "select ingest_id, test, bool_and(is_steady) as is_steady from cells group by "
        "all"
    )
    steady = steady[steady["test"] == choice.test]
    return describe_runs(
        select_runs(store.runs(), where, store=store.url),
        cells,
        test=choice.test,
        metric=choice.metric,
        is_steady=dict(zip(steady["ingest_id"], steady["is_steady"], strict=True)),
        accepted=accepted,
    )


def describe_runs(
    runs: pd.DataFrame,
    cells: pd.DataFrame,
    *,
    test: str,
    metric: FleetMetric,
    is_steady: dict[str, Any],
    accepted: Collection[str] = (),
) -> pd.DataFrame:
    """Return the runs with what they measured, and why some are left out.

    ``is_steady`` says by ``ingest_id`` whether all phases of the test were steady.
    """
    unit = "_ns" if metric.column.endswith("_ns") else ""
    stem = metric.column.removesuffix("_ns")
    wanted = {
        metric.column: "value",
        f"{stem}_low{unit}": "low",
        f"{stem}_high{unit}": "high",
        metric.supported or "is_supported": "is_supported",
        "basis": "basis",
        "neighbours": "neighbours",
    }
    own = cells.drop_duplicates("ingest_id").set_index("ingest_id")
    own = own.reindex(columns=list(wanted)).rename(columns=wanted)
    texts = runs.reindex(columns=[*_OF_RUN, *CONDITIONS])
    texts["settings"] = [_settings_text(one, test) for one in texts["settings"]]
    texts["is_measured"] = texts["ingest_id"].isin(own.index)
    for name, column in (
        ("model", "device_model"),
        ("serial", "device_serial"),
        ("firmware", "device_firmware"),
    ):
        texts[name] = _texts(runs[column])
    parts = [_texts(runs[name]) for name in _HOST]
    texts["host"] = [
        ", ".join(dict.fromkeys(filter(None, names))) or NOT_RECORDED
        for names in zip(*parts, strict=True)
    ]
    texts["drive"] = drive_names(texts["model"], texts["serial"])
    texts["time"] = pd.to_datetime(
        runs["started_at"], utc=True, format="ISO8601", errors="coerce"
    )
    found = texts.join(own, on="ingest_id").reset_index(drop=True)
    for name in ("value", "low", "high", *_READINGS):
        found[name] = found[name].astype(float)
    found["is_steady"] = [is_steady.get(one) for one in found["ingest_id"]]
    found["left_out"] = _reasons(found, accepted)
    return _without_other_conditions(found, accepted)


def _settings_text(text: Any, test: str) -> str:
    """Return the settings of a profile that a test uses, empty if not known."""
    known = settings_of_tests("" if pd.isna(text) else str(text), {test})
    return json.dumps(known, sort_keys=True) if known else ""


def _texts(values: "pd.Series[Any]") -> list[str]:
    return ["" if pd.isna(one) else str(one).strip() for one in values]


def drive_names(models: Iterable[str], serials: Iterable[str]) -> list[str]:
    """Return a name for each drive: its serial, with its model where two share it.

    >>> drive_names(["A", "B", "A"], ["S1", "S1", "S2"])
    ['A S1', 'B S1', 'S2']
    """
    pairs = list(zip(models, serials, strict=True))
    known = {serial for _, serial in pairs}
    several = {one for one in known if len({m for m, s in pairs if s == one}) > 1}
    return [f"{m} {s}".strip() if s and s in several else s for m, s in pairs]


def _reasons(runs: pd.DataFrame, accepted: Collection[str]) -> list[LeftOut]:
    """Return the first reason to leave each run out, whatever its conditions are."""
    reasons: dict[Any, Any] = {
        "not-measured": ~runs["is_measured"],
        "no-serial": runs["serial"] == "",
        "no-value": ~(runs["value"] > 0),
        "unsupported": is_denied(runs["is_supported"]),
        **find_unfit(runs, accepted),
    }
    rows = zip(*reasons.values(), strict=True)
    return [next(compress(reasons, holds), "") for holds in rows]


def _without_other_conditions(
    runs: pd.DataFrame, accepted: Collection[str]
) -> pd.DataFrame:
    """Leave out the runs whose conditions are not those of the most drives."""
    names = [one for one, words in CONDITIONS.items() if words not in accepted]
    texts = [[condition_text(one) for one in runs[name]] for name in names]
    keys = list(zip(*texts, strict=True)) if names else [()] * len(runs)
    kept = [reason == "" for reason in runs["left_out"]]
    drives: dict[tuple[str, ...], set[str]] = {}
    for key, drive in compress(zip(keys, runs["drive"], strict=True), kept):
        drives.setdefault(key, set()).add(drive)
    usual = max(drives, key=lambda key: (len(drives[key]), key), default=())
    is_other = [one and key != usual for key, one in zip(keys, kept, strict=True)]
    detail = [
        _unlike_texts(names, key, usual) if one else ""
        for key, one in zip(keys, is_other, strict=True)
    ]
    left_out = runs["left_out"].mask(pd.Series(is_other, runs.index), "conditions")
    return runs.assign(left_out=left_out, detail=detail)


def _unlike_texts(
    names: Sequence[str], own: Sequence[str], usual: Sequence[str]
) -> str:
    """Return the conditions that differ; other profiles have other settings."""
    unlike = {
        name: _unlike_text(name, first, second)
        for name, first, second in zip(names, own, usual, strict=True)
        if first != second
    }
    if "profile" in unlike:
        unlike.pop("settings", None)
    return "; ".join(unlike.values())


def _unlike_text(name: str, own: str, other: str) -> str:
    """Return a condition that differs, of settings those that do.

    >>> _unlike_text("kernel", "6.1", "6.5")
    'kernel: 6.1, not 6.5'
    >>> _unlike_text("settings", '{"a": "1", "b": "2"}', '{"a": "1"}')
    'settings: b'
    """
    if name != "settings" or NOT_RECORDED in {own, other}:
        return f"{CONDITIONS[name]}: {own}, not {other}"
    first, second = json.loads(own), json.loads(other)
    differing = [
        one
        for one in sorted(first.keys() | second.keys())
        if first.get(one) != second.get(one)
    ]
    return f"settings: {', '.join(differing)}"


def condition_text(value: Any) -> str:
    """Return the value of a condition in words.

    >>> condition_text(100.0), condition_text(True), condition_text(None)
    ('100', 'yes', 'not recorded')
    """
    text = value_text(value)
    return {"": NOT_RECORDED, "true": "yes", "false": "no"}.get(text, text)


def kept_runs(runs: pd.DataFrame, by: By) -> pd.DataFrame:
    """Return the runs that are kept, each with its ``group``."""
    kept = runs[runs["left_out"] == ""].reset_index(drop=True)
    return kept.assign(group=group_names(kept, by))


def group_names(runs: pd.DataFrame, by: By) -> list[str]:
    """Return the group of each run; a firmware is told with its model.

    Host alone is not enough: drives of different models are never one group.
    """
    models = [one or NOT_RECORDED for one in runs["model"]]
    if by == "model":
        return models
    own = [one or NOT_RECORDED for one in runs[by]]
    return [f"{model}, {one}" for model, one in zip(models, own, strict=True)]


def usual_grouping(runs: pd.DataFrame) -> By:
    """Return by what the runs that are kept are grouped if nobody says.

    By firmware where a model has several, else by model.
    """
    kept = runs[runs["left_out"] == ""]
    several = kept.groupby("model")["firmware"].nunique()
    return "firmware" if (several > 1).any() else "model"
