"""One process at a time works on a run."""

import pytest

import ssdlab
from tests.integration.lab import Lab, files_below, wait_for_steps, wait_until

pytestmark = pytest.mark.fio


def test_second_process_is_refused_while_a_run_is_under_way(lab: Lab) -> None:
    run = lab.runs / "busy"
    first = lab.measure(run, "iops,wsat")
    wait_for_steps(run, 1, first)
    again = lab.measure(run)
    resumed = lab.cli("resume", run)
    listed = lab.cli("runs", "--runs", lab.runs)
    assert again.wait() == 2
    assert again.said.count("it already holds a run") == 1
    assert f"ssdlab resume {run}" in again.said
    assert resumed.wait() == 2, resumed.said
    assert resumed.said.count(f"process {first.popen.pid} is working on this run") == 1
    assert resumed.said.count("\n") == 1
    assert listed.wait() == 0
    assert "running" in listed.said
    assert not (run / "notebook.ipynb").exists()
    assert first.wait(90) == 0, first.said
    assert [how for _, _, how in ssdlab.open_run(run).state.sessions] == ["finished"]


def test_one_of_two_runs_begun_at_once_in_one_folder_is_refused(lab: Lab) -> None:
    run = lab.runs / "twice"
    both = [lab.measure(run), lab.measure(run)]
    wait_until(
        lambda: any(one.popen.poll() is not None for one in both), what="one is refused"
    )
    codes = sorted(one.wait() for one in both)
    assert codes == [0, 2], [one.said for one in both]
    (refused,) = (one.said for one in both if one.popen.returncode)
    assert refused.startswith("RunFolderError: ")
    assert refused.count("\n") == 1
    assert ssdlab.open_run(run).state.status == "finished"


def test_resume_of_a_finished_run_changes_nothing(lab: Lab) -> None:
    run = lab.runs / "done"
    measured = lab.measure(run, "wsat")
    assert measured.wait() == 0, measured.said
    reported = lab.cli("report", run)
    assert reported.wait() == 0, reported.said
    before = files_below(run)
    refused = lab.cli("resume", run)
    assert refused.wait() == 2
    assert refused.said.count("the run is finished") == 1
    assert "Traceback" not in refused.said
    after = files_below(run)
    assert after | {"lock": b""} == before | {"lock": b""}  # it names its last holder
