"""When a test of a run got steady: shown by one call, which returns the frames."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.ingest.opening import open_run
from ssdlab.model.spec import label_of_test
from ssdlab.paper.blocks import Note, Plot
from ssdlab.plots.readable import readable_table
from ssdlab.report.display import (
    is_in_notebook,
    show_blocks,
    show_heading,
    show_html,
    show_method,
)
from ssdlab.steadiness.advice import steadiness_text
from ssdlab.steadiness.determination_table import determination_table
from ssdlab.steadiness.forecast import forecast_steady_state, forecast_text
from ssdlab.steadiness.onsets import summarise_onsets
from ssdlab.steadiness.phase_figures import plot_forecast, plot_onsets, plot_phases
from ssdlab.steadiness.phases import summarise_phases
from ssdlab.steadiness.precision import summarise_precision
from ssdlab.steadiness.rule_differences import summarise_rule_differences
from ssdlab.steadiness.series import (
    RoundSeries,
    take_round_series,
    take_tracked_series,
)
from ssdlab.steadiness.tracked import summarise_tracked
from ssdlab.steadiness.verdict import (
    pts_verdict_text,
    summarise_determination,
    summarise_judgements,
)
from ssdlab.steadiness.window_figures import (
    plot_tracked,
    plot_window_fit,
    plot_window_means,
    plot_window_ratios,
)
from ssdlab.steadiness.windows import summarise_fit, summarise_windows
from ssdlab.store.catalog import LATEST, which_text
from ssdlab.store.run import Run

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.text.table import Table

_FRAMES = (
    "tracked",
    "determination",
    "judgements",
    "fit",
    "windows",
    "phases",
    "onsets",
    "cells",
    "precision",
    "forecast",
)
_LAST_FORECASTS = 8
_OF_VERDICT = (
    "All tracking variables of the test must be steady in the same window: the range "
    "at most 20 % of the average, the slope excursion at most 10 % (PTS 2.0.2, "
    "2.1.24). A window has five rounds; in long series, such as write saturation, it "
    "has five samples, taken at a fixed interval of rounds. This verdict alone is "
    "normative. It may accept a drive whose performance is still falling."
)
_OF_FIT = (
    "The window by the selected rule, with its average, limits and least-squares "
    "line. The band around the line holds the true line with 95 % confidence if "
    "rounds follow a first-order autoregressive process. Below it, range and slope of "
    "every window."
)
_OF_ADVICE = (
    "Advice, not a verdict. Averages and lines are those of the PTS (ordinary least "
    "squares); their 95 % intervals allow for first-order autocorrelation of the "
    "rounds. Change points (PELT) split the rounds where their level changes; single "
    "stalls do not. False alarms: 3 % of steady 25-round series at autocorrelation "
    "0.3, 34 % at 0.8. MSER-5 and change points use the whole series; the window "
    "rules use only the rounds measured so far. TKperf's rule uses TKperf's own "
    "metric where it has one."
)
_OF_PRECISION = (
    "The standard error of the slope allows for autocorrelation. The number of "
    "further rounds is a rough guide: about half of simulated series need more than "
    "the estimate, and its interval, often unbounded, holds the true number in at "
    "least 98 of 100."
)
_OF_FORECAST = (
    "Forecast after each round by simulating one or two decays to a noisy plateau, "
    "for all tracking variables at once. After few rounds the interval often has no "
    "upper bound, as a slow decay may follow. Uninformative below 11 rounds."
)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class SteadyState:
    """When a test of a run got steady, as `ssdlab.steady_state` returns it.

    Attributes
    ----------
    run : Run
        The run.
    which : str
        Which run it is, and why.
    series : RoundSeries
        The cell whose rounds are examined beyond the verdict.
    rule : str
        The rule by which its windows are judged.
    verdict : str
        The verdict of the PTS on the test.
    advice : str
        What else can be said of the cell, with intervals.
    outlook : str
        How many more rounds are needed.
    tracked : pandas.DataFrame
        Each tracking variable over the rounds, relative to its window.
    determination : pandas.DataFrame
        The determination data of the reported window (PTS 2.0.2, sections 7 to 9):
        a row per tracking variable with ``average``, ``allowed_low`` and
        ``allowed_high``, ``range`` and ``slope`` with what is allowed, in the unit of
        the metric and as ratios of the average, ``slope_per_round``, ``intercept`` and
        ``correlation`` of the least-squares line, and ``is_steady``.
    judgements : pandas.DataFrame
        Every window that the run judged, the earliest first: ``average``,
        ``range_ratio``, ``slope_ratio``, ``is_steady``, ``is_round_steady`` (all
        variables at once), and ``reason``, why it failed.
    fit : pandas.DataFrame
        A row per round of the window: ``value``, ``average``, ``fit`` on the
        least-squares line, ``fit_low`` and ``fit_high``, the 95 % interval of the true
        line, and ``residual``.
    windows : pandas.DataFrame
        Every window of the cell: ``range_ratio``, ``slope_ratio``, ``average`` with
        ``mean_low`` and ``mean_high``, ``drift_ratio`` with its ends, the change of the
        level in one more window, and ``is_reported``.
    phases : pandas.DataFrame
        The segments of the cell from fresh to steady: ``phase``, first and last
        round, ``level`` with ``level_low`` and ``level_high``.
    onsets : pandas.DataFrame
        A row per rule: ``first_round`` that is steady, with ``first_low`` and
        ``first_high``, the round it was ``decided_after``, the ``level`` it would
        report, and ``difference_ratio`` to that of the PTS.
    cells : pandas.DataFrame
        The first steady round of every cell of the test by each rule.
    precision : pandas.DataFrame
        Average, slope and drift of the window, then of all rounds since the last
        change: ``quantity``, ``unit``, ``estimate``, ``low`` and ``high``.
    forecast : pandas.DataFrame
        A row per round: ``more_rounds`` still needed, with ``more_low`` and
        ``more_high`` (95 %; infinite beyond the horizon), and ``waits_for``, the
        variable that is steady last.
    """

    run: Run
    which: str
    series: RoundSeries
    rule: str
    verdict: str
    advice: str
    outlook: str
    tracked: "pd.DataFrame"
    determination: "pd.DataFrame"
    judgements: "pd.DataFrame"
    fit: "pd.DataFrame"
    windows: "pd.DataFrame"
    phases: "pd.DataFrame"
    onsets: "pd.DataFrame"
    cells: "pd.DataFrame"
    precision: "pd.DataFrame"
    forecast: "pd.DataFrame"

    def __repr__(self) -> str:
        """Return the verdict, and the names of the frames."""
        test = label_of_test(self.series.test)
        return f"{test}: {self.verdict}\nFrames: {', '.join(_FRAMES)}"

    def show(self) -> None:
        """Show every figure and table in a notebook, the answer first."""
        self._show_verdict()
        self._show_cell()
        self._show_advice()
        self._show_windows()
        self._show_outlook()

    def _show_verdict(self) -> None:
        name, verdict = escape(label_of_test(self.series.test)), escape(self.verdict)
        show_html(f"<p><b>{name}</b> · {verdict}</p>")
        show_blocks([Note(text=f"{self.which}. {self.run.standing}")])
        title = f"{label_of_test(self.series.test)}: tracking variables over the rounds"
        if not self.tracked.empty:
            show_blocks([Plot(figure=plot_tracked(self.tracked, title=title))])
        failed = "Every window judged, and why it failed"
        judged = readable_table(self.judgements, caption=failed, is_folded=True)
        show_blocks([determination_table(self.determination), judged])
        show_method("How the PTS judges", _OF_VERDICT)

    def _show_cell(self) -> None:
        show_heading(f"One cell over the rounds: {self.series.tracking}")
        fit = plot_window_fit(self.series, self.fit, rule=self.rule)
        ratios = plot_window_ratios(self.windows, rule=self.rule)
        show_blocks([Plot(figure=fit), Plot(figure=ratios)])
        show_method("What is drawn", _OF_FIT)

    def _show_advice(self) -> None:
        show_heading("Beyond the PTS")
        phases = plot_phases(self.series, self.phases)
        show_blocks([Note(text=self.advice), Plot(figure=phases)])
        show_blocks([Plot(figure=plot_onsets(self.onsets))])
        onsets = self.onsets.drop(columns=["rule", "is_normative"])
        differing = self.cells[self.cells["is_differing"]]
        show_blocks([
            self._table(onsets, "This cell by each rule; the PTS rule is normative"),
            readable_table(
                differing.drop(columns="is_differing"),
                caption="Cells where the rules differ",
            ),
            readable_table(
                self.cells,
                caption="Every cell; select one with tracking",
                is_folded=True,
            ),
        ])
        show_method("Methods and their error rates", _OF_ADVICE)

    def _show_windows(self) -> None:
        show_heading("With a different window")
        means = plot_window_means(self.windows, metric=self.series.metric)
        windows = self.windows.drop(columns="reason")
        show_blocks([
            Plot(figure=means),
            self._table(windows, "Every window of this cell", is_folded=True),
            self._table(self.precision, "Average, slope and drift"),
        ])
        show_method("What further rounds would gain", _OF_PRECISION)

    def _show_outlook(self) -> None:
        show_heading("Rounds still needed")
        every = self.series.sample_every
        last = self.forecast.tail(_LAST_FORECASTS)
        show_blocks([
            Note(text=self.outlook),
            Plot(figure=plot_forecast(self.forecast, sample_every=every)),
            self._table(last, "The last forecasts", is_folded=True),
        ])
        show_method("How it is forecast", _OF_FORECAST)

    def _table(
        self, frame: "pd.DataFrame", caption: str, *, is_folded: bool = False
    ) -> "Table":
        series = self.series
        return readable_table(
            frame,
            metric=series.metric,
            sample_every=series.sample_every,
            caption=caption,
            is_folded=is_folded,
        )


def steady_state(
    run: "str | Path | Run" = LATEST,
    *,
    test: str = "",
    tracking: str = "",
    metric: str = "",
    rule: str = "pts-2.0.2",
) -> SteadyState:
    """Show when a test of a run got steady, and return every frame behind it.

    The figures and tables are shown in a notebook; elsewhere nothing is shown.

    Parameters
    ----------
    run : str, Path or Run, default "latest"
        The run, as `ssdlab.open_run` takes it; ``latest`` is a sample run where no run
        has finished. It may still be running.
    test : str, default ""
        The test; by default the one with the most rounds.
    tracking : str, default ""
        A cell, such as ``RND 4KiB 0/100``; by default the last to be steady.
    metric : {"", "iops", "bw_bytes_per_s", "lat_mean_ns"}, default ""
        What is examined; by default what the test tracks.
    rule : {"pts-2.0.2", "tkperf", "each-value"}, default "pts-2.0.2"
        The rule by which windows of the cell are judged.

    Returns
    -------
    SteadyState
        The verdict in words, and the frames.

    Raises
    ------
    RunFolderError
        If there is no such run.
    UnknownNameError
        If the run has no such test, cell or metric, or there is no such rule.

    Examples
    --------
    >>> import ssdlab
    >>> found = ssdlab.steady_state("data/samples/virtual-b", test="lat")
    >>> found.verdict
    'PTS 2.0.2: STEADY in rounds 1 - 5 (one variable).'
    """
    opened = run if isinstance(run, Run) else open_run(run, or_sample=True)
    frames = (opened.measurements, opened.windows, opened.steps)
    series = take_round_series(*frames, test=test, tracking=tracking, metric=metric)
    ahead = take_tracked_series(*frames, like=series)
    forecast = forecast_steady_state(ahead, rule)
    judged = (opened.windows, series.test)
    found = SteadyState(
        run=opened,
        which=which_text(run, opened.path),
        series=series,
        rule=rule,
        verdict=pts_verdict_text(*judged, opened.record.asked.spec_version),
        advice=steadiness_text(series, rule),
        outlook=forecast_text(ahead, forecast, rule),
        tracked=summarise_tracked(*frames, test=series.test),
        determination=summarise_determination(*judged),
        judgements=summarise_judgements(*judged),
        fit=summarise_fit(series, rule),
        windows=summarise_windows(series, rule),
        phases=summarise_phases(series),
        onsets=summarise_onsets(series),
        cells=summarise_rule_differences(*frames, test=series.test, metric=metric),
        precision=summarise_precision(series, rule),
        forecast=forecast,
    )
    if is_in_notebook():
        found.show()
    return found
