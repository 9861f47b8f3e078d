"""Segments of an active range: where they are, and that real fio stays in them."""

from collections import Counter
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.fio.jobs.segments import lay_segments
from ssdlab.model.spec import ActiveRange
from ssdlab.model.step import Segments, Step
from ssdlab.model.units import GIB, KIB, MIB
from ssdlab.plan.context import PlanContext
from tests.fio.jobs import cell, options_of, reach, run_step, workload
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED


def asked(amount_mib: int, span_mib: int, count: int, seed: int = 1) -> Step:
    pieces = Segments(count=count, span_bytes=span_mib * MIB, seed=seed)
    return replace(cell(), range_bytes=amount_mib * MIB, segments=pieces)


@given(
    count=st.sampled_from((2, 4, 5, 10, 20, 25, 50, 100)),
    amount_mib=st.integers(400, 20_000),
    free_mib=st.integers(0, 10**6),
    seed=st.integers(1, 2**31),
)
def test_segments_are_equal_apart_and_add_up_to_the_amount(
    count: int, amount_mib: int, free_mib: int, seed: int
) -> None:
    laid = lay_segments(asked(amount_mib, amount_mib + free_mib, count, seed))
    sizes = [size for _, size in laid]
    assert len(laid) == count
    assert sum(sizes) == amount_mib * MIB
    assert max(sizes) - min(sizes) <= MIB
    ends = [start + size for start, size in laid]
    gaps = [later - end for end, (later, _) in zip(ends, laid[1:], strict=False)]
    assert min(gaps) >= (MIB if free_mib >= count - 1 else 0)
    assert laid[0][0] >= 0
    assert ends[-1] <= (amount_mib + free_mib) * MIB


def test_every_way_to_place_them_is_as_likely_as_any_other() -> None:
    """Two of 4 MiB in 11 MiB, 1 MiB or more apart: six ways."""
    trials = 3000
    seen = Counter(lay_segments(asked(8, 11, 2, seed)) for seed in range(trials))
    starts = {tuple(start // MIB for start, _ in laid) for laid in seen}
    assert starts == {(0, 5), (0, 6), (0, 7), (1, 6), (1, 7), (2, 7)}
    assert all(400 < count < 600 for count in seen.values())


def test_range_without_room_is_one_piece() -> None:
    laid = lay_segments(asked(40, 40, 4))
    assert laid == tuple((at * 10 * MIB, 10 * MIB) for at in range(4))


def test_job_names_zones_and_gaps_in_mib() -> None:
    shared = options_of(render_job(asked(8, 10, 2, seed=3), {}))
    (first, size), (second, _) = lay_segments(asked(8, 10, 2, seed=3))
    before = f"0/{first // MIB}m:" if first else ""
    between = f"0/{(second - first - size) // MIB}m"
    zones = f"zoned_abs:{before}50/4m:{between}:50/4m"
    assert shared["global"]["random_distribution"] == zones
    assert shared["global"]["norandommap"] == "1"
    assert shared["cell"]["size"] == str(10 * MIB)


def test_segments_take_the_place_of_a_random_map() -> None:
    step = replace(asked(8, 10, 2), uses_random_map=True)
    assert options_of(render_job(step, {}))["global"]["norandommap"] == "1"


def test_context_has_segments_where_a_range_has_an_amount() -> None:
    whole = PlanContext(
        capacity_bytes=100 * GIB, sector_bytes=512, active_range_percent=100, seed=9
    )
    assert whole.segments is None
    inside = whole.within(ActiveRange(percent=75, amount_bytes=8 * GIB, segments=100))
    assert inside.segments == Segments(count=100, span_bytes=75 * GIB, seed=9)
    assert inside.within(ActiveRange(percent=75)).segments is None


@pytest.mark.fio
@pytest.mark.parametrize("block_kib", [4, 1024])
def test_real_fio_stays_in_its_segments_and_favours_none(
    tmp_path: Path, serve: Serve, block_kib: int
) -> None:
    ssd = serve(replace(UNTIMED, size_bytes=1024 * MIB))
    context = PlanContext(
        capacity_bytes=1024 * MIB, sector_bytes=512, active_range_percent=100, seed=5
    ).within(ActiveRange(percent=75, amount_bytes=410 * MIB, segments=100))
    work = workload(block_size_bytes=block_kib * KIB, threads=2, queue_depth=16)
    step = cell(work, seconds=1.5, context=context)
    run_step(step, reach(ssd), tmp_path / "steps")
    counts = ssd.page_write_counts().astype(np.int64)
    written = []
    for start, size in lay_segments(step):
        inside = slice(start // 4096, (start + size) // 4096)
        written.append(counts[inside].sum() * 4 // block_kib)
        counts[inside] = 0
    assert not counts.any()
    assert len(written) == 100
    # A slow machine writes about 1,000 blocks, of which one segment may well get thrice
    # its share; that all segments together are so uneven is left to one run in 10^9.
    assert stats.chisquare(written).pvalue > 1e-9
