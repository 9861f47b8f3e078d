"""A run goes on after the rounds it was allowed, on targets with real fio."""

import subprocess
import time
from pathlib import Path

import pytest

from ssdlab.drive.inventory import find_drive
from ssdlab.engine.progress import Progress
from ssdlab.engine.suite import resume_run, run_suite
from ssdlab.model.errors import RunInterruptedError, TargetRefusedError, UserError
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.shared.settings import RND_4K_WRITE
from ssdlab.store.raw import read_all_steps
from ssdlab.store.records import read_record, read_state
from ssdlab.store.run import Run, open_tables
from tests.cli.called import call
from tests.targets.conftest import MakeLoop, make_loop

__all__ = ["make_loop"]

pytestmark = pytest.mark.fio
FEW = 5
# No window spans a gap of 10 ns, and there is one before each cell: never steady.
NEVER = PROFILES["demo"].having(
    name="never",
    cell_s=0.1,
    max_rounds=FEW,
    max_idle_s=1e-8,
    iops_mixes=(0,),
    iops_block_sizes=(4096,),
    iops_tracking=(RND_4K_WRITE,),
    wipc_capacity_multiple=1,
)


@pytest.fixture(autouse=True)
def never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(PROFILES, "never", NEVER)


def rounds_of(run: Run) -> list[int]:
    return [kept.step.round for kept in read_all_steps(run.path) if kept.step.round]


def test_finished_run_on_a_file_goes_on_until_somebody_else_writes_to_it(
    tmp_path: Path,
) -> None:
    target = f"file:{tmp_path / 'drive.bin'}"
    run = run_suite(
        f"{target},size=32MiB", "never", "iops", run_folder=tmp_path / "run", seed=7
    )
    assert rounds_of(run) == list(range(1, FEW + 1))
    record = read_record(run.path)
    done = resume_run(run.path, more_rounds=6)
    assert rounds_of(done) == list(range(1, FEW + 6 + 1))
    state = read_state(run.path)
    assert state.status == "finished"
    assert len(state.sessions) == 2
    (asked,) = state.extensions
    assert (asked.more_rounds, asked.test, asked.phase) == (6, "iops", "rounds")
    assert read_record(run.path) == record  # what was asked for at first stays
    kinds = [kept.step.kind for kept in read_all_steps(run.path)]
    assert kinds.count("purge") == 1
    assert "resumed" in set(done.findings["code"])

    time.sleep(1.1)  # a record of a time has whole seconds
    run_suite(target, "never", "iops", run_folder=tmp_path / "other", seed=8)
    with pytest.raises(TargetRefusedError, match="written to since the run finished"):
        resume_run(run.path, more_rounds=6)
    assert read_state(run.path) == state
    assert call("ingest", run.path).returncode == 0


def test_interrupted_run_on_a_virtual_ssd_takes_more_rounds(tmp_path: Path) -> None:
    seen = 0

    def stop(_progress: object) -> None:
        nonlocal seen
        seen += 1
        if len(list((tmp_path / "run" / "steps").glob("0*-rounds-*/step.json"))) == 3:
            raise KeyboardInterrupt

    with pytest.raises(RunInterruptedError):
        run_suite(
            "virtual:size=32MiB,linger=60",
            "never",
            "iops",
            run_folder=tmp_path / "run",
            seed=7,
            tell=stop,
        )
    assert seen
    done = resume_run(tmp_path / "run", more_rounds=7)
    assert max(rounds_of(done)) == FEW + 7
    assert read_state(done.path).status == "finished"


def test_run_that_goes_on_takes_more_rounds_without_a_pause(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    asked: list[subprocess.CompletedProcess[str]] = []

    def ask(progress: Progress) -> None:
        if progress.round == FEW and not asked:
            asked.append(call("resume", folder, "--more-rounds", "3"))

    run_suite(
        f"file:{tmp_path / 'drive.bin'},size=32MiB",
        "never",
        "iops",
        run_folder=folder,
        seed=7,
        tell=ask,
    )
    (done,) = asked
    assert (done.returncode, done.stderr) == (0, "")
    assert "3 more rounds" in done.stdout
    run = open_tables(folder)
    assert rounds_of(run) == list(range(1, FEW + 3 + 1))
    assert len(run.state.sessions) == 1
    assert "resumed" not in set(run.findings["code"])


def test_drive_goes_on_until_somebody_else_writes_to_it(
    tmp_path: Path, make_loop: MakeLoop
) -> None:
    device = make_loop(512)
    serial = find_drive(device).serial
    run = run_suite(
        device, "never", "iops", run_folder=tmp_path / "run", confirm_serial=serial
    )
    with pytest.raises(UserError, match="confirm"):  # its consent ended with the run
        resume_run(run.path, more_rounds=5)
    assert read_state(run.path).status == "finished"
    done = resume_run(run.path, more_rounds=5, confirm_serial=serial)
    assert rounds_of(done) == list(range(1, FEW + 5 + 1))

    Path(device).write_bytes(bytes(1 << 20))
    with pytest.raises(TargetRefusedError, match="written to since the run finished"):
        resume_run(run.path, more_rounds=5, confirm_serial=serial)
    assert len(read_state(run.path).extensions) == 1
    assert read_state(run.path).status == "finished"
