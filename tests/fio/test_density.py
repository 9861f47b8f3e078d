import gzip
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.from_json.density import find_excess
from ssdlab.fio.output import parse_output
from ssdlab.fio.read import read_fio
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import captured

HEAD = b'{"fio version":"fio-3.33",'
OUTPUT = captured("randrw.json").read_bytes()
DENSE = {
    "lists": HEAD + b'"x":[' + b"[]," * 1_000_001 + b"0]}",
    "objects": HEAD + b'"x":[' + b"{}," * 1_000_001 + b"0]}",
    "jobs": HEAD + b'"jobs":[' + b"{}," * 1_000_001 + b"{}]}",
    "cut short": HEAD + b'"x":[' + b"[]," * 1_000_001,
    "numbers": HEAD + b'"x":[' + b"0," * 1_000_001 + b"0]}",
    "documents": b'{"fio version":"fio-3.33"}\n' * 10_001,
    "beginnings": HEAD * 10_001,
}


@pytest.mark.parametrize("name", DENSE)
def test_json_denser_than_what_fio_writes_is_refused_soon(name: str) -> None:
    begun_s = time.process_time()
    with pytest.raises(FioOutputError, match="which fio never writes"):
        read_fio(gzip.compress(DENSE[name], 1))
    assert time.process_time() - begun_s < 2


def test_what_is_packed_otherwise_is_refused_as_well() -> None:
    with pytest.raises(FioOutputError, match="which fio never writes"):
        parse_output(DENSE["lists"].decode().encode("utf-16"), source="fio output")


@given(count=st.integers(1, 500))
def test_output_of_fio_is_never_refused_however_often_it_is_repeated(
    count: int,
) -> None:
    assert find_excess(OUTPUT * count) is None
