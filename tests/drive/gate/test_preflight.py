"""The first look at a drive: it refuses early, holds nothing and writes nothing."""

import os
import subprocess
from pathlib import Path

import pytest

from ssdlab.drive.gate.preflight import check_disposable, find_obstacles
from ssdlab.drive.inventory import find_drive
from ssdlab.drive.safety import require_disposable
from ssdlab.model.errors import ConsentError, DriveInUseError, PrivilegeError
from tests.drive.users import wholly_as_nobody
from tests.targets.conftest import MakeLoop, make_loop

__all__ = ["make_loop"]


def test_free_drive_passes_and_is_not_held(make_loop: MakeLoop) -> None:
    drive = find_drive(make_loop(512))
    check_disposable(drive, drive.serial)
    with require_disposable(drive, confirmed=drive.serial, named=drive.path):
        check_disposable(drive, drive.serial)  # and it claims nothing to find out


@pytest.mark.parametrize("confirmed", ["", "another"])
def test_drive_without_consent_is_refused(make_loop: MakeLoop, confirmed: str) -> None:
    drive = find_drive(make_loop(512))
    with pytest.raises(ConsentError, match="all data on it will be destroyed"):
        check_disposable(drive, confirmed)


def test_drive_with_data_is_refused(make_loop: MakeLoop) -> None:
    drive = find_drive(make_loop(512))
    subprocess.run(["mkfs.ext4", "-q", drive.path], check=True)
    with pytest.raises(DriveInUseError, match="ext4"):
        check_disposable(drive, drive.serial)


def test_user_who_may_read_but_not_write_is_told_so(
    make_loop: MakeLoop, tmp_path: Path
) -> None:
    drive = find_drive(make_loop(512))
    node = Path(drive.path)
    mode = node.stat().st_mode & 0o777
    node.chmod(mode | 0o044)
    try:
        with wholly_as_nobody(tmp_path):
            os.close(os.open(node, os.O_RDONLY))
            (use,) = find_obstacles(drive)
            with pytest.raises(PrivilegeError):
                check_disposable(drive, drive.serial)
    finally:
        node.chmod(mode)
    assert use.kind == "read-only"
    assert use.reason.startswith(f"this user may not write to {node}: the user nobody")
    assert use.remedy
    assert find_obstacles(drive) == ()
