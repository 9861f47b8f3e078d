"""Short runs of a PTS suite in a guest: begun, watched from the host, gone on with."""

import signal
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ssdlab.pts.profile import Profile
from ssdlab.pts.profile_file import render_profile
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.shared.settings import RND_4K_WRITE
from ssdlab.store.records import RunState, read_state
from tests.vm.guest import Guest
from tests.vm.link import Job

SERIAL = "S5H9NS0N"
DEVICE = f"/dev/disk/by-id/nvme-QEMU_NVMe_Ctrl_{SERIAL}"
SHORT = PROFILES["demo"].having(
    name="short",
    cell_s=1,
    max_rounds=6,
    wipc_capacity_multiple=1,
    iops_mixes=(65, 0),
    iops_block_sizes=(4096,),
    iops_tracking=(RND_4K_WRITE,),
    wsat_round_s=1,
    wsat_time_limit_s=12,
    wsat_sample_every_rounds=1,
    histogram_s=1,
)
BEGIN = """
import sys
import ssdlab
try:
    ssdlab.{call}
except ssdlab.SsdlabError as error:
    print(f"{{type(error).__name__}}: {{error}}")
    sys.exit(error.exit_code)
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class RunInGuest:
    """A run whose folder both the guest and the host see."""

    guest: Guest
    job: Job
    folder: Path

    @property
    def steps(self) -> list[str]:
        """The steps that are recorded."""
        return sorted(path.name for path in (self.folder / "steps").glob("[!.]*"))

    @property
    def state(self) -> RunState:
        """How far it says that it is."""
        return read_state(self.folder)

    def wait_for_steps(self, count: int, timeout_s: float = 180) -> None:
        """Wait until so many steps are recorded; the run must go on meanwhile."""
        wait_until(
            lambda: len(self.steps) >= count or not self.job.is_running,
            timeout_s=timeout_s,
        )
        assert self.job.is_running, self.job.output
        assert len(self.steps) >= count

    def end(self, exit_code: int, timeout_s: float = 300) -> str:
        """Wait for its end, which must be with this exit code; return its words."""
        answer = self.job.wait(timeout_s)
        assert answer.exit_code == exit_code, answer.output
        assert "Traceback" not in answer.output, answer.output
        return answer.output

    def interrupt(self) -> None:
        """Press Ctrl-C."""
        self.job.stop(signal.SIGINT)

    def kill(self) -> None:
        """End it, and its fio, as nothing can be heard of."""
        self.job.stop(signal.SIGKILL)
        self.job.wait(30)


def cache_of(guest: Guest) -> str:
    """Return how the write cache stands, by another tool than ours."""
    said = guest.check(f"nvme get-feature {DEVICE} -f 6").stdout
    return "enabled" if "value:0x00000001" in said else "disabled"


def warm(guest: Guest) -> None:
    """Load what a run needs, once: it takes long in a guest."""
    guest.warm(
        "ssdlab.engine.suite",
        "ssdlab.targets",
        "pandas",
        "pyarrow.parquet",
        "rich.table",
    )


def begin(
    guest: Guest,
    *,
    tests: str = "wsat",
    device: str = DEVICE,
    runs: str = "/job",
    profile: Profile = SHORT,
    **choices: object,
) -> RunInGuest:
    """Begin a run with a short profile; what it measures is shared with the host."""
    (guest.shared / "short.toml").write_text(render_profile(profile), "utf-8")
    asked = {
        "runs": "/job",
        "run_folder": f"{runs}/run",
        "confirm_serial": SERIAL,
        "seed": 7,
        **choices,
    }
    words = ", ".join(f"{name}={value!r}" for name, value in asked.items())
    call = f"run_suite({device!r}, '/job/short.toml', {tests!r}, {words})"
    return _start(guest, call)


def resume(
    guest: Guest, run: str = "/job/run", *, confirm_serial: str = ""
) -> RunInGuest:
    """Go on with a run; another boot of a guest has to be told the serial number.

    What is kept of a machine's own runs is gone with the root of the guest.
    """
    return _start(guest, f"resume_run({run!r}, confirm_serial={confirm_serial!r})")


def _start(guest: Guest, call: str) -> RunInGuest:
    job = guest.start_python(BEGIN.format(call=call))
    return RunInGuest(guest=guest, job=job, folder=guest.shared / "run")


def wait_until(condition: Callable[[], bool], *, timeout_s: float) -> None:
    """Wait until a condition holds.

    Raises
    ------
    TimeoutError
        If it does not in time.
    """
    deadline = time.monotonic() + timeout_s
    while not condition():
        if time.monotonic() > deadline:
            text = f"after {timeout_s:g} s it is still not so"
            raise TimeoutError(text)
        time.sleep(0.1)
