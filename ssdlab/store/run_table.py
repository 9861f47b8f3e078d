"""The runs of a folder as a frame: what each is, how it ended, and key numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import WINDOWS
from ssdlab.model.units import KIB
from ssdlab.store.catalog import RunEntry, find_outcome, list_runs

if TYPE_CHECKING:
    import pandas as pd

_READ = (
    "test",
    "is_final",
    "metric",
    "access",
    "block_size_bytes",
    "read_percent",
    "average",
)
# Column, test, metric, access and block size of the writes that runs are known by.
_NUMBERS = (
    ("random_write_iops", "iops", "iops", "rnd", 4 * KIB),
    ("sequential_write_bytes_per_s", "tp", "bw_bytes_per_s", "seq", 1024 * KIB),
    ("write_lat_mean_ns", "lat", "lat_mean_ns", "rnd", 4 * KIB),
    ("saturated_write_iops", "wsat", "iops", "rnd", 4 * KIB),
)
NUMBERS = tuple(column for column, *_ in _NUMBERS)


@dataclass(frozen=True, kw_only=True, slots=True)
class RunRow:
    """A run of a list: its entry, whether it got steady, and its key numbers."""

    entry: RunEntry
    is_steady: bool | None
    numbers: dict[str, float]


def read_run_row(entry: RunEntry) -> RunRow:
    """Return the outcome and the key numbers of a run, as far as it has tables."""
    final = [] if entry.trouble else _read_final(Path(entry.path))
    is_steady = None if entry.trouble else find_outcome(entry.path).is_steady
    return RunRow(entry=entry, is_steady=is_steady, numbers=_numbers(final))


def _read_final(run: Path) -> list[dict[str, Any]]:
    """Return the windows that a run reports."""
    from ssdlab.store.swap import find_tables  # noqa: PLC0415 - pyarrow is slow
    from ssdlab.store.tables import read_rows  # noqa: PLC0415

    try:
        rows = read_rows(find_tables(run), WINDOWS, _READ)
    except RunFolderError:
        return []
    return [row for row in rows if row["is_final"]]


def _numbers(final: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """Return the averages of writes that runs are known by."""
    found = {
        (row["test"], row["metric"], row["access"], row["block_size_bytes"]): row
        for row in final
        if row["read_percent"] == 0 and row["average"] is not None
    }
    return {
        column: float(found[key]["average"])
        for column, *names in _NUMBERS
        if (key := tuple(names)) in found
    }


def summarise_runs(folder: str | Path | None = None) -> "pd.DataFrame":
    """Return the runs in a folder with their results, newest first.

    Parameters
    ----------
    folder : str or Path, optional
        The folder of runs, as for `list_runs`: by default ``data/runs``.

    Returns
    -------
    pandas.DataFrame
        One row per run: ``run``, the name of its folder, ``label``, ``device``,
        ``profile``, ``tests``, ``started_at``, ``status``, ``is_steady``, and averages
        of the reported windows, missing where the run has none:
        ``random_write_iops`` (4 KiB), ``sequential_write_bytes_per_s`` (1024 KiB),
        ``write_lat_mean_ns`` (4 KiB) and ``saturated_write_iops`` (4 KiB); ``path``
        and ``trouble``, which says why a run cannot be read.

    Raises
    ------
    RunFolderError
        If the given folder does not exist or cannot be read.

    Examples
    --------
    >>> runs = summarise_runs("data/samples")
    >>> one = runs.set_index("run").loc["virtual-b"]
    >>> one["profile"], round(one["random_write_iops"])
    ('demo', 4533)
    """
    import pandas as pd  # noqa: PLC0415 - slow

    rows = [
        {
            "run": Path(row.entry.path).name,
            "label": row.entry.label,
            "device": row.entry.device,
            "profile": row.entry.profile,
            "tests": ", ".join(row.entry.tests),
            "started_at": row.entry.started_at,
            "status": row.entry.status,
            "is_steady": row.is_steady,
            **{name: row.numbers.get(name) for name in NUMBERS},
            "path": row.entry.path,
            "trouble": row.entry.trouble,
        }
        for row in map(read_run_row, list_runs(folder))
    ]
    types = {"is_steady": "boolean"} | dict.fromkeys(NUMBERS, "float64")
    names = ["run", "label", "device", "profile", "tests", "started_at", "status"]
    names += ["is_steady", *NUMBERS, "path", "trouble"]
    return pd.DataFrame(rows, columns=names).astype(types)
