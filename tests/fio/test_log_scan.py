"""The C kernel and numpy read the same out of a log, whatever stands in it."""

import ctypes
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio import kernels
from ssdlab.fio.logs.files import OpenLog
from ssdlab.fio.logs.layout import LAYOUTS, Layout, Role, roles_of
from ssdlab.fio.logs.lines import MAX_LINE_BYTES, LineForm, read_line
from ssdlab.fio.logs.scan import (
    KernelScanner,
    LogScanner,
    NumpyScanner,
    choose_scanner,
    make_columns,
    run_over,
)
from ssdlab.fio.logs.sums import LogSums, merge_sums
from ssdlab.native.build import build_shared, find_compiler

SOURCES = Path(kernels.__file__).parent / "logs"
FLAGS = {"any processor": ("-O3",), "this processor": ("-O3", "-march=native")}
GREATEST = 2**63 - 1
LIMITS = (GREATEST, GREATEST // 1024)


@pytest.fixture(scope="module", params=list(FLAGS.values()), ids=list(FLAGS))
def kernel(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> ctypes.CDLL:
    compiler = find_compiler()
    if compiler is None:
        pytest.skip("no C compiler is installed")
    built = build_shared(
        compiler,
        [SOURCES / "log_scan.c"],
        flags=("-std=gnu11", *request.param),
        built=tmp_path_factory.mktemp("kernel") / "log_scan.so",
    )
    assert isinstance(built, Path)
    return ctypes.CDLL(str(built))


@cache
def numbers_of(role: Role) -> st.SearchStrategy[str]:
    match role:
        case Role.DIRECTION:
            return st.integers(0, 4).map(str)
        case Role.FLAG:
            return st.integers(0, 2).map(str)
        case Role.PRIORITY:
            return st.integers(0, 0x1FFFF).map("0x{:04x}".format)
        case _:
            usual = st.integers(0, 10**6)
            return (usual | st.integers(0, 2**64) | st.integers(0, 10**15)).map(str)


ODD = st.sampled_from(["", " ", "\t", "  ", "0", "00", "-1", "+1", "0x1F", "x", "é"])
SEPARATORS = st.sampled_from([", "] * 20 + [",", " ,", ",  ", ",\t", ",,", ";", "\r"])
ENDS = st.sampled_from(["\n"] * 10 + ["\r\n", " \n", "\n\n", "\r\r\n", ",\n", "\0\n"])


@cache
def cells_of(role: Role) -> st.SearchStrategy[str]:
    return numbers_of(role) | ODD


@st.composite
def logs(draw: st.DrawFn) -> tuple[Layout, bytes]:
    layout = draw(st.sampled_from(LAYOUTS))
    roles = roles_of(layout)
    text = ""
    for _ in range(draw(st.integers(0, 8))):
        is_odd = draw(st.integers(0, 4)) == 0
        for place, role in enumerate(roles):
            text += (draw(SEPARATORS) if is_odd else ", ") if place else ""
            text += draw(cells_of(role) if is_odd else numbers_of(role))
        text += draw(ENDS) if is_odd else "\n"
    data = text.encode()
    return layout, data[: len(data) - draw(st.sampled_from([0, 0, 0, 1, 4]))]


def log_of(data: bytes) -> OpenLog:
    return OpenLog(fd=-1, content=data, size=len(data))


def assert_same_sums(one: LogSums, other: LogSums) -> None:
    for name in (
        "row_count",
        "line_count",
        "damaged_count",
        "damaged_places",
        "nonzero",
        "back_count",
        "first_ms",
        "last_ms",
    ):
        assert getattr(one, name) == getattr(other, name), name
    assert (one.counts == other.counts).all()
    for name in ("interval", "direction", "count", "least", "greatest"):
        assert one.runs[name].tolist() == other.runs[name].tolist(), name
    assert one.runs["sum"].tolist() == pytest.approx(other.runs["sum"].tolist())


def rows_of(scanner: LogScanner, data: bytes, room: int) -> list[list[int]]:
    columns = make_columns(scanner.form, room)
    assert scanner.fill(log_of(data), (0, len(data)), columns) == room
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return [list(row) for row in rows]


def rows_one_by_one(data: bytes, form: LineForm) -> list[list[int]]:
    """Return the rows of the lines that end, each read by itself."""
    lines = data.split(b"\n")[:-1]
    return [list(row) for line in lines if (row := read_line(line, form)) is not None]


@settings(max_examples=200, deadline=None)
@given(logs(), st.sampled_from(LIMITS), st.integers(1, 3000))
def test_kernel_and_numpy_give_the_same_for_whatever_is_in_a_log(
    kernel: ctypes.CDLL, made: tuple[Layout, bytes], greatest: int, interval_ms: int
) -> None:
    layout, data = made
    form = LineForm(roles=roles_of(layout), greatest_value=greatest)
    span = (0, len(data))
    by_kernel, by_numpy = KernelScanner(form, kernel), NumpyScanner(form)
    one, one_end = by_kernel.add(log_of(data), span, interval_ms=interval_ms)
    other, other_end = by_numpy.add(log_of(data), span, interval_ms=interval_ms)
    assert one_end == other_end
    assert_same_sums(one, other)
    rows = rows_one_by_one(data, form)
    assert other.row_count == len(rows)
    assert rows_of(by_kernel, data, len(rows)) == rows
    assert rows_of(by_numpy, data, len(rows)) == rows


@given(st.binary(max_size=300), st.sampled_from(LAYOUTS))
def test_kernel_and_numpy_give_the_same_for_any_bytes(
    kernel: ctypes.CDLL, data: bytes, layout: Layout
) -> None:
    form = LineForm(roles=roles_of(layout), greatest_value=GREATEST)
    span = (0, len(data))
    one = KernelScanner(form, kernel).add(log_of(data), span, interval_ms=1000)
    other = NumpyScanner(form).add(log_of(data), span, interval_ms=1000)
    assert one[1] == other[1]
    assert_same_sums(one[0], other[0])


TRICKY = """\
1, 2, 0, 4096, 10x0000
1, 2, 0, 4096, 0x0000
1, 2, 0, 4096, 0x00000
1, 2, 0, 4096, 0x000
1, 2, 0, 4096, 0X0000
1, 2, 0, 4096, 0xABCD
1, 2, 0, 4096, 0x10000
1, 2, 0, 4096, 0x
1, 2, 0, 4096, x0000
1, 2, 0, 0x0000, 0x0000
1,2, 0, 4096, 0x0000
1, 2,0, 4096, 0x0000
1, 2, 0,. 4096, 0x0000
1, 2, 0, 4096,.0x0000
, 2, 0, 4096, 0x0000
1, , 0, 4096, 0x0000
1, 2, 0, 4096, 0x0000,
1, 2, 03, 4096, 0x0000
1, 2, 4, 4096, 0x0000
123456789012345, 999999999999999, 3, 000000000000000, 0x9999
1234567890123456, 9999999999999999, 3, 0000000000000000, 0x9999
9223372036854775807, 9223372036854775807, 3, 9223372036854775807, 0xffff
9223372036854775808, 2, 0, 4096, 0x0000
"""


@pytest.mark.parametrize("line", TRICKY.splitlines(keepends=True))
def test_kernel_and_numpy_give_the_same_for_a_line_that_is_nearly_right(
    kernel: ctypes.CDLL, line: str
) -> None:
    form = LineForm(roles=roles_of(LAYOUTS[3]), greatest_value=GREATEST)
    data = line.encode() * 3
    rows = rows_one_by_one(data, form)
    for scanner in (KernelScanner(form, kernel), NumpyScanner(form)):
        sums, _ = scanner.add(log_of(data), (0, len(data)), interval_ms=1000)
        assert sums.row_count == len(rows)
        assert rows_of(scanner, data, len(rows)) == rows


PLAIN = LineForm(roles=roles_of(LAYOUTS[1]), greatest_value=GREATEST)


def scanners(kernel: ctypes.CDLL) -> Sequence[LogScanner]:
    return (KernelScanner(PLAIN, kernel), NumpyScanner(PLAIN))


@pytest.mark.parametrize("blanks", [MAX_LINE_BYTES, 300_000, 5_000_000])
def test_a_line_that_is_too_long_is_damaged_and_the_next_one_read(
    kernel: ctypes.CDLL, blanks: int
) -> None:
    data = b"1, 2, 0, 4096\n" + b" " * blanks + b"3, 4, 1, 512\n5, 6, 1, 512\n"
    for scanner in scanners(kernel):
        sums, end = scanner.add(log_of(data), (0, len(data)), interval_ms=1000)
        assert (sums.row_count, sums.line_count, end) == (2, 3, len(data))
        assert sums.damaged_places == (1,)
        assert rows_of(scanner, data, 2) == [[1, 2, 0, 4096], [5, 6, 1, 512]]


@pytest.mark.parametrize("size", [5, 300_000, 5_000_000])
def test_a_last_line_without_an_end_is_left_out(kernel: ctypes.CDLL, size: int) -> None:
    whole = b"1, 2, 0, 4096\n"
    data = whole + b"7" * size
    for scanner in scanners(kernel):
        sums, end = scanner.add(log_of(data), (0, len(data)), interval_ms=1000)
        assert (sums.row_count, sums.damaged_count, end) == (1, 0, len(whole))


def test_columns_that_are_too_short_are_told_and_not_overrun(
    kernel: ctypes.CDLL,
) -> None:
    data = b"1, 2, 0, 4096\n" * 3
    for scanner in scanners(kernel):
        columns = [np.full(3, -7, column.dtype) for column in make_columns(PLAIN, 3)]
        room = [column[:2] for column in columns]
        assert scanner.fill(log_of(data), (0, len(data)), room) > 2
        assert [column[2] for column in columns] == [-7] * 4


def test_more_intervals_than_the_kernel_keeps_are_all_counted(
    kernel: ctypes.CDLL,
) -> None:
    times = np.arange(40_000) * 1000
    data = b"".join(b"%d, %d, 1, 0\n" % (time, time % 977) for time in times.tolist())
    for scanner in scanners(kernel):
        sums, _ = scanner.add(log_of(data), (0, len(data)), interval_ms=1000)
        assert sums.runs["interval"].tolist() == list(range(40_000))
        assert sums.runs["sum"].tolist() == (times % 977).tolist()


def test_parts_of_a_file_add_up_to_the_whole(
    kernel: ctypes.CDLL, tmp_path: Path
) -> None:
    rng = np.random.default_rng(3)
    values, directions = rng.integers(1, 10**7, 900_000), rng.integers(0, 3, 900_000)
    path = tmp_path / "many_lat.1.log"
    rows = zip(values.tolist(), directions.tolist(), strict=True)
    path.write_bytes(
        b"".join(
            b"%d, %d, %d, 4096, 123456789012, 0x0000\n" % (place // 100, *row)
            for place, row in enumerate(rows)
        )
    )
    form = LineForm(roles=roles_of(LAYOUTS[6]), greatest_value=GREATEST)
    scanner = KernelScanner(form, kernel)
    with path.open("rb") as file:
        log = OpenLog(fd=file.fileno(), content=b"", size=path.stat().st_size)
        spans = log.spans(0)
        assert len(spans) > 1
        parts = run_over(lambda span: scanner.add(log, span, interval_ms=1000), spans)
        sums = merge_sums([part for part, _ in parts])
    assert sums.row_count == 900_000
    assert sums.runs["sum"].sum() == values.sum()
    for direction in range(3):
        chosen = values[directions == direction]
        runs = sums.runs[sums.runs["direction"] == direction]
        assert runs["count"].sum() == chosen.size
        assert sums.counts[direction].sum() == chosen.size
        assert (runs["least"].min(), runs["greatest"].max()) == (
            chosen.min(),
            chosen.max(),
        )


def test_numpy_scans_where_kernels_are_switched_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SSDLAB_NO_KERNELS", "1")
    assert isinstance(choose_scanner(PLAIN, size=1 << 40), NumpyScanner)


@pytest.mark.parametrize("flags", FLAGS.values(), ids=list(FLAGS))
def test_kernel_stays_within_its_memory_when_the_log_is_damaged(
    flags: Sequence[str], tmp_path: Path
) -> None:
    program = tmp_path / "harness"
    checks = ["-g", "-fsanitize=address,undefined", "-fno-sanitize-recover"]
    probe = tmp_path / "probe.c"
    probe.write_text("int main(void) { return 0; }\n")
    tried = ["gcc", *checks, str(probe), "-o", str(program)]
    if find_compiler() is None or subprocess.run(tried, check=False).returncode:
        pytest.skip("no gcc with its sanitizers is installed")
    warnings = ["-Wall", "-Wextra", "-Wshadow", "-Werror"]
    harness = Path(__file__).with_name("log_scan_harness.c")
    command = ["gcc", "-std=gnu11", *flags, *checks, *warnings, f"-I{SOURCES}"]
    subprocess.run([*command, str(harness), "-o", str(program)], check=True)
    done = subprocess.run(
        [str(program), "8000"], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    rows, damaged = map(int, done.stdout.split())
    assert rows > damaged > 500
