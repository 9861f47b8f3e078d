"""One call returns every frame of a notebook, and shows nothing outside of one."""

import pandas as pd
import pytest

import ssdlab
from ssdlab.model.errors import UnknownNameError
from ssdlab.report import display
from ssdlab.steadiness.windows import summarise_windows
from tests.paths import ROOT

SAMPLE = ROOT / "data" / "samples" / "virtual-b"


def test_steady_state_has_the_frames_of_its_functions(
    capsys: pytest.CaptureFixture[str],
) -> None:
    run = ssdlab.open_run(SAMPLE)
    found = ssdlab.steady_state(run, test="iops")
    frames = (run.measurements, run.windows, run.steps)
    tracked = ssdlab.analysis.summarise_tracked(*frames, test="iops")
    pd.testing.assert_frame_equal(found.tracked, tracked)
    windows = summarise_windows(found.series, "pts-2.0.2")
    pd.testing.assert_frame_equal(found.windows, windows)
    assert "STEADY in rounds" in found.verdict
    assert found.verdict in repr(found)
    assert capsys.readouterr().out == ""


def test_latency_has_the_percentiles_and_the_verdicts() -> None:
    found = ssdlab.latency_qos(SAMPLE, test="lat", target="p99 <= 1 ns")
    load = found.load
    levels = ssdlab.analysis.summarise_qos(load, series=found.run.series)
    pd.testing.assert_frame_equal(found.levels, levels)
    assert {verdict.verdict for verdict in found.verdicts} == {"not met"}
    assert len(found.answers) == len(found.verdicts)


def test_choice_that_the_run_does_not_have_is_refused() -> None:
    with pytest.raises(UnknownNameError):
        ssdlab.steady_state(SAMPLE, test="nothing")
    with pytest.raises(UnknownNameError):
        ssdlab.latency_qos(SAMPLE, rounds="some")


def test_run_is_named_as_it_was_asked_for() -> None:
    assert ssdlab.steady_state(SAMPLE).which == f"Run: {SAMPLE}"


def test_overview_begins_with_the_key_results(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr(display, "show_html", shown.append)
    ssdlab.show_overview(ssdlab.open_run(SAMPLE))
    results = ssdlab.summarise_results(SAMPLE)
    assert shown[0].count('class="tile"') == min(8, len(results))
    assert f"{results['value'].iloc[0]:,.0f}" in shown[0]
