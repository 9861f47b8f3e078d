"""What Micron's pages must not claim, must not leave out, and must not run."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ssdlab.model.asked import Procedure
from ssdlab.model.drive import WriteCacheState
from ssdlab.model.step import Step
from ssdlab.paper.blocks import Plot
from ssdlab.paper.document import render_document
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.procedures.sequence.spec import sequence
from ssdlab.report import render_report
from ssdlab.report.host_pair import read_hosts
from ssdlab.report.hosts import host_lines, hosts_document, plot_hosts
from ssdlab.store.records import write_record
from ssdlab.store.run import Run, open_tables
from tests.made_procedure import measure_made
from tests.rendered import words

RANDOM = parse_stimulus("RND 4KiB 0/100")
SEQUENTIAL = parse_stimulus("SEQ 128KiB 0/100")
HOSTILE = "<b>bold</b> <a href='https://example.com'>click</a>"
Answer = Callable[[Step], float]


def again_lower(step: Step) -> float:
    """Halve the third stage; the rest scatters by one IO."""
    level = 300.0 if step.phase_id == "stage3" else 600.0
    return level + (step.round or 0) % 2


def drifting(step: Step) -> float:
    """Halve the third stage, and never get steady in it."""
    if step.phase_id != "stage3":
        return again_lower(step)
    return 100.0 + 60.0 * (step.round or 0)


def sequence_page(
    folder: Path,
    answer: Answer = again_lower,
    *,
    rounds: int = 7,
    gaps_s: dict[str, float] | None = None,
) -> str:
    procedure = sequence(RANDOM, SEQUENTIAL, rounds=rounds, minutes=1)
    run = measure_made(folder, procedure, answer, gaps_s=gaps_s)
    return words(render_report(run))


def test_order_is_blamed_when_nothing_else_can_be(tmp_path: Path) -> None:
    """Two rounds of 600 x 4 KiB x 60 s write 4.4 capacities of 64 MiB before."""
    page = sequence_page(tmp_path / "run")
    assert "RND 4 KiB 0/100 T1/Q32 is lower than the first, by 49." in page
    assert "The result of a stimulus on this drive depends on" in page


def test_order_is_not_blamed_where_the_first_stage_was_fresh(tmp_path: Path) -> None:
    """All five rounds of the first stage are compared: nothing comes before them."""
    page = sequence_page(tmp_path / "run", rounds=5)
    assert "is lower than the first" not in page
    assert "RND 4 KiB 0/100 T1/Q32 is unknown: the first run wrote 0 user" in page
    assert "depends on what was written before" not in page
    assert "is not known for both sequences" in page


def test_order_is_not_blamed_where_a_stage_was_not_steady(tmp_path: Path) -> None:
    page = sequence_page(tmp_path / "run", drifting)
    assert "is lower than the first" not in page
    assert "is unknown: the second run was not steady at its end." in page


def test_order_is_not_blamed_where_the_run_was_interrupted(tmp_path: Path) -> None:
    whole = measure_made(
        tmp_path / "whole",
        sequence(RANDOM, SEQUENTIAL, rounds=7, minutes=1),
        again_lower,
    )
    steps = whole.steps
    own = steps[(steps["test"] == "sequence-1") & (steps["phase"] == "stage2")]
    third = str(own[own["round"] == 3]["step_id"].iloc[0])
    page = sequence_page(tmp_path / "run", gaps_s={third: 3600.0})
    assert "interrupted, or idle too long, before round 3 of stage 2." in page
    assert "RND 4 KiB 0/100 T1/Q32 is lower than" not in page
    assert "SEQ 128 KiB 0/100 T1/Q32 is lower than" in page  # the other sequence


def test_sequence_page_has_the_published_result_beside_ours(tmp_path: Path) -> None:
    page = sequence_page(tmp_path / "run")
    assert "lower similar all 7 rounds" in page  # sequence 1: ours, then Micron's
    assert "lower lower all 7 rounds" in page
    assert "Published: Micron, Best Practices for SSD Performance Measurement" in page
    assert "Rev. B 4/17" in page


def test_sequence_of_other_stimuli_has_no_published_result(tmp_path: Path) -> None:
    procedure = sequence(
        parse_stimulus("RND 8KiB 0/100"), SEQUENTIAL, rounds=7, minutes=1
    )
    page = words(render_report(measure_made(tmp_path / "run", procedure, again_lower)))
    assert "lower - all 7 rounds" in page
    assert "Published: Micron" not in page


def test_pages_of_sequences_and_saturations_have_no_false_digits(
    tmp_path: Path,
) -> None:
    def odd(step: Step) -> float:
        return 5051.467 + (step.round or 0) % 2

    page = sequence_page(tmp_path / "sequence", odd)
    page += words(
        render_report(measure_made(tmp_path / "run", saturate(RANDOM, minutes=1), odd))
    )
    assert "5,050 IOPS" in page
    assert "5,051.467 IOPS" not in page
    assert "5,051 IOPS." not in page


def falling(step: Step) -> float:
    return max(2000.0, 9000.0 - 2000.0 * ((step.round or 1) - 1))


def saturated(
    folder: Path, answer: Answer = falling, *, iterations: int = 12, label: str = ""
) -> Run:
    procedure = saturate(RANDOM, iterations=iterations)
    return measure_made(folder, procedure, answer, label=label)


def with_conditions(
    run: Run, *, fio: str, cache: WriteCacheState, percent: float
) -> Run:
    record = run.record
    assert isinstance(record.asked, Procedure)
    asked = replace(record.asked, write_cache=cache, active_range_percent=percent)
    host = replace(record.host, fio_version=fio)
    changed = replace(record, host=host, asked=asked)
    write_record(run.path, replace(changed, write_cache=cache))
    return open_tables(run.path)


def test_hosts_page_tells_cache_range_fio_and_rounds_apart(tmp_path: Path) -> None:
    first = saturated(tmp_path / "a")
    other = with_conditions(
        saturated(tmp_path / "b", iterations=14),
        fio="fio-3.41",
        cache="disabled",
        percent=50.0,
    )
    assert read_hosts(first, other).differences == (
        "write cache: as found on A, disabled on B",
        "active range [%]: 100 on A, 50 on B",
        "fio version: fio-3.33 on A, fio-3.41 on B",
        "number of rounds: 12 on A, 14 on B",
    )


def test_hosts_page_says_whether_the_last_window_was_steady(tmp_path: Path) -> None:
    steady = saturated(tmp_path / "a")
    unsteady = saturated(tmp_path / "b", lambda s: 2.0 ** (5 + (s.round or 0) % 7))
    pair = read_hosts(steady, unsteady)
    assert pair.ends == ("steady", "NOT steady")
    page = words(render_document(hosts_document(pair)))
    assert "The two ends compared are not both steady" in page
    assert "(host B: NOT steady)" in page
    assert sum("last window" in line for line in host_lines(pair)) == 2
    both = read_hosts(steady, saturated(tmp_path / "c"))
    assert "not both steady" not in words(render_document(hosts_document(both)))


def test_hosts_page_has_the_findings_of_each_run(tmp_path: Path) -> None:
    runs = saturated(tmp_path / "a"), saturated(tmp_path / "b")
    pair = read_hosts(*runs)
    page = words(render_document(hosts_document(pair)))
    for name, run in zip("AB", runs, strict=True):
        table = page.split(f"Host {name}: ", 1)
        assert len(table) == 2
        assert len(run.findings) > 0
        for _, row in run.findings.iterrows():
            assert page.count(f"{row['code']} {row['severity']}") >= 2
            assert str(row["words"]) in page
    assert sum(line.startswith("findings of host") for line in host_lines(pair)) == 2
    assert "the target is made up" in page


def test_label_of_a_run_is_no_markup_in_a_legend(tmp_path: Path) -> None:
    label = HOSTILE + "x" * 300
    pair = read_hosts(
        saturated(tmp_path / "a", label=label), saturated(tmp_path / "b", label=label)
    )
    document = hosts_document(pair)
    figures = [
        block.figure
        for page in document.pages
        for block in page.blocks
        if isinstance(block, Plot)
    ]
    assert figures
    for line in (line for figure in figures for line in figure.data):
        assert "<" not in line.name
        assert line.name.startswith(("Host A: &lt;b&gt;", "Host B: &lt;b&gt;"))
        assert len(line.name) < 80
    page = render_document(document)
    assert "<b>bold" not in page
    assert 'scope="row" class="words">Host A' in page


def test_hosts_figure_escapes_names_of_its_own(tmp_path: Path) -> None:
    curve = saturated(tmp_path / "a").measurements.query("kind == 'cell'")
    rounds = curve[curve["direction"] == "total"].assign(time_s=60.0)
    figure = plot_hosts({HOSTILE: rounds, "B": rounds})
    assert figure.data[0].name.startswith("&lt;b&gt;")


def test_numbers_of_hosts_have_three_digits(tmp_path: Path) -> None:
    def odd(step: Step) -> float:
        return 5051.467 if (step.round or 0) > 1 else 9123.4

    pair = read_hosts(saturated(tmp_path / "a", odd), saturated(tmp_path / "b", odd))
    page = words(render_document(hosts_document(pair)))
    assert "9,120 IOPS 5,050 IOPS 55.4 %" in page
