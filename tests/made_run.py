"""A run folder made by a small model whose truth is known, for figures and reports.

The numbers follow ``true_iops``, ``true_latency_ns`` and ``true_decay``; nothing here
is measured, and the record says ``virtual``.
"""

import gzip
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ssdlab.analysis.findings.finding import Finding, make_finding
from ssdlab.model.drive import PurgeChoice
from ssdlab.model.records import (
    CeilingPoint,
    HostIdentity,
    RunRecord,
    RunStatus,
    TargetIdentity,
)
from ssdlab.model.schema import TABLES
from ssdlab.model.spec import Tracking, Workload
from ssdlab.pts.fitting import ask_suite
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import PROFILES
from ssdlab.store.records import RunState, write_record, write_state
from ssdlab.store.run import Run, open_tables
from ssdlab.store.tables import rows_to_columns, write_table
from ssdlab.system.folders import Folder
from tests.departed import departed

Row = dict[str, Any]

RUN_ID = "20261121-120000-made"
CAPACITY_BYTES = 480_103_981_056
DEMO = replace(PROFILES["pts-2.0-enterprise"], name="demo")
STARTED_S = 1_795_262_400.0
KIB = 1024
SIZES = (*(KIB * size for size in (1024, 128, 64, 32, 16, 8, 4)), 512)
MIXES = (100, 95, 65, 50, 35, 5, 0)
LEVELS = (50.0, 90.0, 95.0, 99.0, 99.9, 99.99, 99.999)
PURGE_METHOD = "trim of every block"


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """What run to make."""

    tests: tuple[str, ...] = ("iops", "tp", "lat", "wsat")
    rounds: int = 6
    steady: bool = True
    saturation_rounds: int = 120
    histogram_ios: int = 2_400_000
    status: RunStatus = "finished"
    message: str = ""
    label: str = "made by a model"
    serial: str = "MADE0001"
    model: str = "Model SSD 480"
    spec_version: str = "2.0.2"
    kind: str = "virtual"
    departures: tuple[str, ...] = (
        "cells run 2 s instead of 60 s",
        "the target is a model in memory, not a drive",
    )
    findings: tuple[Finding, ...] = ()
    ceiling: tuple[CeilingPoint, ...] = ()
    profile: Profile | None = None


def true_iops(workload: Workload) -> float:
    """Steady IOPS of a workload: a data-rate roof and a per-IO roof, writes dearer."""
    write_share = 1 - workload.read_percent / 100
    cost_s = 2.2e-6 * (1 - write_share) + 11e-6 * write_share
    seq_gain = 6.0 if workload.access == "seq" else 1.0
    cost_s += workload.block_size_bytes / ((2.1e9 - 1.7e9 * write_share) * seq_gain)
    if workload.block_size_bytes < 4 * KIB:
        cost_s *= 1 + 1.5 * write_share
    return workload.threads * 1.0 / cost_s if workload.threads > 1 else 1.0 / cost_s


def true_latency_ns(workload: Workload) -> float:
    """Mean latency by Little's law."""
    return workload.threads * workload.queue_depth / true_iops(workload) * 1e9


def true_decay(round_number: float, *, steady: bool) -> float:
    """How far above steady the drive still is in a round."""
    return float(1.0 + 1.4 * np.exp(-(round_number - 1) / (0.3 if steady else 9.0)))


class _Maker:
    """Collects rows; one clock, one running count of bytes written."""

    def __init__(self, recipe: Recipe) -> None:
        self.recipe = recipe
        self.rng = np.random.default_rng(7)
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}
        self.jobs: dict[str, tuple[str, str]] = {}
        self.now_s = STARTED_S
        self.written = 0

    def purge(self, where: Row) -> None:
        self.written = 0
        self._step(where | {"kind": "purge"}, duration_s=2.0, written=0, idle_s=0.35)

    def precondition(self, where: Row, workload: Workload) -> None:
        where = where | {"kind": "precondition"} | _workload_row(workload)
        written = 2 * CAPACITY_BYTES
        step = self._step(where, duration_s=1800, written=written, idle_s=0.31)
        self._measure(where | {"step_id": step}, workload, 1.0, 1800)

    def cell(self, where: Row, workload: Workload, factor: float) -> str:
        kind = where.get("kind", "cell")
        where = where | {"kind": kind} | _workload_row(workload)
        seconds = 1200 if kind == "histogram" else 60
        iops = true_iops(workload) * factor
        written = iops * seconds * workload.block_size_bytes
        written = int(written * (1 - workload.read_percent / 100))
        idle_s = float(self.rng.lognormal(np.log(0.014), 0.25))
        if where.get("cell") == 1:
            idle_s += 0.2
        step = self._step(where, duration_s=seconds, written=written, idle_s=idle_s)
        self._measure(where | {"step_id": step}, workload, factor, seconds)
        return step

    def _step(
        self, where: Row, *, duration_s: float, written: int, idle_s: float
    ) -> str:
        number = len(self.rows["steps"]) + 1
        step = f"{number:04d}-{where['test']}-{where['phase']}"
        self.now_s += idle_s
        self.written += written
        self.rows["steps"].append({
            "run_id": RUN_ID, "step_id": step, **where,
            "range_bytes": CAPACITY_BYTES, "offset_bytes": 0, "seed": 1000 + number,
            "started_s": self.now_s, "ended_s": self.now_s + duration_s,
            "duration_s": duration_s, "idle_before_s": idle_s if number > 1 else None,
            "was_armed": idle_s < 0.1, "is_contiguous": True,
            "read_bytes": 0, "written_bytes": written,
            "total_written_bytes": self.written,
            "drive_fills": self.written / CAPACITY_BYTES,
            "exit_code": 0, "warnings": "",
        })  # fmt: skip
        self.now_s += duration_s
        if where["kind"] != "purge":
            self.jobs[step] = _job(step, where, 1000 + number)
        return step

    def _measure(
        self, where: Row, workload: Workload, factor: float, seconds: float
    ) -> None:
        noise = 1 + 0.008 * self.rng.standard_normal()
        total = true_iops(workload) * factor * noise
        mean_ns = true_latency_ns(workload) / factor / noise
        maximum = mean_ns * (25 + 10 * self.rng.random())
        shares = {"read": workload.read_percent / 100}
        shares["write"] = 1 - shares["read"]
        parts = [(name, share) for name, share in shares.items() if share]
        for direction, share in [*parts, ("total", 1.0)]:
            iops = total * share
            self.rows["measurements"].append({
                "run_id": RUN_ID, "direction": direction, **where,
                "total_ios": int(iops * seconds),
                "io_bytes": int(iops * seconds) * workload.block_size_bytes,
                "runtime_s": float(seconds), "iops": iops,
                "bw_bytes_per_s": iops * workload.block_size_bytes,
                "lat_min_ns": mean_ns / 4, "lat_mean_ns": mean_ns,
                "lat_stddev_ns": mean_ns / 2, "lat_max_ns": maximum,
                "usr_cpu_percent": 5.0, "sys_cpu_percent": 12.0,
            })  # fmt: skip
        if where["test"].startswith(("lat", "wsat")):
            self._levels(where["step_id"], mean_ns, maximum, int(total * seconds))

    def _levels(self, step: str, mean_ns: float, maximum: float, ios: int) -> None:
        for level in LEVELS:
            lat = min(maximum, mean_ns * 0.8 * (100 / (100 - level)) ** 0.28)
            self.rows["percentiles"].append({
                "run_id": RUN_ID, "step_id": step, "direction": "total",
                "percentile": level, "lat_ns": lat, "lat_lower_ns": lat * 0.992,
                "lat_upper_ns": lat * 1.008, "is_censored": False,
                "is_supported": ios >= 1 / (1 - level / 100),
            })  # fmt: skip

    def histogram(self, step: str, workload: Workload) -> None:
        """Bins as fio's, 64 an octave, of a two-peaked latency."""
        mean_ns = true_latency_ns(workload)
        ios = self.recipe.histogram_ios
        slow = max(1, ios // 1000)
        fast = self.rng.lognormal(np.log(mean_ns * 0.9), 0.25, ios - slow)
        late = self.rng.lognormal(np.log(mean_ns * 8), 0.5, slow)
        lat = np.concatenate([fast, late])
        mantissa, exponent = np.frexp(lat)
        octave, place = exponent - 7, (mantissa * 128).astype(int) - 64
        counts = np.bincount(octave * 64 + place)
        for number in map(int, np.flatnonzero(counts)):
            width = 2 ** (number // 64)
            edge = (number % 64 + 64) * width
            self.rows["bins"].append({
                "run_id": RUN_ID, "step_id": step, "direction": "total",
                "lat_ns": edge + width // 2, "lat_lower_ns": edge,
                "lat_upper_ns": edge + width, "count": int(counts[number]),
            })  # fmt: skip
        self._correct(step, lat)

    def _correct(self, step: str, lat: "np.ndarray[Any, Any]") -> None:
        """Make the step's own statistics those of its bins."""
        for row in self.rows["measurements"]:
            if row["step_id"] == step:
                row |= {"lat_mean_ns": lat.mean(), "lat_max_ns": lat.max()}
                row |= {"total_ios": len(lat)}
        rows = [row for row in self.rows["percentiles"] if row["step_id"] == step]
        values = np.percentile(lat, [row["percentile"] for row in rows])
        for row, value in zip(rows, map(float, values), strict=True):
            row |= {"lat_ns": value, "lat_lower_ns": value, "lat_upper_ns": value}
            row["is_supported"] = len(lat) >= 1 / (1 - row["percentile"] / 100)

    def judge(self, test: str, phase: str, tracking: tuple[Tracking, ...]) -> None:
        """Write every judgement from round 5 on, by the rule of the PTS."""
        last = max((r["round"] for r in self._of(test, phase)), default=0)
        for end in range(5, last + 1):
            rows = [self._judgement(test, phase, one, end) for one in tracking]
            together = all(row["is_steady"] for row in rows)
            for row in rows:
                row |= {"is_round_steady": together, "is_final": end == last}
            self.rows["windows"].extend(rows)

    def _of(self, test: str, phase: str) -> Iterator[Row]:
        for row in self.rows["measurements"]:
            here = (row["test"], row["phase"], row["direction"])
            if here == (test, phase, "total"):
                yield row

    def _judgement(self, test: str, phase: str, one: Tracking, end: int) -> Row:
        rounds = np.arange(end - 4, end + 1)
        rows = [
            row
            for row in self._of(test, phase)
            if row["round"] in rounds
            and row["block_size_bytes"] == one.block_size_bytes
            and row["read_percent"] == one.read_percent
        ]
        values = [row[one.metric] for row in rows]
        slope, intercept = np.polyfit(rounds, values, 1)
        mean = float(np.mean(values))
        spread, rise = np.ptp(values) / mean, 4 * abs(slope) / mean
        ok_range, ok_slope = bool(spread <= 0.2), bool(rise <= 0.1)
        why = "" if ok_range and ok_slope else f"range {spread:.1%}, slope {rise:.1%}"
        return {
            "run_id": RUN_ID, "test": test, "phase": phase, "round": end,
            "tracking": one.label, "cell": rows[0]["cell"], "metric": one.metric,
            "access": one.access,
            "block_size_bytes": one.block_size_bytes,
            "read_percent": one.read_percent, "window_first_round": end - 4,
            "window_last_round": end, "average": mean,
            "minimum": min(values), "maximum": max(values), "range_ratio": spread,
            "slope_per_round": slope, "intercept": intercept, "slope_ratio": rise,
            "correlation": float(np.corrcoef(rounds, values)[0, 1]),
            "is_range_ok": ok_range, "is_slope_ok": ok_slope,
            "is_steady": ok_range and ok_slope, "reason": why,
        }  # fmt: skip


def _workload_row(workload: Workload) -> Row:
    names = ("access", "block_size_bytes", "read_percent", "threads", "queue_depth")
    return {name: getattr(workload, name) for name in names}


def _workload(size: int, mix: int, *, seq: bool = False, tc: int, qd: int) -> Workload:
    return Workload(
        access="seq" if seq else "rnd",
        block_size_bytes=size,
        read_percent=mix,
        threads=tc,
        queue_depth=qd,
    )


def _job(step: str, where: Row, seed: int) -> tuple[str, str]:
    rw = "rw" if where["access"] == "seq" else "randrw"
    text = (
        f"[global]\nioengine=nbd\nuri=nbd+unix:///?socket=ssd.sock\ndirect=1\n"
        f"randrepeat=0\nrandseed={seed}\n\n[cell]\nrw={rw}\n"
        f"bs={where['block_size_bytes']}\nrwmixread={where['read_percent']}\n"
        f"numjobs={where['threads']}\niodepth={where['queue_depth']}\n"
        "time_based=1\nruntime=60\n"
    )
    return f"fio --output-format=json+ --output=fio.json {step}/job.fio", text


def _iops(maker: _Maker) -> None:
    where: Row = {"test": "iops"}
    maker.purge(where | {"phase": "purge"})
    wipc = _workload(128 * KIB, 0, seq=True, tc=1, qd=32)
    maker.precondition(where | {"phase": "wipc"}, wipc)
    for number in range(1, maker.recipe.rounds + 1):
        factor = true_decay(number, steady=maker.recipe.steady)
        cells = [(mix, size) for mix in MIXES for size in SIZES]
        for place, (mix, size) in enumerate(cells, 1):
            here = where | {"phase": "rounds", "round": number, "cell": place}
            workload = _workload(size, mix, tc=4, qd=32)
            share = 1 - mix / 100
            maker.cell(here, workload, 1 + (factor - 1) * share)
    judged = [(4 * KIB, 0), (64 * KIB, 65), (1024 * KIB, 100)]
    if maker.recipe.spec_version.startswith("1"):
        judged = judged[:1]
    maker.judge("iops", "rounds", tuple(_track(s, m, "iops") for s, m in judged))


def _track(size: int, mix: int, metric: Any, access: Any = "rnd") -> Tracking:
    return Tracking(
        access=access, block_size_bytes=size, read_percent=mix, metric=metric
    )


def _tp(maker: _Maker) -> None:
    for size, name in ((1024 * KIB, "1024KiB"), (128 * KIB, "128KiB")):
        where: Row = {"test": "tp"}
        maker.purge(where | {"phase": f"purge-{name}"})
        wipc = _workload(size, 0, seq=True, tc=1, qd=32)
        maker.precondition(where | {"phase": f"wipc-{name}"}, wipc)
        phase = f"rounds-{name}"
        for number in range(1, max(maker.recipe.rounds, 5) + 1):
            for place, mix in enumerate((100, 0), 1):
                here = where | {"phase": phase, "round": number, "cell": place}
                maker.cell(here, _workload(size, mix, seq=True, tc=1, qd=32), 1.0)
        maker.judge("tp", phase, (_track(size, 0, "bw_bytes_per_s", "seq"),))


def _lat(maker: _Maker) -> None:
    where: Row = {"test": "lat"}
    maker.purge(where | {"phase": "purge"})
    wipc = _workload(128 * KIB, 0, seq=True, tc=1, qd=32)
    maker.precondition(where | {"phase": "wipc"}, wipc)
    for number in range(1, maker.recipe.rounds + 1):
        factor = true_decay(number, steady=maker.recipe.steady)
        cells = [(m, s) for m in (100, 65, 0) for s in (8 * KIB, 4 * KIB, 512)]
        for place, (mix, size) in enumerate(cells, 1):
            here = where | {"phase": "rounds", "round": number, "cell": place}
            share = 1 - mix / 100
            maker.cell(here, _workload(size, mix, tc=1, qd=1), 1 + (factor - 1) * share)
    maker.judge("lat", "rounds", (_track(4 * KIB, 0, "lat_mean_ns"),))
    _histogram(maker, where, _workload(4 * KIB, 0, tc=1, qd=1))


def _histogram(maker: _Maker, where: Row, workload: Workload) -> None:
    here = where | {"phase": "histogram", "kind": "histogram"}
    here |= {"round": None, "cell": None}
    maker.histogram(maker.cell(here, workload, 1.0), workload)


def _wsat(maker: _Maker) -> None:
    _saturate(maker, "wsat", _workload(4 * KIB, 0, tc=4, qd=32))


def _wsat_oltp(maker: _Maker) -> None:
    _saturate(maker, "wsat-oltp", _workload(8 * KIB, 65, tc=4, qd=32))


def _wsat_vod(maker: _Maker) -> None:
    _saturate(maker, "wsat-vod", _workload(128 * KIB, 90, seq=True, tc=4, qd=32))


def _saturate(maker: _Maker, test: str, workload: Workload) -> None:
    where: Row = {"test": test}
    maker.purge(where | {"phase": "purge"})
    for number in range(1, maker.recipe.saturation_rounds + 1):
        here = where | {"phase": "saturation", "round": number, "cell": 1}
        cliff = 3.4 / (1 + np.exp((number - 32) / 3.0))
        maker.cell(here, workload, float(1 + cliff + 0.3 * np.exp(-number / 25)))
    tracked = _track(
        workload.block_size_bytes, workload.read_percent, "iops", workload.access
    )
    maker.judge(test, "saturation", (tracked,))
    _histogram(maker, where, workload)


_TESTS = {
    "iops": _iops,
    "tp": _tp,
    "lat": _lat,
    "wsat": _wsat,
    "wsat-oltp": _wsat_oltp,
    "wsat-vod": _wsat_vod,
}


def make_run(folder: Path, recipe: Recipe = Recipe()) -> Run:
    """Write a whole run folder and open it."""
    maker = _Maker(recipe)
    for test in recipe.tests:
        _TESTS[test](maker)
    record = record_of(recipe)
    folder.mkdir(parents=True, exist_ok=True)
    write_record(folder, record)
    write_state(folder, _state(recipe))
    maker.rows["runs"].append(_run_row(record, recipe))
    maker.rows["findings"] += _finding_rows(recipe)
    (folder / "tables").mkdir(exist_ok=True)
    for name, table in TABLES.items():
        write_table(
            Folder(folder) / "tables", table, rows_to_columns(table, maker.rows[name])
        )
    said = gzip.compress(b"{}")
    for step, (command, job) in maker.jobs.items():
        place = folder / "steps" / step
        place.mkdir(parents=True, exist_ok=True)
        (place / "command.txt").write_text(command + "\n", "utf-8")
        (place / "job.fio").write_text(job, "utf-8")
        (place / "fio.json.gz").write_bytes(said)
    return open_tables(folder)


def record_of(recipe: Recipe) -> RunRecord:
    target = _target(recipe)
    return RunRecord(
        run_id=RUN_ID,
        label=recipe.label,
        started_at="2026-11-21T12:00:00+00:00",
        asked=ask_suite(
            recipe.profile or replace(DEMO, spec_version=recipe.spec_version),
            recipe.tests,
            capacity_bytes=target.capacity_bytes,
            sector_bytes=target.sector_bytes,
        ),
        seed=1,
        plan_hash="0" * 64,
        target=target,
        host=_host(),
        purge_method=PURGE_METHOD,
        purge_choice=PurgeChoice(method="discard", words=PURGE_METHOD, why=""),
        departures=departed(*recipe.departures),
        write_cache="disabled",
        host_ceiling=recipe.ceiling,
    )


def _target(recipe: Recipe) -> TargetIdentity:
    return TargetIdentity(
        kind=recipe.kind,  # type: ignore[arg-type] # the three kinds of the tests
        spec="virtual:size=480GB",
        model=recipe.model,
        serial=recipe.serial,
        firmware="1.0",
        capacity_bytes=CAPACITY_BYTES,
        sector_bytes=512,
        interface="NBD, 1 socket",
    )


def _host() -> HostIdentity:
    return HostIdentity(
        platform="Example server",
        cpu="2 x Example CPU at 2.2 GHz",
        dram_bytes=24 * 1024**3,
        operating_system="Debian GNU/Linux 12",
        kernel="6.1.0-28-amd64",
        python_version="3.11.7",
        fio_version="fio-3.33",
        ssdlab_version="0.1.0",
    )


def _state(recipe: Recipe) -> RunState:
    return RunState(
        status=recipe.status,
        finished_at="2026-11-21T19:00:00+00:00",
        message=recipe.message,
    )


def _run_row(record: RunRecord, recipe: Recipe) -> Row:
    target, host = record.target, record.host
    return {
        "run_id": RUN_ID, "label": record.label, "status": recipe.status,
        "started_at": record.started_at, "finished_at": "2026-11-21T19:00:00+00:00",
        "profile": record.asked.name, "spec_version": recipe.spec_version,
        "tests": ",".join(record.tests), "target": target.spec,
        "is_virtual": target.is_virtual, "device_model": target.model,
        "device_serial": target.serial, "device_firmware": target.firmware,
        "capacity_bytes": target.capacity_bytes, "sector_bytes": target.sector_bytes,
        "purge_method": record.purge_method, "write_cache": "disabled",
        "active_range_percent": 100.0, "platform": host.platform, "cpu": host.cpu,
        "dram_bytes": host.dram_bytes, "operating_system": host.operating_system,
        "kernel": host.kernel, "fio_version": host.fio_version,
        "ssdlab_version": host.ssdlab_version, "seed": record.seed,
        "interruptions": 0,
        "is_conformant": not record.departures and not recipe.findings,
        "is_steady": recipe.steady, "doubts": "",
        "departures": "\n".join(recipe.departures),
    }  # fmt: skip


def _finding_rows(recipe: Recipe) -> list[Row]:
    found = (
        *(make_finding("profile-value", words) for words in recipe.departures),
        *recipe.findings,
    )
    return [
        {"run_id": RUN_ID, "number": number, **asdict(finding)}
        for number, finding in enumerate(found, start=1)
    ]


def without_test(recipe: Recipe, *tests: str) -> Recipe:
    """Return the recipe of the same run with these tests alone."""
    return replace(recipe, tests=tests)
