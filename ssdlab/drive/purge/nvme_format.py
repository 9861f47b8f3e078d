"""NVMe format with erasure, of one namespace, keeping its LBA format."""

from dataclasses import dataclass
from typing import Final

from ssdlab.drive.purge.nvme import parse_json, read_whole
from ssdlab.drive.purge.work import ASK_S, Done, Work, failed, line_of, longest_s
from ssdlab.drive.sysfs import block_folder
from ssdlab.model.drive import PurgeMethod
from ssdlab.system.files import read_number

_ERASURES: Final[dict[PurgeMethod, int]] = {
    "nvme-format-user-data": 1,
    "nvme-format-crypto": 2,
}
_MOST_MS: Final = 2**32 - 1  # the field of the kernel's command


@dataclass(frozen=True, kw_only=True, slots=True)
class NamespaceLayout:
    """The format of a namespace: identify namespace, FLBAS and DPS."""

    lba_format: int
    metadata_setting: int
    protection: int
    protection_place: int


def parse_layout(text: str) -> NamespaceLayout | None:
    """Parse the format of a namespace from ``nvme id-ns``, ``None`` if missing."""
    data = parse_json(text)
    flbas, dps = read_whole(data, "flbas"), read_whole(data, "dps")
    if flbas is None or dps is None:
        return None
    return NamespaceLayout(
        lba_format=flbas & 0b1111 | (flbas & 0b110_0000) >> 1,
        metadata_setting=flbas >> 4 & 1,
        protection=dps & 0b111,
        protection_place=dps >> 3 & 1,
    )


def format_namespace(work: Work) -> Done:
    """Format the namespace; the drive reports its end."""
    path = work.drive.path
    asked = work.ask(("nvme", "id-ns", path, "--output-format=json"), timeout_s=ASK_S)
    layout = parse_layout(asked.stdout)
    number = work.drive.namespace_id or read_number(
        block_folder(work.drive.name) / "nsid"
    )
    if layout is None or number is None:
        return failed(asked, "reading the format of the namespace")
    limit_s = longest_s(work.drive, None)
    limit_ms = min(round(limit_s * 1000), _MOST_MS)
    command = (
        *("nvme", "format", path, f"--namespace-id={number}"),
        # The format sets what is not named to 0, and so changes it.
        *(f"--lbaf={layout.lba_format}", f"--ms={layout.metadata_setting}"),
        *(f"--pi={layout.protection}", f"--pil={layout.protection_place}"),
        *(f"--ses={_ERASURES[work.method]}", f"--timeout={limit_ms}"),
        "--force",  # without it, it waits and needs exclusive access to the device
    )
    work.tell("The drive is formatting itself and reports no progress.")
    answer = work.ask(command, timeout_s=limit_s + ASK_S)
    if answer.exit_code:
        return failed(answer, "the format")
    return Done(said=(line_of(answer),))
