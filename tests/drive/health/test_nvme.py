"""The health log of NVMe, from the bytes that a controller answers with."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.health import read_health
from ssdlab.drive.health.nvme import (
    ControllerFacts,
    health_of_log,
    parse_controller,
    parse_intel_log,
    parse_latency_monitor,
    parse_media_written,
    parse_smart_log,
    read_nvme_health,
    warning_words,
)
from ssdlab.drive.nvme_admin import (
    IDENTIFY_CONTROLLER,
    READ_INTEL_LOG,
    READ_LATENCY_MONITOR,
    READ_OCP_LOG,
    AdminAnswer,
    AdminCommand,
)
from ssdlab.model.drive import DriveHealth
from tests.drive.recorded import DRIVES, Controller, a_drive, changed

LOG = (DRIVES / "nvme-smart-log-qemu-7.2.bin").read_bytes()
IDENTIFY = (DRIVES / "nvme-id-ctrl-qemu-7.2.bin").read_bytes()
HOT_AND_WORN = changed(
    LOG,
    {
        0: ("B", 0),
        1: ("<H", 273 + 68),
        3: ("B", 97),
        4: ("B", 10),
        5: ("B", 3),
        32: ("<Q", 7),
        48: ("<Q", 2_000_000),
        112: ("<Q", 12),
        128: ("<Q", 345),
        144: ("<Q", 6),
        160: ("<Q", 1),
        176: ("<Q", 9),
        192: ("<I", 2),
        196: ("<I", 1),
        224: ("<I", 30),
        228: ("<I", 4),
    },
)
FACTS = ControllerFacts(warning_celsius=70, critical_celsius=80, counts_throttling=True)


def test_the_recorded_page_of_a_controller_is_read() -> None:
    assert parse_controller(IDENTIFY) == ControllerFacts(
        warning_celsius=70.0,
        critical_celsius=100.0,
        counts_throttling=False,
        vendor=0x1B36,
    )
    log = parse_smart_log(LOG)
    assert log["temperature"] == 50
    assert log["data_units_read"] == 1
    assert log["critical_warning"] == 0


def test_each_field_stands_where_the_standard_puts_it_and_in_its_unit() -> None:
    assert health_of_log(parse_smart_log(HOT_AND_WORN), FACTS) == DriveHealth(
        temperature_celsius=68,
        warning_temperature_celsius=70,
        critical_temperature_celsius=80,
        throttled_s=34,
        warning_temperature_s=120,
        critical_temperature_s=60,
        wear_percent=3,
        spare_percent=97,
        spare_threshold_percent=10,
        host_written_bytes=1.024e12,
        host_read_bytes=7 * 512_000,
        media_errors=1,
        error_log_entries=9,
        power_on_hours=345,
        power_cycles=12,
        unsafe_shutdowns=6,
        is_failing=False,
        warnings=(),
    )


def test_what_a_controller_does_not_tell_is_missing_and_not_zero() -> None:
    silent = changed(LOG, {1: ("<H", 0), 32: ("<Q", 0), 48: ("<Q", 0)})
    health = health_of_log(parse_smart_log(silent), ControllerFacts())
    assert health.temperature_celsius is None
    assert health.host_written_bytes is None
    assert health.host_read_bytes is None
    assert health.warning_temperature_s is None
    assert health.critical_temperature_s is None
    assert health.throttled_s is None
    assert parse_controller(bytes(4096)) == ControllerFacts()


@given(count=st.integers(min_value=1, max_value=2**128 - 1))
def test_counters_have_128_bits(count: int) -> None:
    page = LOG[:48] + count.to_bytes(16, "little") + LOG[64:]
    assert parse_smart_log(page)["data_units_written"] == count


@given(bits=st.integers(min_value=0, max_value=255))
def test_each_bit_of_the_critical_warning_has_words_of_its_own(bits: int) -> None:
    words = warning_words(bits)
    assert len(set(words)) == len(words) == bits.bit_count()
    health = health_of_log({"critical_warning": bits}, ControllerFacts())
    assert health.is_failing is bool(bits & 0b1100)


def test_the_controller_is_identified_once_and_its_log_read_each_time() -> None:
    controller = Controller()
    drive = a_drive("nvme", "null", serial="once")
    for _ in range(3):
        assert read_health(drive, send=controller).temperature_celsius == 50
    assert [command.opcode for command in controller.asked] == [2, 6, 2, 2, 2]


def test_another_drive_at_the_same_path_is_identified_anew() -> None:
    controller = Controller()
    for number in (1, 2):
        read_health(a_drive("nvme", "null", diskseq=number), send=controller)
    assert [command.opcode for command in controller.asked] == [2, 6, 2, 2, 6, 2]


def test_a_controller_without_the_log_tells_nothing() -> None:
    def refuse(path: str, command: AdminCommand) -> AdminAnswer:
        del path, command
        return AdminAnswer(status=0x4002)

    assert read_health(a_drive("nvme", "null"), send=refuse) == DriveHealth()


OCP = changed(bytes(512), {0: ("<Q", 123_456_789), 494: ("<H", 3)})
OCP = OCP[:496] + bytes.fromhex("c5af1028eabff2a49c4f6f7cc914d5af")


def test_bytes_written_to_the_media_are_those_of_the_log_of_ocp() -> None:
    assert parse_media_written(OCP) == 123_456_789
    assert parse_media_written(OCP[:-1] + b"\0") is None  # the page of a vendor
    assert parse_media_written(bytes(496) + OCP[496:]) is None  # 0: not counted


class WithExtendedLog(Controller):
    """A controller that also has a log page C0h."""

    def __init__(self, page: bytes) -> None:
        super().__init__()
        self.page = page

    def __call__(self, path: str, command: AdminCommand) -> AdminAnswer:
        if command == READ_OCP_LOG:
            self.asked.append(command)
            status = 0 if self.page else 0x4109
            return AdminAnswer(status=status, data=self.page)
        return super().__call__(path, command)


def test_media_are_read_each_time_if_the_drive_has_the_log() -> None:
    controller = WithExtendedLog(OCP)
    for _ in range(2):
        health = read_nvme_health(a_drive("nvme", "nvme7n1"), controller)
        assert health.media_written_bytes == 123_456_789
    assert controller.asked.count(READ_OCP_LOG) == 3  # once to find out


@pytest.mark.parametrize("page", [b"", bytes(512)])
def test_drive_without_the_log_is_asked_once(page: bytes) -> None:
    controller = WithExtendedLog(page)
    for _ in range(3):
        health = read_nvme_health(a_drive("nvme", "nvme8n1"), controller)
        assert health.media_written_bytes is None
    assert controller.asked.count(READ_OCP_LOG) == 1


_COUNTS = {36: 1, 40: 2, 44: 4, 52: 8, 56: 16, 60: 32, 84: 64, 88: 128, 92: 256}
MONITOR = changed(
    bytes(512),
    {
        0: ("B", 0b101),
        6: ("B", 3),  # 5 ms + 3 * 5 ms
        **dict.fromkeys((32, 48, 80), ("<I", 99)),  # reserved
        **{at: ("<I", count) for at, count in _COUNTS.items()},
        96: ("<Q", 2**63),  # time stamps follow
    },
)
MONITOR = MONITOR[:496] + bytes.fromhex("927ac08cd0846c9c7043e6d4585ed485")


def test_slow_commands_are_those_of_the_log_of_ocp() -> None:
    """20 ms, and every bucket of trims, writes and reads: 1 + 2 + 4 + … + 256."""
    assert parse_latency_monitor(MONITOR) == (511, 0.02)
    disabled = bytes([0b100]) + MONITOR[1:]
    assert parse_latency_monitor(disabled) == (None, None)
    assert parse_latency_monitor(MONITOR[:-1] + b"\0") == (None, None)  # a vendor's


class WithMonitor(WithExtendedLog):
    """A controller that also has a log page C3h."""

    def __init__(self, monitor: bytes) -> None:
        super().__init__(OCP)
        self.monitor = monitor

    def __call__(self, path: str, command: AdminCommand) -> AdminAnswer:
        if command == READ_LATENCY_MONITOR:
            self.asked.append(command)
            return AdminAnswer(status=0 if self.monitor else 0x4109, data=self.monitor)
        return super().__call__(path, command)


def test_latency_monitor_is_read_each_time_if_it_is_enabled() -> None:
    controller = WithMonitor(MONITOR)
    for _ in range(2):
        health = read_nvme_health(a_drive("nvme", "nvme5n1"), controller)
        assert (health.slow_commands, health.slow_command_limit_s) == (511, 0.02)
        assert health.media_written_bytes == 123_456_789
    assert controller.asked.count(READ_LATENCY_MONITOR) == 3


@pytest.mark.parametrize("page", [b"", bytes(512), bytes([0]) + MONITOR[1:]])
def test_latency_monitor_that_is_none_is_asked_for_once(page: bytes) -> None:
    controller = WithMonitor(page)
    name = f"nvme6n{1 + len(page) + sum(page) % 7}"
    for _ in range(3):
        health = read_nvme_health(a_drive("nvme", name), controller)
        assert health.slow_commands is None
    assert controller.asked.count(READ_LATENCY_MONITOR) == 1


INTEL = changed(
    bytes(512),
    {
        0: ("B", 0xAB),
        5: ("<I", 7),
        132: ("B", 0xF4),
        135: ("B", 100),
        137: ("<I", 1000),
        144: ("B", 0xF5),
        149: ("<I", 400),
    },
)


def test_bytes_written_to_the_media_are_those_of_the_log_of_intel() -> None:
    assert parse_intel_log(INTEL) == 1000 * 32 * 2**20
    assert parse_intel_log(bytes(512)) is None
    assert parse_intel_log(b"") is None


class OfVendor(Controller):
    """A controller of a vendor, with its additional SMART log."""

    def __init__(self, vendor: int) -> None:
        super().__init__()
        self.vendor = vendor

    def __call__(self, path: str, command: AdminCommand) -> AdminAnswer:
        if command == READ_INTEL_LOG:
            self.asked.append(command)
            return AdminAnswer(status=0, data=INTEL)
        answer = super().__call__(path, command)
        if command == IDENTIFY_CONTROLLER:
            page = changed(answer.data, {0: ("<H", self.vendor)})
            return AdminAnswer(status=0, data=page)
        return answer


@pytest.mark.parametrize(
    ("vendor", "is_read"), [(0x8086, True), (0x025E, True), (0x144D, False)]
)
def test_log_of_intel_is_read_of_drives_of_that_vendor_alone(
    vendor: int, *, is_read: bool
) -> None:
    controller = OfVendor(vendor)
    health = read_nvme_health(a_drive("nvme", f"nvme4n{vendor}"), controller)
    assert (READ_INTEL_LOG in controller.asked) is is_read
    assert (health.media_written_bytes is not None) is is_read
