"""A gate over a store: what is shown of drives, and the errors of whole tables."""

import json
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import numpy.typing as npt
import pytest

from ssdlab.fleet.check import CheckedCell, judge_cells
from ssdlab.fleet.contrast import METRICS, DriveValues, contrast_drives
from ssdlab.fleet.delta import add_rows, create_tables
from ssdlab.fleet.limits import LossLimit, limit_of, parse_limits
from ssdlab.fleet.place import place_of
from ssdlab.fleet.selection import parse_conditions
from ssdlab.fleet.tables import Row
from ssdlab.model.errors import UserError, UserFileError
from ssdlab.stats.levels import pool_scatter
from tests.cli.called import call
from tests.fleet.made_rows import rows_of_sample
from tests.paths import ROOT

IOPS_LIMIT = LossLimit(metric="iops", loss_percent=5)
NAMES = {
    "cell": "iops rounds cell RND 4 KiB 0/100 T2/Q16 total",
    "test": "iops",
    "phase": "rounds",
    "kind": "cell",
    "workload": "RND 4 KiB 0/100 T2/Q16",
    "direction": "total",
}
GATE = '[[limit]]\nmetric = "iops"\nloss_percent = 5\n'


def judged(
    first: Sequence[float], second: Sequence[float], limit: LossLimit = IOPS_LIMIT
) -> CheckedCell:
    sides = [
        DriveValues(
            by_drive={f"{name}{at}": value for at, value in enumerate(values)},
            runs=len(values),
        )
        for name, values in (("a", first), ("b", second))
    ]
    found = contrast_drives(sides[0], sides[1], names=NAMES, metric=limit.of)
    return judge_cells([(found, limit)])[0]


def about(level: float) -> list[float]:
    return [level * share for share in (0.995, 1.0, 1.005, 1.002)]


@pytest.mark.parametrize(
    ("level", "outcome"),
    [(80.0, "regression"), (99.0, "within"), (150.0, "within"), (95.1, "not shown")],
)
def test_rate_may_be_lower_by_the_loss(level: float, outcome: str) -> None:
    assert judged(about(100.0), about(level)).outcome == outcome


@pytest.mark.parametrize(
    ("level", "outcome"),
    [(120.0, "regression"), (101.0, "within"), (50.0, "within"), (104.9, "not shown")],
)
def test_latency_may_be_longer_by_the_loss(level: float, outcome: str) -> None:
    limit = LossLimit(metric="p99.9", loss_percent=5)
    assert judged(about(100.0), about(level), limit).outcome == outcome


def test_p_value_of_a_regression_is_that_of_one_side_beyond_the_limit() -> None:
    """Logs -0.1, 0, 0.1 against these and ln 0.5: variance 0.01, a sum of 0.02 / 3."""
    first = [math.exp(one) for one in (-0.1, 0.0, 0.1)]
    found = judged(first, [0.5 * one for one in first])
    t = (math.log(2) + math.log(0.95)) / math.sqrt(0.02 / 3)
    # The tail of Student's t with four degrees of freedom, in closed form.
    x = t / math.sqrt(t**2 + 4)
    assert found.p_regression == pytest.approx(0.5 - 0.75 * (x - x**3 / 3))


def test_few_drives_show_nothing_and_say_how_many_are_needed() -> None:
    found = judged([100.0, 101.0], [50.0, 51.0])
    assert (found.outcome, found.reason) == ("not shown", "too few drives")
    assert found.drives_needed == 2


def test_last_limit_that_matches_counts() -> None:
    strict = LossLimit(metric="iops", loss_percent=1, test="I*", cell="rnd 4kib 0/1")
    other = LossLimit(metric="iops", loss_percent=2, direction="read")
    assert limit_of([IOPS_LIMIT, strict, other], NAMES, "iops") is strict
    assert limit_of([strict, IOPS_LIMIT], NAMES, "iops") is IOPS_LIMIT
    assert limit_of([IOPS_LIMIT], NAMES, "p99") is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("limit = 1", "limit"),
        ("", "no limit"),
        ("[[limit]]\nmetric = 'iops'", "loss_percent"),
        ("[[limit]]\nmetric = 'speed'\nloss_percent = 5", "speed"),
        ("[[limit]]\nmetric = 'iops'\nloss_percent = '5'", "loss_percent"),
        ("[[limit]]\nmetric = 'iops'\nloss_percent = 100", "less than 100"),
        ("[[limit]]\nmetric = 'p99'\nloss_percent = 0", "more than 0"),
        ("[[limit]]\nmetric = 'p99'\nloss_percent = nan", "more than 0"),
        ("[[limit]]\nmetric = 'p99'\nloss_percent = 5\nlimits = 1", "limits"),
        ("[[limit]]\nmetric = 'p99'\nloss_percent = 5\ncell = ''", "empty"),
        ("[[limit]]\nmetric = 'p99'\nloss_percent = 5\ndirection = 'up'", "up"),
        ("[[limits", "TOML"),
    ],
)
def test_mistake_in_a_file_of_limits_is_named(text: str, words: str) -> None:
    with pytest.raises(UserFileError, match=words) as caught:
        parse_limits(text, source="gate.toml")
    assert "gate.toml" in str(caught.value)


def test_limits_that_the_documentation_shows_are_valid() -> None:
    page = ROOT / "docs" / "how-to" / "keep-a-store-of-runs.md"
    (text,) = re.findall(r"```toml\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    limits = parse_limits(text, source=page.name)
    assert limit_of(limits, NAMES, "iops") is limits[1]


@pytest.mark.parametrize("text", ["device_firmware", "firmware=A", "=A", ""])
def test_condition_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(UserError):
        parse_conditions([text])


def test_condition_holds_by_pattern_and_for_what_is_missing() -> None:
    (pattern, empty) = parse_conditions(["device_firmware=GX*", "label="])
    assert pattern.holds("GX1")
    assert not pattern.holds("AX1")
    assert empty.holds(None)
    assert not empty.holds("x")


def add_drives(
    url: str, firmware: str, *, level: float, repeats: int = 2, **of_run: object
) -> None:
    """Add runs of three drives of a known level."""
    template = rows_of_sample()
    random = np.random.default_rng([ord(one) for one in firmware])
    for drive, shift in enumerate(random.normal(0, 0.003, 3)):
        for repeat in range(repeats):
            run_id = f"{firmware}{drive}{repeat}"
            own: Row = {
                "run_id": run_id,
                "ingest_id": f"i{run_id}",
                "device_firmware": firmware,
                "device_serial": f"{firmware}{drive}",
            }
            factor = level * math.exp(shift + random.normal(0, 0.002))
            of_cells = {name: of_run[name] for name in of_run if name in _OF_CELLS}
            cells = [
                row | own | {"iops": row["iops"] * factor} | of_cells
                for row in template.rows["cells"]
                if row["test"] == "iops" and row["direction"] == "total"
            ]
            run = template.rows["runs"][0] | own | {"cells": len(cells)} | of_run
            run |= {"started_at": "2026-01-01T00:00:00", "folder": f"/runs/{run_id}"}
            rows = {"histograms": [], "cells": cells, "runs": [run]}
            found = replace(
                template, run_id=run_id, ingest_id=own["ingest_id"], rows=rows
            )
            add_rows(place_of(url), found)


_OF_CELLS = ("neighbours", "is_steady")


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return a store of two makes of drives of which the truth is known, and more."""
    url = str(tmp_path_factory.mktemp("gate") / "lab")
    create_tables(place_of(url, is_new=True))
    settings = rows_of_sample().rows["runs"][0]["settings"]
    queue_depth = json.dumps(json.loads(settings) | {"iops": {"load_queue_depth": 1}})
    add_drives(url, "A", level=1.0)
    add_drives(url, "B", level=0.99)
    add_drives(url, "C", level=0.8)
    add_drives(
        url, "K", level=1.0, repeats=1, kernel="7.0\x1b[31m", settings=queue_depth
    )
    add_drives(url, "N", level=1.0, repeats=1, neighbours="other-run", is_steady=False)
    return url


@pytest.fixture
def gate(tmp_path: Path) -> Path:
    """Return a file of limits."""
    path = tmp_path / "gate.toml"
    path.write_text(GATE, "utf-8")
    return path


def asking(lab: str, gate: Path, *words: str) -> list[str | Path]:
    """Return the words of a check of one firmware against another, and more."""
    first, second, *more = words
    return ["store", "check", lab, *sides(first, second), "--limits", gate, *more]


def sides(first: str, second: str) -> list[str]:
    return [
        *("--baseline", f"device_firmware={first}"),
        *("--candidate", f"device_firmware={second}"),
    ]


@pytest.mark.parametrize(("candidate", "code"), [("B", 0), ("C", 3)])
def test_known_truth_decides_the_exit_code(
    lab: str, gate: Path, candidate: str, code: int
) -> None:
    done = call(
        "store", "check", lab, *sides("A", candidate), "--limits", gate, "--json"
    )
    assert done.returncode == code, done.stderr
    found = json.loads(done.stdout)
    assert found["counts"]["regression" if code else "within"] == len(found["cells"])
    assert found["baseline"]["drives"] == 3
    assert found["candidate"]["runs"] == 6


def test_too_few_drives_are_not_shown_and_fail_if_strict(lab: str, gate: Path) -> None:
    asked = asking(lab, gate, "A", "C")
    asked += ["--candidate", "device_serial=C0"]
    assert call(*asked).returncode == 4
    assert call(*asked, "--strict").returncode == 3


def test_every_regression_is_listed_in_text_and_markdown(lab: str, gate: Path) -> None:
    asked = asking(lab, gate, "A", "C")
    plain = json.loads(call(*asked, "--json").stdout)
    wanted = plain["counts"]["regression"]
    assert wanted > 5
    assert call(*asked).stdout.count("✗ regression  ") == wanted
    assert call(*asked, "--markdown").stdout.count("| ✗ regression |") == wanted
    assert call(*asked, "--json", "--markdown").returncode == 2


def test_unlike_conditions_are_refused_by_name_unless_accepted(
    lab: str, gate: Path
) -> None:
    asked = asking(lab, gate, "A", "K")
    done = call(*asked)
    assert done.returncode == 2
    assert "kernel" in done.stderr
    assert "load queue depth" in done.stderr
    assert "\x1b[31m" not in done.stderr
    assert call(*asked, "--accept", "kernel, settings").returncode == 0
    assert call(*asked, "--accept", "colour").returncode == 2


def test_runs_that_are_no_measure_of_their_drive_are_left_out_by_name(
    lab: str, gate: Path
) -> None:
    asked = asking(lab, gate, "A", "N")
    done = call(*asked, "--json")
    assert done.returncode == 4
    found = json.loads(done.stdout)
    assert {one["run_id"] for one in found["left_out"]} >= {"N00", "N20"}
    assert {one["reason"] for one in found["left_out"]} == {"not steady"}
    assert found["candidate"]["drives"] == 0
    assert {one["reason"] for one in found["cells"]} == {"no value of the candidate"}
    again = call(*asked, "--json", "--accept", "steady state")
    assert {one["reason"] for one in json.loads(again.stdout)["left_out"]} == {
        "shared the host"
    }
    assert call(*asked, "--accept", "steady state, neighbours").returncode == 0


def test_cell_of_which_no_run_is_left_on_either_side_is_not_shown(
    lab: str, gate: Path
) -> None:
    one, other = "--baseline", "--candidate"
    asked = asking(lab, gate, "N", "N", one, "device_serial=N0", "--json")
    done = call(*asked, other, "device_serial=N1")
    assert done.returncode == 4
    reasons = {one["reason"] for one in json.loads(done.stdout)["cells"]}
    assert reasons == {"no value of the baseline and the candidate"}


@pytest.mark.parametrize(
    ("words", "text"),
    [
        (sides("A", "A"), "of the baseline and of the candidate"),
        (sides("A", "Z"), "Values of device_firmware"),
        (sides("A", "*"), "of the baseline and of the candidate"),
    ],
)
def test_sides_that_cannot_be_are_refused(
    lab: str, gate: Path, words: list[str], text: str
) -> None:
    done = call("store", "check", lab, *words, "--limits", gate)
    assert done.returncode == 2
    assert text in done.stderr


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ('[[limit]]\nmetric = "iops"\nloss_percent = 1\ntest = "tp"\n', "Tests of"),
        ('[[limit]]\nmetric = "iops"\nloss_percent = 1\ncell = "x"\n', "RND 4 KiB"),
        ('[[limit]]\nmetric = "iops"\nloss_percent = 1\n', "never used"),
    ],
)
def test_limit_that_limits_nothing_is_refused(
    lab: str, gate: Path, more: str, words: str
) -> None:
    gate.write_text(GATE + more, "utf-8")
    done = call("store", "check", lab, *sides("A", "B"), "--limits", gate)
    assert done.returncode == 2
    assert words in done.stderr


def test_metric_that_nobody_measured_is_not_shown(lab: str, gate: Path) -> None:
    gate.write_text('[[limit]]\nmetric = "p99.999"\nloss_percent = 5\n', "utf-8")
    done = call("store", "check", lab, *sides("A", "B"), "--limits", gate, "--json")
    assert done.returncode == 4
    reasons = {one["reason"] for one in json.loads(done.stdout)["cells"]}
    assert reasons == {"percentile not bounded"}


ATTRIBUTES = {  # that the schemas of Ant and Jenkins require, or take
    "testsuites": set(),
    "testsuite": {"id", "package", "name", "hostname", "timestamp", "time", "tests"}
    | {"failures", "errors", "skipped"},
    "testcase": {"name", "classname", "time"},
    "failure": {"type", "message"},
    "skipped": {"message"},
    "property": {"name", "value"},
}


@pytest.mark.parametrize("strict", [(), ("--strict",)])
def test_junit_has_a_case_for_each_cell_and_what_schemas_require(
    lab: str, gate: Path, tmp_path: Path, strict: tuple[str, ...]
) -> None:
    output = tmp_path / "gate.xml"
    asked = asking(lab, gate, "A", "C", "--json")
    asked += ["--candidate", "device_serial=C0"] if strict else []
    for _ in range(2):  # what ssdlab wrote is replaced
        done = call(*asked, *strict, "--junit", output)
    found = json.loads(done.stdout)
    root = ET.parse(output).getroot()
    (suite,) = root
    assert root.tag == "testsuites"
    assert next(iter(suite)).tag == "properties"
    assert [one.tag for one in suite][-2:] == ["system-out", "system-err"]
    for one in root.iter():
        assert ATTRIBUTES.get(one.tag, set()) == one.attrib.keys()
    cases = suite.findall("testcase")
    assert len(cases) == len(found["cells"]) == int(suite.attrib["tests"])
    assert len({one.attrib["name"] for one in cases}) == len(cases)
    failures = suite.findall("testcase/failure")
    assert len(failures) == len(cases) == int(suite.attrib["failures"])
    text = failures[0].text or ""
    assert text.count("% interval") == (1 if strict else 3)


def test_file_of_somebody_else_is_not_replaced(
    lab: str, gate: Path, tmp_path: Path
) -> None:
    output = tmp_path / "mine.xml"
    output.write_text("<mine/>", "utf-8")
    asked = asking(lab, gate, "A", "B")
    assert call(*asked, "--junit", output).returncode == 2
    assert output.read_text("utf-8") == "<mine/>"
    assert call(*asked, "--junit", output, "--overwrite").returncode == 0


Floats = npt.NDArray[np.float64]
CELLS = 20


def check_table(
    random: np.random.Generator,
    ratios: Sequence[float],
    *,
    drives: int,
    is_paired: bool = False,
    states: float = 0.0,
) -> set[str]:
    """Return the outcomes in a table of cells with these true ratios of IOPS.

    Drives are random, as a whole and in each cell, and so are runs, two of each.
    """

    def side(shared: Floats) -> Floats:
        whole = shared + states * (random.random((drives, 1)) < 0.5)
        runs = 0.01 * random.standard_normal((drives, 2, 1))
        runs = runs + 0.005 * random.standard_normal((drives, 2, CELLS))
        return np.asarray(whole + runs.mean(axis=1))

    def of_drives() -> Floats:
        own = 0.01 * random.standard_normal((drives, CELLS))
        return np.asarray(0.02 * random.standard_normal((drives, 1)) + own)

    base = of_drives()
    first = np.exp(side(base))
    second = np.exp(side(base if is_paired else of_drives()) + np.log(ratios))
    prefix = ("a", "a" if is_paired else "b")
    found = [
        [
            DriveValues(
                by_drive={f"{name}{at}": one for at, one in enumerate(values[:, cell])},
                runs=2 * drives,
            )
            for name, values in zip(prefix, (first, second), strict=True)
        ]
        for cell in range(CELLS)
    ]
    scatters = (
        pool_scatter(list(a.by_drive.values()) for a, _ in found),
        pool_scatter(list(b.by_drive.values()) for _, b in found),
        pool_scatter(b.over(a) for a, b in found) if is_paired else None,
    )
    limited = [
        (contrast_drives(a, b, metric=METRICS["iops"], scatters=scatters), IOPS_LIMIT)
        for a, b in found
    ]
    return {one.outcome for one in judge_cells(limited)}


@pytest.mark.simulation
@pytest.mark.parametrize("is_paired", [False, True])
@pytest.mark.parametrize("drives", [3, 6])
def test_claim_on_a_whole_table_is_wrong_in_at_most_one_of_twenty(
    drives: int, *, is_paired: bool
) -> None:
    random = np.random.default_rng([drives, is_paired])
    at_limit, trials = [0.95] * CELLS, 250
    one_beyond = [1.0] * (CELLS - 1) + [0.95]
    tables = [
        check_table(random, ratios, drives=drives, is_paired=is_paired)
        for ratios in (at_limit, one_beyond)
        for _ in range(trials)
    ]
    regressions = sum("regression" in one for one in tables[:trials])
    passes = sum(one == {"within"} for one in tables[trials:])
    assert regressions / trials < 0.09  # 5 %, and three standard errors
    assert passes / trials < 0.09


@pytest.mark.simulation
def test_equal_drives_of_two_states_are_no_regression() -> None:
    random = np.random.default_rng(5)
    trials = 250
    tables = [
        check_table(random, [1.0] * CELLS, drives=3, states=0.25) for _ in range(trials)
    ]
    assert sum("regression" in one for one in tables) / trials < 0.09


@pytest.mark.simulation
def test_what_is_there_is_found() -> None:
    random = np.random.default_rng(6)
    equal = [check_table(random, [1.0] * CELLS, drives=8) for _ in range(60)]
    lost = [check_table(random, [0.85] * CELLS, drives=8) for _ in range(60)]
    assert sum(one == {"within"} for one in equal) > 30
    assert all("regression" in one for one in lost)
