"""The table of determination data."""

import pandas as pd
import pytest

from ssdlab.stats.steady_state import assess_steady_state
from ssdlab.steadiness.determination_table import determination_table
from ssdlab.steadiness.verdict import summarise_determination

MX200 = (5776.0, 5865.0, 6022.0, 6160.0, 6181.0)  # PTS 2.1.24


def judged(first: int, every: int) -> pd.DataFrame:
    verdict = assess_steady_state(MX200, first_round=(first - 1) // every + 1)
    names = ("average", "minimum", "maximum", "range_ratio", "slope_per_round",
             "intercept", "slope_ratio", "correlation", "is_range_ok", "is_slope_ok",
             "is_steady")  # fmt: skip
    row = {name: getattr(verdict, name) for name in names}
    row |= {"test": "iops", "tracking": "RND 4 KiB 0/100", "metric": "iops"}
    row |= {"window_first_round": first, "window_last_round": first + 4 * every}
    return pd.DataFrame([row | {"is_final": True, "is_round_steady": True}])


def lines(first: int, every: int) -> dict[str, str]:
    table = summarise_determination(judged(first, every), "iops")
    return {row[0]: row[1] for row in determination_table(table).rows}


def test_table_lists_what_the_pts_asks_for_by_hand() -> None:
    assert lines(1, 1) == {
        "Measurement window": "rounds 1 - 5",
        "Average": "6,001 IOPS",
        "Allowed range": "5,401 to 6,601 IOPS",
        "Measured range": "5,776 to 6,181 IOPS",
        "Allowed maximum data excursion": "1,200 IOPS (20 %)",
        "Measured maximum data excursion": "405.0 IOPS (6.75 %): pass",
        "Allowed maximum slope excursion": "600.1 IOPS (10 %)",
        "Measured maximum slope excursion": "442.0 IOPS (7.37 %): pass",
        "Slope of the line": "110.5 IOPS per round",
        "Least-squares line": "y = 110.5 x + 5,669 [IOPS], x: round",
        "Correlation coefficient": "0.980",
        "Steady": "yes",
        "All steady at once": "yes",
    }


def test_window_of_samples_counts_samples() -> None:
    said = lines(20, 10)
    assert said["Measurement window"] == "samples 2 - 6, rounds 20 - 60"
    assert said["Slope of the line"] == "110.5 IOPS per sample (10 rounds)"
    assert said["Least-squares line"].endswith("[IOPS], x: sample (10 rounds)")
    middle = 110.5 * 4 + float(said["Least-squares line"].split()[5].replace(",", ""))
    assert middle == pytest.approx(6000.8, abs=1)
