"""Four jobs of mixed rates on the virtual SSD, from purge to a report with verdicts."""

import json
from pathlib import Path

import pandas as pd
import pytest

import ssdlab
from ssdlab.compare.runs import compare_runs
from ssdlab.compare.verdicts import OTHER_CONDITIONS
from ssdlab.engine.progress import Progress
from ssdlab.engine.request import RunChoices
from ssdlab.engine.suite import resume_run, run_procedure
from ssdlab.fio.jobs.jobspec import parse_job_file
from ssdlab.ingest.ingest import ingest_run
from ssdlab.model.errors import RunInterruptedError
from ssdlab.paper.blocks import Plot
from ssdlab.paper.context import read_context
from ssdlab.procedures.jobs.pages import job_headlines, job_overview, job_pages
from ssdlab.procedures.jobs.spec import ROUNDS, JobChoices, file_procedure
from ssdlab.procedures.jobs.summary import ALL_JOBS, find_sides, summarise_sides
from ssdlab.report import render_report
from ssdlab.store.run import Run
from ssdlab.text.table import Table
from tests.cli.called import call

pytestmark = pytest.mark.fio
FAST = "virtual:size=48MiB,tread=0,tprog=0,terase=0,link=0,command=0"
FOUR = """
[global]
ioengine=libaio
iodepth=8
[reader]
rw=randread
bs=4k
rate_iops=2000
[writer]
rw=randwrite
bs=16k
rate_iops=200
[log]
rw=write
bs=64k
iodepth=1
rate=4m
offset=50%
size=25%
[mixed]
rw=randrw
rwmixread=70
bssplit=4k/60:8k/30:64k/10
iodepth=4
rate_iops=400,200
"""
TEST = "job-four"
RATES = {"reader": 2000, "writer": 200, "log": 64, "mixed": 600}
CHOICES = JobChoices(seconds=0.5, max_rounds=6, tracked=("iops", "writer:iops"))


def measure(
    runs: Path, *, text: str = FOUR, choices: JobChoices = CHOICES, seed: int = 1
) -> Run:
    asked = file_procedure(text, source="four.fio", choices=choices)
    return run_procedure(asked, FAST, RunChoices(runs=runs, seed=seed))


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    return measure(tmp_path_factory.mktemp("jobs"))


def totals(frame: pd.DataFrame) -> pd.DataFrame:
    chosen: pd.DataFrame = frame[
        (frame["direction"] == "total") & (frame["phase"] == ROUNDS)
    ]
    return chosen


def test_jobs_of_a_round_add_up_to_the_round(run: Run) -> None:
    whole = totals(run.measurements).set_index("step_id")
    jobs = totals(run.jobs).groupby("step_id")
    assert set(jobs.groups) == set(whole.index)
    for name in ("total_ios", "io_bytes"):
        pd.testing.assert_series_equal(
            jobs[name].sum(), whole[name], check_names=False, check_dtype=False
        )
    bins = run.bins[run.bins["direction"] == "total"]
    own = run.job_bins[run.job_bins["direction"] == "total"]
    places = ["step_id", "lat_ns"]
    counted = own[own["step_id"].isin(whole.index)].groupby(places)["count"].sum()
    held = bins[bins["step_id"].isin(whole.index)].groupby(places)["count"].sum()
    pd.testing.assert_series_equal(counted, held, check_dtype=False)


def test_each_job_keeps_the_rate_of_the_file(run: Run) -> None:
    for job, rate in RATES.items():
        jobs = totals(run.jobs)
        iops = jobs[jobs["job"] == job]["iops"].astype(float)
        assert len(iops) >= 5
        assert iops.mean() <= rate * 1.1
        assert iops.mean() >= rate * (0.8 if job in {"writer", "log"} else 0)


def test_jobs_are_started_with_the_options_of_the_file(run: Run) -> None:
    job_file = min(run.path.glob("steps/*-rounds-*/job.fio"))
    ran = parse_job_file(job_file.read_text("utf-8"), source="job.fio")
    options = {one.name: ran.resolved(n) for n, one in enumerate(ran.jobs)}
    assert list(options) == list(RATES)
    assert options["mixed"]["bssplit"] == "4k/60:8k/30:64k/10"
    assert options["log"]["offset"] == "50%"
    assert {one["direct"] for one in options.values()} == {"1"}


def test_each_tracking_variable_is_judged_by_itself(run: Run) -> None:
    judged = run.windows[run.windows["is_final"].astype(bool)]
    assert list(zip(judged["job"].fillna(""), judged["metric"], strict=True)) == [
        ("", "iops"),
        ("writer", "iops"),
    ]
    writer = totals(run.jobs).query("job == 'writer'").set_index("round")
    context = read_context(run)
    for window in context.final_windows(TEST, ROUNDS):
        if window.job:
            rounds = context.rounds_of(window).set_index("round")
            pd.testing.assert_series_equal(rounds["iops"], writer["iops"])


def test_page_has_a_row_for_each_job_and_direction(run: Run) -> None:
    pages = job_pages(read_context(run), TEST)
    table = next(one for one in pages[0].blocks if isinstance(one, Table))
    assert [(row[0], row[1]) for row in table.rows] == [
        (ALL_JOBS, "all"),
        ("reader", "read"),
        ("writer", "write"),
        ("log", "write"),
        *(("mixed", direction) for direction in ("all", "read", "write")),
    ]
    counts = [int(row[-1].replace(",", "")) for row in table.rows]
    assert counts[0] == sum(counts[1:5])
    assert counts[4] == counts[5] + counts[6]


def test_rows_are_of_the_rounds_of_the_window(run: Run) -> None:
    context = read_context(run)
    table = summarise_sides(find_sides(context, TEST)).set_index("job")
    window = context.final_windows(TEST, ROUNDS)[0]
    inside = totals(run.jobs).query("job == 'writer'")
    inside = inside[
        inside["round"].between(window.window_first_round, window.window_last_round)
    ]
    row = table.loc["writer"]
    assert row["iops"] == pytest.approx(inside["iops"].astype(float).mean())
    ios = inside["total_ios"].astype(float)
    mean = (inside["lat_mean_ns"].astype(float) * ios).sum() / ios.sum()
    assert row["lat_mean_ns"] == pytest.approx(mean)
    assert row["lat_two_nines_ns"] <= row["lat_max_ns"]


def test_single_stimulus_has_no_overview(run: Run) -> None:
    assert list(job_overview(read_context(run))) == []


def test_report_claims_nothing_of_the_pts(run: Run) -> None:
    page = render_report(run)
    front = page[page.index('id="front"') : page.index('class="titleblock"')]
    assert "no test of the PTS" in page
    assert "not a PTS test" in front
    parts = [line.part for line in job_headlines(read_context(run), TEST)]
    assert parts == ["four", "job writer"]


def test_tables_are_the_same_when_they_are_read_again(run: Run) -> None:
    names = ("measurements", "jobs", "job_bins", "windows")
    before = {name: getattr(run, name) for name in names}
    ingest_run(run.path)
    again = ssdlab.open_run(run.path)
    for name, frame in before.items():
        pd.testing.assert_frame_equal(getattr(again, name), frame)


def test_stopped_run_goes_on_after_its_last_step(tmp_path: Path) -> None:
    choices = JobChoices(seconds=0.2, max_rounds=3, tracked=(), fill="none")

    def stop(progress: Progress) -> None:
        if progress.phase == ROUNDS and progress.round == 2:
            raise KeyboardInterrupt

    folder = tmp_path / "run"
    asked = file_procedure(FOUR, source="four.fio", choices=choices)
    with pytest.raises(RunInterruptedError):
        run_procedure(asked, FAST, RunChoices(run_folder=folder, seed=3), tell=stop)
    whole = resume_run(folder, tell=lambda _progress: None)
    assert list(totals(whole.measurements)["round"]) == [1, 2, 3]
    assert totals(whole.jobs).groupby("job")["round"].count().eq(3).all()
    assert whole.windows.empty


def test_runs_are_compared_only_by_the_same_jobs(run: Run, tmp_path: Path) -> None:
    same = measure(tmp_path, seed=2)
    few = JobChoices(seconds=0.2, max_rounds=5, fill="none")
    text = FOUR.replace("rate=4m", "rate=5m")
    other = measure(tmp_path, text=text, choices=few)
    found = compare_runs([run.path, same.path])
    assert set(found.cells["metric"]) >= {"iops", "lat_mean_ns"}
    assert OTHER_CONDITIONS not in set(found.differences["verdict"])
    barred = compare_runs([run.path, other.path]).differences
    assert set(barred["verdict"]) == {OTHER_CONDITIONS}


def test_limits_of_the_run_have_all_three_verdicts(run: Run, tmp_path: Path) -> None:
    mean = summarise_sides(find_sides(read_context(run), TEST)).iloc[0]["lat_mean_ns"]
    limits = tmp_path / "limits.toml"
    limits.write_text(
        "".join(
            f'[[limit]]\nmetric = "{metric}"\n{side} = {value}\ntest = "job-*"\n'
            'accept = ["steady state"]\n'
            for metric, side, value in (
                ("iops", "at_least", "100"),
                ("iops", "at_least", "1_000_000"),
                ("mean", "at_most", f'"{mean:.0f} ns"'),
            )
        ),
        "utf-8",
    )
    done = call("check", run.path, "--limits", limits, "--json")
    assert done.returncode == 3, done.stderr
    found = [one["verdict"] for one in json.loads(done.stdout)["cases"]]
    assert found == ["met", "not met", "cannot be told"]


def test_command_runs_the_jobs_of_a_file(tmp_path: Path) -> None:
    job_file = tmp_path / "one.fio"
    job_file.write_text("[a]\nrw=randread\nbs=4k\nrate_iops=1000\n", "utf-8")
    asked = ("--job", job_file, "--seconds", "0.2", "--rounds", "2", "--track", "none")
    runs = tmp_path / "runs"
    small = ("--precondition", "none", "--matrix", "bs=4k,8k", "--runs", runs)
    done = call("run", FAST, *asked, *small)
    assert done.returncode == 0, done.stderr
    (folder,) = runs.iterdir()
    found = ssdlab.open_run(folder)
    context = read_context(found)
    table, iops, slow, *_, load, over_load = job_overview(context)
    assert isinstance(table, Table)
    assert [row[:2] for row in table.rows] == [("one", "4k"), ("one", "8k")]
    assert isinstance(load, Table)
    assert [row[2:4] for row in load.rows] == [("1,000", "1,000")] * 2
    assert isinstance(over_load, Plot)
    assert [line.x for line in iops.figure.data] == [("4k", "8k")]  # type: ignore[union-attr] # a plot
    assert isinstance(slow, Plot)
    assert list(dict.fromkeys(found.steps["test"])) == [
        "job-one-bs-4k",
        "job-one-bs-8k",
    ]
    assert (folder / "report.html").is_file()
