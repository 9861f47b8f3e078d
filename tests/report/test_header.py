"""The four columns at the head of each page."""

from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.model.drive import WriteCacheState
from ssdlab.model.spec import ActiveRange
from ssdlab.model.step import Step
from ssdlab.model.units import capacity_label
from ssdlab.paper.context import read_context
from ssdlab.procedures.peak.spec import peak
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.procedures.sequence.spec import sequence
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import find_profile
from ssdlab.pts.shared.head_facts import write_cache_text
from ssdlab.report import render_report
from ssdlab.report.header import test_columns as columns_of
from ssdlab.store.records import write_record
from ssdlab.store.run import Run, open_tables
from tests.made_procedure import measure_made
from tests.made_run import CAPACITY_BYTES, ENTERPRISE, Recipe, make_run


def _active_range(folder: Path, profile: Profile, test: str) -> str:
    run = make_run(folder, Recipe(profile=profile, tests=(test,), steps=9))
    columns = columns_of(read_context(run), test)
    return next(
        value
        for column in columns
        for name, value in column.facts
        if name == "Active range"
    )


def test_loops_over_active_ranges_are_named_in_the_tests_that_have_them(
    tmp_path: Path,
) -> None:
    profile = find_profile("pts-c-1.1")
    loops = "AR100-8GiB, AR100-16GiB, AR75-8GiB, AR75-16GiB"
    assert _active_range(tmp_path / "a", profile, "iops") == loops
    assert _active_range(tmp_path / "b", profile, "wsat") == "100 % of user capacity"


@pytest.mark.parametrize(
    ("test", "pieces"),
    [("iops", "100 segments at random positions"), ("tp", "one segment")],
)
def test_amount_is_told_with_its_segments(
    tmp_path: Path, test: str, pieces: str
) -> None:
    active = ActiveRange(percent=100, amount_bytes=CAPACITY_BYTES, segments=100)
    profile = find_profile("pts-c-1.1").having(active_ranges=(active,))
    run = make_run(tmp_path, Recipe(profile=profile, tests=(test,), steps=9))
    amount = capacity_label(CAPACITY_BYTES)
    assert dict(_head(run, test))["AR amount"] == f"{amount} in {pieces}"


def test_one_active_range_is_told_in_percent(tmp_path: Path) -> None:
    profile = find_profile("pts-2.0-client")
    assert _active_range(tmp_path, profile, "iops") == "75 % of user capacity"


def _head(run: Run, test: str) -> list[tuple[str, str]]:
    columns = columns_of(read_context(run), test)[2:]
    return [fact for column in columns for fact in column.facts]


def test_attempts_of_a_procedure_are_told_apart(tmp_path: Path) -> None:
    asked = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=6)

    def late(step: Step) -> float:
        jump = 2.0 ** ((step.round or 0) % 7)
        return 100.0 * jump if step.phase_id == "attempt1" else 900.0

    facts = _head(measure_made(tmp_path / "run", asked, late), "saturate")
    names = [name for name, _ in facts]
    assert len(names) == len(set(names)) + 3  # the columns share three
    said = dict(facts)
    assert said["SS rounds, attempt 1"] == "2 - 6: SS NOT ACHIEVED"
    assert said["SS rounds, attempt 2"] == "8 - 12"
    assert said["Fill 2"] == "SEQ 128 KiB 0/100, T1/Q32, 2X user capacity"
    assert said["Attempt 2"] == "RND 4 KiB 0/100, T1/Q32, 12 rounds of 5 min (median)"


def test_stages_of_a_procedure_are_told_apart(tmp_path: Path) -> None:
    first, second = parse_stimulus("RND 4KiB 0/100"), parse_stimulus("SEQ 4KiB 0/100")
    asked = sequence(first, second, rounds=6)
    run = measure_made(tmp_path / "run", asked, lambda _step: 100.0)
    said = dict(_head(run, "sequence-1"))
    assert said["SS rounds, stage 3"] == "2 - 6"
    assert said["Stage 2"].startswith("SEQ 4 KiB 0/100, T1/Q32, 6 rounds of 5 min")
    assert "Pre-condition 1" not in said


def test_procedure_says_that_no_window_was_full_only_where_one_was_due(
    tmp_path: Path,
) -> None:
    stimulus = parse_stimulus("RND 4KiB 0/100")
    asked = sequence(stimulus, stimulus, rounds=3)
    run = measure_made(tmp_path / "due", asked, lambda _step: 100.0)
    assert ("Note", "not judged: no full window") in _head(run, "sequence-1")
    run = measure_made(tmp_path / "none", peak(seconds=1), lambda _step: 100.0)
    assert "Note" not in dict(_head(run, "peak"))


@pytest.mark.parametrize(
    ("asked", "stood", "fault", "expected"),
    [
        ("disabled", "disabled", "", "disabled"),
        ("disabled", "as found", "", "as found (profile: disabled)"),
        ("as found", "as found", "", "as found"),
        ("as found", "enabled", "", "enabled, as found"),
        (
            "disabled",
            "as found",
            "it has none",
            "as found (profile: disabled)",
        ),
        (
            "disabled",
            "enabled",
            "it may not",
            "enabled, as found (profile: disabled)",
        ),
    ],
)
def test_write_cache_is_told_as_it_stood(
    tmp_path: Path,
    *,
    asked: WriteCacheState,
    stood: WriteCacheState,
    fault: str,
    expected: str,
) -> None:
    recipe = Recipe(tests=("lat",), profile=ENTERPRISE.having(write_cache=asked))
    run = make_run(tmp_path / "run", recipe)
    record = replace(run.record, write_cache=stood, write_cache_fault=fault)
    write_record(run.path, record)
    assert write_cache_text(read_context(open_tables(run.path))) == expected


def test_tiles_explain_what_they_have(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", Recipe(tests=("lat",), rounds=5))
    page = render_report(run)
    assert "Means over the measurement window with 95 % intervals" in page
    assert "each by itself; ✓ steady." in page
