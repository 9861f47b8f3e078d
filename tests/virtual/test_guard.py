"""A client that dies in the middle of its requests does not take the drive with it."""

import os
import signal
import subprocess
import time

import pytest

from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED, run_fio


@pytest.mark.fio
def test_server_outlives_clients_that_are_killed_with_replies_waiting(
    serve: Serve,
) -> None:
    ssd = serve(UNTIMED)
    for _ in range(3):
        client = subprocess.Popen(
            [
                *("fio", "--name=dies", "--ioengine=nbd", f"--uri={ssd.uri}"),
                *("--thread=1", "--numjobs=2", "--iodepth=16", "--bs=4k"),
                *("--rw=randwrite", "--time_based", "--runtime=30"),
            ],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        written = ssd.counters().host_written_bytes
        while ssd.counters().host_written_bytes == written:
            assert client.poll() is None
            time.sleep(0.01)
        os.kill(ssd.process.pid, signal.SIGSTOP)  # so that many replies meet the end
        client.kill()
        client.wait()
        os.kill(ssd.process.pid, signal.SIGCONT)
        time.sleep(0.3)
        assert ssd.is_alive()
    deadline = time.monotonic() + 5
    while ssd.counters().connections and time.monotonic() < deadline:
        time.sleep(0.02)
    assert (ssd.counters().connections, ssd.counters().in_flight) == (0, 0)
    assert run_fio(ssd, "--rw=randread", "--bs=4k", "--io_size=1m")["error"] == 0
