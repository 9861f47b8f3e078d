"""The kernel that takes bins out of a document gives what the decoder would."""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.bins import BIN_COUNT, bin_value
from ssdlab.fio.document import FioDocument
from ssdlab.fio.from_json import taken_bins
from ssdlab.fio.from_json.parse import document_from_json
from ssdlab.fio.from_json.scan import FoundJson, iterate_json
from ssdlab.fio.from_json.taken_bins import TakenBins
from ssdlab.fio.kernels import load_scanner
from ssdlab.native.kernels import WORTH_BYTES
from tests.fio.samples import captured


@pytest.fixture(autouse=True, scope="module")
def kernel() -> Iterator[None]:
    if load_scanner("from_json/bins_scan", work_bytes=WORTH_BYTES) is None:
        pytest.skip("there is no compiler, so there is no kernel to compare with")
    taken_bins._scanner.cache_clear()
    yield
    taken_bins._scanner.cache_clear()


def decode_without_bins(data: bytes) -> Any:
    taken = taken_bins.decode_without_bins(data)
    return None if taken is None else taken[0]


def document(bins: str, *, version: str = "fio-3.33") -> bytes:
    text = captured("randrw.json").read_text("utf-8")
    content = json.loads(text)
    content["fio version"] = version
    content["jobs"][0]["read"]["lat_ns"]["bins"] = "HERE"
    return json.dumps(content).replace('"HERE"', bins).encode()


def plain(content: object) -> Any:
    """Return the content with its bins as the decoder gives them."""
    match content:
        case TakenBins(lat_ns=names, counts=counts):
            pairs = zip(names.tolist(), counts.tolist(), strict=True)
            return {str(name): count for name, count in pairs}
        case dict():
            return {key: plain(value) for key, value in content.items()}
        case list():
            return [plain(value) for value in content]
        case _:
            return content


def without_empty_bins(content: object) -> Any:
    """Return what the decoder gives, without the bins that hold no IO."""
    if isinstance(content, list):
        return [without_empty_bins(value) for value in content]
    if not isinstance(content, dict):
        return content
    whole = {key: without_empty_bins(value) for key, value in content.items()}
    if isinstance(bins := whole.get("bins"), dict):
        whole["bins"] = {name: count for name, count in bins.items() if count}
    return whole


def read(data: bytes) -> FioDocument:
    (found,) = iterate_json(data)
    return document_from_json(found, source="made")


def read_without_kernel(data: bytes) -> FioDocument:
    content = json.loads(data)
    found = FoundJson(content=content, start=0, end=len(data), is_whole=True, doubts=())
    return document_from_json(found, source="made")


def all_bins(document: FioDocument) -> list[tuple[str, str, Any, Any]]:
    return [
        (side.direction, kind, bins.lat_ns.tolist(), bins.counts.tolist())
        for job in document.jobs
        for side in job.sides.values()
        for kind, latency in side.latencies.items()
        if (bins := latency.bins) is not None
    ]


def test_a_captured_document_is_the_same_with_the_kernel_and_without() -> None:
    data = captured("randrw.json").read_bytes()
    taken = decode_without_bins(data)
    assert taken is not None
    assert plain(taken) == json.loads(data)
    assert all_bins(read(data)) == all_bins(read_without_kernel(data))


def test_every_name_of_a_bin_is_known_and_no_other() -> None:
    names = set(bin_value(np.arange(BIN_COUNT)).tolist())
    near = {name + step for name in names for step in (-2, -1, 0, 1, 2)}
    known = {
        name
        for name in near
        if name >= 0 and decode_without_bins(document(f'{{"{name}": 1}}')) is not None
    }
    assert known == names


@given(
    bins=st.dictionaries(
        st.integers(0, BIN_COUNT - 1).map(lambda index: int(bin_value(index))),
        st.integers(1, 2**48 - 1),
    ),
    blanks=st.text(" \t\r\n", max_size=3),
)
def test_bins_are_taken_as_the_decoder_reads_them(
    bins: dict[int, int], blanks: str
) -> None:
    pairs = f",{blanks}".join(
        f'"{name}"{blanks}:{blanks}{bins[name]}' for name in sorted(bins)
    )
    data = document(f"{{{blanks}{pairs}{blanks}}}")
    taken = decode_without_bins(data)
    assert taken is not None
    assert plain(taken) == json.loads(data)


def test_empty_bins_hold_no_io() -> None:
    taken = decode_without_bins(document('{"118": 0, "120": 2}'))
    assert taken is not None
    assert plain(taken)["jobs"][0]["read"]["lat_ns"]["bins"] == {"120": 2}


@pytest.mark.parametrize(
    "bins",
    [
        '{"120": 1, "118": 2}',
        '{"118": 1, "118": 2}',
        '{"118": -1}',
        '{"118": 1.5}',
        '{"118": 281474976710656}',
        '{"0118": 1}',
        '{"118": 01}',
        '{"1e3": 1}',
        '{"118": "1"}',
        '{"118": 1,}',
        '{"118": 1',
        "[0]",
        '{"130": 1}',
        '{"17179869184": 1}',
        '{"FIO_IO_U_PLAT_BITS": 6}',
        '{"1111111111111111111": 1}',
    ],
)
def test_what_fio_does_not_print_is_left_to_the_decoder(bins: str) -> None:
    assert decode_without_bins(document(bins)) is None


def test_bins_of_fio_2_are_left_to_the_decoder() -> None:
    assert decode_without_bins(document('{"118": 1}', version="fio-2.16")) is None


@pytest.mark.parametrize(
    "text",
    [
        '{"fio version": "fio-3.33", "bins": {"1": 2}}',
        '{"fio version": "fio-3.33", "x": "say \\"bins\\" : {"}',
        '{"fio version": "fio-3.33", "x": "a, \\"bins" : {"1": 2}}',
        '{"fio version": "fio-3.33", "jobs": [{"read": {"lat_ns": {"bins": [0]}}}]}',
    ],
)
def test_bins_in_another_place_are_not_taken(text: str) -> None:
    data = text.encode()
    taken = decode_without_bins(data)
    assert taken is None or taken == json.loads(data)


@given(st.binary(max_size=200), st.integers(0, 2**16))
def test_damage_never_makes_other_bins(noise: bytes, at: int) -> None:
    data = document('{"118": 1, "120": 2}')
    place = at % len(data)
    damaged = data[:place] + noise + data[place + len(noise) :]
    taken = decode_without_bins(damaged)
    if taken is not None:
        assert plain(taken) == without_empty_bins(json.loads(damaged))
