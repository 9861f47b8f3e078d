"""A drive recovers from random writes: by rest (HIR), by sequential ones (XSR)."""

from pathlib import Path

import pandas as pd
import pytest

import ssdlab
from ssdlab.virtual.counters import read_counters
from tests.integration.lab import Lab

pytestmark = pytest.mark.fio
TARGET = "virtual:size=64MiB,linger=120"
SITE = """
PROFILES["brief"] = PROFILES["demo"].having(
    name="brief", wdpc_sample_every_rounds=3, wdpc_max_samples=6,
    hir_wait_states=(1, 5), hir_cycles=5, hir_baseline_cycles=6,
    xsr_group_s=(6, 12, 14),
)
"""


def run_brief(lab: Lab, test: str) -> Path:
    """Run one test on a drive of its own; return the run's folder."""
    site = lab.folder / "site" / "sitecustomize.py"
    site.write_text(site.read_text("utf-8") + SITE, "utf-8")
    folder = lab.runs / test
    started = lab.measure(folder, test, target=TARGET, profile="brief")
    assert started.wait(240) == 0, started.said
    return folder


def rounds_of(run: Path, phase: str, column: str) -> "pd.Series[float]":
    measured = ssdlab.open_run(run).measurements
    rows = measured[(measured["phase"] == phase) & (measured["direction"] == "write")]
    return rows.sort_values("step_id")[column].astype(float)


def test_accesses_recover_with_the_wait_and_the_baseline_falls_back(lab: Lab) -> None:
    run = run_brief(lab, "hir")
    medians = {
        phase: float(rounds_of(run, phase, "iops").median())
        for phase in ("wait-1", "baseline-1", "wait-5", "baseline-5")
    }
    assert medians["wait-1"] > 1.08 * medians["baseline-1"], medians
    assert medians["wait-5"] > 1.04 * medians["wait-1"], medians
    assert medians["baseline-5"] == pytest.approx(medians["baseline-1"], rel=0.15)
    seen = read_counters(run / "target" / "counters.bin")
    assert 0 < seen.idle_moved_bytes < seen.gc_moved_bytes
    assert 0 < seen.idle_erases < seen.erases


def test_sequential_writes_after_random_ones_are_slower_at_first_and_recover(
    lab: Lab,
) -> None:
    """Micron's figures 17 and 18."""
    run = run_brief(lab, "xsr")
    before, after = (
        rounds_of(run, phase, "bw_bytes_per_s").to_list()
        for phase in ("group-1", "group-3")
    )
    assert len(after) == 14
    usual = sum(before[-4:]) / 4
    first, last = sum(after[:2]) / 2, sum(after[-4:]) / 4
    assert first < 0.8 * usual, (before, after)
    assert last > 0.9 * usual, (before, after)
