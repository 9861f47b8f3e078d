"""ATA security erase: set a password, erase with it, make sure that it is removed."""

from typing import Final

from ssdlab.drive.purge.ata import (
    PASSWORD,
    AtaSecurity,
    find_security_obstacle,
    read_talents,
)
from ssdlab.drive.purge.ata_password import (
    is_same,
    take_password_off,
    write_journal,
)
from ssdlab.drive.purge.work import ASK_S, Done, Work, line_of, longest_s, words_of
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import PurgeMethod
from ssdlab.model.units import duration_label

# hdparm itself allows the drive an hour more than the drive's own estimate.
_GRACE_S: Final = 2 * 3600.0
_ERASURES: Final[dict[PurgeMethod, str]] = {
    "ata-security-erase": "--security-erase",
    "ata-security-erase-enhanced": "--security-erase-enhanced",
}


def security_erase(work: Work) -> Done:
    """Erase the drive, which has no password before or after."""
    answer, talents = read_talents(work.drive, work.ask)
    if talents is None:
        words = answer if isinstance(answer, str) else words_of(answer)
        return Done(fault=f"the drive does not report its state (hdparm -I: {words})")
    if not is_same(talents, work.drive):
        fault = f"{work.drive.path} now reports the serial number {talents.serial!r}"
        return Done(fault=f"{fault}. Check which drive that is (ssdlab devices)")
    obstacle = find_security_obstacle(talents.security, work.drive.path)
    obstacle = obstacle or write_journal(work.drive, work.folder)
    if obstacle:
        return Done(fault=obstacle)
    try:
        return _erase_with_password(work, talents.security)
    except BaseException:
        take_password_off(work.drive, work.folder, work.ask)
        raise


def _erase_with_password(work: Work, security: AtaSecurity) -> Done:
    set_pass = _order(work, "--security-set-pass", ASK_S)
    _, now = read_talents(work.drive, work.ask)
    if now is None or not now.security.is_enabled:
        state = take_password_off(work.drive, work.folder, work.ask)
        fault = f"the drive refused the password (hdparm: {words_of(set_pass)})"
        return Done(
            said=(line_of(set_pass), *state.said), fault=_join(fault, state.fault)
        )
    expected_s = _read_expected_s(work, security)
    takes = f" Its estimate: {duration_label(expected_s)}." if expected_s else ""
    work.tell(f"The drive is erasing itself and reports no progress.{takes}")
    limit_s = longest_s(work.drive, expected_s) + _GRACE_S
    erased = _order(work, _ERASURES[work.method], limit_s)
    # A successful erase removes the password: hdparm's exit code proves nothing.
    _, after = read_talents(work.drive, work.ask)
    fault = ""
    if erased.exit_code or (after is not None and after.security.is_enabled):
        fault = f"the erase failed (hdparm: {words_of(erased)})"
    state = take_password_off(work.drive, work.folder, work.ask)
    return Done(
        said=(line_of(set_pass), line_of(erased), *state.said),
        fault=_join(fault, state.fault),
    )


def _order(work: Work, step: str, limit_s: float) -> Answer:
    command = ("hdparm", "--user-master", "u", step, PASSWORD, work.drive.path)
    return work.ask(command, timeout_s=limit_s)


def _read_expected_s(work: Work, security: AtaSecurity) -> float | None:
    is_enhanced = work.method == "ata-security-erase-enhanced"
    minutes = security.enhanced_minutes if is_enhanced else security.erase_minutes
    return None if minutes is None else 60 * minutes


def _join(*faults: str) -> str:
    return ". ".join(fault for fault in faults if fault)
