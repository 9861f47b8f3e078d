"""One quantity has one number and one mark, on whichever page it is shown."""

from pathlib import Path

import pytest

import ssdlab
from ssdlab.analysis.latency import is_supported
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"
RUNS = sorted(path.parent for path in SAMPLES.glob("*/tables"))
_SIDE = ["step_id", "direction"]


@pytest.fixture(scope="module", params=RUNS, ids=lambda path: path.name)
def run(request: pytest.FixtureRequest) -> ssdlab.Run:
    path: Path = request.param
    return ssdlab.open_run(path)


def test_no_stored_percentile_is_beyond_the_extremes_of_its_step(
    run: ssdlab.Run,
) -> None:
    ends = run.measurements[[*_SIDE, "lat_min_ns", "lat_max_ns"]]
    joined = run.percentiles.merge(ends, on=_SIDE)
    assert len(joined) == len(run.percentiles)
    assert (joined["lat_ns"] <= joined["lat_max_ns"]).all()
    assert (joined["lat_ns"] >= joined["lat_min_ns"]).all()


def test_stored_percentiles_are_supported_by_the_one_rule(run: ssdlab.Run) -> None:
    counted = run.bins.groupby(_SIDE, as_index=False)["count"].sum()
    joined = run.percentiles.merge(counted, on=_SIDE)
    assert len(joined) == len(run.percentiles)
    for count, rows in joined.groupby("count"):
        wanted = is_supported(rows["percentile"], int(str(count)))
        assert rows["is_supported"].tolist() == wanted.tolist()
