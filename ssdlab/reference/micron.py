"""What Micron printed: Best Practices for SSD Performance Measurement, Rev. B 4/17."""

import csv
from dataclasses import dataclass
from importlib.resources import files


@dataclass(frozen=True, kw_only=True, slots=True)
class PrintedPrecondition:
    """One row of the table of precondition times, as printed.

    ``rate_mb_s`` is the steady rate of 128 KiB sequential writes [MB/s],
    ``fill_2x_min`` the time of two fills and ``precondition_min`` that of
    preconditioning [min].
    """

    capacity_gb: int
    rate_mb_s: float
    fill_2x_min: float
    precondition_min: float


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishedSequence:
    """The result of one of Micron's two sequences: first, second, first again.

    ``repetition`` compares the last stage with the first; the ratio is unknown.
    """

    first: str
    second: str
    repetition: str


MICRON_SOURCE = "Micron, Best Practices for SSD Performance Measurement, Rev. B 4/17"
MICRON_SEQUENCES = (
    PublishedSequence(
        first="RND 4 KiB 0/100", second="SEQ 128 KiB 0/100", repetition="similar"
    ),
    PublishedSequence(
        first="SEQ 128 KiB 0/100", second="RND 4 KiB 0/100", repetition="lower"
    ),
)


def read_micron_precondition_times() -> tuple[PrintedPrecondition, ...]:
    """Return the rows of Micron's table of precondition times, least capacity first.

    Examples
    --------
    >>> read_micron_precondition_times()[0].precondition_min
    53.0
    """
    table = files("ssdlab.reference").joinpath("micron_precondition_time.csv")
    return tuple(
        PrintedPrecondition(
            capacity_gb=int(row["capacity_gb"]),
            rate_mb_s=float(row["seq_128k_write_rate_mb_s"]),
            fill_2x_min=float(row["fill_2x_minutes_printed"]),
            precondition_min=float(row["precondition_minutes_printed"]),
        )
        for row in csv.DictReader(table.read_text("utf-8").splitlines())
    )
