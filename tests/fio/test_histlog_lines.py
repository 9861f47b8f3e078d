"""The scanners of histogram logs: C and numpy, in any pieces, on any bytes."""

import ctypes
import subprocess
from io import BytesIO
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ssdlab.fio.histlogs import scan as histlog_scan
from ssdlab.fio.histlogs.lines import (
    MAX_COLUMNS,
    NO_NUMBERS,
    TOO_GREAT,
    Field,
    Lines,
    scan_lines,
)
from ssdlab.fio.histlogs.scan import (
    KernelScanner,
    LineScanner,
    choose_scanner,
    scan_stream,
)
from ssdlab.native.build import Refusal, build_shared, find_compiler
from ssdlab.native.kernels import SWITCH
from tests.fio.histlog_texts import damaged_text, record

SOURCE = Path(histlog_scan.__file__).with_name("hist_scan.c")
WARNINGS = ("-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror")
SANITIZERS = ("-g", "-fsanitize=address,undefined", "-fno-sanitize-recover")
CASES = 1500


def require_compiler() -> str:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("there is no C compiler")
    return compiler


@pytest.fixture(scope="module")
def kernel(tmp_path_factory: pytest.TempPathFactory) -> KernelScanner:
    built = tmp_path_factory.mktemp("kernel") / "hist_scan.so"
    done = build_shared(require_compiler(), [SOURCE], flags=WARNINGS, built=built)
    assert not isinstance(done, Refusal), done.said
    return KernelScanner(ctypes.CDLL(str(done)))


def assert_equal(left: Lines, right: Lines) -> None:
    assert left.line_count == right.line_count
    np.testing.assert_array_equal(left.rows, right.rows)
    np.testing.assert_array_equal(left.columns, right.columns)
    np.testing.assert_array_equal(left.counts, right.counts)
    for name in ("rows", "columns", "counts"):
        assert getattr(left, name).dtype == getattr(right, name).dtype


def scan(text: bytes, scanner: LineScanner = scan_lines) -> Lines:
    """Return all lines, a newline after the last one or not."""
    return scanner(memoryview(text if text.endswith(b"\n") else text + b"\n"))


def test_line_is_read_without_its_zeros() -> None:
    lines = scan(b"1001, 1, 4096, 0, 7, 0, 12\n")
    assert lines.rows.tolist() == [[1, 1001, 1, 4096, 4, 2]]
    assert lines.columns.tolist() == [1, 3]
    assert lines.counts.tolist() == [7, 12]


@pytest.mark.parametrize("as_kernel", [False, True], ids=["numpy", "kernel"])
@pytest.mark.parametrize(
    ("text", "columns"),
    [
        (b"1, 0, 4096, 0, 3\r\n", [2]),
        (b"1,0,4096,0,3\n", [2]),
        (b" 1 ,\t0 , 4096 , 0 , 3 \n", [2]),
        (b"\n  \r\n1, 0, 4096, 3\n\n", [1]),
        (b"1, 0, 4096, 0, 3", [2]),
        (b"1, 0, 4096, 007, 00\n", [2]),
        (b"1, 0, 4096\n", [NO_NUMBERS]),
        (b"1, 0, 4096, \n", [NO_NUMBERS]),
        (b"1, 0, 4096, 0, 0,\n", [NO_NUMBERS]),
        (b"1, 0, 4096, -3, 0\n", [NO_NUMBERS]),
        (b"1, 0, 4096, 3 4, 0\n", [NO_NUMBERS]),
        (b"1, 0, 40961, 0, 4096, 3\n", [3]),
        (b"\0\0\0\0\n1, 0, 4096, 3\n", [NO_NUMBERS, 1]),
        ("\uff11, 0, 4096, 3\n".encode(), [NO_NUMBERS]),
    ],
)
def test_line_is_told_by_its_columns(
    kernel: KernelScanner, text: bytes, columns: list[int], *, as_kernel: bool
) -> None:
    lines = scan(text, kernel if as_kernel else scan_lines)
    assert lines.rows[:, Field.COLUMNS].tolist() == columns


def test_numbers_of_more_than_18_digits_are_all_too_great(
    kernel: KernelScanner,
) -> None:
    text = f"1, 0, 4096, {10**18 - 1}, {10**18}, {10**40}, 0{10**17}\n".encode()
    for scanner in (scan_lines, kernel):
        expected = [10**18 - 1, TOO_GREAT, TOO_GREAT, 10**17]
        assert scan(text, scanner).counts.tolist() == expected


def test_line_of_too_many_columns_has_no_cells(kernel: KernelScanner) -> None:
    text = record(1, {0: 5, MAX_COLUMNS: 6}, columns=MAX_COLUMNS + 1)
    for scanner in (scan_lines, kernel):
        lines = scan(text + record(2, {3: 1}), scanner)
        assert lines.rows[:, Field.COLUMNS].tolist() == [MAX_COLUMNS + 1, 29]
        assert lines.counts.tolist() == [1]


@given(st.integers(0, 1 << 32))
@settings(max_examples=150, deadline=None)
def test_kernel_equals_numpy_when_lines_are_damaged(
    kernel: KernelScanner, seed: int
) -> None:
    text = damaged_text(seed)
    assert_equal(scan(text), scan(text, kernel))


@given(st.text("0123456789, \n\r\t-.x", max_size=300))
@example("0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1")
@settings(max_examples=300, deadline=None)
def test_kernel_equals_numpy_when_text_is_any(kernel: KernelScanner, text: str) -> None:
    assert_equal(scan(text.encode()), scan(text.encode(), kernel))


@given(seed=st.integers(0, 1 << 32), spare_bytes=st.integers(1, 6000))
@settings(max_examples=60, deadline=None)
def test_pieces_of_any_size_give_the_same_lines(
    kernel: KernelScanner, seed: int, spare_bytes: int
) -> None:
    text = b"".join(damaged_text(seed + number) for number in range(4))
    chunk_bytes = max(map(len, text.split(b"\n"))) + spare_bytes
    for scanner in (scan_lines, kernel):
        pieces = scan_stream(BytesIO(text), scanner, chunk_bytes=chunk_bytes)
        whole = scan_stream(BytesIO(text), scanner, chunk_bytes=len(text) + 1)
        assert_equal(pieces.lines, whole.lines)
        assert pieces.torn_lines == whole.torn_lines
        assert pieces.torn_count == whole.torn_count
        assert pieces.is_ended == whole.is_ended
        all_lines = len(scan(text).rows)
        assert len(whole.lines.rows) + whole.torn_count == all_lines


def test_line_longer_than_a_piece_is_one_line_that_is_torn(
    kernel: KernelScanner,
) -> None:
    text = record(1, {0: 5}) + b"0, " * 5000 + b"0\n" + record(2, {1: 6})
    for scanner in (scan_lines, kernel):
        log = scan_stream(BytesIO(text), scanner, chunk_bytes=512)
        assert (log.torn_count, log.torn_lines) == (1, (2,))
        assert log.lines.rows[:, Field.LINE].tolist() == [1, 3]
        assert log.lines.counts.tolist() == [5, 6]


def test_kernel_reads_on_when_its_room_is_full(kernel: KernelScanner) -> None:
    full = record(1, dict.fromkeys(range(1856), 1), columns=1856) * 80
    short = record(1, {0: 1}, columns=1) * 10_000
    assert_equal(scan(full + short), scan(full + short, kernel))


@pytest.mark.parametrize(
    ("end", "is_ended"),
    [(b"", True), (b"5", True), (b"\r ", True), (record(2, {})[:-1], False)],
    ids=["newline", "torn", "blank", "record"],
)
def test_last_record_without_its_newline_is_told(end: bytes, *, is_ended: bool) -> None:
    text = record(1, {}) + end
    assert scan_stream(BytesIO(text), scan_lines).is_ended is is_ended


def test_lines_that_are_none_of_fio_take_no_memory() -> None:
    text = b"1, 0, 4096, 5\n" * 3000
    log = scan_stream(BytesIO(record(1, {0: 5}) + text), scan_lines, chunk_bytes=999)
    assert (log.torn_count, log.torn_lines) == (3000, (2, 3, 4, 5, 6))
    assert log.lines.rows.shape[0] == log.lines.counts.size == 1


def test_scanner_is_numpy_when_kernels_are_turned_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv(SWITCH, "1")
    assert choose_scanner(1 << 40) is scan_lines


def test_kernel_stays_within_its_memory_on_damaged_lines(tmp_path: Path) -> None:
    harness = Path(__file__).with_name("hist_scan_harness.c")
    program = tmp_path / "harness"
    flags = [*WARNINGS, *SANITIZERS, f"-I{SOURCE.parent}", "-o", str(program)]
    command = [require_compiler(), *flags, str(harness)]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    if "cannot find -lasan" in built.stderr or "libclang_rt" in built.stderr:
        pytest.skip("the compiler has no sanitizers")
    assert built.returncode == 0, built.stderr
    texts = [damaged_text(seed) + b"\n" for seed in range(CASES)]
    for columns in (MAX_COLUMNS - 1, MAX_COLUMNS, MAX_COLUMNS + 1):
        full = dict.fromkeys(range(columns), 1)
        texts.append(record(1, full, columns=columns) * 5)
    given = b"".join(len(text).to_bytes(4, "little") + text for text in texts)
    done = subprocess.run([str(program)], input=given, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    found = [tuple(map(int, line.split())) for line in done.stdout.splitlines()]
    assert found == [_digest(scan_lines(memoryview(text))) for text in texts]


def _digest(lines: Lines) -> tuple[int, int]:
    weights = lines.columns.astype(np.int64) + 1
    return len(lines.rows), int((lines.counts % 1000003 * weights).sum())
