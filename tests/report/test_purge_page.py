"""The purges of a run, as the report shows them."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pandas as pd

from ssdlab.model.schema import TABLES
from ssdlab.report import render_report
from ssdlab.store.run import open_tables
from ssdlab.store.tables import rows_to_columns, write_table
from tests.made_run import make_run
from tests.rendered import SMALL, words
from tests.telemetry.test_pages import section

WSAT = replace(SMALL, tests=("wsat",), kind="block")
FACTS = (
    "discard of all LBAs",
    "64 places marked with random data",
    "BLKDISCARD of all 480 GB of <drive>: done after 0.006 s",
    "64 places read back: 64 zeros",
)


def purged(folder: Path, facts: Sequence[str], doubt: str = "") -> str:
    """Return the page on the purges of a run whose purge left these facts."""
    run = make_run(folder / "run", WSAT)
    steps = run.steps.assign(warnings=doubt).astype({"step_id": "str"})
    (step,) = steps.loc[steps["kind"] == "purge", "step_id"]
    kept = run.path / "steps" / step
    (kept / "purge.txt").unlink()
    if facts:
        (kept / "purge.txt").write_text("\n".join(facts) + "\n", "utf-8")
    table = TABLES["steps"]
    rows = [
        {str(name): None if pd.isna(one) else one for name, one in row.items()}
        for row in steps.to_dict("records")
    ]
    write_table(run.folder / "tables", table, rows_to_columns(table, rows))
    return section(render_report(open_tables(run.path)), "purges")


def test_purge_page_shows_what_each_found_and_folds_its_record(tmp_path: Path) -> None:
    page = purged(tmp_path, FACTS)
    shown, _, folded = page.partition('<details class="folded">')
    assert "<drive>" not in page
    assert (
        "00001-wsat-purge Write saturation discard of all LBAs 2.000 s "
        "64 places read back: 64 zeros none"
    ) in words(shown)
    assert [fact for fact in FACTS if fact not in words(folded)] == []
    assert "may not have worked" not in page


def test_purge_that_is_doubted_is_said_so_first(tmp_path: Path) -> None:
    page = purged(tmp_path, FACTS, doubt="the drive counted 3 errors")
    shown = words(page)
    assert "1 of 1 purges may not have worked" in shown
    assert "64 zeros the drive counted 3 errors" in shown


def test_purge_without_a_record_is_never_taken_for_a_shown_one(tmp_path: Path) -> None:
    shown = words(purged(tmp_path, ()))
    assert "Write saturation trim of every block 2.000 s not recorded none" in shown
    assert "The record of every purge" not in shown
