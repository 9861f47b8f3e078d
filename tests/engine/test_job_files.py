"""``plan --jobs``: what is written is what a run writes, and fio takes each of it."""

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.engine.job_files import INDEX_NAME, write_jobs
from ssdlab.engine.job_plan import (
    JobPlan,
    plan_jobs,
)
from ssdlab.engine.request import ask_for_suite
from ssdlab.engine.suite import run_suite
from ssdlab.model.errors import ExportError
from ssdlab.procedures.peak.spec import peak
from ssdlab.procedures.saturate.spec import saturate
from ssdlab.procedures.saturate.stimulus_text import parse_stimulus
from ssdlab.pts.profiles import PROFILES
from tests.cli.called import call

SHORT = """\
based_on = "demo"
cell_s = 0.1
max_rounds = 5  # as many as a window: no run ends before
iops_mixes = [100, 0]
iops_block_sizes = ["64 KiB", "4 KiB"]
iops_tracking = ["RND 4 KiB 0/100"]
tp_block_sizes = ["128 KiB"]
wipc_capacity_multiple = 1
"""
MARK = "# made by ssdlab plan --jobs\n"


def jobs_of(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in sorted(folder.glob("*.fio"))}


def without_comments(text: str) -> str:
    return re.sub(r"(?m)^#.*\n", "", text)


def suite_jobs(target: str, profile: str, tests: str, *, seed: int = 0) -> JobPlan:
    return plan_jobs(target, ask_for_suite(target, profile, tests), seed=seed)


def as_planned(tests: str = "lat", profile: str = "pts-2.0-enterprise") -> JobPlan:
    return suite_jobs("virtual:size=64GiB", profile, tests)


def test_jobs_are_those_that_a_run_writes(tmp_path: Path) -> None:
    """A run whose loops go to their last round writes these very bytes."""
    profile = tmp_path / "short.toml"
    profile.write_text(SHORT)
    target = f"file:{tmp_path / 'drive.bin'},size=32MiB"
    plan = suite_jobs(target, str(profile), "iops,tp", seed=7)
    write_jobs(plan, tmp_path / "jobs")
    assert not (tmp_path / "drive.bin").exists()  # a plan touches no target
    run = run_suite(target, str(profile), "iops,tp", runs=tmp_path / "runs", seed=7)
    ran = {
        path.parent.name: path.read_text() for path in run.path.glob("steps/*/job.fio")
    }
    planned = jobs_of(tmp_path / "jobs")
    assert len(planned) == 1 + 4 + 1 + 2
    for name, text in planned.items():
        assert without_comments(text) == ran[name.removesuffix(".fio")]


@pytest.mark.parametrize("name", PROFILES)
def test_fio_takes_every_job_of_a_profile(name: str, tmp_path: Path) -> None:
    target = f"file:{tmp_path / 'drive.bin'},size=1GiB"
    if name == "pts-c-1.1":
        target = "virtual:size=64GiB"  # its active ranges need room
    names = write_jobs(suite_jobs(target, name, "all"), tmp_path / "jobs")
    done = subprocess.run(
        ["fio", "--parse-only", *names],
        cwd=tmp_path / "jobs",
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert len(names) == len(jobs_of(tmp_path / "jobs"))


def test_fio_does_what_a_job_says(tmp_path: Path) -> None:
    """The jobs of a plan run as they are, on the null engine."""
    profile = tmp_path / "short.toml"
    profile.write_text(SHORT)
    plan = suite_jobs("virtual", str(profile), "tp")
    names = write_jobs(plan, tmp_path / "jobs")
    for name, job in zip(names, [job for job in plan.jobs if job.job], strict=True):
        text = re.sub(
            "ioengine=nbd\nuri=.*\n",
            "ioengine=null\n",
            jobs_of(tmp_path / "jobs")[name],
        )
        (tmp_path / "null.fio").write_text(text)
        said = subprocess.run(
            ["fio", "--output-format=json", "null.fio"],
            cwd=tmp_path,
            capture_output=True,
            check=True,
        ).stdout
        (done,) = json.loads(said)["jobs"]
        work = job.step.workload
        assert work is not None
        direction = "read" if work.read_percent else "write"
        assert done[direction]["total_ios"] > 0
        if job.step.whole_amount_bytes is not None:
            assert done["write"]["io_bytes"] == job.step.whole_amount_bytes


def test_each_job_says_its_clause_its_step_and_its_rounds(tmp_path: Path) -> None:
    write_jobs(as_planned("iops"), tmp_path)
    fill, first, *_ = jobs_of(tmp_path).values()
    assert fill.startswith(MARK)
    assert "# clause: PTS 2.0.2, sections 3.3 and 7\n" in fill
    assert "# SEQ 128 KiB 0/100, T4/Q32, ends after 137438953472 B\n# once\n" in fill
    assert "# clause: PTS 2.0.2, section 7\n" in first
    assert "# until steady, at most 25 rounds\n" in first


def test_index_has_a_line_for_each_step_purges_too(tmp_path: Path) -> None:
    plan = as_planned("iops,wsat")
    names = write_jobs(plan, tmp_path)
    text = (tmp_path / INDEX_NAME).read_text()
    rows = [line for line in text.splitlines() if re.match(r"\d{5} ", line)]
    assert len(rows) == len(plan.jobs) == 58 + 3
    assert len(names) == len(plan.jobs) - 2
    assert re.match(
        r"00001 +iops +purge .*sections 3\.2 and 7 +purge: discard", rows[0]
    )
    assert re.search(
        r"wsat +saturation .* T4/Q32 +60 s .*until steady or until 4 user capacities "
        "are written, at most 360 rounds",
        rows[-2],
    )
    assert all(row.endswith(("-", ".fio")) for row in rows)


def test_seed_is_the_runs_or_said_to_be_drawn(tmp_path: Path) -> None:
    write_jobs(as_planned(), tmp_path / "drawn")
    assert (
        "--seed 1; without --seed a run draws one"
        in (tmp_path / "drawn" / INDEX_NAME).read_text()
    )
    seeded = suite_jobs("virtual", "demo", "lat", seed=9)
    write_jobs(seeded, tmp_path / "given")
    assert (
        "as of a run with --seed 9\n" in (tmp_path / "given" / INDEX_NAME).read_text()
    )


def test_plan_replaces_an_earlier_plan_whole(tmp_path: Path) -> None:
    write_jobs(as_planned("iops"), tmp_path)
    names = write_jobs(as_planned("lat"), tmp_path)
    assert {path.name for path in tmp_path.iterdir()} == {*names, INDEX_NAME}


@pytest.mark.parametrize("name", ["mine.fio", "index.txt", "notes.md", ".hidden"])
def test_folder_of_others_is_refused_and_kept(name: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text("[global]\n")
    with pytest.raises(ExportError, match="which ssdlab plan did not write"):
        write_jobs(as_planned(), tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_link_to_a_file_of_ours_is_refused(tmp_path: Path) -> None:
    outside = tmp_path / "outside.fio"
    outside.write_text(f"{MARK}mine\n")
    (tmp_path / "jobs").mkdir()
    (tmp_path / "jobs" / "a.fio").symlink_to(outside)
    with pytest.raises(ExportError, match=r"a\.fio"):
        write_jobs(as_planned(), tmp_path / "jobs")
    assert outside.read_text() == f"{MARK}mine\n"


def test_words_of_others_cannot_become_options(tmp_path: Path) -> None:
    evil = replace(as_planned(), source="a\n[global]\rexec_prerun=evil\x1b[2J")
    write_jobs(evil, tmp_path)
    for text in (*jobs_of(tmp_path).values(), (tmp_path / INDEX_NAME).read_text()):
        assert "\x1b" not in text
        assert not re.search(r"(?m)^exec_prerun", text)
        assert "?exec_prerun=evil?" in text


def test_procedures_have_their_jobs_written_as_published(tmp_path: Path) -> None:
    names = write_jobs(plan_jobs("virtual", peak()), tmp_path)
    assert len(names) == 7
    index = (tmp_path / INDEX_NAME).read_text()
    assert "not a test of the PTS: no clause requires it" in index


def test_fallback_is_said_to_come_only_if_not_steady(tmp_path: Path) -> None:
    procedure = saturate(parse_stimulus("RND 4KiB 0/100"), iterations=12)
    write_jobs(plan_jobs("virtual", procedure), tmp_path)
    index = (tmp_path / INDEX_NAME).read_text()
    assert index.count("only if the test was not steady before") >= 2


def test_commands_write_jobs_and_say_so(tmp_path: Path) -> None:
    plan = call(
        "plan", "--target", "virtual", "--tests", "lat", "--jobs", tmp_path / "a"
    )
    assert plan.stdout.splitlines()[-1] == str(tmp_path / "a" / "index.txt")
    data = call(
        *("plan", "--target", "virtual", "--tests", "lat", "--json"),
        *("--jobs", tmp_path / "a"),
    )
    rows = json.loads(data.stdout)["jobs"]
    assert [row["step_id"] for row in rows if row["kind"] != "purge"] == [
        name.removesuffix(".fio") for name in jobs_of(tmp_path / "a")
    ]
    dry = call("peak", "--target", "virtual", "--dry-run", "--jobs", tmp_path / "b")
    assert "7 job files" in dry.stdout
    wet = call("peak", "--target", "virtual", "--jobs", tmp_path / "c")
    assert wet.returncode == 2
    assert "--dry-run" in wet.stderr
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "x").write_text("x")
    refused = call("plan", "--target", "virtual", "--jobs", tmp_path / "theirs")
    assert refused.returncode == 2
    assert "new or empty" in refused.stderr
