"""The standard's own IOPS loop over the recorded cells of a real drive.

The rule is also worked out here in plain arithmetic on the raw files, so that verdict
and last round are known independently of the code. The cells were not taken in the
order of the loop: gaps between them mean nothing and are not judged.
"""

import math
from pathlib import Path

import pytest

from ssdlab.model.spec import PTS_CRITERIA, PtsTest, Rounds, Tracking
from ssdlab.pts.iops.spec import THREE_TRACKING
from ssdlab.pts.shared.settings import RND_4K_WRITE
from ssdlab.stats.matrix import summarise_iops_matrix
from ssdlab.testing.replay import Recording, StepNotRecordedError
from tests.golden.real_drive import (
    KIB,
    MIXES,
    SIZES,
    Cell,
    as_test,
    drive_recording,
    fill,
    own_steady_state,
    raw_iops,
    recorded_rounds,
    recording_of,
    replay,
    tracking,
    workload,
)
from tests.paths import FIO_SAMPLES, require_folder

MIB = KIB * KIB
MATRIX = [(size, mix) for mix in MIXES for size in SIZES]
SIX_ROUNDS_TRACKED = [(4 * KIB, 5), (64 * KIB, 65), (MIB, 35)]


def random_cell_of(cell: Cell) -> Tracking:
    return tracking(workload(cell, "rnd", threads=2, queue_depth=16), "iops")


def loop(cells: list[Cell], tracked: tuple[Tracking, ...], max_rounds: int) -> PtsTest:
    rounds = Rounds(
        phase_id="rounds",
        cells=tuple(workload(cell, "rnd", threads=2, queue_depth=16) for cell in cells),
        cell_seconds=60,
        tracking=tracked,
        max_rounds=max_rounds,
    )
    return as_test("iops", (fill(128 * KIB, threads=2, queue_depth=16), rounds))


@pytest.fixture
def folder() -> Path:
    return require_folder(FIO_SAMPLES / "ssspt_hp_iops_3")


@pytest.fixture
def recording(folder: Path) -> Recording:
    fills = {"wipc_bs1024KB.json": 128 * KIB}
    return recording_of("iops", folder, access="rnd", fills=fills)


def ratios(window: list[float]) -> tuple[float, float]:
    """Return range and slope excursion over four steps, by the average."""
    y1, y2, _, y4, y5 = window
    average = math.fsum(window) / 5
    slope = (-2 * y1 - y2 + y4 + 2 * y5) / 10
    return (max(window) - min(window)) / average, 4 * abs(slope) / average


def is_steady(window: list[float]) -> bool:
    """Apply PTS 2.0.2, 2.1.24."""
    range_ratio, slope_ratio = ratios(window)
    return range_ratio <= 0.20 and slope_ratio <= 0.10


def steady_by_round(folder: Path, cell: Cell) -> dict[int, bool]:
    values = raw_iops(folder, cell)
    return {end: is_steady(values[end - 5 : end]) for end in range(5, len(values) + 1)}


def cell_of(variable: Tracking) -> Cell:
    return variable.block_size_bytes, variable.read_percent


def test_loop_of_56_cells_with_three_variables_is_judged_after_round_5(
    folder: Path, recording: Recording, tmp_path: Path
) -> None:
    expected = {
        variable.label: steady_by_round(folder, cell_of(variable))[5]
        for variable in THREE_TRACKING
    }
    assert sorted(expected.values()) == [False, True, True]
    run = replay(
        tmp_path / "run",
        recording,
        loop(MATRIX, THREE_TRACKING, 5),
        max_idle_s=math.inf,
    )
    windows = run.windows
    assert windows["round"].tolist() == [5, 5, 5]
    assert dict(zip(windows["tracking"], windows["is_steady"], strict=True)) == expected
    assert not windows["is_round_steady"].any()
    range_ratio, slope_ratio = ratios(raw_iops(folder, (64 * KIB, 65))[:5])
    (reason,) = windows.loc[~windows["is_steady"], "reason"]
    assert reason == (
        f"range {100 * range_ratio:.4g} % of the average exceeds 20 %; "
        f"slope excursion {100 * slope_ratio:.4g} % of the average exceeds 10 %"
    )


def test_loop_goes_on_when_not_steady_and_names_what_was_not_recorded(
    recording: Recording, tmp_path: Path
) -> None:
    test = loop(MATRIX, THREE_TRACKING, 25)
    with pytest.raises(
        StepNotRecordedError, match=r"r006-rnd-1024KiB-r100: it was not recorded in "
    ):
        drive_recording(tmp_path, recording, test, max_idle_s=math.inf)
    assert len(list((tmp_path / "steps").iterdir())) == 1 + 5 * 56


def test_loop_with_one_variable_ends_as_soon_as_it_is_steady(
    folder: Path, recording: Recording, tmp_path: Path
) -> None:
    assert steady_by_round(folder, cell_of(RND_4K_WRITE))[5]
    test = loop(MATRIX, (RND_4K_WRITE,), 25)
    run = replay(tmp_path / "run", recording, test, max_idle_s=math.inf)
    assert run.windows["is_round_steady"].tolist() == [True]
    assert run.steps["round"].max() == 5
    frame = summarise_iops_matrix(run.measurements, run.windows)
    assert len(frame) == 56
    for size, mix, iops in zip(
        frame["block_size_bytes"], frame["read_percent"], frame["iops"], strict=True
    ):
        plain = math.fsum(raw_iops(folder, (size, mix))[:5]) / 5
        assert iops == pytest.approx(plain, rel=1e-12), (size, mix)


def test_loop_with_three_variables_ends_when_all_are_steady_in_one_window(
    folder: Path, recording: Recording, tmp_path: Path
) -> None:
    six = [cell for cell in MATRIX if recorded_rounds(folder)[cell] == 6]
    by_variable = [steady_by_round(folder, cell) for cell in SIX_ROUNDS_TRACKED]
    (last,) = [end for end in (5, 6) if all(steady[end] for steady in by_variable)]
    test = loop(six, tuple(map(random_cell_of, SIX_ROUNDS_TRACKED)), 25)
    run = replay(tmp_path / "run", recording, test, max_idle_s=math.inf)
    assert last == 6
    assert run.steps["round"].max() == last
    by_round = run.windows.groupby("round")["is_round_steady"].all()
    assert by_round.to_dict() == {5: False, 6: True}


@pytest.mark.parametrize(
    ("cell", "authors", "standards"),
    [((512, 95), 9, 5), ((64 * KIB, 50), 5, None), ((32 * KIB, 5), 6, None)],
    ids=str,
)
def test_rule_of_the_standard_differs_from_the_authors_on_three_cells(
    folder: Path,
    recording: Recording,
    tmp_path: Path,
    *,
    cell: Cell,
    authors: int,
    standards: int | None,
) -> None:
    """His rule allows twice the slope and wants each value near the average."""
    steady = steady_by_round(folder, cell)
    assert next((end for end in steady if steady[end]), None) == standards
    stimulus = workload(cell, "rnd", threads=2, queue_depth=16)
    test = as_test("iops", (own_steady_state(stimulus, "iops", PTS_CRITERIA),))
    if standards is None:
        with pytest.raises(StepNotRecordedError, match=f"r{authors + 1:03d}-rnd"):
            drive_recording(tmp_path, recording, test, max_idle_s=5)
        return
    run = replay(tmp_path / "run", recording, test)
    assert run.steps["round"].max() == standards < authors == len(steady) + 4


def test_rules_agree_on_every_other_cell(folder: Path) -> None:
    differing = []
    for cell, rounds in recorded_rounds(folder).items():
        steady = steady_by_round(folder, cell)
        if [end for end in steady if steady[end]] != [rounds]:
            differing.append(cell)
    assert sorted(differing) == [(512, 95), (32 * KIB, 5), (64 * KIB, 50)]
