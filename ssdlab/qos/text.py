"""Percentiles and verdicts as readable text, in milliseconds."""

import math
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict
from typing import Any

import pandas as pd

from ssdlab.model.spec import label_of_test
from ssdlab.qos.halves import QosPart
from ssdlab.qos.load import Load, what_text
from ssdlab.qos.verdict import QosVerdict
from ssdlab.stats.claims import (
    BETWEEN_ROUNDS,
    INDEPENDENT,
    QOS_LEVELS_PERCENT,
)
from ssdlab.stats.latency import least_count
from ssdlab.stats.plain_rows import plain_rows, plain_value
from ssdlab.stats.unseen import unseen_text
from ssdlab.text.table import UNSUPPORTED_MARK, mark_unsupported

_DIGITS = 4
_COMPLETION = (
    " The histogram is of completion latency (clat): it excludes submission, as do "
    "average and maximum here."
)


def tabulate_loads(table: pd.DataFrame) -> pd.DataFrame:
    """Return the loads of a run as a readable table."""
    rows = [
        {
            "Test": label_of_test(row["test"]),
            "Phase": row["phase"],
            "Workload": row["workload"],
            "What": what_text(str(row["kind"]), int(row["steps"])),
            "Split by": row["directions"],
            "IOs": int(row["total_ios"]),
            "Supports": _highest_level(int(row["total_ios"])),
        }
        for _, row in table.iterrows()
    ]
    return pd.DataFrame(rows)


def _highest_level(total_ios: int) -> str:
    enough = [level for level in QOS_LEVELS_PERCENT if least_count(level) <= total_ios]
    return f"{max(enough):.10g} %" if enough else "none"


def tabulate_qos(table: pd.DataFrame) -> pd.DataFrame:
    """Return percentiles and their intervals as text, in milliseconds."""
    is_of_rounds = bool((table["claimed"] == BETWEEN_ROUNDS).any())
    rows = [
        {
            "Level": row["marker"],
            "Response time [ms]": level_text(row["lat_ns"], row),
            "95 % interval [ms]": interval_text(row["low_ns"], row["high_ns"]),
            **(_beside(row) if is_of_rounds else {}),
            "Note": row["note"],
        }
        for row in table.to_dict("records")
    ]
    return pd.DataFrame(rows)


def _beside(row: dict[Hashable, Any]) -> dict[str, str]:
    """Return the columns next to the interval between rounds."""
    alone = row["independent_low_ns"], row["independent_high_ns"]
    drawn = row["bootstrap_low_ns"], row["bootstrap_high_ns"]
    return {
        "if IOs were independent [ms]": interval_text(*alone),
        "ESS [IOs]": _count_text(row["effective_ios"]),
        "bootstrap of rounds [ms]": interval_text(*drawn),
    }


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

    Examples
    --------
    >>> import ssdlab
    >>> run = ssdlab.open_run("data/samples/virtual-b")
    >>> tables = (run.measurements, run.bins)
    >>> load = ssdlab.analysis.select_loads(*tables, test="lat")[0]
    >>> target = ssdlab.analysis.parse_qos_target("p99 <= 10 ms")
    >>> verdicts = ssdlab.analysis.assess_loads([load], target)
    >>> len(tabulate_verdicts(verdicts))
    1
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


def targets_text(verdicts: Iterable[QosVerdict]) -> str:
    """Return one line per load that says whether it meets a target."""
    return "\n".join(
        f"{verdict.target} - {verdict.load}: {verdict.words}." for verdict in verdicts
    )


def claim_text(load: Load, table: pd.DataFrame) -> str:
    """Return which of the two intervals is claimed, and what is not supported."""
    total = int(table["total_ios"].iloc[0])
    levels = table[table["percentile"].notna()]
    claimed = {
        BETWEEN_ROUNDS: "The intervals of percentiles are those between rounds: "
        "rounds are taken as independent; the IOs of one round need not be. "
        f"{_unseen_of(levels)}. ESS: effective sample size.",
        INDEPENDENT: "The intervals of percentiles hold if the IOs are independent of "
        f"each other: {load.what} cannot show how rounds differ.",
    }[str(levels["claimed"].iloc[0])]
    missing = levels.loc[~levels["is_supported"].astype(bool), "marker"].tolist()
    lacking = (
        f"{UNSUPPORTED_MARK} Not supported by {total:,} IOs: {', '.join(missing)}; "
        "they have no upper end."
        if missing
        else f"Every level is supported by {total:,} IOs."
    )
    note = f" Of the rounds: {load.note}." if load.note else ""
    note += _COMPLETION if load.latency == "clat" else ""
    return f"{load.label}: {load.what}, {total:,} IOs.{note}\n{claimed}\n{lacking}"


def _unseen_of(levels: pd.DataFrame) -> str:
    rounds = levels["seen_rounds"].iloc[0]
    return "" if math.isnan(rounds) else unseen_text(int(rounds))


def qos_as_dict(load: Load, table: pd.DataFrame) -> dict[str, Any]:
    """Return a load and its percentiles as plain data."""
    return {
        "test": load.test,
        "phase": load.phase,
        "workload": load.workload,
        "direction": load.direction,
        "kind": load.kind,
        "steps": len(load.steps),
        "latency": load.latency,
        "note": load.note,
        "levels": plain_rows(table),
    }


def verdict_of_target_as_dict(verdict: QosVerdict) -> dict[str, Any]:
    """Return a verdict as plain data."""
    return {name: plain_value(value) for name, value in asdict(verdict).items()}


def level_text(value_ns: float, row: Mapping[Hashable, Any]) -> str:
    """Return a latency in milliseconds, marked if it is a bound or not supported.

    >>> level_text(2e6, {"is_censored": False, "is_supported": True})
    '2.000'
    >>> level_text(17.1e9, {"is_censored": True, "is_supported": False})
    '≥ 17,100 *'
    """
    text = f"{'≥ ' if row['is_censored'] else ''}{milliseconds(value_ns)}"
    return mark_unsupported(text, row["is_supported"])


def milliseconds(value_ns: float) -> str:
    """Return nanoseconds as milliseconds with four significant digits.

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
