"""Small outputs in the form of fio 3.33's JSON, for what no sample shows."""

import json
from pathlib import Path
from typing import Any

BEGIN_S = 1_700_000_000
KIB = 1024
RANDOM = {"rw": "randrw", "iodepth": "16", "numjobs": "2"}
IOPS_CELLS = [
    RANDOM | {"bs": bs, "rwmixread": str(mix)}
    for mix in (100, 65, 0)
    for bs in ("1024k", "64k", "4k")
]


def latency(mean_ns: float, count: int) -> dict[str, float]:
    return {
        "min": round(mean_ns / 2),
        "max": round(mean_ns * 8),
        "mean": mean_ns,
        "stddev": mean_ns / 10,
        "N": count,
    }


def side(ios: int, *, size: int, seconds: float, mean_ns: float) -> dict[str, Any]:
    done = ios > 0
    return {
        "io_bytes": ios * size,
        "io_kbytes": ios * size // KIB,
        "bw_bytes": round(ios * size / seconds) if done else 0,
        "bw": round(ios * size / seconds) // KIB if done else 0,
        "iops": ios / seconds if done else 0.0,
        "runtime": round(1000 * seconds) if done else 0,
        "total_ios": ios,
        "short_ios": 0,
        "drop_ios": 0,
        **{
            f"{kind}_ns": latency(mean_ns * share if done else 0.0, ios)
            for kind, share in (("slat", 0.1), ("clat", 0.9), ("lat", 1.0))
        },
    }


def document(
    options: dict[str, str],
    *,
    reads: int = 0,
    writes: int = 0,
    ended_s: float | None = BEGIN_S,
    seconds: float = 60.0,
) -> dict[str, Any]:
    """Return an output of one job; without ``ended_s`` it says no time."""
    digits = options.get("bs", "4k").removesuffix("k")
    size = int(digits) * (KIB if options.get("bs", "4k").endswith("k") else 1)
    parts = {"read": reads, "write": writes, "trim": 0}
    when = {}
    if ended_s is not None:
        when = {"timestamp": int(ended_s), "timestamp_ms": round(1000 * ended_s)}
    job = {
        "jobname": options.get("name", "job"),
        "groupid": 0,
        "error": 0,
        "eta": 0,
        "elapsed": round(seconds) + 1,
        "job options": options,
        **{
            name: side(ios, size=size, seconds=seconds, mean_ns=1e5)
            for name, ios in parts.items()
        },
        "usr_cpu": 1.0,
        "sys_cpu": 2.0,
    }
    return {"fio version": "fio-3.33", **when, "time": "", "jobs": [job]}


def write_cell(path: Path, options: dict[str, str], **more: Any) -> Path:
    """Write an output of one job that ran its time."""
    usual = {"ioengine": "libaio", "direct": "1", "filename": "/dev/sdx"}
    usual |= {"time_based": "1", "runtime": "60", "group_reporting": "1"}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document(usual | options, **more), indent=1))
    return path


def write_rounds(
    folder: Path,
    cells: list[dict[str, str]],
    *,
    rounds: int,
    writes: int = 60_000,
) -> None:
    """Write whole rounds, one after the other, the way the PTS takes them."""
    number = 0
    for round_number in range(1, rounds + 1):
        for place, options in enumerate(cells):
            reads = round(writes * int(options.get("rwmixread", "0")) / 100)
            write_cell(
                folder / f"r{round_number}-c{place}.json",
                options,
                reads=reads,
                writes=writes - reads,
                ended_s=BEGIN_S + 61 * number,
            )
            number += 1
