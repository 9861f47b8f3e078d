"""A profile as TOML: what is shown is read again, and what is wrong is named."""

import re
import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.model.errors import ProfileError
from ssdlab.model.spec import ActiveRange, Tracking
from ssdlab.model.units import GIB, KIB, MIB
from ssdlab.pts import PROFILES, Profile, find_profile
from ssdlab.pts.departures import find_departures
from ssdlab.pts.profile_file import parse_profile, render_profile
from ssdlab.pts.shared.settings import Ranges
from tests.departed import words_of

BASE = 'based_on = "pts-2.0-enterprise"\n'


def parse(text: str, *, base: str = BASE, name: str = "mine") -> Profile:
    return parse_profile(base + text, source="mine.toml", name=name)


@pytest.mark.parametrize("name", PROFILES)
def test_profile_that_is_shown_is_read_as_it_was(name: str) -> None:
    text = render_profile(find_profile(name))
    again = parse_profile(text, source="copy.toml", name=name)
    assert again == find_profile(name)
    kinds = [
        [type(p.value(key)) for key in p.places] for p in (again, find_profile(name))
    ]
    assert kinds[0] == kinds[1]


@pytest.mark.parametrize("name", PROFILES)
def test_shown_profile_has_every_value_with_its_words_and_section(name: str) -> None:
    text = render_profile(find_profile(name))
    shown = tomllib.loads(text)
    for key, (kind, field, value) in find_profile(name).places.items():
        table = shown[kind.group] if kind.prefix else shown
        assert field in table, key
        part = text.partition(f"\n[{kind.group}]\n")[2] if kind.prefix else text
        before = part.partition(f"\n{field} = ")[0].rpartition("\n\n")[2]
        assert value.words in before
        assert f" {value.section}" in before
        assert value.kind != "seconds" or "[s]" in before


def test_value_is_taken_in_its_table_and_by_its_key_alone() -> None:
    nested = parse("[hir]\ncycles = 20\n[wipc]\nthreads = 3\n")
    assert nested == parse("hir_cycles = 20\nwipc_threads = 3\n")
    assert nested.value("hir_cycles") == 20


@pytest.mark.parametrize(
    ("text", "key", "said"),
    [
        ("[hir]\ncylces = 20\n", "hir.cylces", "Did you mean hir_cycles?"),
        ("[hir]\ncycles = 'x'\n", "hir.cycles", "demo has hir.cycles = 12"),
        ("hir_cycles = 9\n[hir]\ncycles = 20\n", "hir.cycles", "it appears twice"),
        ("[nobody]\ncycles = 20\n", "nobody", "a profile has no such value"),
        ("[rounds]\ncell_s = 20\n", "rounds", "a profile has no such value"),
    ],
)
def test_value_of_a_table_is_refused_by_its_name(
    text: str, key: str, said: str
) -> None:
    with pytest.raises(ProfileError, match=re.escape(said)) as refused:
        parse(text, base='based_on = "demo"\n')
    assert refused.value.key == key


def test_shown_profile_names_the_nominal_value_where_it_differs() -> None:
    text = render_profile(find_profile("demo"))
    assert "# nominal, as in pts-2.0-enterprise: 60\ncell_s = 1\n" in text
    assert "nominal, as in" not in render_profile(find_profile("pts-c-1.1"))


def test_copy_of_a_shown_profile_with_one_change_departs_in_that_alone() -> None:
    text = render_profile(find_profile("pts-2.0-client"))
    changed = text.replace("\ncell_s = 60\n", "\ncell_s = 30\n")
    assert changed != text
    mine = parse_profile(changed, source="mine.toml", name="mine")
    assert (mine.name, mine.nominal) == ("mine", "pts-2.0-client")
    assert mine.title == "changed SNIA SSS PTS 2.0, client"
    assert words_of(find_departures(mine, mine.tests)) == (
        "time of a cell: 30 s instead of 1 min",
    )


def test_profile_of_a_user_is_shown_and_read_as_it_was() -> None:
    mine = parse(
        'title = "mine \\"own\\""\ncell_s = 0.125\nhistogram_s = "none"\n'
        'active_ranges = ["12.5 % 24 MiB", "50 %"]\nthreads = 1',
        base='based_on = "demo"\n',
    )
    assert parse_profile(render_profile(mine), source="x", name="other") == mine
    assert mine[Ranges].active_ranges == (
        ActiveRange(percent=12.5, amount_bytes=24 * MIB),
        ActiveRange(percent=50),
    )


def test_title_of_any_script_is_shown_and_read_as_it_was() -> None:
    mine = parse('title = "naïve 試験 \U0001f4be"')
    again = parse_profile(render_profile(mine), source="again.toml", name="mine")
    assert again.title == mine.title


def test_longer_gap_in_a_window_is_a_departure_and_a_shorter_one_is_none() -> None:
    for seconds, count in ((6, 1), (4, 0)):
        mine = parse(f"max_idle_s = {seconds}")
        assert len(find_departures(mine, mine.tests)) == count


def test_file_needs_only_what_differs() -> None:
    mine = parse("xsr_threads = [1, 8, 1]\n")
    assert mine == find_profile("pts-2.0-enterprise").having(
        name="mine",
        title="changed SNIA SSS PTS 2.0, enterprise",
        xsr_threads=(1, 8, 1),
    )


@pytest.mark.parametrize(
    ("text", "key", "value"),
    [
        ("cell_s = 12.5", "cell_s", 12.5),
        ('iops_block_sizes = ["1MiB", 65536, "4k"]', "iops_block_sizes", None),
        ('wipc_block_size_bytes = "256 KiB"', "wipc_block_size_bytes", 256 * KIB),
        ("wipc_block_size_bytes = 262144", "wipc_block_size_bytes", 256 * KIB),
        ("cbw_alignment_bytes = 0", "cbw_alignment_bytes", 0),
        ('write_cache = "as found"', "write_cache", "as found"),
        ('wsat_sample_every_rounds = "none"', "wsat_sample_every_rounds", None),
        ('tp_tracked_sizes = ["1 MiB"]', "tp_tracked_sizes", (MIB,)),
        ('tp_tracked_sizes = "all"', "tp_tracked_sizes", None),
        ('active_ranges = "none"', "active_ranges", ()),
        (
            'active_ranges = ["75% 16GiB"]',
            "active_ranges",
            (ActiveRange(percent=75, amount_bytes=16 * GIB),),
        ),
        ('tests = ["LAT", "iops"]', "tests", ("lat", "iops")),
        ("uses_random_map = true", "uses_random_map", True),
        ("xsr_group_s = [60, 30, 60]", "xsr_group_s", (60, 30, 60)),
        (
            'iops_tracking = ["rnd 8KiB 65/35"]',
            "iops_tracking",
            (
                Tracking(
                    access="rnd",
                    block_size_bytes=8 * KIB,
                    read_percent=65,
                    metric="iops",
                ),
            ),
        ),
    ],
    ids=lambda case: str(case)[:30],
)
def test_values_are_read_with_their_units(text: str, key: str, value: object) -> None:
    wanted = (MIB, 64 * KIB, 4 * KIB) if key == "iops_block_sizes" else value
    assert parse(text).value(key) == wanted


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("zzz = 30", "zzz: a profile has no such value. See them all"),
        ("cel_s = 30", "cel_s: a profile has no such value. Did you mean cell_s?"),
        ("nominal = 'demo'", "nominal: a profile has no such value"),
        ("[cell_s]\nx = 1", "cell_s: {'x': 1} is not a number"),
        ('cell_s = "30"', "cell_s: '30' is not a number. Write it as"),
        ("cell_s = true", "cell_s: True is not a number"),
        ("cell_s = nan", "cell_s: nan is not a finite number"),
        ("cell_s = -inf", "cell_s: -inf is not a finite number"),
        ("cell_s = 0", "cell_s: 0 is out of range: 0.1 to 2592000 s"),
        (f"cell_s = 1{'0' * 400}", "is out of range: 0.1 to 2592000 s"),
        (
            "demand_threads = [1, 32]",
            "demand_threads: it is not descending",
        ),
        ("wdpc_max_samples = 4", "wdpc_max_samples: "),
        ("threads = 4.0", "threads: 4.0 is not a whole number"),
        ("threads = 0", "threads: 0 is out of range: 1 to 256"),
        ("max_rounds = 4", "max_rounds: 4 is out of range: 5 to 1000"),
        (
            "active_range_percent = 101",
            "active_range_percent: 101 is out of range: 1 to",
        ),
        ("iops_mixes = 65", "iops_mixes: 65 is not a list"),
        ("iops_mixes = []", "does not have 1 to 100 entries"),
        ("iops_mixes = [100, 65, 65, 0]", "has the same entry twice"),
        ("iops_mixes = [101]", "101 is out of range: 0 to 100 % reads"),
        ("xsr_group_s = [60, 60]", "does not have 3 entries"),
        ('lat_block_sizes = ["4 parsecs"]', "'4 parsecs' is not a size"),
        ("lat_block_sizes = [1000]", "1000 is not a multiple of 512 B"),
        ('lat_block_sizes = ["2 MiB"]', "is out of range: 512 to 1048576 B"),
        ('uses_random_map = "yes"', "'yes' is not true or false"),
        ('write_cache = "on"', "'on' is not one of: enabled, disabled, as found"),
        ('tests = ["hri"]', "'hri' is not a test; choose from iops, tp"),
        ('tests = ["iops", "IOPS"]', "has the same entry twice"),
        ('iops_tracking = ["SEQ 4 KiB 0/100"]', "is not a cell such as"),
        ('iops_tracking = ["RND 4 KiB 60/60"]', "is not a cell such as"),
        ('active_ranges = ["0 % 8 GiB"]', "is not an active range such as"),
        (
            'active_ranges = ["75 % 3 MiB"]',
            "has an amount that is not at least 8 whole MiB",
        ),
        (
            'active_ranges = ["75 % 8 GiB in 2048 segments"]',
            "that fio cannot draw; choose from 1, 2, 4, 5, 10, 20, 25, 50, 100",
        ),
        (
            'active_ranges = ["75 % 8 MiB in 4 segments"]',
            "has segments smaller than 4 MiB",
        ),
        ('histogram_s = "off"', "'off' is not a number"),
        ('cell_s = "none"', "'none' is not a number"),
        (
            "iops_mixes = [100, 65]",
            "iops_tracking: RND 4 KiB 0/100 is not in iops_mixes",
        ),
        ("lat_mixes = [100, 65]", "lat_mixes: 0 is missing"),
        ('lat_block_sizes = ["8 KiB"]', "lat_block_sizes: 4 KiB is missing"),
        (
            'tp_tracked_sizes = ["64 KiB"]',
            "tp_tracked_sizes: 64 KiB is not in tp_block_sizes",
        ),
        (
            'tp_tracked_sizes = ["128 KiB"]',
            "tp_tracked_sizes: it does not start with the first of tp_block_sizes",
        ),
        ("wsat_round_s = 0.1", "wsat_round_s: that makes 216000 rounds in a phase"),
        (
            'active_ranges = ["75 %", "100 %"]',
            "histogram_s: a histogram run cannot cover several active ranges",
        ),
        (
            'active_ranges = ["75 % 8.0 GiB", "75.0 % 8192 MiB"]',
            "has the same entry twice",
        ),
        ('name = "a b"', "name: 'a b' is not a valid profile name"),
        ('name = "../x"', "name: '../x' is not a valid profile name"),
        ("name = 5", "name: 5 is not a valid profile name"),
        ('name = "Demo"', "name: 'Demo' names a profile of ssdlab"),
        ('title = ""', "title: this is not a valid title"),
        ('title = "a\\u0007"', "title: this is not a valid title"),
        ("cell_s 30", r"this is not TOML \("),
        ("x = " + "[" * 5000, r"this is not TOML \("),
    ],
    ids=lambda case: str(case)[:30],
)
def test_what_is_wrong_is_named_with_file_and_key(text: str, words: str) -> None:
    with pytest.raises(ProfileError) as caught:
        parse(text)
    assert caught.value.exit_code == 2
    said = str(caught.value)
    assert said.startswith("mine.toml: ")
    assert words.replace("\\", "") in said
    assert caught.value.remedy in said
    assert said.isprintable()


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ("", "based_on: it is missing"),
        ('based_on = "pts-3"\n', "based_on: unknown profile 'pts-3'"),
        ("based_on = 2\n", "based_on: unknown profile 2"),
    ],
)
def test_missing_base_is_named_with_those_there_are(base: str, words: str) -> None:
    with pytest.raises(ProfileError, match=f'{words}.*"pts-2.0-client", "pts-e-1.1"'):
        parse("cell_s = 30\n", base=base)


def test_file_with_a_name_of_ours_is_refused_only_when_it_differs() -> None:
    base = 'based_on = "tkperf"\n'
    assert parse("", base=base, name="tkperf") == find_profile("tkperf")
    with pytest.raises(ProfileError, match="names a profile of ssdlab"):
        parse("cell_s = 30", base=base, name="tkperf")


def outcome(text: str) -> Profile | ProfileError:
    try:
        return parse_profile(text, source="x.toml", name="x")
    except ProfileError as error:
        return error


@given(text=st.text(max_size=200))
def test_any_text_is_refused_with_a_remedy(text: str) -> None:
    found = outcome(text)
    assert isinstance(found, ProfileError)  # none of them has a base
    assert found.remedy


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
CHECKED = {  # by what the values are to each other
    *("iops_tracking", "tp_tracked_sizes", "wsat_round_s", "xsr_round_s"),
    *("point_round_s", "wdpc_sample_every_rounds"),
}


@given(key=st.sampled_from(sorted(find_profile("demo").places)), value=JSON)
def test_any_value_is_read_or_refused_by_its_key(key: str, value: object) -> None:
    found = outcome(f"{BASE}{key} = {_toml(value)}")
    if isinstance(found, Profile):
        again = parse_profile(render_profile(found), source="y.toml", name="y")
        assert again == found
    else:
        assert found.key in CHECKED | {key, ""}


def _toml(value: object) -> str:
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    if isinstance(value, str):
        return "".join(["'", *(c for c in value if c.isalnum() or c in " %/"), "'"])
    return str(value).lower()
