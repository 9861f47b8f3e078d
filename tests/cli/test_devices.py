"""`ssdlab devices`: what it prints of made drives, and of this machine's."""

import json
import os
import subprocess
import sys
import time
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from ssdlab.cli.device_lines import device_lines, link_words
from ssdlab.cli.devices import as_dict
from ssdlab.drive.inventory import list_drives
from ssdlab.drive.queues import DriveQueues
from ssdlab.drive.survey import DriveSurvey, survey_drives
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import Consent, Drive, DriveHealth, PcieLink, Use
from tests.made_loop import attached_loop
from tests.made_machine import MadeMachine

COMMAND = (sys.executable, "-m", "ssdlab.cli", "devices")
LINK = PcieLink(
    address="0000:01:00.0", width=4, width_max=4, speed_gt_s=8.0, speed_gt_s_max=16.0
)
DRIVE = Drive(
    path="/dev/nvme0n1",
    name="nvme0n1",
    model="SAMSUNG MZQL21T9HCJR-00A07",
    serial="S64GNE0R123456",
    firmware="GDC5602Q",
    wwn="eui.36344730523123450025384700000001",
    bus="nvme",
    capacity_bytes=1_920_383_410_176,
    logical_sector_bytes=512,
    physical_sector_bytes=4096,
    device_number="259:0",
    stable_paths=("/dev/disk/by-id/nvme-SAMSUNG_MZQL21T9HCJR-00A07_S64GNE0R123456",),
    controller="nvme0",
    namespace_id=1,
    numa_node=0,
    pcie=LINK,
)
SURVEY = DriveSurvey(
    path=DRIVE.path,
    drive=DRIVE,
    health=DriveHealth(temperature_celsius=38.0, wear_percent=3.0),
    write_cache="enabled",
    named=DRIVE.path,
    consent=Consent(text=DRIVE.serial, what="serial number"),
)
MOUNTED = Use(
    kind="mounted",
    device="/dev/nvme0n1p1",
    reason="/dev/nvme0n1p1 is mounted at /home",
    remedy="Unmount it: umount /home.",
)
UNSEEN = Use(
    kind="unknown",
    device="/dev/nvme0n1",
    reason="whether there is data on it is unknown",
    remedy="Join the group disk.",
)


@pytest.fixture(autouse=True)
def wide_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "120")


def text_of(survey: DriveSurvey) -> str:
    return "\n".join(device_lines(survey))


def survey_of(drive: Drive) -> DriveSurvey:
    consent = Consent(text=drive.serial, what="serial number")
    return replace(SURVEY, drive=drive, path=drive.path, consent=consent)


# --- What is printed ----------------------------------------------------------


def test_free_drive_is_told_in_a_few_lines_with_the_option_that_confirms() -> None:
    sizes = "1.92 TB, 512 B logical / 4 KiB physical sectors"
    link = "PCIe 8 GT/s x4 (max 16 GT/s x4)"
    assert text_of(SURVEY).splitlines() == [
        f"/dev/nvme0n1  SAMSUNG MZQL21T9HCJR-00A07, {sizes}",
        "  NVMe, serial number S64GNE0R123456, firmware GDC5602Q, namespace 1 of nvme0",
        f"  {link}, NUMA node 0, write cache on, 38 °C, 3 % worn",
        "  /dev/disk/by-id/nvme-SAMSUNG_MZQL21T9HCJR-00A07_S64GNE0R123456",
        "  can be tested, which erases all data on it:",
        "    /dev/nvme0n1 --confirm S64GNE0R123456",
    ]


def test_processes_that_could_not_be_looked_at_are_told_of_a_free_drive() -> None:
    lines = text_of(replace(SURVEY, unseen=212)).splitlines()
    assert lines[-1] == (
        "  not checked: 212 processes whose open files this user may not see; one of "
        "them may write to it"
    )
    assert "not checked" not in text_of(replace(SURVEY, unseen=212, uses=(MOUNTED,)))
    assert as_dict(replace(SURVEY, unseen=212))["unseen_processes"] == 212


def test_drive_in_use_has_every_reason_and_remedy() -> None:
    swap = replace(MOUNTED, kind="swap", reason="it is swap", remedy="swapoff it.")
    survey = replace(SURVEY, uses=(MOUNTED, swap, UNSEEN))
    assert survey.can_be_tested is False
    assert text_of(survey).splitlines()[-4:] == [
        "  cannot be tested:",
        "  - /dev/nvme0n1p1 is mounted at /home. Unmount it: umount /home.",
        "  - it is swap. swapoff it.",
        "  - whether there is data on it is unknown. Join the group disk.",
    ]
    assert "--confirm" not in text_of(survey)


def test_what_cannot_be_seen_is_unknown_and_not_yes() -> None:
    survey = replace(
        SURVEY,
        uses=(UNSEEN,),
        health=DriveHealth(),
        health_trouble="its health log cannot be read",
        write_cache=None,
    )
    text = " ".join(text_of(survey).split())
    assert survey.can_be_tested is None
    assert "unknown whether it can be tested:" in text
    assert "write cache unknown, temperature unknown, wear unknown" in text
    assert "its health log cannot be read" in text
    assert "can be tested, which" not in text


@pytest.mark.parametrize(
    ("link", "words"),
    [
        (LINK, "PCIe 8 GT/s x4 (max 16 GT/s x4)"),
        (replace(LINK, speed_gt_s=16.0), "PCIe 16 GT/s x4"),
        (replace(LINK, speed_gt_s=16.0, width=2), "PCIe 16 GT/s x2 (max 16 GT/s x4)"),
        (replace(LINK, speed_gt_s=2.5, speed_gt_s_max=2.5), "PCIe 2.5 GT/s x4"),
        (
            replace(LINK, speed_gt_s=None, width=None),
            "PCIe unknown speed x? (max 16 GT/s x4)",
        ),
        (
            replace(LINK, speed_gt_s_max=None, width_max=None),
            "PCIe 8 GT/s x4 (max unknown speed x?)",
        ),
    ],
)
def test_link_says_what_it_could_do_only_if_that_differs(
    link: PcieLink, words: str
) -> None:
    assert link_words(link) == words


@pytest.mark.parametrize(
    ("serial", "option"),
    [
        ("S1", "--confirm S1"),
        ("--confirm", "--confirm=--confirm"),
        ("-x", "--confirm=-x"),
        ("S 1", "--confirm 'S 1'"),
        ("a;rm -rf", "--confirm 'a;rm -rf'"),
        ("<b>", "--confirm '<b>'"),
    ],
)
def test_serial_is_quoted_so_that_a_shell_and_the_options_take_it(
    serial: str, option: str
) -> None:
    assert text_of(survey_of(replace(DRIVE, serial=serial))).endswith(f" {option}")


def test_hostile_texts_are_printable_and_json_has_them_exactly() -> None:
    hostile = "\x1b[31m\x07\n<script>\u202e"
    drive = replace(
        DRIVE, model=hostile, serial=hostile, firmware=hostile, stable_paths=(hostile,)
    )
    use = replace(MOUNTED, reason=hostile, remedy=hostile)
    survey = replace(survey_of(drive), uses=(use,), health_trouble=hostile)
    for line in device_lines(survey):
        assert line.isprintable()
    row = json.loads(json.dumps(as_dict(survey)))
    assert (row["model"], row["serial"]) == (hostile, hostile)


def test_lines_are_narrow_and_long_texts_cut_but_for_the_confirmation() -> None:
    serial = "x" * 200
    survey = survey_of(replace(DRIVE, serial=serial, model="M " * 100))
    *lines, last = device_lines(survey)
    assert max(map(len, lines)) <= 100
    assert last.endswith(f"--confirm {serial}")
    assert as_dict(survey)["serial"] == serial


def test_lines_are_no_wider_than_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    lines = device_lines(replace(SURVEY, uses=(MOUNTED,)))
    assert max(len(line) for line in lines if "/by-id/" not in line) <= 60


@pytest.mark.parametrize(
    ("queues", "words"),
    [
        (DriveQueues(count=8, depth=1023), "8 queues of 1,023 IOs"),
        (DriveQueues(count=1, depth=32), "queue depth up to 32"),
        (None, "NUMA node 0, write cache on"),
    ],
)
def test_queue_depth_that_a_drive_can_use_is_told(
    queues: DriveQueues | None, words: str
) -> None:
    survey = replace(SURVEY, queues=queues)
    assert words in text_of(survey)
    shown = as_dict(survey)["queues"]
    assert (shown and shown["outstanding"]) == (queues and queues.outstanding)


def test_drives_of_one_serial_name_each_other() -> None:
    text = text_of(replace(SURVEY, twins=("/dev/sdb", "/dev/sdc")))
    assert "same serial number as /dev/sdb and /dev/sdc" in " ".join(text.split())


def test_drive_that_cannot_be_read_is_listed_with_the_reason() -> None:
    survey = DriveSurvey(path="/dev/sdx", drive=None, trouble="its size is not told")
    assert survey.can_be_tested is False
    assert text_of(survey) == "/dev/sdx\n  cannot be tested: its size is not told"
    row = as_dict(survey)
    assert row["path"] == "/dev/sdx"
    assert row["capacity_bytes"] is None
    assert set(row) == set(as_dict(SURVEY))


def test_json_has_every_field_of_the_drive() -> None:
    row = as_dict(SURVEY)
    assert {field.name for field in fields(Drive)} <= set(row)
    assert row["pcie"]["speed_gt_s"] == 8.0
    assert row["health"]["wear_percent"] == 3.0
    assert (row["can_be_tested"], row["uses"]) == (True, [])


# --- A made machine, all in one -----------------------------------------------


def no_answer(command: Any, *, timeout_s: float) -> Answer:
    del timeout_s
    return Answer(
        command=tuple(command), exit_code=2, stdout="", stderr="no", took_s=0.0
    )


def test_one_odd_drive_does_not_hide_the_others(tmp_path: Path) -> None:
    made = MadeMachine(tmp_path)
    made.add_nvme("nvme0n1")
    made.write("/sys/block/nvme0n1/size", "")
    made.add_scsi("sda", serial="SAME", size_bytes=0)
    made.add_scsi("sdb", serial="SAME")
    made.add_nvme("nvme1n1", serial="TWO")
    made.add_nvme("nvme1n2", serial="TWO")
    surveys = {
        survey.path: survey for survey in survey_drives(made.root, ask=no_answer)
    }
    assert list(surveys) == [
        "/dev/nvme0n1",
        "/dev/nvme1n1",
        "/dev/nvme1n2",
        "/dev/sda",
        "/dev/sdb",
    ]
    odd = surveys["/dev/nvme0n1"]
    assert odd.drive is None
    assert "its size" in odd.trouble
    assert surveys["/dev/sda"].can_be_tested is False
    assert {use.kind for use in surveys["/dev/sda"].uses} >= {"too-small", "identity"}
    assert surveys["/dev/sda"].twins == ("/dev/sdb",)
    assert surveys["/dev/nvme1n1"].twins == ()  # namespaces of one drive
    for survey in surveys.values():
        assert json.dumps(as_dict(survey))
        assert all(line.isprintable() for line in device_lines(survey))


def test_removable_drive_is_named_by_what_stays_with_it(tmp_path: Path) -> None:
    made = MadeMachine(tmp_path)
    made.add_scsi("sda", bus="usb1/1-1/1-1:1.0", serial="A", removable="1")
    made.add_scsi("sdb", bus="usb1/1-2/1-2:1.0", serial="B", removable="1")
    alias = made.add_alias("/dev/disk/by-id/usb-LAB_A-0:0", "sda")
    stays, moves = survey_drives(made.root, ask=no_answer)
    assert stays.named == alias
    assert "removable" not in {use.kind for use in stays.uses}
    assert moves.named == ""
    assert "removable" in {use.kind for use in moves.uses}
    assert moves.can_be_tested is False
    free = replace(stays, uses=())
    assert device_lines(free)[-1] == f"    {alias} --confirm A"


@pytest.mark.parametrize(
    ("serials", "words"),
    [(("", "S2"), "no serial number"), (("TWIN", "TWIN"), "same serial number as")],
    ids=["empty", "twins"],
)
def test_drive_that_its_serial_does_not_tell_apart_is_confirmed_by_its_wwn(
    serials: tuple[str, str], words: str, tmp_path: Path
) -> None:
    made = MadeMachine(tmp_path)
    for name, serial in zip(("sda", "sdb"), serials, strict=True):
        made.add_scsi(name, serial=serial)
        made.write(f"/sys/block/{name}/device/wwid", f"naa.500000000000000{name[-1]}")
    first = replace(survey_drives(made.root, ask=no_answer)[0], uses=())
    assert words in text_of(first)
    assert text_of(first).endswith("--confirm naa.500000000000000a")
    assert as_dict(first)["confirm"] == "naa.500000000000000a"


# --- This machine -------------------------------------------------------------


def list_here() -> dict[str, dict[str, Any]]:
    done = subprocess.run(
        [*COMMAND, "--json"], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return {row["path"]: row for row in json.loads(done.stdout)}


def test_loop_device_can_be_tested_by_its_file(tmp_path: Path) -> None:
    image = tmp_path / "an image.img"
    with attached_loop(image, size_bytes=64 << 20) as device:
        row = list_here()[device]
        done = subprocess.run(COMMAND, capture_output=True, text=True, check=True)
    assert (row["bus"], row["serial"]) == ("loop", str(image))
    assert row["capacity_bytes"] == 64 << 20
    assert (row["can_be_tested"], row["uses"]) == (True, [])
    assert f"{device}  loop device, 67.11 MB" in done.stdout
    assert f"{device} --confirm '{image}'" in done.stdout


def test_drive_below_the_root_of_this_machine_cannot_be_tested() -> None:
    status = Path("/").stat()
    number = f"{os.major(status.st_dev)}:{os.minor(status.st_dev)}"
    names = [
        drive.name
        for drive in list_drives()
        if drive.device_number == number
        or (Path("/sys/class/block") / drive.name).resolve()
        in (Path("/sys/dev/block") / number).resolve().parents
    ]
    if not names:
        pytest.skip("the root of this machine is on no drive of its own")
    row = list_here()[f"/dev/{names[0]}"]
    assert row["can_be_tested"] is False
    assert row["uses"]


@pytest.mark.timed
def test_list_of_this_machine_is_told_within_a_second_or_so() -> None:
    began_s = time.monotonic()
    list_here()
    assert time.monotonic() - began_s < 5  # 0.3 s where nothing else runs
