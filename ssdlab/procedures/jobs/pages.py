"""The jobs of a user's job file: one page a stimulus, then its measurement window."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pandas as pd

from ssdlab.model.spec import Metric
from ssdlab.model.units import duration_label
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.procedures.facts import procedure_view
from ssdlab.procedures.jobs.figures import (
    job_looks,
    plot_job_rounds,
    plot_job_series,
    plot_load,
    plot_matrix,
)
from ssdlab.procedures.jobs.spec import LONG, ROUNDS
from ssdlab.procedures.jobs.summary import (
    ALL_JOBS,
    LOAD_LEVELS,
    Side,
    curve_of_sides,
    find_sides,
    level_name,
    levels_of,
    summarise_replays,
    summarise_sides,
    summarise_stimuli,
    window_rounds,
)
from ssdlab.pts.shared.headlines import Headline, cell_headline
from ssdlab.pts.shared.histogram import histogram_page
from ssdlab.pts.shared.steady import reported_window, window_pages
from ssdlab.qos.spread_figures import plot_exceedance
from ssdlab.text.numbers import exact_text
from ssdlab.text.quantities import is_missing
from ssdlab.text.table import (
    Column,
    Table,
    column,
    explain_marks,
    mark_unsupported,
    percentile,
    quantities,
    quantity,
    tabulate,
)

_NS_PER_MS = 1e6
_NOTE = (
    "The mean latency is weighted by IOs. Percentiles come from merged histograms: the "
    "middle of a bin at most 1.6 % wide, and never above the exact maximum."
)


_OF_RATES = (
    "fio counts a latency from the submission of an IO, not from when it was due. IOs "
    "that were due while their thread still waited for another were submitted late: "
    "where none of that wait is counted, latencies look lower than a source of that "
    "rate would see them (coordinated omission). From the due time, with all of that "
    "wait, a percentile is at least what fio counted, and at most that of so many more "
    "IOs as can have been late. That is known only of jobs with one IO per thread; the "
    "more threads, the narrower it is."
)
_OF_REPLAYS = (
    "fio leaves as much time between two IOs as the log, less what the first took, and "
    "does not catch up: a drive that is slower than the recorded one takes longer. "
    "Without a recorded time the IOs follow each other as fast as possible."
)
_FOLLOWS = {"kept": "yes", "behind": "no", "ahead": "more than due"}


def job_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of a stimulus: its rounds, then its long run."""
    pages = (*_pages_of_rounds(context, test), *_pages_of_long_run(context, test))
    if pages:
        return pages
    note = Note(text="Nothing was measured.", tone="warning")
    return (Page(title=context.title_of(test), blocks=(note,)),)


def _pages_of_rounds(context: Context, test: str) -> Iterator[Page]:
    sides = find_sides(context, test)
    if not sides:
        return
    first, last = window_rounds(context, test) or (1, 1)
    rounds = f"rounds {first} to {last}" if last > first else f"round {first}"
    window = reported_window(context, test, ROUNDS)
    which = "the measurement window" if window else "all rounds, without a window"
    note = f"IOPS and throughput are means of the rounds. {_NOTE}"
    blocks: list[Block] = [
        _table(context, sides, caption=f"Results of {which}, {rounds}", note=note)
    ]
    blocks += _replays(context, test, ROUNDS)
    jobs = context.job_totals
    own = jobs[(jobs["test"] == test) & (jobs["kind"] == "cell")]
    if len(own):
        metric = _metric(own)
        blocks.append(Plot(figure=plot_job_rounds(own, metric=metric, window=window)))
    blocks += _slower(sides)
    yield Page(title=context.title_of(test), blocks=tuple(blocks))
    if context.asks_steady_state(test):
        yield from window_pages(context, test, phase=ROUNDS)


def _pages_of_long_run(context: Context, test: str) -> Iterator[Page]:
    sides = find_sides(context, test, LONG)
    if not sides:
        return
    title = context.title_of(test)
    step = sides[0].rounds.iloc[0]
    took = duration_label(float(step["runtime_s"]))
    blocks: list[Block] = [
        _table(context, sides, caption=f"Results of a long run of {took}", note=_NOTE)
    ]
    blocks += _replays(context, test, LONG)
    series = context.run.series
    series = series[series["step_id"] == step["step_id"]]
    if len(series):
        blocks.append(
            Plot(figure=plot_job_series(series, metric=_metric(sides[0].rounds)))
        )
    blocks += _slower(sides)
    yield Page(title=f"{title}, long run", blocks=tuple(blocks))
    yield histogram_page(context, test, "", title=f"Response times, {title}")


def _metric(rows: pd.DataFrame) -> Metric:
    return "bw_bytes_per_s" if (rows["access"] == "seq").all() else "iops"


def _table(
    context: Context, sides: tuple[Side, ...], *, caption: str, note: str
) -> Table:
    levels = levels_of(context)
    table = tabulate(
        summarise_sides(sides, levels),
        (
            column("Job", "job", is_words=True),
            column("IOs", "direction", lambda one: "all" if one == "total" else one),
            *quantities("iops", "bw_bytes_per_s", "lat_mean_ns", number=exact_text),
            percentile("lat_two_nines_ns", number=exact_text),
            percentile("lat_three_nines_ns", number=exact_text),
            percentile("lat_four_nines_ns", number=exact_text),
            *(column(f"{level:g} % [ms]", partial(_level, level)) for level in levels),
            quantity("lat_max_ns", number=exact_text),
            column("IO count", "total_ios", "{:,}".format),
        ),
        caption=caption,
        note=note,
    )
    return explain_marks(table)


def _replays(context: Context, test: str, phase: str) -> Iterator[Table]:
    """Yield how far the logs were replayed, if any were."""
    frame = summarise_replays(context, test, phase)
    if len(frame):
        yield tabulate(
            frame,
            (
                column("Job", "job", is_words=True),
                column("Log", "file", is_words=True),
                column("IOs", "ios", "{:,}".format),
                column("Replayed [%]", "done_share", lambda one: f"{100 * one:.4g}"),
                column("Recorded [s]", "span_s", "{:.4g}".format),
                column("Took [s]", "runtime_s", "{:.4g}".format),
            ),
            caption="Logs that were replayed"
            + (", mean of the rounds" if phase == ROUNDS else ""),
            note=_OF_REPLAYS,
        )


def _level(level: float, row: Any) -> str | None:
    """Return a percentile that was asked for, marked if it is not supported."""
    name = level_name(level)
    value = row.get(name)
    if is_missing(value):
        return None
    text = exact_text(float(value) / _NS_PER_MS)
    return mark_unsupported(text, row.get(f"is_{name}_supported"))


def _slower(sides: tuple[Side, ...]) -> Iterator[Block]:
    """Yield which share of the IOs of each job is slower."""
    curve = curve_of_sides(sides)
    if len(curve):
        names = [side.job for side in sides if side.job != ALL_JOBS]
        colors = {look.run_id: look.color for look in job_looks(names)}
        yield Plot(figure=plot_exceedance(curve, colors=colors))


def job_headlines(context: Context, test: str) -> Iterator[Headline]:
    """Yield the tracking variables of a stimulus, or its IOPS if it has none."""
    judged = context.final_windows(test, ROUNDS)
    for window in judged:
        rounds = context.rounds_of(window)
        inside = rounds["round"].between(
            window.window_first_round, window.window_last_round
        )
        part = f"job {window.job}" if window.job else context.title_of(test)
        for line in cell_headline(context, rounds[inside], window.metric):
            series = tuple(rounds[window.metric].astype(float).dropna())
            yield replace(line, part=part, series=series)
    phases = () if judged else (ROUNDS, LONG)
    rows = (context.totals_of(test, phase) for phase in phases)
    measured = next((found for found in rows if len(found)), None)
    if measured is not None:
        for line in cell_headline(context, measured, "iops"):
            yield replace(line, part=context.title_of(test))


def job_overview(context: Context) -> Iterator[Block]:
    """Yield the results of all stimuli beside each other, over the matrix and load."""
    frame = summarise_stimuli(context)
    if len(frame) > 1:
        yield from _compared_stimuli(frame)
    if "follows" in frame:
        yield from _open_loop(frame)


def _names(frame: pd.DataFrame) -> Iterator[Column]:
    """Yield the columns of the name of a stimulus and of its values of the matrix."""
    yield column("Stimulus", "stimulus", is_words=True)
    for name in dict.fromkeys(name for one in frame["matrix"] for name in one):
        yield column(name, partial(_value_of, name))


def _compared_stimuli(frame: pd.DataFrame) -> Iterator[Block]:
    table = tabulate(
        frame,
        (
            *_names(frame),
            *quantities("iops", "bw_bytes_per_s", "lat_mean_ns", number=exact_text),
            percentile("lat_two_nines_ns", number=exact_text),
            percentile("lat_three_nines_ns", number=exact_text),
            quantity("lat_max_ns", number=exact_text),
        ),
        caption="All stimuli, all of their jobs together",
        note=f"Of the measurement window, or of the long run without rounds. {_NOTE}",
    )
    yield explain_marks(table)
    for option in dict.fromkeys(name for one in frame["matrix"] for name in one):
        values = {one[option] for one in frame["matrix"] if option in one}
        if len(values) > 1:
            yield Plot(figure=plot_matrix(frame, option, metric=_metric(frame)))
            yield Plot(figure=plot_matrix(frame, option, metric="lat_two_nines_ns"))


def _open_loop(frame: pd.DataFrame) -> Iterator[Block]:
    """Yield what was due of jobs with a rate, and what came of it."""
    rated = frame[frame["follows"].notna()]
    for text in _knees(rated):
        yield Note(text=text, tone="headline")
    levels = (
        column(f"{level:g} % from due time [ms]", partial(_between, name))
        for name, level in LOAD_LEVELS.items()
    )
    table = tabulate(
        rated,
        (
            *_names(rated),
            quantity("iops", "Offered IOPS", of="offered_iops"),
            quantity("iops", "Due, by fio", of="due_iops"),
            quantity("iops", "Achieved"),
            column("Kept up", "follows", lambda one: _FOLLOWS[one]),
            column("Late at end [s]", "late_end_s", "{:.2g}".format),
            column("IOs late [%]", "late_share", lambda one: f"≤ {100 * one:.3g}"),
            *levels,
        ),
        caption="Open loop: IOs that are due at a rate",
        note=_OF_RATES,
    )
    yield explain_marks(table)
    bounded = [name for name in LOAD_LEVELS if f"due_{name}_ns" in rated]
    yield Plot(figure=plot_load(frame, level=bounded[-1] if bounded else "p99"))


def _knees(rated: pd.DataFrame) -> Iterator[str]:
    """Yield which rates the drive kept up with, and which it did not."""
    kept = rated.loc[rated["follows"] == "kept", "due_iops"].max()
    missed = rated.loc[rated["follows"] == "behind", "due_iops"].min()
    if kept < missed:
        yield f"The drive kept up with {kept:,.0f} IOPS, not with {missed:,.0f} IOPS."


def _between(name: str, row: Any) -> str | None:
    """Return a percentile from the due time: from what fio counted to its bound."""
    least, most = row.get(f"lat_{name}_ns"), row.get(f"due_{name}_ns")
    if is_missing(least):
        return None
    text = exact_text(float(least) / _NS_PER_MS)
    if is_missing(most):
        return f"{text} or more"
    supported = row.get(f"is_due_{name}_supported")
    bound = mark_unsupported(exact_text(float(most) / _NS_PER_MS), supported)
    return f"{text} to {bound}"


def _value_of(option: str, row: Any) -> str | None:
    value: str | None = row["matrix"].get(option)
    return value


VIEW = procedure_view(job_pages, headlines=job_headlines, overview=job_overview)
