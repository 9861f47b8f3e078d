"""What the system tells of the host."""

import os
import platform
import sys

from ssdlab.host.inventory import read_host, read_load
from ssdlab.model.version import VERSION


def test_host_is_told_without_a_blank_field() -> None:
    host = read_host("fio-3.33")
    texts = (host.platform, host.cpu, host.operating_system, host.kernel)
    assert all(text.strip() for text in texts)
    assert f"({os.cpu_count()} logical)" in host.cpu
    assert host.kernel.endswith(platform.release())
    assert host.python_version == sys.version.split()[0]
    assert (host.fio_version, host.ssdlab_version) == ("fio-3.33", VERSION)
    assert 2**28 < host.dram_bytes < 2**50


def test_busy_time_of_the_processors_grows_with_work() -> None:
    before = read_load()
    started = os.times()
    while os.times().user - started.user < 0.3:
        sum(range(20_000))
    after = read_load()
    times = {"cpu_all_s", "cpu_busy_s", "cpu_user_s", "cpu_system_s"}
    assert set(after) == {"load_average_1_min", *times}
    assert after["cpu_busy_s"] - before["cpu_busy_s"] >= 0.25
    assert after["cpu_user_s"] + after["cpu_system_s"] <= after["cpu_busy_s"] + 0.1
    assert after["cpu_busy_s"] <= after["cpu_all_s"]
