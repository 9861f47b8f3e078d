"""The steady-state determination data that the PTS requires."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ssdlab.text.numbers import number_text
from ssdlab.text.quantities import QUANTITIES
from ssdlab.text.table import Table

if TYPE_CHECKING:
    import pandas as pd

    Row = pd.Series[Any]

_DECIMALS = 3
_NOTE = (
    "The rule limits max \N{MINUS SIGN} min, so single values may fall outside the "
    "band around the average. Percentages refer to the average; verdicts use unrounded "
    "values."
)
_OF_SAMPLES = "A sample is one round in so many; x counts samples."


def determination_table(
    frame: "pd.DataFrame", *, caption: str = "Steady-state determination data"
) -> Table:
    """Return the determination data as a table, one column per tracking variable."""
    columns = [row for _, row in frame.iterrows()]
    rows = [(name, *map(words, columns)) for name, words in _LINES]
    is_sampled = any(row["sample_every"] > 1 for row in columns)
    return Table(
        caption=caption,
        head=("Cell", *(str(row["tracking"]) for row in columns)),
        rows=tuple(rows) if columns else (),
        words=tuple(range(1 + len(columns))),
        note=f"{_NOTE} {_OF_SAMPLES}" if is_sampled else _NOTE,
    )


def _window(row: "Row") -> str:
    every, first = int(row["sample_every"]), int(row["first_sample"])
    if every == 1:
        return f"rounds {row['rounds']}"
    return f"samples {first} - {first + 4}, rounds {row['rounds']}"


def _amount(row: "Row", name: str, *, share: str = "", form: str = "g") -> str:
    text = f"{_number(row, name)} {_unit(row)}".rstrip()
    return f"{text} ({100 * row[share]:{form}} %)" if share else text


def _between(row: "Row", low: str, high: str) -> str:
    return f"{_number(row, low)} to {_number(row, high)} {_unit(row)}".rstrip()


def _kept(row: "Row", name: str, *, share: str, is_ok: str) -> str:
    outcome = "pass" if row[is_ok] else "FAIL"
    return f"{_amount(row, name, share=share, form='#.3g')}: {outcome}"


def _line(row: "Row") -> str:
    sign = "-" if row["intercept"] < 0 else "+"
    intercept = number_text(abs(row["intercept"]) / _divisor(row))
    return f"y = {_number(row, 'slope_per_round')} x {sign} {intercept}"


def _counts(row: "Row") -> str:
    every = int(row["sample_every"])
    return "round" if every == 1 else f"sample ({every} rounds)"


def _line_words(row: "Row") -> str:
    return f"{_line(row)} [{_unit(row)}], x: {_counts(row)}"


def _slope(row: "Row") -> str:
    return f"{_amount(row, 'slope_per_round')} per {_counts(row)}"


def _correlation(row: "Row") -> str:
    known = row["correlation"] == row["correlation"]
    return f"{row['correlation']:.{_DECIMALS}f}" if known else "n/a"


def _yes(row: "Row", name: str) -> str:
    return "yes" if row[name] else "no"


def _number(row: "Row", name: str) -> str:
    return number_text(float(row[name]) / _divisor(row))


def _divisor(row: "Row") -> float:
    return QUANTITIES[str(row["metric"])].divisor


def _unit(row: "Row") -> str:
    return QUANTITIES[str(row["metric"])].unit_or_name


_LINES: tuple[tuple[str, "Callable[[Row], str]"], ...] = (
    ("Measurement window", _window),
    ("Average", lambda row: _amount(row, "average")),
    ("Allowed range", lambda row: _between(row, "allowed_low", "allowed_high")),
    ("Measured range", lambda row: _between(row, "minimum", "maximum")),
    (
        "Allowed maximum data excursion",
        lambda row: _amount(row, "allowed_range", share="max_range_ratio"),
    ),
    (
        "Measured maximum data excursion",
        lambda row: _kept(row, "range", share="range_ratio", is_ok="is_range_ok"),
    ),
    (
        "Allowed maximum slope excursion",
        lambda row: _amount(row, "allowed_slope", share="max_slope_ratio"),
    ),
    (
        "Measured maximum slope excursion",
        lambda row: _kept(row, "slope", share="slope_ratio", is_ok="is_slope_ok"),
    ),
    ("Slope of the line", _slope),
    ("Least-squares line", _line_words),
    ("Correlation coefficient", _correlation),
    ("Steady", lambda row: _yes(row, "is_steady")),
    ("All steady at once", lambda row: _yes(row, "is_round_steady")),
)
