"""Checks of idle states and energy policies, of the processors and of the drive."""

import re

from ssdlab.host.checks.check import (
    Check,
    Finding,
    Setting,
    bad,
    good,
    guide,
    missing,
    not_applying,
    tell_each,
    unknown,
    warn,
    write_by_hand,
)
from ssdlab.host.checks.scene import CPUS, Scene
from ssdlab.host.checks.speeds import PREFERENCE as _PREFERENCE
from ssdlab.host.checks.speeds import of_cpu
from ssdlab.system.files import within

_MICRO = "µs"  # noqa: RUF001 - the SI prefix
_DEEP_US = 10  # a 4 KiB read takes some 50 to 100; C1 wakes in 1 to 2, C6 in 100
_DMA_LATENCY = "/dev/cpu_dma_latency"
_NO_SLEEP = ("intel_idle.max_cstate=0", "processor.max_cstate=0", "idle=poll")
_BIAS = "power/energy_perf_bias"
_TOLERANCE = "power/pm_qos_latency_tolerance_us"
_TOOL = "x86_energy_perf_policy"
_BIAS_WORDS = {
    0: "performance",
    4: "balance-performance",
    6: "normal",
    8: "balance-power",
    15: "power",
}


def _check_states(scene: Scene) -> Finding:
    options = scene.text("/proc/cmdline").split()
    if "idle=poll" in options:
        said = " ".join(option for option in _NO_SLEEP if option in options)
        return good(f"{said} (/proc/cmdline)")
    return _check_enabled_states(scene)


def _check_enabled_states(scene: Scene) -> Finding:
    latencies = {cpu: _latencies(scene, cpu) for cpu in scene.cpus}
    if not any(latencies.values()):
        return unknown(f"{CPUS}/cpu*/cpuidle/state* does not exist here")
    held = _held_latency_us(scene)
    deep = {
        cpu: ", ".join(
            f"{name} ({us} {_MICRO})" for name, us in states.items() if us > _DEEP_US
        )
        for cpu, states in latencies.items()
        if any(us > _DEEP_US for us in states.values())
    }
    path = f"{CPUS}/cpu*/cpuidle/state*"
    if not deep and scene.is_virtual_machine:
        return unknown(
            f"no state of this virtual machine takes over {_DEEP_US} {_MICRO} to leave "
            f"({path}); the idle states of its host are not visible"
        )
    if not deep:
        return good(f"no state that takes over {_DEEP_US} {_MICRO} to leave ({path})")
    if held is not None and held <= _DEEP_US and not scene.is_virtual_machine:
        return good(
            f"{_DMA_LATENCY} is held at {held} {_MICRO}: {tell_each(deep)} unused"
        )
    return bad(
        f"{tell_each(deep)} ({path}; {_DMA_LATENCY} {_tell_held(held)})",
        "sudo cpupower idle-set -D 10; for good: boot with " + " ".join(_NO_SLEEP),
    )


def _states_to_disable(scene: Scene) -> tuple[Setting, ...]:
    return tuple(
        Setting(path=f"{_state_folder(cpu)}/{state}/disable", value="1")
        for cpu in scene.cpus
        for state in scene.names(_state_folder(cpu))
        if _is_deep(scene, cpu, state)
    )


def _check_policy(scene: Scene) -> Finding:
    if scene.cpus and not _biased_cpus(scene):
        return not_applying(f"the processors use {_PREFERENCE} instead")
    raw, place = _biases(scene)
    if not raw:
        return unknown(place)
    biases = {cpu: bias for cpu, bias in raw.items() if cpu in _biased_cpus(scene)}
    words = {cpu: _BIAS_WORDS.get(bias, str(bias)) for cpu, bias in biases.items()}
    read = f"{tell_each(words)} ({place})"
    if not any(biases.values()):
        return good(read)
    return bad(read, f"sudo {_TOOL} performance")


def _biases_to_set(scene: Scene) -> tuple[Setting, ...]:
    raw = scene.each_cpu(_BIAS)
    return tuple(
        Setting(path=of_cpu(cpu, _BIAS), value="0")
        for cpu, bias in raw.items()
        if bias != "0" and cpu in _biased_cpus(scene)
    )


def _biased_cpus(scene: Scene) -> frozenset[int]:
    """Return the processors that use the bias: those without a preference."""
    return frozenset(scene.cpus) - frozenset(scene.each_cpu(_PREFERENCE))


def _check_preference(scene: Scene) -> Finding:
    raw = scene.each_cpu(_PREFERENCE)
    if not raw:
        return missing(f"{CPUS}/cpu*/{_PREFERENCE}")
    read = f"{tell_each(raw)} ({CPUS}/cpu*/{_PREFERENCE})"
    if set(raw.values()) <= {"performance", "0"}:
        return good(read)
    remedy = write_by_hand("performance", f"{CPUS}/cpu*/{_PREFERENCE}")
    favours_power = any(text in {"power", "balance_power"} for text in raw.values())
    return bad(read, remedy) if favours_power else warn(read, remedy)


def _preferences_to_set(scene: Scene) -> tuple[Setting, ...]:
    raw = scene.each_cpu(_PREFERENCE)
    return tuple(
        Setting(path=of_cpu(cpu, _PREFERENCE), value="performance")
        for cpu, text in raw.items()
        if text not in {"performance", "0"}
    )


def _check_drive_states(scene: Scene) -> Finding:
    if scene.drive is None or scene.drive.bus != "nvme":
        return not_applying("autonomous power state transitions are NVMe's")
    path = f"/sys/class/nvme/{scene.drive.controller}/{_TOLERANCE}"
    value = scene.text(path)
    if not value:
        return missing(path)
    if value == "0":
        return good(f"0 {_MICRO} to leave a state: the drive stays awake ({path})")
    return warn(
        f"it may enter states that take up to {value} {_MICRO} to leave ({path})",
        f"{write_by_hand(0, path)}; for good: boot with "
        "nvme_core.default_ps_max_latency_us=0",
    )


def _drive_states_to_set(scene: Scene) -> tuple[Setting, ...]:
    controller = scene.drive.controller if scene.drive else ""
    return (Setting(path=f"/sys/class/nvme/{controller}/{_TOLERANCE}", value="0"),)


def _state_folder(cpu: int) -> str:
    return of_cpu(cpu, "cpuidle")


def _latencies(scene: Scene, cpu: int) -> dict[str, int]:
    """Return the states that a processor may enter, and their exit latency [us]."""
    found = {}
    for state in scene.names(_state_folder(cpu)):
        folder = f"{_state_folder(cpu)}/{state}"
        latency = scene.number(f"{folder}/latency")
        if latency is not None and scene.text(f"{folder}/disable") != "1":
            found[scene.text(f"{folder}/name") or state] = latency
    return found


def _is_deep(scene: Scene, cpu: int, state: str) -> bool:
    folder = f"{_state_folder(cpu)}/{state}"
    latency = scene.number(f"{folder}/latency")
    is_enabled = scene.text(f"{folder}/disable") == "0"
    return latency is not None and latency > _DEEP_US and is_enabled


def _held_latency_us(scene: Scene) -> int | None:
    """Return the latency limit that processes have set, if readable [us]."""
    try:
        with within(scene.root, _DMA_LATENCY).open("rb") as file:
            held = file.read(4)
    except OSError:
        return None
    return int.from_bytes(held, "little", signed=True) if len(held) == 4 else None


def _tell_held(held: int | None) -> str:
    return "cannot be read" if held is None else f"permits {held} {_MICRO}"


def _biases(scene: Scene) -> tuple[dict[int, int], str]:
    """Return the bias of each processor and its source, or why there is none."""
    said = scene.run((_TOOL, "-r"))
    if said is not None and said.exit_code == 0:
        found = re.findall(
            r"^cpu(\d+): (?:EPB )?(0x[0-9a-f]+|\d+)$", said.text, re.MULTILINE
        )
        if found:
            return {int(cpu): int(bias, 0) for cpu, bias in found}, f"{_TOOL} -r"
    raw = scene.each_cpu(_BIAS)
    numbers = {cpu: int(bias) for cpu, bias in raw.items() if bias.isdecimal()}
    if numbers:
        return numbers, f"{CPUS}/cpu*/{_BIAS}"
    reason = (
        "is not installed" if said is None else f"says: {' '.join(said.text.split())}"
    )
    return {}, f"{CPUS}/cpu*/{_BIAS} does not exist here, and {_TOOL} {reason}"


STATES = Check(
    check_id="cpu_cstates",
    title="CPU sleep states",
    why="A processor in a deep sleep state takes tens to hundreds of microseconds to "
    "wake for an interrupt: at low queue depths that adds to each IO.",
    source=guide("2.1.3, 2.2"),
    look=_check_states,
    settings=_states_to_disable,
)
POLICY = Check(
    check_id="energy_perf_policy",
    title="CPU energy policy",
    why="It may tell the processor to save power and react more slowly.",
    source=guide("2.2"),
    look=_check_policy,
    settings=_biases_to_set,
)
PREFERENCE = Check(
    check_id="energy_performance_preference",
    title="CPU energy preference of the clock",
    why="Where the processor chooses its own clock, this decides how fast it reacts.",
    look=_check_preference,
    settings=_preferences_to_set,
)
DRIVE_STATES = Check(
    check_id="nvme_power_states",
    title="NVMe idle power states (APST)",
    why="A drive that is idle for a while enters a state that it takes up to tens of "
    "milliseconds to leave: the first IO after a rest waits for it.",
    look=_check_drive_states,
    settings=_drive_states_to_set,
    needs="drive",
)
