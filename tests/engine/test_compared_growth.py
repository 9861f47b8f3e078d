"""A run that goes on, or was never ingested, in a comparison and in its report."""

from pathlib import Path

from click.testing import CliRunner

from ssdlab.cli import main
from ssdlab.compare.pages import comparison_page
from ssdlab.compare.runs import compare_runs
from ssdlab.compare.terminal import comparison_lines
from ssdlab.ingest.opening import open_run
from ssdlab.paper.blocks import Note
from ssdlab.report import render_report
from tests.growing_run import SAMPLE, grow, held, run, set_status
from tests.paths import ROOT
from tests.rendered import words

__all__ = ["held", "run"]  # the fixtures

OTHER = ROOT / "data" / "samples" / "virtual-a"


def states_of(folder: Path) -> dict[str, tuple[int, int]]:
    return {
        str(path): (path.stat().st_mtime_ns, path.stat().st_size)
        for path in sorted(folder.rglob("*"))
    }


def test_run_that_goes_on_is_compared_without_a_trace_and_says_so(held: Path) -> None:
    grow(held, 0, 1000)
    before = states_of(held.parent)
    found = compare_runs([held, OTHER])
    notes = " ".join(
        block.text
        for block in comparison_page(found, "conditions").blocks
        if isinstance(block, Note)
    )
    lines = " ".join(" ".join(comparison_lines(found)).split())
    for said in (notes, lines):
        assert "20261121-084501-demo-87d4: The run is in progress: 66 steps" in said
        assert "What was measured so far counts." in said
    assert set(found.summary[found.summary["test"] == "lat"]["side"]) == set(
        found.side_names
    )
    assert states_of(held.parent) == before


def test_run_that_was_never_ingested_is_compared_and_says_so() -> None:
    before = states_of(SAMPLE)
    found = compare_runs([SAMPLE, OTHER])
    text = "\n".join(comparison_lines(found))
    assert "has no tables and is read from its raw output." in text
    assert not found.left_out
    assert states_of(SAMPLE) == before


def test_report_of_a_run_that_goes_on_or_was_never_ingested_says_so(
    held: Path, tmp_path: Path
) -> None:
    grow(held, 0, 12)
    page = words(render_report(open_run(held)))
    assert "The run is in progress: 12 steps are finished" in page
    assert "Results so far are shown." in page
    place = tmp_path / "page.html"
    asked = ["report", str(SAMPLE), "-o", str(place)]
    done = CliRunner().invoke(main, asked)
    assert done.exit_code == 0
    assert "has no tables; the results were read" in words(place.read_text("utf-8"))
    assert not (SAMPLE / "report.html").exists()


def test_report_of_a_run_that_was_killed_says_that_it_was_broken_off(
    run: Path,
) -> None:
    grow(run, 0, 3)
    assert "The run stopped unexpectedly" in words(render_report(open_run(run)))
    set_status(run, "interrupted")
    assert "The run was interrupted" in words(render_report(open_run(run)))
