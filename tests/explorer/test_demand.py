"""Tests of the PTS whose matrix is one of threads and queue depths."""

from collections.abc import Iterator

import pytest

import ssdlab
from ssdlab.explorer.panel import Explorer


@pytest.fixture
def explorer() -> Iterator[Explorer]:
    shown = ssdlab.explore("data/samples", run="virtual-all")
    yield shown
    shown.close()


@pytest.mark.parametrize("test", ["cbw", "dirth"])
def test_loads_of_one_workload_are_never_averaged(
    explorer: Explorer, test: str
) -> None:
    explorer.choose(test=test, phase="demand")
    matrix = explorer.frame("matrix")
    assert explorer.selection.axes == ("threads", "queue_depth")
    loads = explorer.frame("cell")[["threads", "queue_depth"]].drop_duplicates()
    assert len(loads) == 1
    assert len(matrix) > 4
    assert not matrix.duplicated(["threads", "queue_depth"]).any()


def test_blocks_of_many_sizes_at_once_are_shown_by_their_load(
    explorer: Explorer,
) -> None:
    explorer.choose(test="cbw", phase="wdpc")
    assert explorer.selection.axes == ("threads", "queue_depth")
    assert explorer.figure("cell").data[0].y.size > 0


def test_histogram_of_a_phase_without_rounds_is_shown(explorer: Explorer) -> None:
    explorer.choose(test="cbw", phase="max-iops")
    words = explorer.figure("cell").layout.annotations[0].text
    assert words == "no rounds were measured of this"
    assert len(explorer.frame("histogram")) > 0
