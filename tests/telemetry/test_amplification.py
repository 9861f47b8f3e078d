"""Write amplification by hand, by truth, and where a drive does not tell it."""

import math
from collections.abc import Sequence
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ssdlab.engine.request import RunChoices
from ssdlab.engine.suite import run_procedure
from ssdlab.paper.context import read_context
from ssdlab.procedures.jobs.spec import JobChoices, file_procedure
from ssdlab.telemetry.amplification import bound_ratio, summarise_amplification
from ssdlab.telemetry.pages import drive_blocks
from ssdlab.text.table import Table
from ssdlab.virtual.counters import read_counters

UNIT = 512_000


def readings(
    host: Sequence[float], media: Sequence[float], *, source: str = "block"
) -> pd.DataFrame:
    name = "media_written_bytes" if source == "block" else "nand_written_bytes"
    rows = [
        {"source": source, "name": what, "time_s": float(second), "value": value}
        for what, values in (("host_written_bytes", host), (name, media))
        for second, value in enumerate(values)
    ]
    return pd.DataFrame(rows)


def steps(*spans: tuple[str, str, str, float, float]) -> pd.DataFrame:
    names = ["test", "phase", "kind", "started_s", "ended_s"]
    return pd.DataFrame([dict(zip(names, span, strict=True)) for span in spans])


def test_each_test_and_phase_has_what_was_counted_in_it() -> None:
    host = [0, 0, 4 * UNIT, 8 * UNIT, 10 * UNIT]
    media = [0, 9 * UNIT, 13 * UNIT, 25 * UNIT, 35 * UNIT]
    found = summarise_amplification(
        readings(host, media),
        steps(
            ("iops", "purge", "purge", 0.0, 1.0),
            ("iops", "fill", "precondition", 1.0, 2.0),
            ("iops", "rounds", "cell", 2.0, 4.0),
        ),
    ).set_index("phase")
    fill = found.loc["fill"]
    assert (fill["host_bytes"], fill["media_bytes"]) == (4 * UNIT, 4 * UNIT)
    assert found.loc["rounds", "amplification"] == (35 - 13) / (10 - 4)
    assert found.loc["", "amplification"] == (35 - 9) / 10
    assert "purge" not in found.index


def test_ends_are_those_that_the_units_allow() -> None:
    ends = bound_ratio(10.0, 20.0, units=(2.0, 4.0))
    assert list(ends.values()) == [2.0, 16 / 12, 24 / 8]
    assert bound_ratio(10.0, 20.0, units=(10.0, 0.0))["amplification_high"] == math.inf


@pytest.mark.parametrize(
    ("host", "media"), [(0.0, 5.0), (math.nan, 5.0), (5.0, math.nan)]
)
def test_nothing_written_or_counted_has_no_ratio(host: float, media: float) -> None:
    assert all(math.isnan(value) for value in bound_ratio(host, media).values())


@given(
    st.integers(1, 10**12), st.floats(0.5, 20), st.integers(1, 10**9),
    st.integers(1, 10**9), st.integers(0, 10**9), st.integers(0, 10**9),
)  # fmt: skip
def test_truth_is_between_the_ends_whatever_the_units(
    host: int,
    ratio: float,
    host_unit: int,
    media_unit: int,
    host_at: int,
    media_at: int,
) -> None:
    """Counters in units show whole units of the bytes since they began."""
    media = int(host * ratio)
    shown = [
        (at + rise) // unit * unit - at // unit * unit
        for at, rise, unit in (
            (host_at, host, host_unit),
            (media_at, media, media_unit),
        )
    ]
    assume(shown[0] > 0)
    ends = bound_ratio(shown[0], shown[1], units=(host_unit, media_unit))
    truth = media / host
    assert ends["amplification_low"] <= truth * (1 + 1e-9)
    assert truth <= ends["amplification_high"] * (1 + 1e-9)


def test_drive_that_counts_no_media_has_no_rows() -> None:
    only_host = readings([0, 1, 2], [0, 1, 2])
    only_host = only_host[only_host["name"] == "host_written_bytes"]
    asked = steps(("iops", "rounds", "cell", 0.0, 2.0))
    assert summarise_amplification(only_host, asked).empty
    assert len(summarise_amplification(readings([0, 1], [0, 1]), asked)) == 2


@pytest.mark.fio
def test_report_has_the_truth_of_the_virtual_ssd(tmp_path: Path) -> None:
    jobs = "[w]\nrw=randwrite\nbs=4k\nioengine=libaio\niodepth=16\n"
    choices = JobChoices(seconds=2.0, max_rounds=3, tracked=(), fill="seq")
    asked = file_procedure(jobs, source="w.fio", choices=choices)
    fast = "virtual:size=48MiB,tread=0,tprog=0,terase=0,link=0,command=0"
    run = run_procedure(asked, fast, RunChoices(run_folder=tmp_path / "run", seed=1))
    truth = read_counters(run.path / "target" / "counters.bin")
    last = run.telemetry.groupby("name")["value"].last()
    assert last["host_written_bytes"] == truth.host_written_bytes
    assert last["nand_written_bytes"] == truth.nand_written_bytes
    whole = summarise_amplification(run.telemetry, run.steps).iloc[0]
    ratio = truth.nand_written_bytes / truth.host_written_bytes
    assert ratio > 1.1
    assert whole["amplification"] == pytest.approx(ratio, rel=0.1)
    table = next(
        one for one in drive_blocks(read_context(run)) if isinstance(one, Table)
    )
    assert table.caption == "Write amplification"
    assert table.rows[0][4] == f"{whole['amplification']:.2f}"
