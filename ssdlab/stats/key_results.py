"""The key results of a run: what it reports of each test, one number a row."""

import pandas as pd

COLUMNS = [
    "test",
    "phase",
    "tracking",
    "metric",
    "value",
    "rounds",
    "is_steady",
]
_PRECONDITIONING = "wdpc"
_CELL = ["test", "phase", "access", "block_size_bytes", "read_percent"]


def summarise_results(
    measurements: pd.DataFrame, windows: pd.DataFrame
) -> pd.DataFrame:
    """Return the averages that a run reports, from its tables.

    A test with judged windows has a row per tracking variable: its average in the
    reported window. Of another test, such as a peak job, each load has its mean IOPS.
    """
    final = windows[windows["is_final"].fillna(value=False).astype(bool)]
    final = final[final["phase"] != _PRECONDITIONING]
    judged = pd.DataFrame({
        "test": final["test"],
        "phase": final["phase"],
        "tracking": final["tracking"],
        "metric": final["metric"],
        "value": final["average"].astype(float),
        "rounds": [
            f"{first} - {last}"
            for first, last in zip(
                final["window_first_round"], final["window_last_round"], strict=True
            )
        ],
        "is_steady": final["is_round_steady"].astype("boolean"),
    })
    parts = [part for part in (judged, _unjudged(measurements, windows)) if len(part)]
    if not parts:
        return pd.DataFrame(columns=COLUMNS)
    order = {name: place for place, name in enumerate(measurements["test"].unique())}
    found = pd.concat(parts, ignore_index=True)[COLUMNS]
    return found.sort_values(
        "test", key=lambda names: names.map(order), kind="stable", ignore_index=True
    )


def _unjudged(measurements: pd.DataFrame, windows: pd.DataFrame) -> pd.DataFrame:
    """Return the mean IOPS of each load of the tests that judged no window."""
    rows = measurements[
        (measurements["direction"] == "total")
        & measurements["kind"].isin(["cell", "histogram"])
        & ~measurements["test"].isin(set(windows["test"]))
        & measurements["iops"].notna()
        & measurements["block_size_bytes"].notna()
    ]
    means = rows.groupby(_CELL, sort=False, dropna=False)["iops"].agg(["mean", "size"])
    found = means.reset_index()
    return pd.DataFrame({
        "test": found["test"],
        "phase": found["phase"],
        "tracking": [_label(row) for row in found.to_dict("records")],
        "metric": "iops",
        "value": found["mean"].astype(float),
        "rounds": found["size"].astype(str),
        "is_steady": pd.array([pd.NA] * len(found), dtype="boolean"),
    })


def _label(row: dict[object, object]) -> str:
    from ssdlab.model.spec import stimulus_label  # noqa: PLC0415

    size, mix = (
        int(str(row[name]).partition(".")[0])
        if pd.notna(row[name])  # type: ignore[call-overload] # a number or missing
        else 0
        for name in ("block_size_bytes", "read_percent")
    )
    return stimulus_label(str(row["access"]), size, mix)
