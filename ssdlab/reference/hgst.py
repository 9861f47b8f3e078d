"""Seven fio jobs of HGST/WD: Flash Performance Best Practices, 17 April 2018."""

import csv
from dataclasses import dataclass
from importlib.resources import files

_NO_OPTIONS = {"job", "purpose"}


@dataclass(frozen=True, kw_only=True, slots=True)
class PeakJob:
    """One job: its number, what it shows, and the options that its job file sets.

    Options that the job file does not set are not included.
    """

    number: str
    purpose: str
    options: tuple[tuple[str, str], ...]


def read_hgst_peak_jobs() -> tuple[PeakJob, ...]:
    """Return the seven jobs in the order in which they are to be run.

    Examples
    --------
    >>> first = read_hgst_peak_jobs()[0]
    >>> first.number, dict(first.options)["ioengine"]
    ('01', 'sync')
    """
    table = files("ssdlab.reference").joinpath("hgst_peak_jobs.csv")
    return tuple(
        PeakJob(
            number=row["job"],
            purpose=row["purpose"],
            options=tuple(
                (name, value)
                for name, value in row.items()
                if value and name not in _NO_OPTIONS
            ),
        )
        for row in csv.DictReader(table.read_text("utf-8").splitlines())
    )
