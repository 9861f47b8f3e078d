"""The strip under a figure over time that shows the health of the drive."""

import pandas as pd
import plotly.graph_objects as go

from ssdlab.model.errors import RunFolderError
from ssdlab.paper.blocks import Plot
from ssdlab.paper.context import Context
from ssdlab.telemetry.figures import add_drive_strip
from ssdlab.telemetry.trace import idle_clock, io_clock, trace_drive
from ssdlab.text.quantities import Quantity


def read_drive_telemetry(context: Context) -> pd.DataFrame | None:
    """Return the readings of a run on a drive; None of any other run."""
    if context.record.target.kind != "block":
        return None
    try:
        return context.run.telemetry
    except RunFolderError:
        if context.run.state.status == "finished":
            raise
        return None


def strip_under_io(
    context: Context,
    figure: go.Figure,
    *,
    test: str,
    unit: Quantity,
    phase: str = "",
) -> Plot:
    """Return a figure over time under IO, with the strip where there are readings."""
    clock = io_clock(context.totals, context.steps, test=test, phase=phase)
    return _with_strip(context, figure, clock, unit=unit)


def strip_with_rests(
    context: Context,
    figure: go.Figure,
    accesses: pd.DataFrame,
    *,
    test: str,
    unit: Quantity,
) -> Plot:
    """Return a figure over time with idle time in it, with the strip likewise."""
    clock = idle_clock(accesses, context.steps_of(test))
    return _with_strip(context, figure, clock, unit=unit)


def _with_strip(
    context: Context, figure: go.Figure, clock: pd.DataFrame, *, unit: Quantity
) -> Plot:
    telemetry = read_drive_telemetry(context)
    trace = None if telemetry is None else trace_drive(telemetry, clock)
    if trace is None:
        return Plot(figure=figure)
    return Plot(figure=add_drive_strip(figure, trace, unit=unit))
