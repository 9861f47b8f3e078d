"""Runs against limits: each verdict, whole tables, pages, and files for CI."""

import json
import math
import random as chance
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ssdlab
from ssdlab.limits.bounds import BoundLimit, BoundsFile
from ssdlab.limits.check import (
    VERDICTS,
    Case,
    LimitCheck,
    Place,
    compare_bounds,
    judge_places,
    judge_reading,
)
from ssdlab.limits.estimates import Estimate, estimate_rounds
from ssdlab.limits.figures import Margin, margin_of, plot_margins
from ssdlab.limits.needed import Needed, independent_ios, rounds_to_reach
from ssdlab.limits.pages import check_document
from ssdlab.limits.text import check_junit, check_markdown
from ssdlab.model.errors import RepeatedNameError
from ssdlab.paper.document import render_document
from ssdlab.stats.claims import claim_of_level
from ssdlab.stats.interval import Interval
from ssdlab.stats.quantiles import BinnedRounds
from ssdlab.stats.trend import estimate_mean
from ssdlab.store.run import Run
from tests.cli.called import call
from tests.paths import ROOT

SAMPLES = ROOT / "data" / "samples"
SAMPLE = SAMPLES / "virtual-b"
ROUNDS = [98.0, 101.0, 99.0, 102.0, 100.0]
USUAL = "RND 4KiB 0/100"
Floats = npt.NDArray[np.float64]


def limit_of(**limit: Any) -> BoundLimit:
    return BoundLimit(**({"metric": "iops", "test": "iops", "cell": USUAL} | limit))


def checked(run: Run, *limits: BoundLimit) -> LimitCheck:
    return ssdlab.check_limits(run, BoundsFile(limit=limits))


def place_of(estimate: Estimate, limit: BoundLimit) -> Place:
    return Place(run_id="r", limit=limit, names={}, estimate=estimate)


def judged(rounds: npt.ArrayLike, *limits: BoundLimit) -> list[Case]:
    estimate = estimate_rounds(rounds)
    return list(judge_places([place_of(estimate, one) for one in limits]))


@pytest.fixture(scope="module")
def run() -> Run:
    return ssdlab.open_run(SAMPLE)


def test_interval_is_that_of_rounds_and_widens_as_students_t() -> None:
    """Student's t with three degrees of freedom: 3.182 at 95 %, 5.841 at 99 %."""
    known = estimate_mean(ROUNDS)
    found = estimate_rounds(ROUNDS)
    assert found.interval(95.0).low == pytest.approx(known.low)
    ratio = (found.interval(99.0).high - 100) / (known.high - 100)
    assert ratio == pytest.approx(5.841 / 3.182, abs=1e-3)
    assert estimate_rounds([1.0, 9.0, 1.0, 9.0]).interval(99.9).low == 0


@pytest.mark.parametrize(
    ("bounds", "verdict"),
    [
        ({"at_least": 90}, "met"),
        ({"at_least": 98}, "cannot be told"),
        ({"at_least": 130}, "not met"),
        ({"at_most": 110}, "met"),
        ({"at_most": 70}, "not met"),
        ({"at_least": 90, "at_most": 110}, "met"),
        ({"at_least": 90, "at_most": 101}, "cannot be told"),
        ({"at_least": 120, "at_most": 130}, "not met"),
    ],
)
def test_interval_decides_and_not_the_value(
    bounds: dict[str, float], verdict: str
) -> None:
    (found,) = judged(ROUNDS, limit_of(**bounds))
    assert found.verdict == verdict
    assert found.reason == ("wide" if verdict == "cannot be told" else "")


def test_not_met_holds_for_the_whole_table_and_met_for_each_limit() -> None:
    beyond, within = limit_of(at_least=110), limit_of(at_least=94)
    high = estimate_rounds(ROUNDS).interval(95.0).high
    assert high < 110
    assert [one.verdict for one in judged(ROUNDS, beyond)] == ["not met"]
    many = judged(ROUNDS, beyond, *[within] * 19)
    assert many[0].verdict == "cannot be told"
    assert {one.verdict for one in many[1:]} == {"met"}


def test_rounds_needed_are_those_whose_interval_just_reaches() -> None:
    """Of five rounds s is half the interval / t(3) x 5^0.5, and t(6) is 2.447."""
    found = estimate_rounds(ROUNDS)
    s = (found.interval(95.0).high - 100) / 3.1824463 * math.sqrt(5)
    reach = s * 2.4469119 / math.sqrt(8) + 1e-6
    assert rounds_to_reach(found, reach, confidence_percent=95.0) == Needed(
        count=8, what="rounds"
    )
    assert rounds_to_reach(found, 0.0, confidence_percent=95.0) is None


def test_independent_ios_are_none_on_the_wrong_side() -> None:
    """1.96^2 x 0.99 x 0.01 / 0.002^2 = 9,508."""
    found = independent_ios(99, 0.992, is_within=True, confidence_percent=95)
    assert found == pytest.approx(3.841459 * 0.0099 / 4e-6, rel=1e-6)
    beyond = independent_ios(99, 0.992, is_within=False, confidence_percent=95)
    assert math.isinf(beyond)


def test_rounds_that_do_not_scatter_tell_nothing() -> None:
    (found,) = judged([5.0] * 5, limit_of(at_least=1))
    assert (found.verdict, found.reason) == ("cannot be told", "no-scatter")


numbers = st.floats(1, 1e6)
few_examples = settings(max_examples=40)


@few_examples
@given(
    rounds=st.lists(numbers, min_size=5, max_size=5, unique=True),
    bounds=st.lists(numbers, min_size=1, max_size=4),
    looser=st.floats(1, 10),
    at=st.integers(0, 3),
)
def test_loosening_a_limit_never_makes_a_verdict_worse(
    rounds: list[float], bounds: list[float], looser: float, at: int
) -> None:
    rank = {"not met": 0, "cannot be told": 1, "met": 2}
    for key, factor in (("at_least", 1 / looser), ("at_most", looser)):
        limits = [limit_of(**{key: one}) for one in bounds]
        chosen = at % len(limits)
        changed = [*limits]
        changed[chosen] = limit_of(**{key: bounds[chosen] * factor})
        before, after = judged(rounds, *limits), judged(rounds, *changed)
        for one, other in zip(before, after, strict=True):
            assert rank[one.verdict] <= rank[other.verdict]


@few_examples
@given(
    bounds=st.lists(numbers, min_size=2, max_size=6),
    seed=st.integers(0, 9),
    unit=st.sampled_from([1e-3, 1e3, 7.0]),
)
def test_order_and_unit_do_not_matter(
    bounds: list[float], seed: int, unit: float
) -> None:
    limits = [limit_of(at_least=one) for one in bounds]
    found = {one.limit.at_least: one.verdict for one in judged(ROUNDS, *limits)}
    chance.Random(seed).shuffle(limits)
    again = {one.limit.at_least: one.verdict for one in judged(ROUNDS, *limits)}
    assert found == again
    scaled = [replace(one, at_least=one.range[0] * unit) for one in limits]
    rounds = [one * unit for one in ROUNDS]
    edges = [100.0 - 1e-3, 100.0 + 1e-3]
    if not any(edges[0] < one < edges[1] for one in bounds):
        verdicts = [one.verdict for one in judged(rounds, *scaled)]
        assert verdicts == [again[one.at_least] for one in limits]


def test_percentile_has_the_interval_that_is_claimed(run: Run) -> None:
    loads = ssdlab.analysis.select_loads(run.measurements, run.bins, test="lat")
    load = next(one for one in loads if one.kind == "histogram")
    own = {"metric": "p99", "test": "lat", "cell": load.workload}
    found = checked(run, limit_of(**own, at_most="1 s")).cases
    assert [one.names["kind"] for one in found] == ["histogram"]
    claim = claim_of_level(load.binned, 99.0)
    assert found[0].interval == claim.interval
    assert found[0].verdict == "met"
    assert found[0].count == load.binned.total


def test_percentile_without_an_upper_end_is_never_met(run: Run) -> None:
    limit = limit_of(metric="p99.99999", test="lat", at_most="1000 s")
    (found,) = checked(run, limit).cases
    assert (found.verdict, found.reason) == ("cannot be told", "not-bounded")
    assert found.needed is not None
    assert found.needed.what == "IOs"
    assert found.needed.count > found.count
    short = limit_of(metric="p99.99999", test="lat", at_most="1 ns")
    assert checked(run, short).verdict == "not met"


def test_least_latency_needs_no_upper_end(run: Run) -> None:
    limit = limit_of(metric="p99.99999", test="lat", at_least="1 ns")
    assert checked(run, limit).verdict == "met"
    (found,) = checked(run, replace(limit, at_least="1000 s")).cases
    assert (found.verdict, found.reason) == ("cannot be told", "wide")
    assert found.needed is None


def test_mean_is_that_of_the_report(run: Run) -> None:
    budget = ssdlab.summarise_budget(run, test="iops", cell=USUAL)
    (found,) = checked(run, limit_of(at_least=1)).cases
    assert found.interval is not None
    assert found.interval.estimate == pytest.approx(budget.result.value)
    assert found.count == len(budget.result.rounds)


def test_what_was_not_measured_cannot_be_told(run: Run) -> None:
    for limit in (
        limit_of(at_least=1, cell="RND 3KiB"),
        limit_of(at_least=1, test="nothing"),
        limit_of(metric="temperature_celsius", cell="*", at_most=1e9),
    ):
        (found,) = checked(run, limit).cases
        assert found.verdict == "cannot be told"
        assert found.reason in {"not-measured", "not-read"}


@pytest.mark.parametrize(
    ("judgement", "reason"), [(False, "not-steady"), (None, "not-judged")]
)
def test_cell_without_steady_state_cannot_be_told_unless_accepted(
    run: Run, *, judgement: bool | None, reason: str
) -> None:
    windows = run.windows.copy()
    windows["is_round_steady"] = False
    if judgement is None:
        windows = windows.iloc[:0]
    other = replace(run)
    other.__dict__["windows"] = windows
    (found,) = checked(other, limit_of(at_least=1)).cases
    assert (found.verdict, found.reason) == ("cannot be told", reason)
    assert found.interval is not None
    taken = limit_of(at_least=1, accept=("steady state",))
    assert checked(other, taken).verdict == "met"


def test_shared_host_cannot_be_told_unless_accepted(run: Run) -> None:
    other = replace(run)
    other.__dict__["steps"] = run.steps.assign(neighbours="another run")
    (found,) = checked(other, limit_of(at_least=1)).cases
    assert found.reason == "neighbours"
    taken = limit_of(at_least=1, accept=("neighbours",))
    assert checked(other, taken).verdict == "met"


@pytest.mark.parametrize(
    ("metric", "bounds", "verdict"),
    [
        ("temperature_celsius", {"at_most": 50}, "met"),
        ("temperature_celsius", {"at_most": 49.9}, "not met"),
        ("temperature_celsius", {"at_least": 31, "at_most": 60}, "not met"),
        ("media_errors", {"at_most": 3}, "met"),
        ("media_errors", {"at_most": 2}, "not met"),
        ("media_errors", {"at_least": 3}, "met"),
    ],
)
def test_gauge_is_judged_by_its_ends_and_a_counter_by_its_rise(
    metric: str, bounds: dict[str, Any], verdict: str
) -> None:
    case = Case(
        run_id="r",
        limit=BoundLimit(metric=metric, **bounds),
        verdict="cannot be told",
        reason="not-read",
        names={"test": "iops"},
    )
    row = {"mean": 40.0, "minimum": 30.0, "maximum": 50.0, "rise": 3.0}
    row["n_readings"] = 7
    assert judge_reading(case, row).verdict == verdict
    unknown = judge_reading(case, row | {"rise": math.nan, "mean": math.nan})
    assert unknown.verdict == "cannot be told"


@pytest.mark.parametrize(
    ("at_most", "verdict", "reason"),
    [
        (3.0, "met", ""),
        (2.5, "cannot be told", "coarse"),
        (1.9, "not met", ""),
    ],
)
def test_write_amplification_is_judged_as_far_as_its_counters_tell(
    run: Run, at_most: float, verdict: str, reason: str
) -> None:
    """Ten units by the host and 24 to the media: 24 ± 1 over 10 ± 1 is 2.1 to 2.8."""
    own = run.steps[run.steps["test"] == run.steps["test"].iloc[0]]
    times = [own["started_s"].min(), own["ended_s"].max()]
    unit = 512_000.0
    counts = {
        "host_written_bytes": [unit, 11 * unit],
        "media_written_bytes": [unit, 25 * unit],
    }
    telemetry = pd.DataFrame([
        {"time_s": time, "source": "block", "name": name, "value": value}
        for name, values in counts.items()
        for time, value in zip(times, values, strict=True)
    ])
    other = replace(run)
    other.__dict__["telemetry"] = telemetry
    limit = BoundLimit(metric="write_amplification", at_most=at_most)
    found = checked(other, limit).cases[0]
    assert (found.verdict, found.reason) == (verdict, reason)
    assert found.interval is not None
    assert found.interval.estimate == pytest.approx(2.4)


def test_write_amplification_of_the_virtual_ssd_has_a_verdict(run: Run) -> None:
    limit = BoundLimit(metric="write_amplification", at_least=0.5, at_most=100)
    found = checked(run, limit).cases
    assert {one.verdict for one in found} == {"met"}
    assert all(one.limit.text == "Write amplification 0.5 to 100" for one in found)


def test_reading_is_judged_in_each_test_that_has_it(run: Run) -> None:
    tests = list(dict.fromkeys(run.steps["test"]))
    steps = run.steps
    own = steps[steps["test"] == tests[0]]
    times = [own["started_s"].min(), own["ended_s"].max()]
    telemetry = pd.DataFrame({
        "time_s": times,
        "source": "block",
        "name": "temperature_celsius",
        "value": [30.0, 50.0],
    })
    other = replace(run)
    other.__dict__["telemetry"] = telemetry
    limit = BoundLimit(metric="temperature_celsius", at_most=60)
    found = {one.names["test"]: one for one in checked(other, limit).cases}
    assert list(found) == tests
    assert found[tests[0]].verdict == "met"
    assert {found[test].reason for test in tests[1:]} <= {"not-read"}


def test_printed_mean_without_rounds_cannot_be_told() -> None:
    imported = ssdlab.open_run(SAMPLES / "tkperf-intel-s3510")
    found = ssdlab.check_limits(imported, Path("reference:intel-s3510"))
    assert found.verdict == "cannot be told"
    assert "no-scatter" in {one.reason for one in found.cases}
    assert "not-measured" not in {one.reason for one in found.cases}


def test_runs_are_judged_each_by_itself(run: Run) -> None:
    other = SAMPLES / "virtual-a"
    file = BoundsFile(limit=(limit_of(at_least=1),))
    found = ssdlab.check_limits([run, other], file)
    assert [one.run_id for one in found.cases] == [one.run_id for one in found.runs]
    assert len({one.run_id for one in found.runs}) == 2
    with pytest.raises(RepeatedNameError):
        ssdlab.check_limits([other, other], file)


def test_margin_is_more_than_one_within_the_limit() -> None:
    inf = math.inf
    assert margin_of((20.0, 10.0, 40.0), (10.0, inf)) == (2.0, 1.0, 4.0)
    assert margin_of((20.0, 10.0, inf), (-inf, 10.0)) == (0.5, 0.0, 1.0)
    assert margin_of((9.0, 8.0, 10.0), (1.0, 18.0))[0] == 9.0


def test_figure_draws_margins_and_open_ends_beyond_all() -> None:
    known = Margin(name="a", verdict="met", value=2.0, low=1.5, high=3.0, hover="<a>")
    margins = [
        known,
        replace(known, name="b", verdict="cannot be told", low=0.0),
        replace(known, name="c", verdict="not met", value=0.5, low=0.4, high=0.6),
    ]
    figure = plot_margins(margins, title="T")
    drawn = {trace.name: trace for trace in figure.data}
    assert list(drawn) == list(VERDICTS)
    assert [trace.y for trace in drawn.values()] == [(0,), (2,), (1,)]
    assert drawn["met"].error_x.arrayminus == (0.5,)
    assert drawn["cannot be told"].error_x.arrayminus == (1.8,)
    assert drawn["met"].text == ("&lt;a&gt;",)
    assert figure.layout.yaxis.ticktext == ("a", "b", "c")


@pytest.fixture(scope="module")
def mixed(run: Run) -> LimitCheck:
    """Return a check with each verdict, and text that must be escaped."""
    file = BoundsFile(
        title="Model <b>X</b> | `1`",
        source="sheet <1>",
        limit=(
            limit_of(at_least=1),
            limit_of(at_least=1e9),
            limit_of(metric="p99.99999", test="lat", at_most="1000 s"),
            limit_of(at_least=1, cell="RND <i>"),
            BoundLimit(metric="media_errors", at_most=0),
        ),
    )
    found = ssdlab.check_limits([run, SAMPLES / "virtual-a"], file)
    assert all(found.counts[verdict] for verdict in VERDICTS)
    return found


@pytest.mark.parametrize("is_strict", [False, True])
def test_junit_counts_what_it_holds(mixed: LimitCheck, *, is_strict: bool) -> None:
    text = check_junit(mixed, timestamp="2026-01-01T00:00:00", is_strict=is_strict)
    (suite,) = ET.fromstring(text)
    counts = mixed.counts
    open_count = counts["cannot be told"]
    assert len(suite.findall("testcase")) == len(mixed.cases)
    assert int(suite.attrib["tests"]) == len(mixed.cases)
    failures = counts["not met"] + (open_count if is_strict else 0)
    skipped = 0 if is_strict else open_count
    for tag, name, count in (
        ("failure", "failures", failures), ("skipped", "skipped", skipped),
    ):  # fmt: skip
        assert len(suite.findall(f"testcase/{tag}")) == count
        assert int(suite.attrib[name]) == count
    names = [
        (one.attrib["classname"], one.attrib["name"])
        for one in suite.findall("testcase")
    ]
    assert len(set(names)) == len(names)


def test_page_and_markdown_have_every_verdict_and_escape_text(
    mixed: LimitCheck,
) -> None:
    html = render_document(check_document(mixed))
    assert "<b>X</b>" not in html
    assert "RND <i>" not in html
    assert "\x1b" not in html
    for mark, verdict in zip("✓✗?", VERDICTS, strict=True):
        assert html.count(f"{mark} {verdict}<") == mixed.counts[verdict]
    text = check_markdown(mixed)
    assert "\x1b" not in text
    assert "<b>" not in text
    assert text.count("| ✗ not met |") == mixed.counts["not met"]


def write_limits(folder: Path, **bounds: str) -> Path:
    path = folder / "limits.toml"
    lines = [f"{key} = {text}" for key, text in bounds.items()]
    head = f'[[limit]]\nmetric = "iops"\ntest = "iops"\ncell = "{USUAL}"\n'
    path.write_text(head + "\n".join(lines), "utf-8")
    return path


@pytest.mark.parametrize(
    ("bounds", "code"),
    [
        ({"at_least": "1"}, 0),
        ({"at_least": "1_000_000_000"}, 3),
        ({"at_least": "1", "at_most": "4_535"}, 4),
        ({"at_least": "'x'"}, 2),
        ({}, 2),
    ],
)
def test_verdict_decides_the_exit_code(
    tmp_path: Path, bounds: dict[str, str], code: int
) -> None:
    limits = write_limits(tmp_path, **bounds)
    done = call("check", SAMPLE, "--limits", limits)
    assert done.returncode == code, done.stdout + done.stderr
    if code == 2:
        assert "limits.toml: limit[0]" in done.stderr
    strict = call("check", SAMPLE, "--limits", limits, "--strict", "--json")
    assert strict.returncode == {0: 0, 2: 2}.get(code, 3)


def test_command_writes_page_junit_and_json(tmp_path: Path) -> None:
    limits = write_limits(tmp_path, at_least="1")
    page, junit = tmp_path / "check.html", tmp_path / "check.xml"
    asked: list[str | Path] = [
        "check",
        SAMPLE,
        "--limits",
        limits,
        "--json",
        "-o",
        page,
    ]
    done = call(*asked, "--junit", junit)
    plain = json.loads(done.stdout)
    assert plain["verdict"] == "met"
    assert plain["counts"] == {"met": 1, "not met": 0, "cannot be told": 0}
    assert plain["cases"][0]["at_most"] is None
    assert "MET: every limit is met" in page.read_text("utf-8")
    assert ET.parse(junit).getroot().tag == "testsuites"
    markdown = call("check", SAMPLE, "--limits", limits, "--markdown")
    assert markdown.stdout.startswith("## MET")
    assert call(*asked, "--markdown").returncode == 2
    assert call("check", SAMPLE).returncode == 2
    junit.write_text("<mine/>", "utf-8")
    assert call(*asked, "--junit", junit).returncode == 2


MEANS, PERCENTILES, TABLES = 9, 3, 50
EDGES_NS: Floats = 2e3 * np.arange(1000.0)
P99_NS = 1e5 * math.log(100)  # of latencies whose mean is 0.1 ms, exponential


def made_rounds(random: np.random.Generator, *, alike: float) -> Floats:
    """Return five rounds about 1 of each cell, with an autocorrelation, and shared."""
    noise = random.standard_normal((MEANS, 5)) + 0.5 * random.standard_normal((1, 5))
    for at in range(1, 5):
        noise[:, at] = alike * noise[:, at - 1] + np.sqrt(1 - alike**2) * noise[:, at]
    return np.asarray(np.exp(0.01 * noise))


def made_percentile(random: np.random.Generator, speed: float) -> Estimate:
    """Return the p99 of five rounds of 1,000 IOs, as the bins of fio hold them."""
    drawn = random.exponential(1e5 / speed, (5, 1000))
    counts = np.array([np.histogram(own, bins=EDGES_NS)[0] for own in drawn])
    end = int(counts.sum(axis=0).nonzero()[0].max()) + 1
    bins = BinnedRounds(
        names=EDGES_NS[:end].astype(np.int64),
        lower=EDGES_NS[:end],
        upper=EDGES_NS[1 : end + 1],
        counts=counts[:, :end],
    )

    def interval(confidence_percent: float) -> Interval:
        return claim_of_level(
            bins, 99.0, confidence_percent=confidence_percent
        ).interval

    value = interval(95.0).estimate
    return Estimate(value=value, count=bins.total, basis="IOs", interval=interval)


def made_table(
    random: np.random.Generator, speeds: Sequence[float], *, alike: float
) -> set[str]:
    """Return the verdicts of cells that are so many times as fast as their limits."""
    rate = limit_of(at_least=1)
    latency = limit_of(metric="p99", at_most=f"{P99_NS:.0f} ns")
    rounds = made_rounds(random, alike=alike) * np.array(speeds[:MEANS])[:, None]
    places = [place_of(estimate_rounds(own), rate) for own in rounds]
    places += [
        place_of(made_percentile(random, speed), latency) for speed in speeds[MEANS:]
    ]
    return {one.verdict for one in judge_places(places)}


@pytest.mark.simulation
@pytest.mark.parametrize("alike", [0.0, 0.8])
def test_answer_of_a_whole_table_is_wrong_in_at_most_one_of_twenty(
    alike: float,
) -> None:
    """Where all limits are the truth, and where one is and the others are kept."""
    random = np.random.default_rng(round(10 * alike))
    cells = MEANS + PERCENTILES
    wrong = {"not met": 0, "met": 0}
    for at in range(TABLES):
        wrong["not met"] += "not met" in made_table(random, [1.0] * cells, alike=alike)
        speeds = [1.5] * cells
        speeds[at % cells] = 1.0
        wrong["met"] += made_table(random, speeds, alike=alike) == {"met"}
    assert max(wrong.values()) / TABLES < 0.14  # 5 %, and three standard errors


@pytest.mark.simulation
def test_what_is_there_is_found() -> None:
    random = np.random.default_rng(3)
    far = [made_table(random, [1.6] * 12, alike=0.0) for _ in range(20)]
    low = [made_table(random, [0.6] * 12, alike=0.0) for _ in range(20)]
    assert all(one == {"met"} for one in far)
    assert all("not met" in one for one in low)


def test_bounds_compare_with_missing_ends_as_unknown() -> None:
    nothing = Interval(estimate=math.nan, low=math.nan, high=math.nan)
    assert compare_bounds((1.0, math.inf), nothing, nothing) == "cannot be told"
