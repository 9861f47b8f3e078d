"""The drive of a resumed run, which may hold the run's own random data."""

from dataclasses import dataclass, replace
from pathlib import Path

from ssdlab.drive.gate.end_digests import digest_ends_of
from ssdlab.drive.in_use.relatives import find_relatives
from ssdlab.drive.in_use.uses import find_uses, find_uses_of_known
from ssdlab.drive.inventory import list_drives
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import Consent, Drive, Use
from ssdlab.system.files import ROOT, within


@dataclass(frozen=True, kw_only=True, slots=True)
class KnownDrive:
    """What a resumed run knows of its drive.

    ``consent`` is what was typed when it began; ``ends`` is the result of `digest_ends`
    when its last session ended, empty if none ended or all were killed.
    """

    drive: Drive
    consent: Consent
    ends: str = ""


def find_uses_again(
    drive: Drive, known: KnownDrive, *, root: Path = ROOT, ask: Ask = ask_tool
) -> tuple[Use, ...]:
    """Return every reason why the drive of a run must not be destroyed now.

    If both its ends are as the run left them, what looks like data is the run's own.
    """
    path = within(root, drive.path)
    if known.ends and digest_ends_of(path, drive.capacity_bytes) == known.ends:
        others = find_relatives(drive, list_drives(root))
        return find_uses_of_known(drive, others, root=root, ask=ask)
    uses = find_uses(drive, root=root, ask=ask)
    return tuple(_with_doubt(use, drive) for use in uses)


def _with_doubt(use: Use, drive: Drive) -> Use:
    """Return a signature of data with the doubt about its origin."""
    if use.device != drive.path or use.kind not in {"signature", "partition-table"}:
        return use
    reason = (
        f"{use.reason}. This run may have written that itself, by chance in random "
        "data; but the drive is not as a session of this run recorded it at its end, "
        "which happens if the last one was killed"
    )
    return replace(use, reason=reason)
