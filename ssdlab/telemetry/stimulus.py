"""What names a stimulus of a run: the columns of its tables, the words of a page."""

from collections.abc import Mapping
from typing import Any, Final

from ssdlab.stats.cells import cell_stimulus
from ssdlab.text.numbers import workers_text

Row = Mapping[Any, Any]
Streams = Mapping[tuple[str, str], str]

MEASURED_KINDS: Final = ("cell", "histogram")
STIMULUS: Final = (
    *("test", "phase", "kind", "access", "block_size_bytes", "read_percent"),
    *("threads", "queue_depth"),
)


def stimulus_text(streams: Streams, row: Row) -> str:
    """Return the words for a stimulus: the name of its mix of streams, or its load.

    ``streams`` are the names of stimuli of many streams, by test and phase.
    """
    if name := streams.get((row["test"], row["phase"])):
        return name
    load = cell_stimulus(row["access"], row["block_size_bytes"], row["read_percent"])
    return f"{load} {workers_text(row['threads'], row['queue_depth'])}"
