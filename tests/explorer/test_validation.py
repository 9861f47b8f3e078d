"""What an explorer is asked for and does not have."""

from collections.abc import Iterator

import pytest

import ssdlab
from ssdlab.explorer.panel import Explorer
from ssdlab.explorer.selection import Selection
from ssdlab.explorer.validation import fallback_lines
from ssdlab.model.errors import UnknownNameError

TRACKED = ("block_size_bytes", 4096)


@pytest.fixture
def explorer() -> Iterator[Explorer]:
    shown = ssdlab.explore("data/samples", run="virtual-a", test="iops")
    yield shown
    shown.close()


@pytest.mark.parametrize(
    ("field", "value", "kind", "name", "known"),
    [
        ("run", "virtual-z", "run", "virtual-z", "virtual-b"),
        ("runs", ("virtual-a", "virtual-z"), "run", "virtual-z", "virtual-b"),
        ("test", "hir", "test", "hir", "iops"),
        ("metric", "p99", "metric", "p99", "iops"),
        ("direction", "up", "direction", "up", "total"),
        ("over", "days", "view", "days", "rounds"),
        ("cell", (("read_percent", 33), TRACKED), "R/W mix", "33/67", "0/100"),
        (
            "cell",
            (("read_percent", 0), ("block_size_bytes", 3072)),
            *("block size", "3 KiB", "0.5 KiB"),
        ),
        ("cell", (("size", 1), TRACKED), "axis", "size", "read_percent"),
    ],
)
def test_unknown_choice_is_refused_and_changes_nothing(
    explorer: Explorer, field: str, value: object, kind: str, name: str, known: str
) -> None:
    before = explorer.selection
    with pytest.raises(UnknownNameError) as caught:
        explorer.choose(**{field: value})
    assert (caught.value.kind, caught.value.name) == (kind, name)
    assert caught.value.known[0] == known
    assert explorer.selection == before


def test_part_that_another_run_lacks_is_told(explorer: Explorer) -> None:
    asked = Selection(test="wsat", metric="lat_p99999_ns")
    shown = Selection(test="lat", metric="iops")
    assert fallback_lines(asked, shown) == [
        "wsat was not measured; showing lat.",
        "This test has no 99.999 % latency; showing IOPS.",
    ]
    assert fallback_lines(Selection(), shown) == []
    assert "not measured" not in explorer._status.value
    explorer.choose(runs=("virtual-lat",))
    assert explorer.selection.test == "lat"
    assert "iops was not measured; showing lat." in explorer._status.value


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
