"""What a run departs in follows from its record, whatever that says of it."""

from dataclasses import replace

import pytest

from ssdlab.model.asked import Import, Suite
from ssdlab.model.departure import Departure
from ssdlab.model.drive import PurgeChoice
from ssdlab.model.finding import FINDING_KINDS
from ssdlab.model.records import RunRecord
from ssdlab.procedures.peak.spec import peak
from ssdlab.pts.conformance import (
    Measured,
    find_asked_departures,
    find_recorded_departures,
)
from ssdlab.pts.departures import find_departures
from ssdlab.pts.fitting import ask_suite
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import find_profile
from tests.departed import departed, words_of
from tests.store.folders import TARGET, record

GIB = 2**30
DEMO = find_profile("demo")
NOMINAL = find_profile("pts-2.0-enterprise")
DRIVE = Measured(
    kind="block",
    is_loop=False,
    capacity_bytes=64 * GIB,
    sector_bytes=512,
    purge="nvme-sanitize-block",
    write_cache="disabled",
)
SANITIZE = PurgeChoice(method="nvme-sanitize-block", words="sanitize", why="")


def asked_on(
    measured: Measured, profile: Profile = NOMINAL, tests: tuple[str, ...] = ("iops",)
) -> Suite:
    return ask_suite(
        profile,
        tests,
        capacity_bytes=measured.capacity_bytes,
        sector_bytes=measured.sector_bytes,
    )


def departures_on(
    measured: Measured, profile: Profile = NOMINAL, tests: tuple[str, ...] = ("iops",)
) -> tuple[Departure, ...]:
    return find_asked_departures(asked_on(measured, profile, tests), measured)


def drive_record(**changes: object) -> RunRecord:
    target = replace(
        TARGET, kind="block", capacity_bytes=64 * GIB, sector_bytes=512, options={}
    )
    papers = replace(
        record(),
        asked=asked_on(DRIVE),
        target=target,
        departures=(),
        purge_choice=SANITIZE,
        write_cache="disabled",
    )
    return replace(papers, **changes)  # type: ignore[arg-type] # of one field each


def codes(papers: RunRecord) -> list[str]:
    return [departure.code for departure in find_recorded_departures(papers)]


def test_drive_that_is_measured_as_the_edition_asks_departs_in_nothing() -> None:
    assert departures_on(DRIVE, tests=NOMINAL.tests) == ()
    assert codes(drive_record()) == []


@pytest.mark.parametrize(
    ("change", "code", "words", "clause"),
    [
        (
            {"kind": "virtual"},
            "virtual-target",
            "the target is a virtual SSD: a model in memory, not a drive",
            "",
        ),
        ({"kind": "file"}, "file-target", "the target is a file, not a drive", ""),
        (
            {"is_loop": True},
            "loop-target",
            "the target is a loop device, not a drive",
            "",
        ),
        (
            {"purge": "none"},
            "purge-none",
            "no purge: none was requested",
            "PTS 2.0.2, section 3.2",
        ),
        (
            {"write_cache": "as found"},
            "write-cache",
            "write cache: left as it was found instead of disabled",
            "PTS 2.0.2, sections 4, 5",
        ),
        (
            {"write_cache": "enabled"},
            "write-cache",
            "write cache: enabled instead of disabled",
            "PTS 2.0.2, sections 4, 5",
        ),
        (
            {"write_cache_fault": "it has none"},
            "write-cache",
            "write cache: left as it was found instead of disabled: it has none",
            "PTS 2.0.2, sections 4, 5",
        ),
        (
            {"sector_bytes": 4096},
            "cells-left-out",
            "cells below the sector of 4096 B: left out",
            "PTS 2.0.2, section 7",
        ),
    ],
)
def test_each_thing_that_is_otherwise_is_a_departure_with_its_clause(
    change: dict[str, object], code: str, words: str, clause: str
) -> None:
    measured = replace(DRIVE, **change)  # type: ignore[arg-type] # of one field each
    found = departures_on(measured)
    (one,) = (departure for departure in found if departure.code == code)
    assert (one.words, one.clause) == (words, clause)
    others = {departure.code for departure in found} - {code}
    assert others <= {"write-cache"}  # a model and a file have none to be set


def test_a_target_without_a_cache_departs_in_it_unless_none_was_asked_for() -> None:
    for kind in ("virtual", "file"):
        model = replace(DRIVE, kind=kind, write_cache=None)
        for profile in (NOMINAL, NOMINAL.having(write_cache="as found")):
            found = departures_on(model, profile, ("tp",))
            caches = [one for one in found if one.subject == "write cache"]
            assert len(caches) == 1
            assert len(found) == 2


def test_values_of_a_profile_and_of_fitting_are_among_them() -> None:
    client = find_profile("pts-c-1.1").having(write_cache="as found")
    small = replace(DRIVE, capacity_bytes=20_000_000_000, write_cache="as found")
    found = departures_on(small, client)
    left_out = "active range AR75-16GiB: left out, 75 % of 20 GB is too small"
    own = list(find_departures(client, ("iops",)))
    assert [one for one in found if one in own] == own
    assert left_out in words_of(found)


@pytest.mark.parametrize("name", ["demo", "tkperf", "pts-c-1.1"])
def test_every_departure_has_a_code_that_is_known_and_tests_that_were_asked_for(
    name: str,
) -> None:
    profile = find_profile(name).having(tp_block_sizes=(2**20,))
    for sector in (512, 4096):
        model = replace(DRIVE, kind="virtual", sector_bytes=sector)
        found = departures_on(model, profile, profile.tests)
        assert len(found) > 2
        for one in found:
            assert one.code in FINDING_KINDS
            assert one.code != "departure"
            assert set(one.tests) <= set(profile.tests)
            assert one.clause.startswith("PTS 2.0.2, section") or not one.clause


def test_record_that_says_nothing_departs_in_what_it_asked_for_all_the_same() -> None:
    scaled = NOMINAL.having(cell_s=1, active_range_percent=10)
    papers = drive_record(asked=asked_on(DRIVE, scaled))
    assert codes(papers) == ["profile-value", "time-scaled"]
    model = replace(papers.target, kind="virtual")
    assert codes(replace(papers, target=model)) == [
        "virtual-target", "profile-value", "time-scaled", "write-cache"
    ]  # fmt: skip


def test_profile_that_was_edited_departs_as_its_plan_is_another() -> None:
    scaled = asked_on(DRIVE, NOMINAL.having(cell_s=1))
    edited = drive_record(asked=replace(asked_on(DRIVE), tests=scaled.tests))
    found = find_recorded_departures(edited)
    assert [(one.code, one.words, one.clause) for one in found] == [
        (
            "plan-unlike-profile",
            "plan of iops: differs from the profile",
            "PTS 2.0.2, section 7",
        )
    ]


def test_what_a_record_says_besides_is_kept() -> None:
    papers = drive_record(departures=departed("an old one", code="departure"))
    assert words_of(find_recorded_departures(papers)) == ("an old one",)


@pytest.mark.parametrize(
    "change",
    [
        {"rounds": {}},
        {"rounds": {"cell_s": "a minute", "max_rounds": 25}},
        {"rounds": {"cell_s": 60, "max_rounds": 25, "colour": "red"}},
        {"other": {}},
    ],
)
def test_record_whose_profile_cannot_be_read_is_never_conformant(
    change: dict[str, dict[str, object]],
) -> None:
    asked = asked_on(DRIVE)
    emptied = drive_record(asked=replace(asked, settings={}))
    assert "profile-unknown" in codes(emptied)
    unread = drive_record(asked=replace(asked, settings=asked.settings | change))
    assert "profile-unknown" in codes(unread)


def test_procedure_is_never_of_the_pts() -> None:
    procedure = peak()
    papers = drive_record(asked=procedure)
    assert words_of(find_recorded_departures(papers)) == (
        f"{procedure.title}: a separate procedure, not a test of the PTS",
    )


def test_import_is_never_of_ssdlab_whatever_its_record_leaves_out() -> None:
    target = replace(TARGET, kind="imported", capacity_bytes=0, sector_bytes=0)
    asked = Import(
        title="results of fio",
        tool="fio",
        spec_version="PTS 2.0.2",
        write_cache="not known",
        tests=(),
    )
    told = departed("imported: by others", code="imported")
    for kept, count in (((), 1), (told, 1), (departed("gaps: 2", code="idle-gap"), 2)):
        papers = drive_record(target=target, asked=asked, departures=kept)
        assert len(find_recorded_departures(papers)) == count
        assert "imported" in codes(papers)
