"""Every purge that emulated drives have: done, shown, and failing where it must.

What is erased is looked at from outside of the guest, in the files that its drives
stand on.
"""

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.vm.conftest import Boot, Disk
from tests.vm.devices import (
    MIB,
    Namespace,
    ata,
    image_sha256,
    nvme,
    nvme_of_namespaces,
    on_image,
    scsi,
    with_bad_sectors,
    with_throttle,
)
from tests.vm.guest import Guest
from tests.vm.link import Job
from tests.vm.purging import (
    MODULES,
    deaf_image,
    fill,
    find_path,
    holds_secrets,
    is_zeros,
    listed,
    purge,
    start_purge,
)

SIZE_MIB = 32
BAD_SECTOR = 10 * 2048  # at 10 MiB, within the third piece of an overwrite


@pytest.fixture(scope="module")
def images(disk: Disk) -> dict[str, Path]:
    names = ("NVME", "SMALL", "LARGE", "ATA", "SCSI", "DEAF", "BAD", "SLOW", "PULLED")
    return {name: disk(name, size_mib=SIZE_MIB) for name in names}


@pytest.fixture(scope="module")
def guest(boot: Boot, images: dict[str, Path]) -> Guest:
    spaces = (
        Namespace(backend=on_image(images["SMALL"])),
        Namespace(backend=on_image(images["LARGE"]), sector_bytes=4096),
    )
    bad = with_bad_sectors(on_image(images["BAD"]), [BAD_SECTOR], fails="write")
    slow = with_throttle(on_image(images["SLOW"]), "tg0")
    pulled = with_throttle(on_image(images["PULLED"]), "tg1")
    guest = boot(
        nvme("nv0", on_image(images["NVME"]), serial="NVME"),
        nvme_of_namespaces("pair", spaces, serial="PAIR"),
        nvme("deaf", deaf_image(images["DEAF"]), serial="DEAF"),
        nvme("bad", bad, serial="BAD"),
        nvme("slow", slow, serial="SLOW"),
        nvme("pulled", pulled, serial="PULLED"),
        ata("at0", on_image(images["ATA"]), serial="ATA"),
        scsi("sc0", on_image(images["SCSI"]), serial="SCSI"),
    )
    guest.warm(*MODULES)
    return guest


@pytest.fixture(autouse=True)
def unthrottled(guest: Guest) -> Iterator[None]:
    yield
    for group in ("tg0", "tg1"):
        guest.throttle(group, bps_total=0)


def test_each_drive_lists_what_it_can_do_and_touches_nothing(
    guest: Guest, images: dict[str, Path]
) -> None:
    before = {name: image_sha256(image) for name, image in images.items()}
    found = listed(guest, find_path(guest, "NVME"))
    can = {method for method, (possible, _) in found.items() if possible == "yes"}
    assert can == {"nvme-format-user-data", "discard", "overwrite", "none"}
    assert "FNA 0x0 lacks bit 2" in found["nvme-format-crypto"][1]
    assert "SANICAP 0x0" in found["nvme-sanitize-overwrite"][1]
    found = listed(guest, find_path(guest, "ATA"))
    can = {method for method, (possible, _) in found.items() if possible == "yes"}
    assert can == {"discard", "overwrite", "none"}
    assert "no ATA security" in found["ata-security-erase"][1]
    assert "no BLOCK_ERASE_EXT" in found["ata-sanitize-block"][1]
    found = listed(guest, find_path(guest, "SCSI"))
    can = {method for method, (possible, _) in found.items() if possible == "yes"}
    assert can == {"discard", "overwrite", "none"}
    assert found["scsi-format-unit"][0] == "unknown"
    assert "Invalid opcode" in found["scsi-sanitize-block"][1]
    assert before == {name: image_sha256(image) for name, image in images.items()}


@pytest.mark.parametrize(
    ("serial", "method"),
    [
        ("NVME", "nvme-format-user-data"),
        ("NVME", "discard"),
        ("ATA", "discard"),
        ("SCSI", "discard"),
    ],
)
def test_erasure_leaves_zeros_and_that_is_shown(
    guest: Guest, images: dict[str, Path], serial: str, method: str
) -> None:
    path = find_path(guest, serial)
    fill(guest, path)
    assert holds_secrets(images[serial])
    answer = purge(guest, path, serial, method)
    assert answer.exit_code == 0, answer.output
    assert "64 places read back: 64 zeros" in answer.stdout
    assert is_zeros(images[serial])


def test_format_gives_an_nvme_drive_other_sectors_and_back(
    guest: Guest, images: dict[str, Path]
) -> None:
    path = find_path(guest, "NVME")
    sectors = f"cat /sys/class/block/{Path(path).name}/queue/logical_block_size"
    for size in ("4096", "512"):
        fill(guest, path)
        answer = purge(guest, path, "NVME", "auto", "--lba-format", size)
        assert answer.exit_code == 0, answer.output
        assert f"its sectors have {size} B" in answer.stdout
        assert "64 places read back: 64 zeros" in answer.stdout
        assert guest.check(sectors).stdout.strip() == size
        assert is_zeros(images["NVME"])


def test_other_sectors_are_refused_without_consent_or_format(
    guest: Guest, images: dict[str, Path]
) -> None:
    before = image_sha256(images["NVME"])
    path = find_path(guest, "NVME")
    assert purge(guest, path, "", "auto", "--lba-format", "4096").exit_code == 2
    assert purge(guest, path, "NVME", "discard", "--lba-format", "4096").exit_code == 2
    assert purge(guest, path, "NVME", "auto", "--lba-format", "520").exit_code == 2
    ata = find_path(guest, "ATA")
    assert purge(guest, ata, "ATA", "auto", "--lba-format", "4096").exit_code == 2
    assert before == image_sha256(images["NVME"])


@pytest.mark.parametrize(
    ("serial", "method"),
    [("NVME", "nvme-format-user-data"), ("ATA", "discard"), ("SCSI", "discard")],
)
def test_auto_takes_the_best_that_the_drive_can_do(
    guest: Guest, images: dict[str, Path], serial: str, method: str
) -> None:
    path = find_path(guest, serial)
    fill(guest, path)
    answer = purge(guest, path, serial)
    assert answer.exit_code == 0, answer.output
    assert answer.stdout.startswith(f"{method}: ")
    assert not holds_secrets(images[serial])


@pytest.mark.parametrize("serial", ["NVME", "ATA", "SCSI"])
def test_overwrite_leaves_random_data_everywhere(
    guest: Guest, images: dict[str, Path], serial: str
) -> None:
    path = find_path(guest, serial)
    fill(guest, path)
    answer = purge(guest, path, serial, "overwrite")
    assert answer.exit_code == 0, answer.output
    assert "64 places read back: 64 changed" in answer.stdout
    data = images[serial].read_bytes()
    assert len({data[at : at + 512] for at in range(0, len(data), 512)}) == (
        len(data) // 512
    )


def test_format_keeps_the_sector_size_and_spares_the_other_namespace(
    guest: Guest, images: dict[str, Path]
) -> None:
    small, large = (find_path(guest, "PAIR", number) for number in (1, 2))
    fill(guest, small)
    fill(guest, large)
    before = image_sha256(images["SMALL"])
    wwn = guest.check(f"cat /sys/block/{Path(large).name}/wwid").stdout.strip()
    answer = purge(guest, large, wwn, "nvme-format-user-data")
    assert answer.exit_code == 0, answer.output
    assert "--lbaf=4 " in answer.stdout
    assert is_zeros(images["LARGE"])
    assert image_sha256(images["SMALL"]) == before
    assert guest.check(f"blockdev --getss {large}").stdout.strip() == "4096"


def test_format_is_refused_while_another_namespace_is_in_use(
    guest: Guest, images: dict[str, Path]
) -> None:
    small, large = (find_path(guest, "PAIR", number) for number in (1, 2))
    # Read only: ext4 goes on to write its own tables into a file system just made.
    mount = f"mkdir -p /mnt/l && mount -o ro,noload {large} /mnt/l"
    guest.check(f"mkfs.ext4 -q -F {large} && {mount}")
    try:
        guest.check("sync")
        before = [image_sha256(images[name]) for name in ("SMALL", "LARGE")]
        wwn = guest.check(f"cat /sys/block/{Path(small).name}/wwid").stdout.strip()
        answer = purge(guest, small, wwn, "nvme-format-user-data")
        assert answer.exit_code == 2, answer.output
        assert "/mnt/l" in answer.stderr
        after = [image_sha256(images[name]) for name in ("SMALL", "LARGE")]
        assert after == before
    finally:
        guest.check(f"umount /mnt/l && wipefs --all {large} && blkdiscard -z {large}")


@pytest.mark.parametrize(
    ("serial", "method", "words"),
    [
        ("NVME", "nvme-format-crypto", "FNA 0x0 lacks bit 2"),
        ("NVME", "nvme-sanitize-block", "SANICAP 0x0 lacks bit 1"),
        ("ATA", "ata-security-erase", "no ATA security"),
        ("ATA", "ata-sanitize-crypto", "no CRYPTO_SCRAMBLE_EXT"),
        ("SCSI", "nvme-format-crypto", "not one of the methods of its bus, scsi"),
    ],
)
def test_method_that_the_drive_lacks_is_refused_and_nothing_written(
    guest: Guest, images: dict[str, Path], *, serial: str, method: str, words: str
) -> None:
    path = find_path(guest, serial)
    fill(guest, path)
    before = image_sha256(images[serial])
    answer = purge(guest, path, serial, method)
    assert answer.exit_code == 2, answer.output
    assert words in answer.stderr
    assert "Its methods are: " in answer.stderr
    assert image_sha256(images[serial]) == before


def test_format_unit_that_does_nothing_is_a_failure(guest: Guest) -> None:
    """QEMU's disk accepts the command, ends it well, and keeps all of its data."""
    answer = purge(guest, find_path(guest, "SCSI"), "SCSI", "scsi-format-unit")
    assert answer.exit_code == 1, answer.output
    assert "sg_format --format --quick --early" in answer.stdout
    assert "exit code 0" in answer.stdout
    assert "is still there at byte 0 and at 63 more places" in answer.stderr


def test_sanitize_that_the_drive_refuses_is_a_failure(guest: Guest) -> None:
    answer = purge(guest, find_path(guest, "SCSI"), "SCSI", "scsi-sanitize-block")
    assert answer.exit_code == 1, answer.output
    assert "Illegal request, Invalid opcode" in answer.stderr


def test_discard_that_the_drive_ignores_is_a_failure(
    guest: Guest, images: dict[str, Path]
) -> None:
    path = find_path(guest, "DEAF")
    fill(guest, path)
    answer = purge(guest, path, "DEAF", "discard")
    assert answer.exit_code == 1, answer.output
    assert "is still there at byte 0" in answer.stderr
    assert holds_secrets(images["DEAF"])


def test_write_error_in_an_overwrite_is_a_failure_that_says_where(
    guest: Guest,
) -> None:
    answer = purge(guest, find_path(guest, "BAD"), "BAD", "overwrite")
    assert answer.exit_code == 1, answer.output
    assert f"overwriting failed at byte {8 << 20}" in answer.stderr


def test_ctrl_c_in_an_overwrite_ends_it_and_says_what_is_left(guest: Guest) -> None:
    path = find_path(guest, "SLOW")
    job = _slow_overwrite(guest, path, "SLOW", "tg0")
    job.stop(signal.SIGINT)
    guest.throttle("tg0", bps_total=0)
    answer = job.wait()
    assert answer.exit_code == 130, answer.output
    assert "Part of the old data is still on the drive" in answer.stderr
    again = purge(guest, path, "SLOW", "discard")  # it was let go of
    assert again.exit_code == 0, again.output


def test_drive_pulled_out_in_an_overwrite_is_a_failure(guest: Guest) -> None:
    path = find_path(guest, "PULLED")
    job = _slow_overwrite(guest, path, "PULLED", "tg1")
    guest.unplug("pulled")
    guest.throttle("tg1", bps_total=0)
    answer = job.wait()
    assert answer.exit_code == 1, answer.output
    assert "overwriting failed at byte" in answer.stderr
    assert "gone" in answer.stderr


def _slow_overwrite(guest: Guest, path: str, serial: str, group: str) -> Job:
    """Begin an overwrite; when it is under way, make it too slow to end."""
    guest.throttle(group, bps_total=3 * MIB // 2)
    job = start_purge(guest, path, serial, "overwrite")
    job.wait_for_output(" % done", timeout_s=120)
    guest.throttle(group, bps_total=MIB // 64)
    return job
