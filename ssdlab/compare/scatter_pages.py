"""The page of scatter: drive-to-drive against run-to-run, and outliers."""

import math
from typing import Any

import pandas as pd

from ssdlab.compare.cells import rows_of
from ssdlab.compare.comparison import Comparison
from ssdlab.compare.texts import cell_name, value_text
from ssdlab.model.spec import label_of_test
from ssdlab.paper.blocks import Block, Note, Page
from ssdlab.text.numbers import number_text, rounded_text
from ssdlab.text.table import Table, column, tabulate

_LONGEST_OPEN = 12  # rows; longer tables are collapsed
_CELL = column(
    "Cell", lambda row: f"{label_of_test(row.test)} {cell_name(row)}", is_words=True
)
_FAR = 1000  # robust standard deviations; larger numbers say no more


def scatter_page(comparison: Comparison) -> Page:
    """Return drive-to-drive against run-to-run scatter, and outliers."""
    blocks: list[Block] = []
    variance, outliers = comparison.variance, comparison.outliers
    if variance.empty:
        words = (
            "Drive-to-drive and run-to-run scatter cannot be separated: that takes "
            "two drives, one of them measured twice under the same conditions."
        )
        blocks.append(Note(text=words))
    else:
        drives = rounded_text(float(variance["between_percent"].median()))
        runs = rounded_text(float(variance["within_percent"].median()))
        words = (
            f"Median over {len(variance)} cells: drives differ by {drives} %, the runs "
            f"of a drive by {runs} % (standard deviations)."
        )
        blocks += [Note(text=words), variance_table(variance)]
    if outliers.empty:
        words = "No run and no round is an outlier."
        blocks.append(Note(text=words, tone="good"))
    else:
        blocks.append(outliers_table(outliers))
    return Page(title="Scatter and outliers", blocks=tuple(blocks))


def variance_table(variance: pd.DataFrame) -> Table:
    """Return drive-to-drive against run-to-run scatter."""
    return tabulate(
        rows_of(variance),
        (
            _CELL,
            column("Drive-to-drive", "between_percent", _percent_text),
            column("Run-to-run", _within_text),
            column("Share of drives", _share_text),
            column("Drives, runs", lambda row: f"{row.n_sides}, {row.n_runs}"),
        ),
        caption="Scatter between drives, and from run to run",
        note="Standard deviations of the logarithm, and the share of the variance of "
        "a single run that comes from the drive, with 95 % intervals: one-way random "
        "effects, assuming normal values, over drives under the same conditions. An "
        "estimate below 0 is set to 0: the drives differ less than their own scatter "
        "explains. Few runs show little: see the intervals.",
        is_folded=len(variance) > _LONGEST_OPEN,
    )


def _percent_text(percent: float) -> str:
    return f"{rounded_text(percent)} %"


def _within_text(row: Any) -> str:
    low, high = row.within_low_percent, row.within_high_percent
    texts = (rounded_text(float(part)) for part in (row.within_percent, low, high))
    return "{} % ({} to {} %)".format(*texts)


def _share_text(row: Any) -> str:
    """Return the share of the variance between drives, with its interval."""
    shares = [
        100.0 if math.isinf(part) else 100 * part / (1 + part)
        for part in (float(row.ratio), float(row.low), float(row.high))
    ]
    value, low, high = (_percent(share) for share in shares)
    return f"{value} % ({low} to {high} %)"


def _percent(share: float) -> str:
    """Return a share, never rounded up to 100 %.

    >>> _percent(99.9999), _percent(99.95), _percent(12.34), _percent(100.0)
    ('> 99.9', '> 99.9', '12.3', '100')
    """
    if 99.9 < share < 100:
        return "> 99.9"
    return f"{share:.3g}"


def _signed_text(percent: float) -> str:
    """Return a difference with its sign.

    >>> _signed_text(350.4), _signed_text(-2.345)
    ('+350 %', '-2.3 %')
    """
    return f"{percent:+{',.0f' if abs(percent) >= 10 else '.1f'}} %"


def outliers_table(outliers: pd.DataFrame) -> Table:
    """Return the runs and rounds that are outliers."""
    return tabulate(
        rows_of(outliers),
        (
            _CELL,
            column("Of the", "of", is_words=True),
            column("Run", "run_id", is_words=True),
            column("Round", "round"),
            column("Value", lambda row: value_text(row.value, str(row.metric))),
            column("Median", lambda row: value_text(row.median, str(row.metric))),
            column("By", lambda row: 100 * (row.value / row.median - 1), _signed_text),
            column("Distance (limit)", _distance_text),
        ),
        caption="Outliers, by median absolute deviation",
        note="Distance in robust standard deviations of the logarithm. One in 100 "
        "windows without any outlier has one by chance. Where the others hardly "
        "differ, a small step is a large distance: see the percent. Outliers are not "
        "excluded.",
        is_folded=len(outliers) > _LONGEST_OPEN,
    )


def _distance_text(row: Any) -> str:
    far = row.distance > _FAR
    text = f"> {_FAR:,}" if far else number_text(row.distance)
    return f"{text} ({number_text(row.limit)})"
