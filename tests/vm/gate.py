"""The gate as a guest is asked to pass it."""

from typing import Any, Final

from tests.vm.guest import Guest
from tests.vm.link import Job

# Python for the guest: pass the gate as the rightful owner, and tell how that ended.
CODE: Final = """
import json, sys
from ssdlab.drive.gate.consent import find_consent
from ssdlab.drive.inventory import find_drive
from ssdlab.drive.safety import require_disposable, require_still_disposable
from ssdlab.model.errors import SsdlabError

def tell(**said):
    print(json.dumps(said), flush=True)

def tell_error(error):
    uses = [
        dict(kind=use.kind, device=use.device, reason=use.reason, remedy=use.remedy)
        for use in getattr(error, "uses", ())
    ]
    tell(error=type(error).__name__, text=str(error), uses=uses)

def enter(path, named=""):
    drive = find_drive(path)
    consent = find_consent(drive)
    return require_disposable(drive, confirmed=consent.text, named=named)

try:
    {steps}
except SsdlabError as error:
    tell_error(error)
"""
PASS: Final = "held = enter({!r}, {!r}); tell(error='', unseen=held.unseen)"


def ask_gate(guest: Guest, device: str, named: str = "") -> dict[str, Any]:
    """Return how it ended: ``error`` is empty if the gate opened."""
    answer: dict[str, Any] = run_steps(guest, PASS.format(device, named)).wait().json()
    return answer


def run_steps(guest: Guest, steps: str) -> Job:
    """Begin steps in the guest, behind which `enter`, `tell` and the like stand."""
    indented = steps.strip().replace("\n", "\n    ")
    return guest.start_python(CODE.replace("{steps}", indented))


def find_device(guest: Guest, serial: str) -> str:
    """Return the first drive with a serial number."""
    found = guest.check("lsblk --noheadings --nodeps --paths --output NAME,SERIAL")
    lines = [line.split() for line in found.stdout.splitlines()]
    return next(line[0] for line in lines if line[1:] == [serial])
