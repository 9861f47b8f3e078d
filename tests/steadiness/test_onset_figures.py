"""What the figure of the onsets drew."""

from ssdlab.steadiness.onsets import summarise_onsets
from ssdlab.steadiness.phase_figures import plot_onsets
from ssdlab.steadiness.series import RoundSeries


def test_onsets_have_a_row_a_rule(series: RoundSeries) -> None:
    onsets = summarise_onsets(series)
    figure = plot_onsets(onsets)
    assert list(figure.layout.yaxis.ticktext) == list(onsets["title"])
    found = onsets[onsets["first_round"].notna()]
    assert len(figure.data) == len(found)
    assert [note.text for note in figure.layout.annotations] == list(
        onsets[onsets["first_round"].isna()]["note"]
    )
