"""Text with more marks of fio than fio prints, which would take minutes to read."""

import json
import tracemalloc

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.marks import require_plausible
from ssdlab.fio.output import parse_output
from ssdlab.fio.read import read_fio
from ssdlab.model.errors import FioOutputError
from tests.fio.samples import DATA
from tests.fio.test_appended import normal, terse

MANY = 25_000
LINES = {
    "entries": "a: (groupid=0, jobs=1): err= 0\n",
    "definitions": "a: (g=0): rw=read, bs=4K\n",
    "prefixed": "# a: (groupid=0, jobs=1): err= 0\n",
    "terse in a row": "3;fio-3.33;a;0;0;1;2;",
    "versions": '"fio version"\n',
    "a log in JSON": '{"log":"a: (g=0): rw=read"}\n',
}
DENSE = {name: line * MANY for name, line in LINES.items()} | {
    "in a string": json.dumps({"stdout": LINES["entries"] * MANY}),
    "hidden in a string": '{"a": "x: (g=0): rw="}\n["'
    + "a: \\u0028groupid=0, jobs=1): err= 0\\n" * MANY
    + '"]',
    "lists beside a string": '["\\"fio version\\"",' + "[]," * 1_000_001 + "0]",
}
PRINTED = {
    "normal": normal(300),
    "terse": terse(300, disk_ios=3),
    "old": (DATA / "normal-2.1.txt").read_text(),
}


@pytest.mark.parametrize("name", DENSE)
def test_text_denser_in_marks_than_fio_prints_is_refused(name: str) -> None:
    with pytest.raises(FioOutputError, match="which fio never writes") as caught:
        read_fio(DENSE[name].encode())
    assert str(caught.value).count("\n") == 0


@pytest.mark.parametrize("name", sorted(LINES.keys() - {"a log in JSON"}))
def test_it_is_refused_before_its_lines_are_read(name: str) -> None:
    """The text is held thrice; its lines, once read, take 5 to 40 times as much."""
    data = DENSE[name].encode()
    tracemalloc.start()
    with pytest.raises(FioOutputError):
        parse_output(data, source="x")
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak_bytes < 4 * len(data)


@settings(deadline=None, max_examples=20)
@given(name=st.sampled_from(sorted(PRINTED)), count=st.integers(1, 30_000))
def test_what_fio_prints_is_never_refused_however_often(name: str, count: int) -> None:
    require_plausible(PRINTED[name] * count, "x")


def test_commas_and_brackets_within_strings_are_not_weighed() -> None:
    text = json.dumps({"stdout": PRINTED["terse"] + "0,[1,{}\n" * 400_000})
    assert len(parse_output(text.encode(), source="x")) == 1
