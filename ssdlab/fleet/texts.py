"""Words of a fleet that several pages share."""

from ssdlab.fleet.population import Choice
from ssdlab.text.quantities import suited_quantity

_PLAIN_PHASES = ("rounds", "saturation")  # of which a test has one for a workload


def workload_text(choice: Choice) -> str:
    """Return what is looked at in words."""
    name = suited_quantity(choice.metric.column, ()).name
    parts = [f"test {choice.test.upper()}"]
    if not choice.phase.startswith(_PLAIN_PHASES):
        parts.append(choice.phase)
    if choice.direction != "total":
        parts.append(f"{choice.direction}s")
    return f"{name} of {choice.workload} ({', '.join(parts)})"


def counted(number: int, noun: str) -> str:
    """Return a number of things.

    >>> counted(1, "run"), counted(1200, "drive")
    ('1 run', '1,200 drives')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def signed_text(ratio: float, *, decimals: int = 1) -> str:
    """Return a ratio as a difference with its sign.

    >>> signed_text(0.8), signed_text(1.0234), signed_text(0.9998, decimals=2)
    ('-20 %', '+2.3 %', '-0.02 %')
    """
    percent = 100 * (ratio - 1)
    return f"{percent:+,.{0 if abs(percent) >= 10 else decimals}f} %"
