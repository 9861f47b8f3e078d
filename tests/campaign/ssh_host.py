"""An sshd of its own on the loopback, for the engine ssh."""

import getpass
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.campaign.slurm_lab import SlurmLab, find, free_port, is_served

_SERVER = """\
Port {port}
ListenAddress 127.0.0.1
HostKey {place}/host_key
AuthorizedKeysFile {place}/key.pub
PidFile {place}/pid
StrictModes no
UsePAM no
PasswordAuthentication no
"""
_CLIENT = """\
Host *
  HostName 127.0.0.1
  Port {port}
  User {user}
  IdentityFile {place}/key
  IdentitiesOnly yes
  StrictHostKeyChecking no
  UserKnownHostsFile /dev/null
  LogLevel ERROR
"""


def require_ssh() -> None:
    """Skip the test where there is no sshd, or no rsync."""
    for program in ("sshd", "ssh", "ssh-keygen", "rsync"):
        if find(program) is None:
            pytest.skip(f"{program} is not installed here")


@dataclass
class SshHost:
    """It answers to every name, and is this machine."""

    place: Path

    def set_up(self) -> "subprocess.Popen[bytes]":
        self.place.mkdir()
        for name in ("host_key", "key"):
            key = ["-t", "ed25519", "-N", "", "-f", str(self.place / name)]
            subprocess.run(["ssh-keygen", "-q", *key], check=True)
        port = free_port()
        facts = {"port": port, "place": self.place, "user": getpass.getuser()}
        (self.place / "sshd_config").write_text(_SERVER.format(**facts))
        self.client.write_text(_CLIENT.format(**facts))
        Path("/run/sshd").mkdir(exist_ok=True)
        server = subprocess.Popen(
            [find("sshd") or "sshd", "-D", "-f", self.place / "sshd_config"],
            stderr=subprocess.DEVNULL,
        )
        SlurmLab.wait(lambda: is_served(port))
        return server

    @property
    def client(self) -> Path:
        return self.place / "ssh_config"
