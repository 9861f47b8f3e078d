"""Measure how often claims about rounds and drives hold on hard processes.

Usage: ``python benchmarks/hard_cases.py [--trials N] [--only WORDS]``. It uses only the
functions that it measures, so that it also runs with another version of the package:
``PYTHONPATH=OTHER/CHECKOUT python benchmarks/hard_cases.py``. The table in
``docs/hard-cases.md`` combines the output of two versions.
"""

import argparse
import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np
import numpy.typing as npt
import pandas as pd

from ssdlab.compare.pairs import compare_cells
from ssdlab.compare.side_cells import find_cells
from ssdlab.stats.forecast import draw_futures, first_time
from ssdlab.stats.pelt import locate_last_change, segment_series
from ssdlab.stats.steady_state import assess_series, find_first_steady_round
from ssdlab.stats.trend import estimate_mean

Generator = np.random.Generator
Floats = npt.NDArray[np.float64]
Draw = Callable[[Generator, int], Floats]
Trial = Callable[[Generator], float | None]

_HORIZON, _DRAWS, _WINDOW = 25, 400, 5
_TRIES = 50  # a trial; of some series most are steady already


def _ar1(rng: Generator, count: int, *, by: float = 0.0) -> Floats:
    noise = rng.standard_normal(count)
    for place in range(1, count):
        noise[place] = by * noise[place - 1] + (1 - by**2) ** 0.5 * noise[place]
    return noise


def _states(rng: Generator, count: int) -> Floats:
    changes = np.cumsum(rng.random(count) < 0.1)
    level = rng.choice([-1.0, 1.0]) * (-1.0) ** changes
    return np.asarray(level + 0.3 * rng.standard_normal(count))


def _memory(rng: Generator, count: int) -> Floats:
    apart = np.abs(np.subtract.outer(np.arange(count), np.arange(count)))
    low, same, high = (np.abs(apart + step) ** 1.7 for step in (-1.0, 0.0, 1.0))
    spread = np.linalg.cholesky((low - 2 * same + high) / 2)
    return np.asarray(spread @ rng.standard_normal(count))


def _drops(rng: Generator, count: int, *, share: float, depth: float) -> Floats:
    return rng.standard_normal(count) - depth * (rng.random(count) < share)


def _tails(rng: Generator, count: int) -> Floats:
    return rng.standard_t(3, count)


def _level(rng: Generator, *, count: int, noise: Draw, mean: float = 0.0) -> bool:
    found = estimate_mean(100 + noise(rng, count))
    return found.low <= 100 + mean <= found.high


def _uncut(rng: Generator, *, count: int, noise: Draw) -> bool:
    return len(segment_series(100 + noise(rng, count)).starts) == 1


def _located(rng: Generator, *, count: int, step: float, by: float) -> bool | None:
    at = int(rng.integers(8, count - 8))
    series = 100 + _ar1(rng, count, by=by) - step * (np.arange(count) >= at)
    cut = segment_series(series)
    if len(cut.starts) < 2:
        return None
    found = locate_last_change(series, cut)
    return found.low <= at <= found.high


def _foretold(
    rng: Generator, *, count: int, level: Draw, noise: float = 1.5
) -> bool | None:
    series = 100 * level(rng, 60) + noise * rng.standard_normal(60)
    came = find_first_steady_round(series)
    if came is not None and came <= count:
        return None
    futures = draw_futures(series[:count], _HORIZON, draws=_DRAWS)
    whole = np.concatenate([np.tile(series[:count], (_DRAWS, 1)), futures], axis=1)
    steady = assess_series(whole.ravel()).is_steady.reshape(whole.shape)
    steady[:, : _WINDOW - 1] = False
    truth = np.inf if came is None or came - count > _HORIZON else came - count
    found = first_time(steady[:, count:])
    return found.low <= truth <= found.high


def _decays(
    _: Generator, count: int, *, heights: tuple[float, ...], times: tuple[float, ...]
) -> Floats:
    rounds = np.arange(count)
    parts = [h * np.exp(-rounds / t) for h, t in zip(heights, times, strict=True)]
    return np.asarray(1 + np.sum(parts, axis=0))


def _power(_: Generator, count: int) -> Floats:
    return np.asarray(1 + 3 / (1 + np.arange(count) / 3))


def _swings(rng: Generator, count: int) -> Floats:
    turns = np.arange(count) / 7 + rng.random()
    return np.asarray(1 + 0.18 * np.sin(2 * np.pi * turns))


NOISES: dict[str, tuple[Draw, float]] = {
    "AR(1) of 0.9": (partial(_ar1, by=0.9), 0.0),
    "AR(1) of 0.95": (partial(_ar1, by=0.95), 0.0),
    "two states, each kept with 0.9": (_states, 0.0),
    "long memory, H = 0.85": (_memory, 0.0),
    "5 % of the rounds at -8 deviations": (partial(_drops, share=0.05, depth=8), -0.4),
}
STEADY: dict[str, Draw] = {
    "independent": _ar1,
    "AR(1) of 0.5": partial(_ar1, by=0.5),
    "2 % of the rounds at -10 deviations": partial(_drops, share=0.02, depth=10),
    "Student's t of 3 degrees": _tails,
}
SETTLING: dict[str, Draw] = {
    "one decay, 6 rounds": partial(_decays, heights=(2.0,), times=(6.0,)),
    "decays, 2 and 12 rounds": partial(_decays, heights=(1.5, 1.0), times=(2.0, 12.0)),
    "power law": _power,
    "overshoot": partial(_decays, heights=(2.5, -0.9), times=(2.0, 7.0)),
    "swing of 18 % and 7 rounds": _swings,
}


# Tests of a whole table of drives, each with its metric and number of cells.
TESTS = {
    "iops": ("iops", 56),
    "tp": ("bw_bytes_per_s", 2),
    "lat": ("lat_mean_ns", 9),
    "wsat": ("iops", 1),
}
_WHOLE = tuple(TESTS)
_WINDOW_CELLS: dict[str, float | str] = {
    "threads": 4,
    "queue_depth": 32,
    "log_variance": math.nan,
    "log_variance_above": math.nan,
    "freedom": math.nan,
    "n_rounds": 0,
    "is_steady": True,
    "doubt": "",
    "open_end": "",
    "is_doubted": False,
}
_NO_FINDINGS = pd.DataFrame({"run_id": [], "test": [], "severity": [], "code": []})
_NO_CONDITIONS = pd.DataFrame(
    columns=["condition", "run_id", "value", "standing", "is_barring", "tests"]
)


def _of_the_run(rng: Generator, cells: int) -> Floats:
    return np.full(cells, 0.03 * rng.standard_normal())


def _of_each_cell(rng: Generator, cells: int) -> Floats:
    return 0.03 * rng.standard_normal(cells)


def _heavy(rng: Generator, cells: int) -> Floats:
    return np.full(cells, 0.015 * rng.standard_t(2))


def _state_of_the_run(rng: Generator, cells: int) -> Floats:
    state = math.log(1.25) * (rng.random() < 0.5)
    return np.asarray(state + 0.003 * rng.standard_normal(cells))


def _state_of_each_cell(rng: Generator, cells: int) -> Floats:
    state = math.log(1.25) * (rng.random(cells) < 0.5)
    return np.asarray(state + 0.003 * rng.standard_normal(cells))


def _no_winner(
    rng: Generator,
    *,
    tests: tuple[str, ...],
    runs: int,
    spread: float,
    by: float,
    effect: Draw | None = None,
) -> bool:
    """Compare two equal drives as in `ssdlab compare`; tell whether none is better."""
    rows = []
    for side, run in product("AB", range(runs)):
        for test in tests:
            metric, cells = TESTS[test]
            shifts = np.zeros(cells) if effect is None else effect(rng, cells)
            for cell, shift in enumerate(shifts):
                values = 1e5 * math.exp(shift) * (1 + spread * _ar1(rng, 5, by=by))
                place = (f"{side}{run}", test, metric, f"cell {cell:02d}")
                rows += [(*place, number, one) for number, one in enumerate(values, 1)]
    names = ["run_id", "test", "metric", "cell", "round", "value"]
    table = pd.DataFrame(rows, columns=names).assign(**_WINDOW_CELLS)
    sides = table[["run_id"]].drop_duplicates()
    sides = sides.assign(side=sides["run_id"].str[0])
    found = find_cells(table, sides, findings=_NO_FINDINGS)
    claims = compare_cells(found, sides, conditions=_NO_CONDITIONS)["claim"]
    return not (claims == ("runs" if runs == 1 else "drives")).any()


TABLES: dict[str, tuple[str, ...]] = {
    "WSAT": ("wsat",),
    "TP": ("tp",),
    "LAT": ("lat",),
    "68 cells": _WHOLE,
}
EFFECTS: dict[str, Draw] = {
    "as a whole": _of_the_run,
    "each cell by itself": _of_each_cell,
    "as a whole, heavy tails": _heavy,
    "two states, as a whole": _state_of_the_run,
    "two states, each cell by itself": _state_of_each_cell,
}


def _comparisons() -> Iterator[tuple[str, str, int, Trial]]:
    for (name, tests), by in product(TABLES.items(), (0.0, 0.5, 0.8)):
        process = f"{name}, one run each, rounds AR(1) of {by:g}"
        trial = partial(_no_winner, tests=tests, runs=1, spread=0.02, by=by)
        yield "no winner among equal drives", process, 5, trial
    for (words, effect), runs in product(EFFECTS.items(), (2, 3, 4)):
        trial = partial(
            _no_winner, tests=("lat",), runs=runs, spread=0.01, by=0.3, effect=effect
        )
        yield "no winner among equal drives", f"LAT, runs scatter {words}", runs, trial


def cases() -> Iterator[tuple[str, str, int, Trial]]:
    """Yield claim, process, number of rounds (or of runs per drive) and trial."""
    for (name, (noise, mean)), count in product(NOISES.items(), (5, 25, 60)):
        level = partial(_level, count=count, noise=noise, mean=mean)
        yield "level held", name, count, level
    for (name, draw), count in product(STEADY.items(), (25, 60, 360)):
        yield "steady, not cut", name, count, partial(_uncut, count=count, noise=draw)
    for step, by, count in product((2.0, 3.0, 5.0), (0.0, 0.5), (25, 60)):
        located = partial(_located, count=count, step=step, by=by)
        yield "last change held", f"step of {step:g}, AR(1) of {by:g}", count, located
    for (name, settling), count in product(SETTLING.items(), (6, 8, 12)):
        foretold = partial(_foretold, count=count, level=settling)
        yield "rounds foretold held", name, count, foretold
    yield from _comparisons()


def main() -> None:
    """Print one row per case."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--trials", type=int, default=300)
    parser.add_argument("--only", default="")
    asked = parser.parse_args()
    for claim, name, count, trial in cases():
        if asked.only not in f"{claim}, {name}":
            continue
        rng = np.random.default_rng([20261123, count, *map(ord, claim + name)])
        drawn = (trial(rng) for _ in range(_TRIES * asked.trials))
        held: list[float] = []
        for outcome in drawn:
            held += [] if outcome is None else [outcome]
            if len(held) == asked.trials:
                break
        share = f"{np.mean(held):.3f}" if held else "nan"
        print(f"| {claim} | {name} | {count} | {share} |", flush=True)


if __name__ == "__main__":
    main()
