"""A suite of job files in TOML: what stands in it, above it and beside it."""

import re
from pathlib import Path

import pytest

import ssdlab
from ssdlab.model.errors import UserFileError
from ssdlab.model.spec import Histogram, Precondition, PtsTest, Purge, Rounds
from ssdlab.paper.context import read_context
from ssdlab.procedures.jobs.pages import job_pages
from ssdlab.procedures.jobs.suite_file import (
    JobSuite,
    Measuring,
    job_suite_procedure,
)
from ssdlab.system.toml_files import parse_toml
from ssdlab.text.table import Table
from tests.cli.called import call

FILES = {"a.fio": "[a]\nrw=randread\n", "b.fio": "[b]\nrw=write\nruntime=9\n"}
BASE = """
title = "Acceptance of model X"
seconds = 30
[[jobs]]
file = "a.fio"
long_run_seconds = 600
[jobs.matrix]
iodepth = [1, 32]
[[jobs]]
file = "b.fio"
name = "log"
seconds = 5
rounds = 3
track = []
"""


def planned(text: str, asked: Measuring | None = None) -> tuple[PtsTest, ...]:
    suite = parse_toml(text, JobSuite, source="s.toml")
    return job_suite_procedure(
        suite, source="s.toml", read_file=FILES.__getitem__, asked=asked or Measuring()
    ).tests


def rounds_of(test: PtsTest) -> Rounds:
    return next(phase for phase in test.phases if isinstance(phase, Rounds))


def test_files_are_measured_as_the_suite_says() -> None:
    first, second, third = planned(BASE)
    assert [type(one) for one in first.phases] == [
        *(Purge, Precondition, Rounds, Histogram)
    ]
    assert [type(one) for one in second.phases] == [Rounds, Histogram]
    assert [type(one) for one in third.phases] == [Rounds]
    assert [test.title for test in (first, second, third)] == [
        *("a, iodepth=1", "a, iodepth=32", "log")
    ]
    assert [rounds_of(test).cell_seconds for test in (first, third)] == [30, 5]
    assert (rounds_of(third).max_rounds, rounds_of(third).tracking) == (3, ())


def test_what_is_asked_counts_more_than_the_suite() -> None:
    found = planned(BASE, Measuring(seconds=1.0, track=("bw",), precondition="none"))
    assert {rounds_of(test).cell_seconds for test in found} == {1}
    assert {rounds_of(test).tracking[0].metric for test in found} == {"bw_bytes_per_s"}
    assert [type(one) for one in found[2].phases] == [Purge, Rounds]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "jobs"),
        ("jobs = []", "0 tables"),
        ('[[jobs]]\nfile = "/etc/passwd"', "does not stand beside it"),
        ('[[jobs]]\nfile = "../a.fio"', "does not stand beside it"),
        ('[[jobs]]\nfile = "a.fio"\nsecond = 3', "second"),
        ('[[jobs]]\nfile = "a.fio"\nseconds = 0', "seconds is 0"),
        ('[[jobs]]\nfile = "a.fio"\nseconds = nan', "seconds is nan"),
        ('[[jobs]]\nfile = "a.fio"\nrounds = -1', "rounds is -1"),
        ('[[jobs]]\nfile = "a.fio"\nprecondition = "twice"', "precondition"),
        ('[[jobs]]\nfile = "a.fio"\ntrack = ["x:iops"]', "no job 'x'"),
        ('[[jobs]]\nfile = "a.fio"\nmatrix = {filename = ["/dev/sda"]}', "filename"),
        ('[[jobs]]\nfile = "a.fio"\nrounds = 0', "measures nothing"),
        ('percentiles = [100]\n[[jobs]]\nfile = "a.fio"', "100 is not between"),
        ('over_provisioning = 7\n[[jobs]]\nfile = "a.fio"', "sprandom alone"),
        (f'{BASE}over_provisioning = 7\nprecondition = "rnd"', "b.fio: over_prov"),
        ("[[jobs]\n", "not TOML"),
    ],
)
def test_suite_that_cannot_be_is_refused(text: str, words: str) -> None:
    with pytest.raises(UserFileError, match=re.escape(words)) as caught:
        planned(text)
    assert len(str(caught.value).splitlines()) == 1


def test_over_provisioning_of_a_suite_is_of_those_that_use_sprandom() -> None:
    found = planned(
        'over_provisioning = 28\n[[jobs]]\nfile = "a.fio"\nprecondition = "sprandom"\n'
        '[[jobs]]\nfile = "b.fio"\nprecondition = "seq"\n'
    )
    fills = [
        phase.over_provisioning
        for test in found
        for phase in test.phases
        if isinstance(phase, Precondition)
    ]
    assert fills == [0.28, None]
    with pytest.raises(UserFileError, match="sprandom alone"):
        planned(BASE, Measuring(over_provisioning=28))


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (("--precondition", "seq"), "--precondition"),
        (("--over-provisioning", "7"), "--over-provisioning"),
        (("--purge-each",), "--purge-each"),
        (("--long-run", "60"), "--long-run needs --track"),
    ],
)
def test_option_that_a_suite_of_fiosynth_does_not_take_is_refused(
    words: tuple[str, ...], name: str, tmp_path: Path
) -> None:
    suite = f"fiosynth:{tmp_path / 'Mixed'}"
    done = call("run", "virtual", "--suite", suite, *words, "--dry-run")
    assert done.returncode == 2
    assert name in done.stderr


@pytest.mark.fio
def test_suites_run_from_purge_to_a_report(tmp_path: Path) -> None:
    (tmp_path / "jobfiles").mkdir()
    (tmp_path / "wkldsuites").mkdir()
    (tmp_path / "jobfiles" / "mix.fio").write_text(
        "[global]\nioengine=io_uring\ntime_based\nruntime=${TIME}\n[reads]\n"
        "rw=randread\nrate_iops=${RRATE}\nfilename=${DEV}\n[writes]\n"
        "rw=randwrite\nbs=16k\nthinktime=${W1THINK}\nfilename=${DEV}\n",
        "utf-8",
    )
    (tmp_path / "wkldsuites" / "Mixed").write_text(
        '{"pre": [{"alias": "warm", "template": "mix.fio", "values": {"TIME": "1", '
        '"RRATE": 4000, "W1THINK": 200}}], "def": [{"alias": "low", "template": '
        '"mix.fio", "values": {"TIME": "2", "RRATE": 4000, "W1THINK": 200}}]}',
        "utf-8",
    )
    suite = f"fiosynth:{tmp_path / 'wkldsuites' / 'Mixed'}"
    fast = "virtual:size=48MiB,tread=0,tprog=0,terase=0,link=0,command=0"
    more = ("--percentile", "75", "--runs", tmp_path / "runs")
    done = call("run", fast, "--suite", suite, *more)
    assert done.returncode == 0, done.stderr
    (folder,) = (tmp_path / "runs").iterdir()
    run = ssdlab.open_run(folder)
    assert list(dict.fromkeys(run.steps["test"])) == [
        "job-warm-preconditioning",
        "job-low",
    ]
    reads = run.jobs.query("job == 'reads' and test == 'job-low'")
    assert 300 < reads["iops"].astype(float).iloc[0] <= 440  # 4000 x 0.1 TB
    assert run.series["step_id"].isin(reads["step_id"]).any()
    pages = job_pages(read_context(run), "job-low")
    table = next(one for one in pages[0].blocks if isinstance(one, Table))
    assert [row[0] for row in table.rows] == ["all jobs", "reads", "writes"]
    place = table.head.index("75 % [ms]")
    assert all(float(row[place].split()[0]) > 0 for row in table.rows)
    assert "times 0.1" in (folder / "report.html").read_text("utf-8")
