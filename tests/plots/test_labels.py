"""Units, colours and ticks, decided once."""

import math

from hypothesis import given
from hypothesis import strategies as st

from ssdlab.plots.labels import (
    CONFIG,
    block_size_axis,
    block_size_style,
    decades_axis,
    lay_out,
    linear_axis,
    log_ticks,
    mix_style,
    new_figure,
    round_axis,
)

KIB = 1024
SIZES = (512, *(KIB * size for size in (4, 8, 16, 32, 64, 128, 1024)))


def test_config_uploads_nothing_and_carries_no_logo() -> None:
    assert CONFIG["showSendToCloud"] is False
    assert CONFIG["displaylogo"] is False


def test_decades_axis_labels_whole_decades_only() -> None:
    axis = decades_axis("x", [0.03, 7.0, None, 0.0])
    assert axis["range"] == [-2, 1]
    assert axis["ticktext"] == ["0.01", "0.1", "1", "10"]


def test_decades_axis_leaves_room_to_a_value_at_the_end_of_a_decade() -> None:
    low, high = decades_axis("x", [10.0, 9600.0])["range"]
    assert low < 1
    assert high > 4
    assert decades_axis("x", [20.0, 5000.0])["range"] == [1, 4]


def test_decades_axis_has_two_ends_when_all_values_lie_in_one_decade() -> None:
    assert decades_axis("x", [100.0])["ticktext"] == ["100", "1,000"]


@given(st.floats(-3, 9), st.floats(0.02, 9))
def test_log_ticks_are_three_or_more_inside_the_axis(low: float, span: float) -> None:
    ticks = log_ticks(low, low + span)
    assert 3 <= len(ticks) <= 12
    assert ticks == sorted(set(ticks))
    assert ticks[0] >= 10**low * (1 - 1e-9)
    assert ticks[-1] <= 10 ** (low + span) * (1 + 1e-9)


def test_log_ticks_are_decades_then_1_2_5_then_even_steps() -> None:
    assert log_ticks(2, 4.3) == [100.0, 1000.0, 10_000.0]
    assert log_ticks(0.4, 1.4) == [5.0, 10.0, 20.0]
    assert log_ticks(math.log10(4300), math.log10(8500)) == [
        5000.0, 6000.0, 7000.0, 8000.0
    ]  # fmt: skip
    assert log_ticks(math.log10(0.93), math.log10(1.03)) == [
        0.94, 0.96, 0.98, 1.0, 1.02
    ]  # fmt: skip


def test_round_axis_steps_by_whole_rounds() -> None:
    assert round_axis([1, 2, 3])["dtick"] == 1
    assert (round_axis([1, 70])["tick0"], round_axis([1, 70])["dtick"]) == (0, 5)
    assert round_axis([1, 360])["dtick"] == 50


def test_block_size_axis_names_the_sizes() -> None:
    axis = block_size_axis([4096, 512, 4096])
    assert axis["tickvals"] == [512, 4096]
    assert axis["ticktext"] == ["0.5 KiB", "4 KiB"]


def test_colours_differ_between_block_sizes_and_between_mixes() -> None:
    assert len({block_size_style(size)[0] for size in SIZES}) == len(SIZES)
    mixes = (100, 95, 65, 50, 35, 5, 0)
    assert len({mix_style(mix) for mix in mixes}) == len(mixes)


def test_mix_style_of_an_unusual_mix_is_that_of_its_neighbour() -> None:
    assert mix_style(70) == mix_style(65)


def test_layout_is_added_to_as_plotly_adds_to_it() -> None:
    ours, theirs = new_figure("T", subtitle="S"), new_figure("T", subtitle="S")
    added = (
        {"title": {"subtitle": {"text": "other"}}, "margin": {"b": 7}},
        {"yaxis2": linear_axis("IOPS", side="right"), "showlegend": False},
        {"yaxis2": {"title": {"text": "MB/s"}}, "legend": {"font": {"size": 9}}},
    )
    for layout in added:
        lay_out(ours, **layout)
        theirs.update_layout(layout)
    assert ours.to_dict() == theirs.to_dict()
    assert ours.layout.title.subtitle.font.size == 12
