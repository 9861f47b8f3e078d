"""`ssdlab purge` in a guest: filled before it, and looked at from outside after it."""

import re
from pathlib import Path

from tests.vm.devices import Backend
from tests.vm.guest import Guest
from tests.vm.link import Answer, Job

MODULES = (
    "ssdlab.cli.purge",
    "ssdlab.drive.inventory",
    "ssdlab.drive.purge",
    "ssdlab.drive.safety",
)


def deaf_image(path: Path) -> Backend:
    """Stand on a file that takes discards and does nothing."""
    node = {
        "driver": "file",
        "node-name": "deaf",
        "filename": str(path),
        "discard": "ignore",
    }
    return Backend(node="deaf", nodes=(node,))


def find_path(guest: Guest, serial: str, namespace: int = 1) -> str:
    """Return the device of a drive; the order in which they come is not fixed."""
    text = guest.check("lsblk --nodeps --noheadings -o PATH,SERIAL").stdout
    paths = [
        line.split()[0] for line in text.splitlines() if line.split()[1:] == [serial]
    ]
    (path,) = (
        path for path in paths if "nvme" not in path or path.endswith(f"n{namespace}")
    )
    return path


def code_of(*words: str) -> str:
    return f"import ssdlab.cli\nssdlab.cli.main({list(words)!r})"


def purge(
    guest: Guest, path: str, serial: str, method: str = "auto", *more: str
) -> Answer:
    words = ("purge", path, "--confirm", serial, "--method", method, *more)
    return guest.python(code_of(*words))


def start_purge(guest: Guest, path: str, serial: str, method: str) -> Job:
    return guest.start_python(
        code_of("purge", path, "--confirm", serial, "--method", method)
    )


def fill(guest: Guest, path: str) -> None:
    guest.check(f"yes secret | dd of={path} bs=1M oflag=direct iflag=fullblock || true")


def is_zeros(image: Path) -> bool:
    return not any(image.read_bytes())


def holds_secrets(image: Path) -> bool:
    return b"secret\nsecret\n" in image.read_bytes()


def listed(guest: Guest, path: str) -> dict[str, tuple[str, str]]:
    """Return what ``--list`` says of each method: yes, no or unknown, and why."""
    text = guest.check_python(code_of("purge", path, "--list")).stdout
    row = re.compile(r"(?:auto)? +(\S+) +(yes|no|unknown) +(\S.*)")
    rows = [line for line in text.splitlines()[1:] if not line.startswith("sectors ")]
    matches = [row.fullmatch(line) for line in rows]
    assert all(matches), text
    return {match[1]: (match[2], match[3]) for match in matches if match}
