"""What a user without root's rights may do, and which one command gives what lacks.

The commands are taken from what ssdlab says, carried out by root, and tried.
"""

import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from ssdlab.pts.profile_file import render_profile
from ssdlab.pts.shared.settings import Flow
from tests.paths import ROOT
from tests.vm.conftest import Boot, Disk
from tests.vm.devices import MIB, image_sha256, nvme, on_image
from tests.vm.guest import Guest
from tests.vm.link import Answer
from tests.vm.runs import BEGIN, SERIAL, SHORT, warm

USER = "tester"
SUDO_LOG = "/var/log/sudo.log"
AS_USER = f"""
import os, pwd
entry = pwd.getpwnam({USER!r})
os.initgroups({USER!r}, entry.pw_gid)
os.setgid(entry.pw_gid)
os.setuid(entry.pw_uid)
os.environ["HOME"] = entry.pw_dir
os.chdir(entry.pw_dir)
"""
SUDOERS = """
from ssdlab.drive.tools import sudoers_command
print(sudoers_command(["nvme"]))
"""


@pytest.fixture(scope="module")
def guest(boot: Boot, disk: Disk) -> Guest:
    guest = boot(nvme("nv0", on_image(disk("n")), serial=SERIAL), memory_mib=1536)
    guest.open_python()
    guest.check("hostname localhost; ln -sf /proc/self/fd/0 /dev/stdin")
    return guest


@pytest.fixture(autouse=True)
def stranger(guest: Guest) -> Iterator[None]:
    """Make a user who may do nothing yet, and data that is not to be lost."""
    guest.check(f"useradd --create-home {USER}")
    guest.check(f"dd if=/dev/urandom of={node(guest)} bs=1M count=4 oflag=direct")
    guest.check("sync; udevadm settle")
    yield
    guest.check(f"rm -f /etc/sudoers.d/[ls]*; userdel --remove {USER} 2>/dev/null")
    guest.check(f"setfacl --remove-all {node(guest)}")
    guest.check(f"chgrp disk {node(guest)} && chmod 660 {node(guest)}")


def node(guest: Guest) -> str:
    return guest.nodes(SERIAL)[0]


def as_user(guest: Guest, *words: str) -> Answer:
    """Log in anew, and run ssdlab."""
    setting = f"PYTHONPATH={ROOT} PYTHONDONTWRITEBYTECODE=1"
    command = shlex.join((sys.executable, "-m", "ssdlab.cli", *words))
    return guest.run(f"cd / && runuser -u {USER} -- env {setting} {command}")


def purge(guest: Guest, *more: str) -> Answer:
    return as_user(guest, "purge", node(guest), "--confirm", SERIAL, *more)


def own_row(guest: Guest) -> dict[str, Any]:
    """Return what ``ssdlab devices`` tells the user of the drive."""
    rows = json.loads(as_user(guest, "devices", "--json").stdout)
    (row,) = [row for row in rows if row["serial"] == SERIAL]
    found: dict[str, Any] = row
    return found


def refused_purge(guest: Guest, image: Path) -> str:
    """Let the user purge, which must be refused in one line with nothing written."""
    before = image_sha256(image)
    answer = purge(guest)
    assert answer.exit_code == 2, answer.output
    assert answer.stdout == ""
    assert len(answer.stderr.splitlines()) == 1
    assert image_sha256(image) == before
    return answer.stderr


def the_command(said: str, *, begins: str) -> str:
    """Return the one command that a message names."""
    (found,) = re.findall(rf"({re.escape(begins)}.*?)\.?$", said, re.MULTILINE)
    return str(found)


def is_zeros(image: Path) -> bool:
    with image.open("rb") as file:
        return not any(any(piece) for piece in iter(lambda: file.read(MIB), b""))


def test_devices_shows_what_any_user_may_know_and_says_what_not(guest: Guest) -> None:
    answer = as_user(guest, "devices")
    assert answer.exit_code == 0, answer.output
    assert f"serial number {SERIAL}" in answer.stdout
    assert "write cache unknown" in answer.stdout
    assert "unknown whether it can be tested:" in answer.stdout
    words = " ".join(answer.stdout.split())
    assert f"sudo usermod --append --groups disk {USER}" in words
    drive = own_row(guest)
    assert drive["can_be_tested"] is None
    assert drive["write_cache"] is None
    assert drive["health"]["wear_percent"] is None
    assert drive["health_trouble"]


def test_command_to_join_the_group_lets_the_user_purge_by_discard(
    guest: Guest, disk: Disk
) -> None:
    said = refused_purge(guest, disk("n"))
    assert f"the user {USER} is not in the group disk, which owns it" in said
    guest.check(the_command(said, begins="sudo usermod"))
    answer = purge(guest)
    assert answer.exit_code == 0, answer.output
    assert "\ndiscard: " in answer.stdout
    assert "open files this user may not see" in answer.stdout
    assert "NVMe format" in answer.stdout  # passed over, and why
    guest.check("sync")
    assert is_zeros(disk("n"))


def test_command_for_one_drive_alone_lets_the_user_purge_it(
    guest: Guest, disk: Disk
) -> None:
    guest.check(f"chgrp root {node(guest)}")
    said = refused_purge(guest, disk("n"))
    assert f"the user {USER} may not read and write it; only root may" in said
    guest.check(the_command(said, begins="sudo setfacl"))
    answer = purge(guest)
    assert answer.exit_code == 0, answer.output
    assert "\ndiscard: " in answer.stdout
    assert "open files this user may not see" in answer.stdout
    guest.check("sync")
    assert is_zeros(disk("n"))


def test_sudo_for_nvme_lets_the_user_format_and_nothing_else_is_run_as_root(
    guest: Guest, disk: Disk
) -> None:
    guest.check(f"usermod --append --groups disk {USER}")
    listed = as_user(guest, "purge", node(guest), "--list").stdout
    (line,) = [line for line in listed.splitlines() if "nvme-format-user" in line]
    assert f"the user {USER} may not run nvme as root" in line
    guest.check(the_command(line, begins="echo "))
    guest.check(f"echo 'Defaults logfile={SUDO_LOG}' > /etc/sudoers.d/log")
    guest.check("chmod 440 /etc/sudoers.d/log")
    guest.check("visudo --check --quiet")
    answer = purge(guest)
    assert answer.exit_code == 0, answer.output
    assert "\nnvme-format-user-data: " in answer.stdout
    assert "nvme format" in answer.stdout
    guest.check("sync")
    assert is_zeros(disk("n"))
    drive = own_row(guest)
    assert drive["write_cache"] == "enabled"
    assert drive["health"]["wear_percent"] == 0
    assert drive["health"]["temperature_celsius"] == 50
    assert drive["health_trouble"] == ""
    log = guest.check(f"cat {SUDO_LOG}; rm {SUDO_LOG}").stdout
    programs = re.findall(r"COMMAND=(?:list )?(\S+)", log.replace("\n    ", " "))
    assert set(programs) == {guest.check("command -v nvme").stdout.strip()}
    assert guest.run(f"runuser -u {USER} -- sudo -n id").exit_code == 1


def test_user_runs_a_suite_without_being_root(guest: Guest) -> None:
    """With the group and sudo for nvme; all but nvme runs as the user."""
    warm(guest)
    guest.check(f"usermod --append --groups disk {USER}")
    guest.check(guest.check_python(AS_USER + SUDOERS).stdout)
    (guest.shared / "short.toml").write_text(render_profile(SHORT), "utf-8")
    choices = f"run_folder='run', confirm_serial={SERIAL!r}"
    call = f"run_suite({node(guest)!r}, '/job/short.toml', 'wsat', {choices})"
    job = guest.start_python(AS_USER + BEGIN.format(call=call))
    owners = "until ps -o user= -C fio; do sleep 0.1; done"
    assert set(guest.check(owners).stdout.split()) == {USER}
    answer = job.wait(300)
    assert answer.exit_code == 0, answer.output
    folder = f"/home/{USER}/run"
    record = guest.check(f"cat {folder}/run.json").json()
    assert record["purge_choice"]["method"] == "nvme-format-user-data"
    assert record["write_cache"] == SHORT[Flow].write_cache
    assert guest.check(f"cat {folder}/state.json").json()["status"] == "finished"
    assert guest.check(f"stat -c %U {folder}/run.json").stdout.strip() == USER
