"""Which latency a histogram is of, as its numbers tell."""

import pandas as pd
import pytest

from ssdlab.analysis import summarise_qos
from ssdlab.qos.loads import select_load
from ssdlab.stats.latency_kind import latency_kind
from tests.qos.made_loads import COUNTED, MEASURED

BINS = pd.DataFrame({
    "lat_ns": [1000, 2000], "lat_upper_ns": [1008, 2016], "count": [90, 10],
})  # fmt: skip


def steps(**values: float) -> pd.DataFrame:
    return pd.DataFrame([{"total_ios": 100.0, **values}])


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ({"lat_mean_ns": 1101, "lat_max_ns": 2010}, "lat"),
        ({"lat_mean_ns": 1300, "lat_max_ns": 2300, "clat_mean_ns": 1101,
          "clat_max_ns": 2010}, "clat"),
        ({"lat_mean_ns": 1102, "lat_max_ns": 2017, "clat_mean_ns": 1101,
          "clat_max_ns": 2010}, "clat"),
        ({"lat_mean_ns": 1300, "lat_max_ns": 2012, "clat_mean_ns": 1101,
          "clat_max_ns": 2010}, "clat"),
        ({"lat_mean_ns": 1101, "lat_max_ns": 2012, "clat_mean_ns": 900,
          "clat_max_ns": 2010}, "lat"),
        ({"lat_mean_ns": 1103, "lat_max_ns": 2012, "clat_mean_ns": 1101,
          "clat_max_ns": 2010}, "lat"),
        ({"lat_mean_ns": 1300, "lat_max_ns": 9000, "clat_mean_ns": 1200,
          "clat_max_ns": 8000}, "clat"),
    ],
    ids=["clat unknown", "both differ", "maximum", "mean", "of lat", "alike", "cut"],
)  # fmt: skip
def test_numbers_tell_what_the_bins_are_of(values: dict[str, float], kind: str) -> None:
    assert latency_kind(steps(**values), BINS) == kind


def test_average_and_maximum_are_of_what_the_histogram_is_of() -> None:
    measured = MEASURED.assign(
        lat_mean_ns=1.3e6, lat_max_ns=6e6, clat_mean_ns=1.01e6, clat_max_ns=5e6
    )
    table = summarise_qos(select_load(measured, COUNTED)).set_index("marker")
    assert table["lat_ns"]["average"] == 1.01e6
    assert table["lat_ns"]["max"] == 5e6
    assert not table["is_censored"].any()
