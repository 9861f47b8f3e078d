"""Checks of the machine and its kernel: size, sockets, security, clock source."""

import re

from ssdlab.host.checks.check import (
    Check,
    Finding,
    bad,
    good,
    guide,
    missing,
    unknown,
    warn,
    write_by_hand,
)
from ssdlab.host.checks.scene import CPUS, Scene
from ssdlab.host.checks.speeds import model_khz, read_bases, read_khz
from ssdlab.model.host_checks import CheckVerdict
from ssdlab.model.units import GIB

_LEAST_GHZ = 2.2  # the guide, 3.1
LEAST_MEMORY_BYTES = 16e9  # of 16 GiB the kernel keeps some for itself
_PROFILE = "/sys/firmware/acpi/platform_profile"
_HWMON = "/sys/class/hwmon"
_ENFORCE = "/sys/fs/selinux/enforce"
_SELINUX_CONFIG = "/etc/selinux/config"
_LABEL = "/proc/self/attr/current"
_CONTEXT = re.compile(r"[^:\s]+:[^:\s]+:[^:\s]+(:\S+)?")  # user:role:type:level
_DISABLE_SELINUX = (
    f"On a host that only measures and has no open network: SELINUX=disabled in "
    f"{_SELINUX_CONFIG}, and reboot"
)
_WORST_FIRST: tuple[CheckVerdict, ...] = ("bad", "warn", "unknown", "good")
_VULNERABILITIES = f"{CPUS}/vulnerabilities"
_CLOCKS = "/sys/devices/system/clocksource/clocksource0"
_GOOD_CLOCKS = ("tsc", "arch_sys_counter")
_SLOW_CLOCKS = ("hpet", "acpi_pm", "jiffies", "pit", "refined-jiffies")
# Those that cost time in each system call or interrupt.
_COSTLY = re.compile(
    r"PTI\b|Clear CPU buffers|Retpolines|Mitigation: IBRS\b"
    r"|untrained return thunk|Safe RET",
    re.IGNORECASE,
)


def _check_hardware(scene: Scene) -> Finding:
    parts = (_clock_part(scene), _memory_part(scene), _socket_part(scene))
    verdicts = [part.verdict for part in parts]
    worst = next(name for name in _WORST_FIRST if name in verdicts)
    return Finding(
        verdict=worst,
        read=", ".join(part.read for part in parts),
        remedy=" ".join(part.remedy for part in parts if part.remedy),
    )


def _clock_part(scene: Scene) -> Finding:
    raw = _ghz(scene)
    if raw is None:
        return unknown("the CPU's clock is unknown")
    ghz, place = raw
    read = f"{ghz:.2f} GHz ({place})"
    if ghz >= _LEAST_GHZ:
        return good(read)
    return bad(read, f"Measure on a host with a clock of at least {_LEAST_GHZ} GHz.")


def _memory_part(scene: Scene) -> Finding:
    memory = read_memory_bytes(scene)
    if memory is None:
        return unknown("MemTotal in /proc/meminfo is missing")
    read = f"{memory / GIB:.1f} GiB of memory (/proc/meminfo)"
    if memory >= LEAST_MEMORY_BYTES:
        return good(read)
    return bad(read, "Measure on a host with at least 16 GB of memory.")


def _socket_part(scene: Scene) -> Finding:
    sockets = len(set(scene.each_cpu("topology/physical_package_id").values()))
    if not sockets:
        return unknown("the number of sockets is unknown")
    if sockets == 1:
        return good("1 socket")
    return warn(
        f"{sockets} sockets", "One socket is simplest; else use the drive's node only."
    )


def _check_fans(scene: Scene) -> Finding:
    alarms = [path for path in _fan_files(scene, "alarm") if scene.text(path) == "1"]
    if alarms:
        return bad(f"a fan raises an alarm ({alarms[0]})", "Replace or free the fan.")
    profile = scene.text(_PROFILE)
    remedy = "Set the fans to high in the BIOS or the BMC."
    speeds = [scene.text(path) for path in _fan_files(scene, "input")]
    fans = f"fans turn at {', '.join(speeds)} rpm; " if speeds else ""
    if not profile:
        return unknown(
            f"{fans}only the BIOS or the BMC knows their mode: {_PROFILE} does not "
            "exist here",
            remedy,
        )
    read = f"{fans}the platform's profile is {profile} ({_PROFILE})"
    if profile == "performance":
        return good(read)
    remedy += f" Or: {write_by_hand('performance', _PROFILE)}"
    is_weak = profile in {"low-power", "cool", "quiet"}
    return bad(read, remedy) if is_weak else warn(read, remedy)


def _check_selinux(scene: Scene) -> Finding:
    if not scene.names("/sys"):
        return unknown("/sys cannot be read")
    enforce = scene.text(_ENFORCE)
    found = re.search(r"^SELINUX=(\w+)", scene.text(_SELINUX_CONFIG), re.MULTILINE)
    config = f"; SELINUX={found.group(1)} in {_SELINUX_CONFIG}" if found else ""
    if not enforce:
        return _judge_unmounted(scene, config)
    read = f"{enforce} in {_ENFORCE}{config}"
    if enforce == "1":
        return bad(f"enforcing: {read}", _DISABLE_SELINUX)
    return warn(f"permissive: {read}", _DISABLE_SELINUX)


def _judge_unmounted(scene: Scene, config: str) -> Finding:
    """Judge by the process itself: in a container the mode is not visible."""
    label = scene.text(_LABEL).rstrip("\0")
    if _CONTEXT.fullmatch(label):
        return warn(
            f"active: this process is {label} ({_LABEL}); whether it enforces is "
            f"unknown without {_ENFORCE}{config}",
            _DISABLE_SELINUX,
        )
    if scene.is_container and not label:
        return unknown(
            f"in this container there is no {_ENFORCE}; the host may enforce it"
        )
    return good(f"it is not active: there is no {_ENFORCE}{config}")


def _check_mitigations(scene: Scene) -> Finding:
    names = scene.names(_VULNERABILITIES)
    if not names:
        return missing(_VULNERABILITIES)
    raw = {name: scene.text(f"{_VULNERABILITIES}/{name}") for name in names}
    costly = {
        name: found.group(0).removeprefix("Mitigation: ")
        for name, text in raw.items()
        if (found := _COSTLY.search(text))
    }
    if not costly:
        return good(f"none of those that cost much is active ({_VULNERABILITIES})")
    words = ", ".join(f"{what} against {name}" for name, what in costly.items())
    return warn(
        f"{words} ({_VULNERABILITIES})",
        "State that in comparisons. On a host that only measures and runs only trusted "
        "code: boot with mitigations=off",
    )


def _check_clock_source(scene: Scene) -> Finding:
    path = f"{_CLOCKS}/current_clocksource"
    name = scene.text(path)
    if not name:
        return missing(path)
    read = f"{name} ({path})"
    if name in _GOOD_CLOCKS:
        return good(read)
    others = scene.text(f"{_CLOCKS}/available_clocksource")
    remedy = (
        write_by_hand("tsc", path)
        if "tsc" in others.split()
        else "The kernel does not trust the TSC: see `dmesg | grep -i tsc`, and boot "
        "with tsc=reliable if it is accurate."
    )
    return bad(read, remedy) if name in _SLOW_CLOCKS else warn(read, remedy)


def _check_hypervisor(scene: Scene) -> Finding:
    if not scene.cpu_info:
        return unknown("/proc/cpuinfo is empty")
    kind = scene.text("/sys/hypervisor/type")
    if scene.is_virtual_machine or kind:
        place = f"{kind} in /sys/hypervisor/type" if kind else "flag in /proc/cpuinfo"
        return warn(
            f"this is a virtual machine (hypervisor: {place})",
            "Measure on the physical machine, or state that it was measured through a "
            "hypervisor.",
        )
    if "flags" not in scene.cpu_info:
        return unknown("/proc/cpuinfo has no flags")
    return good("no hypervisor among the flags in /proc/cpuinfo")


def read_memory_bytes(scene: Scene) -> int | None:
    """Return the size of the memory, if known."""
    found = re.search(
        r"^MemTotal:\s*(\d+) kB", scene.text("/proc/meminfo"), re.MULTILINE
    )
    return int(found.group(1)) * 1024 if found else None


def _ghz(scene: Scene) -> tuple[float, str] | None:
    """Return the clock of the model, or the best known one, and its source."""
    model = model_khz(scene)
    if model:
        return model / 1e6, f"of the model {scene.cpu_info['model name']}"
    bases = read_bases(scene)
    if bases:
        return min(bases.values()) / 1e6, "its base clock by the kernel"
    most = read_khz(scene, "cpuinfo_max_freq")
    if most:
        return min(most.values()) / 1e6, f"{CPUS}/cpu*/cpufreq/cpuinfo_max_freq"
    mhz = re.fullmatch(r"[\d.]+", scene.cpu_info.get("cpu MHz", ""))
    return (float(mhz.group()) / 1000, "cpu MHz in /proc/cpuinfo") if mhz else None


def _fan_files(scene: Scene, kind: str) -> list[str]:
    return [
        f"{_HWMON}/{device}/{name}"
        for device in scene.names(_HWMON)
        for name in scene.names(f"{_HWMON}/{device}")
        if re.fullmatch(rf"fan\d+_{kind}", name)
    ]


HARDWARE = Check(
    check_id="cpu_hw",
    title="Processor and memory",
    why="A slow host limits a fast drive; two sockets need care.",
    source=guide("3.1"),
    look=_check_hardware,
)
FANS = Check(
    check_id="fans",
    title="Fans",
    why="Slow fans let drive and processor get hot and throttle.",
    source=guide("2.4"),
    look=_check_fans,
)
SELINUX = Check(
    check_id="selinux",
    title="SELinux",
    why="It checks each system call, including IO.",
    source=guide("2.5"),
    look=_check_selinux,
)
MITIGATIONS = Check(
    check_id="mitigations",
    title="CPU vulnerability mitigations",
    why="Some make every system call and interrupt, and so each IO, take longer; hosts "
    "are comparable only if they have the same.",
    look=_check_mitigations,
)
CLOCK_SOURCE = Check(
    check_id="clock_source",
    title="Clock source",
    why="If fio cannot use the processor's counter, it reads the kernel's clock twice "
    "per IO; one outside of the processor takes a microsecond or more.",
    look=_check_clock_source,
)
HYPERVISOR = Check(
    check_id="hypervisor",
    title="Virtual machine",
    why="A hypervisor between fio and the drive adds latency, and other guests take "
    "time away unnoticed.",
    look=_check_hypervisor,
)
