"""Where the rule of the PTS and those of others differ."""

from pathlib import Path

import ssdlab
from ssdlab.steadiness.rule_differences import summarise_rule_differences
from ssdlab.store.run import Run
from tests.paths import FIO_SAMPLES, require_folder


def differences_of(run: Run) -> "dict[str, tuple[str, str]]":
    frames = (run.measurements, run.windows, run.steps)
    table = summarise_rule_differences(*frames, test="iops")
    return {
        row["tracking"]: (row["pts-2.0.2"], row["each-value"])
        for _, row in table[table["is_differing"]].iterrows()
    }


def test_real_drive_gets_other_verdicts_by_the_rule_of_its_authors(
    tmp_path: Path,
) -> None:
    """The golden tests work the same three cells out in plain arithmetic."""
    folder = require_folder(FIO_SAMPLES / "ssspt_hp_iops_3")
    found = differences_of(ssdlab.import_run(folder, runs=tmp_path))
    assert found == {
        "RND 0.5 KiB 95/5": ("5", "9"),
        "RND 64 KiB 50/50": ("never", "5"),
        "RND 32 KiB 5/95": ("never", "6"),
    }


def test_every_cell_is_asked_by_every_rule_that_takes_it(run: Run) -> None:
    frames = (run.measurements, run.windows, run.steps)
    table = summarise_rule_differences(*frames, test="iops").set_index("tracking")
    assert len(table) == 56
    assert table["is_tracked"].sum() == 3
    assert table.loc["RND 32 KiB 50/50", "tkperf"] == "not asked"
    assert table.loc["RND 4 KiB 0/100", "tkperf"] != "not asked"
    asked = table[["pts-2.0.2", "each-value"]].stack()
    assert asked.isin(["never", "5", "6", "7"]).all()
