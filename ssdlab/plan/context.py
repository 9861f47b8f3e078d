"""The input of a plan besides the tests, and its output."""

from dataclasses import dataclass, replace

from ssdlab.model.spec import ActiveRange, Tracking
from ssdlab.model.step import Segments, Step
from ssdlab.model.units import active_range_bytes
from ssdlab.stats.window_verdict import SteadyStateVerdict

_GOLDEN_STEP = 0x9E3779B1
_SEED_PRIME = 2**31 - 1  # prime, so that no two step numbers below it share a seed


@dataclass(frozen=True, kw_only=True, slots=True)
class PlanContext:
    """The device and the seed: a plan reads no clock and draws no random number.

    ``amount_bytes`` is how much of the active range is accessed, all if ``None``, and
    ``segment_count`` the number of pieces.
    """

    capacity_bytes: int
    sector_bytes: int
    active_range_percent: float
    seed: int
    uses_random_map: bool = False
    amount_bytes: int | None = None
    segment_count: int = 1

    @property
    def range_bytes(self) -> int:
        """The active range from LBA 0: all of the device, or whole MiB of it."""
        return active_range_bytes(
            self.capacity_bytes,
            self.active_range_percent,
            amount_bytes=self.amount_bytes,
        )

    @property
    def segments(self) -> Segments | None:
        """The pieces of the active range that random cells access, if it is split."""
        if self.amount_bytes is None or self.segment_count == 1:
            return None
        whole = active_range_bytes(self.capacity_bytes, self.active_range_percent)
        return Segments(count=self.segment_count, span_bytes=whole, seed=self.seed)

    def within(self, active_range: ActiveRange | None) -> "PlanContext":
        """Return the context of a phase that has an active range of its own."""
        if active_range is None:
            return self
        return replace(
            self,
            active_range_percent=active_range.percent,
            amount_bytes=active_range.amount_bytes,
            segment_count=active_range.segments,
        )

    def step_seed(self, number: int) -> int:
        """Return the offset seed of the step of that number, distinct for each.

        It is never 0: fio multiplies it by the number of the thread, so that with 0
        all threads of a cell would use the same offsets.
        """
        return (self.seed * 1_000_003 + number * _GOLDEN_STEP) % _SEED_PRIME + 1


@dataclass(frozen=True, kw_only=True, slots=True)
class Batch:
    """Steps to run in order, one directly after the other.

    ``next_step`` follows the last of them: either for certain, so that it may begin at
    once, or only if the loop continues, so that a backend may prepare it and must
    discard it if the plan then requests another.
    """

    steps: tuple[Step, ...]
    next_step: Step | None = None
    is_next_certain: bool = False


@dataclass(frozen=True, kw_only=True, slots=True)
class Judgement:
    """One steady-state judgement: a tracking variable at the end of a round.

    ``cell`` is the place of its cell in a round, from 1; ``rounds`` are the rounds of
    the window, of which WSAT uses every n-th.
    """

    test_id: str
    phase_id: str
    round: int
    tracking: Tracking
    cell: int
    rounds: tuple[int, ...]
    verdict: SteadyStateVerdict
    is_round_steady: bool
