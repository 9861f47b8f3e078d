"""Checks of the processors' clocks and throttling."""

import re
from collections.abc import Mapping

from ssdlab.host.checks.check import (
    Check,
    Finding,
    Setting,
    bad,
    good,
    guide,
    missing,
    tell_each,
    unknown,
    warn,
    write_by_hand,
)
from ssdlab.host.checks.scene import CPUS, Scene
from ssdlab.host.checks.speeds import (
    BOOST,
    FEW_PERCENT,
    NO_TURBO,
    PREFERENCE,
    Clocks,
    find_restraint,
    look_under_load,
    model_khz,
    of_cpu,
    read_bases,
    read_khz,
    read_turbo,
    scales_itself,
)
from ssdlab.host.checks.speeds import (
    GOVERNOR as _GOVERNOR,
)

_SET_GOVERNOR = "sudo cpupower frequency-set -g performance"
_CPU_MHZ = re.compile(
    r"^processor\s*:\s*(\d+)$.*?^cpu MHz\s*:\s*([\d.]+)$", re.MULTILINE | re.DOTALL
)


def _without_cpufreq(scene: Scene) -> Finding:
    why = "a virtual machine" if scene.is_virtual_machine else "the firmware sets it"
    return missing(f"{CPUS}/cpu*/cpufreq", f": {why}")


def _check_governor(scene: Scene) -> Finding:
    governors = scene.each_cpu(_GOVERNOR)
    if not governors:
        return _without_cpufreq(scene)
    open_cpus = [cpu for cpu in governors if find_restraint(scene, cpu)]
    read = f"{tell_each(governors)} ({CPUS}/cpu*/{_GOVERNOR})"
    others = {
        cpu: f"{_driver(scene, cpu)} with {PREFERENCE.rpartition('/')[2]} "
        f"{scene.text(of_cpu(cpu, PREFERENCE)) or 'unknown'}"
        for cpu, name in governors.items()
        if name != "performance" and scales_itself(scene, cpu)
    }
    if others:
        read += f"; the driver is {tell_each(others)}"
    if not open_cpus:
        return good(read)
    remedy = f"Set it: {_SET_GOVERNOR}"
    if all(scales_itself(scene, cpu) for cpu in open_cpus):
        return warn(read, remedy)
    return bad(read, remedy)


def _governors_to_set(scene: Scene) -> tuple[Setting, ...]:
    """Return the governors to set, each after what the kernel changes with it."""
    found: list[Setting] = []
    for cpu in scene.each_cpu(_GOVERNOR):
        if not find_restraint(scene, cpu) or not _has_performance(scene, cpu):
            continue
        # Such a driver changes the preference as well, and may not restore it.
        if scales_itself(scene, cpu) and scene.text(of_cpu(cpu, PREFERENCE)):
            found.append(Setting(path=of_cpu(cpu, PREFERENCE), value=None))
        found.append(Setting(path=of_cpu(cpu, _GOVERNOR), value="performance"))
    return tuple(found)


def _check_clock(scene: Scene) -> Finding:
    now, most = read_khz(scene, "scaling_cur_freq"), _most_khz(scene)
    if not now or not read_khz(scene, "cpuinfo_max_freq"):
        return _without_cpufreq(scene)
    clocks = look_under_load(
        scene,
        now,
        most,
        read=lambda cpu: scene.number(of_cpu(cpu, "cpufreq/scaling_cur_freq")),
    )
    found = clocks.find_slowest(most)
    if found is None:
        return _nothing_to_judge(clocks, "cpufreq/cpuinfo_max_freq")
    slowest, ratio = found
    read = (
        f"CPU {slowest} is the slowest under load: {clocks.now[slowest] / 1e6:.2f} GHz "
        f"of {most[slowest] / 1e6:.2f} GHz ({CPUS}/cpu*/cpufreq/scaling_cur_freq and "
        f"its highest allowed clock){clocks.words}"
    )
    if ratio >= 1 - FEW_PERCENT:
        return good(read)
    return _judge_slow(scene, slowest, now_khz=clocks.now[slowest], read=read)


def _judge_slow(scene: Scene, cpu: int, *, now_khz: float, read: str) -> Finding:
    """Judge a processor that is below its highest allowed clock."""
    restraint = find_restraint(scene, cpu)
    if restraint:
        return warn(f"{read}; it has {restraint}", f"Change it: {_SET_GOVERNOR}")
    base = _nominal_khz(scene).get(cpu)
    limit = read_khz(scene, "scaling_max_freq").get(cpu)
    most = _most_khz(scene)[cpu]
    is_capped = bool(limit and limit < most * (1 - FEW_PERCENT))
    remedy = _lift(limit, most) if limit and is_capped else _clock_remedy(scene)
    if base is None:
        return warn(f"{read}; its base clock is unknown", remedy)
    read += f"; its base clock is {base / 1e6:.2f} GHz"
    if now_khz >= base * (1 - FEW_PERCENT):
        return warn(read, remedy)
    if not is_capped and _check_throttling(scene).verdict == "bad":
        return unknown(f"{read}; for the reason see '{THROTTLED.title}'")
    return bad(read, remedy)


def _lift(limit_khz: int, most_khz: float) -> str:
    return (
        f"It is limited to {limit_khz / 1e6:.2f} GHz by {CPUS}/cpu*/cpufreq/"
        "scaling_max_freq. Raise the limit: "
        f"sudo cpupower frequency-set -u {most_khz / 1e3:.0f}MHz"
    )


def _clock_remedy(scene: Scene) -> str:
    """Return the remedy where governor and limit are already right."""
    if read_turbo(scene) == "on":
        return (
            "There is nothing to set: load and heat limit turbo. For a steady clock "
            "turn turbo off."
        )
    return "Check what limits it: power and clock in the BIOS, and the cooling."


def _check_turbo(scene: Scene) -> Finding:
    state = read_turbo(scene)
    if not state:
        return unknown(f"neither {NO_TURBO} nor {BOOST} exists here{_if_guest(scene)}")
    path = NO_TURBO if scene.text(NO_TURBO) else BOOST
    read = f"turbo is {state} ({path} is {scene.text(path)})"
    if state == "off":
        return good(read)
    value = 1 if path == NO_TURBO else 0
    return warn(
        read,
        "If repeatable results matter more than the highest: "
        f"{write_by_hand(value, path)}",
    )


def _check_throttling(scene: Scene) -> Finding:
    now = _cpuinfo_khz(scene)
    if not now:
        return unknown("/proc/cpuinfo has no line 'cpu MHz'")
    nominal = _nominal_khz(scene)
    if not nominal:
        return unknown(
            "the 'model name' in /proc/cpuinfo does not state the clock: "
            f"{scene.cpu_info.get('model name', 'there is none')}"
        )
    clocks = look_under_load(
        scene, now, nominal, read=lambda cpu: _cpuinfo_khz(scene).get(cpu)
    )
    found = clocks.find_slowest(nominal)
    if found is None:
        return _nothing_to_judge(clocks, "cpufreq/base_frequency")
    slowest, ratio = found
    read = (
        f"CPU {slowest} is the slowest under load: {clocks.now[slowest] / 1e3:.0f} "
        f"MHz; its model has {nominal[slowest] / 1e3:.0f} MHz "
        f"(/proc/cpuinfo){clocks.words}"
    )
    if ratio >= 1 - FEW_PERCENT:
        return good(read)
    restraint = find_restraint(scene, slowest)
    if restraint:
        return unknown(f"{read}; it has {restraint}, so heat cannot be judged")
    return bad(read, "Check its cooling and disable what slows idle processors down.")


def _check_throttle_counts(scene: Scene) -> Finding:
    path = f"{CPUS}/cpu*/thermal_throttle/core_throttle_count"
    before, after = scene.before.throttled, scene.after.throttled
    if not after:
        return missing(path, _if_guest(scene))
    remedy = "Check the cooling of the processors, then let them cool down."
    rising = [cpu for cpu in after if after[cpu] > before.get(cpu, after[cpu])]
    counts = tell_each({cpu: f"{count} times" for cpu, count in after.items() if count})
    if rising:
        return bad(f"throttled now, and since boot {counts} ({path})", remedy)
    if counts:
        return warn(f"throttled since boot {counts}, not now ({path})", remedy)
    return good(f"not throttled since boot ({path})")


def _if_guest(scene: Scene) -> str:
    return ": a virtual machine" if scene.is_virtual_machine else ""


def _nothing_to_judge(clocks: Clocks, name: str) -> Finding:
    if clocks.idle:
        return unknown("the slow processors could not be checked under load")
    return unknown(f"{CPUS}/cpu*/{name} does not state the clock to compare with")


def _driver(scene: Scene, cpu: int) -> str:
    return scene.text(of_cpu(cpu, "cpufreq/scaling_driver"))


def _has_performance(scene: Scene, cpu: int) -> bool:
    choices = scene.text(of_cpu(cpu, "cpufreq/scaling_available_governors"))
    return "performance" in choices.split()


def _cpuinfo_khz(scene: Scene) -> dict[int, float]:
    found = _CPU_MHZ.findall(scene.text("/proc/cpuinfo"))
    return {int(cpu): float(mhz) * 1e3 for cpu, mhz in found}


def _nominal_khz(scene: Scene) -> Mapping[int, float]:
    """Return the clock without turbo of each processor, by the kernel or the model."""
    model = model_khz(scene)
    raw = dict.fromkeys(scene.cpus, model) if model else {}
    return {**raw, **read_bases(scene)}


def _most_khz(scene: Scene) -> dict[int, float]:
    """Return the highest allowed clock of each processor now."""
    most: dict[int, float] = {**read_khz(scene, "cpuinfo_max_freq")}
    if read_turbo(scene) != "off":
        return most
    # A limit that somebody set is not a better measure than the processor's own clocks.
    limits = {
        **read_khz(scene, "scaling_max_freq"),
        **read_khz(scene, "bios_limit"),
        **_nominal_khz(scene),
    }
    return {cpu: min(khz, limits.get(cpu, khz)) for cpu, khz in most.items()}


GOVERNOR = Check(
    check_id="cpu_freq_scaling",
    title="CPU frequency scaling",
    why="A processor that changes its clock with the load takes a varying time for the "
    "same IO, above all at low queue depths.",
    source=guide("2.1.1"),
    look=_check_governor,
    settings=_governors_to_set,
)
CLOCK = Check(
    check_id="cpu_freq_fixed_max",
    title="CPU clock against its maximum",
    why="Below its highest clock the host takes longer for each IO and may limit the "
    "IOPS.",
    source=guide("2.1.2"),
    look=_check_clock,
)
TURBO = Check(
    check_id="cpu_turbo",
    title="Turbo clock",
    why="Turbo lasts as long as heat and load permit: two runs may have two clocks.",
    look=_check_turbo,
)
THROTTLED = Check(
    check_id="cpu_throttled",
    title="CPU clock against its model",
    why="A processor below the clock of its model was slowed down by heat or by power "
    "saving.",
    source=guide("7"),
    look=_check_throttling,
)
THROTTLE_COUNTS = Check(
    check_id="cpu_throttle_counts",
    title="CPU thermal throttling",
    why="A throttled processor takes longer for each IO, for as long as it is hot.",
    look=_check_throttle_counts,
)
