"""How fast the processors run."""

from pathlib import Path

import pytest

from ssdlab.host.checks import find_settings
from tests.host.made_host import CPUS, Case, cpu_info, make_scene, require_found


def each(name: str, text: str | None) -> dict[str, str | None]:
    return {f"{CPUS}/cpu{cpu}/{name}": text for cpu in (0, 1)}


PREFERENCE = "cpufreq/energy_performance_preference"
INTEL = each("cpufreq/scaling_governor", "powersave") | each(
    "cpufreq/scaling_driver", "intel_pstate"
)
CASES = (
    Case(
        check="cpu_freq_scaling",
        verdict="good",
        says="performance on CPUs 0-1",
    ),
    Case(
        check="cpu_freq_scaling",
        verdict="bad",
        says="performance on CPU 0, ondemand on CPU 1",
        files={f"{CPUS}/cpu1/cpufreq/scaling_governor": "ondemand"},
    ),
    Case(
        check="cpu_freq_scaling",
        verdict="warn",
        says="the driver is intel_pstate with energy_performance_preference "
        "balance_performance on CPUs 0-1",
        files=INTEL | each(PREFERENCE, "balance_performance"),
    ),
    Case(  # the guide excludes intel_pstate
        check="cpu_freq_scaling",
        verdict="good",
        says="powersave on CPUs 0-1",
        files=INTEL,
    ),
    Case(
        check="cpu_freq_scaling",
        verdict="warn",
        says="energy_performance_preference unknown",
        files=INTEL | each(PREFERENCE, None),
    ),
    Case(
        check="cpu_freq_scaling",
        verdict="unknown",
        says="the firmware sets it",
        files=each("cpufreq/scaling_governor", None),
    ),
    Case(
        check="cpu_freq_scaling",
        verdict="unknown",
        says="a virtual machine",
        files={
            **each("cpufreq/scaling_governor", None),
            "proc/cpuinfo": cpu_info(flags="hypervisor"),
        },
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="good",
        says="2.50 GHz of 2.50 GHz",
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="bad",
        says="CPU 1 is the slowest under load: 1.20 GHz of 2.50 GHz",
        files={f"{CPUS}/cpu1/cpufreq/scaling_cur_freq": "1200000"},
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="warn",
        says="its base clock is 2.50 GHz",
        files={
            **each("cpufreq/cpuinfo_max_freq", "3900000"),
            **each("cpufreq/base_frequency", "2500000"),
            f"{CPUS}/intel_pstate/no_turbo": "0",
        },
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="good",
        says="2.50 GHz of 2.50 GHz",
        files=each("cpufreq/cpuinfo_max_freq", "3900000")
        | each("cpufreq/base_frequency", "2500000"),
    ),
    Case(
        check="cpu_freq_fixed_max",
        verdict="unknown",
        says="does not exist",
        files=each("cpufreq/scaling_cur_freq", None),
    ),
    Case(check="cpu_turbo", verdict="good", says="turbo is off"),
    Case(
        check="cpu_turbo",
        verdict="warn",
        says="no_turbo is 0",
        files={f"{CPUS}/intel_pstate/no_turbo": "0"},
    ),
    Case(
        check="cpu_turbo",
        verdict="warn",
        says="cpufreq/boost is 1",
        files={f"{CPUS}/intel_pstate/no_turbo": None, f"{CPUS}/cpufreq/boost": "1"},
    ),
    Case(
        check="cpu_turbo",
        verdict="unknown",
        says="neither",
        files={f"{CPUS}/intel_pstate/no_turbo": None},
    ),
    Case(check="cpu_throttled", verdict="good", says="2500 MHz; its model has 2500"),
    Case(  # the example of the guide, section 7
        check="cpu_throttled",
        verdict="bad",
        says="1000 MHz; its model has 2660 MHz",
        files={"proc/cpuinfo": cpu_info(model="X5650 @ 2.66GHz", mhz=1000.382)},
    ),
    Case(
        check="cpu_throttled",
        verdict="unknown",
        says="does not state the clock: AMD EPYC",
        files={"proc/cpuinfo": cpu_info(model="AMD EPYC")},
    ),
    Case(check="cpu_throttle_counts", verdict="good", says="not throttled since boot"),
    Case(
        check="cpu_throttle_counts",
        verdict="warn",
        says="since boot 7 times on CPU 1, not now",
        files={f"{CPUS}/cpu1/thermal_throttle/core_throttle_count": "7"},
    ),
    Case(
        check="cpu_throttle_counts",
        verdict="bad",
        says="throttled now",
        later={f"{CPUS}/cpu1/thermal_throttle/core_throttle_count": "2"},
    ),
    Case(
        check="cpu_throttle_counts",
        verdict="unknown",
        says="does not exist",
        files=each("thermal_throttle/core_throttle_count", None),
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_clock_is_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)


def test_only_a_governor_that_is_there_can_be_set(tmp_path: Path) -> None:
    wrong = each("cpufreq/scaling_governor", "powersave")
    none = each("cpufreq/scaling_available_governors", "powersave")
    bad = Case(check="cpu_freq_scaling", verdict="bad", says="powersave", files=wrong)
    assert require_found(tmp_path / "a", bad).is_appliable
    bad = Case(
        check="cpu_freq_scaling", verdict="bad", says="powersave", files=wrong | none
    )
    assert not require_found(tmp_path / "b", bad).is_appliable


def test_preference_is_kept_with_the_governor_that_forces_it(tmp_path: Path) -> None:
    case = Case(
        check="cpu_freq_scaling",
        verdict="warn",
        says="",
        files=INTEL | each(PREFERENCE, "balance_power"),
    )
    wanted = find_settings(make_scene(tmp_path, case), "cpu_freq_scaling")
    assert [(setting.path.rpartition("/")[2], setting.value) for setting in wanted] == [
        ("energy_performance_preference", None),
        ("scaling_governor", "performance"),
    ] * 2
