"""Where a value falls among nine printed ones, and how far a run is from each."""

import math
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.classes.metrics import CLASS_METRICS, METRICS_BY_NAME
from ssdlab.classes.places import (
    summarise_class_distances,
    summarise_class_places,
    summarise_nearest_classes,
)
from ssdlab.reference.storage_classes import read_storage_classes

CLASSES = read_storage_classes()
NAMES = [metric.name for metric in CLASS_METRICS]


def values(**known: float) -> pd.DataFrame:
    return pd.DataFrame({
        "metric": NAMES,
        "value": [known.get(name, math.nan) for name in NAMES],
    })


def place(name: str, value: float) -> "pd.Series[Any]":
    (row,) = [
        row for _, row in summarise_class_places(
            values(**{name: value}), CLASSES).iterrows()
    ]  # fmt: skip
    return row


def printed(storage_class: str) -> pd.DataFrame:
    (row,) = CLASSES[CLASSES["storage_class"] == storage_class].to_dict("records")
    return values(**{name: float(row[name]) for name in NAMES})


def test_value_falls_between_two_classes() -> None:
    row = place("write_iops", 4627.7)
    assert (row["rank"], row["n_compared"]) == (6, 9)
    assert (row["better"], row["worse"]) == ("SATA Client", "M.2 x2")
    assert row["equal"] == ""
    assert row["nearest"] == "M.2 x2"
    assert row["ratio"] == pytest.approx(4627.7 / 4185)


@pytest.mark.parametrize(
    ("value", "rank", "better", "worse"),
    [(1e6, 1, "", "PCIe 8 Lane"), (1.0, 10, "SSHD", "")],
)
def test_value_beyond_all_has_one_neighbour(
    value: float, rank: int, better: str, worse: str
) -> None:
    row = place("read_iops", value)
    assert (row["rank"], row["better"], row["worse"]) == (rank, better, worse)


def test_less_latency_is_better_and_doubtful_values_take_no_part() -> None:
    row = place("lat_mean_ms", 30.0)
    assert (row["rank"], row["n_compared"]) == (9, 8)
    assert (row["better"], row["worse"]) == ("SSHD", "")
    best = place("lat_max_ms", 0.1)
    assert (best["rank"], best["worse"]) == (1, "SATA 6Gb/s")


@pytest.mark.parametrize(
    ("value", "equal"),
    [
        (0.012, "SFF 8639, PCIe 8 Lane"),
        (0.0049, ""),
        (0.016, ""),
        (0.054, "SATA 6Gb/s, SAS 12Gb/s"),
        (0.057, "SATA Client"),
    ],
)
def test_printed_digits_that_leave_it_open_make_equals(
    value: float, equal: str
) -> None:
    assert place("lat_mean_ms", value)["equal"] == equal


@pytest.mark.parametrize(
    ("value", "equal", "n_better"),
    [
        (480.0, "SATA Client", 6),
        (503.7, "SATA Client, SATA 6Gb/s", 5),
        (506.0, "SATA 6Gb/s", 5),
    ],
)
def test_throughput_may_be_of_mib(value: float, equal: str, n_better: int) -> None:
    """480 MB/s as printed are 479.5 to 503.8 MB/s; 504 are 503.5 to 529.0."""
    row = place("tp_read_mb_per_s", value)
    assert row["equal"] == equal
    assert row["rank"] == n_better + 1


@pytest.mark.parametrize("name", CLASSES["storage_class"])
def test_class_is_nearest_to_itself_in_every_column(name: str) -> None:
    distances = summarise_class_distances(printed(name), CLASSES)
    own = distances[distances["storage_class"] == name].dropna()
    assert (own["factor"] == 1).all()
    assert (own["ratio"] == 1).all()
    nearest = summarise_nearest_classes(distances)
    assert nearest["storage_class"].iloc[0] == name
    assert nearest["mean_factor"].iloc[0] == 1
    assert len(nearest) == 9


def test_mean_factor_is_the_geometric_mean_of_the_columns() -> None:
    found = summarise_class_distances(
        values(write_iops=4185 * 4.0, read_iops=71282 / 9.0), CLASSES
    )
    own = found[(found["storage_class"] == "M.2 x2")].dropna()
    assert own["ratio"].tolist() == pytest.approx([4, 1 / 9])
    nearest = summarise_nearest_classes(found).set_index("storage_class")
    assert nearest.loc["M.2 x2", "mean_factor"] == pytest.approx(6, rel=1e-3)
    assert nearest.loc["M.2 x2", "greatest_factor"] == pytest.approx(9, rel=1e-3)
    assert nearest.loc["M.2 x2", "n_metrics"] == 2


def test_doubtful_values_have_no_distance() -> None:
    found = summarise_class_distances(values(lat_mean_ms=1.0, write_iops=1e3), CLASSES)
    doubtful = found[(found["storage_class"] == "SAS HDD")].set_index("metric")
    is_missing = doubtful["factor"].isna()
    assert is_missing["lat_mean_ms"]
    assert not is_missing["write_iops"]
    nearest = summarise_nearest_classes(found).set_index("storage_class")
    assert nearest.loc["SAS HDD", "n_metrics"] == 1
    assert nearest.loc["SSHD", "n_metrics"] == 2


def test_run_that_measured_nothing_has_no_place_and_no_nearest_class() -> None:
    assert summarise_class_places(values(), CLASSES).empty
    assert summarise_nearest_classes(summarise_class_distances(values(), CLASSES)).empty


@settings(max_examples=50, deadline=None)
@given(
    name=st.sampled_from(NAMES),
    value=st.floats(min_value=1e-3, max_value=1e7),
    worsening=st.floats(min_value=1.0, max_value=100.0),
)
def test_worse_value_never_has_a_better_rank(
    name: str, value: float, worsening: float
) -> None:
    is_more_better = METRICS_BY_NAME[name].is_more_better
    worse = value / worsening if is_more_better else value * worsening
    assert int(place(name, worse)["rank"]) >= int(place(name, value)["rank"])


@settings(max_examples=50, deadline=None)
@given(name=st.sampled_from(NAMES), value=st.floats(min_value=1e-3, max_value=1e7))
def test_nearest_class_has_the_least_factor(name: str, value: float) -> None:
    row = place(name, value)
    distances = summarise_class_distances(values(**{name: value}), CLASSES)
    known = distances[distances["metric"] == name].dropna(subset=["factor"])
    least = known["factor"].min()
    nearest = known[known["factor"] == least]["storage_class"]
    assert row["nearest"] == ", ".join(nearest)
    assert (known["factor"] >= 1).all()
    if row["equal"]:
        assert least == 1
