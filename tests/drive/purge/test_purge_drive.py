"""A whole purge of a real loop device: marked, purged, looked at."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.drive.purge import choose_purge, purge_drive
from ssdlab.drive.purge.methods import PURGE_WORDS
from ssdlab.drive.purge.work import Clock
from ssdlab.drive.tools import Answer, Ask, ask_tool
from ssdlab.model.drive import PurgeChoice, PurgeMethod, PurgeOutcome
from ssdlab.model.errors import MissingToolError
from ssdlab.model.units import MIB
from tests.drive.purge.conftest import HeldLoop, HoldLoop
from tests.drive.purge.made import Recorded, answer, id_ns

SIZE = 8 * MIB


def choice(method: PurgeMethod) -> PurgeChoice:
    return PurgeChoice(method=method, words=PURGE_WORDS[method], why="")


def content(held: HeldLoop) -> bytes:
    return Path(held.drive.serial).read_bytes()


def fill(held: HeldLoop) -> None:
    Path(held.drive.path).write_bytes(b"secret!!" * (held.drive.capacity_bytes // 8))


def purge(held: HeldLoop, method: PurgeMethod, ask: Ask = ask_tool) -> PurgeOutcome:
    folder = Path(held.drive.serial).parent
    return purge_drive(held, choice(method), folder=folder, ask=ask)


def as_nvme(held: HeldLoop) -> HeldLoop:
    """Let a loop device pass for an NVMe drive, whose tools a test answers for."""
    changed = replace(held.drive, bus="nvme", namespace_id=1)
    return HeldLoop(drive=changed, descriptor=held.descriptor)


@pytest.mark.parametrize("sector_bytes", [512, 4096])
def test_discard_leaves_zeros_and_that_shows(
    hold_loop: HoldLoop, sector_bytes: int
) -> None:
    held = hold_loop(SIZE, sector_bytes=sector_bytes)
    fill(held)
    chosen = choose_purge(held.drive, "auto")
    assert chosen.method == "discard"
    outcome = purge_drive(held, chosen, folder=Path("/nonexistent"))
    assert (outcome.fault, outcome.doubt) == ("", "")
    first, marked, done, found = outcome.said.splitlines()
    assert first == "discard of all LBAs"
    assert marked == "64 places marked with random data"
    assert done.startswith(f"BLKDISCARD of all 8.389 MB of {held.drive.path}: done")
    assert found == "64 places read back: 64 zeros"
    assert content(held) == bytes(SIZE)


def test_discard_in_several_pieces_reaches_the_last_byte(
    hold_loop: HoldLoop,
) -> None:
    held = hold_loop(1024 * MIB + 3 * 512)
    os.pwrite(held.descriptor, b"end!" * 128, 1024 * MIB + 2 * 512)
    os.fsync(held.descriptor)
    outcome = purge(held, "discard")
    assert not outcome.fault
    assert not any(os.pread(held.descriptor, 512, 1024 * MIB + 2 * 512))


def test_overwrite_replaces_every_block(hold_loop: HoldLoop) -> None:
    held = hold_loop(SIZE + 512)  # the last piece is of one sector
    fill(held)
    outcome = purge(held, "overwrite")
    assert (outcome.fault, outcome.doubt) == ("", "")
    assert outcome.said.splitlines()[-1] == "64 places read back: 64 changed"
    left = content(held)
    blocks = {left[at : at + 512] for at in range(0, len(left), 512)}
    assert len(blocks) == len(left) // 512
    assert not any(b"secret" in block for block in blocks)


def test_overwrite_tells_how_far_it_is_and_how_long_it_takes(
    hold_loop: HoldLoop,
) -> None:
    held, told = hold_loop(5 * 4 * MIB), list[str]()
    times = iter(range(0, 10_000, 20))  # each look at the clock is 20 s later
    outcome = purge_drive(
        held,
        choice("overwrite"),
        folder=Path("/nonexistent"),
        tell=told.append,
        clock=Clock(now_s=lambda: float(next(times))),
    )
    assert not outcome.fault
    assert told[1:] == [
        "overwrite: 40 % done, about 1 min left",
        "overwrite: 60 % done, about 40 s left",
        "overwrite: 80 % done, about 20 s left",
        "overwrite: 100 % done, about 0 s left",
    ]


def test_none_writes_nothing_and_says_so(hold_loop: HoldLoop) -> None:
    held = hold_loop()
    fill(held)
    before = content(held)
    outcome = purge(held, "none")
    assert outcome == PurgeOutcome(said="no purge: the method is none")
    assert content(held) == before


def test_secure_discard_that_the_device_lacks_is_a_fault(hold_loop: HoldLoop) -> None:
    held = hold_loop()
    outcome = purge(held, "discard-secure")
    assert "Operation not supported. Choose another method" in outcome.fault
    assert "BLKSECDISCARD at byte 0" in outcome.said


def test_purge_that_changes_nothing_is_a_fault_though_its_tool_succeeds(
    hold_loop: HoldLoop,
) -> None:
    held = as_nvme(hold_loop())
    ask = Recorded({"nvme id-ns": (0, id_ns(), ""), "nvme format": (0, "Success", "")})
    outcome = purge(held, "nvme-format-user-data", ask)
    assert outcome.fault == (
        "what was written before the purge is still there at byte 0 and at 63 more "
        "places"
    )
    assert outcome.said.splitlines()[-1] == "64 places read back: 64 unchanged"


@pytest.mark.parametrize(
    ("kept", "place"), [(0, 0), (SIZE - 4096, SIZE - 4096)], ids=["first", "last"]
)
def test_purge_that_spares_one_end_of_the_drive_is_a_fault(
    hold_loop: HoldLoop, kept: int, place: int
) -> None:
    held = as_nvme(hold_loop(SIZE))

    def ask(command: Sequence[str], *, timeout_s: float) -> Answer:
        assert timeout_s > 0
        if command[1] == "format":
            left = os.pread(held.descriptor, 4096, kept)
            for at in range(0, SIZE, MIB):
                os.pwrite(held.descriptor, b"\xff" * MIB, at)
            os.pwrite(held.descriptor, left, kept)
            os.fsync(held.descriptor)
        return answer(command, stdout=id_ns())

    outcome = purge(held, "nvme-format-user-data", ask)
    assert outcome.fault == (
        f"what was written before the purge is still there at byte {place}"
    )
    assert "64 places read back: 63 changed, 1 unchanged" in outcome.said


def test_overwrite_of_a_device_that_keeps_nothing_is_a_fault(
    hold_loop: HoldLoop,
) -> None:
    """It is as if the data went nowhere: a discard right behind the overwrite."""
    held = hold_loop()
    times = iter([0.0] * 10)

    def discard_at_the_end() -> float:
        last = next(times, None)
        if last is None:
            subprocess.run(
                ["fallocate", "--punch-hole", "--length", str(SIZE), held.drive.serial],
                check=True,
            )
        return 0.0

    for _ in range(6):  # began_s, the progress's own and two pieces
        next(times)
    outcome = purge_drive(
        held,
        choice("overwrite"),
        folder=Path("/nonexistent"),
        clock=Clock(now_s=discard_at_the_end),
    )
    assert "byte 0 reads as zeros though random data was written" in outcome.fault


def test_missing_tool_is_a_fault_with_its_remedy(hold_loop: HoldLoop) -> None:
    held = as_nvme(hold_loop())

    def ask(command: Sequence[str], *, timeout_s: float) -> Answer:
        raise MissingToolError(
            tool=command[0], needed_for=f"{timeout_s}", remedy="Install it."
        )

    assert "Install it." in purge(held, "nvme-format-user-data", ask).fault


def test_drive_that_is_another_after_the_purge_is_a_fault(hold_loop: HoldLoop) -> None:
    held = hold_loop()
    held.trouble = "it has become read-only"
    assert purge(held, "discard").fault == "after it: it has become read-only"


def test_descriptor_that_is_gone_is_a_fault(hold_loop: HoldLoop) -> None:
    held = hold_loop()
    lost = HeldLoop(drive=held.drive, descriptor=os.open("/dev/null", os.O_RDONLY))
    try:
        outcome = purge(lost, "discard")
    finally:
        os.close(lost.descriptor)
    assert "does not answer" in outcome.fault


def test_overwrite_that_fails_half_way_says_where(
    hold_loop: HoldLoop, tmp_path: Path
) -> None:
    """The loop device stands on a file system that is full after 6 MiB."""
    small = tmp_path / "small"
    small.mkdir()
    words = ["mount", "-t", "tmpfs", "-o", "size=6m", "tmpfs", str(small)]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip("this machine mounts no file system in memory")
    try:
        held = hold_loop(64 * MIB, folder=small)
        outcome = purge(held, "overwrite")
        assert "overwriting failed at byte 4194304" in outcome.fault
        assert "No space left on device. Its backing store is full" in outcome.fault
        assert "written up to byte 4194304" in outcome.said
    finally:
        subprocess.run(["umount", "--lazy", str(small)], check=True)
