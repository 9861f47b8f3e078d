"""What hdparm -I says of an ATA drive, and what can be done then."""

import pytest

from ssdlab.drive.purge.ata import list_ata_options, parse_identity
from tests.drive.purge.made import NO_ROOT, Recorded, made_drive
from tests.drive.purge.made_ata import SANITIZE_LINES, AtaDrive
from tests.paths import ROOT

DRIVE = made_drive("ata")
RECORDED = ROOT / "tests/data/hdparm-9.65-identify-without-security.txt"


def text_of(drive: AtaDrive) -> str:
    return drive(("hdparm", "-I", "/dev/sda"), timeout_s=1).stdout


def reasons(drive: AtaDrive) -> dict[str, tuple[bool, str]]:
    options = list_ata_options(DRIVE, drive, NO_ROOT)
    return {option.method: (option.is_possible, option.reason) for option in options}


def test_identity_is_read_as_the_drive_stands() -> None:
    talents = parse_identity(text_of(AtaDrive(password="x", is_locked=True)))
    assert talents is not None
    security = talents.security
    assert talents.serial == "S5H9NS0N"
    assert (security.is_supported, security.is_enabled) == (True, True)
    assert (security.is_locked, security.is_frozen) == (True, False)
    assert (security.is_expired, security.has_enhanced) == (False, True)
    assert (security.erase_minutes, security.enhanced_minutes) == (2, 8)
    assert talents.sanitizes == ()


def test_identity_without_security_has_none() -> None:
    talents = parse_identity(RECORDED.read_text())
    assert talents is not None
    assert not talents.security.is_supported
    assert talents.serial == "A0"


def test_text_of_another_tool_is_no_identity() -> None:
    assert parse_identity("\n/dev/sdb:\n\nATA device\nStandards:\n") is None


def test_free_drive_can_erase_and_says_how_long_it_takes() -> None:
    first, second, *_ = list_ata_options(DRIVE, AtaDrive(), NO_ROOT)
    assert (first.is_possible, first.expected_s) == (True, 120)
    assert (second.is_possible, second.expected_s) == (True, 480)


@pytest.mark.parametrize(
    ("drive", "words"),
    [
        (AtaDrive(is_supported=False), "reports no ATA security"),
        (AtaDrive(is_frozen=True), "Suspend the machine and wake it"),
        (AtaDrive(is_expired=True), "until its power is cycled"),
        (AtaDrive(password="x"), "has a password that is unknown here"),
        (
            AtaDrive(password="x", is_locked=True),
            "is locked by a password that is unknown",
        ),
    ],
    ids=["unsupported", "frozen", "expired", "enabled", "locked"],
)
def test_drive_that_cannot_erase_says_why_in_words(drive: AtaDrive, words: str) -> None:
    found = reasons(drive)
    for method in ("ata-security-erase", "ata-security-erase-enhanced"):
        is_possible, reason = found[method]
        assert not is_possible
        assert words in reason


def test_enhanced_erase_is_not_possible_where_the_drive_has_none() -> None:
    found = reasons(AtaDrive(has_enhanced=False))
    assert found["ata-security-erase"][0]
    assert found["ata-security-erase-enhanced"] == (
        False,
        "the drive reports no enhanced security erase",
    )


def test_sanitize_is_possible_for_the_commands_that_the_drive_lists() -> None:
    status = "\n/dev/sda:\nIssuing SANITIZE_STATUS command\nSanitize status:\n"
    for state, is_free in (("SD0 Sanitize Idle", True), ("SD1 Sanitize Frozen", False)):
        ask = Recorded({
            "hdparm -I": (0, text_of(AtaDrive(sanitize_lines=SANITIZE_LINES)), ""),
            "hdparm --sanitize": (0, f"{status}    State:    {state}\n", ""),
        })
        options = {o.method: o for o in list_ata_options(DRIVE, ask, NO_ROOT)}
        assert options["ata-sanitize-block"].is_possible == is_free
        assert options["ata-sanitize-crypto"].is_possible == is_free
        overwrite = options["ata-sanitize-overwrite"]
        assert not overwrite.is_possible
        assert "no OVERWRITE_EXT" in overwrite.reason
    assert "frozen" in options["ata-sanitize-block"].reason


def test_drive_without_sanitize_is_not_asked_how_its_sanitize_stands() -> None:
    drive = AtaDrive()
    reasons(drive)
    assert drive.asked == ["-I"]


def test_silent_drive_has_no_possible_method_and_says_what_hdparm_said() -> None:
    found = reasons(AtaDrive(is_silent=True))
    assert not any(is_possible for is_possible, _ in found.values())
    assert "Input/output error" in found["ata-sanitize-block"][1]
