"""The points Max, Mid and Min of a demand variation: their choice and results."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

import pandas as pd

from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.pts.demand.facts import limit_ns
from ssdlab.pts.demand.figures import load_name, plot_pre_writes
from ssdlab.pts.demand.summary import POINT_NAMES, summarise_pre_writes
from ssdlab.pts.demand.tables import pre_writes_table
from ssdlab.pts.shared.histogram import histogram_page
from ssdlab.text.numbers import number_text, time_text
from ssdlab.text.table import WORKERS, Table, column, quantities, quantity, tabulate

_RULE = (
    "Chosen from round {round}, the last. Max: the highest IOPS among points whose ART "
    "is below {limit}; Mid: among those, the nearest to half way between their highest "
    "and lowest IOPS; Min: the least TOIO. Ties go to the least TOIO. Long: the run "
    "after the point's own pre-writes, which counts every response time."
)
_KNEE = (
    " is the knee: of the points not beaten by any other (dotted), the one farthest "
    "below the straight line between their ends, with both axes linear and scaled to "
    "those ends. It ignores the response time limit of the chosen points. The rule is "
    'that of Satopää et al., "Finding a Kneedle in a Haystack", 2011, without '
    "smoothing; the PTS gives no rule. The plot has a logarithmic axis, so the knee is "
    "not where it appears to be."
)
_NO_KNEE = (
    "No knee: of the points not beaten by any other, none lies below the straight line "
    "between their ends, or there are fewer than three."
)


def points_of(context: Context, test: str) -> dict[str, "pd.Series[Any]"]:
    """Return the long run of each point of a test, as far as they were measured."""
    runs = context.totals[context.totals["kind"] == "histogram"]
    runs = runs[runs["test"] == test]
    phases = {f"{name}-iops": name for name in POINT_NAMES}
    return {
        phases[str(run["phase"])]: run
        for _, run in runs.iterrows()
        if str(run["phase"]) in phases
    }


def points_table(context: Context, points: pd.DataFrame) -> tuple[Table, ...]:
    """Return the points that were chosen, with what their long runs did."""
    if points.empty:
        return ()
    long_runs = points_of(context, _test_of(context, points))

    def of_long_run(name: str) -> Callable[[Mapping[str, Any]], Any]:
        def value(row: Mapping[str, Any]) -> Any:
            run = long_runs.get(row["point"])
            return None if run is None else run[name]

        return value

    first = points.iloc[0]
    limit = time_text(limit_ns(context, _test_of(context, points)))
    return (
        tabulate(
            points,
            (
                column("Point", "point", str.capitalize),
                WORKERS,
                column("TOIO", "toio", "{:,}".format),
                *quantities("iops", "bw_bytes_per_s"),
                quantity("lat_mean_ns", "ART [ms]"),
                quantity("iops", "IOPS, long", of=of_long_run("iops")),
                quantity(
                    "lat_mean_ns", "ART, long [ms]", of=of_long_run("lat_mean_ns")
                ),
            ),
            caption="MaxIOPS, MidIOPS and MinIOPS",
            note=_RULE.format(round=first["round"], limit=limit),
        ),
    )


def _test_of(context: Context, points: pd.DataFrame) -> str:
    return str(points["test"].iloc[0]) if len(points) else context.record.tests[0]


def point_notes(
    context: Context, points: pd.DataFrame, *, max_lat_ns: float
) -> tuple[Note, ...]:
    """Say what a reader must know about the choice of the points."""
    if points.empty:
        text = "No round was finished, so Max, Mid and Min could not be chosen."
        return (Note(text=text, tone="warning"),)
    notes = []
    if not points["is_within_limit"].all():
        text = (
            f"No point of the last round had an ART below {time_text(max_lat_ns)}: all "
            "of them were eligible, which departs from the PTS."
        )
        notes.append(Note(text=text, tone="warning"))
    for name, run in points_of(context, _test_of(context, points)).items():
        (chosen,) = points[points["point"] == name].itertuples()
        if load_name(run) != load_name(chosen):
            text = (
                f"The long run of {name.capitalize()} was {load_name(run)}, but the "
                f"rule chooses {load_name(chosen)}."
            )
            notes.append(Note(text=text, tone="warning"))
    return tuple(notes)


def explain_knee(table: Table, frame: pd.DataFrame) -> Table:
    """Return a table whose note says where the knee is, and by which rule."""
    for row in frame[frame["is_knee"]].itertuples():
        rate = number_text(float(str(row.iops)))
        time = time_text(float(str(row.lat_mean_ns)))
        words = f"{load_name(row)} with {rate} IOPS at {time}{_KNEE}"
        return replace(table, note=words)
    return replace(table, note=_NO_KNEE)


def point_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return pre-writes and histogram of each point: P9 to P14."""
    pages: list[Page] = []
    name = test.upper()
    for place, point in enumerate(POINT_NAMES):
        number = 9 + 2 * place
        phase, title = f"{point}-iops", f"{point.capitalize()}IOPS"
        pages += [
            _pre_writes_page(
                context, test, f"{name} P{number}", phase=phase, title=title
            ),
            histogram_page(
                context,
                test,
                f"{name} P{number + 1}",
                phase=phase,
                title=f"{title} response time histogram",
            ),
        ]
    return tuple(pages)


def _pre_writes_page(
    context: Context, test: str, plot_id: str, *, phase: str, title: str
) -> Page:
    frame = summarise_pre_writes(context.totals, test=test, phase=phase)
    blocks: tuple[Block, ...] = (
        Note(text="The point was not started.", tone="warning"),
    )
    if not frame.empty:
        load = load_name(frame.iloc[0])
        figure = plot_pre_writes(frame, title=f"{title} pre-writes, {load}")
        breaks = break_notes(context, test, phase)
        blocks = (Plot(figure=figure), *breaks, pre_writes_table(frame))
    return Page(plot_id=plot_id, title=f"{title} pre-writes", blocks=blocks)


def break_notes(context: Context, test: str, phase: str) -> tuple[Note, ...]:
    """Warn where the drive was idle inside a phase that should have no gap."""
    steps = context.steps_of(test)
    steps = steps[steps["phase"] == phase]
    count = int((~steps["is_contiguous"].fillna(value=True).astype(bool)).sum())
    if not count:
        return ()
    text = (
        f"Before {count} of the {len(steps)} runs of this phase the drive was idle: "
        "the run was resumed, or was late. The writes that follow did not come at once."
    )
    return (Note(text=text, tone="warning"),)
