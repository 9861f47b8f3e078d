"""The code cell that reproduces a figure of the explorer."""

from collections.abc import Mapping

from ssdlab.explorer.cells import Rounds
from ssdlab.explorer.selection import Selection

Shown = Mapping[str, object]

_WIDTH = 84


def code_of_map(selection: Selection, path: str, shown: Shown) -> str:
    """Return the code of the matrix."""
    own = _call(
        "frame = ssdlab.analysis.summarise_cells",
        "cells",
        repr(selection.metric),
        axes=selection.axes,
        bins=_Name("run.bins"),
        **_direction(selection),
    )
    return _cell(
        f"run = ssdlab.open_run({path!r})",
        _tabulate(selection, "run.measurements", "run.percentiles", "run.windows"),
        _rounds(selection, selection.counted),
        own,
        _figure("plot_cell_map", "frame", repr(selection.metric), shown=shown),
    )


def code_of_rounds(selection: Selection, paths: Mapping[str, str], shown: Shown) -> str:
    """Return the code of the rounds of a cell."""
    return _cell(
        *_runs(selection, paths),
        *_cells(selection, None if selection.rounds == "window" else selection.rounds),
        'frame = frame[frame["round"].notna()]',
        _figure("plot_cell_rounds", "frame", repr(selection.metric), shown=shown),
    )


def code_of_histogram(
    selection: Selection, paths: Mapping[str, str], shown: Shown
) -> str:
    """Return the code of the response times of a cell."""
    return _cell(
        *_runs(selection, paths),
        *_cells(selection, selection.rounds),
        _call(
            "frame = ssdlab.analysis.select_histogram",
            "frame",
            rounds=selection.rounds,
        ),
        "bins = stack({name: run.bins for name, run in runs.items()})",
        _call(
            "frame = ssdlab.analysis.merge_cell_bins",
            "bins",
            "frame",
            **_direction(selection),
        ),
        _figure("plot_cell_histogram", "frame", shown=shown),
    )


def code_of_time(
    selection: Selection, path: str, metric: str, *, cut: Shown, shown: Shown
) -> str:
    """Return the code of a test over time."""
    joined = _call(
        "series = ssdlab.analysis.join_series",
        "run.series",
        "run.steps",
        test=selection.test,
        metric=metric,
        **_direction(selection),
    )
    drawn = _call(
        "drawn = ssdlab.analysis.reduce_series",
        'series["time_s"]',
        f"series[{metric!r}]",
        **cut,
    )
    lines = [
        f"run = ssdlab.open_run({path!r})",
        joined,
        drawn,
        _figure("plot_time_series", "drawn", repr(metric), shown=shown),
    ]
    span = cut.get("span")
    if isinstance(span, tuple):
        limits = f"range={list(span)!r}, autorange=False"
        lines.append(f"figure.update_xaxes({limits})")
    return _cell(*lines)


class _Name(str):
    """A name in the code, not a string."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def _direction(selection: Selection) -> dict[str, object]:
    is_both = selection.direction == "total"
    return {} if is_both else {"direction": selection.direction}


def _tabulate(selection: Selection, *frames: str) -> str:
    return _call(
        "cells = ssdlab.analysis.tabulate_cells", *frames, **_direction(selection)
    )


def _runs(selection: Selection, paths: Mapping[str, str]) -> tuple[str, ...]:
    return (
        f"paths = {_text(dict(paths))}",
        "runs = {name: ssdlab.open_run(path) for name, path in paths.items()}",
        "stack = ssdlab.analysis.stack_frames",
        "measured = stack({name: run.measurements for name, run in runs.items()})",
        "levels = stack({name: run.percentiles for name, run in runs.items()})",
        "windows = stack({name: run.windows for name, run in runs.items()})",
        _tabulate(selection, "measured", "levels", "windows"),
    )


def _cells(selection: Selection, rounds: Rounds | None) -> tuple[str, ...]:
    cell = dict(selection.cell)
    return (
        _rounds(selection, rounds),
        f"frame = ssdlab.analysis.select_cell(cells, {cell!r})",
    )


def _rounds(selection: Selection, rounds: Rounds | None) -> str:
    return _call(
        "cells = ssdlab.analysis.select_rounds",
        "cells",
        test=selection.test,
        phase=selection.phase,
        rounds=rounds,
    )


def _figure(name: str, *given: str, shown: Shown) -> str:
    return _call(f"figure = ssdlab.figures.{name}", *given, **shown)


def _call(function: str, *given: str, **named: object) -> str:
    parts = [
        *given,
        *(f"{name}={_text(value, '    ')}" for name, value in named.items()),
    ]
    line = f"{function}({', '.join(parts)})"
    if len(line) <= _WIDTH and "\n" not in line:
        return line
    return f"{function}(\n" + "".join(f"    {part},\n" for part in parts) + ")"


def _text(value: object, margin: str = "") -> str:
    """Return a value as code, a long mapping with one entry per line."""
    if not isinstance(value, dict) or len(repr(value)) < _WIDTH - len(margin) - 12:
        return repr(value)
    lines = "".join(f"{margin}    {key!r}: {one!r},\n" for key, one in value.items())
    return f"{{\n{lines}{margin}}}"


def _cell(*statements: str) -> str:
    return "\n".join(("import ssdlab", "", *statements, "figure", ""))
