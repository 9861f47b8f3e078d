import gzip
import tracemalloc
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.from_json.density import Scale
from ssdlab.fio.from_json.parse import parse_document, parse_documents
from ssdlab.fio.output import parse_output
from ssdlab.fio.read import read_fio
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import captured

HEAD = b'{"fio version":"fio-3.33",'
IDLE_JOB = b'{"read":{}' + b" " * 300 + b"},"
OUTPUT = captured("randrw.json").read_bytes()
ROWS = b"1000, 20500, 0, 4096, 0\n" * 300_000
DENSE = {
    "lists": HEAD + b'"x":[' + b"[]," * 1_000_001 + b"0]}",
    "objects": HEAD + b'"x":[' + b"{}," * 1_000_001 + b"0]}",
    "jobs": HEAD + b'"jobs":[' + b"{}," * 1_000_001 + b"{}]}",
    "truncated": HEAD + b'"x":[' + b"[]," * 1_000_001,
    "seemingly short": HEAD + b'"x":{\n},"y":[' + b"[]," * 1_000_001 + b"0]}",
    "short in a string": HEAD + b'"x":"\n}","y":[' + b"[]," * 1_000_001 + b"0]}",
    "idle jobs": HEAD + b'"jobs":[' + IDLE_JOB * 10_001 + b"0]}",
    "cut jobs": HEAD + b'"jobs":[' + IDLE_JOB * 10_001,
    "numbers": HEAD + b'"x":[' + b"0," * 1_000_001 + b"0]}",
    "in many": (HEAD + b'"x":[' + b"[]," * 100_000 + b"0]}\n") * 14,
    "documents": b'{"fio version":"fio-3.33"}\n' * 10_001,
    "beginnings": HEAD * 10_001,
}
READERS: dict[str, Callable[[bytes], object]] = {
    "read_fio": lambda data: read_fio(gzip.compress(data, 1)),
    "parse_document": parse_document,
    "parse_documents": parse_documents,
    "as text": lambda data: parse_document(data.decode()),
    "as UTF-16": lambda data: parse_output(data.decode().encode("utf-16"), source="x"),
}


@pytest.mark.parametrize("reader", READERS)
@pytest.mark.parametrize("name", DENSE)
def test_json_denser_than_what_fio_writes_is_refused(name: str, reader: str) -> None:
    with pytest.raises(FioOutputError, match="which fio never writes"):
        READERS[reader](DENSE[name])


@pytest.mark.parametrize(
    "name", ["lists", "objects", "jobs", "truncated", "in many", "numbers"]
)
def test_it_is_refused_before_it_takes_many_times_its_size(name: str) -> None:
    tracemalloc.start()
    with pytest.raises(FioOutputError):
        parse_output(DENSE[name], source="x")
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 8 * len(DENSE[name])


@pytest.mark.parametrize("text", [OUTPUT + ROWS, ROWS + OUTPUT, OUTPUT + ROWS + OUTPUT])
def test_dense_text_beside_it_is_not_weighed(text: bytes) -> None:
    assert len(parse_output(text, source="x")) == text.count(b'"fio version"')


@settings(deadline=None)
@given(sizes=st.lists(st.integers(1, 50), max_size=20))
def test_output_of_fio_is_never_refused_however_often_it_is_repeated(
    sizes: list[int],
) -> None:
    scale = Scale("x")
    for size in sizes:
        scale.count_document(len(OUTPUT))
        scale.put(OUTPUT * size)
