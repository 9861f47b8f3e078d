"""A user's own series: what is read, and what is refused with which words."""

import io
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.errors import SeriesError
from ssdlab.store.series_csv import read_series

VALUES = [5776.0, 5865.0, 6022.0, 6160.0, 6181.0]
LINES = ["5776", "5865", "6022", "6160", "6181"]


def write(folder: Path, content: str | bytes) -> Path:
    path = folder / "series.csv"
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def lines(*texts: str) -> str:
    return "\n".join(texts) + "\n"


@pytest.mark.parametrize(
    ("content", "column"),
    [
        (lines(*LINES), "1"),
        (lines("iops", *LINES), "iops"),
        (lines("iops", *LINES).encode("utf-8-sig"), "iops"),
        ("\r\n".join(["iops", *LINES]), "iops"),
        (lines("", "iops", *LINES, "", ""), "iops"),
        (lines('"iops"', *(f'"{text}"' for text in LINES)), "iops"),
        (lines("round,iops", *(f"{n},{t}" for n, t in enumerate(LINES, 1))), "iops"),
        (lines("round;iops", *(f"{n};{t}" for n, t in enumerate(LINES))), "iops"),
        (lines("round\tiops", *(f"{n}\t{t}" for n, t in enumerate(LINES, 1))), "iops"),
        (lines(",iops", *(f"{n},{t}" for n, t in enumerate(LINES))), "iops"),
        (lines(*(f"{n},{t}" for n, t in enumerate(LINES, 1))), "2"),
        (lines("drive,iops", *(f"S3510,{text}" for text in LINES)), "iops"),
        (lines(*(f"S3510,{text}" for text in LINES)), "2"),
        (lines('"iops, total";note', *(f"{t};fine" for t in LINES)), "iops, total"),
        (lines("iops,", *(f"{text}," for text in LINES)), "iops"),
    ],
    ids=[
        "bare-numbers", "header", "byte-order-mark", "crlf-and-no-end", "blank-ends",
        "quoted", "round-and-value", "semicolon", "tab", "pandas-index", "no-header",
        "text-beside", "text-beside-no-header", "comma-in-name", "empty-beside",
    ],
)  # fmt: skip
def test_series_is_read_when_one_column_is_plainly_meant(
    tmp_path: Path, content: str | bytes, column: str
) -> None:
    path = write(tmp_path, content)
    series = read_series(path)

    assert series.values.tolist() == VALUES
    assert series.column == column
    assert series.source == str(path)
    assert len(series) == 5


@pytest.mark.parametrize(
    ("text", "value"),
    [("1e3", 1000.0), ("+.5", 0.5), ("-2.", -2.0), ("0", 0.0), ("0.1", 0.1)],
)
def test_number_is_read_as_it_is_written(
    tmp_path: Path, text: str, value: float
) -> None:
    series = read_series(write(tmp_path, lines(text, *LINES)))

    assert series.values[0] == value


def test_named_column_is_read_when_there_are_several(tmp_path: Path) -> None:
    rows = [
        f"{n},{text},7" for n, text in zip((60, 120, 180, 240, 300), LINES, strict=True)
    ]
    path = write(tmp_path, lines("time_s,iops,busy", *rows))

    assert read_series(path, "iops").values.tolist() == VALUES
    assert read_series(path, column="time_s").values[-1] == 300


def test_row_numbers_are_read_when_they_are_named(tmp_path: Path) -> None:
    path = write(tmp_path, lines("n;iops", *(f"{n};100,5" for n in range(1, 6))))

    assert read_series(path, "n").values.tolist() == [1, 2, 3, 4, 5]
    with pytest.raises(SeriesError, match=r"'100,5' is not a number.* decimal point"):
        read_series(path, "iops")


def test_column_of_a_file_without_header_is_named_by_its_place(tmp_path: Path) -> None:
    path = write(tmp_path, lines(*(f"{text},7" for text in LINES)))

    assert read_series(path, "1").values.tolist() == VALUES


def test_round_numbers_alone_are_values(tmp_path: Path) -> None:
    assert read_series(write(tmp_path, lines(*"12345"))).values.tolist() == [
        1,
        2,
        3,
        4,
        5,
    ]


def test_standard_input_is_read_when_the_path_is_a_dash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stream = io.TextIOWrapper(io.BytesIO(lines(*LINES).encode()))
    monkeypatch.setattr(sys, "stdin", stream)
    series = read_series("-")

    assert series.values.tolist() == VALUES
    assert series.source == "standard input"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "is empty"),
        ("\n \n\n", "is empty"),
        (lines("iops"), "0 rows of numbers are too few"),
        (lines("iops", *LINES[:4]), "4 rows of numbers are too few"),
        (
            lines("iops", *LINES, "n/a"),
            "line 7, column 'iops': 'n/a' is not finite",
        ),
        (
            lines("iops", "nan", *LINES),
            "line 2, column 'iops': 'nan' is not finite",
        ),
        (lines("iops", *LINES, "-inf"), "line 7, column 'iops': '-inf' is not finite"),
        (
            lines("iops", *LINES, "1e999"),
            "line 7, column 'iops': '1e999' is not finite",
        ),
        (
            lines("iops", *LINES, "fast"),
            "line 7, column 'iops': 'fast' is not a number",
        ),
        (lines(*LINES, "fast"), "line 6, column '1': 'fast' is not a number"),
        (lines("iops", *LINES, "1_000"), "'1_000' is not a number"),
        (lines("iops", *LINES, "6.1k"), "'6.1k' is not a number"),
        (lines("iops", *LINES, "٣"), "'٣' is not a number"),
        (lines("iops", *LINES, '"6,181"'), "'6,181' is not a number"),
        (lines("iops", *LINES[:3], "", *LINES[3:]), "line 5, .*the cell is empty"),
        (lines("n,iops", "1,5", "2,", "3,5", "4,5"), "line 3, .*'iops'.*cell is empty"),
        (lines("n,iops", "1,5", "", "3,5"), "line 3 is empty: a round without a value"),
        (lines("iops", *LINES, "5776,5"), "line 7 has 2 cells, the first has 1"),
        (lines("a,b", "1.5,2.5", "3,4"), "more than one column of numbers: 'a', 'b'"),
        (lines("n,a,b", "1,5,6", "2,7,8"), "more than one column of numbers: 'a', 'b'"),
        (lines("a;b", "1,5;2,5", "3,5;4,5"), "no column of numbers among 'a', 'b'"),
        (
            lines("round;iops", *(f"{n};100,{n}" for n in range(1, 7))),
            "'round' only numbers the rows; has numbers with a comma in 'iops'",
        ),
        (
            lines("iops;round", *(f"100,{n};{n}" for n in range(1, 7))),
            "'round' only numbers the rows",
        ),
        (
            lines("time_s;iops", *(f"{60 * n};100,{n}" for n in range(1, 7))),
            "has numbers with a comma in 'iops'.* 1234.5",
        ),
        (
            lines("round;note", *(f"{n};fine" for n in range(1, 7))),
            "'round' only numbers the rows",
        ),
        (
            lines("1;100,5", *(f"{n};101" for n in range(2, 8))),
            "line 1, column '2': '100,5' is not a number",
        ),
        (lines("a,b", "x,y"), "no column of numbers among 'a', 'b'"),
        (lines("iops", '"57'), "line 2 is not CSV"),
        (b"iops\n5776\n\xff\xfe\n", "line 3 is not text in UTF-8"),
        (lines("iops", *LINES).encode("utf-16"), "line 1 is not text in UTF-8"),
        (lines("iops", *LINES).encode("utf-16-le"), "line 1 holds a zero byte"),
    ],
)
def test_what_is_no_series_is_refused_with_file_and_line(
    tmp_path: Path, content: str | bytes, words: str
) -> None:
    path = write(tmp_path, content)
    with pytest.raises(SeriesError, match=words) as refusal:
        read_series(path)

    assert refusal.value.source == str(path)
    assert str(path) in str(refusal.value)
    assert refusal.value.remedy.endswith(".")
    assert refusal.value.exit_code == 2


def test_column_that_is_not_there_is_refused_with_those_that_are(
    tmp_path: Path,
) -> None:
    path = write(tmp_path, lines("round,iops", "1,5"))
    with pytest.raises(SeriesError, match=r"no column named 'IOPS'.*'round', 'iops'"):
        read_series(path, "IOPS")


def test_column_name_that_stands_twice_is_refused(tmp_path: Path) -> None:
    path = write(tmp_path, lines("iops,iops", "1,5"))
    with pytest.raises(SeriesError, match="more than one column named 'iops'"):
        read_series(path, "iops")


def test_file_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(
        SeriesError, match=r"absent\.csv: cannot be read \(No such file"
    ):
        read_series(tmp_path / "absent.csv")
    with pytest.raises(SeriesError, match=r"cannot be read \(Is a directory"):
        read_series(tmp_path)
    with pytest.raises(SeriesError, match=r"cannot be read \(embedded null"):
        read_series("a\0b")


def test_control_characters_of_a_cell_are_not_passed_on(tmp_path: Path) -> None:
    cell = "\x1b[31m" + "x" * 100
    with pytest.raises(SeriesError, match="is not a number") as refusal:
        read_series(write(tmp_path, lines("iops", *LINES, cell)))

    assert "\x1b" not in str(refusal.value)
    assert len(refusal.value.reason) < 120


def test_fewer_rows_are_enough_when_the_window_is_smaller(tmp_path: Path) -> None:
    path = write(tmp_path, lines("10", "20", "30"))

    assert len(read_series(path, min_rows=3)) == 3


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=5))
def test_values_come_back_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, values: list[float]
) -> None:
    path = write(tmp_path_factory.mktemp("series"), lines(*map(repr, values)))

    assert read_series(path).values.tolist() == values


def is_read_or_refused(path: Path) -> bool:
    try:
        return len(read_series(path)) >= 5
    except SeriesError as error:
        return str(path) in str(error)


@given(st.binary(max_size=60))
def test_any_bytes_are_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: bytes
) -> None:
    assert is_read_or_refused(write(tmp_path_factory.mktemp("bytes"), content))


@given(st.text(alphabet='0123456789.,;\t\n"e- a', max_size=60))
def test_any_table_is_read_or_refused(
    tmp_path_factory: pytest.TempPathFactory, content: str
) -> None:
    assert is_read_or_refused(write(tmp_path_factory.mktemp("table"), content))
