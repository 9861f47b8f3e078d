"""Tables as people read them."""

import math

import pandas as pd
import pytest

from ssdlab.plots.readable import readable_table
from ssdlab.steadiness.precision import summarise_precision
from tests.stats.made_rounds import make_rounds, settled


def test_table_has_units_in_its_head_and_scaled_numbers() -> None:
    series = make_rounds(3e6 * settled(24), metric="bw_bytes_per_s", test="tp")
    table = readable_table(summarise_precision(series), metric=series.metric)
    assert {"MB/s", "MB/s per round", "%", "rounds"} <= set(table.column("Unit"))
    place = table.column("Quantity").index("average")
    assert float(table.column("Estimate")[place]) == pytest.approx(300, rel=0.2)
    low, high = table.column("95 %")[place].split(" to\N{NO-BREAK SPACE}")
    assert float(low) < float(high)
    plain = pd.DataFrame({"average": [math.inf, math.nan], "is_steady": [True, None]})
    shown = readable_table(plain, metric="lat_mean_ns")
    assert shown.column("Average [ms]") == ("no end", "")
    assert shown.column("Steady") == ("yes", "")


def test_forecast_of_samples_says_how_many_rounds_they_are() -> None:
    table = readable_table(pd.DataFrame({"chance_within_5": [0.5]}), sample_every=10)
    assert table.column("Chance within 50 rounds [%]") == ("50",)


def test_metric_of_the_frame_goes_before_the_one_that_was_chosen() -> None:
    frame = pd.DataFrame({"metric": ["iops"], "average": [850.1]})
    assert readable_table(frame, metric="lat_mean_ns").head == ("Average [IOPS]",)


def test_notes_are_told_once_below_the_table() -> None:
    frame = pd.DataFrame({"title": ["A", "B", "C"], "note": ["few", "", "few"]})
    table = readable_table(frame)
    assert table.column("Note") == ("a", "", "a")
    assert table.note == "a: few"
    assert "a: few" in table._repr_html_()


def test_table_can_be_turned_and_folded() -> None:
    frame = pd.DataFrame({"tracking": ["X", "Y"], "range_ratio": [0.0512, 0.2]})
    turned = readable_table(frame, layout="columns")
    assert turned.head == ("Cell", "X", "Y")
    assert turned.rows == (("Range [%]", "5.12", "20"),)
    html = readable_table(frame, caption="<All>", is_folded=True)._repr_html_()
    assert "<details><summary>&lt;All&gt;</summary>" in html


def test_table_without_rows_says_that_there_are_none() -> None:
    frame = pd.DataFrame({"tracking": []})
    shown = readable_table(frame, caption="Cells where the rules differ")
    assert shown._repr_html_() == "<p>Cells where the rules differ: none.</p>"


def test_interval_may_be_broken_before_its_second_end_alone() -> None:
    frame = pd.DataFrame({"low": [-1.5], "high": [2.5]})
    html = readable_table(frame)._repr_html_()
    assert "-1.500 to\N{NO-BREAK SPACE}2.500" in html
    assert "nowrap" not in html
