"""Histograms of runs side by side: what each was taken with, and where they differ."""

import json
import math
from dataclasses import replace

import pandas as pd
import pytest

from ssdlab.classes.histograms import (
    ClassHistogram,
    find_histogram_differences,
    levels_table,
    read_class_histograms,
)
from ssdlab.classes.pages import storage_class_document
from ssdlab.classes.runs import ClassRun, class_runs_as_dict, read_class_runs
from ssdlab.paper.blocks import Note
from ssdlab.paper.context import Context, read_context
from ssdlab.qos.confidence import summarise_confidence
from ssdlab.reference.storage_classes import read_storage_classes
from ssdlab.store.run import Run
from ssdlab.text.numbers import rounded_text
from ssdlab.text.table import Table
from tests.made_run import Recipe, make_run

CLASSES = read_storage_classes()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Run:
    recipe = Recipe(saturation_rounds=12, rounds=5)
    return make_run(tmp_path_factory.mktemp("made") / "run", recipe)


@pytest.fixture(scope="module")
def histogram(made: Run) -> ClassHistogram:
    return read_class_histograms(read_context(made))["wsat"]


def ios_of(run: Run, test: str) -> int:
    totals = run.measurements.query("direction == 'total' and kind == 'histogram'")
    return int(totals.set_index("test")["total_ios"][test])


def without(context: Context, *columns: str) -> Context:
    """Return the same run without these values of its histogram steps."""
    is_other = context.totals["kind"] != "histogram"
    known = {name: context.totals[name].where(is_other) for name in columns}
    return replace(context, totals=context.totals.assign(**known))


def test_histogram_tells_stimulus_workers_and_seconds(made: Run) -> None:
    context = read_context(made)
    found = read_class_histograms(context)
    assert list(found) == ["lat", "wsat"]
    assert found["lat"].words == "RND 4 KiB 0/100, T1/Q1, 1,200 s"
    assert found["wsat"].words == "RND 4 KiB 0/100, T4/Q32, 1,200 s"
    assert found["wsat"].total_ios == ios_of(made, "wsat")
    expected = summarise_confidence(context.bins, context.totals, test="wsat")
    pd.testing.assert_frame_equal(found["wsat"].levels, expected)


def test_what_is_not_known_of_a_histogram_is_said(made: Run) -> None:
    context = without(read_context(made), "threads", "read_percent", "runtime_s")
    found = read_class_histograms(context)["lat"]
    assert (found.stimulus, found.workers, found.seconds_text) == ("", "", "-")
    assert found.words == "stimulus not known, TC/QD not known, time not known"
    (row,) = levels_table({"run": found}, "lat").rows
    assert row[:5] == ("run", "-", "-", "-", f"{ios_of(made, 'lat'):,}")


def test_levels_table_says_what_each_run_was_taken_with(
    histogram: ClassHistogram,
) -> None:
    short = replace(histogram, workers="T2/Q16", seconds=8.007)
    table = levels_table({"one": histogram, "other": short}, "wsat")
    assert table.head[1:5] == ("Stimulus", "TC/QD", "Seconds", "IOs")
    assert [row[:4] for row in table.rows] == [
        ("one", "RND 4 KiB 0/100", "T4/Q32", "1,200"),
        ("other", "RND 4 KiB 0/100", "T2/Q16", "8.01"),
    ]
    assert "[ms]" in table.caption
    longest = histogram.levels.set_index("marker")["lat_ns"]["max"] / 1e6
    assert float(table.rows[0][-1]) == pytest.approx(longest, rel=1e-3)


@pytest.mark.parametrize(
    ("more", "names"),
    [
        ({}, ()),
        ({"seconds": 1203.0}, ()),
        ({"seconds": 8.0}, ("seconds",)),
        ({"seconds": math.nan}, ("seconds",)),
        ({"workers": "T2/Q16"}, ("TC/QD",)),
        ({"stimulus": "RND 8 KiB 65/35"}, ("stimulus",)),
        ({"stimulus": "", "workers": "", "seconds": 9.0},
         ("stimulus", "TC/QD", "seconds")),
    ],
)  # fmt: skip
def test_differences_are_named(
    histogram: ClassHistogram, more: dict[str, object], names: tuple[str, ...]
) -> None:
    other = replace(histogram, **more)  # type: ignore[arg-type] # of the table above
    assert find_histogram_differences([histogram, other]) == names
    assert find_histogram_differences([other, histogram]) == names
    assert find_histogram_differences([other]) == ()


def test_two_histograms_of_unknown_conditions_cannot_be_called_alike(
    histogram: ClassHistogram,
) -> None:
    unknown = replace(histogram, workers="", seconds=math.nan)
    assert find_histogram_differences([unknown, unknown]) == ("TC/QD", "seconds")


def beside(run: ClassRun, **more: object) -> ClassRun:
    changed = {
        test: replace(one, **more)  # type: ignore[arg-type] # fields of a histogram
        for test, one in run.histograms.items()
    }
    return replace(run, run_id="other", name="other", histograms=changed)


def test_page_warns_where_histograms_differ_and_not_where_they_are_alike(
    made: Run,
) -> None:
    (run,) = read_class_runs([made], CLASSES)
    warnings = {}
    for name, other in (
        ("alike", beside(run)),
        ("differ", beside(run, workers="T2/Q16", seconds=8.0)),
    ):
        pages = storage_class_document([run, other], CLASSES).pages
        (page,) = [p for p in pages if p.title.endswith("the WSAT histogram")]
        warnings[name] = [b.text for b in page.blocks if isinstance(b, Note)]
        (table,) = [b for b in page.blocks if isinstance(b, Table)]
        assert len(table.rows) == 2
    assert warnings["alike"] == []
    assert "they differ in TC/QD and seconds" in warnings["differ"][0]


def test_plain_data_has_what_a_histogram_was_taken_with(made: Run) -> None:
    (run,) = read_class_runs([made], CLASSES)
    unknown = beside(run, workers="", seconds=math.nan)
    text = json.dumps(class_runs_as_dict([run, unknown], CLASSES), allow_nan=False)
    first, second = json.loads(text)["runs"]
    assert first["histograms"]["lat"] == {
        "total_ios": ios_of(made, "lat"),
        "iops": pytest.approx(ios_of(made, "lat") / 1200),
        "stimulus": "RND 4 KiB 0/100", "workers": "T1/Q1",
        "seconds": 1200.0,
    }  # fmt: skip
    assert second["histograms"]["lat"]["workers"] is None
    assert second["histograms"]["lat"]["seconds"] is None


@pytest.mark.parametrize(
    ("ratio", "text"),
    [
        (1.0029, "1.00"), (0.99951, "1.00"), (23.64, "23.6"), (135.52, "136"),
        (6609.0, "6,610"), (0.0011372, "0.00114"), (0.05, "0.0500"), (0.0, "0"),
        (math.nan, "-"),
    ],
)  # fmt: skip
def test_ratio_has_three_significant_digits(ratio: float, text: str) -> None:
    assert rounded_text(ratio) == text
