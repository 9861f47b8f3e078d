"""Phases of recorded virtual SSDs, whose spare area and rates are known.

Garbage collection begins when all but three blocks a die are written, and from then on
the rate may fall; where it settles, the mean-field equations say (docs/virtual-ssd.md).
"""

from dataclasses import fields

import pandas as pd
import pytest

import ssdlab
from ssdlab.steadiness.phases import FOB, STEADY, summarise_phases
from ssdlab.steadiness.series import take_round_series
from ssdlab.store.run import Run
from ssdlab.virtual.options import VirtualSsdOptions
from tests.paths import ROOT, require_folder
from tests.virtual.lab import Model, greedy_write_amplification

PAGE_BYTES = 4096
RESERVE_BLOCKS = 5  # a die, besides the spare; collection begins below 3 free ones
IDLE_BLOCKS = 2.6  # a die: free, or half-written

each_drive = pytest.mark.parametrize(
    "name", ["virtual-all", "virtual-a", "virtual-a-again", "virtual-b", "virtual-c"]
)


def open_sample(name: str) -> tuple[Run, VirtualSsdOptions]:
    run = ssdlab.open_run(require_folder(ROOT / "data" / "samples" / name))
    known = {field.name for field in fields(VirtualSsdOptions)}
    options = run.record.target.options
    chosen = {key: value for key, value in options.items() if key in known}
    return run, VirtualSsdOptions(**chosen)  # type: ignore[arg-type] # by name


def phases_of(run: Run) -> pd.DataFrame:
    frames = (run.measurements, run.windows, run.steps)
    return summarise_phases(take_round_series(*frames, test="wsat"))


def physical_fills(options: VirtualSsdOptions, *, spare_blocks: float) -> float:
    """Return what a drive holds, with so many blocks a die besides the spare."""
    block_bytes = options.pages_per_block * PAGE_BYTES
    more = spare_blocks * options.dies * block_bytes / options.size_bytes
    return 1 + options.over_provisioning_percent / 100 + more


def expected_iops(options: VirtualSsdOptions) -> float:
    """Return the steady rate by the mean-field equations, or the controller's."""
    model = Model(options=options)
    holds = physical_fills(options, spare_blocks=RESERVE_BLOCKS - IDLE_BLOCKS)
    amplification = greedy_write_amplification(1 / holds, options.pages_per_block)
    steady = model.steady_write_pages_per_s(amplification)
    return min(steady, model.controller_iops(PAGE_BYTES))


@each_drive
def test_fresh_rate_lasts_until_the_spare_area_is_used(name: str) -> None:
    run, options = open_sample(name)
    phases = phases_of(run)
    fresh = phases[phases["phase"] == FOB]
    controller = Model(options=options).controller_iops(PAGE_BYTES)
    if expected_iops(options) == controller:  # garbage collection never limits it
        assert phases["level"].between(0.95 * controller, 1.02 * controller).all()
        return
    written = run.steps[(run.steps["test"] == "wsat") & (run.steps["kind"] == "cell")]
    fills = written.drop_duplicates("round").set_index("round")["drive_fills"]
    end = int(fresh["last_round"].iloc[0])
    collects_from = physical_fills(options, spare_blocks=RESERVE_BLOCKS - 3)
    assert fills[end + 1] > collects_from
    assert fills[end] < 2 * collects_from
    assert fresh["level"].iloc[0] == pytest.approx(controller, rel=0.06)


@each_drive
def test_steady_level_is_that_of_the_mean_field_equations(name: str) -> None:
    run, options = open_sample(name)
    steady = phases_of(run).iloc[-1]
    assert steady["phase"] == STEADY
    expected = expected_iops(options)
    assert steady["level_low"] <= 1.02 * expected  # a late host only slows it down
    assert steady["level_high"] >= 0.92 * expected
    assert steady["level"] == pytest.approx(expected, rel=0.1)
