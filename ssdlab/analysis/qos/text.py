"""Percentiles and verdicts as people read them, in milliseconds."""

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

import pandas as pd

from ssdlab.analysis.plain_rows import plain_rows, plain_value
from ssdlab.analysis.qos.loads import Load
from ssdlab.analysis.qos.percentiles import BETWEEN_ROUNDS, INDEPENDENT
from ssdlab.analysis.qos.verdict import QosPart, QosVerdict

_DIGITS = 4


def tabulate_qos(table: pd.DataFrame) -> pd.DataFrame:
    """Return percentiles and their intervals as text, in milliseconds.

    Parameters
    ----------
    table : pandas.DataFrame
        As `summarise_qos` returns.

    Returns
    -------
    pandas.DataFrame
        One row a marker: ``Level``, ``Response time [ms]``, ``95 % interval [ms]``,
        ``claimed``, ``if IOs were independent [ms]``, ``worth`` (independent IOs)
        and ``note``.

    Examples
    --------
    >>> row = {"marker": "99 %", "lat_ns": 2e6, "low_ns": 1.9e6, "high_ns": math.inf}
    >>> row |= {"claimed": "", "independent_low_ns": 1e6, "independent_high_ns": 3e6}
    >>> found = tabulate_qos(pd.DataFrame([row | {"effective_ios": 7, "note": ""}]))
    >>> found["95 % interval [ms]"].tolist()
    ['at least 1.900']
    """
    rows = [
        {
            "Level": row["marker"],
            "Response time [ms]": milliseconds(row["lat_ns"]),
            "95 % interval [ms]": interval_text(row["low_ns"], row["high_ns"]),
            "claimed": row["claimed"],
            "if IOs were independent [ms]": interval_text(
                row["independent_low_ns"], row["independent_high_ns"]
            ),
            "worth": _count_text(row["effective_ios"]),
            "note": row["note"],
        }
        for _, row in table.iterrows()
    ]
    return pd.DataFrame(rows)


def tabulate_verdicts(verdicts: Iterable[QosVerdict]) -> pd.DataFrame:
    """Return verdicts as text, one row each.

    Parameters
    ----------
    verdicts : iterable of QosVerdict
        As `assess_qos` returns.

    Returns
    -------
    pandas.DataFrame
        ``Load``, ``Measured [ms]``, ``95 % interval [ms]``, ``IOPS``, ``IOs`` and
        ``Verdict``.
    """
    rows = [
        {
            "Load": verdict.load,
            "Measured [ms]": milliseconds(verdict.latency.value),
            "95 % interval [ms]": interval_text(
                verdict.latency.low, verdict.latency.high
            ),
            "IOPS": _rate_text(verdict.rate),
            "IOs": f"{verdict.total_ios:,}",
            "Verdict": verdict.words,
        }
        for verdict in verdicts
    ]
    return pd.DataFrame(rows)


def claim_text(load: Load, table: pd.DataFrame) -> str:
    """Say in words which of the two intervals is claimed, and what is not supported.

    Parameters
    ----------
    load : Load
        The load.
    table : pandas.DataFrame
        As `summarise_qos` returns.

    Returns
    -------
    str
        A few sentences.
    """
    total = int(table["total_ios"].iloc[0])
    levels = table[table["percentile"].notna()]
    claimed = {
        BETWEEN_ROUNDS: "The intervals that are claimed are those between rounds: "
        "rounds are independent, the IOs of one round need not be.",
        INDEPENDENT: "The intervals that are claimed hold if the IOs are independent "
        f"of each other: {load.what} cannot tell how rounds differ.",
    }[str(levels["claimed"].iloc[0])]
    missing = levels.loc[~levels["is_supported"].astype(bool), "marker"].tolist()
    lacking = (
        f"Not supported by {total:,} IOs: {', '.join(missing)}; these have no upper "
        "end."
        if missing
        else f"Every level is supported by {total:,} IOs."
    )
    note = f" Of the rounds: {load.note}." if load.note else ""
    return f"{load.label}: {load.what}, {total:,} IOs.{note}\n{claimed}\n{lacking}"


def qos_as_dict(load: Load, table: pd.DataFrame) -> dict[str, Any]:
    """Return a load and its percentiles as plain data.

    Parameters
    ----------
    load : Load
        The load.
    table : pandas.DataFrame
        As `summarise_qos` returns.

    Returns
    -------
    dict
        An end that is open, and what is not known, is None.
    """
    return {
        "test": load.test,
        "phase": load.phase,
        "workload": load.workload,
        "direction": load.direction,
        "kind": load.kind,
        "steps": len(load.steps),
        "note": load.note,
        "levels": plain_rows(table),
    }


def verdict_of_target_as_dict(verdict: QosVerdict) -> dict[str, Any]:
    """Return a verdict as plain data.

    Parameters
    ----------
    verdict : QosVerdict
        As `assess_qos` returns.

    Returns
    -------
    dict
        An end that is open, and what is not known, is None.
    """
    return {name: plain_value(value) for name, value in asdict(verdict).items()}


def milliseconds(value_ns: float) -> str:
    """Return nanoseconds as milliseconds with four significant digits.

    Parameters
    ----------
    value_ns : float
        The time [ns].

    Returns
    -------
    str
        The number, without its unit.

    Examples
    --------
    >>> milliseconds(251_234), milliseconds(12_345_678_901), milliseconds(0)
    ('0.2512', '12,346', '0')
    """
    value = float(value_ns) / 1e6
    if not value:
        return "0"
    if not math.isfinite(value):
        return "n/a"
    decimals = max(0, _DIGITS - 1 - math.floor(math.log10(abs(value))))
    return f"{value:,.{decimals}f}"


def interval_text(low_ns: float, high_ns: float) -> str:
    """Return an interval in milliseconds, an open end in words.

    Parameters
    ----------
    low_ns : float
        Its lower end [ns].
    high_ns : float
        Its upper end [ns], infinite if it is open.

    Returns
    -------
    str
        Empty if neither is known.

    Examples
    --------
    >>> interval_text(1e6, 2e6), interval_text(1e6, math.inf)
    ('1.000 to 2.000', 'at least 1.000')
    """
    if math.isnan(low_ns) or (math.isinf(low_ns) and math.isinf(high_ns)):
        return ""
    if math.isinf(high_ns):
        return f"at least {milliseconds(low_ns)}"
    return f"{milliseconds(max(0.0, low_ns))} to {milliseconds(high_ns)}"


def _rate_text(rate: QosPart | None) -> str:
    if rate is None:
        return ""
    if not math.isfinite(rate.high):
        return f"{rate.value:,.0f}"
    return f"{rate.value:,.0f} ({rate.low:,.0f} to {rate.high:,.0f})"


def _count_text(count: float) -> str:
    return "" if math.isnan(count) else f"{int(count):,}"
