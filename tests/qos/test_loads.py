"""Which loads a run holds, and which of them a user means."""

import pytest

from ssdlab.analysis import select_loads
from ssdlab.model.errors import NoHistogramError, UnknownNameError
from ssdlab.qos.loads import choose_windows, summarise_loads
from tests.qos.made_loads import COUNTED, MEASURED, WINDOWS


def test_loads_are_listed_long_runs_first() -> None:
    table = summarise_loads(MEASURED, COUNTED)
    assert table["kind"].tolist() == ["histogram", "cell"]
    assert table["steps"].tolist() == [1, 5]
    assert table["total_ios"].tolist() == [40_000, 5000]
    assert table["directions"].tolist() == ["", "read, write"]


def test_rounds_of_the_window_alone_count_when_windows_are_given() -> None:
    (_, load) = select_loads(MEASURED, COUNTED, WINDOWS)
    assert load.steps["round"].tolist() == [2, 3, 4, 5]
    assert load.binned.total == 4000
    assert load.note == ""
    shaky = WINDOWS.assign(is_round_steady=False)
    assert select_loads(MEASURED, COUNTED, shaky)[1].note == "the window was not steady"
    none = select_loads(MEASURED, COUNTED, WINDOWS.iloc[:0])[1]
    assert (len(none.steps), none.note) == (5, "no round was judged: all count")


def test_names_that_are_none_are_told_with_those_that_are() -> None:
    with pytest.raises(UnknownNameError, match=r"'tp'.*: lat"):
        select_loads(MEASURED, COUNTED, test="tp")
    with pytest.raises(UnknownNameError, match="RND 4 KiB 65/35 T1/Q1"):
        select_loads(MEASURED, COUNTED, workload="SEQ")
    assert len(select_loads(MEASURED, COUNTED, workload="rnd 4kib 65/35")) == 2
    with pytest.raises(UnknownNameError, match="direction 'both'"):
        select_loads(MEASURED, COUNTED, direction="both")
    with pytest.raises(UnknownNameError, match="rounds 'some'"):
        choose_windows(WINDOWS, "some")
    assert choose_windows(WINDOWS, "window") is WINDOWS
    assert choose_windows(WINDOWS, "all") is None


def test_run_without_bins_says_what_to_do() -> None:
    with pytest.raises(NoHistogramError, match="json\\+"):
        select_loads(MEASURED, COUNTED.iloc[:0])
    with pytest.raises(NoHistogramError, match="no latency histogram of trims"):
        select_loads(MEASURED, COUNTED, direction="trim")
