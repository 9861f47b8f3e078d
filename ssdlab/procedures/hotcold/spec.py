"""Hot and cold data: fill what an application holds, rewrite only its hot part.

HGST/WD, 17 April 2018, calls random writes over the full device a worst case unless the
hot data is that large. It gives no sizes, times or rules: decision 91.
"""

from ssdlab.model.asked import Procedure
from ssdlab.model.spec import (
    ActiveRange,
    Phase,
    Precondition,
    PtsTest,
    Purge,
    Rounds,
    Workload,
)
from ssdlab.model.units import MIB, duration_label
from ssdlab.procedures.peak.spec import SOURCE
from ssdlab.procedures.saturate.spec import tracking_of
from ssdlab.procedures.saturate.stimulus_text import stimulus_text

HOT_COLD = "hot-cold"
HOT, ALL = "hot", "all"  # what is rewritten: the hot part, or all that is filled
USED_PERCENT, HOT_PERCENT = 80.0, 20.0  # decision 91
ROUNDS, MINUTES = 25, 5.0  # decision 91
_FILL_QUEUE_DEPTH = 16  # HGST/WD, 17 April 2018: job 04


def hot_cold(
    workload: Workload,
    *,
    used_percent: float = USED_PERCENT,
    hot_percent: float = HOT_PERCENT,
    rounds: int = ROUNDS,
    minutes: float = MINUTES,
) -> Procedure:
    """Return two stages, each after a purge and a fill: rewrite the hot part, then all.

    ``used_percent`` of the user capacity is filled, ``hot_percent`` of that is hot.
    """
    if not (0 < used_percent <= 100 and 0 < hot_percent < 100):
        msg = f"{hot_percent:g} % of {used_percent:g} % is no part of a device"
        raise ValueError(msg)
    used = ActiveRange(percent=used_percent)
    hot = ActiveRange(percent=used_percent * hot_percent / 100)
    test = PtsTest(
        test_id=HOT_COLD,
        title=f"Hot and cold data, {stimulus_text(workload)}",
        pts_section="",
        phases=tuple(
            phase
            for name, active in ((HOT, hot), (ALL, used))
            for phase in _stage(
                name,
                workload,
                used=used,
                active=active,
                rounds=rounds,
                minutes=minutes,
            )
        ),
    )
    return Procedure(
        name=HOT_COLD,
        title=test.title,
        source=SOURCE,
        tests=(test,),
        notes=_notes(used, hot, rounds=rounds, minutes=minutes),
        given={"used_percent": used_percent, "hot_percent": hot_percent},
    )


def _notes(
    used: ActiveRange, hot: ActiveRange, *, rounds: int, minutes: float
) -> tuple[str, ...]:
    """Say what is filled and rewritten, and what is not from the source."""
    parts = (
        f"The first {used.percent:g} % of the user capacity is filled, as an "
        f"application would fill it, and the first {hot.percent:g} % is hot. After a "
        "purge and a fill each, the stimulus rewrites first the hot part alone, then "
        "all that is filled."
    )
    ends = (
        f"A stage ends when it is steady, or after {rounds} rounds of "
        f"{duration_label(minutes * 60)}. The source names the idea and gives no "
        "sizes, times or rules."
    )
    return parts, ends


def _stage(
    name: str,
    workload: Workload,
    *,
    used: ActiveRange,
    active: ActiveRange,
    rounds: int,
    minutes: float,
) -> tuple[Phase, ...]:
    """Return a purge, the fill, and rounds of a stimulus over a part of it."""
    return (
        Purge(phase_id=f"purge-{name}"),
        Precondition(
            phase_id=f"fill-{name}",
            block_size_bytes=MIB,
            queue_depth=_FILL_QUEUE_DEPTH,
            capacity_multiple=used.percent / 100,
            active_range=used,
        ),
        Rounds(
            phase_id=name,
            cells=(workload,),
            cell_seconds=minutes * 60,
            tracking=(tracking_of(workload),),
            max_rounds=rounds,
            active_range=active,
        ),
    )
