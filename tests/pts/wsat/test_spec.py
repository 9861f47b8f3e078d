"""The optional stimuli of write saturation: PTS 2.0.2, section 10, PTS 2.0 alone."""

import csv
import math
from dataclasses import replace

import pytest

from ssdlab.model.errors import ProfileError, UnknownNameError
from ssdlab.model.spec import Histogram, PtsTest, Purge, Stimulus
from ssdlab.model.step import Step, StepResult
from ssdlab.model.units import KIB
from ssdlab.plan.estimate import estimate_suite
from ssdlab.pts import PROFILES, build_tests, find_profile, parse_tests
from ssdlab.pts.departures import find_departures
from ssdlab.pts.fitting import fit_suite
from ssdlab.pts.profile_file import parse_profile, render_profile
from ssdlab.pts.shared.settings import RND_4K_WRITE, HistogramRun, Load
from ssdlab.pts.suite import OPTIONAL_SUITE, SUITE, choose_tests, optional_tests
from tests.departed import words_of
from tests.paths import REFERENCE, require_folder
from tests.plan.made import CAPACITY, context_of, drive, result_of
from tests.pts.cells import build, load, phase_of, row

EDITION_2 = ("pts-2.0-enterprise", "pts-2.0-client", "demo")
EDITION_1 = ("pts-e-1.1", "pts-c-1.1", "tkperf")
STIMULI = {
    "wsat-oltp": ("rnd", 8, 65),
    "wsat-vod": ("seq", 128, 90),
    "wsat-metadata": ("seq", 0.5, 50),
    "wsat-composite": ("rnd", 0, 0),
}
ALL = tuple(STIMULI)
MINUTE, HOUR = 60, 3600


def saturation_of(test: PtsTest) -> Stimulus:
    phase = phase_of(test, "saturation")
    assert isinstance(phase, Stimulus)
    return phase


def lines_of(name: str) -> list[dict[str, str]]:
    text = (require_folder(REFERENCE) / name).read_text("utf-8")
    return list(csv.DictReader(text.splitlines()))


def test_every_profile_is_of_one_edition_here() -> None:
    assert set(PROFILES) == {*EDITION_2, *EDITION_1}
    assert tuple(OPTIONAL_SUITE) == ALL
    assert not set(SUITE) & set(OPTIONAL_SUITE)


@pytest.mark.parametrize("name", EDITION_2)
@pytest.mark.parametrize("test_id", ALL)
def test_optional_stimulus_is_that_of_the_standard(test_id: str, name: str) -> None:
    phase = saturation_of(build(name, test_id))
    assert row(phase.workload) == STIMULI[test_id]
    profile = find_profile(name)
    assert load(phase.workload) == (profile[Load].threads, profile[Load].queue_depth)
    assert phase.tracking is not None
    assert phase.tracking.label == phase.workload.label
    assert phase.tracking.metric == "iops"


@pytest.mark.parametrize("name", EDITION_2)
@pytest.mark.parametrize("test_id", ALL)
def test_optional_stimulus_has_the_purge_stop_rules_and_histogram_of_wsat(
    test_id: str, name: str
) -> None:
    usual, test = build(name, "wsat"), build(name, test_id)
    assert [type(phase) for phase in test.phases] == [Purge, Stimulus, Histogram]
    for phase, known in zip(test.phases, usual.phases, strict=True):
        assert phase.phase_id == known.phase_id
    found, wanted = saturation_of(test), saturation_of(usual)
    assert replace(found, workload=wanted.workload, tracking=wanted.tracking) == wanted
    histogram = phase_of(test, "histogram")
    assert isinstance(histogram, Histogram)
    assert histogram.workload == found.workload
    assert histogram.seconds == find_profile(name)[HistogramRun].histogram_s


@pytest.mark.parametrize("alignment", [0, 4 * KIB])
def test_composite_has_the_sizes_zones_and_alignment_of_cbw(alignment: int) -> None:
    profile = find_profile("pts-2.0-enterprise").having(cbw_alignment_bytes=alignment)
    (test,) = build_tests(profile, ["wsat-composite"])
    composite = saturation_of(test).workload.composite
    assert composite is not None
    assert composite.alignment_bytes == alignment
    probability = "access_probability_percent"
    assert composite.block_shares == tuple(
        (int(line["block_size_bytes"]), int(line[probability]))
        for line in lines_of("pts_composite_block_sizes.csv")
    )
    assert composite.zones == tuple(
        (int(line[probability]), int(line["lba_size_percent"]))
        for line in lines_of("pts_composite_access_zones.csv")
    )
    (cbw,) = build_tests(profile, ["cbw"])
    wdpc = phase_of(cbw, "wdpc")
    assert isinstance(wdpc, Stimulus)
    assert composite == wdpc.workload.composite


@pytest.mark.parametrize("name", EDITION_2)
def test_all_has_none_of_the_optional_tests_and_each_can_be_named(name: str) -> None:
    profile = find_profile(name)
    assert choose_tests(profile, "all") == tuple(SUITE)
    assert optional_tests(profile) == ALL
    assert choose_tests(profile, " WSAT-VOD, wsat,wsat-oltp") == (
        *("wsat-vod", "wsat", "wsat-oltp"),
    )


@pytest.mark.parametrize("name", EDITION_1)
@pytest.mark.parametrize("test_id", ALL)
def test_optional_test_is_refused_where_the_edition_has_none(
    test_id: str, name: str
) -> None:
    profile = find_profile(name)
    assert optional_tests(profile) == ()
    with pytest.raises(UnknownNameError, match=name) as refusal:
        choose_tests(profile, f"wsat,{test_id}")
    assert refusal.value.name == test_id
    assert refusal.value.known == profile.tests


def test_unknown_test_names_the_optional_ones_too() -> None:
    with pytest.raises(UnknownNameError, match=f"dirth, {', '.join(ALL)}"):
        parse_tests("wsat-oltpp")


def test_profile_of_a_user_offers_what_its_edition_does() -> None:
    for base, offered in (("demo", ALL), ("tkperf", ())):
        text = f'based_on = "{base}"\nwsat_round_s = 2\n'
        assert optional_tests(parse_profile(text, source="x", name="mine")) == offered


def test_shown_profile_names_the_optional_tests_where_there_are_any() -> None:
    assert f"`--tests all`: {', '.join(ALL)}\n" in render_profile(find_profile("demo"))
    assert "wsat-oltp" not in render_profile(find_profile("tkperf"))


@pytest.mark.parametrize("test_id", ALL)
def test_values_of_wsat_are_those_of_the_optional_tests(test_id: str) -> None:
    nominal = find_profile("pts-2.0-enterprise")
    assert find_departures(nominal, (test_id,)) == ()
    words = words_of(find_departures(find_profile("demo"), (test_id,)))
    assert words == words_of(find_departures(find_profile("demo"), ("wsat",)))
    assert len(words) == 5
    for change in (
        {"wsat_time_limit_s": 25 * HOUR},
        {"wsat_sample_every_rounds": None},
        {"histogram_s": 600},
    ):
        changed = nominal.having(**change)
        assert len(find_departures(changed, (test_id,))) == 1
    others = nominal.having(cell_s=59, xsr_round_s=2, lat_mixes=(0,))
    assert find_departures(others, (test_id,)) == ()


def test_optional_test_of_another_edition_is_a_departure() -> None:
    assert words_of(find_departures(find_profile("pts-e-1.1"), ("wsat-vod",))) == (
        "test wsat-vod: not known to be one of PTS-E 1.1",
    )


def test_alignment_of_the_composite_is_the_operators_choice() -> None:
    profile = find_profile("pts-2.0-enterprise").having(cbw_alignment_bytes=4096)
    assert find_departures(profile, ("wsat-composite",)) == ()


def test_metadata_is_refused_on_sectors_that_its_blocks_do_not_fill() -> None:
    profile = find_profile("pts-2.0-enterprise")
    with pytest.raises(
        ProfileError,
        match=r"the blocks of WSAT-METADATA: they do not fit sectors of 4096 B. Leave "
        r"the test out on this device: the standard sets the block size",
    ):
        fit_suite(
            profile, ("wsat-metadata",), capacity_bytes=CAPACITY, sector_bytes=4096
        )


def test_composite_on_4kn_gives_the_share_of_small_blocks_to_4_kib() -> None:
    profile = find_profile("pts-2.0-enterprise")
    fitted = fit_suite(
        profile,
        ("wsat-oltp", "wsat-vod", "wsat-composite"),
        capacity_bytes=CAPACITY,
        sector_bytes=4096,
    )
    *same, composite = fitted.tests
    assert tuple(same) == build_tests(profile, ("wsat-oltp", "wsat-vod"))
    for phase in composite.phases[1:]:
        assert isinstance(phase, Stimulus | Histogram)
        assert phase.workload.composite is not None
        sizes = dict(phase.workload.composite.block_shares)
        assert sizes == {4096: 77, 8192: 10, 16384: 7, 32768: 3, 65536: 3}
    (departure,) = fitted.left_out
    assert departure.words.startswith(
        "composite blocks of WSAT-COMPOSITE below the sector of"
    )


@pytest.mark.parametrize(
    ("test_id", "share"),
    [
        ("wsat-oltp", 0.35),
        ("wsat-vod", 0.1),
        ("wsat-metadata", 0.5),
        ("wsat-composite", 1.0),
    ],
)
def test_plan_prices_the_writes_of_a_mix_alone(test_id: str, share: float) -> None:
    """At 1 MB/s 6 h do not reach 4X; at 4X in 100 min of writes the share stretches."""
    profile = find_profile("pts-2.0-enterprise")
    tests = build_tests(profile, [test_id])
    (slow,) = estimate_suite(tests, context_of(profile), 1e6)
    assert slow.cost.written_bytes_max == pytest.approx(
        share * 1e6 * (6 * HOUR + 20 * MINUTE)
    )
    assert slow.drive_fills_max == slow.cost.written_bytes_max / CAPACITY
    assert slow.cost.seconds_min == 175 * MINUTE
    assert slow.cost.seconds_max == 6 * HOUR + 20 * MINUTE
    speed = 4 * CAPACITY / (10 * MINUTE)
    (fast,) = estimate_suite(tests, context_of(profile), speed)
    assert fast.cost.rounds_min == math.ceil(10 / share)
    histogram = 20 * MINUTE * speed * share
    assert fast.cost.written_bytes_max == pytest.approx(4 * CAPACITY + histogram)


@pytest.mark.parametrize("test_id", ALL)
def test_driven_plan_stops_by_the_writes_of_a_mix_alone(test_id: str) -> None:
    """Half a capacity moves in a round; writes are their share of it."""

    def answer(step: Step) -> StepResult:
        return result_of(step, 1000.0, moved=CAPACITY // 2)

    driven = drive("pts-2.0-enterprise", [test_id], answer)
    share = 1 - STIMULI[test_id][2] / 100
    wanted = next(n for n in range(1, 999) if n * 0.5 * share >= 4 - 1e-6)
    assert driven.rounds_of("saturation") == wanted
    assert driven.steps[-1].kind == "histogram"


@pytest.mark.parametrize("test_id", ALL)
def test_driven_plan_is_steady_in_its_own_variable(test_id: str) -> None:
    driven = drive("pts-2.0-enterprise", [test_id])
    (judgement,) = driven.judgements
    assert judgement.rounds == (31, 62, 93, 124, 155)
    assert (
        judgement.tracking.label
        == saturation_of(build("pts-2.0-enterprise", test_id)).workload.label
    )


def test_wsat_is_as_it_was_before_there_were_others() -> None:
    test = build("demo", "wsat")
    assert (test.title, test.pts_section) == ("Write saturation", "10")
    phase = saturation_of(test)
    assert phase.workload.label == "RND 4 KiB 0/100"
    assert phase.tracking == RND_4K_WRITE
