"""How fast the processors run while they work."""

from pathlib import Path

import pytest

from tests.host.checks.test_clock import each
from tests.host.made_host import CPUS, Case, cpu_info, look, require_found

# EPYC of 2.45 GHz that may have 3.5 by turbo, as acpi-cpufreq tells of it.
AMD: dict[str, str | None] = {
    **each("cpufreq/cpuinfo_max_freq", "3500000"),
    **each("cpufreq/scaling_max_freq", "3500000"),
    **each("cpufreq/scaling_cur_freq", "2450000"),
    f"{CPUS}/intel_pstate/no_turbo": None,
    f"{CPUS}/cpufreq/boost": "0",
    "proc/cpuinfo": cpu_info(model="AMD EPYC 7763 64-Core Processor", mhz=2450),
}
BOOSTED = {**AMD, f"{CPUS}/cpufreq/boost": "1"}
IDLE: dict[str, str | None] = {f"{CPUS}/cpu1/cpufreq/scaling_cur_freq": "1000000"}
AWAKE = {f"{CPUS}/cpu1/cpufreq/scaling_cur_freq": "2500000"}
IDLE_INFO = cpu_info().replace("2500.000", "1000.000", 1)  # that of CPU 0

CASES = (
    Case(
        check="cpu_freq_fixed_max",
        verdict="good",
        says="2.45 GHz of 2.45 GHz",
        files={**AMD, **each("cpufreq/bios_limit", "2450000")},
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="good",
        says="2.45 GHz of 2.45 GHz",
        files={**AMD, **each("cpufreq/scaling_max_freq", "2450000")},
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="good",
        says="2.45 GHz of 2.45 GHz",
        files={**AMD, **each("acpi_cppc/nominal_freq", "2450")},
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="good",
        says="2.45 GHz of 2.45 GHz",
        files={
            **AMD,
            **each("cpufreq/scaling_available_frequencies", "2450000 2000000 1500000"),
        },
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="warn",
        says="2.45 GHz of 3.50 GHz",
        files=AMD,
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="warn",
        says="3.20 GHz of 3.50 GHz",
        files={**BOOSTED, **each("cpufreq/scaling_cur_freq", "3200000")},
    ),
    Case(  # a limit that somebody set is not the clock to compare with
        check="cpu_freq_fixed_max",
        verdict="bad",
        says="1.20 GHz of 2.45 GHz",
        files={
            **AMD,
            **each("acpi_cppc/nominal_freq", "2450"),
            **each("cpufreq/scaling_max_freq", "1200000"),
            **each("cpufreq/scaling_cur_freq", "1200000"),
        },
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="good",
        says="CPU 0 is the slowest under load: 2.50 GHz of 2.50 GHz",
        files=IDLE,
        loaded=AWAKE,
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="warn",
        says="it has governor powersave",
        files={**IDLE, **each("cpufreq/scaling_governor", "powersave")},
    ),
    Case(  # nothing may be loaded on CPU 1
        check="cpu_freq_fixed_max",
        verdict="good",
        says="one more is idle below it and was not checked under load",
        files=IDLE,
        allowed=frozenset({0}),
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="unknown",
        says="the slow processors could not be checked under load",
        files=each("cpufreq/scaling_cur_freq", "1000000"),
        allowed=frozenset(),
    ),
    Case(  # the other check says it, and why
        check="cpu_freq_fixed_max",
        verdict="unknown",
        says="see 'CPU clock against its model'",
        files={
            **each("cpufreq/scaling_cur_freq", "1000000"),
            "proc/cpuinfo": cpu_info(mhz=1000),
        },
    ),
    Case(
        check="cpu_throttled",
        verdict="good",
        says="2500 MHz; its model has 2500",
        files={"proc/cpuinfo": IDLE_INFO},
        loaded={"proc/cpuinfo": cpu_info()},
    ),
    Case(
        check="cpu_throttled",
        verdict="bad",
        says="CPU 0 is the slowest under load: 1000 MHz",
        files={"proc/cpuinfo": IDLE_INFO},
    ),
    Case(
        check="cpu_throttled",
        verdict="unknown",
        says="it has governor powersave, so heat cannot be judged",
        files={
            **each("cpufreq/scaling_governor", "powersave"),
            "proc/cpuinfo": IDLE_INFO,
        },
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_clock_is_judged_under_load(case: Case, host: Path) -> None:
    require_found(host, case)


@pytest.mark.parametrize(
    ("files", "words"),
    [
        (BOOSTED | each("cpufreq/scaling_cur_freq", "3200000"), "There is nothing to"),
        (IDLE | each("cpufreq/scaling_governor", "ondemand"), "set -g performance"),
        (
            BOOSTED | each("cpufreq/scaling_max_freq", "2450000"),
            "Raise the limit: sudo cpupower frequency-set -u 3500MHz",
        ),
        (AMD, "Check what limits it: power and clock in the BIOS"),
    ],
    ids=["turbo", "governor", "limit", "unknown"],
)
def test_remedy_for_the_clock_does_not_hold_already(
    files: dict[str, str | None], words: str, tmp_path: Path
) -> None:
    case = Case(check="cpu_freq_fixed_max", verdict="warn", says="", files=files)
    remedy = require_found(tmp_path, case).remedy
    assert words in remedy
    assert ("-g performance" in remedy) is ("-g performance" in words)


@pytest.mark.parametrize("name", ["cpu_freq_fixed_max", "cpu_throttled"])
def test_no_more_than_four_processors_are_kept_busy(name: str, tmp_path: Path) -> None:
    count = 9
    files: dict[str, str | None] = {f"{CPUS}/online": f"0-{count - 1}"}
    info = []
    for cpu in range(count):
        files[f"{CPUS}/cpu{cpu}/cpufreq/scaling_cur_freq"] = "1000000"
        files[f"{CPUS}/cpu{cpu}/cpufreq/cpuinfo_max_freq"] = "2500000"
        info.append(f"processor : {cpu}\nmodel name : X @ 2.50GHz\ncpu MHz : 1000.0\n")
    case = Case(
        check=name,
        verdict="bad",
        says="5 more are idle below it and were not checked under load",
        files={**files, "proc/cpuinfo": "\n".join(info)},
        allowed=frozenset(range(count)),
    )
    found = look(tmp_path, case)
    assert case.says in found.read
