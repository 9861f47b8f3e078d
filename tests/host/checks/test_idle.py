"""How deep the processors sleep."""

from pathlib import Path

import pytest

from ssdlab.host.programs import Said
from tests.host.made_host import CPUS, Case, cpu_info, require_found

TOOL = "x86_energy_perf_policy -r"
STATE = f"{CPUS}/cpu1/cpuidle/state1"
WITHOUT_STATES = {
    f"{CPUS}/cpu{cpu}/cpuidle/state{state}/{name}": None
    for cpu in (0, 1)
    for state in (0, 1)
    for name in ("latency",)
}
PREFERENCE = "cpufreq/energy_performance_preference"
BIASED: dict[str, str | None] = {
    f"{CPUS}/cpu{cpu}/{PREFERENCE}": None for cpu in (0, 1)
}
WITHOUT_BIAS = {
    **BIASED,
    **{f"{CPUS}/cpu{cpu}/power/energy_perf_bias": None for cpu in (0, 1)},
}
GUEST = {"proc/cpuinfo": cpu_info(flags="hypervisor")}

TOLERANCE = "sys/class/nvme/nvme0/power/pm_qos_latency_tolerance_us"

CASES = (
    Case(check="nvme_power_states", verdict="good", says="the drive stays awake"),
    Case(
        check="nvme_power_states",
        verdict="warn",
        says="states that take up to 100000 µs to leave",  # noqa: RUF001 - the SI prefix
        files={TOLERANCE: "100000"},
    ),
    Case(
        check="nvme_power_states",
        verdict="unknown",
        says=f"/{TOLERANCE} does not exist here",
        files={TOLERANCE: None},
    ),
    Case(check="cpu_cstates", verdict="good", says="no state that takes over 10"),
    Case(
        check="cpu_cstates",
        verdict="bad",
        says="C6 (133 µs) on CPU 1",  # noqa: RUF001 - the SI prefix
        files={f"{STATE}/disable": "0"},
    ),
    Case(
        check="cpu_cstates",
        verdict="good",
        says="idle=poll (/proc/cmdline)",
        files={f"{STATE}/disable": "0", "proc/cmdline": "ro idle=poll"},
    ),
    Case(
        check="cpu_cstates",
        verdict="unknown",
        says="the idle states of its host are not visible",
        files=GUEST,
    ),
    Case(
        check="cpu_cstates",
        verdict="good",
        says="idle=poll (/proc/cmdline)",
        files={**GUEST, "proc/cmdline": "ro idle=poll"},
    ),
    Case(
        check="cpu_cstates",
        verdict="bad",
        says="C6 (133",
        files={**GUEST, f"{STATE}/disable": "0"},
    ),
    Case(
        check="cpu_cstates",
        verdict="unknown",
        says="does not exist",
        files=WITHOUT_STATES,
    ),
    Case(
        check="energy_perf_policy",
        verdict="good",
        says="performance on CPUs 0-1",
        files=BIASED,
    ),
    Case(  # its bias is 6, and nothing heeds it
        check="energy_perf_policy",
        verdict="unknown",
        says="does not apply: the processors use cpufreq/energy_performance_prefer",
        files={f"{CPUS}/cpu1/power/energy_perf_bias": "6"},
    ),
    Case(
        check="energy_perf_policy",
        verdict="bad",
        says="normal on CPU 1 (",
        files={
            **{f"{CPUS}/cpu{cpu}/power/energy_perf_bias": "6" for cpu in (0, 1)},
            f"{CPUS}/cpu1/{PREFERENCE}": None,
        },
    ),
    Case(
        check="energy_perf_policy",
        verdict="bad",
        says="performance on CPU 0, normal on CPU 1",
        files={**BIASED, f"{CPUS}/cpu1/power/energy_perf_bias": "6"},
    ),
    Case(
        check="energy_perf_policy",
        verdict="bad",
        files=BIASED,
        says="balance-power on CPU 1 (x86_energy_perf_policy -r)",
        answers={
            TOOL: Said(
                exit_code=0,
                text="cpu0: EPB 0\ncpu0: HWP_REQ: min 8 max 39 epp 0\ncpu1: EPB 8",
            )
        },
    ),
    Case(
        check="energy_perf_policy",
        verdict="good",
        files=BIASED,
        says="performance on CPU 0 (x86_energy_perf_policy -r)",
        answers={TOOL: Said(exit_code=0, text="cpu0: 0x0000000000000000")},
    ),
    Case(
        check="energy_perf_policy",
        verdict="unknown",
        says="is not installed",
        files=WITHOUT_BIAS,
    ),
    Case(
        check="energy_perf_policy",
        verdict="unknown",
        says="says: no /dev/cpu/0/msr",
        files=WITHOUT_BIAS,
        answers={TOOL: Said(exit_code=1, text="no /dev/cpu/0/msr")},
    ),
    Case(
        check="energy_performance_preference",
        verdict="good",
        says="performance on CPUs 0-1",
    ),
    Case(
        check="energy_performance_preference",
        verdict="warn",
        says="balance_performance on CPU 1",
        files={f"{CPUS}/cpu1/{PREFERENCE}": "balance_performance"},
    ),
    Case(
        check="energy_performance_preference",
        verdict="bad",
        says="power on CPU 1",
        files={f"{CPUS}/cpu1/{PREFERENCE}": "power"},
    ),
    Case(
        check="energy_performance_preference",
        verdict="unknown",
        says="does not exist",
        files={f"{CPUS}/cpu{cpu}/{PREFERENCE}": None for cpu in (0, 1)},
    ),
)


@pytest.mark.parametrize("case", CASES, ids=str)
def test_sleep_and_energy_are_judged_by_what_is_read(case: Case, host: Path) -> None:
    require_found(host, case)


@pytest.mark.parametrize(
    ("held_us", "verdict"), [(0, "good"), (10, "good"), (2_000_000_000, "bad")]
)
def test_deep_states_do_no_harm_while_a_process_holds_the_latency(
    held_us: int, verdict: str, tmp_path: Path
) -> None:
    (tmp_path / "dev").mkdir()
    held = held_us.to_bytes(4, "little", signed=True)
    (tmp_path / "dev/cpu_dma_latency").write_bytes(held)
    case = Case(
        check="cpu_cstates",
        verdict=verdict,
        says=f"{held_us} µs",  # noqa: RUF001 - the SI prefix
        files={f"{STATE}/disable": "0"},
    )
    require_found(tmp_path, case)
