"""How long the IOs of a load take: shown by one call, which returns the frames."""

from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.compare.measured_on import run_text
from ssdlab.fio.histlogs.read import read_fio_histogram_log
from ssdlab.fio.logs.read import read_fio_log
from ssdlab.ingest.opening import open_run
from ssdlab.paper.blocks import Note, Plot
from ssdlab.plots.readable import readable_table
from ssdlab.qos.curves import select_directions, summarise_curve, summarise_load
from ssdlab.qos.histogram_figures import plot_confidence
from ssdlab.qos.latency_map import origin_text, summarise_latency_map
from ssdlab.qos.load import Load
from ssdlab.qos.loads import (
    choose_windows,
    select_load,
    select_loads,
    summarise_loads,
)
from ssdlab.qos.percentile_figures import plot_percentile_rounds, plot_qos_levels
from ssdlab.qos.percentiles import summarise_qos
from ssdlab.qos.rounds import summarise_percentile_rounds
from ssdlab.qos.spread_figures import plot_exceedance, plot_latency_map
from ssdlab.qos.target import QosTarget, parse_qos_target
from ssdlab.qos.text import (
    claim_text,
    tabulate_loads,
    tabulate_qos,
    tabulate_verdicts,
    targets_text,
)
from ssdlab.qos.verdict import QosVerdict, assess_loads
from ssdlab.report.display import (
    is_in_notebook,
    show_blocks,
    show_heading,
    show_html,
    show_method,
)
from ssdlab.store.catalog import LATEST, which_text
from ssdlab.store.run import Run

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.text.table import Table

_FRAMES = (
    "levels",
    "answers",
    "curve",
    "nines",
    "directions",
    "rounds",
    "latency_map",
    "listed",
)
_OF_LEVELS = (
    "Percentiles are computed from merged bins of fio's histograms of all IOs "
    "(json+), never averaged. The claimed interval is next to alternatives. If IOs "
    "were independent: order statistics, from the number of IOs alone; a lower limit "
    "of the uncertainty. Between rounds: rounds are independent, while IOs within a "
    "round may be correlated; the effective sample size (ESS) is how many independent "
    "IOs would be as informative. This one is claimed with three rounds or more. "
    "Fewer than 20 rounds do not show whether rounds are correlated: with an "
    "autocorrelation of 0.5 it held the truth in 82 to 90 %. The bootstrap resamples "
    "whole rounds; with five rounds it held the truth in 82 % of simulations, not in "
    "95 %, so it is not claimed. All intervals end at edges of fio's bins."
)
_OF_TARGET = (
    "Met if the whole interval is within the limit, not met if it is beyond; "
    "otherwise these IOs do not decide it. The confidence is that of the one-sided "
    "interval that just reaches the limit."
)
_OF_NINES = (
    "The share of IOs that took longer, in the histogram run and in the rounds of the "
    "same workload. A line is dotted where there are too few IOs to bound it from "
    "above."
)
_OF_MAP = (
    "The distribution of response times over time, on a logarithmic colour scale. It "
    "uses the best available source: a fio log that was given, the rounds, or the log "
    "of mean latencies."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class LatencyQos:
    """How long the IOs of a load take, as `ssdlab.latency_qos` returns it.

    Attributes
    ----------
    run : Run
        The run.
    which : str
        Which run it is, and why.
    load : Load
        The load that is examined.
    every_round : Load
        All rounds of its workload, not only those of the measurement window.
    target : QosTarget
        The goal for latency.
    verdicts : tuple of QosVerdict
        Whether the loads of this workload meet it.
    rates : mapping of str to float
        ``iops`` [1/s] and ``bw_bytes_per_s`` [B/s] over the time under IO,
        ``lat_mean_ns`` and ``lat_max_ns`` [ns], and ``total_ios``.
    levels : pandas.DataFrame
        Percentiles with their intervals, as of `ssdlab.analysis.summarise_qos`.
    answers : pandas.DataFrame
        The verdicts as text.
    curve : pandas.DataFrame
        The histogram of the load, as of `ssdlab.analysis.summarise_curve`.
    nines : pandas.DataFrame
        The share of slower IOs, of each load of this workload.
    directions : pandas.DataFrame
        The same, of reads and of writes.
    rounds : pandas.DataFrame
        A row per round and level: ``minutes`` under IO up to its end, ``percentile``
        [%], ``lat_ns``, ``lat_mean_ns``, ``lat_max_ns`` [ns], ``total_ios``, and
        ``is_supported``: the IOs of this round alone bound the level from above.
    latency_map : pandas.DataFrame
        A row per column of the map and latency: ``start`` and ``end`` in ``unit``
        (round or s), ``lat_lower_ns``, ``lat_upper_ns`` [ns], ``count``,
        ``share_percent`` of its column, and ``origin`` of the data.
    listed : pandas.DataFrame
        Every load that has a histogram: ``test``, ``phase``, ``workload``, ``kind``,
        ``directions``, ``steps`` and ``total_ios``.
    """

    run: Run
    which: str
    load: Load
    every_round: Load
    target: QosTarget
    verdicts: tuple[QosVerdict, ...]
    rates: Mapping[str, float]
    levels: "pd.DataFrame"
    answers: "pd.DataFrame"
    curve: "pd.DataFrame"
    nines: "pd.DataFrame"
    directions: "pd.DataFrame"
    rounds: "pd.DataFrame"
    latency_map: "pd.DataFrame"
    listed: "pd.DataFrame"

    def __repr__(self) -> str:
        """Return the verdicts, and the names of the frames."""
        return f"{targets_text(self.verdicts)}\nFrames: {', '.join(_FRAMES)}"

    def show(self) -> None:
        """Show every figure and table in a notebook, the answer first."""
        self._show_answer()
        self._show_levels()
        self._show_nines()
        self._show_rounds()

    def _show_answer(self) -> None:
        answer = escape(targets_text(self.verdicts)).replace("\n", "<br>")
        show_html(f"<p><b>{answer}</b></p>")
        limit_ns = self.target.limit_ns
        title = f"{self.load.label}: percentiles and their 95 % intervals"
        levels = plot_qos_levels(
            self.levels, rates=self.rates, limit_ns=limit_ns, title=title
        )
        show_blocks([
            Plot(figure=levels),
            Note(text=f"{self.which}. {self.run.standing}"),
            Note(text=run_text(self.run.record)),
            Note(text=claim_text(self.load, self.levels)),
            readable_table(self.answers, caption=f"Target: {self.target.text}"),
            self._loads(),
        ])
        show_method("When a target is met", _OF_TARGET)

    def _loads(self) -> "Table":
        caption = f"All {len(self.listed)} loads of this run; select one with test and "
        return readable_table(
            tabulate_loads(self.listed), caption=f"{caption}workload", is_folded=True
        )

    def _show_levels(self) -> None:
        show_heading("Histogram and percentiles")
        histogram = plot_confidence(
            self.curve, self.levels, self.rates, title=self.load.label
        )
        levels = readable_table(tabulate_qos(self.levels), caption="Percentiles")
        show_blocks([Plot(figure=histogram), levels])
        show_method("How percentiles and intervals are computed", _OF_LEVELS)

    def _show_nines(self) -> None:
        show_heading("The nines")
        limit_ns = self.target.limit_ns
        show_blocks([Plot(figure=plot_exceedance(self.nines, limit_ns=limit_ns))])
        show_method("What is drawn", _OF_NINES)
        if len(set(self.directions["direction"])) > 1:
            title = f"Reads and writes: {self.load.workload}"
            show_blocks([Plot(figure=plot_exceedance(self.directions, title=title))])

    def _show_rounds(self) -> None:
        show_heading("Round by round, and over time")
        title = f"Each round: {self.every_round.label}"
        rounds = plot_percentile_rounds(self.rounds, title=title)
        minutes = plot_percentile_rounds(self.rounds, x="minutes", title=title)
        origin = origin_text(self.latency_map, self.every_round)
        over_time = plot_latency_map(
            self.latency_map, title=f"Over time: {self.every_round.label}"
        )
        show_blocks([Plot(figure=rounds), Plot(figure=minutes)])
        show_blocks([Note(text=origin), Plot(figure=over_time)])
        show_method("What the map shows", _OF_MAP)


def latency_qos(  # noqa: PLR0913 - each is a choice of the user, by name
    run: "str | Path | Run" = LATEST,
    *,
    test: str = "",
    workload: str = "",
    direction: str = "total",
    rounds: str = "window",
    target: str = "p99.9 <= 5 ms",
    histogram_log: str | Path = "",
    latency_log: str | Path = "",
) -> LatencyQos:
    """Show how long the IOs of a load take, and return every frame behind it.

    The figures and tables are shown in a notebook; elsewhere nothing is shown.

    Parameters
    ----------
    run : str, Path or Run, default "latest"
        The run, as `ssdlab.open_run` takes it; ``latest`` is a sample run where no run
        has finished.
    test : str, default ""
        The test; by default the first with a histogram.
    workload : str, default ""
        Its first words, such as ``RND 4KiB 0/100``; by default the first of the test.
    direction : {"total", "read", "write", "trim"}, default "total"
        Which IOs.
    rounds : {"window", "all"}, default "window"
        Whether only the rounds of the measurement window count, or all.
    target : str, default "p99.9 <= 5 ms"
        The goal for latency, such as ``p99.9 <= 5 ms at >= 1,000 IOPS``.
    histogram_log : str or Path, default ""
        A log that fio wrote (``NAME_clat_hist.1.log``), or a folder of such logs, for
        the figure over time.
    latency_log : str or Path, default ""
        A log with one line per IO (``NAME_lat.1.log``).

    Returns
    -------
    LatencyQos
        The verdicts, and the frames.

    Raises
    ------
    RunFolderError
        If there is no such run.
    NoHistogramError
        If the run has no histogram, or none in that direction.
    UnknownNameError
        If there is no such test, workload, direction or choice of rounds.
    QosTargetError
        If the target is not valid.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.latency_qos("data/samples/virtual-b", test="lat")
    >>> found.levels["marker"].tolist()[:3]
    ['average', '50 %', '90 %']
    """
    opened = run if isinstance(run, Run) else open_run(run, or_sample=True)
    tables, series = (opened.measurements, opened.bins), opened.series
    wanted = parse_qos_target(target)
    windows = choose_windows(opened.windows, rounds)
    load = select_loads(
        *tables, windows, test=test, workload=workload, direction=direction
    )[0]
    test, workload = load.test, load.workload
    loads = select_loads(
        *tables, windows, test=test, workload=workload, direction=direction
    )
    every = select_load(
        *tables, kind="cell", test=test, workload=workload, direction=direction
    )
    verdicts = tuple(assess_loads(loads, wanted, series=series))
    log = read_fio_histogram_log(histogram_log).frame if histogram_log else None
    log = read_fio_log(latency_log).each_io() if latency_log else log
    timed = every if log is None else load
    found = LatencyQos(
        run=opened,
        which=which_text(run, opened.path),
        load=load,
        every_round=timed,
        target=wanted,
        verdicts=verdicts,
        rates=summarise_load(load),
        levels=summarise_qos(load, series=series),
        answers=tabulate_verdicts(verdicts),
        curve=summarise_curve(load),
        nines=summarise_curve(*loads),
        directions=summarise_curve(*select_directions(load, *tables)),
        rounds=summarise_percentile_rounds(every),
        latency_map=summarise_latency_map(timed, series=series, log=log),
        listed=summarise_loads(*tables),
    )
    if is_in_notebook():
        found.show()
    return found
