"""Analysis of variance of random effects, nested or crossed, also unbalanced.

A row of the analysis is what one space of factors explains beyond a smaller one. Its
expected mean square is linear in the components of variance, with coefficients that
are counted from the data (Henderson's method 3), so components follow from the mean
squares by one system of equations. For balanced data it is the table of the textbooks.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from ssdlab.stats.interval import Interval

FloatArray = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
Labels = Sequence[Hashable]

DRAWS: Final = 4_000
_SEED: Final = 1992  # arbitrary, but fixed, so that a table can be reproduced


@dataclass(frozen=True, kw_only=True, slots=True)
class MeanSquare:
    """A row: a mean square, its degrees of freedom, and what it is expected to be.

    ``expected`` has the coefficient of each component of variance.
    """

    name: str
    square: float
    freedom: int
    expected: Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Components:
    """Components of variance by name, from rows that have one for each of them."""

    rows: tuple[MeanSquare, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The components, in the order of the rows."""
        return tuple(row.name for row in self.rows)

    @cached_property
    def solved(self) -> dict[str, float]:
        """The estimates as they are solved for: one may be negative."""
        squares = np.array([row.square for row in self.rows])
        return dict(zip(self.names, self._solve(squares).tolist(), strict=True))

    @property
    def estimates(self) -> dict[str, float]:
        """The estimates, a negative one set to 0."""
        return {name: max(0.0, one) for name, one in self.solved.items()}

    @property
    def truncated(self) -> tuple[str, ...]:
        """The components whose estimate is negative, and set to 0."""
        return tuple(name for name, one in self.solved.items() if one < 0)

    def freedom(self, name: str) -> float:
        """Return the degrees of freedom of an estimate, after Satterthwaite."""
        share = self._inverse[self.names.index(name)]
        parts = share * [row.square for row in self.rows]
        spread = parts**2 / [row.freedom for row in self.rows]
        return float(parts.sum() ** 2 / spread.sum()) if spread.any() else np.nan

    @cached_property
    def drawn(self) -> dict[str, FloatArray]:
        """Components that these mean squares may have come from, drawn.

        Notes
        -----
        A sum of squares over its expected mean square is taken as chi-squared, so the
        expected ones are drawn as sums of squares over draws of that (generalised
        pivotal quantities). Components below 0 stay: their sums would be too great.
        """
        rng = np.random.default_rng(_SEED)
        freedoms = np.array([row.freedom for row in self.rows])
        squares = np.array([row.square for row in self.rows]) * freedoms
        expected = squares / rng.chisquare(freedoms, size=(DRAWS, len(freedoms)))
        found = self._solve(expected.T)
        return dict(zip(self.names, found, strict=True))

    def bound(
        self, function: Callable[[Mapping[str, Any]], Any], *, confidence_percent: float
    ) -> float:
        """Return the upper bound of a function of the components, on one side.

        It is not below the function of the estimates.
        """
        drawn = function(self.drawn)
        found = np.percentile(drawn, confidence_percent, method="nearest")
        return max(float(function(self.estimates)), float(found))

    def interval(
        self,
        function: Callable[[Mapping[str, Any]], Any],
        *,
        confidence_percent: float = 95.0,
    ) -> Interval:
        """Return a function of the components, none of which is below 0, and its range.

        The interval is between two quantiles of the function of the drawn components,
        not below 0, and is widened to hold the estimate where that lies outside.
        """
        estimate = float(function(self.estimates))
        tail = (100 - confidence_percent) / 2
        drawn = np.maximum(0.0, function(self.drawn))
        low, high = np.percentile(drawn, [tail, 100 - tail], method="nearest")
        return Interval(
            estimate=estimate,
            low=min(estimate, float(low)),
            high=max(estimate, float(high)),
            confidence_percent=confidence_percent,
        )

    def _solve(self, squares: FloatArray) -> FloatArray:
        return np.asarray(self._inverse @ squares)

    @cached_property
    def _inverse(self) -> FloatArray:
        matrix = [[row.expected[name] for name in self.names] for row in self.rows]
        return np.asarray(np.linalg.inv(np.array(matrix)))


def analyse_nested(
    values: npt.ArrayLike, levels: Mapping[str, Labels], *, rest: str
) -> tuple[MeanSquare, ...]:
    """Return the rows of values at nested levels, the outermost first.

    A label counts within the labels of the levels outside of it. A row without degrees
    of freedom is left out: its component is unknown.

    References
    ----------
    .. [1] S. R. Searle, G. Casella, C. E. McCulloch, "Variance Components", 1992,
       sections 3.6 and 5.3.

    >>> rows = analyse_nested([1.0, 3.0, 5.0, 7.0], {"a": [1, 1, 2, 2]}, rest="e")
    >>> [(row.name, row.square, row.freedom) for row in rows]
    [('a', 16.0, 1), ('e', 2.0, 2)]
    >>> Components(rows=rows).estimates
    {'a': 7.0, 'e': 2.0}
    """
    y = _centred(values)
    factors: dict[str, Codes] = {}
    known = np.zeros(y.size, np.intp)
    spaces: list[_Space] = [_Groups(known)]
    for name, labels in levels.items():
        known = _codes(zip(known.tolist(), labels, strict=True))
        factors[name] = known
        spaces.append(_Groups(known))
    spaces.append(_Groups(np.arange(y.size)))
    beyond = [(one, within) for within, one in pairwise(spaces)]
    return _rows(y, dict(zip([*factors, rest], beyond, strict=True)), factors)


def analyse_crossed(
    values: npt.ArrayLike,
    first: tuple[str, Labels],
    second: tuple[str, Labels],
    *,
    both: str,
    rest: str,
) -> tuple[MeanSquare, ...]:
    """Return the rows of two crossed factors: each beyond the other, both, the rest.

    Cells may be empty, and have unequal numbers of values. A row without degrees of
    freedom is left out: its component is unknown.

    References
    ----------
    .. [1] C. R. Henderson, "Estimation of variance and covariance components",
       Biometrics 9, 1953: method 3.
    """
    y = _centred(values)
    own, other = _codes(first[1]), _codes(second[1])
    cells = _codes(zip(own.tolist(), other.tolist(), strict=True))
    together = _Sum(own, other)
    factors = {first[0]: own, second[0]: other, both: cells}
    spaces: dict[str, tuple[_Space, _Space]] = {
        first[0]: (together, _Groups(other)),
        second[0]: (together, _Groups(own)),
        both: (_Groups(cells), together),
        rest: (_Groups(np.arange(y.size)), _Groups(cells)),
    }
    return _rows(y, spaces, factors)


class _Space(Protocol):
    """What a set of factors can explain."""

    @property
    def rank(self) -> int: ...

    def square(self, y: FloatArray) -> float:
        """Return the sum of squares of the values as far as they are explained."""
        ...

    def overlap(self, codes: Codes) -> float:
        """Return how often that counts the variance of the effects of a factor."""
        ...


class _Groups:
    """The means of groups."""

    def __init__(self, codes: Codes) -> None:
        self._codes = codes
        self._sizes = np.bincount(codes)

    @property
    def rank(self) -> int:
        return len(self._sizes)

    def square(self, y: FloatArray) -> float:
        sums = np.bincount(self._codes, weights=y)
        return float((sums**2 / self._sizes).sum())

    def overlap(self, codes: Codes) -> float:
        pairs, counts = np.unique(
            np.stack([self._codes, codes]), axis=1, return_counts=True
        )
        return float((counts**2 / self._sizes[pairs[0]]).sum())


class _Sum:
    """The sums of the effects of two factors."""

    def __init__(self, first: Codes, second: Codes) -> None:
        design = np.hstack([_indicators(first), _indicators(second)])
        left, singular, _ = np.linalg.svd(design, full_matrices=False)
        self._basis = left[:, singular > singular[0] * len(design) * _EPSILON]

    @property
    def rank(self) -> int:
        return int(self._basis.shape[1])

    def square(self, y: FloatArray) -> float:
        return float(((self._basis.T @ y) ** 2).sum())

    def overlap(self, codes: Codes) -> float:
        return float(((self._basis.T @ _indicators(codes)) ** 2).sum())


_EPSILON = float(np.finfo(np.float64).eps)


def _rows(
    y: FloatArray,
    spaces: Mapping[str, tuple[_Space, _Space]],
    factors: Mapping[str, Codes],
) -> tuple[MeanSquare, ...]:
    """Return a row for what each space explains beyond another, the rest last."""
    found = []
    for name, (space, within) in spaces.items():
        freedom = space.rank - within.rank
        if not freedom:
            continue
        counted = {
            factor: max(0.0, space.overlap(codes) - within.overlap(codes)) / freedom
            for factor, codes in factors.items()
        }
        found.append(
            MeanSquare(
                name=name,
                square=max(0.0, space.square(y) - within.square(y)) / freedom,
                freedom=freedom,
                expected=counted | {[*spaces][-1]: 1.0},
            )
        )
    return tuple(found)


def _centred(values: npt.ArrayLike) -> FloatArray:
    y = np.asarray(values, dtype=np.float64)
    return np.asarray(y - y.mean())


def _codes(labels: "Sequence[Hashable] | zip[tuple[Hashable, ...]]") -> Codes:
    """Return a number for each label, from 0 in the order in which they first are."""
    places: dict[Hashable, int] = {}
    return np.array([places.setdefault(one, len(places)) for one in labels], np.intp)


def _indicators(codes: Codes) -> FloatArray:
    return np.asarray(codes[:, None] == np.arange(codes.max() + 1), np.float64)
