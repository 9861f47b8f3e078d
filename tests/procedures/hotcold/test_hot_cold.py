"""Hot and cold data: what is filled, what is rewritten, and what is compared."""

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.model.step import Step
from ssdlab.model.units import MIB
from ssdlab.paper.context import read_context
from ssdlab.procedures.hotcold.pages import gain_text, hot_cold_pages
from ssdlab.procedures.hotcold.spec import HOT_COLD, hot_cold
from ssdlab.procedures.saturate.curve import read_curve
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.report import render_report
from ssdlab.store.run import Run
from tests.made_procedure import CAPACITY_BYTES, measure_made, plan_of
from tests.plan.made import always_steady
from tests.rendered import words

RANDOM = parse_stimulus("RND 4KiB 0/100")


def rewritten(step: Step) -> float:
    """Do 9,000 IOPS on the hot part and 3,000 on all of it."""
    return 9000.0 if step.phase_id == "hot" else 3000.0


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    procedure = hot_cold(RANDOM, used_percent=75, hot_percent=25, rounds=6, minutes=1)
    return measure_made(tmp_path_factory.mktemp("made") / "run", procedure, rewritten)


def test_each_stage_is_purged_filled_and_rewrites_its_part() -> None:
    procedure = hot_cold(RANDOM, used_percent=75, hot_percent=25)
    batches, _ = plan_of(procedure, always_steady)
    steps = [step for batch in batches for step in batch.steps]
    kinds = [(step.kind, step.phase_id) for step in steps]
    assert kinds == [
        ("purge", "purge-hot"),
        ("precondition", "fill-hot"),
        *[("cell", "hot")] * 5,
        ("purge", "purge-all"),
        ("precondition", "fill-all"),
        *[("cell", "all")] * 5,
    ]
    used = CAPACITY_BYTES * 75 // 100
    spans = {step.phase_id: step.range_bytes for step in steps if step.workload}
    assert spans == {
        "fill-hot": used, "hot": used // 4, "fill-all": used, "all": used
    }  # fmt: skip
    assert spans["hot"] == 12 * MIB
    fills = [step.whole_amount_bytes for step in steps if step.kind == "precondition"]
    assert fills == [used, used]


def test_page_says_how_many_times_faster_the_hot_part_is(run: Run) -> None:
    first, *others = hot_cold_pages(read_context(run), HOT_COLD)
    note, table = first.blocks
    assert "has 3.00 times the IOPS" in note.text  # type: ignore[union-attr] # a note
    rows = table.rows  # type: ignore[union-attr] # a table
    assert [row[1] for row in rows] == ["12.58 MB", "50.33 MB"]
    assert [row[-1] for row in rows] == ["steady", "steady"]
    assert {page.title for page in others} >= {
        "Rewriting the hot part alone", "Rewriting all that is filled"
    }  # fmt: skip


def test_page_compares_nothing_before_both_stages_have_rounds(tmp_path: Path) -> None:
    procedure = hot_cold(RANDOM, rounds=6, minutes=1)
    found = measure_made(
        tmp_path / "run", procedure, lambda step: 100.0 * (step.round or 1)
    )
    curves = {
        phase: read_curve(read_context(found), test=HOT_COLD, phase=phase)
        for phase in ("hot", "all")
    }
    hot, everything = curves["hot"], curves["all"]
    assert hot is not None
    assert everything is not None
    assert "nothing to compare" in gain_text({"hot": hot})
    short = replace(everything, rounds=everything.rounds.iloc[:1])
    assert "too few rounds" in gain_text({"hot": hot, "all": short})
    first, *_ = hot_cold_pages(read_context(found), HOT_COLD)
    assert first.blocks[0].tone == "warning"  # type: ignore[union-attr] # a note


def test_report_names_the_source_and_both_parts(run: Run) -> None:
    page = words(render_report(run))
    assert "HGST/WD, Flash Performance Best Practices" in page
    assert "the first 18.75 % is hot" in page


@pytest.mark.parametrize(
    "option", [("--used", "0"), ("--hot", "100"), ("--used", "nan"), ("--rounds", "4")]
)
def test_command_refuses_what_is_no_part(option: tuple[str, str]) -> None:
    arguments = ["hot-cold", "--target", "virtual", "--dry-run", *option]
    assert CliRunner().invoke(main, arguments).exit_code == 2


def test_command_writes_its_jobs_when_nothing_is_run(tmp_path: Path) -> None:
    arguments = ["hot-cold", "--target", "virtual:size=64MiB", "--dry-run", "--jobs"]
    done = CliRunner().invoke(main, [*arguments, str(tmp_path / "jobs")])
    assert done.exit_code == 0, done.output
    index = (tmp_path / "jobs" / "index.txt").read_text("utf-8")
    assert "fill-hot" in index
    assert "fill-all" in index
