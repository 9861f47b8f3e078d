"""The machine and its kernel: size, sockets, security, clock source."""

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
# Those that each system call or interrupt pays for.
_COSTLY = re.compile(
    r"PTI\b|Clear CPU buffers|Retpolines|Mitigation: IBRS\b"
    r"|untrained return thunk|Safe RET",
    re.IGNORECASE,
)


def _look_at_hardware(scene: Scene) -> Finding:
    parts = (_clock_part(scene), _memory_part(scene), _socket_part(scene))
    verdicts = [part.verdict for part in parts]
    worst = next(name for name in _WORST_FIRST if name in verdicts)
    return Finding(
        verdict=worst,
        read=", ".join(part.read for part in parts),
        remedy=" ".join(part.remedy for part in parts if part.remedy),
    )


def _clock_part(scene: Scene) -> Finding:
    told = _ghz(scene)
    if told is None:
        return unknown("the CPU's clock is not told")
    ghz, place = told
    read = f"{ghz:.2f} GHz ({place})"
    if ghz >= _LEAST_GHZ:
        return good(read)
    return bad(read, f"Measure on a host with a clock of at least {_LEAST_GHZ} GHz.")


def _memory_part(scene: Scene) -> Finding:
    memory = read_memory_bytes(scene)
    if memory is None:
        return unknown("MemTotal in /proc/meminfo is not told")
    read = f"{memory / GIB:.1f} GiB of memory (/proc/meminfo)"
    if memory >= LEAST_MEMORY_BYTES:
        return good(read)
    return bad(read, "Measure on a host with at least 16 GB of memory.")


def _socket_part(scene: Scene) -> Finding:
    sockets = len(set(scene.each_cpu("topology/physical_package_id").values()))
    if not sockets:
        return unknown("the number of sockets is not told")
    if sockets == 1:
        return good("1 socket")
    return warn(
        f"{sockets} sockets", "One socket is simplest; else keep to the drive's node."
    )


def _look_at_fans(scene: Scene) -> Finding:
    alarms = [path for path in _fan_files(scene, "alarm") if scene.text(path) == "1"]
    if alarms:
        return bad(f"a fan raises an alarm ({alarms[0]})", "Replace or free the fan.")
    profile = scene.text(_PROFILE)
    remedy = "Set the fans to high in the BIOS or the BMC."
    speeds = [scene.text(path) for path in _fan_files(scene, "input")]
    told = f"fans turn at {', '.join(speeds)} rpm; " if speeds else ""
    if not profile:
        return unknown(
            f"{told}their mode is known to the BIOS or the BMC alone: there is no "
            f"{_PROFILE} here",
            remedy,
        )
    read = f"{told}the platform's profile is {profile} ({_PROFILE})"
    if profile == "performance":
        return good(read)
    remedy += f" Or: {write_by_hand('performance', _PROFILE)}"
    is_weak = profile in {"low-power", "cool", "quiet"}
    return bad(read, remedy) if is_weak else warn(read, remedy)


def _look_at_selinux(scene: Scene) -> Finding:
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
    """Judge by the process itself: in a container the mode is not to be seen."""
    label = scene.text(_LABEL).rstrip("\0")
    if _CONTEXT.fullmatch(label):
        return warn(
            f"active: this process is {label} ({_LABEL}); whether it enforces cannot "
            f"be seen, as there is no {_ENFORCE}{config}",
            _DISABLE_SELINUX,
        )
    if scene.is_container and not label:
        return unknown(
            f"in this container there is no {_ENFORCE}; the host may enforce it"
        )
    return good(f"it is not active: there is no {_ENFORCE}{config}")


def _look_at_mitigations(scene: Scene) -> Finding:
    names = scene.names(_VULNERABILITIES)
    if not names:
        return missing(_VULNERABILITIES)
    told = {name: scene.text(f"{_VULNERABILITIES}/{name}") for name in names}
    costly = {
        name: found.group(0).removeprefix("Mitigation: ")
        for name, text in told.items()
        if (found := _COSTLY.search(text))
    }
    if not costly:
        return good(f"none of those that cost much is active ({_VULNERABILITIES})")
    words = ", ".join(f"{what} against {name}" for name, what in costly.items())
    return warn(
        f"{words} ({_VULNERABILITIES})",
        "Say so in comparisons. On a host that only measures and runs no foreign "
        "code: boot with mitigations=off",
    )


def _look_at_clock_source(scene: Scene) -> Finding:
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
        else "The kernel distrusts the processor's own counter: see `dmesg | grep -i "
        "tsc`, and boot with tsc=reliable if it is right."
    )
    return bad(read, remedy) if name in _SLOW_CLOCKS else warn(read, remedy)


def _look_at_hypervisor(scene: Scene) -> Finding:
    if not scene.cpu_info:
        return unknown("/proc/cpuinfo tells nothing")
    kind = scene.text("/sys/hypervisor/type")
    if scene.is_virtual_machine or kind:
        place = f"{kind} in /sys/hypervisor/type" if kind else "flag in /proc/cpuinfo"
        return warn(
            f"this is a virtual machine (hypervisor: {place})",
            "Measure on the machine itself, or say that it was measured through a "
            "hypervisor.",
        )
    if "flags" not in scene.cpu_info:
        return unknown("/proc/cpuinfo has no flags that would tell")
    return good("no hypervisor among the flags in /proc/cpuinfo")


def read_memory_bytes(scene: Scene) -> int | None:
    """Return how much memory the kernel has, if it tells."""
    found = re.search(
        r"^MemTotal:\s*(\d+) kB", scene.text("/proc/meminfo"), re.MULTILINE
    )
    return int(found.group(1)) * 1024 if found else None


def _ghz(scene: Scene) -> tuple[float, str] | None:
    """Return the clock of the model, or the best that is known, and from where."""
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
    why="A weak host is what limits a fast drive; two sockets need care.",
    source=guide("3.1"),
    look=_look_at_hardware,
)
FANS = Check(
    check_id="fans",
    title="Fans",
    why="Fans that save power let drive and processor get hot, and hot ones throttle.",
    source=guide("2.4"),
    look=_look_at_fans,
)
SELINUX = Check(
    check_id="selinux",
    title="SELinux",
    why="It looks at each system call, IO among them.",
    source=guide("2.5"),
    look=_look_at_selinux,
)
MITIGATIONS = Check(
    check_id="mitigations",
    title="Mitigations of processor faults",
    why="Some make every system call and interrupt longer, and so each IO; two hosts "
    "compare only if they are alike.",
    look=_look_at_mitigations,
)
CLOCK_SOURCE = Check(
    check_id="clock_source",
    title="Clock source",
    why="Where fio cannot use the processor's counter it asks the kernel for the time "
    "twice for each IO; a clock outside of the processor takes a microsecond and more "
    "to answer.",
    look=_look_at_clock_source,
)
HYPERVISOR = Check(
    check_id="hypervisor",
    title="Virtual machine",
    why="A hypervisor stands between fio and the drive: it adds latency, and other "
    "guests take time away unseen.",
    look=_look_at_hypervisor,
)
