"""The job entries in fio's JSON, direction by direction."""

import math
from collections.abc import Mapping
from operator import itemgetter

from ssdlab.fio.bins import NS_PER_US
from ssdlab.fio.document import (
    DIRECTIONS,
    LATENCY_KINDS,
    SUM_ENTRY,
    Direction,
    FioJob,
    FioLatency,
    FioSide,
    FioSteadyState,
    FioSync,
    LatencyKind,
    RateSummary,
)
from ssdlab.fio.from_json.latencies import is_all_zero, read_latency
from ssdlab.fio.from_json.options import read_options
from ssdlab.fio.from_json.values import (
    Place,
    take_amount,
    take_count,
    take_count_if_there,
    take_integer,
    take_list,
    take_number,
    take_object,
    take_text,
    take_time,
)

_KEY = "steadystate"
_Table = Mapping[str, object]

_BYTES_SINCE = (2, 99)
_COUNTS_SINCE = (2, 2)  # fio 2.1.4 gives no total_ios, short_ios, drop_ios
_KIB = 1024
_BY_PRIORITY = "prios"  # since fio 3.31
_MS_FROM = 1e11  # job_start is Unix time in ms, in some versions in s
_ALL_OF_SIDE = itemgetter(
    *("io_bytes", "total_ios", "short_ios", "drop_ios", "runtime", "iops", "bw"),
    *("iops_mean", "iops_max", "bw_mean", "bw_max"),
)
_NOTHING_DONE = (0,) * 11
_IDLE = {
    direction: FioSide(
        direction=direction,
        io_bytes=0,
        total_ios=0,
        short_ios=0,
        dropped_ios=0,
        runtime_ms=0,
        iops=0.0,
        bw_bytes_per_s=0.0,
        latencies={},
    )
    for direction in DIRECTIONS
}
_KEYS_NS: dict[LatencyKind, str] = {kind: f"{kind}_ns" for kind in LATENCY_KINDS}


def read_steady_state(
    entry: Mapping[str, object], place: Place
) -> FioSteadyState | None:
    """Return the result of fio's rule in a job entry, or ``None`` if it had none.

    Samples are in time order. fio prints zeros for those not yet taken when the run
    ended, and divides its means by all of them; both are then left out.
    """
    if _KEY not in entry:
        return None
    table = take_object(entry, _KEY, place)
    at = place.below(_KEY)
    attained = None if table is None else take_count(table, "attained", at)
    if table is None or attained is None:
        return None
    data = take_object(table, "data", at) if "data" in table else None
    below = at.below("data")
    iops = () if data is None else _samples(data, "iops", below)
    bw = () if data is None else _samples(data, "bw", below)
    lat = (
        () if data is None or "lat_ns" not in data else _samples(data, "lat_ns", below)
    )
    size = max(len(iops), len(bw), len(lat))
    taken = _taken(iops, bw, lat)
    is_full = taken == size
    if not is_full:
        _note_unfilled(below, taken, size)
    return FioSteadyState(
        criterion=take_text(table, "ss", at),
        duration_s=take_amount(table, "duration", at),
        is_attained=bool(attained),
        found=take_text(table, "criterion", at),
        max_deviation=take_number(table, "max_deviation", at),
        slope=take_number(table, "slope", at),
        bw_mean_bytes_per_s=_mean(data, "bw_mean", below) if is_full else None,
        iops_mean=_mean(data, "iops_mean", below) if is_full else None,
        iops=iops[:taken],
        bw_bytes_per_s=bw[:taken],
        lat_mean_ns=_mean(data, "lat_mean", below) if lat and is_full else None,
        lat_ns=lat[:taken],
    )


def _samples(data: Mapping[str, object], key: str, place: Place) -> tuple[float, ...]:
    printed = take_list(data, key, place)
    at = place.below(key)
    found = [
        take_amount({str(number): value}, str(number), at)
        for number, value in enumerate(printed or ())
    ]
    return tuple(found)


def _taken(*kinds: tuple[float, ...]) -> int:
    """Return the number of samples before the zeros at the end."""
    return max(
        (
            number + 1
            for samples in kinds
            for number, value in enumerate(samples)
            if value != 0
        ),
        default=0,
    )


def _note_unfilled(place: Place, taken: int, size: int) -> None:
    meaning = (
        f"the last {size - taken} of {size} samples are 0: fio had not taken them, or "
        "did no IO; they and the means are left out"
    )
    place.note("window-not-full", meaning)


def _mean(data: Mapping[str, object] | None, key: str, place: Place) -> float | None:
    return None if data is None else take_amount(data, key, place)


def read_entries(content: _Table, place: Place) -> tuple[FioJob, ...]:
    """Return the job entries; those of a client/server run are ``client_stats``."""
    key = "client_stats" if "client_stats" in content else "jobs"
    jobs = []
    for number, entry in enumerate(take_list(content, key, place) or ()):
        at = place.below(f"{key}[{number}]")
        if not isinstance(entry, dict):
            at.refuse("is not a JSON object")
        elif not any(direction in entry for direction in DIRECTIONS):
            at.below("read").refuse("is missing", kind="missing-value")
        else:
            jobs.append(_read_job(entry, at, is_of_clients=key == "client_stats"))
    return tuple(jobs)


def _read_job(entry: _Table, place: Place, *, is_of_clients: bool) -> FioJob:
    name = take_text(entry, "jobname", place.aside())
    place = place.of("job", name)
    aside = place.aside()
    sides = {
        direction: _read_side(table, direction, place.below(direction))
        for direction in DIRECTIONS
        if direction in entry
        and (table := take_object(entry, direction, place)) is not None
    }
    _note_sections(entry, place)
    return FioJob(
        name=name,
        hostname=str(entry.get("hostname", "")),
        group_id=take_count(entry, "groupid", place),
        error=take_integer(entry, "error", place),
        total_errors=take_count_if_there(entry, "total_err", place),
        elapsed_s=take_count_if_there(entry, "elapsed", aside),
        usr_cpu_percent=take_amount(entry, "usr_cpu", aside),
        sys_cpu_percent=take_amount(entry, "sys_cpu", aside),
        options=read_options(entry, "job options", aside),
        sides=sides,
        is_aggregate=is_of_clients and name == SUM_ENTRY,
        started_s=_started_s(entry, aside),
        sync=_read_sync(entry, aside),
        steady_state=read_steady_state(entry, aside),
    )


def _note_sections(entry: _Table, place: Place) -> None:
    """Note missing sections, and sections of IO that are not read."""
    missing = [name for name in ("read", "write") if name not in entry]
    if missing and "mixed" not in entry:
        meaning = f"has no section {' or '.join(missing)}; not read"
        place.note("left-out", meaning)
    for key, value in entry.items():
        if not isinstance(value, dict) or key in DIRECTIONS or key == "sync":
            continue
        if value.get("total_ios"):
            ios = value["total_ios"]
            meaning = f"{ios!r:.40} IOs that are neither reads nor writes; not read"
            place.below(key).note("left-out", meaning)


def _started_s(entry: _Table, place: Place) -> float | None:
    if "job_start" not in entry:
        return None
    start = take_time(entry, "job_start", place)
    return start / 1000 if start is not None and start >= _MS_FROM else start


def _is_idle(side: _Table) -> bool:
    """Tell whether fio printed only zeros, as it does for unused directions."""
    try:
        zeros = _ALL_OF_SIDE(side)
    except KeyError:
        return False
    return zeros == _NOTHING_DONE and not _has_latency(side)


def _read_side(side: _Table, direction: Direction, place: Place) -> FioSide:
    if _is_idle(side):
        return _IDLE[direction]
    if side.get(_BY_PRIORITY):
        meaning = "the latencies of each priority; only those of all are read"
        place.below(_BY_PRIORITY).note("left-out", meaning)
    is_in_bytes = "io_kbytes" in side or place.version >= _BYTES_SINCE
    io_bytes = take_count(side, "io_bytes", place)
    total_ios = _io_count(side, "total_ios", place)
    runtime_ms = take_count(side, "runtime", place)
    iops = take_amount(side, "iops", place)
    bw_bytes_per_s = _bw_bytes_per_s(side, place)
    latencies: dict[LatencyKind, FioLatency] = {}
    if total_ios or io_bytes or _has_latency(side):
        latencies = _read_latencies(side, place)
        if runtime_ms == 0:  # fio prints a rate of 0 rather than divide by it
            iops = bw_bytes_per_s = math.nan
    aside = place.aside()
    return FioSide(
        direction=direction,
        io_bytes=io_bytes if is_in_bytes or io_bytes is None else io_bytes * _KIB,
        total_ios=total_ios,
        short_ios=_io_count(side, "short_ios", place),
        dropped_ios=_io_count(side, "drop_ios", place),
        runtime_ms=runtime_ms,
        iops=iops,
        bw_bytes_per_s=bw_bytes_per_s,
        latencies=latencies,
        sampled_iops=_read_samples(side, aside, prefix="iops", deviation="iops_stddev"),
        sampled_bw=_read_samples(side, aside, prefix="bw", deviation="bw_dev"),
    )


def _io_count(side: _Table, key: str, place: Place) -> int | None:
    if place.version < _COUNTS_SINCE:
        return take_count_if_there(side, key, place)
    return take_count(side, key, place)


def _bw_bytes_per_s(side: _Table, place: Place) -> float:
    if "bw_bytes" in side:
        return take_amount(side, "bw_bytes", place)
    return take_amount(side, "bw", place) * _KIB


def _has_latency(side: _Table) -> bool:
    tables = [side.get(key) for pair in _KEYS_NS.items() for key in pair]
    return any(isinstance(table, dict) and not is_all_zero(table) for table in tables)


def _read_latencies(side: _Table, place: Place) -> dict[LatencyKind, FioLatency]:
    found: dict[LatencyKind, FioLatency] = {}
    total_ios = side.get("total_ios")
    for kind, key_ns in _KEYS_NS.items():
        key, unit_ns = (kind, NS_PER_US) if kind in side else (key_ns, 1)
        table = take_object(side, key, place)
        if table is None:
            continue
        latency = read_latency(
            table, place.below(key), unit_ns=unit_ns, total_ios=total_ios
        )
        if latency is not None:
            found[kind] = latency
    return found


def _read_samples(
    side: _Table, place: Place, *, prefix: str, deviation: str
) -> RateSummary | None:
    """Return the summary of a rate that fio sampled; old versions have none.

    It samples about every half second, so a short run has no sample.
    """
    if f"{prefix}_mean" not in side:
        return None
    samples = take_count_if_there(side, f"{prefix}_samples", place)
    maximum, mean = side.get(f"{prefix}_max"), side.get(f"{prefix}_mean")
    if samples == 0 or (samples is None and maximum == 0 and mean == 0):
        return None
    scale = _KIB if prefix == "bw" else 1
    return RateSummary(
        minimum=take_amount(side, f"{prefix}_min", place) * scale,
        maximum=take_amount(side, f"{prefix}_max", place) * scale,
        mean=take_amount(side, f"{prefix}_mean", place) * scale,
        stddev=take_amount(side, deviation, place) * scale,
    )


def _read_sync(entry: _Table, place: Place) -> FioSync | None:
    """Return the fsyncs of an entry, or ``None`` if it did none.

    fio 3.33 does not add up their count under ``group_reporting``: it prints 0, and
    ``N`` of the latency is their count then.
    """
    if "sync" not in entry:
        return None
    table = take_object(entry, "sync", place)
    at = place.below("sync")
    if table is None:
        return None
    total_ios = take_count(table, "total_ios", at)
    printed = table.get("lat_ns")
    lat = None
    if isinstance(printed, dict):
        count = total_ios or None
        lat = read_latency(printed, at.below("lat_ns"), unit_ns=1, total_ios=count)
    if total_ios == 0 and lat is None:
        return None
    if total_ios == 0 and lat is not None:
        total_ios = lat.summary.count
        meaning = f"fio prints 0, but a latency of {total_ios} of them"
        at.below("total_ios").note("sync-count", meaning)
    return FioSync(total_ios=total_ios, lat=lat)
