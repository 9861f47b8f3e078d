"""What lies beyond the rule of the PTS stands beside its verdict on the front page."""

import re
from dataclasses import replace

import numpy as np
import pytest

from ssdlab.paper.context import read_context
from ssdlab.report import render_report
from ssdlab.report.view import summary_rows
from ssdlab.store.run import Run, open_tables
from tests.executed import SAMPLES
from tests.rendered import words


@pytest.fixture(scope="module")
def mx200() -> Run:
    """A published run of TKperf whose five rounds still rise."""
    return open_tables(SAMPLES / "tkperf-crucial-mx200")


def test_drift_stands_beside_the_verdict_that_it_is_steady(mx200: Run) -> None:
    rows = {row.test: row for row in summary_rows(read_context(mx200))}
    assert rows["IOPS"].verdict == "steady"
    assert re.fullmatch(
        r"Beyond the PTS: still drifts, \+7\.\d % over rounds 2 - 6, .*",
        rows["IOPS"].advice,
    )
    assert rows["Throughput"].advice == ""
    front = words(render_report(mx200)).partition("Device under test")[0]
    assert rows["IOPS"].advice in front


def test_what_is_not_steady_gets_no_advice(mx200: Run) -> None:
    context = read_context(mx200)
    failed = context.windows.assign(is_round_steady=False)
    rows = summary_rows(replace(context, windows=failed))
    assert not any(row.advice for row in rows)


def test_rounds_that_lack_the_window_are_no_reason_to_fail(mx200: Run) -> None:
    context = read_context(mx200)
    lost = context.totals.assign(iops=np.nan, lat_mean_ns=np.nan)
    for totals in (lost, context.totals[context.totals["round"] < 3]):
        rows = summary_rows(replace(context, totals=totals))
        assert len(rows) == 3
