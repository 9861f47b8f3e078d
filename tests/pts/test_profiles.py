"""What each profile asks for: written by hand from the standard's facts."""

import json
from typing import Any

import pytest

from ssdlab.model.asked import Suite
from ssdlab.model.errors import RepeatedNameError, UnknownNameError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.spec import Histogram, Precondition, Purge, Rounds, Stimulus
from ssdlab.model.units import KIB
from ssdlab.pts import PROFILES, SUITE, build_tests, find_profile, parse_tests
from ssdlab.pts.fitting import fit_to_sectors
from ssdlab.pts.profile import Profile
from ssdlab.pts.profiles import profile_of, suite_of, suite_of_format_1
from ssdlab.pts.shared.settings import Flow, Ranges
from tests.pts.cells import build, load, loops, phase_of, rounds_of

FULL = ("pts-2.0-enterprise", "pts-2.0-client", "pts-e-1.1")
MIXES = (100, 95, 65, 50, 35, 5, 0)
SIZES_KIB = (1024, 128, 64, 32, 16, 8, 4, 0.5)
DEFAULT_LOAD = {
    "pts-2.0-enterprise": (4, 32),
    "pts-2.0-client": (2, 16),
    "pts-e-1.1": (4, 32),
    "pts-c-1.1": (2, 16),
    "tkperf": (2, 16),
    "demo": (2, 16),
}
THREE = ["RND 4 KiB 0/100", "RND 64 KiB 65/35", "RND 1024 KiB 100/0"]
WRITE_CACHE = {
    "pts-2.0-enterprise": "disabled",
    "pts-2.0-client": "enabled",
    "pts-e-1.1": "disabled",
    "pts-c-1.1": "enabled",
    "tkperf": "as found",
    "demo": "disabled",
}
EDITIONS_1 = {"pts-e-1.1", "pts-c-1.1", "tkperf"}


def first_loop(name: str, phase_id: str = "rounds") -> str:
    """Return the name of a phase in the first active range, where there are several."""
    return f"{phase_id}-AR100-8GiB" if name == "pts-c-1.1" else phase_id


def test_every_profile_is_expected_here() -> None:
    assert set(PROFILES) == set(DEFAULT_LOAD) == set(WRITE_CACHE)


@pytest.mark.parametrize("name", [*FULL, "tkperf"])
def test_iops_runs_seven_mixes_over_eight_sizes(name: str) -> None:
    cells = [("rnd", size, mix) for mix in MIXES for size in SIZES_KIB]
    assert loops(build(name, "iops")) == {"rounds": cells}


def test_iops_of_the_demo_is_a_part_of_the_full_loop_in_its_order() -> None:
    demo = loops(build("demo", "iops"))["rounds"]
    full = loops(build("pts-2.0-enterprise", "iops"))["rounds"]
    assert [cell for cell in full if cell in demo] == demo
    assert len(demo) == 12


@pytest.mark.parametrize("name", PROFILES)
def test_iops_and_wsat_use_the_profile_load(name: str) -> None:
    cells = rounds_of(build(name, "iops"), first_loop(name)).cells
    assert {load(cell) for cell in cells} == {DEFAULT_LOAD[name]}
    saturation = phase_of(build(name, "wsat"), "saturation")
    assert isinstance(saturation, Stimulus)
    assert load(saturation.workload) == DEFAULT_LOAD[name]


@pytest.mark.parametrize("name", PROFILES)
def test_latency_has_nine_cells_at_one_outstanding_io(name: str) -> None:
    phase = rounds_of(build(name, "lat"), first_loop(name))
    cells = [("rnd", size, mix) for mix in (100, 65, 0) for size in (8, 4, 0.5)]
    assert set(map(tuple, loops(build(name, "lat")).values())) == {tuple(cells)}
    assert {load(cell) for cell in phase.cells} == {(1, 1)}


@pytest.mark.parametrize("name", [*FULL, "demo"])
def test_throughput_runs_each_size_from_its_own_purge_and_fill(name: str) -> None:
    test = build(name, "tp")
    assert loops(test) == {
        "rounds-1024KiB": [("seq", 1024, 100), ("seq", 1024, 0)],
        "rounds-128KiB": [("seq", 128, 100), ("seq", 128, 0)],
    }
    kinds = [type(phase) for phase in test.phases]
    assert kinds == [Purge, Precondition, Rounds] * 2
    for size in (1024, 128):
        fill = phase_of(test, f"wipc-{size}KiB")
        assert isinstance(fill, Precondition)
        assert (fill.block_size_bytes, fill.threads) == (size * KIB, 1)
        assert fill.capacity_multiple == 2
        cells = rounds_of(test, f"rounds-{size}KiB").cells
        assert {load(cell) for cell in cells} == {(1, 32)}


def test_throughput_of_tkperf_has_five_sizes_and_no_fill() -> None:
    test = build("tkperf", "tp")
    names = ["1024KiB", "64KiB", "8KiB", "4KiB", "0.5KiB"]
    assert [phase.phase_id for phase in test.phases] == [
        f"{kind}-{name}" for name in names for kind in ("purge", "rounds")
    ]
    phases = [rounds_of(test, f"rounds-{name}") for name in names]
    assert [bool(phase.tracking) for phase in phases] == [True] + [False] * 4
    assert [phase.same_rounds_as for phase in phases] == [""] + ["rounds-1024KiB"] * 4
    assert {load(cell) for phase in phases for cell in phase.cells} == {(2, 16)}


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("pts-2.0-enterprise", THREE),
        ("pts-2.0-client", THREE),
        ("pts-e-1.1", THREE[:1]),
        ("pts-c-1.1", THREE[:1]),
        ("tkperf", THREE[:1]),
        ("demo", THREE),
    ],
)
def test_iops_tracks_three_cells_in_2_0_and_one_before(
    name: str, labels: list[str]
) -> None:
    tracking = rounds_of(build(name, "iops"), first_loop(name)).tracking
    assert [variable.label for variable in tracking] == labels
    assert {variable.metric for variable in tracking} == {"iops"}


@pytest.mark.parametrize("name", PROFILES)
def test_latency_tracks_mean_latency_and_throughput_the_written_rate(name: str) -> None:
    (latency,) = rounds_of(build(name, "lat"), first_loop(name)).tracking
    assert (latency.label, latency.metric) == ("RND 4 KiB 0/100", "lat_mean_ns")
    loop = first_loop(name, "rounds-1024KiB")
    (written,) = rounds_of(build(name, "tp"), loop).tracking
    assert (written.label, written.metric) == ("SEQ 1024 KiB 0/100", "bw_bytes_per_s")


@pytest.mark.parametrize("name", PROFILES)
def test_write_cache_and_active_range_are_those_of_the_profile(name: str) -> None:
    profile = find_profile(name)
    assert profile[Flow].write_cache == WRITE_CACHE[name]
    wanted = 75 if name == "pts-2.0-client" else 100
    assert profile[Flow].active_range_percent == wanted


@pytest.mark.parametrize("name", [*FULL, "tkperf"])
def test_times_are_nominal(name: str) -> None:
    iops, wsat = rounds_of(build(name, "iops")), build(name, "wsat")
    assert (iops.cell_seconds, iops.max_rounds) == (60, 25)
    assert (iops.criteria.window_rounds, iops.criteria.max_range_ratio) == (5, 0.20)
    assert iops.criteria.max_slope_ratio == 0.10
    saturation = phase_of(wsat, "saturation")
    assert isinstance(saturation, Stimulus)
    assert (saturation.round_seconds, saturation.capacity_multiple) == (60, 4)


@pytest.mark.parametrize(
    ("name", "hours", "every"),
    [
        ("pts-2.0-enterprise", 6, 31),
        ("pts-2.0-client", 6, 31),
        ("pts-e-1.1", 24, 31),
        ("pts-c-1.1", 24, 31),
        ("tkperf", 24, None),
    ],
)
def test_saturation_limits_are_those_of_the_edition(
    name: str, hours: int, every: int | None
) -> None:
    saturation = phase_of(build(name, "wsat"), "saturation")
    assert isinstance(saturation, Stimulus)
    assert saturation.time_limit_s == hours * 3600
    assert saturation.sample_every_rounds == every


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("test_id", ["lat", "wsat"])
def test_histogram_run_is_there_in_2_0_only(name: str, test_id: str) -> None:
    last = build(name, test_id).phases[-1]
    if name in EDITIONS_1:
        assert not isinstance(last, Histogram)
        return
    assert isinstance(last, Histogram)
    assert last.seconds == (8 if name == "demo" else 1200)
    assert load(last.workload) == ((1, 1) if test_id == "lat" else DEFAULT_LOAD[name])


@pytest.mark.parametrize("name", PROFILES)
def test_saturation_begins_on_the_purged_device(name: str) -> None:
    kinds = [type(phase) for phase in build(name, "wsat").phases]
    assert kinds[:2] == [Purge, Stimulus]
    assert Precondition not in kinds


@pytest.mark.parametrize("name", PROFILES)
@pytest.mark.parametrize("test_id", ["iops", "lat"])
def test_iops_and_latency_fill_twice_after_the_purge(name: str, test_id: str) -> None:
    purge, fill, rounds, *_ = build(name, test_id).phases
    assert isinstance(purge, Purge)
    assert isinstance(rounds, Rounds)
    assert isinstance(fill, Precondition)
    assert (fill.capacity_multiple, fill.block_size_bytes) == (2, 128 * KIB)
    assert (fill.threads, fill.queue_depth) == DEFAULT_LOAD[name]
    assert fill.is_divided == (name != "tkperf")


@pytest.mark.parametrize("name", PROFILES)
def test_phase_names_are_unique_within_a_test(name: str) -> None:
    for test in build_tests(find_profile(name), SUITE):
        names = [phase.phase_id for phase in test.phases]
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", PROFILES)
def test_profile_comes_back_from_json_as_it_was(name: str) -> None:
    profile = find_profile(name)
    again = _through_json(profile)
    assert again == profile
    assert build_tests(again, SUITE) == build_tests(profile, SUITE)


def test_changed_profile_comes_back_from_json_changed() -> None:
    changed = find_profile("tkperf").having(cell_s=0.5, tp_tracked_sizes=None)
    assert _through_json(changed) == changed


def _through_json(profile: Profile) -> Profile:
    tests = build_tests(profile, profile.tests)
    stored = json.loads(json.dumps(to_plain(suite_of(profile, tests))))
    return profile_of(from_plain(Suite, stored))


def flat(profile: Profile) -> dict[str, Any]:
    """Return a profile as format 1 kept it: each value by its key."""
    values = {key: profile.value(key) for key in profile.places}
    words = {"name": profile.name, "title": profile.title}
    edition = {"spec_version": profile.spec_version, "nominal": profile.nominal}
    return json.loads(json.dumps(to_plain(values | words | edition)))  # type: ignore[no-any-return] # an object


def test_runs_and_files_may_name_the_client_edition_as_before() -> None:
    client = find_profile("pts-c-1.1")
    assert find_profile("PTS-C-1.x") == client
    stored = flat(client)
    for active in stored["active_ranges"]:
        del active["segments"]
    before = profile_of(suite_of_format_1(stored | {"nominal": "pts-c-1.x"}))
    assert before.nominal == "pts-c-1.1"
    assert {active.segments for active in before[Ranges].active_ranges} == {1}


def test_stored_profile_is_refused_when_a_value_is_missing() -> None:
    asked = suite_of(find_profile("demo"), ())
    del asked.settings["rounds"]["cell_s"]
    with pytest.raises(ValueError, match="cell_s"):
        profile_of(asked)


def test_unknown_profile_names_the_known_ones() -> None:
    with pytest.raises(UnknownNameError) as refusal:
        find_profile("x")
    assert refusal.value.name == "x"
    assert "pts-2.0-client" in refusal.value.known


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("iops,tp,lat,wsat", ("iops", "tp", "lat", "wsat")),
        (" WSAT , iops ", ("wsat", "iops")),
        ("lat,", ("lat",)),
    ],
)
def test_tests_are_run_in_the_order_asked_for(
    text: str, names: tuple[str, ...]
) -> None:
    assert parse_tests(text) == names
    built = build_tests(find_profile("demo"), names)
    assert tuple(test.test_id for test in built) == names


def test_list_of_tests_is_refused_when_one_stands_twice() -> None:
    with pytest.raises(RepeatedNameError, match="'iops' appears twice in 'iops,,iops'"):
        parse_tests("iops,,iops")


@pytest.mark.parametrize("text", ["", ",", "iops,hri"])
def test_list_of_tests_is_refused_when_one_is_unknown(text: str) -> None:
    with pytest.raises(
        UnknownNameError, match="Choose from: iops, tp, lat, wsat, hir, xsr, cbw, dirth"
    ):
        parse_tests(text)


def test_blocks_below_a_sector_are_left_out_with_their_purge() -> None:
    fitting = fit_to_sectors(PROFILES["tkperf"], 4096)
    iops, tp, lat = build_tests(fitting, ("iops", "tp", "lat"))
    loops = [phase for phase in iops.phases + lat.phases if isinstance(phase, Rounds)]
    assert [len(loop.cells) for loop in loops] == [7 * 7, 3 * 2]
    assert "purge-4KiB" in [phase.phase_id for phase in tp.phases]
    assert "purge-0.5KiB" not in [phase.phase_id for phase in tp.phases]


def test_a_profile_whose_blocks_all_fit_stays_as_it_is() -> None:
    assert fit_to_sectors(PROFILES["demo"], 512) == PROFILES["demo"]
