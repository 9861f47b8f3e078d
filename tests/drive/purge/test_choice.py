"""Which method is taken, and what is said of it and of those passed over."""

import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from ssdlab.drive.purge import choose_purge, list_purge_options
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import Bus
from ssdlab.model.errors import (
    MissingToolError,
    TargetRefusedError,
    UnknownNameError,
)
from tests.drive.purge.made import (
    NO_ROOT,
    Recorded,
    answer,
    id_ctrl,
    list_ns,
    made_drive,
    sanitize_log,
)
from tests.drive.purge.made_ata import AtaDrive

NVME = {
    "nvme id-ctrl": (0, id_ctrl(), ""),
    "nvme list-ns": (0, list_ns(1), ""),
    "nvme sanitize-log": (0, sanitize_log(0), ""),
}
UNTOLD = (9, "", "Report supported operation codes: Illegal request, Invalid opcode\n")


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Put stand-ins on the PATH for what is looked for there and not called."""
    folder = tmp_path / "installed"
    folder.mkdir()
    of_scsi = ("sg_opcodes", "sg_sanitize", "sg_format", "sg_requests")
    for name in ("nvme", "hdparm", "sudo", *of_scsi):
        (folder / name).touch(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def nothing_installed(command: Sequence[str], *, timeout_s: float) -> Answer:
    raise MissingToolError(
        tool=command[0],
        needed_for=f"{timeout_s}",
        remedy="Install it: apt-get install nvme-cli.",
    )


def test_auto_takes_the_first_that_the_drive_can_do() -> None:
    chosen = choose_purge(made_drive("nvme"), "auto", ask=Recorded(NVME), root=NO_ROOT)
    assert chosen.method == "nvme-format-user-data"
    assert chosen.words == "NVMe format, secure erase of the user data"
    assert chosen.why == (
        "the first method that this drive supports; the drive reports support: OACS "
        "0x10a has bit 1"
    )


def test_auto_says_what_it_passed_over_and_why() -> None:
    drive = AtaDrive(is_frozen=True)
    chosen = choose_purge(made_drive("ata"), "auto", ask=drive, root=NO_ROOT)
    assert chosen.method == "discard"
    assert (
        "Skipped: ATA security erase, ATA enhanced security erase: its security is "
        "frozen" in chosen.why
    )
    assert "no BLOCK_ERASE_EXT" in chosen.why


def test_auto_goes_on_where_a_tool_is_missing() -> None:
    chosen = choose_purge(
        made_drive("nvme"), "auto", ask=nothing_installed, root=NO_ROOT
    )
    assert chosen.method == "discard"
    assert "nvme is not installed. Install it: apt-get install nvme-cli" in chosen.why


@pytest.mark.parametrize(
    ("bus", "tool"), [("nvme", "nvme"), ("ata", "hdparm"), ("scsi", "sg_opcodes")]
)
def test_missing_tool_is_named_for_each_bus(bus: Bus, tool: str) -> None:
    options = list_purge_options(made_drive(bus), ask=nothing_installed, root=NO_ROOT)
    own = [option for option in options if option.method.startswith(f"{bus}-")]
    assert own
    assert all(f"{tool} is not installed" in option.reason for option in own)


def test_auto_without_discard_overwrites() -> None:
    drive = made_drive("virtio", discard_max_bytes=0)
    assert choose_purge(drive, "auto").method == "overwrite"


def test_auto_on_a_read_only_drive_purges_nothing() -> None:
    drive = made_drive("virtio", is_read_only=True)
    chosen = choose_purge(drive, "auto")
    assert chosen.method == "none"
    assert chosen.words.startswith("none")


def test_method_is_taken_by_name_where_the_drive_can() -> None:
    chosen = choose_purge(made_drive("loop"), "overwrite")
    assert chosen.method == "overwrite"
    assert chosen.why.startswith("requested by name; every block can be written")


def test_method_that_the_drive_lacks_is_refused_with_what_it_can() -> None:
    with pytest.raises(
        TargetRefusedError,
        match=r"cannot be purged by nvme-sanitize-block: .*SANICAP 0x0.*methods are: "
        r"nvme-format-user-data, discard, overwrite, none\.",
    ):
        choose_purge(
            made_drive("nvme"), "nvme-sanitize-block", ask=Recorded(NVME), root=NO_ROOT
        )


def test_method_of_another_bus_is_refused() -> None:
    with pytest.raises(
        TargetRefusedError, match="not one of the methods of its bus, loop"
    ):
        choose_purge(made_drive("loop"), "ata-security-erase")


def test_unknown_method_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(UnknownNameError, match=r"'trim'\. Choose from: auto, nvme-"):
        choose_purge(made_drive("loop"), "trim")


@pytest.mark.parametrize("method", ["scsi-format-unit", "discard-secure"])
def test_untold_method_is_tried_by_name_and_never_by_auto(method: str) -> None:
    drive, ask = made_drive("scsi"), Recorded({"sg_opcodes": UNTOLD})
    assert choose_purge(drive, "auto", ask=ask, root=NO_ROOT).method == "discard"
    assert choose_purge(drive, method, ask=ask, root=NO_ROOT).method == method


@pytest.mark.parametrize(
    ("bus", "tool"), [("nvme", "nvme"), ("ata", "hdparm"), ("scsi", "sg_opcodes")]
)
@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize("may_raise", [False, True], ids=["refused", "by sudo"])
def test_user_without_the_right_may_run_the_tool_by_sudo_or_is_told_how(
    bus: Bus, tool: str, tmp_path: Path, *, may_raise: bool
) -> None:
    status = tmp_path / "proc/self/status"
    status.parent.mkdir(parents=True)
    status.write_text("Uid:\t1000\t1000\t1000\t1000\nCapBnd:\tffff\nCapAmb:\t0\n")
    text = "  Command is supported [conforming to SCSI standard]\n"
    answers = NVME | {"sg_opcodes": (0, text, "")}
    if not may_raise:
        answers["nvme id-ctrl"] = (13, "", "identify controller: Permission denied\n")
    drive = AtaDrive() if bus == "ata" else Recorded(answers)
    asked: list[str] = []

    def ask(command: Sequence[str], *, timeout_s: float) -> Answer:
        if command[0] != "sudo":
            return drive(command, timeout_s=timeout_s)
        asked.append(command[-1])
        return answer(command, 0 if may_raise else 1, "", "")

    options = list_purge_options(made_drive(bus), ask=ask, root=tmp_path)
    own = [option for option in options if option.method.startswith(f"{bus}-")]
    assert asked[0].endswith(f"/{tool}")
    assert any(option.is_possible for option in own) is may_raise
    told = f"may not run {tool}"
    assert any(told in option.reason for option in own) is not may_raise
    rule = "sudo install --mode=0440 /dev/stdin /etc/sudoers.d/ssdlab_"
    assert any(rule in option.reason for option in own) is not may_raise


def test_root_without_the_right_is_told_of_its_container(tmp_path: Path) -> None:
    status = tmp_path / "proc/self/status"
    status.parent.mkdir(parents=True)
    status.write_text("Uid:\t0\t0\t0\t0\nCapBnd:\t00000000a80425fb\nCapAmb:\t0\n")
    first, *_ = list_purge_options(
        made_drive("nvme"), ask=Recorded(NVME), root=tmp_path
    )
    assert "container or service was started without CAP_SYS_ADMIN" in first.reason
    status.write_text("Uid:\t0\t0\t0\t0\nCapBnd:\t000001ffffffffff\nCapAmb:\t0\n")
    first, *_ = list_purge_options(
        made_drive("nvme"), ask=Recorded(NVME), root=tmp_path
    )
    assert first.is_possible
