"""The clocks of the processors, as the kernel reports them."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from operator import itemgetter

from ssdlab.host.checks.scene import CPUS, Scene

FEW_PERCENT = 0.05  # "within a few percent": the guide, section 7
NO_TURBO = f"{CPUS}/intel_pstate/no_turbo"
BOOST = f"{CPUS}/cpufreq/boost"
GOVERNOR = "cpufreq/scaling_governor"
PREFERENCE = "cpufreq/energy_performance_preference"
# Drivers whose "powersave" is not a fixed lowest clock.
SELF_SCALING = ("intel_pstate", "amd-pstate-epp")
_MOST_LOADED = 4  # processors that are kept busy, one after the other


@dataclass(frozen=True, kw_only=True, slots=True)
class Clocks:
    """The clocks by which processors are judged, all in the same unit.

    ``idle`` are the slow ones that could not be read under load.
    """

    now: Mapping[int, float]
    idle: tuple[int, ...]

    @property
    def words(self) -> str:
        """Words about those that were not judged."""
        count = len(self.idle)
        each = "one more is idle" if count == 1 else f"{count} more are idle"
        was = "was" if count == 1 else "were"
        return f"; {each} below it and {was} not checked under load" if count else ""

    def find_slowest(self, wanted: Mapping[int, float]) -> tuple[int, float] | None:
        """Return the processor furthest below its wanted clock, and the ratio."""
        ratios = {
            cpu: clock / wanted[cpu]
            for cpu, clock in self.now.items()
            if wanted.get(cpu)
        }
        return min(ratios.items(), key=itemgetter(1), default=None)


def of_cpu(cpu: int, name: str) -> str:
    """Return the path of a file of a processor."""
    return f"{CPUS}/cpu{cpu}/{name}"


def read_khz(scene: Scene, name: str) -> dict[int, int]:
    """Return a clock of each processor that reports it [kHz]."""
    raw = scene.each_cpu(f"cpufreq/{name}")
    return {cpu: int(text) for cpu, text in raw.items() if text.isdecimal()}


def read_turbo(scene: Scene) -> str:
    """Return whether turbo is on; "" if unknown."""
    words = {"0": "on", "1": "off"}
    intel = words.get(scene.text(NO_TURBO), "")
    return intel or {"1": "on", "0": "off"}.get(scene.text(BOOST), "")


def read_bases(scene: Scene) -> dict[int, float]:
    """Return the clock without turbo of each processor that reports it [kHz]."""
    found: dict[int, float] = {}
    for cpu in scene.cpus:
        base = _base_khz(scene, cpu)
        if base:
            found[cpu] = base
    return found


def model_khz(scene: Scene) -> float | None:
    """Return the clock in the model name, if it is there [kHz]."""
    name = scene.cpu_info.get("model name", "")
    found = re.search(r"@\s*([\d.]+)\s*GHz", name)
    return float(found.group(1)) * 1e6 if found else None


def find_restraint(scene: Scene, cpu: int) -> str:
    """Return the setting that lets a processor run slower than it could, or ""."""
    governor = scene.text(of_cpu(cpu, GOVERNOR))
    if governor in {"", "performance"}:
        return ""
    preference = scene.text(of_cpu(cpu, PREFERENCE))
    if scales_itself(scene, cpu):
        if preference in {"performance", "0"}:
            return ""
        return f"governor {governor} with preference {preference or 'unknown'}"
    return f"governor {governor}"


def scales_itself(scene: Scene, cpu: int) -> bool:
    """Tell whether the governor powersave is not a fixed lowest clock here."""
    return scene.text(of_cpu(cpu, "cpufreq/scaling_driver")) in SELF_SCALING


def look_under_load(
    scene: Scene,
    now: Mapping[int, float],
    wanted: Mapping[int, float],
    *,
    read: Callable[[int], float | None],
) -> Clocks:
    """Read the clocks of the slow processors again while each of them works.

    An idle processor may clock down, which is irrelevant for a measurement.
    """
    slow = sorted(
        (cpu for cpu in now if now[cpu] < wanted.get(cpu, 0) * (1 - FEW_PERCENT)),
        key=lambda cpu: now[cpu],
    )
    tried = [cpu for cpu in slow if cpu in scene.allowed][:_MOST_LOADED]
    seen = {cpu: scene.busy(cpu, partial(read, cpu)) for cpu in tried}
    loaded = {cpu: clock for cpu, clock in seen.items() if clock is not None}
    fast = {cpu: clock for cpu, clock in now.items() if cpu not in slow}
    idle = tuple(sorted(set(slow) - set(loaded)))
    return Clocks(now={**fast, **loaded}, idle=idle)


def _base_khz(scene: Scene, cpu: int) -> float | None:
    base = scene.number(of_cpu(cpu, "cpufreq/base_frequency"))
    if base:
        return base
    nominal_mhz = scene.number(of_cpu(cpu, "acpi_cppc/nominal_freq"))
    if nominal_mhz:
        return nominal_mhz * 1000.0
    if scene.text(of_cpu(cpu, "cpufreq/scaling_driver")) != "acpi-cpufreq":
        return None
    steps = scene.text(of_cpu(cpu, "cpufreq/scaling_available_frequencies")).split()
    return max((int(step) for step in steps if step.isdecimal()), default=None)
