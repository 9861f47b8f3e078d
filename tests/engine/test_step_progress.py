"""How far a running step has come, from counters beside fio."""

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from ssdlab.engine.backend import FioBackend
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.installed import require_fio
from ssdlab.fio.runner import FioChain
from ssdlab.ingest.results import summarise_step
from ssdlab.model.fio_option import FioOption
from ssdlab.model.io_counts import LiveIo
from ssdlab.model.spec import Workload
from ssdlab.model.units import MIB
from ssdlab.system.clocks import RunClock
from ssdlab.system.folders import Folder
from ssdlab.targets.opening import open_target
from tests.fio.jobs import cell, workload

pytestmark = pytest.mark.fio

STEP_S = 5.0
THREADS = workload(threads=2, queue_depth=4)
PUBLISHED = {"rw": "randwrite", "bs": "4k", "ioengine": "libaio", "iodepth": "4"}
PUBLISHED |= {"numjobs": "2", "group_reporting": "1", "size": "100%"}
PUBLISHED |= {"direct": "1", "time_based": "1"}
PROCESSES = replace(
    THREADS, fio_options=tuple(FioOption(*one) for one in PUBLISHED.items())
)


@dataclass
class Heard:
    """A listener that remembers how far a step has come."""

    steps: list[tuple[float, float | None]] = field(default_factory=list)
    rates: list[LiveIo | None] = field(default_factory=list)

    def said(self, words: str) -> None:
        raise AssertionError(words)

    def advanced(
        self, elapsed_s: float, io_bytes: float | None, live: LiveIo | None = None
    ) -> None:
        self.steps.append((elapsed_s, io_bytes))
        self.rates.append(live)


@pytest.mark.parametrize(
    ("spec", "work"),
    [("file:{}/drive,size=64MiB", THREADS), ("file:{}/drive,size=64MiB", PROCESSES),
     ("virtual:size=64MiB", THREADS)],
    ids=["threads", "processes", "virtual"],
)  # fmt: skip
def test_step_tells_its_time_and_bytes_while_it_runs(
    tmp_path: Path, spec: str, work: Workload
) -> None:
    heard, clock = Heard(), RunClock()
    step = cell(work, seconds=STEP_S)
    target = open_target(spec.format(tmp_path), folder=tmp_path)
    folder = Folder(tmp_path) / "step"
    try:
        with FioChain(require_fio()[0], clock=clock, tick=lambda: None) as chain:
            backend = FioBackend(
                tmp_path, target, chain=chain, clock=clock, listener=heard
            )
            backend.run(step, folder, None, hold=False)
    finally:
        target.close()
    content = folder.read("fio.json", limit=MIB)
    result, _ = summarise_step(step, parse_document(content, source="fio.json"))
    whole = result.written_bytes
    assert whole
    times_s, counts = zip(*heard.steps, strict=True)
    assert len(times_s) >= 2
    assert list(times_s) == sorted(times_s)
    known = [count for count in counts if count is not None]
    assert len(known) == len(counts)
    assert 0 < known[0] < known[1]
    assert known == sorted(known)
    assert known[-1] < 1.1 * whole
    rates = [one for one in heard.rates if one is not None]
    assert len(rates) == (len(times_s) if spec.startswith("virtual") else 0)
    for one in rates:
        assert one.write_bytes_per_s == pytest.approx(4096 * one.write_iops)
        assert one.read_iops == 0
    busy = [one.write_iops for one in rates[1:]]
    assert not busy or max(busy) > 0
