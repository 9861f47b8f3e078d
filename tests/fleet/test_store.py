"""What a store answers: frames, quantiles of merged bins, SQL."""

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ssdlab
from ssdlab.fio.bins import bin_value
from ssdlab.fleet import delta
from ssdlab.fleet.delta import add_rows, create_tables, tend_tables
from ssdlab.fleet.place import place_of
from ssdlab.fleet.store import Store
from ssdlab.fleet.tables import FLEET_TABLES
from ssdlab.model.errors import (
    ParameterError,
    RunFolderError,
    StoreError,
    UnknownNameError,
)
from ssdlab.stats.latency import percentiles_from_bins
from tests.cli.called import call
from tests.fleet.conftest import SAMPLES
from tests.fleet.made_rows import NOW_S, made_rows

CELL = "RND 4KiB 0/100"


def test_store_has_every_run_once_the_oldest_first(samples_store: Store) -> None:
    runs = samples_store.runs()
    assert runs["started_at"].is_monotonic_increasing
    assert sorted(runs["device_serial"]) == [
        "BTWA5175088TO80BGN",
        "VIRTUAL-A",
        "VIRTUAL-B",
    ]
    again = samples_store.add(SAMPLES / "virtual-b")
    assert len(again.runs()) == 3
    assert len(again.cells()) == runs["cells"].sum()
    assert len(again.histograms()) == runs["histograms"].sum()


def test_cells_are_chosen_by_workload_test_and_direction(samples_store: Store) -> None:
    found = samples_store.cells(CELL, test="iops", direction="total")
    assert found["test"].unique().tolist() == ["iops"]
    assert set(found["workload"]) == {"RND 4 KiB 0/100 T2/Q16"}
    assert len(found) == 3
    with pytest.raises(UnknownNameError):
        samples_store.cells("RND 3KiB")
    with pytest.raises(UnknownNameError):
        samples_store.cells(test="nothing")


def test_quantile_of_one_run_is_the_percentile_of_its_cell(
    samples_store: Store,
) -> None:
    own = samples_store.cells(CELL, test="lat", direction="total").set_index([
        "device_serial", "cell"
    ])  # fmt: skip
    found = samples_store.quantile(CELL, 0.999, test="lat")
    assert len(found) == 4
    for row in found.to_dict("records"):
        cell = own.loc[row["device_serial"], row["cell"]]
        assert row["lat_ns"] == cell["lat_p999_ns"]
        assert row["total_ios"] == cell["total_ios"]


def test_quantile_over_runs_is_that_of_the_added_bins(samples_store: Store) -> None:
    rows = samples_store.histograms(CELL, test="lat", direction="total")
    rows = rows[rows["cell"].str.contains("rounds")]
    bins = np.concatenate(rows["bin"].to_list())
    counts = np.concatenate(rows["count"].to_list())
    within = rows["lat_min_ns"].min(), rows["lat_max_ns"].max()
    (wanted,) = percentiles_from_bins(bin_value(bins), counts, [99.9], within=within)
    found = samples_store.quantile(CELL, 0.999, by=(), test="lat").set_index("cell")
    row = found.loc[rows["cell"].iloc[0]]
    assert row["lat_ns"] == wanted
    assert (row["runs"], row["total_ios"]) == (2, counts.sum())


def test_quantile_by_hand(place: str) -> None:
    """3 IOs in bin 10 and 1 in bin 20, and 4 in bin 30: 5 of 8 are at most 30."""
    create_tables(place_of(place))
    for number, (bins, counts) in enumerate([([10, 20], [3, 1]), ([30], [4])]):
        rows = made_rows(number, cells=1)
        rows.rows["histograms"][0].update({
            "bin": bins,
            "count": counts,
            "lat_min_ns": 10.0,
            "lat_max_ns": 30.0,
        })
        add_rows(place_of(place), rows)
    store = ssdlab.open_store(place)
    name = store.cells()["workload"].iloc[0]
    halves = [store.quantile(name, q, by=()) for q in (0.25, 0.5, 0.51, 1)]
    assert [one["lat_ns"].item() for one in halves] == [10.0, 20.0, 30.0, 30.0]
    assert [one["runs"].item() for one in halves] == [2] * 4
    apart = store.quantile(name, 0.5, by=["device_serial", "profile"])
    assert apart["lat_ns"].tolist() == [10.0, 30.0]
    assert not apart["is_supported"].iloc[0]


@pytest.mark.parametrize("q", [0, -1, 1.01, float("nan")])
def test_quantile_that_is_none_is_refused(samples_store: Store, q: float) -> None:
    with pytest.raises(ParameterError):
        samples_store.quantile(CELL, q)


def test_group_by_no_column_of_runs_is_refused(samples_store: Store) -> None:
    with pytest.raises(ParameterError):
        samples_store.quantile(CELL, 0.5, by="colour")


def test_sql_joins_the_tables(samples_store: Store) -> None:
    found = samples_store.sql(
        "select run_id, count(*) as n, sum(len(bin)) as bins from runs "
        "join histograms using (ingest_id, run_id) group by all order by 1"
    )
    assert found["n"].tolist() == [63, 63]


@pytest.mark.parametrize(
    "text",
    [
        "select * from read_csv('/etc/hostname')",
        "select * from '/etc/passwd'",
        "copy runs to '{store}/runs.csv'",
        "drop view runs",
        "select 1; select 2",
        "attach '{store}/x.db'",
        "select 1 +",
        "",
    ],
)
def test_sql_that_is_no_question_of_the_store_is_refused(
    samples_store: Store, text: str
) -> None:
    before = sorted(Path(samples_store.url).rglob("*"))
    with pytest.raises(StoreError):
        samples_store.sql(text.format(store=samples_store.url))
    assert sorted(Path(samples_store.url).rglob("*")) == before


def test_empty_store_has_no_rows_in_any_table(place: str) -> None:
    store = ssdlab.open_store(place, create=True)
    assert store.runs().empty
    assert store.cells().empty
    assert store.sql("select * from histograms").empty


def test_folder_that_is_no_store_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        ssdlab.open_store(tmp_path)
    with pytest.raises(StoreError):
        ssdlab.open_store("https://example.org/store")


def test_name_that_delta_rs_would_read_otherwise_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        ssdlab.open_store(tmp_path / "a%20b", create=True)


@pytest.mark.parametrize("name", ["a b'c é", "a[b]*?", "-"])
def test_folder_of_any_other_name_holds_a_store(tmp_path: Path, name: str) -> None:
    store = ssdlab.open_store(tmp_path / name, create=True)
    add_rows(place_of(store.url), made_rows(1))
    tend_tables(place_of(store.url), now_s=NOW_S)
    store = ssdlab.open_store(store.url)
    found = store.sql("select count(*) as n from cells")
    assert found["n"].item() == len(store.cells()) == 6


def test_run_under_way_is_refused(place: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    shutil.copytree(SAMPLES / "virtual-lat", run)
    state = run / "state.json"
    state.write_text(state.read_text("utf-8").replace('"finished"', '"running"'))
    with pytest.raises(RunFolderError):
        ssdlab.open_store(place, create=True).add(run)


def test_run_that_changed_takes_the_place_of_its_earlier_rows(
    place: str, tmp_path: Path
) -> None:
    run = tmp_path / "run"
    shutil.copytree(SAMPLES / "virtual-lat", run)
    store = ssdlab.open_store(place, create=True).add(run)
    first = store.runs()
    state = run / "state.json"
    state.write_text(state.read_text("utf-8") + "\n")
    store = store.add(run)
    assert len(store.runs()) == 1
    assert store.runs()["ingest_id"].item() != first["ingest_id"].item()
    assert len(store.cells()) == first["cells"].item()
    stored = store.sql("select count(*) as n from stored.cells")["n"].item()
    assert stored == 2 * first["cells"].item()


def test_run_that_was_moved_is_found_at_its_new_place(
    place: str, tmp_path: Path
) -> None:
    for name in ("one", "two"):
        shutil.copytree(SAMPLES / "virtual-lat", tmp_path / name)
        store = ssdlab.open_store(place, create=True).add(tmp_path / name)
        assert store.runs()["folder"].tolist() == [str(tmp_path / name)]
        assert len(store.cells()) == store.runs()["cells"].item()


def test_answers_are_the_same_after_packing(place: str) -> None:
    at = place_of(place)
    create_tables(at)
    for number in range(12):
        add_rows(at, made_rows(number))
    before = ssdlab.open_store(place)
    tended = tend_tables(at, now_s=NOW_S)
    assert (tended.orphans, tended.packs) == (0, 3)
    after = ssdlab.open_store(place)
    name = before.cells()["workload"].iloc[0]
    assert before.runs().equals(after.runs())
    assert before.cells().equals(after.cells())
    assert before.quantile(name, 0.999).equals(after.quantile(name, 0.999))
    text = "select count(*) from cells where is_steady"
    assert before.sql(text).equals(after.sql(text))


def test_store_of_an_earlier_version_lacks_nothing_that_is_asked(
    place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    new = {"wear_percent", "is_p99999_supported", "departures", "rounds"}
    earlier = {
        name: replace(
            table, columns=tuple(one for one in table.columns if one.name not in new)
        )
        for name, table in FLEET_TABLES.items()
    }
    with monkeypatch.context() as patch:
        patch.setattr(delta, "FLEET_TABLES", earlier)
        create_tables(place_of(place, is_new=True))
        add_rows(place_of(place), made_rows(1))
    store = ssdlab.open_store(place)
    assert store.runs()[["wear_percent", "departures"]].isna().all(axis=None)
    assert store.cells()[["is_p99999_supported", "rounds"]].isna().all(axis=None)
    found = store.sql("select wear_percent, departures from runs")
    assert found.isna().all(axis=None)
    assert store.sql("select sum(rounds) as n from cells")["n"].isna().all()
    assert call("store", "export", place, "-o", tmp_path / "out").returncode == 0
    add_rows(place_of(place), made_rows(2))  # which has them
    later = ssdlab.open_store(place)
    assert later.cells()["rounds"].notna().sum() == len(made_rows(2).rows["cells"])
    assert later.sql("select count(rounds) as n from cells")["n"].tolist() == [
        len(made_rows(2).rows["cells"])
    ]
