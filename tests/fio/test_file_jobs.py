"""Job files of users: what becomes a stimulus, and what is refused."""

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.fio.jobs.file_jobs import FileStimulus, find_overrun, read_file_jobs
from ssdlab.fio.jobs.iolog import IoLog, read_iolog
from ssdlab.fio.jobs.published import file_job_options
from ssdlab.model.errors import UserFileError
from ssdlab.model.fio_option import JOB_OPTIONS, JobOption
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.spec import MIXED_PERCENT, FileJob, Replay

GROUPS = """
; two jobs together, then one
[global]
ioengine=libaio
iodepth=4
runtime=30
time_based
[reader]
rw=randread
bs=4k
[writer]
rw=randwrite
bs=16k
rate_iops=300
[after]
stonewall
rw=randrw
rwmixread=70
bssplit=4k/60:64k/40
numjobs=2
"""


def read(text: str) -> tuple[FileStimulus, ...]:
    return read_file_jobs(text, source="mine.fio")


def test_jobs_between_stonewalls_are_one_stimulus() -> None:
    together, after = read(GROUPS)
    assert together.workload.name == "reader + writer"
    assert after.workload.name == "after"
    reader, writer = together.workload.jobs
    assert dict(writer.options) == {
        "ioengine": "libaio",
        "iodepth": "4",
        "rw": "randwrite",
        "bs": "16k",
        "rate_iops": "300",
    }
    assert (reader.read_percent, writer.read_percent) == (100, 0)
    assert (together.runtime_s, after.runtime_s) == (30.0, 30.0)
    assert together.left_out == ("time_based",)


def test_stimulus_says_what_its_jobs_have_in_common_and_nothing_else() -> None:
    together, after = (one.workload for one in read(GROUPS))
    assert (together.threads, together.queue_depth) == (2, 4)
    assert together.read_percent == MIXED_PERCENT
    assert together.block_size_bytes == 0
    assert (after.threads, after.queue_depth, after.read_percent) == (2, 4, 70)
    assert after.jobs[0].block_sizes_bytes == (4096, 65536)


def test_outstanding_ios_are_summed_over_jobs() -> None:
    (found,) = read("[a]\nioengine=libaio\niodepth=8\n[b]\nnumjobs=3\nrw=write\n")
    assert found.workload.outstanding == 8 + 3


def test_queue_depth_of_a_synchronous_job_is_one() -> None:
    (found,) = read("[a]\nioengine=psync\niodepth=32\n")
    assert found.workload.queue_depth == 1
    assert found.left_out == ("iodepth",)


def test_cell_of_a_matrix_replaces_options_of_every_job() -> None:
    found = read_file_jobs(GROUPS, source="mine.fio", changes={"iodepth": "16"})
    assert [one.workload.queue_depth for one in found] == [16, 16]
    assert found[1].workload.name == "after, iodepth=16"


def test_delay_and_ramp_come_before_what_is_measured() -> None:
    (found,) = read("[a]\nstartdelay=2s\nramp_time=30s\n[b]\nramp_time=5\n")
    assert [job.ramp_s for job in found.workload.jobs] == [32, 5]
    assert found.workload.ramp_s == 32


def test_loops_mean_nothing_where_time_ends_a_job() -> None:
    (found,) = read("[a]\ntime_based\nruntime=5\nloops=1000\n")
    assert found.left_out == ("time_based", "loops")
    with pytest.raises(UserFileError, match="loops ends jobs by a rule"):
        read("[a]\nruntime=5\nloops=1000\n")


def test_all_jobs_of_a_file_are_named_by_the_file() -> None:
    (found,) = read("[a]\n[b]\n")
    assert found.workload.name == "mine"


BAD = {
    "[a]\nfilename=/dev/sda": "[a] filename names a target",
    "[a]\ndirectory=/root": "[a] directory names a target",
    "[global]\nopendir=/\n[a]": "[a] opendir names a target",
    "[a]\nexec_prerun=reboot": "[a] exec_prerun runs another program",
    "[a]\nexec_postrun=reboot": "[a] exec_postrun runs another program",
    "[a]\nread_iolog=x.log": "[a] read_iolog reads or writes another file",
    "[a]\nwrite_iolog=x.log": "[a] write_iolog reads or writes another file",
    "include /etc/passwd\n[a]": "line 1 is outside of a section",
    "[global]\ninclude /etc/passwd\n[a]": "include reads or writes another file",
    "[a]\ninclude /etc/passwd": "include reads or writes another file",
    "[a]\nioengine=exec": "[a] ioengine=exec is none of",
    "[a]\nioengine=external:/tmp/x.so": "[a] ioengine=external:/tmp/x.so is none of",
    "[a]\nioengine=http": "[a] ioengine=http is none of",
    "[a]\nverify=crc32c": "[a] verify checks data",
    "[a]\ncpumask=3": "[a] cpumask changes the host",
    "[a]\nio_size=1g": "[a] io_size ends jobs by a rule of its own",
    "[a]\ncontinue_on_error=all": "[a] continue_on_error hides errors",
    "[a]\ngtod_reduce=1": "[a] gtod_reduce leaves latencies out",
    "[a]\n[b]\nwait_for=a": "[b] wait_for makes jobs wait",
    "[a]\nstartdelay=10-20": "[a] the option startdelay",
    "[a]\nnosuch=1": "[a] nosuch is not an option that ssdlab passes on to fio",
    "[a]\nioengine=libaio\niodepth=0": "[a] the option iodepth",
    "[a]\nbs=$(reboot)": "[a] the option bs",
    "[a]\nrw=erase": "[a] the option rw",
    "[a]\nbssplit=no/50": "[a] its block sizes cannot be read",
    "[a]\n[a]\nrw=write": "two jobs are named 'a'",
    "[a]\nruntime=5\n[b]\nruntime=6": "have several runtimes: a, b",
    "[a]\nnumjobs=2000": "2000 threads are asked for",
    "[global]\nbs=4k": "it has no job",
    "": "it has no job",
    "[\x1b[31mred]": "printable",
    "[a]]\nrw=read": "without [ ] ; #",
    "not a job file": "",
}


@pytest.mark.parametrize("text", BAD)
def test_bad_job_file_is_refused_in_one_sentence(text: str) -> None:
    with pytest.raises(UserFileError) as caught:
        read(text)
    said = str(caught.value)
    assert said.startswith("mine.fio: ")
    assert said.isprintable()
    assert said.count(". ") == 0
    assert BAD[text] in said


LOG = (
    b"fio version 3 iolog\n0 /dev/sda add\n0 /dev/sda read 0 4096\n"
    b"1500000 /dev/sda read 8192 8192\n3000000 /dev/sda write 4096 4096\n"
)
TRIMS = LOG + b"3000000 /dev/sda trim 0 4096\n"


def read_log(name: str) -> IoLog:
    return read_iolog({"a.log": LOG, "trims.log": TRIMS}[name], source=name)


def replay(text: str) -> FileStimulus:
    (found,) = read_file_jobs(text, source="mine.fio", read_log=read_log)
    return found


def test_job_replays_a_log_on_the_target() -> None:
    found = replay("[global]\nrw=write\nbs=1m\n[a]\nread_iolog=a.log\nnumjobs=1\n")
    (job,) = found.workload.jobs
    assert job.replay is not None
    assert (job.replay.file, job.replay.ios, job.replay.span_s) == ("a.log", 3, 3.0)
    assert (job.access, job.read_percent) == ("rnd", 67)
    assert job.block_sizes_bytes == (4096, 8192)
    assert (found.runtime_s, found.left_out) == (5, ("rw", "bs"))
    (content,) = found.logs.values()
    assert b"sda" not in content
    assert file_job_options(job, {"filename": "/dev/x"}, cpus=None) == {
        "direct": "1",
        "filename": "/dev/x",
        "read_iolog": f"../../replays/{job.replay.digest[:16]}.iolog",
        "replay_redirect": "/dev/x",
    }
    assert find_overrun(job, 16384) == ""
    assert find_overrun(job, 16383) == "job a: a.log to 16.38 kB"


def test_times_of_a_log_are_stretched_or_left_out() -> None:
    slow = replay("[a]\nread_iolog=a.log\nreplay_time_scale=50\n")
    fast = replay("[a]\nread_iolog=a.log\nreplay_no_stall=1\n")
    cut = replay("[a]\nread_iolog=a.log\nruntime=2\n")
    spans = [one.workload.jobs[0].replay for one in (slow, fast, cut)]
    assert [one.span_s for one in spans if one] == [6.0, 0.0, 3.0]
    assert [one.runtime_s for one in (slow, fast, cut)] == [8, None, 2.0]


def test_group_of_a_replay_and_another_job_has_the_time_of_the_file() -> None:
    found = replay("[a]\nread_iolog=a.log\n[b]\nrw=randread\n")
    assert found.runtime_s is None
    assert found.workload.replayed_bytes is None
    assert replay("[a]\nread_iolog=a.log\n").workload.replayed_bytes == 16384


def test_job_that_replays_trims_has_no_share_of_reads() -> None:
    (job,) = replay("[a]\nread_iolog=trims.log\n").workload.jobs
    assert job.read_percent is None
    assert job.replay
    assert job.replay.has_trims


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("read_iolog=/etc/a.log", "does not stand beside the file"),
        ("read_iolog=../a.log", "does not stand beside the file"),
        ("read_iolog=a.log:b.log", "does not stand beside the file"),
        ("read_iolog=-", "does not stand beside the file"),
        ("read_iolog", "does not stand beside the file"),
        ("read_iolog=a.log\nnumjobs=2", "each of its numjobs would replay all"),
        ("read_iolog=a.log\nrate_iops=5", "rate_iops has no place beside read_iolog"),
        ("read_iolog=a.log\nfsync=1", "fsync has no place beside read_iolog"),
        ("read_iolog=a.log\nreplay_redirect=/dev/sda", "names a target"),
        ("read_iolog=a.log\nwrite_iolog=b", "reads or writes another file"),
        ("read_iolog=a.log\nreplay_time_scale=0", "the option replay_time_scale"),
    ],
)
def test_replay_that_asks_for_more_is_refused(text: str, reason: str) -> None:
    with pytest.raises(UserFileError) as caught:
        replay(f"[a]\n{text}\n")
    assert reason in str(caught.value)


@pytest.mark.parametrize("option", ["bs=4k", "rw=read", "numjobs=1"])
def test_matrix_over_what_the_log_decides_is_refused(option: str) -> None:
    name, _, value = option.partition("=")
    text, changes = "[a]\nread_iolog=a.log\n", {name: value}
    with pytest.raises(UserFileError, match=f"{name} changes nothing in its log"):
        read_file_jobs(text, source="mine.fio", changes=changes, read_log=read_log)


@pytest.mark.parametrize(
    "change",
    [
        {"digest": "../" * 20},
        {"ios": 0},
        {"unit_bytes": -512},
        {"span_s": math.nan},
        {"span_s": math.inf},
        {"pause_s": 2.0},
    ],
)
def test_numbers_of_no_log_are_refused(change: dict[str, Any]) -> None:
    log = {
        "file": "a",
        "digest": "0" * 64,
        "ios": 1,
        "io_bytes": 512,
        "end_bytes": 512,
        "unit_bytes": 512,
        "span_s": 1.0,
    }
    assert Replay(**log).ios == 1  # type: ignore[arg-type] # the fields above
    with pytest.raises(ValueError, match=r"no SHA-256|of no log"):
        Replay(**{**log, **change})


def test_groups_whose_jobs_are_named_alike_are_refused() -> None:
    text = "[a + b]\n[c]\nstonewall\n[a]\nstonewall\n[b]\n"
    with pytest.raises(UserFileError, match="the same name"):
        read(text)


@pytest.mark.parametrize(
    ("options", "overrun"),
    [
        ({}, ""),
        ({"offset": "50%", "size": "50%"}, ""),
        ({"offset": "50%", "size": "51%"}, "job a: offset 50% and size 51%"),
        ({"offset": "100%"}, "job a: offset 100%"),
        ({"size": "1g"}, ""),
        ({"size": "1025m"}, "job a: size 1025m"),
        ({"offset_increment": "256m", "size": "256m"}, ""),
        (
            {"offset_increment": "256m", "size": "512m"},
            "job a: offset_increment 256m and size 512m",
        ),
    ],
)
def test_place_behind_the_end_of_the_device_is_found(
    options: dict[str, str], overrun: str
) -> None:
    chosen = tuple(JobOption(name, value) for name, value in options.items())
    job = FileJob(name="a", options=chosen, block_sizes_bytes=(4096,), threads=4)
    assert find_overrun(job, 1 << 30) == overrun


def test_options_are_those_of_the_file_on_a_device() -> None:
    (found,) = read("[a]\nioengine=libaio\nfdatasync=4\nfixedbufs=1\nrw=write\n")
    (job,) = found.workload.jobs
    options = file_job_options(
        job, {"filename": "/dev/x", "ioengine": "io_uring"}, cpus=None
    )
    assert options == {
        "direct": "1",
        "ioengine": "libaio",
        "fdatasync": "4",
        "fixedbufs": "1",
        "rw": "write",
        "filename": "/dev/x",
    }


def test_target_that_is_no_path_has_its_own_engine() -> None:
    (found,) = read("[a]\nioengine=io_uring\nfdatasync=4\nfixedbufs=1\nrw=write\n")
    (job,) = found.workload.jobs
    options = file_job_options(job, {"uri": "nbd+unix:", "ioengine": "nbd"}, cpus=None)
    assert options == {
        "direct": "1",
        "ioengine": "nbd",
        "fsync": "4",
        "rw": "write",
        "uri": "nbd+unix:",
    }


@given(
    st.sampled_from(sorted(JOB_OPTIONS)),
    st.text("059akm/:,.%-", max_size=6),
    st.characters(exclude_categories=["L", "Nd"], exclude_characters="/:,.%-"),
    st.text("059akm/:,.%-", max_size=6),
)
def test_no_value_of_an_option_can_begin_another(
    name: str, before: str, strange: str, after: str
) -> None:
    with pytest.raises(ValueError, match="cannot be"):
        JobOption(name, f"{before}{strange}{after}")


@pytest.mark.parametrize(
    "name", ["", " a", "a]\nexec_prerun=reboot\n[b", "a;b", "a#b", "global", "a" * 81]
)
def test_name_in_a_record_of_anybody_is_a_name_and_nothing_else(name: str) -> None:
    (found,) = read("[a]\nrw=read\n")
    plain = to_plain(found.workload.jobs[0])
    assert isinstance(plain, dict)
    with pytest.raises(ValueError, match="no name of a job"):
        from_plain(FileJob, {**plain, "name": name})


@pytest.mark.parametrize("name", ["filename", "exec_prerun", "ioengine"])
def test_record_of_anybody_holds_only_known_options(name: str) -> None:
    (found,) = read("[a]\nrw=read\n")
    plain = to_plain(found.workload.jobs[0])
    assert isinstance(plain, dict)
    assert from_plain(FileJob, plain) == found.workload.jobs[0]
    plain["options"] = [[name, "/dev/sda"]]
    with pytest.raises(ValueError, match=name):
        from_plain(FileJob, plain)
