"""Gauge R&R: hosts, drives and repeats."""

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import ssdlab
from ssdlab.fleet.contrast import METRICS
from ssdlab.fleet.gauge import PARTS, Gauge, study_runs
from ssdlab.fleet.gauge_figures import plot_gauge_parts, plot_gauge_runs
from ssdlab.fleet.gauge_pages import answer_texts, gauge_as_dict, gauge_document
from ssdlab.fleet.pilot import Pilot
from ssdlab.fleet.population import Choice
from ssdlab.fleet.store import Store
from ssdlab.model.errors import UnknownNameError
from ssdlab.paper.document import render_document
from tests.cli.called import call
from tests.fleet.made_fleet import made_fleet
from tests.stats.test_anova import CROSSED

Row = tuple[str, str, float]  # host, drive, logarithm


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a store of 24 made drives on three hosts."""
    folder = tmp_path_factory.mktemp("fleet") / "store"
    made_fleet(folder, 24)
    return folder


def study(rows: list[Row]) -> Gauge:
    """Return the study of runs by host, drive and logarithm."""
    runs = pd.DataFrame(rows, columns=["host", "drive", "log"]).assign(
        value=lambda frame: np.exp(frame["log"]), left_out="", model="M", firmware="F",
        is_virtual=True,
    )  # fmt: skip
    names = ("cell", "test", "phase", "kind", "workload", "direction")
    choice = Choice(**dict.fromkeys(names, "x"), metric=METRICS["iops"], others=())
    store = Store(url="lab", _tables={})
    return study_runs(Pilot(store=store, choice=choice, runs=runs), runs)


def crossed() -> list[Row]:
    return [(*key, one) for key, own in CROSSED.items() for one in own]


def test_parts_equal_those_computed_by_hand() -> None:
    """Mean squares 24.889, 600.889, 0.889 and 4 / 3: see `test_anova`.

    Hosts (24.889 - 0.889) / 6 = 4, drives (600.889 - 0.889) / 6 = 100, both below 0, so
    0, repeats 4 / 3. Gauge 4 + 4 / 3 = 16 / 3, of 316 / 3: sqrt(16 / 316) = 22.5 %;
    1.41 sqrt(300 / 16) = 6.1 categories.
    """
    found = study(crossed())
    assert found.design == "crossed"
    assert found.is_balanced
    assert found.components is not None
    assert found.components.truncated == ("both",)
    variances = {
        part: (found.scatter(part).estimate / 100) ** 2 for part in found.parts
    }
    assert variances == pytest.approx({
        "repeatability": 4 / 3, "host": 4, "host x drive": 0, "gauge R&R": 16 / 3,
        "drive": 100, "total": 316 / 3,
    })  # fmt: skip
    share = found.gauge_share
    assert share.estimate == pytest.approx(100 * math.sqrt(16 / 316))
    assert share.low < share.estimate < share.high <= 100
    assert found.categories.estimate == 6


def test_nested_drives_have_no_interaction() -> None:
    """Each host has two drives of two runs: 1 3, 5 7 and 11 13, 19 21.

    Drive means 2 6 12 20, host means 4 16, mean 10: SS of hosts 4 (36 + 36) = 288, of
    drives 2 (4 + 4 + 16 + 16) = 80 with f = 2, of runs 8 with f = 4. So runs 2, drives
    (40 - 2) / 2 = 19, hosts (288 - 40) / 4 = 62.
    """
    rows = [
        (host, drive, one)
        for host, drive, pair in (
            ("h1", "a", (1, 3)), ("h1", "b", (5, 7)),
            ("h2", "c", (11, 13)), ("h2", "d", (19, 21)),
        )
        for one in pair
    ]  # fmt: skip
    found = study([(h, d, float(one)) for h, d, one in rows])
    assert found.design == "nested"
    assert "host x drive" not in found.parts
    assert found.components is not None
    assert found.components.estimates == pytest.approx({
        "host": 62,
        "drive": 19,
        "run": 2,
    })
    assert found.scatter("gauge R&R").estimate == pytest.approx(100 * 8)


@pytest.mark.parametrize(
    ("rows", "reason"),
    [
        ([], "no-runs"),
        ([("h", "a", 1.0), ("h", "a", 2.0), ("h", "b", 3.0)], "one-host"),
        ([("h", "a", 1.0), ("h", "a", 2.0), ("i", "a", 3.0)], "one-drive"),
        ([("h", "a", 1.0), ("h", "b", 2.0), ("i", "a", 3.0), ("i", "b", 5.0)],
         "no-repeats"),
        ([("h", "a", 1.0), ("h", "a", 2.0), ("i", "b", 3.0)], "few-drives"),
        ([("h", "a", 1.0), ("h", "a", 2.0), ("i", "a", 3.0), ("i", "b", 2.0)],
         "few-in-common"),
        ([("h", "a", 1.0), ("h", "a", 2.0), ("i", "a", 3.0), ("j", "b", 2.0)], "apart"),
        ([(host, drive, 1.0) for host in "hi" for drive in "ab" for _ in "xy"],
         "no-scatter"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_not(rows: list[Row], reason: str) -> None:
    found = study(rows)
    assert found.reason == reason
    assert found.components is None
    assert not found.parts
    plain = gauge_as_dict(found)
    assert plain["categories"] is None
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    if rows:
        assert "CANNOT BE TOLD" in " ".join(answer_texts(found))
        assert render_document(gauge_document(found))


def test_shares_do_not_depend_on_the_level_and_unit_of_logarithms() -> None:
    plain = study(crossed())
    moved = study([(host, drive, 0.01 * one + 3) for host, drive, one in crossed()])
    for part in plain.parts:
        first, second = plain.share(part), moved.share(part)
        assert second.low == pytest.approx(first.low)
        assert second.high == pytest.approx(first.high)
    assert moved.scatter("drive").high == pytest.approx(
        plain.scatter("drive").high / 100
    )


def test_unbalanced_study_says_so_and_page_escapes() -> None:
    rows = [(f"<b>{host}", drive, one) for host, drive, one in crossed()][:-3]
    found = study(rows)
    assert not found.is_balanced
    page = render_document(gauge_document(found))
    assert "Unbalanced: 1 to 2 runs" in page
    assert "Simulated drives" in page
    assert "<b>h1" not in page


def test_figures_draw_every_part_and_run() -> None:
    found = study(crossed())
    shares = {part: found.share(part) for part in found.parts}
    (bars,) = plot_gauge_parts(shares, [10, 30], title="x").data
    assert list(bars.x) == [one.estimate for one in shares.values()]
    figure = plot_gauge_runs(found.runs.head(18), metric="iops", title="x")
    assert [len(trace.x) for trace in figure.data] == [6, 6, 6]


def test_command_shows_a_study_or_why_not(place: Path, tmp_path: Path) -> None:
    page = tmp_path / "gauge.html"
    done = call("store", "gauge", place, "-o", page, "--where", "device_model=*Two*")
    assert done.returncode == 0
    assert "Gauge R&R" in done.stdout
    assert page.stat().st_size > 50_000
    found = json.loads(call("store", "gauge", place, "--json").stdout)
    assert set(found["parts"]) == set(PARTS)
    assert found["design"] == "crossed"
    one = call("store", "gauge", place, "--where", "platform=host 1")
    assert one.returncode == 4
    assert "second one" in one.stdout
    assert call("store", "gauge", place, "--hosts", "colour").returncode == 2
    with pytest.raises(UnknownNameError):
        ssdlab.assess_gauge(place, hosts=["colour"])
