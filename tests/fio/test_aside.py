"""Values on which no result rests: a wrong one is a doubt about itself alone."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ssdlab.fio.document import Doubt, FioDocument
from ssdlab.fio.from_json.parse import parse_document
from ssdlab.fio.measure import measure
from ssdlab.fio.output import parse_output
from tests.fio.samples import captured
from tests.paths import ROOT

Json = dict[str, Any]
DATA = ROOT / "tests" / "data"
DISK = {
    "name": "sda",
    "read_ios": 5,
    "write_ios": 6,
    "read_merges": 0,
    "write_merges": 0,
    "read_ticks": 7,
    "write_ticks": 8,
    "in_queue": 9,
    "util": 99.5,
}
UNWRAPPED = 2**64 - 4  # what fio's text prints for -4


def content() -> Json:
    found: Json = json.loads(captured("randrw.json").read_bytes())
    return found | {"disk_util": [dict(DISK)]}


def strictly(changed: Json) -> FioDocument:
    return parse_document(json.dumps(changed), source="cell.json")


def leniently(text: str) -> FioDocument:
    (document,) = parse_output(text.encode(), source="text")
    return document


def only_aside(document: FioDocument) -> list[Doubt]:
    """Return the doubts about values that cannot be; none of them is grave."""
    assert not [doubt for doubt in document.doubts if doubt.is_grave]
    kinds = {"bad-value", "missing-value", "unreadable-line"}
    return [doubt for doubt in document.doubts if doubt.kind in kinds]


def test_a_counter_of_the_kernel_that_wrapped_is_a_doubt_about_it_alone() -> None:
    changed = content()
    changed["disk_util"][0]["in_queue"] = -4
    document = strictly(changed)
    (disk,) = document.disks
    assert (disk.in_queue_ms, disk.write_ticks_ms) == (None, 8)
    (doubt,) = only_aside(document)
    assert doubt.place == "disk_util[0].in_queue"
    assert doubt.meaning == "is -4, which is not a count (disk 'sda')"
    assert measure(document).measurements == measure(strictly(content())).measurements


@pytest.mark.parametrize(
    ("change", "place"),
    [
        (("jobname", 7), "jobname"),
        (("jobname", None), "jobname"),
        (("usr_cpu", "much"), "usr_cpu"),
        (("elapsed", -1), "elapsed"),
        (("job_start", "soon"), "job_start"),
        (("sync", 7), "sync"),
        (("steadystate", 7), "steadystate"),
        (("job options", 7), "job options"),
        (("job options", [7]), "job options[0]"),
    ],
    ids=str,
)
def test_a_value_of_a_job_that_no_result_rests_on_refuses_nothing(
    change: tuple[str, object], place: str
) -> None:
    key, value = change
    changed = content()
    changed["jobs"][0][key] = value
    document = strictly(changed)
    (doubt,) = only_aside(document)
    assert doubt.place == f"jobs[0].{place}"
    before = measure(strictly(content())).measurements
    for row, other in zip(measure(document).measurements, before, strict=True):
        assert {k: v for k, v in row.items() if not k.endswith("cpu_percent")} == {
            k: v for k, v in other.items() if not k.endswith("cpu_percent")
        }


@pytest.mark.parametrize("key", ["iops_stddev", "bw_dev", "bw_samples", "iops_mean"])
def test_rates_that_fio_sampled_are_not_the_rate(key: str) -> None:
    changed = content()
    changed["jobs"][0]["read"][key] = -1
    document = strictly(changed)
    (doubt,) = only_aside(document)
    assert doubt.place == f"jobs[0].read.{key}"


_ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from([*DISK, "aggr_util", "x"]), inner, max_size=5)
    ),
    max_leaves=8,
)


@settings(max_examples=200, deadline=None)
@given(said=st.lists(_ANYTHING, max_size=3) | _ANYTHING)
def test_whatever_stands_for_the_disks_changes_no_result(said: object) -> None:
    document = strictly(content() | {"disk_util": said})
    assert measure(document).measurements == measure(strictly(content())).measurements


def test_more_doubts_than_are_kept_are_as_grave_as_the_gravest() -> None:
    many = [dict(DISK, name=f"sd{n}", in_queue=-n, util=-1) for n in range(1, 700)]
    document = strictly(content() | {"disk_util": many})
    last = document.doubts[-1]
    assert (last.place, last.is_grave) == ("from here on", False)


@pytest.mark.parametrize("number", ["-4", str(UNWRAPPED)])
@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("normal-3.1.txt", ", in_queue=9810,", ", in_queue={},"),
        ("normal-2.1.txt", "aggrin_queue=110000,", "aggrin_queue={},"),
        ("terse-disks.txt", ";705;99.10%", ";{};99.10%"),
    ],
    ids=["normal", "members", "terse"],
)
def test_a_counter_that_wrapped_costs_no_result_of_a_text(
    name: str, old: str, new: str, number: str
) -> None:
    text = (DATA / name).read_text("utf-8")
    assert text.count(old) == 1
    before = leniently(text)
    document = leniently(text.replace(old, new.format(number)))
    assert document.is_whole
    (doubt,) = only_aside(document)
    assert f"is {number}, which is not a count (disk" in doubt.meaning
    assert [d.name for d in document.disks] == [d.name for d in before.disks]
    assert document.jobs[0].sides.keys() == before.jobs[0].sides.keys()


def test_a_line_of_a_disk_that_is_not_fios_costs_no_result_of_a_text() -> None:
    text = (DATA / "normal-3.1.txt").read_text("utf-8").rstrip("\n")
    head, _, last = text.rpartition("\n")
    assert " ios=" in last
    document = leniently(f"{head}\n{last.replace('util=', 'busy=')}\n")
    assert document.is_whole
    (doubt,) = only_aside(document)
    assert doubt.kind == "unreadable-line"


def test_a_sampled_rate_that_cannot_be_read_costs_no_result_of_a_text() -> None:
    text = (DATA / "normal-3.1.txt").read_text("utf-8")
    assert "iops        : min=" in text
    document = leniently(text.replace("iops        : min=", "iops        : min=x", 1))
    assert document.is_whole
    (doubt,) = only_aside(document)
    assert doubt.kind == "unreadable-line"
