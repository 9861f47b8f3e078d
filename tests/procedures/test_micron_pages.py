"""Pages of Micron's procedures: what made-up drives show in them."""

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.model.spec import Workload
from ssdlab.model.step import Step
from ssdlab.paper.document import render_document
from ssdlab.procedures.saturate.spec import HOST_STIMULI, saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.procedures.sequence.spec import sequence
from ssdlab.report import render_report
from ssdlab.report.host_pair import read_all_hosts, read_hosts
from ssdlab.report.hosts import host_lines, hosts_document
from ssdlab.store.run import Run
from tests.made_procedure import DRIVE, measure_made
from tests.rendered import words

RANDOM = parse_stimulus("RND 4KiB 0/100")
SEQUENTIAL = parse_stimulus("SEQ 128KiB 0/100")


def falling(step: Step) -> float:
    """Fall from 9,000 to 2,000 IOPS in four rounds."""
    return max(2000.0, 9000.0 - 2000.0 * ((step.round or 1) - 1))


def late(step: Step) -> float:
    """Be steady in the second attempt alone."""
    return 2.0 ** (5 + (step.round or 0) % 7) if step.phase_id == "attempt1" else 900.0


def breaking(step: Step) -> float:
    """Be steady until the last round."""
    return 1000.0 if (step.round or 0) < 12 else 3000.0


def saturated(
    folder: Path,
    iops_of: Callable[[Step], float] = falling,
    *,
    stimulus: Workload = RANDOM,
    **more: Any,
) -> Run:
    procedure = saturate(stimulus, iterations=12)
    return measure_made(folder, procedure, iops_of, **more)


SATURATIONS: dict[str, tuple[Callable[[Step], float], Workload]] = {
    "falling": (falling, RANDOM),
    "late": (late, RANDOM),
    "breaking": (breaking, RANDOM),
    "flat": (lambda _step: 1000.0, RANDOM),
    "flat SEQ": (lambda _step: 1000.0, SEQUENTIAL),
    "flat reads": (lambda _step: 1000.0, parse_stimulus("RND 4KiB 100/0")),
    "unsteady SEQ": (lambda step: 2.0 ** (5 + (step.round or 0) % 7), SEQUENTIAL),
}


@pytest.fixture(scope="module")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], str]:
    """Return what gives the words of the report of a saturation, each made once."""
    folder = tmp_path_factory.mktemp("saturations")

    @cache
    def page_of(name: str) -> str:
        iops_of, stimulus = SATURATIONS[name]
        run = saturated(folder / name.replace(" ", "-"), iops_of, stimulus=stimulus)
        return words(render_report(run))

    return page_of


def test_page_says_when_it_first_was_steady(page_of: Callable[[str], str]) -> None:
    page = page_of("falling")
    assert "First steady after 45 min, in round 9 of 12" in page
    assert "The mean of the last five rounds, 2,000 IOPS, is 22.2 % of" in page
    assert "Steady state achieved in rounds 8 - 12." in page
    assert "Confidence levels of 3,000,000 IOs" in page  # 5 x 300 s x 2,000
    assert "Second attempt" not in page
    assert "may be the bottleneck" not in page


def test_page_shows_both_attempts_when_the_first_was_not_steady(
    page_of: Callable[[str], str],
) -> None:
    page = page_of("late")
    assert "First attempt: IOPS from FOB to steady state" in page
    assert "No five rounds in a row were steady in 12 rounds." in page
    assert "Second attempt: IOPS from FOB to steady state" in page
    assert "this attempt has twice the iterations" in page
    assert "First steady after 25 min, in round 5 of 24" in page


def test_page_of_a_fall_that_came_back_says_that_it_is_steady_no_longer(
    page_of: Callable[[str], str],
) -> None:
    page = page_of("breaking")
    assert "in round 5 of 12, but not in the last five rounds" in page


def test_page_warns_of_a_host_when_random_writes_do_not_decline(
    page_of: Callable[[str], str],
) -> None:
    page = page_of("flat")
    assert "The curve does not decline" in page
    assert "the host may be the bottleneck" in page


@pytest.mark.parametrize("name", ["flat SEQ", "flat reads"])
def test_page_does_not_warn_of_a_host_when_a_stimulus_need_not_decline(
    name: str, page_of: Callable[[str], str]
) -> None:
    assert "does not decline" not in page_of(name)


def test_page_of_sequential_writes_derives_the_precondition_time(
    page_of: Callable[[str], str],
) -> None:
    page = page_of("flat SEQ")
    assert "SEQ 128 KiB writes 131 MB/s" in page  # 1,000 x 128 KiB a second
    minutes = 2 * 64 * 2**20 / 131.072e6 / 60
    assert f"Precondition, two fills {minutes:.4f} min" in page
    assert "Micron prints 53 min of preconditioning and 43 min" in page
    assert "504.12" in page


def test_page_has_no_precondition_time_when_writes_are_random(
    page_of: Callable[[str], str],
) -> None:
    assert "Precondition time" not in page_of("falling")


def test_page_has_no_precondition_time_when_it_never_got_steady(
    page_of: Callable[[str], str],
) -> None:
    page = page_of("unsteady SEQ")
    assert "there is no rate for the preconditioning time" in page


def test_sequences_say_which_repetition_differs(tmp_path: Path) -> None:
    def answer(step: Step) -> float:
        assert step.workload is not None
        if step.workload.access == "rnd":
            return 2000.0 + (step.round or 0) % 2
        is_again = step.phase_id == "stage3"
        return 500.0 + (step.round or 0) % 2 if is_again else 1000.0

    procedure = sequence(RANDOM, SEQUENTIAL, rounds=6, minutes=1)
    page = words(render_report(measure_made(tmp_path / "run", procedure, answer)))
    assert "The second run of RND 4 KiB 0/100 T1/Q32 matches the first" in page
    assert "The second run of SEQ 128 KiB 0/100 T1/Q32 is lower than the first" in page
    assert "last 5 rounds 0.5004 " in page
    assert "all 6 rounds 0.500 - - - -" in page
    assert "transition included, the second run gives 50.0 % of the first." in page
    assert "95 % t-interval" in page
    assert "So purge before each stimulus" in page
    assert "The result of a stimulus on this drive depends on what was written" in page
    assert page.count("What the sequences say") == 2  # the contents and the page


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Run]:
    folder = tmp_path_factory.mktemp("hosts")
    other = replace(DRIVE, serial="MADE2", firmware="F2")
    cpu = "Slow CPU"
    return {
        "fast": saturated(folder / "fast", label="direct port"),
        "again": saturated(folder / "again"),
        "slow": saturated(
            folder / "slow", lambda _step: 1500.0, label="adapter", cpu=cpu
        ),
        "other": saturated(folder / "other", target=other, cpu=cpu),
        "seq": saturated(folder / "seq", stimulus=SEQUENTIAL, cpu=cpu),
    }


def test_hosts_page_names_the_bottleneck(runs: dict[str, Run]) -> None:
    pair = read_hosts(runs["fast"], runs["slow"])
    page = words(render_document(hosts_document(pair)))
    assert "Host B looks like a bottleneck" in page
    assert "More than the host differs" not in page
    assert "may come from one host" not in page
    assert "Host A: direct port 9,000 IOPS 2,000 IOPS 22.2 %" in page
    assert "Host B: adapter 1,500 IOPS 1,500 IOPS 100 % 0 % FLAT steady" in page
    assert "A / B 600 % 133 %" in page
    assert "Slow CPU" in page
    (line,) = (text for text in host_lines(pair) if "looks like" in text)
    assert line in page


def test_hosts_page_says_what_else_differs(runs: dict[str, Run]) -> None:
    pair = read_hosts(runs["fast"], runs["other"])
    assert pair.differences == (
        "serial number: MADE1 on A, MADE2 on B",
        "firmware: F1 on A, F2 on B",
    )
    page = words(render_document(hosts_document(pair)))
    assert "More than the host differs" in page


def test_hosts_page_says_that_runs_may_be_of_one_host(runs: dict[str, Run]) -> None:
    pair = read_hosts(runs["fast"], runs["again"])
    assert "may come from one host" in words(render_document(hosts_document(pair)))
    assert pair.comparison.suspect == ""


def test_runs_of_other_stimuli_are_not_compared(runs: dict[str, Run]) -> None:
    with pytest.raises(RunFolderError, match="0/100 T1/Q32 and saturate: SEQ"):
        read_hosts(runs["fast"], runs["seq"])


def test_run_without_a_saturation_is_not_compared(
    runs: dict[str, Run], tmp_path: Path
) -> None:
    procedure = sequence(RANDOM, SEQUENTIAL, rounds=5, minutes=1)
    run = measure_made(tmp_path / "sequence", procedure, falling)
    with pytest.raises(RunFolderError, match=r"sequence: it has no finished round"):
        read_hosts(run, runs["fast"])
    with pytest.raises(RunFolderError, match=r"sequence: it has no finished round"):
        read_hosts(runs["fast"], run)


def shared(share: float) -> Callable[[Step], float]:
    """Let so much through of a drive that falls."""
    return lambda step: share * falling(step)


def test_hosts_are_compared_by_each_stimulus_that_both_runs_have(
    tmp_path: Path,
) -> None:
    stimuli = [parse_stimulus(text) for text in HOST_STIMULI]
    first, second = (
        measure_made(
            tmp_path / name,
            saturate(*stimuli, iterations=6, minutes=1),
            shared(share),
        )
        for name, share in (("direct", 1.0), ("adapter", 0.4))
    )
    assert first.record.tests == ("saturate", "saturate-2", "saturate-3")
    pairs = read_all_hosts(first, second)
    assert [pair.title for pair in pairs] == [
        "RND 4 KiB 0/100 T1/Q32", "RND 8 KiB 67/33 T1/Q32", "SEQ 64 KiB 0/100 T1/Q32"
    ]  # fmt: skip
    assert {round(pair.comparison.end_ratio, 6) for pair in pairs} == {2.5}
    page = words(render_document(hosts_document(*pairs)))
    for pair in pairs:
        assert f"Both curves, {pair.title}" in page
        assert sum(line.startswith(pair.title) for line in host_lines(*pairs)) == 9 // 3
    report = words(render_report(first))
    assert "Saturation by RND 8KiB 67/33" in report


def test_saturation_from_fob_has_no_fill_and_says_so(tmp_path: Path) -> None:
    procedure = saturate(SEQUENTIAL, iterations=6, minutes=1, is_from_fob=True)
    run = measure_made(tmp_path / "run", procedure, falling)
    assert set(run.steps["kind"]) == {"purge", "cell"}
    page = words(render_report(run))
    assert "its first round is FOB" in page
    assert "two fills before the first round" not in page
    assert "Duration of the two fills of this run - " in page
