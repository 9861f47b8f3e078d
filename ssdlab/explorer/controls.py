"""The widgets of a selection, and how they follow it."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import ipywidgets

from ssdlab.explorer.cell_map import axis_label
from ssdlab.explorer.run_cache import MOST_NUMBERS, Listed, search
from ssdlab.explorer.run_table import RunTable
from ssdlab.explorer.selection import Choices, Selection
from ssdlab.explorer.validation import AXIS_NAMES
from ssdlab.model.spec import Direction
from ssdlab.text.quantities import metric_quantity

Change = Callable[..., None]

_DIRECTIONS: Mapping[Direction, str] = {
    "total": "reads and writes",
    "read": "reads",
    "write": "writes",
    "trim": "trims",
}
_WIDE = {"width": "auto", "min_width": "0"}
_LABEL = "90px"  # as wide as the longest
_SELECTED = "selected rounds"
_MOST_ROWS = 500  # of the table; a search narrows it


class Controls:
    """All inputs; ``change`` is called with what the user selected, by field."""

    def __init__(self, change: Change, refresh: Callable[[], None]) -> None:
        self._change = change
        self._listed: tuple[Listed, ...] = ()
        self._is_following = False
        self.search = _Text(placeholder="search runs: label, drive, test, state")
        self.refresh = ipywidgets.Button(
            description="Refresh",
            tooltip="update the list of runs",
            layout={"width": "96px", "min_width": "96px"},
        )
        self.runs = RunTable()
        self.count = ipywidgets.HTML()
        self.run = _dropdown("Run")
        self.test = _dropdown("Test")
        self.phase = _dropdown("Phase")
        self.metric = _dropdown("Metric")
        self.direction = _dropdown("IOs")
        self.down = _dropdown("R/W mix")
        self.across = _dropdown("Block size")
        self.rounds = ipywidgets.IntRangeSlider(
            description="Rounds", continuous_update=False, min=1, max=1,
            layout=dict(_WIDE), style={"description_width": _LABEL},
        )  # fmt: skip
        self.counted = _dropdown("Values of")
        self.over = ipywidgets.ToggleButtons(
            options=[("over rounds", "rounds"), ("over time", "time")],
            style={"button_width": "104px"},
        )
        self.search.observe(lambda _: self._list(), "value")
        self.refresh.on_click(lambda _: refresh())
        for field in ("run", "test", "phase", "metric", "direction", "over"):
            getattr(self, field).observe(self._handler(field), "value")
        self.runs.observe(self._on_runs, "value")
        self.rounds.observe(self._on_rounds, "value")
        self.counted.observe(self._on_counted, "value")
        for box in (self.down, self.across):
            box.observe(self._on_cell, "value")
        self._axes: tuple[str, str] = ("read_percent", "block_size_bytes")

    def box(self) -> ipywidgets.Widget:
        """Return all inputs, in as many columns as fit."""
        top = ipywidgets.HBox([self.search, self.refresh])
        middle = ipywidgets.VBox(
            [self.run, self.test, self.phase, self.metric, self.direction],
            layout=dict(_WIDE),
        )
        right = ipywidgets.VBox(
            [self.down, self.across, self.counted, self.rounds, self.over],
            layout=dict(_WIDE),
        )
        chosen = grid([middle, right], least_px=270)
        return ipywidgets.VBox([top, self.runs, self.count, chosen])

    def show_runs(self, listed: Iterable[Listed], chosen: Sequence[str]) -> None:
        """Fill the list of runs."""
        self._listed = tuple(listed)
        with self._following():
            self._list(chosen)

    def follow(self, selection: Selection, choices: Choices) -> None:
        """Show a selection and the other choices."""
        self._axes = choices.axes
        self._count()
        with self._following():
            _offer(self.run, [(name, name) for name in selection.runs], selection.run)
            _offer(self.test, [(name, name) for name in choices.tests], selection.test)
            phases = [(name or "all", name) for name in choices.phases]
            _offer(self.phase, phases, selection.phase)
            metrics = [(metric_quantity(name).title, name) for name in choices.metrics]
            _offer(self.metric, metrics, selection.metric)
            directions = [(_DIRECTIONS[name], name) for name in choices.directions]
            _offer(self.direction, directions, selection.direction)
            cell = dict(selection.cell)
            for box, axis, values in (
                (self.down, choices.axes[0], choices.downs),
                (self.across, choices.axes[1], choices.acrosses),
            ):
                name = AXIS_NAMES[axis]
                box.description = name[0].upper() + name[1:]
                options = [(axis_label(axis, value), value) for value in values]
                _offer(box, options, cell.get(axis))
            self._follow_rounds(selection, choices)
            self.over.value = selection.over

    def _follow_rounds(self, selection: Selection, choices: Choices) -> None:
        span = choices.rounds or (1, 1)
        for bound in ("min", "max") if span[0] <= self.rounds.max else ("max", "min"):
            setattr(self.rounds, bound, span[bound == "max"])
        chosen = selection.rounds if isinstance(selection.rounds, tuple) else None
        self.rounds.value = chosen or span
        names = ["measurement window", "all rounds", *([_SELECTED] if chosen else [])]
        is_window = selection.rounds == "window"
        counted = _SELECTED if chosen else names[0 if is_window else 1]
        _offer(self.counted, [(name, name) for name in names], counted)
        self.rounds.disabled = span[0] == span[1]

    def _list(self, chosen: Sequence[str] | None = None) -> None:
        """List the selected runs, then those that the search finds."""
        names = tuple(self.runs.value) if chosen is None else tuple(chosen)
        found = search(self._listed, self.search.value)
        kept = [one for one in self._listed if one.name in names]
        shown = [*kept, *(one for one in found if one.name not in names)]
        shown = shown[: max(len(kept), _MOST_ROWS)]
        with self._following():
            # Newest first, as they are listed; whoever reads it can sort it.
            order = {one.name: place for place, one in enumerate(self._listed)}
            shown.sort(key=lambda one: order[one.name])
            self.runs.rows = [one.row for one in shown]
            self.runs.value = [one.name for one in kept]
        self._count()

    def _count(self) -> None:
        found, known = len(search(self._listed, self.search.value)), len(self._listed)
        words = [
            f"{len(self.runs.value)} of {known} selected (Ctrl or Shift: more)",
            f"{found} of {known} found" if self.search.value.strip() else "",
            f"the first {_MOST_ROWS} are listed" if found > _MOST_ROWS else "",
            f"numbers of the newest {MOST_NUMBERS}" if known > MOST_NUMBERS else "",
        ]
        self.count.value = " · ".join(filter(None, words))

    def _handler(self, field: str) -> Callable[[Any], None]:
        def handle(change: Any) -> None:
            if not self._is_following:
                self._change(**{field: change["new"]})

        return handle

    def _on_runs(self, change: Any) -> None:
        if not self._is_following:
            self._change(runs=tuple(change["new"]))

    def _on_rounds(self, change: Any) -> None:
        if not self._is_following:
            whole = (self.rounds.min, self.rounds.max)
            chosen = tuple(change["new"])
            self._change(rounds=None if chosen == whole else chosen)

    def _on_counted(self, change: Any) -> None:
        if not self._is_following and change["new"] != _SELECTED:
            is_window = change["new"] == "measurement window"
            self._change(rounds="window" if is_window else None)

    def _on_cell(self, _change: Any) -> None:
        if not self._is_following:
            down, across = self._axes
            cell = ((down, self.down.value), (across, self.across.value))
            self._change(cell=cell, point=None)

    @contextmanager
    def _following(self) -> Iterator[None]:
        before, self._is_following = self._is_following, True
        try:
            yield
        finally:
            self._is_following = before


def grid(children: Sequence[ipywidgets.Widget], *, least_px: int) -> ipywidgets.Box:
    """Return widgets side by side, fewer per row on a narrow page."""
    for child in children:
        child.layout.flex = f"1 1 {least_px}px"
        child.layout.min_width = "0"
    return ipywidgets.Box(
        list(children), layout={"flex_flow": "row wrap", "grid_gap": "6px 14px"}
    )


def _Text(**more: Any) -> ipywidgets.Text:  # noqa: N802 - a widget
    return ipywidgets.Text(
        continuous_update=True,
        layout={"flex": "1 1 0", "width": "auto", "min_width": "0"},
        **more,
    )


def _dropdown(name: str) -> ipywidgets.Dropdown:
    return ipywidgets.Dropdown(
        description=name, layout=dict(_WIDE), style={"description_width": _LABEL}
    )


def _offer(box: ipywidgets.Dropdown, options: Sequence[Any], value: object) -> None:
    if tuple(box.options) != tuple(options):
        box.options = tuple(options)
    known = [one for _, one in options]
    chosen = value if value in known else (known[0] if known else None)
    if box.value != chosen:
        box.value = chosen
    box.disabled = len(options) < 2
