"""What a client of a real ``fio --server`` prints: its sum is no job of its own."""

import json
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from ssdlab.fio.read import read_fio
from tests.fio.test_appended import grave

JOB = """[one]
ioengine=null
rw=randrw
bs=4k
size=1g
number_ios=400
numjobs=2
"""
JOBS = 4  # two of each server


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
        return port


def wait_for(port: int) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("fio --server did not begin to listen")


@pytest.fixture(scope="module")
def servers() -> Iterator[list[int]]:
    ports = [free_port(), free_port()]
    with ExitStack() as stack:
        for port in ports:
            server = stack.enter_context(
                subprocess.Popen(
                    ["fio", f"--server=127.0.0.1,{port}"],
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                )
            )
            stack.callback(server.terminate)
        for port in ports:
            wait_for(port)
        yield ports


def client(folder: Path, ports: list[int], form: str) -> bytes:
    job = folder / "job.fio"
    job.write_text(JOB)
    hosts = [
        word for port in ports for word in (f"--client=127.0.0.1,{port}", str(job))
    ]
    return subprocess.run(
        ["fio", *hosts, f"--output-format={form}"],
        cwd=folder,
        check=True,
        capture_output=True,
        timeout=60,
    ).stdout


@pytest.mark.fio
@pytest.mark.parametrize("form", ["terse", "json", "normal", "terse,json,normal"])
def test_the_sum_of_all_clients_is_not_added_to_them(
    tmp_path: Path, servers: list[int], form: str
) -> None:
    result = read_fio(client(tmp_path, servers, form))
    assert result.documents["is_result"].sum() == 1
    is_counted = result.jobs["is_result"] & (result.jobs["io_bytes"] > 0)
    rows = result.jobs[is_counted & ~result.jobs["is_aggregate"]]
    assert set(rows["job_name"]) == {"one"}
    assert rows["io_bytes"].sum() == JOBS * 400 * 4096
    sums = result.jobs[is_counted & result.jobs["is_aggregate"]]
    assert set(sums["job_name"]) == {"All clients"}
    merged = result.merge(timing="together")
    assert merged.jobs["io_bytes"].tolist() == [JOBS * 400 * 4096]
    assert grave(result) == set()


def test_jobs_that_ended_in_another_order_than_their_servers_are_the_same_run() -> None:
    """JSON of clients has them by server; text has them as they ended."""
    line = (
        "{}: (groupid=0, jobs=1): err= 0: pid={}: Mon Jan  1 00:00:00 2018\n"
        "  write: IOPS=1000, BW=4000KiB/s (4096kB/s)({}KiB/{}msec)\n"
        "     issued rwts: total=0,{},0,0 short=0,0,0,0 dropped=0,0,0,0\n"
    )
    ended = [("one", 7, 400, 100), ("one", 8, 800, 200), ("All clients", 0, 1200, 200)]
    text = "".join(line.format(*of_job, of_job[2] // 4) for of_job in ended)
    jobs = [
        {
            "jobname": name,
            "groupid": 0,
            "error": 0,
            "write": {
                "io_bytes": kib * 1024,
                "total_ios": kib // 4,
                "runtime": ms,
                "iops": 1000.0,
                "bw_bytes": 4096000,
            },
        }
        for name, _, kib, ms in (ended[1], ended[0], ended[2])
    ]
    document = {"fio version": "fio-3.33", "client_stats": jobs}
    result = read_fio(f"fio-3.33\n{text}\n{json.dumps(document)}\n".encode())
    assert result.documents["form"].tolist() == ["normal", "json"]
    assert result.documents["is_result"].tolist() == [False, True]


@pytest.mark.fio
def test_client_runs_that_were_appended_are_each_a_result(
    tmp_path: Path, servers: list[int]
) -> None:
    text = b"".join(client(tmp_path, servers, "terse") for _ in range(3))
    result = read_fio(text)
    rows = result.jobs[result.jobs["is_result"] & ~result.jobs["is_aggregate"]]
    assert rows["io_bytes"].sum() == 3 * JOBS * 400 * 4096


def test_a_job_that_is_called_so_is_measured() -> None:
    text = """All clients: (groupid=0, jobs=1): err= 0: pid=7: Mon Jan  1 00:00:00 2018
  write: IOPS=1024, BW=4096KiB/s (4194kB/s)(4096KiB/1000msec)
  cpu          : usr=2.00%, sys=9.00%, ctx=1, majf=0, minf=9
     issued rwt: total=0,1024,0, short=0,0,0, dropped=0,0,0

Run status group 0 (all jobs):
  WRITE: bw=4096KiB/s (4194kB/s), io=4096KiB (4194kB), run=1000-1000msec
"""
    result = read_fio(text.encode())
    assert not result.jobs["is_aggregate"].any()
    assert result.jobs["io_bytes"].tolist() == [4096 * 1024]
