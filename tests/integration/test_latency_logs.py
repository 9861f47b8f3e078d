"""Logs of real fio: percentiles of bins against every IO, and maps of logs."""

import json
import math
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from ssdlab import import_run, read_fio_log
from ssdlab.analysis import summarise_qos
from ssdlab.notebook import execute_notebook, find_notebook
from ssdlab.paper.notebook_page import write_notebook_page
from ssdlab.qos.load import Load
from ssdlab.qos.loads import select_load
from ssdlab.store.run import Run
from tests.rendered import words

pytestmark = pytest.mark.fio

ROUNDS = 3
LEVELS = (1.0, 50.0, 90.0, 99.0, 99.9, 99.99)
DIRECTIONS = ("total", "read", "write")
NOTEBOOK = "03_latency_qos.ipynb"

PLOTLY = "application/vnd.plotly.v1+json"


@dataclass(frozen=True)
class Measured:
    """A mix that real fio ran on a file, round after round, every IO logged."""

    run: Run
    logs: Path

    def latencies(self, direction: str, number: int) -> NDArray[np.int64]:
        """Return the latency of every IO of a round, ascending."""
        paths = sorted(self.logs.glob(f"round{number}_lat.*.log"))
        assert len(paths) == 2
        frames = [read_fio_log(path).each_io() for path in paths]
        wanted = [
            frame if direction == "total" else frame[frame["direction"] == direction]
            for frame in frames
        ]
        every = [frame["lat_ns"].to_numpy(np.int64) for frame in wanted]
        return np.sort(np.concatenate(every))

    def load(self, direction: str) -> Load:
        return select_load(self.run.measurements, self.run.bins, direction=direction)


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> Measured:
    folder = tmp_path_factory.mktemp("logged")
    logs, output = folder / "logs", folder / "fio"
    logs.mkdir()
    output.mkdir()
    for number in range(1, ROUNDS + 1):
        name = f"bs4k_read65_round{number}"
        command = [
            *("fio", f"--name={name}", "--ioengine=psync", "--rw=randrw"),
            *("--rwmixread=65", "--bs=4k", "--size=8m", "--numjobs=2", "--thread"),
            *("--group_reporting", f"--filename={folder / 'target'}"),
            *("--time_based", "--runtime=1", "--rate_iops=1300,700", "--randrepeat=0"),
            *("--lat_percentiles=1", "--clat_percentiles=1"),
            *(f"--write_lat_log=round{number}", f"--write_hist_log=round{number}"),
            *("--log_hist_msec=50", "--output-format=json+"),
            f"--output={output / name}.json",
        ]
        subprocess.run(command, cwd=logs, check=True, capture_output=True)
    run = import_run(
        output,
        pattern="bs{block_size}_read{read_percent}_round{round}.json",
        device_label="a file",
        runs=folder / "runs",
    )
    return Measured(run, logs)


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_bins_of_each_round_hold_the_percentiles_of_every_io(
    measured: Measured, direction: str
) -> None:
    load = measured.load(direction)
    assert (len(load.steps), load.latency) == (ROUNDS, "lat")
    for number in range(1, ROUNDS + 1):
        every = measured.latencies(direction, number)
        one = load.bins[load.bins["step_id"] == load.steps["step_id"].iloc[number - 1]]
        assert one["count"].sum() == every.size
        for level in LEVELS:
            reached = one["count"].cumsum() >= level / 100 * every.size - 1e-9
            found = one[reached].iloc[0]
            assert found["lat_lower_ns"] <= exact(every, level) < found["lat_upper_ns"]


@pytest.mark.parametrize("direction", DIRECTIONS)
def test_percentiles_of_merged_bins_are_those_of_every_io_of_all_rounds(
    measured: Measured, direction: str
) -> None:
    load = measured.load(direction)
    parts = [measured.latencies(direction, n) for n in range(1, ROUNDS + 1)]
    every = np.sort(np.concatenate(parts))
    table = summarise_qos(load, levels=LEVELS)
    assert set(table["total_ios"]) == {every.size}
    for _, row in table[table["percentile"].notna()].iterrows():
        true_ns = exact(every, row["percentile"])
        assert row["lat_ns"] == pytest.approx(true_ns, rel=1 / 64)
        assert row["independent_low_ns"] <= true_ns < row["independent_high_ns"]
    ends = table.set_index("marker")["lat_ns"]
    assert ends["max"] == every[-1]
    assert ends["average"] == pytest.approx(every.mean(), rel=1e-6)


def exact(every: NDArray[np.int64], level: float) -> int:
    """Return the least value that so many of all values do not pass."""
    return int(every[math.ceil(level / 100 * every.size - 1e-9) - 1])


@pytest.mark.notebook
@pytest.mark.parametrize(
    ("parameter", "names", "said"),
    [
        ("histogram_log", "round1_clat_hist.1.log", "From fio's histogram log: "),
        ("histogram_log", "", "From fio's histogram log: "),
        ("latency_log", "round1_lat.1.log", "From fio's latency log: "),
    ],
    ids=["a histogram log", "a folder of histogram logs", "a log of every IO"],
)
def test_notebook_draws_the_map_of_a_log(
    measured: Measured, tmp_path: Path, parameter: str, names: str, said: str
) -> None:
    given = {"run": str(measured.run.path), parameter: str(measured.logs / names)}
    page, heat = drawn(given, tmp_path)
    assert said in page
    assert "the log holds" in page
    times = np.asarray(heat["x"], dtype=float)
    assert 0.5 < times[-1] < 2 * ROUNDS  # the seconds that fio ran
    assert np.diff(times).min() >= 0.001
    shares = np.array(heat["z"], dtype=float)
    held = np.nansum(10**shares, axis=0)
    assert held[held > 0] == pytest.approx(100, rel=0.01)


def drawn(
    parameters: Mapping[str, str], folder: Path
) -> tuple[str, dict[str, list[float]]]:
    """Return the words of the notebook's page, and the map that it drew."""
    executed = folder / "executed.ipynb"
    source = find_notebook(NOTEBOOK)
    execute_notebook(source, executed, parameters, keeps_saving=False)
    page = write_notebook_page(executed, folder / "page.html")
    cells = json.loads(executed.read_bytes())["cells"]
    (heat,) = (
        trace
        for cell in cells
        for output in cell.get("outputs", ())
        for trace in output.get("data", {}).get(PLOTLY, {}).get("data", ())
        if trace["type"] == "heatmap"
    )
    return words(page.read_text("utf-8")), heat
