"""The health of ATA, SCSI and USB drives, from what smartctl said of them."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.health import find_alarm
from ssdlab.drive.health.smart import find_refusal, parse_smart, smart_command
from ssdlab.model.drive import Bus, DriveHealth
from tests.drive.recorded import DRIVES, a_drive


def read(name: str, bus: Bus, sector_bytes: int = 512) -> DriveHealth:
    text = (DRIVES / f"smartctl-{name}.json").read_text()
    return parse_smart(text, a_drive(bus, logical_sector_bytes=sector_bytes))


def test_an_ata_ssd_is_read_by_the_statistics_of_the_standard() -> None:
    assert read("7.3-ata-ssd-made", "ata") == DriveHealth(
        temperature_celsius=34,
        warning_temperature_celsius=70,
        warning_temperature_s=180,
        wear_percent=4,
        host_written_bytes=24e12,
        host_read_bytes=5e12,
        media_errors=2,
        power_on_hours=13210,
        power_cycles=84,
        is_failing=False,
    )


def test_logical_sectors_are_counted_in_the_drives_own_size() -> None:
    health = read("7.3-ata-ssd-made", "ata", sector_bytes=4096)
    assert health.host_written_bytes == 46_875_000_000 * 4096


def test_a_vendors_attribute_counts_only_if_its_name_tells_the_unit() -> None:
    health = read("7.3-ata-ssd-without-statistics-made", "ata")
    assert health.host_written_bytes == 1000 * 32 * 2**20  # Host_Writes_32MiB
    assert health.host_read_bytes == 50 * 2**30  # Host_Reads_GiB
    assert health.wear_percent is None  # normalised values differ by vendor
    assert health.spare_percent is None


def test_wear_and_spare_are_taken_where_smartctl_itself_names_them() -> None:
    health = read("7.4-ata-ssd-made", "ata")
    assert (health.wear_percent, health.spare_percent) == (7, 100)
    assert health.spare_threshold_percent == 10


def test_a_failing_ata_drive_is_an_alarm() -> None:
    health = read("7.3-ata-failing-made", "ata")
    assert health.is_failing is True
    alarm = find_alarm(health, limit_celsius=None)
    assert alarm == "its own SMART status reports that it is failing"


def test_a_sas_ssd_is_read() -> None:
    assert read("7.3-sas-ssd-made", "scsi") == DriveHealth(
        temperature_celsius=38,
        warning_temperature_celsius=70,
        wear_percent=3,
        host_written_bytes=24_000_250_000_000,
        host_read_bytes=81_234_567_000_000,
        media_errors=3,
        power_on_hours=9000,
        is_failing=False,
    )


def test_a_sas_ssd_that_is_hot_is_not_failing_and_marked_only() -> None:
    health = read("7.3-sas-ssd-hot-made", "scsi")
    assert health.is_failing is False
    assert health.warnings == ("the temperature is above or below a threshold",)
    assert find_alarm(health, limit_celsius=None) == ""
    assert "above the limit of 70" in find_alarm(health, limit_celsius=70)


def test_a_sas_ssd_that_will_fail_says_why() -> None:
    alarm = find_alarm(read("7.3-sas-ssd-failing-made", "scsi"), limit_celsius=None)
    assert alarm.startswith("its own SMART status reports that it is failing: HARDWARE")


def test_an_nvme_drive_behind_usb_is_read() -> None:
    health = read("7.3-usb-nvme-made", "usb")
    assert health.temperature_celsius == 41
    assert health.host_written_bytes == 3000 * 512_000
    assert health.unsafe_shutdowns == 4
    assert health.is_failing is False


@pytest.mark.parametrize("bus", ["ata", "scsi", "usb"])
@pytest.mark.parametrize(
    "text", ["", "[]", "{", "smartctl 6.6\nUNRECOGNIZED OPTION: json", "null", "{}"]
)
def test_what_is_not_smartctls_json_tells_nothing(bus: Bus, text: str) -> None:
    assert parse_smart(text, a_drive(bus)) == DriveHealth()
    assert not find_refusal(text, a_drive(bus))


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=6,
)


def _known_files() -> list[Path]:
    return sorted(DRIVES.glob("smartctl-*.json"))


@given(data=st.data())
def test_nothing_that_a_drive_says_ends_in_an_error(data: st.DataObject) -> None:
    said = json.loads(data.draw(st.sampled_from(_known_files())).read_text())
    key = data.draw(st.sampled_from(sorted(said)))
    said[key] = data.draw(_JSON)
    if isinstance(said.get("smartctl"), dict):
        said["smartctl"]["exit_status"] = data.draw(st.integers(0, 255))
    health = parse_smart(json.dumps(said), a_drive(data.draw(_BUSES)))
    assert health.host_written_bytes is None or health.host_written_bytes >= 0


_SOME: tuple[Bus, ...] = ("ata", "scsi", "usb")
_BUSES = st.sampled_from(_SOME)


def test_the_question_wakes_no_ata_drive_and_reads_four_pages_at_most() -> None:
    command = smart_command(a_drive("ata"))
    assert command[2:4] == ("-n", "standby")
    assert sum(word.startswith("devstat,") for word in command) == 4
    assert "-a" not in command
