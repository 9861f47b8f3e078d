"""Job files and suites from Python: the same procedure as from the command line."""

from pathlib import Path

import pytest

import ssdlab
from ssdlab.engine.jobs import EXAMPLES, read_job_suite
from ssdlab.model.asked import Procedure
from ssdlab.model.errors import UnknownNameError, UserFileError
from ssdlab.notebook import execute_notebook, find_notebook
from ssdlab.procedures.jobs.suite_file import Measuring
from tests.cli.called import call
from tests.paths import ROOT

JOB = "[a]\nrw=randread\nbs=4k\nioengine=libaio\n"
TARGET = "virtual:size=48MiB"


@pytest.mark.fio
def test_jobs_of_a_file_are_measured_over_a_matrix(tmp_path: Path) -> None:
    (tmp_path / "a.fio").write_text(JOB)
    run = ssdlab.run_jobs(
        TARGET,
        tmp_path / "a.fio",
        matrix={"iodepth": [1, 8]},
        track=[],
        rounds=1,
        seconds=0.3,
        precondition="none",
        run_folder=tmp_path / "run",
        label="mine",
        seed=7,
    )
    assert run.record.tests == ("job-a-iodepth-1", "job-a-iodepth-8")
    assert (run.record.label, run.record.seed) == ("mine", 7)
    cells = run.measurements.query("kind == 'cell' and direction == 'total'")
    assert list(cells["queue_depth"]) == [1, 8]
    assert (cells["iops"] > 0).all()


def test_matrix_beside_a_suite_is_refused() -> None:
    with pytest.raises(UserFileError, match=r"write \[jobs.matrix\] in the suite"):
        ssdlab.run_jobs(TARGET, "example:loops", matrix={"bs": ["4k"]})


def test_example_that_is_none_is_refused() -> None:
    for name in ("example:", "example:../../secrets", "example:loop"):
        with pytest.raises(UnknownNameError, match="example:loops"):
            read_job_suite(name, Measuring(), percentiles=())


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_are_procedures_that_a_plan_shows(name: str) -> None:
    found = read_job_suite(f"example:{name}", Measuring(), percentiles=())
    assert isinstance(found, Procedure)
    done = call("run", TARGET, "--suite", f"example:{name}", "--dry-run")
    assert done.returncode == 0, done.stderr


@pytest.mark.fio
def test_notebook_measures_both_loops_and_waits_as_the_queue_does(
    tmp_path: Path,
) -> None:
    notebook = tmp_path / "03.ipynb"
    execute_notebook(
        find_notebook("03_latency_qos.ipynb"),
        notebook,
        {
            "run": str(ROOT / "data" / "samples" / "virtual-b"),
            "load_seconds": 0.3,
            "runs": str(tmp_path / "runs"),
        },
    )
    (folder,) = (tmp_path / "runs").iterdir()
    run = ssdlab.open_run(folder)
    assert len(run.record.tests) == 11
    said = notebook.read_text("utf-8")
    assert "Open loop: IOs that are due at a rate" in said
    assert "waits_ns" in said
