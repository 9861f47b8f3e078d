"""Suites in FioSynth's format: values per TB, templates, cycles; what is refused."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.jobs.jobspec import parse_job_file
from ssdlab.model.errors import UserFileError
from ssdlab.model.spec import Histogram, Precondition, Purge, Rounds, Stimulus
from ssdlab.procedures.jobs.fiosynth import FioSynthSuite, read_fiosynth, scale_of
from ssdlab.procedures.jobs.spec import JobChoices, suite_procedure

TB = 10**12
MIX = """
[global]
ioengine=${IOENGINE}
time_based
runtime=${TIME}
numjobs=${JOBS}
loops=1000
[reads]
rate=${RRATE}m,
rw=randread
iodepth=${DEPTH}
bssplit=${BLKSIZE}
offset=${OFFSET2}m
filename=${DEV}
[writes]
startdelay=2s
rw=randwrite
thinktime=${W1THINK}
thinktime_blocks=16
blocksize=512K
filename=${DEV}
"""
TEMPLATES = {
    "mix.fio": MIX,
    "prep.fio": "[global]\nrw=write\nblocksize=${BLKSIZE}\nsize=100%\nloops=2\n"
    "iodepth=${DEPTH}\n[a]\nfilename=${DEV}\n",
    "prep_rand.fio": "[global]\nrw=randwrite\nbs=4k\nsize=100%\niodepth=8\n[a]\n",
    "trim.fio": "[global]\nrw=trim\nbs=1G\nloops=2\n[a]\n",
    "steady.fio": "[global]\nrw=randwrite\nss=bw_slope:0.1%\nss_dur=300\n"
    "ss_ramp=600\nloops=20\n[a]\nfilename=${DEV}\n",
    "listed.fio": "[global]\nrw=randread\ntime_based\nruntime=9\n",
}
VALUES = {
    "TIME": "600",
    "BLKSIZE": "4096/60:16384/40",
    "DEPTH": 13,
    "RRATE": 69,
    "W1THINK": 12800,
    "OFFSET2": 1000,
}


def wanted(alias: str, template: str = "mix.fio", **values: object) -> dict[str, Any]:
    return {"alias": alias, "template": template, "values": {**VALUES, **values}}


def suite(*workloads: dict[str, Any], **more: object) -> dict[str, Any]:
    return {"def": list(workloads), "run_cycles": 1, "precondition_cycles": 1, **more}


def read(
    data: Mapping[str, Any] | str,
    *,
    capacity: int = 4 * TB,
    choices: JobChoices | None = None,
) -> FioSynthSuite:
    text = data if isinstance(data, str) else json.dumps(data)
    return read_fiosynth(
        text,
        source="Mixed",
        capacity_bytes=capacity,
        read_template=TEMPLATES.__getitem__,
        choices=choices,
    )


def options_of(found: FioSynthSuite, place: int = 0) -> list[dict[str, str | None]]:
    job_file = parse_job_file(found.entries[place].text, source="x")
    return [job_file.resolved(number) for number in range(len(job_file.jobs))]


def test_values_are_those_of_the_suite_times_the_capacity_in_tb() -> None:
    reads, writes = options_of(read(suite(wanted("a")), capacity=1_920_383_410_176))
    assert reads["rate"] == "131m,"  # 69 x 1.9
    assert reads["iodepth"] == "24"  # 13 x 1.9
    assert writes["thinktime"] == "6736"  # 12800 / 1.9
    assert reads["offset"] == "1900m"
    assert reads["bssplit"] == "4096/60:16384/40"
    assert reads["runtime"] == "600"
    assert (reads["ioengine"], reads["numjobs"]) == ("io_uring", "1")
    assert "filename" not in reads


def test_suite_that_is_not_scaled_keeps_its_values_but_the_offset() -> None:
    reads, writes = options_of(read(suite(wanted("a"), scale_by_capacity="N")))
    assert (reads["rate"], reads["iodepth"]) == ("69m,", "13")
    assert (writes["thinktime"], reads["offset"]) == ("12800", "4000m")


@given(st.integers(1, 400), st.integers(1, 10**6))
def test_scaled_values_are_never_less_than_1(tenths: int, value: int) -> None:
    found = read(
        suite(wanted("a", RRATE=value, W1THINK=value)), capacity=tenths * TB // 10
    )
    reads, writes = options_of(found)
    factor = max(round(tenths / 10, 1), 0.1)
    assert reads["rate"] == f"{max(1, int(value * factor))}m,"
    assert writes["thinktime"] == str(max(1, int(value / factor)))


def test_scale_is_the_capacity_to_a_tenth_of_a_tb() -> None:
    assert [scale_of(size) for size in (10**9, 64 * 2**30, 960 * 10**9)] == [
        *(0.1, 0.1, 1.0)
    ]


def phases(found: FioSynthSuite) -> list[tuple[str, list[type]]]:
    asked = suite_procedure(found.entries, title="Mixed", source="Mixed")
    return [(test.title, [type(one) for one in test.phases]) for test in asked.tests]


def test_workload_is_one_long_run_after_a_purge_and_what_stands_before() -> None:
    found = read(
        suite(
            wanted("low"),
            wanted("high"),
            pre=[wanted("fill", "prep.fio", BLKSIZE="128K"), wanted("warm", TIME="60")],
        )
    )
    assert phases(found) == [
        ("warm, preconditioning", [Purge, Precondition, Purge, Histogram]),
        ("low", [Histogram]),
        ("high", [Histogram]),
    ]
    fill = found.entries[0].before[1]
    assert isinstance(fill, Precondition)
    assert (fill.block_size_bytes, fill.capacity_multiple) == (131072, 2.0)
    assert [one.choices.long_seconds for one in found.entries] == [60, 600, 600]


def test_writes_and_trims_of_the_whole_device_among_workloads_are_phases() -> None:
    found = read(
        suite(wanted("t", "trim.fio"), wanted("r", "prep_rand.fio"), wanted("a"))
    )
    assert phases(found) == [("a", [Purge, Stimulus, Histogram])]


@pytest.mark.parametrize(("only_first", "prepared"), [("Y", 1), ("N", 3)])
def test_cycles_repeat_the_whole_suite(only_first: str, prepared: int) -> None:
    found = read(
        suite(
            wanted("a"),
            pre=[wanted("p")],
            run_cycles=3,
            precondition_first_cycle_only=only_first,
        )
    )
    names = [one.name for one in found.entries]
    assert names.count("a, cycle 2") == 1
    assert sum("preconditioning" in name for name in names) == prepared
    assert len(names) == 3 + prepared


def test_rule_of_steady_state_of_a_template_gives_way_to_that_of_the_pts() -> None:
    found = read(suite(wanted("s", "steady.fio")))
    assert phases(found) == [("s", [Rounds])]
    assert found.entries[0].choices.tracked == ("bw",)
    assert not {"steadystate", "loops"} & options_of(found)[0].keys()
    assert any("takes the place of fio's own rule" in note for note in found.notes)


def test_steady_state_that_is_asked_for_replaces_the_long_run() -> None:
    asked = JobChoices(tracked=("iops",), seconds=30.0, max_rounds=9)
    found = read(suite(wanted("a"), pre=[wanted("p")]), choices=asked)
    before, measured = (one.choices for one in found.entries)
    assert (before.max_rounds, before.long_seconds) == (0, 600)
    assert (measured.tracked, measured.seconds) == (("iops",), 30.0)
    assert (measured.max_rounds, measured.long_seconds) == (9, 0)


def test_devices_that_are_listed_after_the_template_are_one_job() -> None:
    found = read(suite(wanted("a", "listed.fio"), devices_in_global="N"))
    assert len(options_of(found)) == 1


BAD: dict[str, tuple[object, str]] = {
    "no JSON": ("{", "it is not JSON"),
    "no suite": ("[]", "it is not a suite"),
    "nothing": ({"def": []}, "it has no workload"),
    "no list": ({"def": {}}, "def is no list"),
    "no alias": ({"def": [{"template": "mix.fio"}]}, "has no alias or template"),
    "no values": ({"def": [{"alias": "a", "template": "mix.fio"}]}, "has no values"),
    "path": (suite(wanted("a", "../../etc/passwd")), "is not a plain name"),
    "folder": (suite(wanted("a", "x/y.fio")), "is not a plain name"),
    "cycles": (suite(wanted("a"), run_cycles=10**9), "run_cycles is"),
    "text": (suite(wanted("a", DEPTH="many")), "DEPTH is 'many' and not a number"),
    "infinite": (suite(wanted("a", RRATE="1e999")), "RRATE is '1e999'"),
    "nan": (suite(wanted("a", RRATE="nan")), "RRATE is 'nan'"),
    "line": (suite(wanted("a", TIME="5\nexec_prerun=reboot")), "TIME is not a plain"),
    "lacking": (
        {"def": [{"alias": "a", "template": "mix.fio", "values": {}}]},
        "its template needs the value TIME",
    ),
    "fill last": (suite(wanted("a", "prep.fio", BLKSIZE="4k")), "measures nothing"),
}


@pytest.mark.parametrize("name", BAD)
def test_bad_suite_is_refused_in_one_sentence(name: str) -> None:
    data, words = BAD[name]
    with pytest.raises(UserFileError) as caught:
        read(data)  # type: ignore[arg-type] # what is wrong is the point
    said = str(caught.value)
    assert words in said
    assert said.startswith("Mixed: ")
    assert len(said.splitlines()) == 1
