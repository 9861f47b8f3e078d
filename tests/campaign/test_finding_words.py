"""What a record says in words becomes findings, whichever version wrote it."""

from dataclasses import replace

import pytest

from ssdlab.analysis.findings.finding import FINDING_KINDS
from ssdlab.campaign.conformance import find_run_departures
from ssdlab.campaign.finding_words import recorded_findings
from ssdlab.campaign.request import procedure_as_dict
from ssdlab.model.records import RunRecord, TargetIdentity
from ssdlab.model.spec import Procedure
from ssdlab.pts.departures import find_departures
from ssdlab.pts.profiles import PROFILES, Profile, find_profile, profile_as_dict
from ssdlab.targets.block_opening import LOOP_DEPARTURES
from ssdlab.targets.file import FILE_DEPARTURES
from ssdlab.targets.shape import Shape
from ssdlab.targets.virtual import VIRTUAL_DEPARTURES
from tests.store.folders import record

GIB = 2**30
COMPOSITE = (
    "composite blocks of CBW below the sector of 4096 B: left out, their share goes to "
    "the 4 KiB blocks"
)
ALL = PROFILES["pts-2.0-enterprise"].tests


def with_words(
    *words: str,
    profile: Profile = PROFILES["demo"],
    tests: tuple[str, ...] = ALL,
    sector: int = 512,
) -> RunRecord:
    papers = record()
    return replace(
        papers,
        tests=tests,
        profile=profile_as_dict(profile),
        departures=words,
        target=replace(papers.target, sector_bytes=sector),
    )


def found(papers: RunRecord) -> list[tuple[str, str]]:
    return [(f.code, f.test) for f in recorded_findings(papers)]


@pytest.mark.parametrize(
    ("words", "code", "tests"),
    [
        (VIRTUAL_DEPARTURES[0], "virtual-target", [""]),
        (FILE_DEPARTURES[0], "file-target", [""]),
        (FILE_DEPARTURES[1], "purge-none", [""]),
        (LOOP_DEPARTURES[0], "loop-target", [""]),
        (
            "write cache: left as it was found instead of disabled",
            "write-cache",
            [""],
        ),
        ("time of a cell: 1 s instead of 1 min", "time-scaled",
         ["iops", "tp", "lat", "cbw", "dirth"]),
        ("accesses of a baseline of HIR: 12 instead of 360", "time-scaled", ["hir"]),
        ("rounds at most: 10 instead of 25", "rounds-allowed",
         ["iops", "tp", "lat", "cbw", "dirth"]),
        ("R/W mixes of IOPS: 0/100 instead of 100/0", "profile-value", ["iops"]),
        ("active range: 75 % instead of 100 %", "profile-value", [""]),
        ("test hir: not known to be one of PTS-C 1.x", "test-of-another-edition",
         ["hir"]),
        ("active range AR75-16GiB: left out, its 75 % of 20 GB are too small",
         "ranges-left-out", ["iops", "tp", "lat"]),
        (COMPOSITE, "composite-changed", ["cbw"]),
        ("an old departure in words that nobody knows", "departure", [""]),
    ],
)  # fmt: skip
def test_words_get_their_code_and_tests(
    words: str, code: str, tests: list[str]
) -> None:
    assert found(with_words(words)) == [(code, test) for test in tests]


def test_what_concerns_all_is_of_the_run_even_if_there_is_one_test() -> None:
    words = "write cache: left as it was found instead of disabled"
    assert found(with_words(words, tests=("wsat",))) == [("write-cache", "")]
    own = "time of a WSAT round: 1 s instead of 1 min"
    assert found(with_words(own, tests=("wsat",))) == [("time-scaled", "wsat")]


def test_cells_below_the_sector_concern_the_tests_that_have_such() -> None:
    words = "cells below the sector of 4096 B: left out"
    papers = with_words(words, sector=4096)
    assert found(papers) == [("cells-left-out", "iops"), ("cells-left-out", "lat")]


def test_fill_of_less_than_the_edition_asks_for_is_short() -> None:
    nominal = PROFILES["pts-2.0-enterprise"]
    for multiple, code in ((1.0, "fill-short"), (3.0, "profile-value")):
        mine = replace(nominal, wipc_capacity_multiple=multiple)
        (words,) = find_departures(mine, ("iops",))
        assert found(with_words(words, profile=mine, tests=("iops",))) == [
            (code, "iops")
        ]


@pytest.mark.parametrize("name", ["demo", "tkperf", "pts-c-1.x"])
def test_every_departure_that_is_known_before_a_run_has_a_code(name: str) -> None:
    profile = find_profile(name)
    for sector in (512, 4096):
        words = find_run_departures(
            replace(profile, tp_block_sizes=(2**20,)),
            profile.tests,
            Shape(
                departures=VIRTUAL_DEPARTURES,
                capacity_bytes=20 * GIB,
                sector_bytes=sector,
                write_cache_fault="it has none",
            ),
        )
        papers = with_words(*words, profile=profile, tests=profile.tests, sector=sector)
        assert "departure" not in {code for code, _ in found(papers)}
        assert {f.words for f in recorded_findings(papers)} == set(words)


def test_value_of_a_profile_of_each_kind_has_a_code() -> None:
    tkperf = find_profile("tkperf")
    words = find_departures(tkperf, tkperf.tests)
    codes = {f.words: f.code for f in recorded_findings(with_words(*words))}
    assert len(codes) == len(words) > 3
    assert set(codes.values()) <= set(FINDING_KINDS)


def test_procedure_is_never_of_the_pts() -> None:
    procedure = Procedure(name="peak", title="Peak jobs", source="a guide", tests=())
    papers = replace(
        record(),
        profile=procedure_as_dict(procedure),
        departures=("Peak jobs: a procedure of its own and no test of the PTS",),
    )
    assert found(papers) == [("procedure", "")]


def imported(*words: str, tests: tuple[str, ...] = ("iops", "lat")) -> RunRecord:
    target = TargetIdentity(
        kind="imported", spec="in", model="HG6", serial="", firmware="",
        capacity_bytes=0, sector_bytes=0,
    )  # fmt: skip
    return replace(record(), tests=tests, departures=words, target=target)


@pytest.mark.parametrize(
    ("words", "code", "test"),
    [
        ("imported: purge and write cache are not known, nor what …", "imported", ""),
        ("test: these workloads are of no test of the PTS", "import-cells", ""),
        ("order of IOPS: cells were taken by themselves", "import-cells", "iops"),
        ("access of LAT: sequential instead of random", "import-cells", "lat"),
        ("time of a cell of IOPS: 30 s instead of 1 min", "time-scaled", "iops"),
        ("times: 3 of 3 files do not say when", "import-times", ""),
        ("gaps: the device rested 2 times", "idle-gap", ""),
        ("devices: /dev/sda, /dev/sdb in one run", "import-mixed", ""),
        ("versions of fio: fio-3.1, fio-3.5 in one run", "import-numbers", ""),
        ("raw output: TKperf kept no output of fio", "import-numbers", ""),
        ("left out: 1 files that may be of this run", "import-left-out", ""),
        ("time of a cell: 1 s instead of 1 min", "departure", ""),
    ],
)
def test_words_of_an_import_are_its_findings(words: str, code: str, test: str) -> None:
    assert found(imported(words)) == [(code, test)]
