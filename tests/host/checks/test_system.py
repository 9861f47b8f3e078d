"""The machine and its kernel."""

from pathlib import Path

import pytest

from ssdlab.host.checks import CHECKS, Means, set_scene
from ssdlab.host.checks.check import examine
from tests.host.made_host import CPUS, Case, cpu_info, require_found

MEMORY = "proc/meminfo"
CLOCK = "sys/devices/system/clocksource/clocksource0/current_clocksource"
ALL_CLOCKS = "sys/devices/system/clocksource/clocksource0/available_clocksource"
PROFILE = "sys/firmware/acpi/platform_profile"
ENFORCE = "sys/fs/selinux/enforce"
CONFIG = "etc/selinux/config"
FLAWS = f"{CPUS}/vulnerabilities"

CASES = (
    Case(
        check="cpu_hw",
        verdict="good",
        says="2.50 GHz (of the model Xeon @ 2.50GHz), 62.5 GiB of memory "
        "(/proc/meminfo), 1 socket",
    ),
    Case(
        check="cpu_hw",
        verdict="bad",
        says="2.10 GHz",
        files={"proc/cpuinfo": cpu_info(model="Atom @ 2.10GHz")},
    ),
    Case(
        check="cpu_hw",
        verdict="good",
        says="2.20 GHz",
        files={"proc/cpuinfo": cpu_info(model="E5-2699 v4 @ 2.20GHz")},
    ),
    Case(
        check="cpu_hw",
        verdict="bad",
        says="7.6 GiB",
        files={MEMORY: "MemTotal:        8000000 kB"},
    ),
    Case(  # a host of 16 GiB, of which the kernel keeps some
        check="cpu_hw",
        verdict="good",
        says="15.5 GiB",
        files={MEMORY: "MemTotal:       16250000 kB"},
    ),
    Case(
        check="cpu_hw",
        verdict="warn",
        says="2 sockets",
        files={f"{CPUS}/cpu1/topology/physical_package_id": "1"},
    ),
    Case(
        check="cpu_hw",
        verdict="unknown",
        says="2.50 GHz (of the model Xeon @ 2.50GHz), MemTotal in /proc/meminfo is "
        "missing, 1 socket",
        files={MEMORY: "nothing"},
    ),
    Case(  # what is not told does not hide what is wrong
        check="cpu_hw",
        verdict="bad",
        says="2.10 GHz (of the model Atom @ 2.10GHz), MemTotal in /proc/meminfo is",
        files={"proc/cpuinfo": cpu_info(model="Atom @ 2.10GHz"), MEMORY: "nothing"},
    ),
    Case(
        check="cpu_hw",
        verdict="unknown",
        says="the number of sockets is unknown",
        files={f"{CPUS}/cpu{cpu}/topology/physical_package_id": None for cpu in (0, 1)},
    ),
    Case(
        check="cpu_hw",
        verdict="bad",
        says="1.80 GHz (its base clock by the kernel)",
        files={
            "proc/cpuinfo": cpu_info(model="EPYC"),
            f"{CPUS}/cpu0/cpufreq/base_frequency": "1800000",
        },
    ),
    Case(
        check="cpu_hw",
        verdict="bad",
        says="2.00 GHz (cpu MHz in /proc/cpuinfo)",
        files={
            "proc/cpuinfo": cpu_info(model="EPYC", mhz=2000),
            f"{CPUS}/cpu0/cpufreq/cpuinfo_max_freq": None,
            f"{CPUS}/cpu1/cpufreq/cpuinfo_max_freq": None,
        },
    ),
    Case(
        check="fans",
        verdict="good",
        says="fans turn at 9000 rpm; the platform's profile is performance",
    ),
    Case(check="fans", verdict="bad", says="quiet", files={PROFILE: "quiet"}),
    Case(check="fans", verdict="warn", says="balanced", files={PROFILE: "balanced"}),
    Case(
        check="fans",
        verdict="bad",
        says="a fan raises an alarm (/sys/class/hwmon/hwmon0/fan1_alarm)",
        files={"sys/class/hwmon/hwmon0/fan1_alarm": "1"},
    ),
    Case(
        check="fans",
        verdict="unknown",
        says="only the BIOS or the BMC knows their mode",
        files={PROFILE: None},
    ),
    Case(check="selinux", verdict="good", says="it is not active"),
    Case(
        check="selinux",
        verdict="good",
        says="SELINUX=disabled in /etc/selinux/config",
        files={CONFIG: "# a comment\nSELINUX=disabled\nSELINUXTYPE=targeted"},
    ),
    Case(
        check="selinux",
        verdict="bad",
        says="enforcing: 1 in /sys/fs/selinux/enforce; SELINUX=enforcing",
        files={ENFORCE: "1", CONFIG: "SELINUX=enforcing"},
    ),
    Case(
        check="selinux",
        verdict="warn",
        says="permissive",
        files={ENFORCE: "0"},
    ),
    Case(
        check="selinux",
        verdict="unknown",
        says="in this container there is no /sys/fs/selinux/enforce",
        files={".dockerenv": ""},
    ),
    Case(
        check="selinux",
        verdict="unknown",
        says="the host may enforce it",
        files={"proc/1/cgroup": "0::/kubepods/pod1/c1"},
    ),
    Case(
        check="selinux",
        verdict="warn",
        says="active: this process is system_u:system_r:container_t:s0:c1,c2",
        files={
            ".dockerenv": "",
            "proc/self/attr/current": "system_u:system_r:container_t:s0:c1,c2\0",
        },
    ),
    Case(  # AppArmor is in its place
        check="selinux",
        verdict="good",
        says="it is not active",
        files={".dockerenv": "", "proc/self/attr/current": "docker-default (enforce)"},
    ),
    Case(check="mitigations", verdict="good", says="none of those that cost much"),
    Case(
        check="mitigations",
        verdict="warn",
        says="PTI against meltdown",
        files={f"{FLAWS}/meltdown": "Mitigation: PTI"},
    ),
    Case(
        check="mitigations",
        verdict="warn",
        says="Clear CPU buffers against mds",
        files={f"{FLAWS}/mds": "Mitigation: Clear CPU buffers; SMT vulnerable"},
    ),
    Case(
        check="mitigations",
        verdict="warn",
        says="IBRS against spectre_v2",
        files={f"{FLAWS}/spectre_v2": "Mitigation: IBRS; IBPB: conditional"},
    ),
    Case(
        check="mitigations",
        verdict="good",
        says="none of those that cost much",
        files={f"{FLAWS}/meltdown": "Vulnerable", f"{FLAWS}/mds": "Not affected"},
    ),
    Case(
        check="mitigations",
        verdict="unknown",
        says="does not exist",
        files={f"{FLAWS}/spectre_v1": None, f"{FLAWS}/spectre_v2": None},
    ),
    Case(check="clock_source", verdict="good", says="tsc ("),
    Case(check="clock_source", verdict="bad", says="hpet", files={CLOCK: "hpet"}),
    Case(check="clock_source", verdict="bad", says="acpi_pm", files={CLOCK: "acpi_pm"}),
    Case(
        check="clock_source",
        verdict="warn",
        says="kvm-clock",
        files={CLOCK: "kvm-clock", ALL_CLOCKS: "kvm-clock"},
    ),
    Case(
        check="clock_source",
        verdict="unknown",
        says="does not exist",
        files={CLOCK: None},
    ),
    Case(check="hypervisor", verdict="good", says="no hypervisor"),
    Case(
        check="hypervisor",
        verdict="warn",
        says="flag in /proc/cpuinfo",
        files={"proc/cpuinfo": cpu_info(flags="hypervisor")},
    ),
    Case(
        check="hypervisor",
        verdict="warn",
        says="xen in /sys/hypervisor/type",
        files={"sys/hypervisor/type": "xen"},
    ),
    Case(
        check="hypervisor",
        verdict="unknown",
        says="is empty",
        files={"proc/cpuinfo": None},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_machine_is_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)


@pytest.mark.parametrize(
    ("others", "words"), [("hpet tsc", "echo tsc"), ("hpet", "tsc=reliable")]
)
def test_remedy_for_a_slow_clock_is_one_that_the_kernel_has(
    others: str, words: str, tmp_path: Path
) -> None:
    case = Case(
        check="clock_source",
        verdict="bad",
        says="hpet",
        files={CLOCK: "hpet", ALL_CLOCKS: others},
    )
    assert words in require_found(tmp_path, case).remedy


def test_selinux_is_unknown_when_nothing_can_be_read(tmp_path: Path) -> None:
    means = Means(run=lambda _: None, pause=lambda _: None)
    scene = set_scene(None, root=tmp_path, means=means)
    check = next(check for check in CHECKS if check.check_id == "selinux")
    assert examine(check, scene).read == "/sys cannot be read"


def test_reason_for_the_clock_source_names_when_fio_asks_the_kernel(
    tmp_path: Path,
) -> None:
    case = Case(check="clock_source", verdict="good", says="tsc")
    why = require_found(tmp_path, case).why
    assert why.startswith("If fio cannot use the processor's counter")
