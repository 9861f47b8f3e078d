"""Periods of a series: whether its rate rises and falls regularly, and how far."""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]

LEAST_VALUES = 300  # fewer have spectra too coarse to tell a line from their noise
MOST_VALUES = 2048  # of longer series, neighbouring values are averaged
LEAST_CYCLES = 8
_WITHIN = np.linspace(-1, 1, 41)  # of a natural frequency, where the period is sought
_ROUNDING = 1e-9  # of the values: what is less is no rise and fall
_LINE_WIDTH = 1.5  # natural frequencies on each side that a line reaches
_HALF = 0.5
_NEAREST, _FARTHEST = 3, 12  # frequencies on each side that the noise is taken from


@dataclass(frozen=True, kw_only=True, slots=True)
class Period:
    """The most regular rise and fall of a series.

    Attributes
    ----------
    period_s : float
        How long one cycle takes [s].
    amplitude : float
        Half the way from its crest to its trough, in the unit of the values.
    p_value : float
        How probable a line so far above the noise around it is at any of the
        frequencies, if there is none.
    """

    period_s: float
    amplitude: float
    p_value: float

    def phase_effect(self, seconds: float) -> float:
        """Return how far a mean over a time may be off, by where in a cycle it began.

        In the unit of the values: the mean of a sine over ``seconds`` is at most its
        amplitude times ``|sin(pi c)| / (pi c)`` with c cycles in it.

        Examples
        --------
        Whole cycles cancel out; half a cycle has a mean of 2/pi of the amplitude.

        >>> wave = Period(period_s=40.0, amplitude=100.0, p_value=0.0)
        >>> round(wave.phase_effect(80.0), 9), round(wave.phase_effect(20.0), 2)
        (0.0, 63.66)
        """
        angle = math.pi * seconds / self.period_s
        return self.amplitude * abs(math.sin(angle)) / angle


def find_period(
    times_s: npt.ArrayLike, values: npt.ArrayLike, *, own_s: float | None = None
) -> Period | None:
    """Return the most regular rise and fall; ``None`` of few values, or equal ones.

    Parameters
    ----------
    times_s, values : array_like
        A series in order of time, shape (n,), with about the same time between two
        values; at least 300, and where more than 2,048, means of neighbours are taken.
    own_s : float, optional
        A period that the measurement itself has [s], such as that of its steps: it and
        its harmonics do not count.

    Notes
    -----
    The line is taken out, then what each value shares with the one before, and of the
    rest the periodogram of Lomb and Scargle is made at the natural frequencies of at
    least 8 cycles. Each is compared with the mean of its 10 neighbours on the side that
    has more, without the two nearest: of noise, this ratio is distributed as F with 2
    and 20 degrees of freedom, and so for any spectrum that is smooth. The p-value is
    that of the highest, times the number of frequencies. Decision record 113.

    References
    ----------
    .. [1] J. D. Scargle, "Studies in astronomical time series analysis II",
       Astrophysical Journal 263, 1982.
    .. [2] D. J. Thomson, "Spectrum estimation and harmonic analysis", Proceedings of
       the IEEE 70, 1982: a line against the noise around it.

    Examples
    --------
    >>> import numpy as np
    >>> rng, seconds = np.random.default_rng(1), np.arange(600.0)
    >>> wave = 50 * np.sin(2 * np.pi * seconds / 20) + rng.normal(1000, 30, 600)
    >>> found = find_period(seconds, wave)
    >>> round(found.period_s, 1), round(found.amplitude, -1), found.p_value < 0.001
    (20.0, 50.0, True)
    """
    at_s, series = _averaged(
        np.asarray(times_s, np.float64), np.asarray(values, np.float64)
    )
    if len(series) < LEAST_VALUES or np.ptp(series) <= _ROUNDING * np.abs(series).max():
        return None
    series = series - np.polyval(np.polyfit(at_s, series, 1), at_s)
    before, after = series[:-1], series[1:]
    white = after - before * (before @ after) / (before @ before)
    span_s = float(at_s[-1] - at_s[1]) * len(white) / (len(white) - 1)
    cycles = np.arange(1, (len(white) - 1) // 2)
    power = _periodogram(at_s[1:], white - white.mean(), cycles / span_s)
    p_values = _against_neighbours(power)
    if own_s is not None:
        own_cycles = cycles[LEAST_CYCLES - 1 :] * own_s / span_s
        is_own = (
            np.abs(own_cycles - np.rint(own_cycles)) * span_s / own_s <= _LINE_WIDTH
        )
        p_values = np.where(is_own & (own_cycles > _HALF), 1.0, p_values)
    best = int(np.argmin(p_values))
    nearby = (LEAST_CYCLES + best + _WITHIN) / span_s
    frequency = float(nearby[np.argmax(_periodogram(at_s, series, nearby))])
    return Period(
        period_s=1 / frequency,
        amplitude=_amplitude(at_s, series, frequency),
        p_value=min(1.0, float(p_values[best]) * len(p_values)),
    )


def _averaged(at_s: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return means of as many neighbours as leave a series that is not too long."""
    size = max(1, -(-len(values) // MOST_VALUES))
    count = len(values) // size
    times, means = (
        one[: count * size].reshape(count, size).mean(axis=1) for one in (at_s, values)
    )
    return times, means


def _periodogram(
    at_s: FloatArray, values: FloatArray, frequencies: FloatArray
) -> FloatArray:
    """Return the power of Lomb and Scargle at each frequency [1/s], not normalised."""
    rows = [_power(at_s, values, angle) for angle in 2 * np.pi * frequencies]
    return np.array(rows, np.float64)


def _power(at_s: FloatArray, values: FloatArray, angle: float) -> float:
    """Return the power at an angular frequency [1/s].

    Scargle's delay makes sums of squares of cosines and sines half of ``count`` plus
    and minus the length of the vector of the sums of the double angle.
    """
    phase = angle * at_s
    cosine, sine = np.cos(phase), np.sin(phase)
    double = complex(cosine @ cosine - sine @ sine, 2 * (cosine @ sine))
    length = abs(double)
    turn = (double / length) ** -0.5 if length else 1.0
    sums = complex(cosine @ values, sine @ values) * turn
    squares = ((len(values) + length) / 2, (len(values) - length) / 2)
    parts = zip((sums.real, sums.imag), squares, strict=True)
    return sum(part**2 / square for part, square in parts if square > 0)


def _against_neighbours(power: FloatArray) -> FloatArray:
    """Return the p-value of each frequency, from the one of 8 cycles on.

    The last have neighbours on one side alone.
    """
    width = _FARTHEST - _NEAREST + 1
    sums = np.concatenate([[0.0], np.cumsum(power)])
    places = np.arange(LEAST_CYCLES - 1, len(power))
    noise = np.zeros(len(places))
    counts = np.full(len(places), width)
    for first in (places - _FARTHEST, places + _NEAREST):
        low = np.clip(first, 0, len(power))
        high = np.clip(first + width, 0, len(power))
        held = high - low
        means = (sums[high] - sums[low]) / np.maximum(held, 1)
        is_more = (held >= width // 2) & (means > noise)
        noise, counts = np.where(is_more, means, noise), np.where(is_more, held, counts)
    ratio = power[places] / np.maximum(noise, np.finfo(float).tiny)
    return np.asarray((1 + ratio / counts) ** -counts.astype(float))


def _amplitude(at_s: FloatArray, series: FloatArray, frequency: float) -> float:
    """Return the amplitude of the sine of a frequency that fits a series best."""
    phase = 2 * np.pi * frequency * at_s
    waves = np.column_stack([np.cos(phase), np.sin(phase), np.ones(len(at_s))])
    fit = np.linalg.lstsq(waves, series, rcond=None)[0]
    return float(np.hypot(fit[0], fit[1]))
