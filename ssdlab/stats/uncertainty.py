"""An uncertainty budget after the GUM: contributions, combined and expanded."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Distribution = Literal["t", "normal", "rectangular", "log-normal"]
ROOT_3 = math.sqrt(3)  # half of a rectangular distribution to its standard deviation


@dataclass(frozen=True, kw_only=True, slots=True)
class Contribution:
    """An input with its standard uncertainty, and what that does to the result.

    ``standard`` is in ``unit``; ``sensitivity`` is by how much the result changes with
    the input, in the unit of the result per ``unit``. ``freedom`` is infinite where
    ``standard`` is taken as exact.
    """

    kind: Literal["A", "B"]
    distribution: Distribution
    standard: float
    unit: str
    sensitivity: float = 1.0
    freedom: float = math.inf

    @property
    def of_result(self) -> float:
        """The standard uncertainty of the result from this input alone."""
        return abs(self.sensitivity) * self.standard


@dataclass(frozen=True, kw_only=True, slots=True)
class Combined:
    """The combined standard uncertainty, and the expanded one, of a result.

    ``freedom`` are the effective degrees of freedom, ``factor`` the coverage factor.
    """

    standard: float
    freedom: float
    factor: float
    confidence_percent: float

    @property
    def expanded(self) -> float:
        """The expanded uncertainty: half of the interval."""
        return self.factor * self.standard


def combine_contributions(
    contributions: Sequence[Contribution], *, confidence_percent: float = 95.0
) -> Combined | None:
    """Combine independent contributions, by the law of propagation of uncertainty.

    None if nothing contributes.

    Notes
    -----
    Effective degrees of freedom are by Welch and Satterthwaite; the coverage factor is
    the quantile of Student's t with these [1]_.

    References
    ----------
    .. [1] JCGM 100:2008, "Guide to the expression of uncertainty in measurement", 5.1
       and annex G.4.

    >>> parts = [
    ...     Contribution(kind="A", distribution="t", standard=3.0, unit="", freedom=4),
    ...     Contribution(kind="B", distribution="rectangular", standard=4.0, unit=""),
    ... ]
    >>> found = combine_contributions(parts)
    >>> found.standard, round(found.freedom, 2), round(found.factor, 3)
    (5.0, 30.86, 2.04)
    """
    from ssdlab.stats.special import ndtri, stdtrit  # noqa: PLC0415 - loads scipy

    parts = [one for one in contributions if one.of_result > 0]
    variance = math.fsum(one.of_result**2 for one in parts)
    if not variance:
        return None
    spread = math.fsum(one.of_result**4 / one.freedom for one in parts)
    freedom = variance**2 / spread if spread else math.inf
    share = 0.5 + confidence_percent / 200
    is_normal = math.isinf(freedom)
    factor = ndtri(share) if is_normal else stdtrit(freedom, share)
    return Combined(
        standard=math.sqrt(variance),
        freedom=freedom,
        factor=float(factor),
        confidence_percent=confidence_percent,
    )


def within_bounds(half_width: float, unit: str, **more: float) -> Contribution:
    """Return the contribution of what lies anywhere within bounds: rectangular.

    >>> round(within_bounds(1.0, "ms").standard, 4)
    0.5774
    """
    return Contribution(
        kind="B",
        distribution="rectangular",
        standard=half_width / ROOT_3,
        unit=unit,
        **more,
    )
