"""What an explorer is asked for and does not have."""

from collections.abc import Iterator

import pytest

import ssdlab
from ssdlab.explorer.asking import fallback_lines
from ssdlab.explorer.panel import Explorer
from ssdlab.explorer.selection import Selection
from ssdlab.model.errors import UnknownNameError

TRACKED = ("block_size_bytes", 4096)


@pytest.fixture
def explorer() -> Iterator[Explorer]:
    shown = ssdlab.explore("data/samples", run="virtual-a", test="iops")
    yield shown
    shown.close()


@pytest.mark.parametrize(
    ("field", "value", "words"),
    [
        ("run", "virtual-z", "no run 'virtual-z'. Choose from: virtual-b, "),
        ("runs", ("virtual-a", "virtual-z"), "no run 'virtual-z'"),
        ("test", "hir", "no test 'hir'. Choose from: iops, tp, lat, wsat"),
        ("metric", "p99", "no metric 'p99'. Choose from: iops, "),
        ("direction", "up", "no direction 'up'. Choose from: total, read, write, trim"),
        ("over", "days", "no view over 'days'. Choose from: rounds, time"),
        (
            "cell",
            (("read_percent", 33), TRACKED),
            "no R/W mix '33/67'. Choose from: 0/100, 65/35, 100/0",
        ),
        (
            "cell",
            (("read_percent", 0), ("block_size_bytes", 3072)),
            "no block size '3 KiB'. Choose from: 0.5 KiB, 4 KiB, 64 KiB, 1024 KiB",
        ),
        ("cell", (("size", 1), TRACKED), "no axis 'size'. Choose from: read_percent, "),
    ],
)
def test_unknown_choice_is_refused_and_changes_nothing(
    explorer: Explorer, field: str, value: object, words: str
) -> None:
    before = explorer.selection
    with pytest.raises(UnknownNameError, match=words):
        explorer.choose(**{field: value})
    assert explorer.selection == before


def test_part_that_another_run_lacks_is_told(explorer: Explorer) -> None:
    asked = Selection(test="wsat", metric="lat_p99999_ns")
    shown = Selection(test="lat", metric="iops")
    assert fallback_lines(asked, shown) == [
        "Nothing was measured of wsat; lat is shown.",
        "99.999 % latency is not known of this test; IOPS is shown.",
    ]
    assert fallback_lines(Selection(), shown) == []
    assert "Nothing was measured" not in explorer._status.value
    explorer.choose(runs=("virtual-lat",))
    assert explorer.selection.test == "lat"
    assert "Nothing was measured of iops; lat is shown." in explorer._status.value


def test_lists_are_settled_before_a_figure_shows_what_was_chosen(
    explorer: Explorer,
) -> None:
    """Else who chooses as soon as the figure is there has his choice overwritten."""
    explorer.choose(cell=(("read_percent", 65), TRACKED))
    explorer.choose(direction="read")
    changed: list[str] = []
    for box in (explorer.controls.down, explorer.controls.across):
        box.observe(lambda _: changed.append("list"), "options")
    explorer.board.observe(lambda _: changed.append("figure"), "cell")
    explorer.choose(direction="total")
    assert changed.index("list") < changed.index("figure")
    assert changed[-1] == "figure"
