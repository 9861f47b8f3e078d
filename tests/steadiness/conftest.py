"""A made run of seven rounds, and a made series that settles."""

import numpy as np
import pytest

from ssdlab.steadiness.series import RoundSeries
from ssdlab.store.run import Run
from tests.made_run import Recipe, make_run
from tests.stats.made_rounds import make_rounds


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return make_run(tmp_path_factory.mktemp("made"), Recipe(rounds=7))


@pytest.fixture(scope="module")
def series() -> RoundSeries:
    rng = np.random.default_rng(3)
    decay = 1 + 1.5 * np.exp(-np.arange(24) / 3)
    values = 3e8 * decay * (1 + 0.01 * rng.standard_normal(24))
    return make_rounds(values, metric="bw_bytes_per_s", test="tp")
