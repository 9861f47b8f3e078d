"""The virtual SSD as a target."""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.model.drive import DriveChoices
from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.model.units import MIB
from ssdlab.targets import Target, open_target, reopen_target
from ssdlab.targets.opening import read_shape
from tests.fio.jobs import cell, job_of, run_step, workload
from tests.targets.stored import stored_record

SPEC = "virtual:size=16MiB,dies=2,linger=60"


@pytest.fixture
def target(tmp_path: Path) -> Iterator[Target]:
    opened = open_target(SPEC, folder=tmp_path / "target")
    yield opened
    opened.close()


def test_virtual_target_is_never_taken_for_a_drive(target: Target) -> None:
    identity = target.identity
    assert (identity.kind, identity.is_virtual) == ("virtual", True)
    assert identity.spec == SPEC
    assert identity.serial.startswith("VIRTUAL-")
    assert (identity.capacity_bytes, identity.sector_bytes) == (16 * MIB, 512)
    assert identity.options["dies"] == 2


@pytest.mark.fio
def test_purge_unmaps_what_fio_wrote_and_proves_it(
    target: Target, tmp_path: Path
) -> None:
    step = cell(workload(queue_depth=4), seconds=0.3)
    outcome = run_step(step, target.fio_options, tmp_path / "steps")
    counters = target.read_counters()
    assert counters["host_written_bytes"] == job_of(outcome)["write"]["io_bytes"] > 0
    assert counters["mapped_bytes"] > 0
    outcome_of_purge = target.purge(print)
    assert (outcome_of_purge.fault, outcome_of_purge.doubt) == ("", "")
    assert outcome_of_purge.said.splitlines() == [
        "trim of all LBAs of the virtual SSD",
        "0 bytes are mapped after it",
    ]
    assert target.read_telemetry()["mapped_bytes"] == 0
    assert (target.find_alarm(), target.release()) == ("", "")


@pytest.mark.fio
def test_purge_is_left_out_where_none_was_asked_for(
    tmp_path: Path,
) -> None:
    target = open_target(
        SPEC,
        folder=tmp_path / "target",
        choices=DriveChoices(purge="none"),
    )
    try:
        step = cell(workload(queue_depth=4), seconds=0.3)
        run_step(step, target.fio_options, tmp_path / "steps")
        assert target.purge(print).said.startswith("none")
        assert target.read_counters()["mapped_bytes"] > 0
        assert target.purge_choice.method == "none"
        record = stored_record(tmp_path, target)
        again = reopen_target(record, folder=tmp_path / "target")
        assert again.purge_choice == target.purge_choice
    finally:
        target.close()


def test_doubt_is_raised_only_when_the_host_was_late_often(target: Target) -> None:
    before = {"late_requests": 5.0, "read_requests": 100.0, "write_requests": 0.0}
    fine = {"late_requests": 6.0, "read_requests": 1100.0, "write_requests": 0.0}
    late = {"late_requests": 505.0, "read_requests": 600.0, "write_requests": 500.0}
    assert target.find_doubt(before, fine) == ""
    assert target.find_doubt(before, late).startswith("500 of 1000 requests")


def test_virtual_target_is_reached_again_as_the_same(
    target: Target, tmp_path: Path
) -> None:
    record = stored_record(tmp_path, target)
    again = reopen_target(record, folder=tmp_path / "target")
    assert again.identity == target.identity
    assert again.fio_options == target.fio_options


def test_another_virtual_ssd_is_not_the_one_of_the_run(
    target: Target, tmp_path: Path
) -> None:
    other = replace(target.identity, serial="VIRTUAL-0-1-2")
    record = stored_record(tmp_path, target, other)
    with pytest.raises(TargetRefusedError, match="the run measured VIRTUAL-0-1-2"):
        reopen_target(record, folder=tmp_path / "target")


def test_trouble_is_told_when_the_server_has_ended(
    target: Target, tmp_path: Path
) -> None:
    assert target.find_trouble() == ""
    record = stored_record(tmp_path, target)
    target.close()
    assert target.find_trouble() == "its server has ended"
    with pytest.raises(TargetRefusedError, match="has ended; the content is lost"):
        reopen_target(record, folder=tmp_path / "target")


@pytest.mark.parametrize(
    ("spec", "size"), [("virtual", 128 * MIB), ("virtual:size=64MiB,op=12", 64 * MIB)]
)
def test_shape_is_read_without_a_server(spec: str, size: int) -> None:
    shape = read_shape(spec)
    assert (shape.capacity_bytes, shape.sector_bytes) == (size, 512)


@pytest.mark.parametrize(
    ("options", "bound"),
    [
        ("", 8 * 4096 / 450e-6),
        ("dies=2,tprog=1000", 2 * 4096 / 1e-3),
        ("dies=64", 200e6),
        ("tprog=0", 200e6),
        ("link=0,dies=64", 64 * 4096 / 450e-6),
        ("tprog=0,link=0", None),
    ],
)
def test_shape_tells_what_the_model_writes_at_most(
    options: str, bound: float | None
) -> None:
    assert read_shape(f"Virtual:{options}").write_bytes_per_s == pytest.approx(bound)


def test_unknown_option_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="option of the virtual SSD 'colour'"):
        read_shape("virtual:colour=red")
    with pytest.raises(TargetRefusedError, match="is out of range"):
        open_target("virtual:dies=0", folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
