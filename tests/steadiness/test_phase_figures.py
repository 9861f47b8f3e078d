"""What the figure of the phases drew."""

from ssdlab.steadiness.phase_figures import plot_phases
from ssdlab.steadiness.phases import summarise_phases
from ssdlab.steadiness.series import RoundSeries


def test_phases_have_a_colour_each_and_all_rounds(series: RoundSeries) -> None:
    phases = summarise_phases(series)
    figure = plot_phases(series, phases)
    points = [trace for trace in figure.data if trace.mode == "markers"]
    assert sum(len(trace.x) for trace in points) == 24
    legend = [trace.name for trace in figure.data if trace.showlegend]
    assert sorted(legend) == sorted(set(phases["phase"]))
