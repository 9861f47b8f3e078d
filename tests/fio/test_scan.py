import json
import time
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.from_json.scan import FoundJson, iterate_json
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import captured

SMALL = """{
  "fio version" : "fio-3.33",
  "jobs" : [
    {"a" : 1},
    {"b" : 2}
  ]
}"""


def find_json(text: bytes | str) -> list[FoundJson]:
    return [*iterate_json(text if isinstance(text, bytes) else text.encode())]


def parts(text: str) -> list[str]:
    data = text.encode()
    return [data[found.start : found.end].decode() for found in find_json(data)]


def contents(text: bytes | str) -> list[dict[str, Any]]:
    return [found.content for found in find_json(text)]


def only(text: bytes | str) -> FoundJson:
    (found,) = find_json(text)
    return found


def first_entry(found: FoundJson) -> dict[str, Any]:
    jobs = found.content["jobs"]
    assert isinstance(jobs, list)
    return dict(jobs[0])


def test_a_file_that_is_one_document_is_it() -> None:
    text = captured("trimwrite.json").read_text("utf-8")
    assert only(text).content == json.loads(text)
    assert only(text).is_whole


@pytest.mark.parametrize("before", ["", "fio: say {\n", "é {}\n", '{"x": 1}', "\ufeff"])
@pytest.mark.parametrize("after", ["", "\n3;fio-3.33;", "é }\n", "}"])
def test_a_document_is_found_where_it_stands(before: str, after: str) -> None:
    text = before + SMALL + after
    assert parts(text) == [SMALL]
    assert contents(text) == [json.loads(SMALL)]


@pytest.mark.parametrize("between", ["", "\n", "$ fio job.fio\r\n", "{ , }"])
def test_each_of_several_documents_is_found(between: str) -> None:
    text = between.join([SMALL] * 3)
    assert parts(text) == [SMALL] * 3
    assert all(found.is_whole for found in find_json(text))


def test_documents_that_stand_in_others_are_found() -> None:
    text = json.dumps({"results": [json.loads(SMALL), json.loads(SMALL)]})
    assert contents(text) == [json.loads(SMALL)] * 2


def test_bytes_that_are_no_text_do_not_disturb() -> None:
    data = b"\xff\xfe" + SMALL.replace('"b"', '"\udce9"').encode(
        "utf-8", "surrogateescape"
    )
    found = only(data + b"\xff")
    assert data[found.start : found.end] == data[2:]
    assert found.content["jobs"] == [{"a": 1}, {"\N{REPLACEMENT CHARACTER}": 2}]


def test_half_a_character_becomes_a_mark() -> None:
    found = only(SMALL.replace('"b"', '"\\ud800"'))
    assert found.content["jobs"] == [{"a": 1}, {"\N{REPLACEMENT CHARACTER}": 2}]


def test_control_characters_in_strings_are_kept() -> None:
    found = only(SMALL.replace('"b"', '"x\n}\ty"'))
    assert found.content["jobs"] == [{"a": 1}, {"x\n}\ty": 2}]
    assert found.is_whole


@pytest.mark.parametrize("sign", ["nan", "-nan", "NaN", "inf", "-inf", "Infinity"])
def test_numbers_of_c_are_read_and_the_end_is_right(sign: str) -> None:
    text = SMALL.replace("1}", sign + ', "s": "\\": nan, inf"}')
    found = only(text + "after")
    assert text[found.start : found.end] == text
    entry = first_entry(found)
    assert entry["s"] == '": nan, inf'
    assert repr(entry["a"]) == repr(float(sign) if "nan" not in sign else float("nan"))


@pytest.mark.parametrize("digits", [20, 400, 10_000])
def test_a_number_of_any_length_is_read(digits: int) -> None:
    text = SMALL.replace("1}", "9" * digits + "}") + "!"
    entry = first_entry(only(text))
    assert entry["a"] == float("9" * digits)


@pytest.mark.parametrize("digits", [str(2**64 - 1), str(-(2**63)), str(2**63)])
def test_a_number_of_64_bits_is_read_exactly(digits: str) -> None:
    entry = first_entry(only(SMALL.replace("1}", digits + "}") + "!"))
    assert entry["a"] == int(digits)


@pytest.mark.parametrize(
    "data",
    [b"", b"no JSON", b"[1, 2]", b'{"jobs": []}', b"\x00\xff{", b'{"fio version": 3}'],
)
def test_there_is_none_in_what_is_not_fios(data: bytes) -> None:
    assert find_json(data) == []


@pytest.mark.parametrize(
    ("text", "entries", "lost"),
    [
        (SMALL[:-1], 2, "what follows jobs"),
        (SMALL[: SMALL.index("]")], 2, "jobs[2]"),
        (SMALL[: SMALL.index("2")], 1, "jobs[1]"),
        (SMALL[: SMALL.index("2") + 1], 1, "jobs[1]"),
        (SMALL[: SMALL.index(",\n    {")], 1, "jobs[1]"),
        (SMALL[: SMALL.index("1}")], 0, "jobs[0]"),
        (SMALL.replace("{" + '"b"', '"b"'), 1, "jobs[2]"),
        (SMALL.replace('"b"', "b"), 1, "jobs[1]"),
        (SMALL.replace("2}", "2x}"), 1, "jobs[1]"),
    ],
)
def test_whole_entries_alone_are_left_of_a_damaged_document(
    text: str, entries: int, lost: str
) -> None:
    found = only(text)
    jobs = found.content["jobs"]
    assert isinstance(jobs, list)
    whole = json.loads(SMALL)["jobs"]
    assert [job for job in jobs if isinstance(job, dict)] == whole[:entries]
    assert not found.is_whole
    (doubt,) = found.doubts
    assert (doubt.kind, doubt.place, doubt.is_grave) == ("truncated", lost, True)


@pytest.mark.parametrize("cut", [13, 27, 40, 55, 70])
def test_a_document_behind_one_that_was_cut_short_is_found(cut: int) -> None:
    for text in (SMALL[:cut] + SMALL, SMALL[:cut] + "\n" + SMALL + "\nend"):
        found = find_json(text)
        assert found[-1].content == json.loads(SMALL)
        assert found[-1].is_whole
        assert [one.is_whole for one in found[:-1]] in ([], [False])


@pytest.mark.parametrize("number", ["17", "17.5", "-1", "1e5", "nan", "true"])
def test_a_number_that_was_cut_is_not_taken_for_a_whole_one(number: str) -> None:
    start = '{"fio version" : "fio-3.33", "timestamp" : '
    assert "timestamp" not in only(start + number).content
    assert "timestamp" not in only(start + number + "x").content
    assert "timestamp" in only(start + number + ",").content


BIG = 200_000
ADVERSE = {
    "starts": '{"fio version":' * BIG,
    "documents": '{"fio version":"x",' * (BIG // 10),
    "lists": '{"fio version":"x","jobs":' + "[" * BIG,
    "objects": '{"fio version":"x","jobs":' + '{"a":' * BIG,
    "entries": '{"fio version":"x","jobs":[' + "{}," * BIG,
    "escapes": '{"fio version":"x","a":nan,"b":"' + '\\"' * BIG,
    "numbers": '{"fio version":"x","a":[' + "nan," * BIG,
    "digits": '{"fio version":"x","a":' + "9" * BIG + "}!",
    "spaces": ("{" + " " * 50) * (BIG // 10),
    "blanks": '{"fio version":"x",' + " " * (BIG * 50),
    "ends": '{"fio version":"x"' + "\n}" * BIG,
    "options": '{"fio version":"x","a":[' + '{"job options":"a"},' * BIG + "1]}",
    "colons": '{"fio version":"x","a":' + ": " * BIG,
}


@pytest.mark.parametrize("name", ADVERSE)
def test_no_text_takes_long(name: str) -> None:
    """Each takes well below a second; anything quadratic would take minutes."""
    started = time.process_time()
    with suppress(FioOutputError):
        find_json(ADVERSE[name])
    assert time.process_time() - started < 10


@given(st.binary() | st.text().map(str.encode))
def test_nothing_is_raised_whatever_is_given(data: bytes) -> None:
    find_json(data)
    for found in find_json(b'{"fio version":"x",' + data):
        assert found.content["fio version"] == "x"
