"""Write saturation: PTS 2.0.2, section 10, plots 1 to 7; 3 and 4 in PTS-E 1.1."""

from dataclasses import dataclass, replace

import pandas as pd

from ssdlab.model.spec import Stimulus
from ssdlab.paper.blocks import Block, Note, Page, Plot
from ssdlab.paper.context import Context
from ssdlab.pts.shared.composite_tables import composite_tables
from ssdlab.pts.shared.histogram import exceedance_pages, histogram_page
from ssdlab.pts.shared.steady import (
    convergence_page,
    determination_table,
    verdict_note,
)
from ssdlab.pts.shared.verdict import NOT_ASKED
from ssdlab.pts.shared.view import View
from ssdlab.pts.wsat.figures import (
    Progress,
    Scale,
    plot_saturation,
    plot_saturation_latency,
)
from ssdlab.pts.wsat.summary import (
    summarise_saturation,
    summarise_saturation_directions,
    summarise_wsat_ends,
)
from ssdlab.pts.wsat.tables import (
    directions_table,
    ends_table,
    mix_notes,
    rounds_table,
    stimulus_names,
    stream_notes,
)
from ssdlab.stats.bottleneck import find_bottleneck_warning
from ssdlab.steadiness.convergence_figures import RoundMetric
from ssdlab.telemetry.strip import strip_under_io
from ssdlab.text.quantities import QUANTITIES, span_s, time_quantity


@dataclass(frozen=True, kw_only=True, slots=True)
class _Saturation:
    """One write saturation: its rounds, and those of a mix by direction.

    ``stimulus`` and ``load`` are empty where imported results lack them.
    """

    context: Context
    test: str
    frame: pd.DataFrame
    directions: pd.DataFrame
    stimulus: str
    load: str

    @property
    def name(self) -> str:
        """Return what was run, with threads and queue depth."""
        return f"{self.stimulus} {self.load}".strip()

    def plot_id(self, number: int) -> str:
        """Return the name of a plot of the list of the PTS."""
        return f"{self.test.upper()} {number}"

    @property
    def steady_window(self) -> tuple[int, int] | None:
        """The first and last round of the window in which the drive was steady."""
        for one in self.context.final_windows(self.test):
            if one.is_round_steady:
                return one.window_first_round, one.window_last_round
        return None

    @property
    def is_fresh(self) -> bool:
        """Whether the first round was measured on a purged drive."""
        steps = self.context.steps_of(self.test)
        phases = steps[steps["kind"] == "cell"]["phase"].unique()
        is_first = [self.context.is_first(self.test, str(one)) for one in phases]
        return is_first == [True] and int(self.frame["round"].iloc[0]) == 1

    def plot(self, x: Progress, scale: Scale = "linear") -> Plot:
        """Draw IOPS over time or over what was written."""
        figure = plot_saturation(
            self.frame,
            x=x,
            iops_scale=scale,
            stimulus=self.name,
            window=self.steady_window,
            is_fresh=self.is_fresh,
        )
        if x != "time_s":
            return Plot(figure=figure)
        unit = time_quantity(span_s(self.frame))
        return strip_under_io(self.context, figure, test=self.test, unit=unit)


def saturation_pages(context: Context, test: str) -> tuple[Page, ...]:
    """Return the pages of a write saturation test, whatever its stimulus was."""
    frame = summarise_saturation(
        context.totals, context.steps, percentiles=context.percentiles, test=test
    )
    if frame.empty:
        note = Note(text="No round was finished.", tone="warning")
        plot_id = f"{test.upper()} 1"
        return (Page(plot_id=plot_id, title="IOPS vs time", blocks=(note,)),)
    directions = summarise_saturation_directions(context.run.measurements, test=test)
    if not directions.empty:
        sides = directions[["run_id", "round", "read_iops", "write_iops"]]
        frame = frame.merge(sides, on=["run_id", "round"], how="left")
    stimulus, load = stimulus_names(context, test)
    found = _Saturation(
        context=context,
        test=test,
        frame=frame,
        directions=directions,
        stimulus=stimulus,
        load=load,
    )
    if context.is_imported:
        return _pages_of_import(found)
    first = Page(
        plot_id=found.plot_id(1),
        title="IOPS vs time",
        blocks=(found.plot("time_s"), *_ends(found), *_stimulus_blocks(found)),
    )
    second = _page(found, 2, title="IOPS vs TGBW", x="total_written_bytes")
    rest = _pages_1_1 if context.is_edition_1 else _pages_2_0
    return (first, second, *rest(found))


def _pages_of_import(found: _Saturation) -> tuple[Page, ...]:
    """Draw what imported results hold: at least rounds, sometimes times and bytes."""
    ends, last = _ends(found), _last_blocks(found)
    pages: list[Page] = []
    if found.frame["time_s"].notna().all():
        pages.append(_page(found, 1, title="IOPS vs time", x="time_s"))
    else:
        pages.append(_by_round(found, 1, "iops"))
    if found.frame["total_written_bytes"].notna().all():
        pages.append(_page(found, 2, title="IOPS vs TGBW", x="total_written_bytes"))
    pages.append(_by_round(found, 6, "lat_mean_ns"))
    pages[0] = replace(pages[0], blocks=(*pages[0].blocks, *ends))
    pages[-1] = replace(pages[-1], blocks=(*pages[-1].blocks, *last))
    return tuple(pages)


def _by_round(found: _Saturation, number: int, metric: RoundMetric) -> Page:
    title = f"{QUANTITIES[metric].name} by round"
    return convergence_page(
        found.context,
        found.test,
        found.plot_id(number),
        title=title,
        metric=metric,
        phase="saturation",
    )


def _pages_1_1(found: _Saturation) -> tuple[Page, ...]:
    written = found.plot("total_written_bytes", "log")
    return (
        Page(
            plot_id=found.plot_id(3),
            title="IOPS vs time, log IOPS",
            blocks=(found.plot("time_s", "log"),),
        ),
        Page(
            plot_id=found.plot_id(4),
            title="IOPS vs TGBW, log IOPS",
            blocks=(written, *_judgements(found)),
        ),
    )


def _pages_2_0(found: _Saturation) -> tuple[Page, ...]:
    times = plot_saturation_latency(found.frame, x="drive_fills", stimulus=found.name)
    return (
        _page(found, 5, title="IOPS vs normalised capacity", x="drive_fills"),
        Page(
            plot_id=found.plot_id(6),
            title="Response times and IOPS vs drive fills",
            blocks=(Plot(figure=times), *_last_blocks(found)),
        ),
        _histogram(found),
        *exceedance_pages(found.context, found.test),
    )


def _histogram(found: _Saturation) -> Page:
    title = "Response time histogram and confidence levels"
    page = histogram_page(
        found.context,
        found.test,
        found.plot_id(7),
        title=f"{title}, {found.stimulus}",
    )
    return replace(page, title=title)


def _page(found: _Saturation, number: int, *, title: str, x: Progress) -> Page:
    return Page(plot_id=found.plot_id(number), title=title, blocks=(found.plot(x),))


def _stimulus_blocks(found: _Saturation) -> tuple[Block, ...]:
    """Return the notes on a stimulus other than writes of one size."""
    tables = composite_tables(found.context, found.test)
    return (
        *mix_notes(found.frame, found.directions),
        *stream_notes(found.context, found.test),
        *tables,
    )


def _last_blocks(found: _Saturation) -> tuple[Block, ...]:
    sides = directions_table(found.directions)
    return (rounds_table(found.frame), *sides, *_judgements(found))


def _ends(found: _Saturation) -> tuple[Block, ...]:
    """Return where the drive began and ended, and why it stopped."""
    table = ends_table(found.context, found.frame)
    blocks: tuple[Block, ...] = (table, *_host_note(found), *_stop_note(found))
    if not found.context.asks_steady_state(found.test):
        return (*blocks, Note(text=f"Steady state: {NOT_ASKED}."))
    if not found.context.final_windows(found.test):
        words = "No steady state was judged: the samples did not fill a window."
        return (*blocks, Note(text=words, tone="warning"))
    return blocks


def _host_note(found: _Saturation) -> tuple[Note, ...]:
    """Warn of the host where random writes do not decline; other stimuli need not."""
    cells = found.context.steps_of(found.test)
    cells = cells[cells["kind"] == "cell"]
    is_random_write = (cells["access"] == "rnd") & (cells["read_percent"] < 100)
    if not is_random_write.fillna(value=False).all():
        return ()
    frame = found.frame
    fills = frame["drive_fills"].iloc[-1]
    warning = find_bottleneck_warning(
        frame["iops"].astype("Float64").astype(float),
        written_fills=None if pd.isna(fills) else float(fills),
    )
    return (Note(text=warning, tone="warning"),) if warning else ()


def _stop_note(found: _Saturation) -> tuple[Note, ...]:
    """Say why the writes stopped, where their planned end is known."""
    test = found.context.test(found.test)
    phases = [phase for phase in test.phases if isinstance(phase, Stimulus)]
    if found.context.is_imported or not phases:
        return ()
    (phase,) = phases
    windows = found.context.windows
    ends = summarise_wsat_ends(
        found.frame, windows[windows["test"] == found.test], phase=phase
    )
    return (Note(text=f"Stopped: {ends['stop_reason'].iloc[0]}."),)


def _judgements(found: _Saturation) -> tuple[Block, ...]:
    """Return the data behind the steady-state stop rule, if it was ever asked."""
    blocks: list[Block] = []
    for window in found.context.final_windows(found.test):
        blocks += [determination_table(found.context, window), verdict_note(window)]
    return tuple(blocks)


VIEW = View(pages=saturation_pages)
