"""Which columns a log has is told by its content, and said."""

import pytest

from ssdlab.fio.logs.read import FioLog, read_fio_log

FLAG = "priority flag"
START = ("time", "value", "direction", "block size")
BOTH = ("time", "value", "maximum", "direction", "block size")

CASES = {
    "old": ("1, 20, 0", START[:3]),
    "plain": ("1, 20, 0, 4096", START),
    "flag": ("1, 20, 0, 4096, 1", (*START, FLAG)),
    "priority": ("1, 20, 0, 4096, 0x4002", (*START, "priority")),
    "offset": ("1, 20, 0, 4096, 8192", (*START, "offset")),
    "offset, flag": ("1, 20, 0, 4096, 8192, 1", (*START, "offset", FLAG)),
    "offset, priority": ("1, 20, 0, 4096, 0, 0x0", (*START, "offset", "priority")),
    "maximum": ("1, 20, 90, 0, 0, 0", (*BOTH, FLAG)),
    "maximum, priority": ("1, 20, 90, 0, 0, 0x0000", (*BOTH, "priority")),
    "flag, issue": ("1, 20, 0, 4096, 1, 999", (*START, FLAG, "issue time")),
    "priority, issue": (
        "1, 20, 0, 4096, 0x0000, 999",
        (*START, "priority", "issue time"),
    ),
    "offset, flag, issue": (
        "1, 20, 0, 4096, 8192, 1, 999",
        (*START, "offset", FLAG, "issue time"),
    ),
    "offset, priority, issue": (
        "1, 20, 0, 4096, 8192, 0x4000, 999",
        (*START, "offset", "priority", "issue time"),
    ),
    "maximum, offset, flag": (
        "1, 20, 90, 1, 0, 8192, 1",
        (*BOTH, "offset", FLAG),
    ),
    "maximum, offset, priority": (
        "1, 20, 90, 1, 0, 8192, 0x0000",
        (*BOTH, "offset", "priority"),
    ),
    "maximum, flag, issue": (
        "1, 20, 90, 1, 0, 1, 999",
        (*BOTH, FLAG, "issue time"),
    ),
    "maximum, priority, issue": (
        "1, 20, 90, 1, 0, 0x0000, 999",
        (*BOTH, "priority", "issue time"),
    ),
    "all, flag": (
        "1, 20, 90, 1, 0, 8192, 1, 999",
        (*BOTH, "offset", FLAG, "issue time"),
    ),
    "all, priority": (
        "1, 20, 90, 1, 0, 8192, 0x2001, 999",
        (*BOTH, "offset", "priority", "issue time"),
    ),
}


def words_of(log: FioLog) -> str:
    return " ".join(
        doubt.meaning for doubt in log.issues if doubt.kind.endswith("columns")
    )


@pytest.mark.parametrize(("line", "layout"), CASES.values(), ids=list(CASES))
def test_columns_are_told_by_their_content(line: str, layout: tuple[str, ...]) -> None:
    log = read_fio_log(f"{line}\n".encode() * 3, kind="lat", fio_version="3.40")
    assert log.layout == layout
    cells = [int(cell, 0) for cell in line.split(",")]
    frame = log.frame.iloc[0]
    assert frame["time_ms"] == cells[0]
    assert frame["lat_ns"] == cells[1]
    assert frame["direction"] in {"read", "write"}
    named = {
        "maximum": "lat_max_ns",
        "block size": "block_size_bytes",
        "offset": "offset_bytes",
        FLAG: "is_high_priority",
        "issue time": "issue_time_ns",
    }
    for column, name in named.items():
        if column in layout:
            assert frame[name] == cells[layout.index(column)]
        else:
            assert name not in frame
    if len(layout) > 4:
        assert all(column in words_of(log) for column in layout[5:])


def test_a_priority_is_class_level_and_hint() -> None:
    lines = b"1, 2, 0, 4096, 0x4005\n1, 2, 0, 4096, 0x2038\n1, 2, 0, 4096, 0xffff\n"
    frame = read_fio_log(lines, kind="lat").frame
    assert frame["priority_class"].tolist()[:2] == ["best effort", "realtime"]
    assert frame["priority_class"].isna().tolist() == [False, False, True]
    assert frame["priority_level"].tolist() == [5, 0, 7]
    assert frame["priority_hint"].tolist() == [0, 7, 1023]


def test_a_column_that_is_0_throughout_may_be_another_one() -> None:
    log = read_fio_log(b"1, 20, 0, 4096, 0\n" * 3, kind="lat")
    assert log.layout[4] == FLAG
    assert [doubt.kind for doubt in log.issues] == ["ambiguous-columns"]
    assert "it is 0 throughout" in words_of(log)
    assert words_of(log).endswith("time, value, direction, block size, offset")


def test_columns_are_a_grave_doubt_when_the_direction_may_be_another() -> None:
    slow = read_fio_log(b"1000, 1, 1, 0, 0, 0\n" * 9, kind="iops")
    usual = read_fio_log(b"1000, 1, 0, 0, 0, 0\n" * 9, kind="iops")
    is_grave = [
        issue.is_grave
        for log in (slow, usual)
        for issue in log.issues
        if issue.kind.endswith("columns")
    ]
    assert is_grave == [True, False]


def test_a_flag_that_is_1_somewhere_is_no_offset() -> None:
    log = read_fio_log(b"1, 20, 0, 4096, 0\n1, 20, 0, 4096, 1\n", kind="lat")
    assert [doubt.kind for doubt in log.issues] == ["columns"]


@pytest.mark.parametrize("place", [500, 5000, 9999])
def test_one_offset_anywhere_makes_the_fifth_column_offsets(place: int) -> None:
    lines = [b"1, 20, 0, 4096, 0\n"] * 10_000
    lines[place] = b"1, 20, 0, 4096, 4096\n"
    log = read_fio_log(b"".join(lines), kind="lat", fio_version="3.1")
    assert log.layout[4] == "offset"
    assert log.frame["offset_bytes"].sum() == 4096
    assert [doubt.kind for doubt in log.issues] == ["columns"]
    assert "it goes beyond 1" in words_of(log)


def test_an_averaged_log_is_said_to_be_one() -> None:
    log = read_fio_log(b"500, 20, 0, 0, 0, 0\n1000, 30, 1, 0, 0, 0\n", kind="lat")
    assert log.layout == (*START, "offset", FLAG)
    assert log.is_averaged
    assert "averaged" in {doubt.kind for doubt in log.issues}


def test_a_line_whose_maximum_is_below_its_mean_is_damaged() -> None:
    lines = b"1, 20, 90, 0, 0, 0\n2, 20, 21, 0, 0, 0\n3, 20, 19, 0, 0, 0\n"
    log = read_fio_log(lines, kind="lat")
    assert log.frame["lat_max_ns"].tolist() == [90, 21]
    assert [doubt.kind for doubt in log.issues if doubt.is_grave] == ["damaged-lines"]


def test_a_layout_is_that_of_most_lines_when_the_first_is_of_another() -> None:
    log = read_fio_log(b"1, 2, 0\n" + b"1, 20, 0, 4096, 0x0000\n" * 3, kind="lat")
    assert log.layout == (*START, "priority")
    assert log.row_count == 3
