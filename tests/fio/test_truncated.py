"""Outputs that were truncated or damaged: whole entries or nothing, and no number."""

import gzip
import json
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from ssdlab.fio.document import FioDocument, FioJob
from ssdlab.fio.doubts import find_doubts
from ssdlab.fio.from_json.parse import (
    document_from_json,
    parse_document,
    parse_documents,
)
from ssdlab.fio.from_json.scan import iterate_json
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import captured, form_path

FILES = {
    "randrw": captured("randrw.json"),
    "prefix": captured("err_open.json"),
    "both": captured("unified_both.json"),
    "status": captured("status-interval.json.gz"),
    "old": form_path("2.16-jsonplus"),
    "clients": form_path("3.41-clients"),
    "md": form_path("3.16-md"),
}


@cache
def bytes_of(name: str) -> bytes:
    data = FILES[name].read_bytes()
    return gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data


def lenient(data: bytes) -> list[FioDocument]:
    documents = [document_from_json(found, source="x") for found in iterate_json(data)]
    for document in documents:
        find_doubts(document)
    return documents


def essence(job: FioJob) -> tuple[Any, ...]:
    """Return what can be compared of an entry."""
    sides = [
        (
            *(side.direction, side.io_bytes, side.total_ios, side.runtime_ms),
            *(repr(side.iops), repr(side.bw_bytes_per_s)),
            *(repr(latency.summary) for latency in side.latencies.values()),
            *(repr(latency.percentiles) for latency in side.latencies.values()),
        )
        for side in job.sides.values()
    ]
    return (job.name, job.hostname, job.group_id, job.error, job.options, sides)


@cache
def whole_entries(name: str) -> list[list[tuple[Any, ...]]]:
    return [
        [essence(job) for job in document.jobs] for document in lenient(bytes_of(name))
    ]


@pytest.mark.parametrize("name", FILES)
@given(share=st.floats(0, 1, exclude_max=True))
@example(share=0.0)
@example(share=1 - 1e-9)
@settings(max_examples=60, deadline=None)
def test_a_cut_leaves_whole_entries_or_nothing(name: str, share: float) -> None:
    data = bytes_of(name).rstrip()
    cut = data[: int(len(data) * share)]
    documents = lenient(cut)
    expected = whole_entries(name)
    assert len(documents) <= len(expected)
    for document, entries in zip(documents, expected, strict=False):
        found = [essence(job) for job in document.jobs]
        assert found == entries[: len(found)]
        assert (
            document.is_whole == (not document.doubts) == (found == entries)
            or not document.is_whole
        )
    if documents and not documents[-1].is_whole:
        assert any(doubt.kind == "truncated" for doubt in documents[-1].doubts)


@pytest.mark.parametrize("name", FILES)
@given(share=st.floats(0, 1, exclude_max=True))
@settings(max_examples=30, deadline=None)
def test_what_was_cut_is_refused_where_it_must_be_whole(
    name: str, share: float
) -> None:
    data = bytes_of(name).rstrip()
    cut = data[: int(len(data) * share)]
    try:
        documents = parse_documents(cut)
    except FioOutputError:
        return
    whole = lenient(bytes_of(name))
    assert len(documents) < len(whole)  # cut between two documents of several


@pytest.mark.parametrize("name", FILES)
@given(place=st.integers(0, 10**6), value=st.integers(0, 255))
@settings(max_examples=150, deadline=None)
def test_a_changed_byte_raises_nothing_else(name: str, place: int, value: int) -> None:
    data = bytearray(bytes_of(name))
    data[place % len(data)] = value
    lenient(bytes(data))
    with suppress(FioOutputError):
        parse_document(bytes(data))


def test_every_cut_of_a_small_document_is_read() -> None:
    data = captured("one_io.json").read_bytes().rstrip()
    for size in range(len(data)):
        documents = lenient(data[:size])
        assert all(not document.is_whole for document in documents)
        assert all(len(document.jobs) <= 1 for document in documents)


def values_of(value: object, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    if isinstance(value, dict):
        children = list(value.items())
    elif isinstance(value, list):
        children = list(enumerate(value))
    else:
        return [path]
    deeper = [
        spot for key, child in children for spot in values_of(child, (*path, key))
    ]
    return [path, *deeper] if path else deeper


@cache
def spots(name: str) -> list[tuple[Any, ...]]:
    return values_of(json.loads(bytes_of(name)))


ODD: st.SearchStrategy[object] = st.sampled_from([
    None,
    True,
    -1,
    2**70,
    1.5,
    "x",
    [],
    {},
    [[]],
    1e300,
    {"a": {}},
])


@pytest.mark.parametrize("name", ["randrw", "old", "clients", "md", "both"])
@given(data=st.data(), odd=ODD)
@settings(max_examples=150, deadline=None)
def test_a_value_of_any_kind_is_read_or_a_doubt(
    name: str, data: st.DataObject, odd: object
) -> None:
    content = json.loads(bytes_of(name))
    path = data.draw(st.sampled_from(spots(name)))
    holder = content
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = odd
    lenient(json.dumps(content).encode())


@pytest.mark.parametrize("name", ["randrw", "old", "clients", "md", "both"])
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_value_that_is_gone_is_read_or_a_doubt(
    name: str, data: st.DataObject
) -> None:
    content = json.loads(bytes_of(name))
    path = data.draw(st.sampled_from(spots(name)))
    holder = content
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    lenient(json.dumps(content).encode())


def lacking(path: tuple[Any, ...], file: Path) -> FioDocument:
    content = json.loads(file.read_bytes())
    holder = content
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    (document,) = lenient(json.dumps(content).encode())
    return document


def test_a_missing_number_is_none_and_the_rest_is_read() -> None:
    path = ("jobs", 0, "read", "total_ios")
    document = lacking(path, captured("randrw.json"))
    (doubt,) = document.doubts
    assert (doubt.kind, doubt.place) == ("missing-value", "jobs[0].read.total_ios")
    assert (doubt.meaning, doubt.is_grave) == ("is missing (job 'cell')", True)
    read, write = (document.jobs[0].sides[name] for name in ("read", "write"))
    assert read.total_ios is None
    assert read.io_bytes == 10653696
    assert write.total_ios == 1401


@pytest.mark.parametrize("key", ["error", "groupid"])
def test_a_missing_number_of_an_entry_is_none(key: str) -> None:
    document = lacking(("jobs", 0, key), captured("randrw.json"))
    job = document.jobs[0]
    assert None in {job.error, job.group_id}
    assert [doubt.place for doubt in document.doubts] == [f"jobs[0].{key}"]


def test_a_missing_entry_list_is_a_doubt() -> None:
    document = lacking(("jobs",), captured("randrw.json"))
    assert document.jobs == ()
    assert [doubt.place for doubt in document.doubts] == ["jobs"]


def test_doubts_are_bounded_where_everything_is_wrong() -> None:
    data = b'{"fio version": "fio-3.33", "jobs": [' + b"{}," * 9_000 + b"{}]}"
    (document,) = lenient(data)
    assert len(document.doubts) == 1001
    assert document.doubts[-1].place == "from here on"


def test_the_error_of_a_cut_document_says_what_was_lost() -> None:
    data = captured("randrw.json").read_bytes()
    with pytest.raises(FioOutputError, match=r"jobs\[0\]: the JSON is damaged"):
        parse_document(data[:2000], source="cell.json")


def test_a_document_that_was_cut_is_refused_though_a_whole_one_follows() -> None:
    data = captured("randrw.json").read_bytes()
    with pytest.raises(FioOutputError, match="damaged or truncated"):
        parse_document(data[:2000] + data)
