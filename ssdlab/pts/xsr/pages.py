"""Cross stimulus recovery: PTS 2.0.2, section 12, plots 1, 6 and 7; 1 to 5 in 1.1."""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import pandas as pd

from ssdlab.model.spec import Stimulus
from ssdlab.model.units import duration_label
from ssdlab.paper.blocks import Note, Page, Plot, Tone
from ssdlab.paper.context import Context
from ssdlab.plots.labels import lay_out
from ssdlab.pts.shared.head_facts import (
    Facts,
    common_facts,
    fill_facts,
    group_facts,
    measured_cells,
    sequence_facts,
)
from ssdlab.pts.shared.outcome import Outcome
from ssdlab.pts.shared.steady import sentence
from ssdlab.pts.shared.verdict import SummaryRow, sparkline
from ssdlab.pts.shared.view import View
from ssdlab.pts.xsr.figures import (
    group_label,
    plot_cross_stimulus,
    plot_cross_stimulus_latency,
)
from ssdlab.pts.xsr.summary import (
    is_recovery_known,
    ratio_text,
    recovery_text,
    summarise_access_groups,
    summarise_cross_stimulus,
)
from ssdlab.store.run import Run
from ssdlab.telemetry.strip import strip_under_io
from ssdlab.text.numbers import NOT_MEASURED, exact_text, metric_text
from ssdlab.text.quantities import MILLISECONDS, Quantity, span_s, time_quantity
from ssdlab.text.table import Column, Table, column, quantities, quantity, tabulate

_AROUND_S = 2 * 3600.0  # PTS 2.0.2, section 12: 2 h either side of the change ...
_FIRST_GROUP_S = 8 * 3600.0  # ... where the first group takes 8 h
_GROUP_NOTE = (
    "End is the throughput at the end of the segment: of its last round. Recovery is "
    "the time under IO from the start of group 3 to the end of its first round whose "
    "throughput reaches the mean of group 1; where none does, the share of that mean "
    "that its best round reached. By design, this test has no steady state."
)
_GAP_NOTE = "The groups follow one another at once, without a planned gap."


def xsr_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of the cross stimulus recovery test."""
    frame = summarise_cross_stimulus(context.totals, context.steps)
    title = "Throughput vs time, all access groups"
    if frame.empty:
        note = Note(text="No round was finished.", tone="warning")
        return (Page(plot_id="XSR 1", title=title, blocks=(note,)),)
    asked = context.test(test).phases  # the groups as they were to run
    phases = tuple(one for one in asked if isinstance(one, Stimulus))
    groups = summarise_access_groups(frame, phases=phases)
    first = Page(
        plot_id="XSR 1",
        title=title,
        blocks=(
            strip_under_io(
                context,
                plot_cross_stimulus(frame, groups=groups),
                test=test,
                unit=time_quantity(span_s(frame)),
            ),
            *_breaks(frame),
            _rounds_table(frame),
        ),
    )
    if context.is_edition_1:
        return (first, *_pages_1_1(frame, groups, phases=phases))
    return (first, *_pages_2_0(frame, groups))


def _pages_1_1(
    frame: pd.DataFrame, groups: pd.DataFrame, *, phases: tuple[Stimulus, ...]
) -> tuple[Page, ...]:
    scale = phases[0].time_limit_s / _FIRST_GROUP_S if phases else 1.0
    second = _page_around(frame, groups, first=1, around_s=_AROUND_S * scale)
    third = _page_around(frame, groups, first=2, around_s=_AROUND_S * scale)
    average = plot_cross_stimulus(
        frame, metric="lat_mean_ns", title="Average latency vs time"
    )
    maximum = plot_cross_stimulus(
        frame, metric="lat_max_ns", title="Maximum latency vs time"
    )
    return (
        Page(plot_id="XSR 2", title=second[0], blocks=second[1]),
        Page(plot_id="XSR 3", title=third[0], blocks=(*third[1], _verdict(groups))),
        Page(
            plot_id="XSR 4",
            title="Average latency vs time",
            blocks=(Plot(figure=average),),
        ),
        Page(
            plot_id="XSR 5",
            title="Maximum latency vs time",
            blocks=(Plot(figure=maximum),),
        ),
    )


def _page_around(
    frame: pd.DataFrame, groups: pd.DataFrame, *, first: int, around_s: float
) -> tuple[str, tuple[Plot | Note, ...]]:
    """Return title and blocks of the change from one group to the next."""
    title = f"Throughput vs time, groups {first} and {first + 1}"
    if not (frame["group"] == first + 1).any():
        text = f"Group {first + 1} was not started."
        return title, (Note(text=text, tone="warning"),)
    near = _around(frame, first=first, around_s=around_s)
    words = f"{title}, {duration_label(around_s)} either side of the change"
    known = groups if first == 2 else None
    figure = plot_cross_stimulus(near, groups=known, title=words)
    # the change alone, not all that was before
    lay_out(figure, xaxis={"rangemode": "normal"})
    return title, (Plot(figure=figure),)


def _around(frame: pd.DataFrame, *, first: int, around_s: float) -> pd.DataFrame:
    """Return the rounds of two groups that are near the change between them."""
    change_s = float(frame[frame["group"] == first]["time_s"].max())
    is_near = (frame["time_s"] - change_s).abs() <= around_s
    return frame[is_near & frame["group"].isin([first, first + 1])]


def _pages_2_0(frame: pd.DataFrame, groups: pd.DataFrame) -> tuple[Page, ...]:
    unit = time_quantity(span_s(frame))
    return (
        Page(
            plot_id="XSR 6",
            title="Throughput, average and maximum latency vs time",
            blocks=(Plot(figure=plot_cross_stimulus_latency(frame)),),
        ),
        Page(
            plot_id="XSR 7",
            title="Summary of the access groups",
            blocks=(
                _groups_table(groups, unit=unit),
                _verdict(groups),
                _gaps_table(groups),
            ),
        ),
    )


def _verdict(groups: pd.DataFrame) -> Note:
    text = f"{sentence(recovery_text(groups))}."
    tone: Tone = "plain" if is_recovery_known(groups) else "warning"
    return Note(text=text, tone=tone)


def _groups_table(groups: pd.DataFrame, *, unit: Quantity) -> Table:
    """Return the summary table of the standard."""

    def exact(name: str, head: str, of: str) -> Column:
        return quantity(name, head, of=of, number=exact_text)

    return tabulate(
        groups,
        (
            column("Access group", group_label),
            column("Rounds", _count),
            exact("bw_bytes_per_s", "End [MB/s]", "bw_end_bytes_per_s"),
            exact("bw_bytes_per_s", "Mean [MB/s]", "bw_mean_bytes_per_s"),
            exact("lat_mean_ns", "Peak ART [ms]", "lat_mean_peak_ns"),
            exact("lat_max_ns", "Peak MRT [ms]", "lat_max_peak_ns"),
            column(f"Recovery [{unit.unit}]", partial(_recovery, unit=unit)),
        ),
        caption="Access groups",
        note=_GROUP_NOTE,
    )


def _gaps_table(groups: pd.DataFrame) -> Table:
    """Return how long the drive was idle before each group and inside it."""

    def milliseconds(head: str, of: str) -> Column:
        return quantity(of, head, unit=MILLISECONDS, number=exact_text)

    return tabulate(
        groups,
        (
            column("Access group", group_label),
            milliseconds("Before it [ms]", "idle_before_s"),
            milliseconds("Greatest inside [ms]", "idle_max_s"),
        ),
        caption="Gaps between rounds",
        note=_GAP_NOTE,
    )


def _count(row: Mapping[str, Any]) -> str:
    done, wanted = int(row["n_rounds"]), int(row["n_rounds_wanted"])
    return str(done) if done >= wanted else f"{done} of {wanted}"


def _recovery(row: Mapping[str, Any], *, unit: Quantity) -> str:
    if row["group"] != 3:
        return ""
    if pd.isna(row["is_recovered"]):
        return NOT_MEASURED
    if not row["is_recovered"]:
        return f"to {ratio_text(row['best_ratio'])}"
    return (
        f"{exact_text(row['recovery_s'] / unit.divisor)}, round {row['recovery_round']}"
    )


def _breaks(frame: pd.DataFrame) -> tuple[Note, ...]:
    broken = frame[~frame["is_contiguous"]]
    if broken.empty:
        return ()
    places = ", ".join(
        f"round {row['round']} of group {row['group']}" for _, row in broken.iterrows()
    )
    text = (
        f"The drive was idle before {places}: the run was resumed, or was late. Time "
        "counts IO only, so the idle time is not on the axis; it may have helped the "
        "drive to recover."
    )
    return (Note(text=text, tone="warning"),)


def _rounds_table(frame: pd.DataFrame) -> Table:
    """Return what each round recorded (PTS 2.0.2, section 12)."""
    gap = quantity(
        "idle_before_s", "Gap before [ms]", unit=MILLISECONDS, number=exact_text
    )
    return tabulate(
        frame,
        (
            column("Round", "round"),
            column("Group", "group"),
            quantity("time_s", unit=time_quantity(span_s(frame)), number=exact_text),
            *quantities(
                "bw_bytes_per_s", "lat_mean_ns", "lat_max_ns", number=exact_text
            ),
            gap,
        ),
        caption=f"Each of {len(frame)} rounds",
        is_folded=True,
    )


def _set_up(context: Context, test: str) -> Facts:
    """Return that there is no preconditioning and no steady state."""
    return [
        *common_facts(context, test),
        *fill_facts(context, test),
        ("Steady state", "none by design: groups end by time"),
    ]


# Implementations differ, and the text of the edition is not available: decision 78.
_UNSURE_THREADS = (
    "Not certain",
    "TC of access group 2 in PTS-E 1.1: implementations have 1 or 8",
)


def _stimulus(context: Context, test: str) -> Facts:
    """Return the access groups."""
    cells = measured_cells(context.steps_of(test))
    return [
        *common_facts(context, test),
        *group_facts(cells),
        *([_UNSURE_THREADS] if context.is_edition_1 else []),
        *sequence_facts(cells),
    ]


def _summary(context: Context, test: str) -> list[SummaryRow]:
    """Return one row: throughput, and how far it recovered after the second group.

    The PTS sets no limit for it, so a recovery that is known neither passes nor fails.
    """
    rounds = summarise_cross_stimulus(context.totals, context.steps)
    series = rounds["bw_bytes_per_s"].astype(float)
    title = context.title_of(test)
    first, verdict = NOT_MEASURED, "no round was finished"
    is_steady: bool | None = False
    if len(rounds):
        groups = summarise_access_groups(rounds)
        verdict = f"{recovery_text(groups)}; XSR has no steady state by design"
        is_steady = None if is_recovery_known(groups) else False
        first = metric_text(float(series.iloc[0]), "bw_bytes_per_s")
    row = SummaryRow(
        test=title,
        tracked="throughput",
        first=first,
        steady=NOT_MEASURED,
        rounds=NOT_MEASURED,
        verdict=verdict,
        is_steady=is_steady,
        spark=sparkline(series, f"{title}, throughput"),
    )
    return [row]


def _outcome(run: Run, test: str) -> Iterator[Outcome]:
    """Yield how far throughput recovered, or after what time."""
    rounds = summarise_cross_stimulus(run.measurements, run.steps)
    yield test, recovery_text(summarise_access_groups(rounds))


VIEW = View(
    pages=xsr_pages,
    set_up=_set_up,
    stimulus=_stimulus,
    summary=_summary,
    outcome=_outcome,
)
