"""CBW and DIRTH: every step of their plans against the table of the standard."""

import csv
from dataclasses import replace

import pytest

from ssdlab.model.spec import OperatingPoint, Stimulus, Workload
from ssdlab.model.step import Step, StepResult
from ssdlab.model.units import KIB
from ssdlab.plan.estimate import estimate_suite
from ssdlab.pts import build_tests, find_profile
from ssdlab.pts.shared.composite import BLOCK_SHARES, ZONES
from tests.paths import REFERENCE, require_folder
from tests.plan.made import (
    Driven,
    always_steady,
    context_of,
    drive,
    never_steady,
    result_of,
)
from tests.pts.cells import build, phase_of, rounds_of

NOMINAL = ("pts-2.0-enterprise", "pts-2.0-client", "pts-e-1.1")
TESTS = ("cbw", "dirth")
MIN = 60
LIMIT_NS = 5e6
# What a drive does: TC, QD to IOPS and ART [ns]; everything else is 100 IOPS at 9 ms.
ANSWERS = {
    (32, 32): (9000.0, 50e6),
    (16, 4): (8000.0, LIMIT_NS),  # not below the limit
    (8, 4): (7000.0, 4.9e6),  # the most that is fast enough
    (2, 8): (3900.0, 1e6),  # half way to 1,000 is 4,000
    (4, 1): (4300.0, 1e6),
    (2, 1): (1000.0, 1e6),  # the least that is fast enough
    (1, 1): (500.0, 9e6),
}


def table(name: str) -> list[dict[str, str]]:
    path = require_folder(REFERENCE) / "pts_round_cells.csv"
    rows = csv.DictReader(path.read_text("utf-8").splitlines())
    return [row for row in rows if row["test"] == name]


def load(row: dict[str, str]) -> tuple[int, int]:
    threads, depth = row["threads_queue_depth"].split("/")
    return int(threads[1:]), int(depth[1:])


def asked(row: dict[str, str]) -> tuple[object, ...]:
    """Return access, mix, TC, QD and seconds of a row."""
    reads = int(row["read_percent"])
    return row["access"].lower(), reads, *load(row), float(row["seconds"])


def planned(step: Step) -> tuple[object, ...]:
    work = work_of(step)
    reads = work.read_percent
    return work.access, reads, work.threads, work.queue_depth, step.runtime_s


def work_of(step: Step) -> Workload:
    assert step.workload is not None
    return step.workload


@pytest.mark.parametrize("profile", NOMINAL)
@pytest.mark.parametrize("test", TESTS)
def test_every_round_has_the_steps_of_the_reference_row_by_row(
    test: str, profile: str
) -> None:
    writes = table(f"{test.upper()}-inter-round-pre-write")
    wanted = [*writes, *table(test.upper())]
    assert len(wanted) == 50
    steps = drive(profile, [test]).steps_of("demand")
    assert len(steps) == 5 * 50
    for number in range(5):
        steps_of_round = steps[50 * number : 50 * (number + 1)]
        assert {step.round for step in steps_of_round} == {number + 1}
        assert [step.kind for step in steps_of_round] == ["pre_write", *["cell"] * 49]
        assert [planned(step) for step in steps_of_round] == [
            asked(row) for row in wanted
        ]
        assert [step.cell or 0 for step in steps_of_round] == [
            int(row["order_in_round"]) for row in wanted
        ]


@pytest.mark.parametrize("profile", NOMINAL)
def test_sizes_are_composite_in_cbw_and_one_in_dirth(profile: str) -> None:
    for row in table("CBW"):
        assert (row["block_size_label"], row["block_size_bytes"]) == ("composite", "")
    steps = [step for step in drive(profile, ["cbw"]).steps if step.workload]
    for step in steps:
        composite = work_of(step).composite
        assert composite is not None
        assert (composite.block_shares, composite.zones) == (BLOCK_SHARES, ZONES)
        assert work_of(step).block_size_bytes == 0
    steps = [step for step in drive(profile, ["dirth"]).steps if step.workload]
    assert {work_of(step).composite for step in steps} == {None}
    assert {work_of(step).block_size_bytes for step in steps} == {8 * KIB}


def test_composite_is_that_of_the_reference() -> None:
    folder = require_folder(REFERENCE)
    text = (folder / "pts_composite_block_sizes.csv").read_text("utf-8")
    sizes = list(csv.DictReader(text.splitlines()))
    assert list(BLOCK_SHARES) == [
        (int(row["block_size_bytes"]), int(row["access_probability_percent"]))
        for row in sizes
        if row["block_size_bytes"].isdigit()
    ]
    assert sum(share for _, share in BLOCK_SHARES) == 100
    text = (folder / "pts_composite_access_zones.csv").read_text("utf-8")
    assert list(ZONES) == [
        (int(row["access_probability_percent"]), int(row["lba_size_percent"]))
        for row in csv.DictReader(text.splitlines())
        if row["lba_group"] in {"A", "B", "C"}
    ]


@pytest.mark.parametrize("test", TESTS)
def test_composite_has_the_mean_size_of_the_standard(test: str) -> None:
    cell = rounds_of(build("pts-2.0-enterprise", test), "demand").cells[0]
    if cell.composite:
        assert cell.composite.mean_block_bytes == pytest.approx(7818.24)
    assert cell.block_range_bytes == ((512, 65536) if test == "cbw" else (8192, 8192))


@pytest.mark.parametrize("profile", NOMINAL)
@pytest.mark.parametrize("test", TESTS)
def test_preconditioning_is_judged_at_rounds_half_an_hour_apart(
    test: str, profile: str
) -> None:
    phase = phase_of(build(profile, test), "wdpc")
    assert isinstance(phase, Stimulus)
    samples = [n for n in range(1, phase.max_rounds + 1) if phase.sample_of(n)]
    assert samples == [1 + 30 * place for place in range(25)]
    assert samples[:5] == [1, 31, 61, 91, 121]
    assert (phase.round_seconds, phase.wait_s) == (MIN, 0)
    work = phase.workload
    assert (work.threads, work.queue_depth, work.read_percent) == (32, 32, 0)


@pytest.mark.parametrize("test", TESTS)
def test_preconditioning_takes_121_rounds_at_least_and_721_at_most(test: str) -> None:
    driven = drive("pts-2.0-enterprise", [test], always_steady)
    assert driven.rounds_of("wdpc") == 121
    first, *_ = driven.judgements
    assert first.rounds == (1, 31, 61, 91, 121)

    def restless(step: Step) -> StepResult:
        return result_of(step, 2.0 ** ((step.round or 0) // 30 % 7))

    assert drive("pts-2.0-enterprise", [test], restless).rounds_of("wdpc") == 721


def test_preconditioning_judges_nothing_but_its_samples() -> None:
    def answer(step: Step) -> StepResult:
        is_sample = step.phase_id != "wdpc" or (step.round or 0) % 30 == 1
        return result_of(step, 1000.0 if is_sample else 7.0 * 3.0 ** (step.round or 0))

    assert drive("pts-2.0-enterprise", ["cbw"], answer).rounds_of("wdpc") == 121


@pytest.mark.parametrize("profile", NOMINAL)
@pytest.mark.parametrize("test", TESTS)
def test_test_takes_601_minutes_at_best_and_38_hours_at_most(
    test: str, profile: str
) -> None:
    """121 + 5 x 54 + 3 x 70 minutes: PTS 2.0.2, section 13."""
    best = [s for s in drive(profile, [test]).steps if s.workload]
    assert sum(step.runtime_s or 0 for step in best) == 601 * MIN
    chosen = find_profile(profile)
    tests, whole = build_tests(chosen, [test]), context_of(chosen)
    slow = whole.capacity_bytes / 3000  # 5 minutes write a tenth of the drive
    (cost,) = estimate_suite(tests, whole, slow)
    assert cost.cost.seconds_min == 601 * MIN
    assert cost.cost.seconds_max == (721 + 25 * 54 + 3 * 70) * MIN
    assert cost.cost.steps_min == len(best) + 1


@pytest.mark.parametrize("test", TESTS)
def test_pre_writes_between_rounds_end_at_a_tenth_of_the_capacity(test: str) -> None:
    """5 minutes at 3 GB/s are 94 % of a drive of 960 GB; a tenth of it is 32 s."""
    chosen, capacity_bytes = find_profile("pts-2.0-enterprise"), 960 * 10**9
    steps = drive(chosen, [test], capacity_bytes=capacity_bytes).steps
    between = [
        step for step in steps if step.kind == "pre_write" and step.phase_id == "demand"
    ]
    assert len(between) == 5
    for step in between:
        assert step.runtime_s == 5 * MIN
        assert 0 <= 96 * 10**9 - (step.whole_amount_bytes or 0) < 32 * 64 * KIB
    assert {step.io_bytes for step in steps} - {None} == {between[0].io_bytes}
    whole = context_of(chosen, capacity_bytes)
    (cost,) = estimate_suite(build_tests(chosen, [test]), whole, 3e9)
    assert cost.cost.seconds_min == 601 * MIN - 5 * (5 * MIN - 32)
    assert cost.cost.seconds_max == (721 + 25 * 54 + 3 * 70) * MIN


def test_pre_writes_without_a_limit_end_by_time_alone() -> None:
    chosen = find_profile("pts-2.0-enterprise").having(
        demand_pre_write_capacity_multiple=None
    )
    before = [step for step in drive(chosen, ["cbw"]).steps if step.kind == "pre_write"]
    assert {step.io_bytes for step in before} == {None}


def test_rounds_end_after_25_when_they_are_never_steady() -> None:
    driven = drive("pts-2.0-enterprise", ["cbw"], never_steady)
    assert driven.rounds_of("demand") == 25
    assert len(driven.steps_of("demand")) == 25 * 50


def test_only_the_point_of_most_threads_and_depth_is_tracked() -> None:
    """Every other point may do as it likes; it is the same size and mix."""

    def answer(step: Step) -> StepResult:
        work = step.workload
        if (
            work
            and step.kind == "cell"
            and (work.threads, work.queue_depth) != (32, 32)
        ):
            return never_steady(step)
        return always_steady(step)

    driven = drive("pts-2.0-enterprise", ["cbw"], answer)
    assert driven.rounds_of("demand") == 5
    labels = [j.tracking.label for j in driven.judgements if j.phase_id == "demand"]
    assert labels == ["RND composite 40/60 T32/Q32"]


def by_point(step: Step) -> StepResult:
    """Answer like ``ANSWERS`` in the last round, and otherwise all alike."""
    if step.phase_id != "demand" or step.kind != "cell" or step.round != 5:
        return result_of(step, 9000.0)
    work = work_of(step)
    iops, lat_ns = ANSWERS.get((work.threads, work.queue_depth), (100.0, 9e6))
    return replace(result_of(step, iops), lat_mean_ns=lat_ns)


@pytest.mark.parametrize("profile", NOMINAL)
@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize(
    ("phase", "point"),
    [("max-iops", (8, 4)), ("mid-iops", (2, 8)), ("min-iops", (1, 1))],
)
def test_points_are_chosen_from_the_last_round_by_the_rule(
    phase: str, point: tuple[int, int], test: str, profile: str
) -> None:
    *writes, histogram = drive(profile, [test], by_point).steps_of(phase)
    assert [step.kind for step in writes] == ["pre_write"] * 60
    assert {step.runtime_s for step in writes} == {MIN}
    assert (histogram.kind, histogram.runtime_s) == ("histogram", 10 * MIN)
    for step in (*writes, histogram):
        assert (work_of(step).threads, work_of(step).queue_depth) == point
    assert {work_of(step).read_percent for step in writes} == {0}
    mix = 40 if test == "cbw" else 65
    assert work_of(histogram).read_percent == mix


@pytest.mark.parametrize("test", TESTS)
def test_points_come_after_the_rounds_in_their_order(test: str) -> None:
    driven = drive("pts-2.0-enterprise", [test], by_point)
    phases = list(dict.fromkeys(step.phase_id for step in driven.steps))
    assert phases == ["purge", "wdpc", "demand", "max-iops", "mid-iops", "min-iops"]
    points = build("pts-2.0-enterprise", test).phases[3:]
    assert all(isinstance(point, OperatingPoint) for point in points)


def test_nothing_that_follows_depends_on_rounds_before_the_last() -> None:
    def answer(step: Step) -> StepResult:
        is_early = step.phase_id == "demand" and step.kind == "cell" and step.round == 1
        result = by_point(step)
        return replace(result, iops=9000.0 if is_early else result.iops)

    assert _loads(drive("pts-2.0-enterprise", ["cbw"], answer)) == _loads(
        drive("pts-2.0-enterprise", ["cbw"], by_point)
    )


def _loads(driven: Driven) -> list[tuple[int, int]]:
    long_runs = [step for step in driven.steps if step.kind == "histogram"]
    return [(work_of(s).threads, work_of(s).queue_depth) for s in long_runs]


@pytest.mark.parametrize(("asked", "title"), [
    ("pts-2.0-enterprise", "Composite block size workload"),
    ("pts-e-1.1", "Enterprise composite workload"),
])  # fmt: skip
def test_composite_has_the_name_of_its_edition(asked: str, title: str) -> None:
    assert build(asked, "cbw").title == title


def test_alignment_is_the_profiles_choice() -> None:
    profile = find_profile("pts-2.0-enterprise").having(cbw_alignment_bytes=4096)
    for step in drive(profile, ["cbw"]).steps[1:]:
        composite = work_of(step).composite
        assert composite is not None
        assert composite.alignment_bytes == 4096
