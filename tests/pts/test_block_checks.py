"""Blocks that a device cannot have are refused before it is purged."""

import re
from collections.abc import Callable

import pytest

from ssdlab.engine.request import require_fit
from ssdlab.model.asked import Procedure
from ssdlab.model.capture import Capture, CaptureStep, StreamCount
from ssdlab.model.errors import ProfileError
from ssdlab.model.spec import (
    Access,
    ActiveRange,
    Histogram,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Workload,
)
from ssdlab.model.units import MIB
from ssdlab.procedures.rwsw.spec import individual_streams, replay, wsat
from ssdlab.pts import find_profile
from ssdlab.pts.block_checks import require_blocks_in_range, require_whole_sectors
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.iops.spec import Iops

SMALL = "virtual:size=64MiB"


def work(size: int) -> Workload:
    return Workload(
        access="rnd", block_size_bytes=size, read_percent=0, threads=1, queue_depth=1
    )


def of(*phases: Phase) -> PtsTest:
    return PtsTest(test_id="made", title="Made", pts_section="", phases=phases)


def long_run(size: int, active_range: ActiveRange | None = None) -> PtsTest:
    phase = Histogram(
        phase_id="long", workload=work(size), seconds=1, active_range=active_range
    )
    return of(Purge(), phase)


def require(test: PtsTest, *, percent: float = 100.0) -> None:
    require_blocks_in_range(
        "made", test, 64 * MIB, active_range_percent=percent, remedy="Take another."
    )


def test_block_as_large_as_the_range_is_taken() -> None:
    require(long_run(64 * MIB))
    require(long_run(32 * MIB), percent=50)


@pytest.mark.parametrize(
    ("test", "percent"),
    [
        (long_run(64 * MIB + 512), 100.0),
        (long_run(64 * MIB), 50.0),
        (
            long_run(4 * MIB, ActiveRange(percent=100, amount_bytes=2 * MIB)),
            100.0,
        ),
        (
            of(
                Precondition(
                    phase_id="fill",
                    block_size_bytes=128 * MIB,
                    queue_depth=1,
                    capacity_multiple=1,
                )
            ),
            100.0,
        ),
    ],
    ids=["device", "part", "own range", "fill"],
)
def test_block_larger_than_the_range_is_refused(test: PtsTest, percent: float) -> None:
    with pytest.raises(
        ProfileError, match=r"the blocks of MADE: .* block is larger than the active"
    ):
        require(test, percent=percent)


def test_block_of_no_whole_sectors_says_the_remedy_that_fits() -> None:
    with pytest.raises(ProfileError, match=r"fit sectors of 512 B. Take another\."):
        require_whole_sectors("made", long_run(1000), 512, remedy="Take another.")
    require_whole_sectors("made", long_run(1024), 512, remedy="Take another.")
    with pytest.raises(ProfileError, match="do not fit"):
        require_whole_sectors("made", of(Purge()), 512, remedy="Take another.")


def capture(size: int, access: Access = "rnd") -> Capture:
    streams = (
        StreamCount(access=access, block_size_bytes=size, is_read=False, ios=90),
        StreamCount(access="rnd", block_size_bytes=4096, is_read=True, ios=80),
    )
    step = CaptureStep(
        number=1, start_s=0, duration_s=60, queue_depth=2, streams=streams
    )
    return Capture(name="made", steps=(step,))


@pytest.mark.parametrize("build", [wsat, individual_streams, replay])
@pytest.mark.parametrize(
    ("size", "said"),
    [
        (
            128 * MIB,
            "the 131072 KiB block is larger than the active range of 67.11 MB.",
        ),
        (1000, "they do not fit sectors of 512 B."),
    ],
)
def test_capture_with_such_blocks_is_refused_before_the_purge(
    build: Callable[[Capture], Procedure], size: int, said: str
) -> None:
    """A dry run refuses as the run itself does."""
    procedure = build(capture(size))
    with pytest.raises(ProfileError, match=re.escape(said)) as refused:
        require_fit(SMALL, procedure)
    assert str(refused.value).endswith("Edit the capture or lower --share.")
    assert "profile" not in str(refused.value)


def test_other_procedure_asks_for_another_stimulus() -> None:
    procedure = Procedure(
        name="made", title="Made", source="ours", tests=(long_run(128 * MIB),)
    )
    with pytest.raises(
        ProfileError, match=r"Choose another stimulus, if the procedure takes one"
    ):
        require_fit(SMALL, procedure)


def test_profile_with_a_block_larger_than_its_range_is_refused() -> None:
    """Half of 64 MiB has no room for 48 MiB, all of it has."""
    large = (48 * MIB, *find_profile("demo")[Iops].block_sizes)
    profile = find_profile("demo").having(iops_block_sizes=large)
    whole = profile.having(active_range_percent=100.0)
    fit_suite(whole, ("iops",), capacity_bytes=64 * MIB, sector_bytes=512)
    half = profile.having(active_range_percent=50.0)
    with pytest.raises(
        ProfileError, match="the 49152 KiB block is larger than the active"
    ):
        fit_suite(half, ("iops",), capacity_bytes=64 * MIB, sector_bytes=512)
