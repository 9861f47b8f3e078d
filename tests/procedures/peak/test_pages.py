"""The page of the peak jobs, of real runs on a virtual SSD and on a file."""

import re
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pandas as pd
import pytest

from ssdlab.engine.progress import Progress
from ssdlab.engine.request import RunChoices
from ssdlab.engine.suite import resume_run, run_procedure
from ssdlab.fio.jobs.jobspec import parse_job_file
from ssdlab.model.asked import Procedure
from ssdlab.model.errors import RunInterruptedError
from ssdlab.paper.blocks import Note, Plot
from ssdlab.paper.context import Context, read_context
from ssdlab.procedures.peak.facts import find_deviations, jobs_that_ran, remarks
from ssdlab.procedures.peak.pages import peak_frame, peak_pages
from ssdlab.procedures.peak.spec import peak
from ssdlab.report import render_report
from ssdlab.report.header import test_columns as head_of
from ssdlab.store.run import Run
from ssdlab.text.table import Table
from tests.rendered import words

pytestmark = pytest.mark.fio
FAST = "virtual:size=48MiB,tread=0,tprog=0,terase=0,link=0,command=0"


def only(procedure: Procedure, *phases: str) -> Procedure:
    """Return a procedure with some of its phases."""
    (test,) = procedure.tests
    kept = tuple(phase for phase in test.phases if phase.phase_id in phases)
    return replace(procedure, tests=(replace(test, phases=kept),))


@pytest.fixture(scope="module")
def virtual_run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    runs: Path = tmp_path_factory.mktemp("peak")
    return run_procedure(peak(seconds=1, ramp_s=0), FAST, RunChoices(runs=runs, seed=3))


def page_of(run: Run) -> tuple[Table, list[str], Table, int]:
    """Return jobs, notes, departures, and how many plots the one page has."""
    (page,) = peak_pages(read_context(run), "peak")
    jobs, departing = (block for block in page.blocks if isinstance(block, Table))
    notes = [block.text for block in page.blocks if isinstance(block, Note)]
    plots = sum(isinstance(block, Plot) for block in page.blocks)
    return jobs, notes, departing, plots


def test_all_seven_jobs_are_measured_on_the_virtual_ssd(virtual_run: Run) -> None:
    jobs, _, _, plots = page_of(virtual_run)
    assert [row[0] for row in jobs.rows] == [f"0{n}" for n in range(1, 8)]
    assert not any("-" in row[2:] for row in jobs.rows)
    words = "random write peak IOPS: RND 4 KiB write, nbd, 4\u00a0x\u00a0128"
    assert jobs.rows[1][1].partition(";")[0] == words
    assert plots == 2
    steps = virtual_run.steps.set_index("phase")
    assert steps.loc["job-04", "written_bytes"] == 48 * 1024**2
    purges = virtual_run.steps.loc[virtual_run.steps["kind"] == "purge", "phase"]
    assert list(purges) == [f"format-0{n}" for n in range(1, 5)]
    assert virtual_run.steps["is_contiguous"].all()
    assert steps.loc[["job-05", "job-06", "job-07"], "was_armed"].all()


def test_front_page_has_nothing_empty_and_no_red_for_not_being_the_pts(
    virtual_run: Run,
) -> None:
    page = render_report(virtual_run)
    front = page[page.index('id="front"') : page.index('class="titleblock"')]
    assert 'aria-label="Results"' not in front
    assert 'class="tile"' in front
    assert not [sign for sign in ("interval", "✓") if sign in front]
    assert re.findall(r'class="answer (\w+)"', front)[0] == "open"


def test_table_holds_what_fio_said_in_both_units(virtual_run: Run) -> None:
    jobs, _, _, _ = page_of(virtual_run)
    measured = virtual_run.measurements
    totals = measured[measured["direction"] == "total"].set_index("phase")
    bins = virtual_run.bins[virtual_run.bins["direction"] == "total"]
    counted = bins.groupby("step_id")["count"].sum()
    for row in jobs.rows:
        said = totals.loc[f"job-{row[0]}"]
        iops, guide, decimal = (float(text.replace(",", "")) for text in row[2:5])
        assert decimal == pytest.approx(said["bw_bytes_per_s"] / 1e6, rel=1e-3)
        assert guide == pytest.approx(said["bw_bytes_per_s"] / 1024**2, rel=1e-3)
        ios = counted[said["step_id"]]
        assert iops == pytest.approx(ios / said["runtime_s"], rel=2e-3)
        assert int(row[9].replace(",", "")) == ios


def test_each_departure_of_the_run_is_said_with_its_jobs(virtual_run: Run) -> None:
    _, notes, departing, _ = page_of(virtual_run)
    said = {words: jobs for jobs, words in departing.rows}
    without_fill = "01, 02, 03, 05, 06, 07"
    assert said["runtime: 1 s instead of 30 s, scaled"] == without_fill
    assert said["ramp_time: 0 s instead of 5 s, scaled"] == without_fill
    reached = "which reaches the virtual SSD"
    assert said[f"ioengine: nbd instead of sync, {reached}"] == "01, 05"
    assert said[f"ioengine: nbd instead of libaio, {reached}"] == "02, 03, 04, 06, 07"
    text = " ".join(notes)
    assert "Format before a job that writes: trim of all LBAs" in text
    assert "sectors of 512 B, and all jobs have blocks of 4 KiB or larger" in text
    assert "no page cache between fio and this target" in text
    assert "in its ramp" not in text
    assert "did not start on a formatted device" not in text


def test_departures_are_read_off_what_ran(virtual_run: Run) -> None:
    """So a job file that says something else changes what is said."""
    (path,) = virtual_run.path.glob("steps/*-job-06/job.fio")
    before = path.read_text("utf-8")
    changed = re.sub("(?m)^iodepth=128$", "iodepth=32", before)
    changed = re.sub("(?m)^norandommap=1\n", "", changed)
    try:
        path.write_text(changed.replace("thread=0", "thread=0\nnice=5"), "utf-8")
        _, _, departing, _ = page_of(virtual_run)
    finally:
        path.write_text(before, "utf-8")
    said = {words: jobs for jobs, words in departing.rows}
    assert said["iodepth: 32 instead of 128"] == "06"
    assert said["norandommap: left out instead of 1"] == "06"
    assert said["nice=5: the published job does not set it"] == "06"


def remarks_of(context: Context, **changed: "float | pd.Series[float]") -> str:
    """Return the remarks on a run some of whose numbers were changed."""
    frame = peak_frame(context, "peak").assign(**changed)
    return " ".join(remarks(context, jobs_that_ran(context, "peak"), frame))


def test_write_that_did_not_end_begins_on_a_device_formatted_again(
    tmp_path: Path,
) -> None:
    def stop(progress: Progress) -> None:
        if progress.phase == "job-02":
            raise KeyboardInterrupt

    folder = tmp_path / "run"
    asked = only(peak(seconds=1, ramp_s=0), "format-02", "job-02")
    with pytest.raises(RunInterruptedError):
        run_procedure(asked, FAST, RunChoices(run_folder=folder, seed=3), tell=stop)
    run = resume_run(folder, tell=lambda _progress: None)
    assert (folder / "attempts" / "00001-peak-format-02.1" / "step.json").is_file()
    begin, _, _ = run.state.sessions[1]
    steps = run.steps.set_index("phase")
    resumed_s = datetime.fromisoformat(begin).timestamp()
    started, ended = (steps[name].astype(float) for name in ("started_s", "ended_s"))
    assert started["format-02"] > resumed_s - 1  # the note of a session has whole s
    assert ended["format-02"] <= started["job-02"]
    assert steps.loc["job-02", "is_contiguous"]


def test_ios_that_fio_left_out_are_said_with_its_own_count(virtual_run: Run) -> None:
    context = read_context(virtual_run)
    nearly = peak_frame(context, "peak")["iops"] * 0.995
    assert "fio itself prints" not in remarks_of(context, fio_iops=nearly)
    half = peak_frame(context, "peak")["iops"] * 0.5
    assert "fio itself prints" in remarks_of(context, fio_iops=half)


def test_bytes_of_more_ios_than_the_histogram_has_are_said(virtual_run: Run) -> None:
    context = read_context(virtual_run)
    frame = peak_frame(context, "peak")
    same = remarks_of(context, ios_by_bytes=frame["total_ios"])
    assert "a few IOs more" not in same
    more = frame["total_ios"] + 12 * (frame["job"] == "02")
    said = remarks_of(context, ios_by_bytes=more)
    assert "the IO that ended the ramp: job 02 +12. So IOPS" in said


@pytest.mark.parametrize(
    ("allowed", "words"),
    [
        ("1-4", ""),
        ("1-2", "4 jobs on 2 CPUs"),
        ("1", "4 jobs on 1 CPU"),
        ("", "4 jobs on CPUs that this host lacks: 1-4"),
    ],
)
def test_jobs_on_fewer_processors_than_published_are_doubtful(
    virtual_run: Run, allowed: str, words: str
) -> None:
    paths = list(virtual_run.path.glob("steps/*-job-*/job.fio"))
    before = {path: path.read_text("utf-8") for path in paths}
    option = f"cpus_allowed={allowed}\n" if allowed else ""
    try:
        for path, text in before.items():
            bare = re.sub("(?m)^cpus_allowed=.*\n", "", text)
            path.write_text(bare.replace("[global]\n", f"[global]\n{option}"), "utf-8")
        (page,) = peak_pages(read_context(virtual_run), "peak")
    finally:
        for path, text in before.items():
            path.write_text(text, "utf-8")
    table = next(block for block in page.blocks if isinstance(block, Table))
    doubtful = [row[0] for row in table.rows if words and words in row[1]]
    warned = [
        block.text
        for block in page.blocks
        if isinstance(block, Note) and block.tone == "warning"
    ]
    if not words:
        assert warned == []
        assert not any("CPU" in row[1] for row in table.rows)
        return
    assert doubtful == ["02", "03", "06", "07"]
    assert len(warned) == 1
    assert warned[0].startswith(f"Jobs 02, 03, 06, 07: {words}. The host may have")


def test_head_of_the_page_names_each_job_with_its_time(virtual_run: Run) -> None:
    facts = [f for c in head_of(read_context(virtual_run), "peak") for f in c.facts]
    said = dict(facts)
    assert re.fullmatch(r"RND 4 KiB 0/100, T1/Q1, 1 s", said["Job 01"])
    assert said["Job 04"] == "SEQ 1024 KiB 0/100, T1/Q16, 1X user capacity"
    assert said["Job 07"].startswith("RND 1024 KiB 100/0, T4/Q128, ")
    names = " ".join(name for name, _ in facts)
    assert not re.search("Pre-condition|Test stimulus|Note|SS rounds", names)


def test_job_that_fio_did_not_end_in_time_says_how_long_it_ran(
    virtual_run: Run,
) -> None:
    said = remarks_of(read_context(virtual_run), runtime_s=1.5)
    assert "job 03 1.5 s instead of 1 s" in said
    assert "job 04" not in said.partition("Ran longer")[2]


def test_processors_that_a_host_does_not_have_are_said(virtual_run: Run) -> None:
    context = read_context(virtual_run)
    ran = jobs_that_ran(context, "peak")
    said = {n: dict(job) for n, job in ran.items()}
    for job in said.values():
        job.pop("cpus_allowed", None)
    (words,) = (w for w in find_deviations(context, said) if "cpus_allowed" in w)
    assert words.startswith("cpus_allowed: left out instead of 1-4, this host has none")
    for job in said.values():
        job["cpus_allowed"] = "1-4"
    assert not any("cpus_allowed" in w for w in find_deviations(context, said))


def test_report_says_that_these_are_no_tests_of_the_pts(virtual_run: Run) -> None:
    said = words(render_report(virtual_run))
    assert "These are not tests of the PTS" in said
    assert "measured for 1 s instead of 30 s" in said
    assert "A virtual SSD, not a drive" in said
    assert "the jobs in their order; a format before each job that writes" in said
    assert "each job that writes starts on a purged device" in said


def test_jobs_on_a_file_are_processes_of_the_published_engines(tmp_path: Path) -> None:
    asked = only(peak(seconds=1, ramp_s=1), "job-01", "job-04", "job-06")
    odd = f"file:{tmp_path / 'drive'},size={40 * 1024**2 + 4096}"
    run = run_procedure(asked, odd, RunChoices(runs=tmp_path / "runs", seed=3))
    ran = {
        step.phase: parse_job_file(run.job_file(str(step.step_id))).resolved(0)
        for step in run.steps.itertuples()
    }
    assert [ran[name]["ioengine"] for name in ("job-01", "job-04", "job-06")] == [
        *("sync", "libaio", "libaio"),
    ]
    assert {job["thread"] for job in ran.values()} == {"0"}
    jobs, notes, departing, _ = page_of(run)
    assert [row[0] for row in jobs.rows if "-" not in row[2:]] == ["01", "04", "06"]
    assert not any("ioengine" in row[1] for row in departing.rows)
    text = " ".join(notes)
    assert "it goes through the page cache of the host" in text
    assert "Job 04 leaves the last 4,096 B of the device unwritten" in text
    assert "Format before a job that writes: none: a file cannot be purged" in text
    assert "Jobs 01, 04 did not start on a formatted device" in text
    assert "completes in its ramp is not in its numbers" in text
    assert "IOs submitted in the ramp that ended after it are counted" in text
    facts = dict(f for c in head_of(read_context(run), "peak") for f in c.facts)
    work = r"RND 4 KiB 0/100, T1/Q1, 1(\.0\d)? s after 1 s ramp"
    assert re.fullmatch(work, facts["Job 01"])
    steps = run.steps.set_index("phase")
    assert steps.loc["job-06", "duration_s"] == pytest.approx(2, abs=0.5)
    assert steps["idle_before_s"].astype(float)["job-06"] < 0.9, "the ramp is no rest"
