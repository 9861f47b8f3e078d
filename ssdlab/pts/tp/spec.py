"""TP: sequential throughput at steady state, each block size from its own purge."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from ssdlab.model.spec import Phase, Precondition, Purge, Rounds, Tracking, Workload
from ssdlab.model.units import KIB, MIB, block_size_label
from ssdlab.pts.compared import BY_THROUGHPUT
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import DEPTH, THREADS, Fault, Settings, setting
from ssdlab.pts.shared.settings import MatrixRounds, Ranges, Wipc
from ssdlab.pts.suite_test import SuiteTest


@dataclass(frozen=True, kw_only=True)
class Tp(Settings):
    """Values of TP.

    Without ``tracked_sizes`` every block size has its own steady state.
    """

    group: ClassVar[str] = "tp"
    prefix: ClassVar[str] = "tp_"
    changes: ClassVar = {
        "pts-c-1.1": {"block_sizes": (MIB,)},
        "tkperf": {
            "block_sizes": (MIB, 64 * KIB, 8 * KIB, 4 * KIB, 512),
            "threads": 2,
            "queue_depth": 16,
            "has_wipc": False,
            "tracked_sizes": (MIB,),
            "carries_on": False,  # its fio jobs have no offset
        },
    }

    block_sizes: tuple[int, ...] = setting(
        (MIB, 128 * KIB), "block sizes of TP", "8", "size", is_list=True
    )
    threads: int = setting(1, "thread count of TP", "8", "count", limits=THREADS)
    queue_depth: int = setting(32, "queue depth of TP", "8", "count", limits=DEPTH)
    has_wipc: bool = setting(
        True,  # noqa: FBT003 - a value of the field
        "preconditioning of TP",
        "8",
        "flag",
        code_below="fill-short",
    )
    tracked_sizes: tuple[int, ...] | None = setting(
        None,
        "block sizes of TP with a steady state of their own",
        "8",
        "size",
        is_list=True,
        absent="all",
    )
    carries_on: bool = setting(
        True,  # noqa: FBT003 - a value of the field
        "cells of TP continue where the last one ended",
        "8",
        "flag",
    )

    def faults(self) -> Iterator[Fault]:
        """Yield tracked sizes that are not measured, or that others cannot follow."""
        for size in self.tracked_sizes or ():
            if size not in self.block_sizes:
                yield (
                    "tracked_sizes",
                    f"{block_size_label(size)} is not in tp_block_sizes",
                    "Add it there, or leave it out here.",
                )
        if self.tracked_sizes and self.tracked_sizes[0] != self.block_sizes[0]:
            yield (
                "tracked_sizes",
                "it does not start with the first of tp_block_sizes",
                "Put the same block size first in both; the others follow its rounds.",
            )


def _phases(profile: Profile) -> tuple[Phase, ...]:
    """Return the phases: PTS 2.0.2, section 8."""
    return tuple(
        phase
        for block_size in profile[Tp].block_sizes
        for phase in _one_block_size(profile, block_size)
    )


def _name(block_size: int) -> str:
    return f"{block_size / KIB:g}KiB"


def _one_block_size(profile: Profile, block_size: int) -> tuple[Phase, ...]:
    values, wipc = profile[Tp], profile[Wipc]
    name = _name(block_size)
    fill = Precondition(  # at the tested block size: PTS 2.0.2, 3.3
        phase_id=f"wipc-{name}",
        block_size_bytes=block_size,
        threads=wipc.threads or values.threads,
        is_divided=wipc.is_divided,
        queue_depth=values.queue_depth,
        capacity_multiple=wipc.capacity_multiple,
    )
    cells = tuple(
        Workload(
            access="seq",
            block_size_bytes=block_size,
            read_percent=read_percent,
            threads=values.threads,
            queue_depth=values.queue_depth,
        )
        for read_percent in (100, 0)
    )
    written = Tracking(
        access="seq",
        block_size_bytes=block_size,
        read_percent=0,
        metric="bw_bytes_per_s",
    )
    tracked = values.tracked_sizes
    is_tracked = tracked is None or block_size in tracked
    rounds = Rounds(
        phase_id=f"rounds-{name}",
        cells=cells,
        cell_seconds=profile[MatrixRounds].cell_s,
        tracking=(written,) if is_tracked else (),
        max_rounds=profile[MatrixRounds].max_rounds,
        carries_on=values.carries_on,
        same_rounds_as="" if is_tracked else f"rounds-{_name((tracked or (0,))[0])}",
    )
    purge = Purge(phase_id=f"purge-{name}")
    return (purge, fill, rounds) if values.has_wipc else (purge, rounds)


TP = SuiteTest(
    test_id="tp",
    title="Throughput",
    section="8",
    words="Sequential reads and writes, each block size from its own purge.",
    uses=(Ranges, Wipc, MatrixRounds, Tp),
    build=_phases,
    view="ssdlab.pts.tp.pages:VIEW",
    compared=BY_THROUGHPUT,
    tracks=lambda _, mix: mix == 0,
    unused=lambda profile: () if profile[Tp].has_wipc else (Wipc,),
    is_basic=True,
)
