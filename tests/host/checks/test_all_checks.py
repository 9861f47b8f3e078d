"""All checks together."""

import csv
import time
from pathlib import Path

import pytest

from ssdlab.host.checks import CHECKS, Means, examine_host, examine_scene
from tests.host.checks import (
    test_clock,
    test_clock_under_load,
    test_fio_checks,
    test_idle,
    test_jobs,
    test_limits,
    test_load,
    test_network,
    test_pcie,
    test_placement,
    test_queue,
    test_sectors,
    test_system,
    test_updates,
)
from tests.host.made_host import Case, make_scene
from tests.paths import REFERENCE, require_folder

CASES = tuple(
    case
    for module in (
        test_clock,
        test_clock_under_load,
        test_fio_checks,
        test_idle,
        test_jobs,
        test_limits,
        test_load,
        test_network,
        test_pcie,
        test_placement,
        test_queue,
        test_sectors,
        test_system,
        test_updates,
    )
    for case in module.CASES
)
# The tests of that host have blocks of 512 B too, and its processors a preference.
NOT_APPLYING = {"sector_size_4k", "energy_perf_policy"}
IDS = [check.check_id for check in CHECKS]


def test_every_check_is_seen_good_and_not_good() -> None:
    for check_id in IDS:
        verdicts = {case.verdict for case in CASES if case.check == check_id}
        assert "good" in verdicts, check_id
        assert verdicts & {"warn", "bad"}, check_id
    assert {case.check for case in CASES} == set(IDS)
    assert len(IDS) == len(set(IDS))


def test_every_check_of_the_guide_is_there_and_cites_its_section() -> None:
    table = require_folder(REFERENCE) / "hgst_wd_host_checks.csv"
    rows = list(csv.DictReader(table.read_text("utf-8").splitlines()))
    assert len(rows) == 21
    sources = {check.check_id: check.source for check in CHECKS}
    for row in rows:
        assert sources[row["check"]] == f"HGST/WD guide {row['guide_section']}"


def test_host_that_is_as_it_should_be_has_nothing_to_remedy(tmp_path: Path) -> None:
    case = Case(check="", verdict="", says="", is_network=True)
    found = examine_scene(make_scene(tmp_path, case))
    others = {check.check_id: check.read for check in found if check.verdict != "good"}
    assert set(others) == NOT_APPLYING, others
    assert not any(check.applies for check in found if check.check_id in NOT_APPLYING)
    assert {check.remedy for check in found} == {""}
    assert not any(check.is_appliable for check in found)


def test_host_that_tells_nothing_is_unknown_and_says_why(tmp_path: Path) -> None:
    means = Means(run=lambda _: None, pause=lambda _: None)
    found = examine_host(None, root=tmp_path, means=means)
    assert {check.check_id for check in found} == set(IDS)
    known = {check.check_id for check in found if check.verdict != "unknown"}
    assert known == {"fio_version"}  # fio is not there, and that is bad
    assert all(check.read and check.why and check.title for check in found)


def test_only_the_drive_and_the_network_may_not_apply(tmp_path: Path) -> None:
    means = Means(run=lambda _: None, pause=lambda _: None)
    found = examine_host(None, root=tmp_path, means=means)
    absent = {check.check_id for check in found if not check.applies}
    assert absent == {check.check_id for check in CHECKS if check.needs}


@pytest.mark.timed
def test_this_host_is_examined_within_a_second() -> None:
    began_s = time.monotonic()
    found = examine_host(None)
    took_s = time.monotonic() - began_s
    assert [check.check_id for check in found] == IDS
    assert took_s < 5, "a busy machine may be slow, but not so slow"
