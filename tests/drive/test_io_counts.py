"""What the kernel counts of a block device, and rates of it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.drive.io_counts import read_io_counts
from ssdlab.model.io_counts import IoCounts

STAT = "  1000 7 8000 30   200 9 1600 12 3 40 42 0 0 0 0 5 1\n"
AMOUNT = st.integers(0, 2**50)


def counts(reads: int, writes: int, read: int, written: int) -> IoCounts:
    return IoCounts(
        reads=reads, writes=writes, read_bytes=read, written_bytes=written, in_flight=2
    )


def test_counts_are_those_of_the_kernel_in_bytes(tmp_path: Path) -> None:
    (tmp_path / "stat").write_text(STAT, "ascii")
    assert read_io_counts(tmp_path) == IoCounts(
        reads=1000,
        writes=200,
        read_bytes=8000 * 512,
        written_bytes=1600 * 512,
        in_flight=3,
    )


@pytest.mark.parametrize("text", ["", "1 2 3", "a b c d e f g h i", None])
def test_what_cannot_be_read_is_not_known(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        (tmp_path / "stat").write_text(text, "ascii")
    assert read_io_counts(tmp_path) is None


def test_kernel_of_this_machine_is_read() -> None:
    devices = sorted(Path("/sys/class/block").glob("*"))
    if not devices:
        pytest.skip("this machine has no block device")
    found = read_io_counts(devices[0])
    assert found is not None
    assert found.read_bytes % 512 == 0


@given(st.tuples(AMOUNT, AMOUNT, AMOUNT, AMOUNT), st.floats(0.1, 100))
def test_rates_times_the_time_are_the_difference(
    later: tuple[int, int, int, int], seconds: float
) -> None:
    live = counts(*later).rates_since(counts(0, 0, 0, 0), seconds)
    assert live is not None
    assert live.read_iops * seconds == pytest.approx(later[0])
    assert live.write_iops * seconds == pytest.approx(later[1])
    assert live.read_bytes_per_s * seconds == pytest.approx(later[2])
    assert live.write_bytes_per_s * seconds == pytest.approx(later[3])
    assert live.in_flight == 2


def test_device_that_was_started_anew_has_no_rate() -> None:
    assert counts(1, 1, 1, 1).rates_since(counts(2, 0, 0, 0), 1.0) is None
    assert counts(1, 1, 1, 1).rates_since(counts(1, 1, 1, 1), 0.0) is None
