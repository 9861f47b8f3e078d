"""How few values may claim something: equal sides may be in different states."""

from functools import cache

import numpy as np

SIGNIFICANCE = 0.05


@cache
def chance_of_states(n_a: int, n_b: int) -> float:
    """Return how often two equal drives separate that are in one of two states.

    It is the chance that all runs of one are in one state and all of the other in the
    other, for the share of states that maximises it.

    >>> chance_of_states(2, 2), chance_of_states(3, 3), chance_of_states(4, 4)
    (0.125, 0.03125, 0.0078125)
    """
    share = np.linspace(0.0, 1.0, _SHARES)
    apart = share**n_a * (1 - share) ** n_b + share**n_b * (1 - share) ** n_a
    return float(apart.max())


_SHARES = 2001  # odd, so that one half is among them


def more_runs_needed(n_a: int, n_b: int, *, pairs: int) -> tuple[int, int]:
    """Return how many more runs of either side a claim about drives needs.

    Runs of a drive may be in one of several states, and the runs of two equal drives
    may all be in different ones. With so few runs that this happens in more than one of
    20 tables nothing is claimed about drives, however small its p-value (decision 77).

    The side with fewer runs is measured again first.

    >>> more_runs_needed(3, 3, pairs=1), more_runs_needed(2, 2, pairs=1)
    ((0, 0), (1, 1))
    >>> more_runs_needed(4, 1, pairs=1), more_runs_needed(3, 3, pairs=3)
    ((0, 1), (1, 0))
    """
    a, b = n_a, n_b
    while chance_of_states(a, b) * pairs > SIGNIFICANCE:
        a, b = (a, b + 1) if b < a else (a + 1, b)
    return a - n_a, b - n_b
