"""A log of IOs that is replayed: by the real fio, from a job file to a report."""

import shutil
from pathlib import Path

import pytest

import ssdlab
from ssdlab.engine.jobs import read_job_file
from ssdlab.engine.request import RunChoices, check_procedure
from ssdlab.engine.suite import check_resume
from ssdlab.fio.installed import REPLAYING_FIO
from ssdlab.model.errors import RunFolderError, SsdlabError, UserFileError
from ssdlab.paper.context import read_context
from ssdlab.procedures.jobs.pages import job_pages
from ssdlab.procedures.jobs.suite_file import Measuring
from ssdlab.report import render_report
from ssdlab.store.records import read_record
from ssdlab.store.run import Run
from ssdlab.text.table import Table
from tests.cli.called import call

pytestmark = pytest.mark.fio
MIB = 1 << 20
SSD = "virtual:size=48MiB,tread=0,tprog=0,terase=0,link=0,command=0"
HEAD = "fio version 3 iolog\n0 /dev/nowhere add\n0 /dev/nowhere open\n"
TIMED = "[a]\nread_iolog=slow.log\n"
FAST = "[a]\nread_iolog=fast.log\nioengine=libaio\niodepth=4\nreplay_no_stall=1\n"
WRITTEN = {0, 12288, 40960, 1048576}  # offsets of 4 KiB


def write_logs(place: Path) -> None:
    slow = [f"{n * 5000} /dev/nowhere read {n * 4096} 4096\n" for n in range(101)]
    (place / "slow.log").write_text(HEAD + "".join(slow))
    fast = [f"0 /dev/nowhere write {offset} 4096\n" for offset in sorted(WRITTEN)]
    reads = [f"1 /dev/nowhere read {n * 512} 512\n" for n in range(300)]
    flush = "1 /dev/nowhere sync 0 0\n"
    (place / "fast.log").write_text(HEAD + "".join(fast) + flush + "".join(reads))


def measure(place: Path, text: str, *, target: str = SSD, name: str = "run") -> Run:
    write_logs(place)
    (place / "r.fio").write_text(text)
    return ssdlab.run_jobs(
        target,
        place / "r.fio",
        track=[],
        rounds=2,
        precondition="none" if target == SSD else "reuse",
        run_folder=place / name,
    )


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    text = f"{TIMED}[b]\nstonewall\n{FAST.partition(']')[2]}"
    return measure(tmp_path_factory.mktemp("replay"), text)


def test_each_round_does_the_ios_of_the_log(run: Run) -> None:
    jobs = run.jobs[run.jobs["kind"] == "cell"]
    counts = jobs.groupby(["job", "direction"])["total_ios"].unique()
    assert counts[("a", "read")].tolist() == [101]
    assert counts[("b", "read")].tolist() == [300]
    assert counts[("b", "write")].tolist() == [4]
    sizes = jobs.groupby(["job", "direction"])["io_bytes"].unique()
    assert sizes[("b", "write")].tolist() == [4 * 4096]
    # fio does not count the bytes of the last IOs of a queue.
    assert 296 * 512 <= sizes[("b", "read")].min() <= 300 * 512


def test_ios_keep_the_times_of_the_log(run: Run) -> None:
    rounds = run.measurements.query("test == 'job-a' and direction == 'total'")
    took = rounds["runtime_s"].astype(float)
    assert len(took) == 2
    assert (took >= 0.48).all()  # the log has half a second; a busy host takes longer


def test_round_that_ends_with_its_log_is_not_too_short(run: Run) -> None:
    assert "time-measured" not in set(run.findings["code"])


def test_report_says_how_far_the_log_was_replayed(run: Run) -> None:
    pages = job_pages(read_context(run), "job-a")
    tables = [block for page in pages for block in page.blocks if type(block) is Table]
    (found,) = (one for one in tables if one.caption.startswith("Logs"))
    (row,) = found.rows
    assert row[:5] == ("a", "slow.log", "101", "100", "0.5")
    assert "slow.log" in render_report(run)


def test_log_is_written_nowhere_but_to_the_target(tmp_path: Path) -> None:
    image = tmp_path / "drive.img"
    target = f"file:{image},size=32MiB"
    measure(tmp_path, TIMED, target=target, name="first")
    before = image.read_bytes()
    measure(tmp_path, FAST, target=target)
    after = image.read_bytes()
    changed = {
        at
        for at in range(0, len(after), 4096)
        if before[at : at + 4096] != after[at : at + 4096]
    }
    assert changed == WRITTEN
    assert not Path("/dev/nowhere").exists()


def test_run_keeps_its_log_and_is_not_resumed_with_another(
    run: Run, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(run.path, copy)
    names = sorted(path.name for path in (copy / "replays").iterdir())
    jobs = [test.judged_phases for test in read_record(copy).asked.tests]
    assert len(names) == len(jobs) == 2
    with (copy / "replays" / names[0]).open("a") as log:
        log.write("1 log write 0 4096\n")
    state = copy / "state.json"
    state.write_text(state.read_text().replace('"finished"', '"failed"'))
    with pytest.raises(RunFolderError, match="is missing or another one"):
        check_resume(copy, "")
    (copy / "replays" / names[0]).unlink()
    with pytest.raises(RunFolderError, match="is missing or another one"):
        ssdlab.resume_run(copy)
    shutil.rmtree(copy / "replays")
    (copy / "replays").symlink_to("/etc")
    with pytest.raises(SsdlabError, match="symbolic link"):
        ssdlab.resume_run(copy)


TRIMS, LIBAIO = "trim 0 4096", "ioengine=libaio\niodepth=2\n"
NEW = ".".join(map(str, REPLAYING_FIO))


@pytest.mark.parametrize(
    ("version", "log", "options", "reason"),
    [
        ("3.28", "read 0 4096", "", "reads no log with times; fio-3.31 does"),
        ("3.33", TRIMS, "", "leaves out the trims of a log"),
        (NEW, TRIMS, "", ""),
        ("3.33", "read 0 4096", LIBAIO, "latencies are wrong"),
        (NEW, "read 0 4096", LIBAIO, ""),
        (NEW, "read 0 4096", "ioengine=io_uring\niodepth=2\n", "latencies are wrong"),
        ("3.33", "read 0 4096", "", ""),
        ("3.33", "read 0 4096", f"{LIBAIO}replay_no_stall=1\n", ""),
    ],
)
def test_what_a_fio_replays_wrongly_is_refused(
    tmp_path: Path,
    version: str,
    log: str,
    options: str,
    reason: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lines = f"0 /x {log}\n900 /x {log}\n"
    (tmp_path / "a.log").write_text(HEAD.replace("/dev/nowhere", "/x") + lines)
    path = tmp_path / "r.fio"
    path.write_text(f"[a]\nread_iolog=a.log\n{options}")
    asked = read_job_file(path, Measuring(), matrix=(), percentiles=())
    found = (shutil.which("fio"), f"fio-{version}")
    monkeypatch.setattr("ssdlab.engine.request.require_fio", lambda: found)
    target = f"file:{tmp_path / 'drive.img'},size=48MiB"
    if not reason:
        assert check_procedure(target, asked, choices=RunChoices()).asked == asked
        return
    with pytest.raises(UserFileError, match=reason):
        check_procedure(target, asked, choices=RunChoices())


def test_virtual_ssd_replays_the_times_of_one_io_only(tmp_path: Path) -> None:
    write_logs(tmp_path)
    (tmp_path / "r.fio").write_text(f"{TIMED}{LIBAIO}")
    done = call("run", SSD, "--job", str(tmp_path / "r.fio"))
    assert done.returncode == 2
    assert "with nbd takes no completions" in done.stderr


def test_log_beyond_the_device_or_of_parts_of_sectors_is_refused(
    tmp_path: Path,
) -> None:
    (tmp_path / "r.fio").write_text("[a]\nread_iolog=a.log\n")
    log = tmp_path / "a.log"
    for place, reason in ((f"{48 * MIB} 512", "is beyond"), ("100 512", "sectors")):
        log.write_text(f"{HEAD}0 /dev/nowhere read {place}\n")
        done = call("run", SSD, "--job", str(tmp_path / "r.fio"), "--dry-run")
        assert done.returncode == 2
        assert reason in done.stderr


@pytest.mark.parametrize("kind", ["missing", "link", "folder"])
def test_log_that_is_no_file_is_refused(tmp_path: Path, kind: str) -> None:
    (tmp_path / "r.fio").write_text("[a]\nread_iolog=a.log\n")
    log = tmp_path / "a.log"
    if kind == "link":
        log.symlink_to("/etc/passwd")
    elif kind == "folder":
        log.mkdir()
    done = call("run", SSD, "--job", str(tmp_path / "r.fio"), "--dry-run")
    assert done.returncode == 2
    words = {"missing": "No such file", "link": "not a link", "folder": "is a file"}
    assert f"a.log: {'it cannot' if kind == 'missing' else 'a log'}" in done.stderr
    assert words[kind] in done.stderr
    assert "Traceback" not in done.stderr


def test_pause_that_outlasts_the_round_is_refused(tmp_path: Path) -> None:
    (tmp_path / "r.fio").write_text("[a]\nread_iolog=a.log\n")
    pauses = "0 /x read 0 4096\n600000000 /x read 0 4096\n"
    (tmp_path / "a.log").write_text(HEAD.replace("/dev/nowhere", "/x") + pauses)
    words = ("run", SSD, "--job", str(tmp_path / "r.fio"), "--dry-run")
    assert call(*words).returncode == 0  # it is replayed for as long as it took
    for more in (("--seconds", "60"), ("--long-run", "60")):
        done = call(*words, *more)
        assert done.returncode == 2
        assert "a.log pauses for 10 min, longer than the 1 min" in done.stderr


def test_log_stands_beside_the_job_file_of_a_suite(tmp_path: Path) -> None:
    (tmp_path / "jobs").mkdir()
    write_logs(tmp_path / "jobs")
    (tmp_path / "jobs" / "r.fio").write_text(TIMED)
    (tmp_path / "s.toml").write_text('[[jobs]]\nfile = "jobs/r.fio"\n')
    done = call("run", SSD, "--suite", str(tmp_path / "s.toml"), "--dry-run")
    assert done.returncode == 0, done.stderr
    assert "What replays a log ends with it" in done.stdout
