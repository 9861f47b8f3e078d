"""The name of a stored value, its unit, and its divisor for display.

Stored values are nanoseconds, bytes and bytes per second; the only place where they are
scaled is here. Data rates and capacities are decimal, block sizes binary (PTS 2.0.2,
2.4.1).
"""

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, kw_only=True, slots=True)
class Quantity:
    """Words, unit, and what a stored value is divided by.

    ``short`` is its head in a table. ``digits`` is how a hover text writes a value, in
    the format of d3. Values that lie decades apart have a logarithmic axis.
    """

    name: str
    unit: str
    divisor: float
    short: str = ""
    counted: str = ""
    digits: str = ",.4~g"
    is_log: bool = False

    @property
    def title(self) -> str:
        """The title of an axis, such as ``Throughput [MB/s]``."""
        return f"{self.name} [{self.unit}]" if self.unit else self.name

    @property
    def unit_or_name(self) -> str:
        """What follows a value: the unit, or the name of what is counted: 80 IOPS."""
        return self.unit or self.counted or self.name

    def hover(self, place: str) -> str:
        """Return the part of a hover text that writes the value at x or y.

        >>> QUANTITIES["bw_bytes_per_s"].hover("y")
        '%{y:,.4~g} MB/s'
        """
        return f"%{{{place}:{self.digits}}} {self.unit_or_name}"


def _response(name: str, short: str = "") -> Quantity:
    return Quantity(name=name, unit="ms", divisor=1e6, short=short, is_log=True)


QUANTITIES = MappingProxyType({
    "iops": Quantity(name="IOPS", unit="", divisor=1.0, digits=",.0f"),
    "bw_bytes_per_s": Quantity(
        name="Throughput", unit="MB/s", divisor=1e6, short="MB/s"
    ),
    "lat_mean_ns": _response("Average latency", "Average [ms]"),
    "lat_max_ns": _response("Maximum latency", "Max [ms]"),
    "lat_two_nines_ns": _response("99 % latency", "99 % [ms]"),
    "lat_three_nines_ns": _response("99.9 % latency", "99.9 % [ms]"),
    "lat_four_nines_ns": _response("99.99 % latency", "99.99 % [ms]"),
    "lat_five_nines_ns": _response("99.999 % latency", "99.999 % [ms]"),
    "lat_ns": _response("Response time"),
    "time_s": Quantity(name="Time", unit="min", divisor=60.0),
    "total_written_bytes": Quantity(
        name="Total gigabytes written (TGBW)", unit="GB", divisor=1e9
    ),
    "tgbw": Quantity(name="TGBW", unit="GB", divisor=1.0),
    "write_amplification": Quantity(
        name="Write amplification", unit="", divisor=1.0, counted="times"
    ),
    "power_watts": Quantity(name="Power", unit="W", divisor=1.0),
    "watts": Quantity(name="Power", unit="W", divisor=1.0),
    "joules_per_io": Quantity(name="Energy per IO", unit="μJ", divisor=1e-6),
    "cpu_us_per_io": Quantity(name="Processor time per IO", unit="μs", divisor=1.0),
    "drive_fills": Quantity(
        name="Drive fills (TGBW / user capacity)",
        unit="",
        divisor=1.0,
        short="Drive fills",
        counted="drive fills",
    ),
    "idle_before_s": Quantity(name="Idle before the step", unit="ms", divisor=1e-3),
    "temperature_celsius": Quantity(name="Temperature", unit="°C", divisor=1.0),
    "written_bytes": Quantity(name="Written", unit="GB", divisor=1e9),
})

_TIMES = (("s", 1e9), ("ms", 1e6), ("μs", 1e3), ("ns", 1.0))  # of stored latencies
_SHORT_S = 600  # below ten minutes a time axis in minutes has nothing but fractions
_SECONDS = Quantity(name="Time", unit="s", divisor=1.0)
MILLISECONDS = Quantity(name="Time", unit="ms", divisor=1e-3)  # of a stored time


def scaled(values: Iterable[Any], quantity: str | Quantity) -> list[float | None]:
    """Return stored values in the unit of their axis, missing ones as None."""
    known = QUANTITIES[quantity] if isinstance(quantity, str) else quantity
    numbers = (float("nan") if is_missing(value) else float(value) for value in values)
    return [
        None if math.isnan(number) else number / known.divisor for number in numbers
    ]


def is_missing(value: Any) -> bool:
    """Tell whether a value of a frame is missing: None, NaN or <NA>."""
    return value is None or str(value) in {"<NA>", "nan"}


def metric_quantity(metric: str) -> Quantity:
    """Return what the axis of a metric shows, also of one of the percentiles.

    >>> metric_quantity("lat_p9999_ns").title
    '99.99 % latency [ms]'
    """
    found = re.fullmatch(r"lat_p(\d\d)(\d*)_ns", metric)
    if not found:
        return QUANTITIES[metric]
    level = ".".join(part for part in found.groups() if part)
    return _response(f"{level} % latency")


def suited_quantity(metric: str, values: Iterable[float]) -> Quantity:
    """Return what the axis of a metric shows, latencies in the unit that suits them.

    >>> suited_quantity("lat_mean_ns", [180e3, 227e3]).title
    'Average latency [μs]'
    >>> suited_quantity("lat_max_ns", [1.89e9]).title
    'Maximum latency [s]'
    >>> suited_quantity("iops", [1.89e9]).title
    'IOPS'
    """
    quantity = metric_quantity(metric)
    if quantity.unit != "ms":
        return quantity
    greatest = max((abs(one) for one in values if math.isfinite(one)), default=0.0)
    unit, size = next((one for one in _TIMES if greatest >= one[1]), _TIMES[-1])
    return replace(quantity, unit=unit, divisor=size)


def unit_of(metric: str) -> str:
    """Return the unit that a value of a metric is printed with."""
    return QUANTITIES[metric].unit_or_name


def time_quantity(span_s: float) -> Quantity:
    """Return what a time axis shows: minutes, or seconds of a short trial run.

    >>> time_quantity(55_800.0).title, time_quantity(75.0).title
    ('Time [min]', 'Time [s]')
    """
    return _SECONDS if span_s < _SHORT_S else QUANTITIES["time_s"]


def span_s(frame: "pd.DataFrame") -> float:
    """Return the greatest time of a frame [s], 0 of an empty one."""
    times = frame["time_s"].dropna()
    return float(times.max()) if len(times) else 0.0
