"""Build a page that shows every figure of ssdlab once, as users see it.

    python -m tools.build_gallery [FILE]        default: build/gallery.html

The figures are those that reports, documents and notebooks draw for the sample runs,
or, for tests without a sample, for synthetic runs. A figure of `ssdlab.figures` that
none of them draws is listed, and the exit code is 1.
"""

import importlib
import inspect
import io
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest

import ssdlab
from ssdlab.analysis import reduce_series
from ssdlab.budget.pages import budget_document
from ssdlab.classes.pages import storage_class_document
from ssdlab.classes.runs import read_class_runs
from ssdlab.compare import row_figures as compared
from ssdlab.compare.looks import make_side_looks
from ssdlab.explorer import cell_rounds
from ssdlab.fleet.gauge_pages import gauge_document
from ssdlab.fleet.pages import fleet_document
from ssdlab.limits.pages import check_document
from ssdlab.paper.blocks import Note, Page, Plot
from ssdlab.paper.context import read_context
from ssdlab.paper.document import Document, render_document, write_document
from ssdlab.procedures.jobs import figures as jobs
from ssdlab.procedures.peak import figures as peak
from ssdlab.procedures.peak.pages import peak_frame
from ssdlab.procedures.peak.spec import peak as peak_jobs
from ssdlab.procedures.rwsw import figures as streams
from ssdlab.procedures.tkperf import pages as latency_rounds
from ssdlab.pts.custom import figures as workloads
from ssdlab.reference.storage_classes import read_storage_classes
from ssdlab.report import render_report
from ssdlab.report.host_pair import read_hosts
from ssdlab.report.hosts import hosts_document
from ssdlab.streams.capture import read_capture
from ssdlab.streams.extents import tabulate_capture
from ssdlab.telemetry import figures as health
from ssdlab.telemetry.trace import DriveTrace
from tests.fleet.made_fleet import made_fleet
from tests.made_demand import make_demand
from tests.made_procedure import (
    HOSTS,
    falling,
    make_saturated,
    make_sequence,
    measure_made,
)
from tests.made_recovery import make_recovery
from tests.made_run import Recipe, make_run

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "data" / "samples"
SHOP = ROOT / "tests" / "data" / "capture-made-shop.csv"
DRAWING = tuple(
    ".".join(place.relative_to(ROOT).with_suffix("").parts)
    for place in sorted((ROOT / "ssdlab").rglob("*.py"))
    if "plot_" in place.read_text("utf-8")
)
PLOTS = {
    name: plot
    for module in DRAWING
    for name, plot in vars(importlib.import_module(module)).items()
    if name.startswith("plot_") and getattr(plot, "__module__", "") == module
}
MADE = "synthetic numbers"


@dataclass(kw_only=True)
class Drawn:
    """The first figure that each function drew, and its source."""

    source: str = ""
    figures: dict[str, tuple[str, go.Figure]] = field(default_factory=dict)

    @contextmanager
    def of(self, source: str) -> Iterator[None]:
        """Set the source of the figures that are drawn now."""
        self.source = source
        yield

    def missing(self) -> list[str]:
        """Return the figures that nothing drew."""
        return [name for name in PLOTS if name not in self.figures]


def draw_all(folder: Path) -> Drawn:
    """Draw everything that reports, documents and notebooks draw."""
    drawn = Drawn()
    with pytest.MonkeyPatch.context() as patch:
        _watch(drawn, patch)
        patch.chdir(ROOT)
        _draw_samples(drawn)
        _draw_notebooks(drawn)
        _draw_made(drawn, folder)
    return drawn


def _watch(drawn: Drawn, patch: pytest.MonkeyPatch) -> None:
    """Patch every module that draws, so that the functions record what they drew."""
    originals = set(PLOTS.values())
    for module in map(sys.modules.get, sorted(sys.modules)):
        if not getattr(module, "__name__", "").startswith("ssdlab."):
            continue
        for attribute, value in list(vars(module).items()):
            if inspect.isfunction(value) and value in originals:
                patch.setattr(module, attribute, _noting(drawn, value))


def _noting(drawn: Drawn, plot: Callable[..., go.Figure]) -> Callable[..., go.Figure]:
    @wraps(plot)
    def noted(*arguments: Any, **options: Any) -> go.Figure:
        figure = plot(*arguments, **options)
        if plot.__name__ not in drawn.figures:
            drawn.figures[plot.__name__] = (drawn.source, go.Figure(figure))
        return figure

    return noted


def _draw_samples(drawn: Drawn) -> None:
    runs = [
        ssdlab.open_run(entry.path)
        for entry in ssdlab.list_runs(SAMPLES)
        if (Path(entry.path) / "tables").is_dir()
    ]
    tests_drawn: dict[bool, set[str]] = {False: set(), True: set()}
    for run in sorted(runs, key=lambda run: run.record.is_imported):
        tests = set(run.measurements["test"])
        if tests <= tests_drawn[run.record.is_imported]:
            continue  # another sample has the same figures
        tests_drawn[run.record.is_imported] |= tests
        with drawn.of(f"sample {run.path.name}"):
            render_report(run)
    ours = [run for run in runs if not run.record.is_imported]
    with drawn.of("published classes and samples"):
        classes = read_storage_classes()
        found = read_class_runs(ours[:1], classes, virtual="ranked")
        render_document(storage_class_document(found, classes))


def _draw_notebooks(drawn: Drawn) -> None:
    for script in sorted((ROOT / "notebooks").glob("0[2-9]_*.py")):
        with drawn.of(f"notebook {script.stem}"), redirect_stdout(io.StringIO()):
            _run_script(script)


def _run_script(script: Path) -> None:
    """Run the cells of a notebook, with the samples as its folder of runs."""
    head, mark, rest = script.read_text("utf-8").partition('tags=["parameters"]')
    parameters, _, cells = rest.partition("\n# %%")
    space: dict[str, Any] = {"__name__": "__main__"}
    exec(compile(f"{head}{mark}{parameters}", script, "exec"), space)
    if "runs" in space:
        space["runs"] = str(SAMPLES.relative_to(ROOT))
    if "run" in space:
        space["run"] = str((SAMPLES / "virtual-all").relative_to(ROOT))
    exec(compile(f"# %%{cells}", script, "exec"), space)
    if "found" in space:
        space["found"].show()  # elsewhere only a kernel has it shown


def _draw_made(drawn: Drawn, folder: Path) -> None:
    with drawn.of(MADE):
        recipe = Recipe(saturation_rounds=40)
        made = make_run(folder / "made", recipe)
        render_report(made)
        classes = read_storage_classes()
        found = read_class_runs([made], classes, virtual="ranked")
        render_document(storage_class_document(found, classes))
        for name, make in (("recovery", make_recovery), ("demand", make_demand)):
            render_report(make(folder / name))
        for measure in (make_saturated, make_sequence):
            render_report(measure(folder / measure.__name__))
        # Its page needs fio's job files, which synthetic runs do not have.
        run = measure_made(folder / "peak", peak_jobs(), falling)
        frame = peak_frame(read_context(run), "peak")
        peak.plot_peak_rates(frame)
        peak.plot_peak_latencies(frame)
        _draw_jobs()
        _draw_frames()
        _draw_score()
        pair = [
            make_saturated(folder / name, share=share) for name, share in HOSTS.items()
        ]
        render_document(hosts_document(read_hosts(*pair)))
        store = made_fleet(folder / "fleet", 40)
        render_document(fleet_document(ssdlab.summarise_fleet(store)))
        render_document(gauge_document(ssdlab.assess_gauge(store)))
        budget = ssdlab.summarise_budget(SAMPLES / "virtual-all")
        render_document(budget_document(budget))
        sheet = "reference:intel-s3510"
        checked = ssdlab.check_limits(SAMPLES / "virtual-all", sheet)
        render_document(check_document(checked))


def _draw_jobs() -> None:
    """Draw the jobs of a user's file, whose runs need fio itself."""
    settled = {"reader": 42_000.0, "writer": 9_000.0, "log": 300.0}
    rounds = pd.DataFrame(
        {"job": job, "round": number, "iops": level * (1 + 0.4 * 0.5**number)}
        for job, level in settled.items()
        for number in range(1, 9)
    )
    jobs.plot_job_rounds(rounds, window=(4, 8))
    places = [
        {"iodepth": f"{depth}", "bs": size}
        for size in ("4k", "16k")
        for depth in (1, 8, 64)
    ]
    results = {"iops": [9e3, 6e4, 3e5, 7e3, 4e4, 1.6e5], "matrix": places}
    jobs.plot_matrix(pd.DataFrame({"stimulus": "reader", **results}), "iodepth")
    loads = pd.DataFrame({
        "stimulus": ["clients"] * 4 + ["closed"] * 3,
        "matrix": [{}] * 7,
        "follows": ["kept"] * 4 + [None] * 3,
        "iops": [2e4, 4e4, 6e4, 7.5e4, 1e4, 7.8e4, 8e4],
        "lat_p99_ns": [1.2e5, 1.4e5, 2.1e5, 9e5, 1.1e5, 1.5e5, 4e5],
        "due_p99_ns": [1.2e5, 1.5e5, 3.2e5, None, None, None, None],
    })
    jobs.plot_load(loads)
    time_s = np.arange(1.0, 601.0)
    wave = 1 + 0.03 * np.sin(time_s / 19)
    levels = {"read": 42_000.0, "write": 9_300.0, "total": 51_300.0}
    lines = [
        pd.DataFrame({"direction": name, "time_s": time_s, "iops": level * wave})
        for name, level in levels.items()
    ]
    jobs.plot_job_series(pd.concat(lines))


def _draw_frames() -> None:
    """Draw figures of real drives, fio jobs or imports from synthetic frames."""
    table = tabulate_capture(read_capture(SHOP))
    end_s = (table["start_s"] + table["duration_s"]).max()
    streams.plot_stream_map(table, duration_s=float(end_s))
    keys = ["step", "start_s", "duration_s"]
    steps = table.groupby(keys, as_index=False)["ios"].sum()
    native = steps["ios"] / steps["duration_s"]
    streams.plot_replay(steps.assign(native_iops=native, iops=0.9 * native))
    points = pd.DataFrame({"oio": [2**power for power in range(11)]})
    points["iops"] = 9000.0 * points["oio"] / (points["oio"] + 6)
    points["lat_mean_ns"] = points["oio"] / points["iops"] * 1e9
    points["is_knee"] = points["oio"] == 8
    cells = points.assign(threads=1, queue_depth=points["oio"], access="rnd")
    workloads.plot_workloads(cells.assign(block_size_bytes=4096, read_percent=65))
    rounds = points.assign(round=points.index + 1, lat_min_ns=1e5)
    latency_rounds.plot_latency_rounds(
        rounds.assign(lat_max_ns=9 * rounds["lat_mean_ns"])
    )
    time_s = 60.0 * points.index
    readings = pd.DataFrame({"time_s": time_s, "written_bytes": 5e8 * points.index})
    warm = readings.assign(temperature_celsius=35 + 12 * (1 - 0.7**points.index))
    health.plot_drive_health(DriveTrace(readings=warm), [("WSAT", 60.0, 540.0)])
    _draw_long_series()
    streams.plot_oio_sweep(points)
    streams.plot_oio_intensity(points)
    logged_s = np.arange(100_000) / 100
    falling = 2000 + 7000 * np.exp(-logged_s / 200) + 300 * np.sin(logged_s)
    cell_rounds.plot_time_series(reduce_series(logged_s, falling), "iops")


def _draw_long_series() -> None:
    """Draw a series with stalls, and the power of a drive over a run."""
    seconds = np.arange(600.0)
    rates = 9000 + 400 * np.sin(seconds / 8)
    is_stalled = np.isin(seconds, [120, 121, 300, 471])
    rates[is_stalled] = 150
    series = {"time_s": seconds, "iops": rates, "is_stalled": is_stalled}
    health.plot_stalls(pd.DataFrame(series), title="Stalls: LAT, RND 4 KiB 0/100 T1/Q1")
    watts = 2.0 + 4.0 * (seconds > 60) + 1.5 * (np.floor(seconds / 20) % 3)
    power = {"time_s": seconds, "power_watts": watts}
    health.plot_power(
        pd.DataFrame(power), [("IOPS", 60.0, 400.0), ("LAT", 400.0, 600.0)]
    )


def _draw_score() -> None:
    """Draw the score, which notebooks show only if weights are given."""
    names = ["One", "Two"]
    sides = pd.DataFrame({"side": names, "drive": names, "is_model": False})
    rows = [
        (side, term, weight, 8, ratio, ratio / 1.03, ratio * 1.03)
        for side, sign in (("One", 1), ("Two", -1))
        for term, weight, ratio in (
            ("iops 4 KiB", 2.0, 1.2**sign),
            ("lat mean", 1.0, 1.05**sign),
            ("", 3.0, 1.15**sign),
        )
    ]
    columns = ["side", "term", "weight", "n_cells", "ratio", "low", "high"]
    scores = pd.DataFrame(rows, columns=columns)
    compared.plot_score(scores, looks=make_side_looks(sides))


def gallery(drawn: Drawn) -> Document:
    """Return the page: one section per figure, with its description and source."""
    pages = tuple(
        Page(title=name, blocks=(Note(text=_said(name, source)), Plot(figure=figure)))
        for name, (source, figure) in sorted(drawn.figures.items())
    )
    return Document(
        title="Every figure of ssdlab",
        subtitle=f"{len(pages)} figures, each as reports and notebooks draw it.",
        pages=pages,
        notes=(
            Note(
                text="Numbers are from virtual SSDs, a file or published reports, or "
                "synthetic: they illustrate the figures and describe no product.",
                tone="warning",
            ),
        ),
    )


def _said(name: str, source: str) -> str:
    first = (inspect.getdoc(PLOTS[name]) or "").partition("\n")[0]
    return f"{first} Source: {source}."


def main(arguments: Sequence[str]) -> int:
    """Build the page."""
    path = Path(arguments[0]) if arguments else ROOT / "build" / "gallery.html"
    path.parent.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory() as folder:
        drawn = draw_all(Path(folder))
    print(write_document(gallery(drawn), path))
    for name in drawn.missing():
        print(f"not drawn by any report, document or notebook: ssdlab.figures.{name}")
    return 1 if drawn.missing() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
