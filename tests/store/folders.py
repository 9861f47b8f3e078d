"""The papers of a run folder, made by hand."""

from pathlib import Path

from ssdlab.model.records import HostIdentity, RunRecord, TargetIdentity
from ssdlab.pts import find_profile
from ssdlab.pts.fitting import ask_suite
from ssdlab.store.records import RunState, write_record, write_state
from tests.departed import departed

HOST = HostIdentity(
    platform="Ä maker",
    cpu="one (2 logical)",
    dram_bytes=2**33,
    operating_system="Debian",
    kernel="Linux 6.1",
    python_version="3.11.2",
    fio_version="fio-3.33",
    ssdlab_version="0.1.0",
)
TARGET = TargetIdentity(
    kind="virtual",
    spec="virtual:dies=2",
    model="ssdlab virtual SSD",
    serial="VIRTUAL-1",
    firmware="",
    capacity_bytes=2**27,
    sector_bytes=512,
    options={"dies": 2, "path": "x", "ratio": 0.5},
)
STATE = RunState(
    status="interrupted",
    finished_at="2026-11-21T12:00:00+00:00",
    message="stopped by the user",
    sessions=(("a", "b", "killed"), ("c", "", "running")),
)


def record(run_id: str = "run-1", started_at: str = "2026-11-21T10:00:00") -> RunRecord:
    return RunRecord(
        run_id=run_id,
        label="läbel",
        started_at=started_at,
        asked=ask_suite(
            find_profile("demo"),
            ("iops", "wsat"),
            capacity_bytes=TARGET.capacity_bytes,
            sector_bytes=TARGET.sector_bytes,
        ),
        seed=7,
        plan_hash="00ff",
        target=TARGET,
        host=HOST,
        purge_method="trim",
        departures=departed("a model"),
    )


def make_run(folder: Path, *, started_at: str = "2026-11-21T10:00:00") -> Path:
    (folder / "steps").mkdir(parents=True)
    write_record(folder, record(folder.name, started_at))
    write_state(folder, STATE)
    return folder
