"""A steady-state verdict as plain lines and as plain data."""

import math

from ssdlab.model.spec import PTS_CRITERIA, SteadyStateCriteria
from ssdlab.stats.window_verdict import LimitVerdict, SteadyStateVerdict
from ssdlab.text.terminal import fact_lines


def verdict_lines(
    verdict: SteadyStateVerdict, *, first_steady_round: int | None = None
) -> list[str]:
    """Return a verdict as lines of text, each number next to its limit.

    Window, average, range, slope excursion, fit, correlation, verdict and first
    steady round. Ratios are rounded only for display.

    >>> from ssdlab.stats.steady_state import assess_steady_state
    >>> verdict = assess_steady_state([5776, 5865, 6022, 6160, 6181])
    >>> for line in verdict_lines(verdict, first_steady_round=5):
    ...     print(line)
    Measurement window  rounds 1 - 5
    Average             6000.8
    Range               405 = 6.749 % of the average (at most 20 %): pass
    Slope excursion     442 = 7.366 % of the average (at most 10 %): pass
    Best linear fit     110.5 * round + 5669.3
    Correlation         0.980
    Verdict             steady
    First steady round  5
    """
    sign = "-" if verdict.intercept < 0 else "+"
    slope, intercept = _number(verdict.slope_per_round), _number(abs(verdict.intercept))
    rows = (
        (
            "Measurement window",
            f"rounds {verdict.window_first_round} - {verdict.window_last_round}",
        ),
        ("Average", _number(verdict.average)),
        *(_limit_row(limit) for limit in verdict.limits),
        ("Best linear fit", f"{slope} * round {sign} {intercept}"),
        ("Correlation", _number(verdict.correlation, decimals=3)),
        (
            "Verdict",
            "steady" if verdict.is_steady else f"NOT steady: {verdict.reason}",
        ),
        ("First steady round", str(first_steady_round or "none")),
    )
    return fact_lines(rows)


def verdict_as_dict(
    verdict: SteadyStateVerdict,
    criteria: SteadyStateCriteria = PTS_CRITERIA,
    *,
    first_steady_round: int | None = None,
) -> dict[str, bool | int | float | str | None]:
    """Return a verdict as JSON-compatible names and values.

    The fields of the verdict by their names and at full precision, the limits
    and ``first_steady_round``. A number that does not exist is ``None``.

    >>> from ssdlab.stats.steady_state import assess_steady_state
    >>> plain = verdict_as_dict(assess_steady_state([100, 100, 100, 100, 100]))
    >>> plain["is_steady"], plain["average"], plain["correlation"]
    (True, 100.0, None)
    """
    fields = {
        name: getattr(verdict, name)
        for name in SteadyStateVerdict.__dataclass_fields__
        if name != "limits"
    }
    limits = {
        name: getattr(criteria, name)
        for name in SteadyStateCriteria.__dataclass_fields__
        if name.startswith("max_")
    }
    plain = fields | limits | {"first_steady_round": first_steady_round}
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value
        for name, value in plain.items()
    }


def _limit_row(limit: LimitVerdict) -> tuple[str, str]:
    outcome = "pass" if limit.is_kept else "FAIL"
    return limit.what.capitalize(), (
        f"{_number(limit.amount)} = {_number(100 * limit.ratio, decimals=3)} % of the "
        f"average (at most {100 * limit.limit_ratio:g} %): {outcome}"
    )


def _number(value: float, *, decimals: int | None = None) -> str:
    """Format a number for display; one that does not exist as n/a."""
    if not math.isfinite(value):
        return "n/a"
    value += 0.0  # -0.0 becomes 0.0
    if decimals is None and abs(value) < 1000:
        return f"{value:.7g}"
    text = f"{value:.{decimals or 3}f}"
    return text if decimals else text.rstrip("0").rstrip(".")
