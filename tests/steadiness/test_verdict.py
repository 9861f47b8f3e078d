"""What the run itself says of its steady state."""

import pytest

from ssdlab.steadiness.verdict import (
    pts_verdict_text,
    summarise_determination,
    summarise_judgements,
)
from ssdlab.store.run import Run


def test_determination_has_what_must_be_reported(run: Run) -> None:
    table = summarise_determination(run.windows, "iops")
    final = run.windows[(run.windows["test"] == "iops") & run.windows["is_final"]]
    assert table["tracking"].tolist() == final["tracking"].tolist()
    assert table["allowed_high"].to_numpy() == pytest.approx(1.1 * final["average"])
    assert (table["range_ratio"] <= 0.20).eq(table["is_range_ok"]).all()
    assert table["range"].tolist() == pytest.approx(
        table["range_ratio"] * table["average"]
    )
    assert table["slope"].tolist() == pytest.approx(
        table["slope_ratio"] * table["average"]
    )
    assert table["allowed_range"].to_numpy() == pytest.approx(0.2 * final["average"])
    assert table["allowed_slope"].to_numpy() == pytest.approx(0.1 * final["average"])


def test_judgements_say_when_another_variable_is_waited_for(run: Run) -> None:
    windows = run.windows[run.windows["test"] == "iops"].copy()
    windows["is_round_steady"] = False
    table = summarise_judgements(windows, "iops")
    waiting = table[table["is_steady"].astype(bool)]
    assert set(waiting["reason"]) == {"another variable is not steady"}


def test_verdict_in_words_is_that_of_all_variables_together(run: Run) -> None:
    windows = run.windows[run.windows["test"] == "iops"].copy()
    windows["is_steady"] = windows["is_round_steady"] = True
    assert pts_verdict_text(windows, "iops") == (
        "PTS 2.0.2: STEADY in rounds 3 - 7 (all 3 tracking variables)."
    )
    windows["is_round_steady"] = False
    last = windows[windows["round"] == windows["round"].max()].index[0]
    windows.loc[last, "is_steady"] = False
    windows.loc[last, "reason"] = "range 30 %"
    cell = windows.loc[last, "tracking"]
    assert pts_verdict_text(windows, "iops") == (
        f"PTS 2.0.2: NOT STEADY, last judged in rounds 3 - 7. {cell}: range 30 %."
    )
    assert "no window has been judged" in pts_verdict_text(windows, "tp")


def test_verdict_on_a_run_by_another_specification_names_both(run: Run) -> None:
    windows = run.windows[run.windows["test"] == "iops"].copy()
    windows["is_steady"] = windows["is_round_steady"] = True
    assert pts_verdict_text(windows, "iops", "PTS-E 1.1") == (
        "The record names PTS-E 1.1. By PTS 2.0.2, whose limits of range "
        "and slope are the same: STEADY in rounds 3 - 7 (all 3 tracking variables)."
    )
    other = pts_verdict_text(windows, "iops", "PTS-C 1.x")
    assert other.startswith("The record names PTS-C 1.x. By PTS 2.0.2: ")
