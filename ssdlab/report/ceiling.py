"""What the host could issue, as a table of the front page."""

from ssdlab.analysis.findings.ceiling import thread_time_us
from ssdlab.figures.labels import number_text
from ssdlab.model.records import CeilingPoint
from ssdlab.model.spec import stimulus_label
from ssdlab.report.blocks import Table
from ssdlab.report.context import Context

_NOTE = (
    "fio's null engine completes every IO at once, so no device can give this host "
    "more. A result within 10 % of it is a grave finding: it may be the host's."
)


def ceiling_table(context: Context) -> Table | None:
    """Return what this host can issue at all, if it was measured."""
    points = context.record.host_ceiling
    if not points:
        return None
    return Table(
        caption="Most that this host can issue",
        corner="TC/QD",
        head=("Stimulus", "IOPS", "Time of an IO in one thread"),
        rows=tuple(map(_row, points)),
        words=(1,),
        note=_NOTE,
    )


def _row(point: CeilingPoint) -> tuple[str, ...]:
    return (
        f"T{point.threads}/Q{point.queue_depth}",
        stimulus_label("rnd", point.block_size_bytes, point.read_percent),
        number_text(point.iops),
        f"{number_text(thread_time_us(point))} \u00b5s",
    )
