"""What is fuzzed: each target parses bytes and checks what came out."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, fields
from functools import partial
from typing import Final

import numpy as np
import pandas as pd

from fuzz.invariants import check_document, check_frame, check_jobs, check_same, require
from ssdlab.fio.document import FioDocument
from ssdlab.fio.doubts import find_doubts
from ssdlab.fio.frames import tables
from ssdlab.fio.frames.merge import merge_jobs
from ssdlab.fio.frames.result import FioResult
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.from_text.normal import parse_normal
from ssdlab.fio.from_text.terse import parse_terse
from ssdlab.fio.histlogs import read as histlog_tables
from ssdlab.fio.histlogs.read import read_fio_histogram_log
from ssdlab.fio.jobs.jobspec import (
    find_job_file_doubts,
    parse_job_file,
    render_job_file,
)
from ssdlab.fio.jobs.workload import describe_workload
from ssdlab.fio.logs.read import LogKind, read_fio_log
from ssdlab.fio.measure import measure
from ssdlab.fio.output import parse_output
from ssdlab.fio.read import read_fio
from ssdlab.model.errors import FioOutputError
from ssdlab.native.kernels import SWITCH

_TABLES: Final = {
    "documents": tables.DOCUMENTS,
    "jobs": tables.JOBS,
    "percentiles": tables.PERCENTILES,
    "bins": tables.BINS,
    "options": tables.OPTIONS,
    "disks": tables.DISKS,
    "steadystate": tables.STEADYSTATE,
    "issues": tables.ISSUES,
}
_KINDS: Final[Sequence[LogKind]] = ("lat", "bw")
_OUTPUT: Final = ("*.json", "*.json.gz", "*.txt", "text/*.log", "*.out")
_LINE = b"1001, 0, 4096" + b", 0" * 12 + b", 7, 0, 3" + b", 0" * 14 + b"\n"
_ROWS = b"0, 20500, 0, 4096, 8192, 0x4001\n1, 90, 1, 4096, 0, 0x0000\n"
_JOB = b"[global]\nbs=4k\nrw=randrw ; a comment\n[job one]\nrwmixread=65\niodepth=8\n"


Frame = pd.DataFrame


@dataclass(frozen=True, kw_only=True)
class Target:
    """A parser with its checks, the names of files to start from, and small texts."""

    parse: Callable[[bytes], None]
    patterns: Sequence[str]
    texts: Sequence[bytes] = ()
    has_kernel: bool = False


def read_documents(data: bytes) -> None:
    """Read output of any form, without its frames: this is fast."""
    for document in parse_output(data, source="output"):
        check_document(document)
        find_doubts(document)


def read_frames(data: bytes) -> None:
    """Read whatever it is, compressed or not, as users do."""
    _check_result(read_fio(data))


def merge_frames(data: bytes) -> None:
    """Merge what was read."""
    result = read_fio(data)
    for by in ([], ["direction"]):
        merged = merge_jobs(
            result.jobs, result.bins, result.documents, by=by, timing="in turn"
        )
        ios = merged.jobs["total_ios"].dropna()
        require((ios >= 0).all(), "a negative sum of IOs")


def read_own(data: bytes) -> None:
    """Read what one run of ours wrote, as strictly as the engine does."""
    measure(parse_document(data))


def read_terse(data: bytes) -> None:
    _check_documents(parse_terse(data.decode(errors="replace"), source="terse"))


def read_normal(data: bytes) -> None:
    _check_documents(parse_normal(data.decode(errors="replace"), source="normal"))


def _check_documents(documents: Iterable[FioDocument]) -> None:
    for document in documents:
        check_document(document)
        find_doubts(document)


def _check_result(result: FioResult) -> None:
    for one in fields(result):
        check_frame(getattr(result, one.name), _TABLES[one.name])
    check_jobs(result.jobs)
    levels = result.percentiles["percentile"]
    require(bool(((levels > 0) & (levels <= 100)).all()), "a level that cannot be")


def read_histogram_log(data: bytes) -> None:
    """Read a histogram log by its kernel and without: both give the same."""
    with _kernels_off():
        slow = _try(_histogram_frames, data)
    fast = _try(_histogram_frames, data)
    _check_agreement(fast, slow, "histogram log: kernel and numpy differ")


def _histogram_frames(data: bytes) -> Sequence[Frame]:
    log = read_fio_histogram_log(data)
    frames = (log.frame, log.merged(), log.percentiles([50.0, 100.0], interval_s=None))
    declared = (
        histlog_tables.HISTOGRAM,
        histlog_tables.HISTOGRAM_BINS,
        histlog_tables.HISTOGRAM_PERCENTILES,
    )
    for frame, table in zip(frames, declared, strict=True):
        check_frame(frame, table)
    total = int(frames[0]["count"].sum())
    require(total == int(frames[1]["count"].sum()), "histogram log: merged IOs differ")
    return frames


def read_log(data: bytes) -> None:
    """Read a log by its kernel and without: both give the same."""
    for kind in _KINDS:
        with _kernels_off():
            slow = _try(partial(_log_frames, kind=kind), data)
        fast = _try(partial(_log_frames, kind=kind), data)
        _check_agreement(fast, slow, "log: kernel and numpy differ")


def _log_frames(data: bytes, *, kind: LogKind) -> Sequence[Frame]:
    log = read_fio_log(data, kind=kind)
    frame, seconds = log.frame, log.seconds()
    require(len(frame) == log.row_count, "log: the frame has other rows")
    require(int(seconds["count"].sum()) == log.row_count, "log: seconds miss rows")
    require((frame["time_ms"] >= 0).all(), "log: a negative time")
    require((frame.iloc[:, 1] >= 0).all(), "log: a negative value")
    means = seconds.iloc[:, 3].to_numpy(np.float64)
    require(np.isfinite(means).all(), "log: a mean that is no number")
    issues = pd.DataFrame([asdict(issue) for issue in log.issues])
    others = [log.seconds(0.01)]
    if kind == "lat":
        percentiles = log.percentiles([50.0, 99.9, 100.0])
        counted = percentiles["count"].to_numpy()[::3].sum()
        require(counted == log.row_count, "log: percentiles miss rows")
        others.append(percentiles)
    return (frame, seconds, issues, *others)


def read_job_file(data: bytes) -> None:
    """Read a job file, and once more what is written of it."""
    job_file = parse_job_file(data.decode(errors="replace"))
    find_job_file_doubts(job_file)
    for section in job_file.jobs:
        describe_workload(dict(section.options))
    with suppress(ValueError):  # fio itself could not read such an option back
        again = parse_job_file(render_job_file(job_file))
        require(again == job_file, "job file: what is written is read as another")


def _try(
    read: Callable[[bytes], Sequence[Frame]], data: bytes
) -> Sequence[Frame] | str:
    """Return what was read, or what the one error says that ssdlab may raise."""
    try:
        return read(data)
    except FioOutputError as error:
        return str(error)


def _check_agreement(
    fast: Sequence[Frame] | str, slow: Sequence[Frame] | str, what: str
) -> None:
    if isinstance(fast, str) or isinstance(slow, str):
        require(fast == slow, what, f"{fast}\n{slow}")
    else:
        check_same(fast, slow, what)


@contextmanager
def _kernels_off() -> Iterator[None]:
    os.environ[SWITCH] = "1"
    try:
        yield
    finally:
        del os.environ[SWITCH]


TARGETS: Final[Mapping[str, Target]] = {
    "documents": Target(parse=read_documents, patterns=_OUTPUT),
    "frames": Target(parse=read_frames, patterns=_OUTPUT),
    "merge": Target(parse=merge_frames, patterns=("*.json",)),
    "own": Target(parse=read_own, patterns=("fio-3.33*.json", "*.json.gz")),
    "terse": Target(parse=read_terse, patterns=("*terse*",)),
    "normal": Target(
        parse=read_normal, patterns=("text/*", "*normal*", "three_formats.txt")
    ),
    "histogram-log": Target(
        parse=read_histogram_log,
        patterns=("*hist*.log",),
        texts=(_LINE,),
        has_kernel=True,
    ),
    "log": Target(
        parse=read_log,
        patterns=("*_bw.*.log", "*_iops.*.log", "*lat.*.log"),
        texts=(_ROWS,),
        has_kernel=True,
    ),
    "job-file": Target(parse=read_job_file, patterns=("*.job", "*.fio"), texts=(_JOB,)),
}
