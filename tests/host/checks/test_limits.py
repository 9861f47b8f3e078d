"""How much of the host this process may use."""

from pathlib import Path

import pytest

from tests.host.made_host import CPUS, GROUP, SLICE, Case, require_found

QUOTA = {f"{GROUP}/cpu.max": "150000 100000"}
V1 = "sys/fs/cgroup/cpu,cpuacct/docker/c1"
V1_MEMORY = "sys/fs/cgroup/memory/docker/c1"
VERSION_1: dict[str, str | None] = {
    "proc/self/cgroup": "4:memory:/docker/c1\n2:cpu,cpuacct:/docker/c1\n0::/docker/c1",
    "proc/self/mountinfo": "33 25 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:11 - "
    "cgroup cgroup rw,cpu,cpuacct\n"
    "34 25 0:29 / /sys/fs/cgroup/memory rw shared:12 - cgroup cgroup rw,memory",
    f"{V1}/cpu.cfs_quota_us": "-1",
    f"{V1}/cpu.cfs_period_us": "100000",
    f"{V1}/cpu.stat": "nr_periods 0\nnr_throttled 0\nthrottled_time 0",
    f"{V1_MEMORY}/memory.limit_in_bytes": "9223372036854771712",
}
# In a container of version 1 its own group lies at the mount point.
BOUND: dict[str, str | None] = {
    "proc/self/cgroup": "2:cpu:/docker/c1",
    "proc/self/mountinfo": "33 25 0:28 /docker/c1 /sys/fs/cgroup/cpu ro - "
    "cgroup cgroup rw,cpu",
    "sys/fs/cgroup/cpu/cpu.cfs_quota_us": "50000",
    "sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000",
}
NO_GROUPS: dict[str, str | None] = {"proc/self/cgroup": None}
CONTAINER: dict[str, str | None] = {".dockerenv": ""}

CASES = (
    Case(
        check="allowed_cpus",
        verdict="good",
        says="jobs may use 2 of 2 processors: 0-1",
    ),
    Case(
        check="allowed_cpus",
        verdict="warn",
        says="jobs may use 1 of 2 processors: 1",
        allowed=frozenset({1}),
    ),
    Case(  # kept to the drive's node on purpose
        check="allowed_cpus",
        verdict="good",
        says="jobs may use 2 of 4 processors: 2-3",
        files={
            f"{CPUS}/online": "0-3",
            "sys/devices/system/node/node0/cpulist": "0-1",
            "sys/devices/system/node/node1/cpulist": "2-3",
        },
        drive={"numa_node": 1},
        allowed=frozenset({2, 3}),
    ),
    Case(
        check="allowed_cpus",
        verdict="unknown",
        says="/sys/devices/system/cpu/online does not exist",
        files={f"{CPUS}/online": None},
    ),
    Case(
        check="cpu_quota",
        verdict="good",
        says=f"no limit of processor time in /{GROUP}, nor above it",
    ),
    Case(
        check="cpu_quota",
        verdict="warn",
        says=f"1.5 processors' time of 2 (/{GROUP}); it was throttled 0 times",
        files=QUOTA,
    ),
    Case(
        check="cpu_quota",
        verdict="warn",
        says=f"1 processors' time of 2 (/{SLICE})",
        files={**QUOTA, f"{SLICE}/cpu.max": "20000 20000"},
    ),
    Case(
        check="cpu_quota",
        verdict="good",
        says="at least the 2 that it may use",
        files={f"{GROUP}/cpu.max": "200000 100000"},
    ),
    Case(
        check="cpu_quota",
        verdict="warn",
        says="it was throttled 7 times",
        files={
            f"{GROUP}/cpu.max": "200000 100000",
            f"{GROUP}/cpu.stat": "nr_periods 9\nnr_throttled 7",
        },
    ),
    Case(
        check="cpu_quota",
        verdict="bad",
        says=f"and right now (/{GROUP}/cpu.stat)",
        files=QUOTA,
        later={f"{GROUP}/cpu.stat": "nr_periods 9\nnr_throttled 3"},
    ),
    Case(
        check="cpu_quota",
        verdict="unknown",
        says="limits above this container are not visible",
        files=CONTAINER,
    ),
    Case(
        check="cpu_quota",
        verdict="unknown",
        says="limits above this container are not visible",
        files={"sys/fs/cgroup/cgroup.type": "domain"},
    ),
    Case(check="cpu_quota", verdict="unknown", says="name no", files=NO_GROUPS),
    Case(check="cpu_quota", verdict="good", says=f"in /{V1}, nor", files=VERSION_1),
    Case(
        check="cpu_quota",
        verdict="warn",
        says="0.5 processors' time of 2 (/sys/fs/cgroup/cpu,cpuacct/docker)",
        files={
            **VERSION_1,
            "sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_quota_us": "50000",
            "sys/fs/cgroup/cpu,cpuacct/docker/cpu.cfs_period_us": "100000",
        },
    ),
    Case(
        check="cpu_quota",
        verdict="warn",
        says="0.5 processors' time of 2 (/sys/fs/cgroup/cpu)",
        files=BOUND,
    ),
    Case(
        check="memory_limit",
        verdict="good",
        says=f"no limit of memory in /{GROUP}, nor above it",
    ),
    Case(
        check="memory_limit",
        verdict="bad",
        says=f"2.0 GiB of 62.5 GiB (/{GROUP}): less than the 16 GB",
        files={f"{GROUP}/memory.max": str(2 * 2**30)},
    ),
    Case(
        check="memory_limit",
        verdict="warn",
        says=f"32.0 GiB of 62.5 GiB (/{SLICE})",
        files={f"{SLICE}/memory.high": str(32 * 2**30)},
    ),
    Case(
        check="memory_limit",
        verdict="good",
        says="at least as much as there is",
        files={f"{GROUP}/memory.max": str(64 * 2**30)},
    ),
    Case(
        check="memory_limit",
        verdict="good",
        says=f"no limit of memory in /{V1_MEMORY}",
        files=VERSION_1,
    ),
    Case(
        check="memory_limit",
        verdict="bad",
        says=f"1.0 GiB of 62.5 GiB (/{V1_MEMORY})",
        files={**VERSION_1, f"{V1_MEMORY}/memory.limit_in_bytes": str(2**30)},
    ),
    Case(
        check="memory_limit",
        verdict="unknown",
        says="limits above this container are not visible",
        files=CONTAINER,
    ),
    Case(check="memory_limit", verdict="unknown", says="name no", files=NO_GROUPS),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_limits_are_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)
