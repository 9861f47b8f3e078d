"""A Slurm of three hosts on this machine, in a folder of its own."""

import os
import random
import shutil
import signal
import socket
import subprocess
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

HOSTS = ("lab1", "lab2", "lab3")
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scontrol")
_FOLDERS = "/usr/local/sbin:/usr/sbin:/sbin"
_PATIENCE_S = 60.0
_PORTS = range(20_000, 32_000)
CONF = """\
ClusterName=ssdlab
SlurmctldHost={machine}(127.0.0.1)
SlurmctldPort={port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge/socket
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool/%n
SlurmctldPidFile={place}/run/ctld.pid
SlurmdPidFile={place}/run/%n.pid
SlurmctldLogFile={place}/log/ctld.log
SlurmdLogFile={place}/log/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
SlurmdTimeout={slurmd_timeout_s}
SlurmctldTimeout=20
InactiveLimit=0
KillWait=60
MinJobAge=60
BatchStartTimeout=30
JobRequeue=1
RequeueExit=75
SchedulerType=sched/backfill
SchedulerParameters=sched_interval=5,bf_interval=5
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
PriorityType=priority/basic
PartitionName=ssd Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def free_port() -> int:
    """Return a port of the loopback that nobody uses.

    It is none of those that the kernel gives to clients: one of them could hold it when
    a daemon that was killed is started again.
    """
    for port in random.sample(_PORTS, k=100):
        with socket.socket() as one, suppress(OSError):
            one.bind(("127.0.0.1", port))
            return port
    msg = "no port of the loopback is free"
    raise OSError(msg)


def is_served(port: int) -> bool:
    """Return whether somebody answers at a port of the loopback."""
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


def find(program: str) -> str | None:
    return shutil.which(program, path=f"{os.environ['PATH']}:{_FOLDERS}")


def require_slurm() -> None:
    """Skip the test where Slurm cannot be run."""
    missing = [name for name in PROGRAMS if find(name) is None]
    if missing:
        pytest.skip(f"Slurm is not installed here: no {missing[0]}")
    if os.geteuid():
        pytest.skip("slurmd must be started by root")


@dataclass
class SlurmLab:
    """Its daemons: munged, slurmctld and a slurmd for each host."""

    place: Path
    licences: tuple[str, ...]
    slurmd_timeout_s: int = 20

    def set_up(self) -> "SlurmLab":
        for name in ("munge", "state", "spool", "run", "log"):
            (self.place / name).mkdir(parents=True)
        (self.place / "munge").chmod(0o755)
        key = self.place / "munge" / "key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        conf = CONF.format(
            machine=socket.gethostname(), place=self.place, port=free_port(),
            slurmd_timeout_s=self.slurmd_timeout_s,
        )  # fmt: skip
        for host in HOSTS:
            conf += (
                f"NodeName={host} NodeHostname={socket.gethostname()} "
                f"NodeAddr=127.0.0.1 Port={free_port()} CPUs=8 State=UNKNOWN\n"
            )
        conf += f"Licenses={','.join(f'{one}:1' for one in self.licences)}\n"
        self.conf.write_text(conf)
        self._start_munged()
        for daemon in ("ctld", *HOSTS):
            self.start(daemon)
        self.call("scontrol", "update", "nodename=lab[1-3]", "state=resume")
        self.wait(lambda: self.call("sinfo", "-h", "-t", "idle", "-o", "%D") == "3")
        return self

    def _start_munged(self) -> None:
        munge = self.place / "munge"
        self._run(
            "munged", "--force", f"--socket={munge}/socket",
            f"--key-file={munge}/key", f"--pid-file={munge}/pid",
            f"--log-file={munge}/log", f"--seed-file={munge}/seed",
        )  # fmt: skip

    @property
    def conf(self) -> Path:
        return self.place / "slurm.conf"

    @property
    def environment(self) -> dict[str, str]:
        return {
            **os.environ,
            "SLURM_CONF": str(self.conf),
            "PATH": f"{os.environ['PATH']}:{_FOLDERS}",
        }

    def _run(self, *words: str) -> "subprocess.CompletedProcess[str]":
        program = find(words[0]) or words[0]
        return subprocess.run(
            [program, *words[1:]], env=self.environment, text=True,
            capture_output=True, timeout=60, check=False,
        )  # fmt: skip

    def call(self, *words: str) -> str:
        return self._run(*words).stdout.strip()

    def start(self, daemon: str) -> None:
        """Start slurmctld or the slurmd of a host, which become daemons."""
        words = ("slurmctld",) if daemon == "ctld" else ("slurmd", "-N", daemon)
        began = self._run(*words)
        assert not began.returncode, began.stderr

    def start_what_ended(self) -> None:
        """Start the daemons that a test which failed left killed."""
        for daemon in ("ctld", *HOSTS):
            try:
                os.kill(self.process_of(daemon), 0)
            except ProcessLookupError:
                self.start(daemon)
        self.wait(lambda: not self._run("scontrol", "ping").returncode)

    def process_of(self, daemon: str) -> int:
        return int((self.place / "run" / f"{daemon}.pid").read_text())

    def kill(self, daemon: str) -> None:
        os.kill(self.process_of(daemon), signal.SIGKILL)

    def is_down(self, host: str) -> bool:
        """Whether the controller holds a host for dead: SlurmdTimeout, or later."""
        return "down" in self.call("sinfo", "-h", "-n", host, "-o", "%T")

    @staticmethod
    def wait(is_so: Callable[[], bool], patience_s: float = _PATIENCE_S) -> None:
        until = time.monotonic() + patience_s
        while not is_so():
            assert time.monotonic() < until, "it did not come to that"
            time.sleep(0.2)

    def tear_down(self) -> None:
        self.call("scancel", "--full", "--user=root")
        time.sleep(1)
        for daemon in (*HOSTS, "ctld"):
            with suppress(OSError, ValueError):
                os.kill(self.process_of(daemon), signal.SIGTERM)
        with suppress(OSError, ValueError):
            pid = int((self.place / "munge" / "pid").read_text())
            os.kill(pid, signal.SIGTERM)
