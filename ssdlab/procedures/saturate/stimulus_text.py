"""A stimulus as a user writes it: ``RND 4KiB 0/100 T1/Q32``."""

import re
from typing import Literal, NoReturn, cast

from ssdlab.model.errors import StimulusError
from ssdlab.model.spec import Workload
from ssdlab.model.units import KIB, MIB, parse_size

LEAST_BLOCK_BYTES = 512  # the least sector that fio and drives know
MOST_BLOCK_BYTES = 16 * MIB
MOST_THREADS = 1024
MOST_QUEUE_DEPTH = 65_536
DEFAULT_THREADS, DEFAULT_QUEUE_DEPTH = 1, 32  # Micron, Rev. B 4/17: 32 in the example

_FORM = re.compile(
    r"(?P<access>rnd|seq)\s+(?P<size>\d+(?:\.\d+)?\s*[a-z]*)\s+"
    r"(?P<reads>\d{1,3})/(?P<writes>\d{1,3})"
    r"(?:\s+t(?P<threads>\d{1,9})/q(?P<depth>\d{1,9}))?",
    re.IGNORECASE | re.ASCII,
)


def parse_stimulus(text: str) -> Workload:
    """Return the workload that a text means; case and extra blanks do not matter.

    Examples
    --------
    >>> parse_stimulus("seq 128k 0/100").label
    'SEQ 128 KiB 0/100'
    """
    match = _FORM.fullmatch(text.strip())
    if match is None:
        _refuse(text, "its form is not recognised")
    reads, writes = int(match["reads"]), int(match["writes"])
    if reads + writes != 100:
        _refuse(text, f"{reads} % reads and {writes} % writes are not 100 %")
    return Workload(
        access=cast("Literal['rnd', 'seq']", match["access"].lower()),
        block_size_bytes=_block_size(text, match["size"]),
        read_percent=reads,
        threads=_count(text, "T", (match["threads"], DEFAULT_THREADS, MOST_THREADS)),
        queue_depth=_count(
            text, "Q", (match["depth"], DEFAULT_QUEUE_DEPTH, MOST_QUEUE_DEPTH)
        ),
    )


def stimulus_text(workload: Workload) -> str:
    """Return a workload as the text that `parse_stimulus` reads.

    >>> stimulus_text(parse_stimulus("rnd 512 65/35 t4/q8"))
    'RND 0.5KiB 65/35 T4/Q8'
    """
    size = f"{workload.block_size_bytes / KIB:.10g}KiB"
    mix = f"{workload.read_percent}/{100 - workload.read_percent}"
    return (
        f"{workload.access.upper()} {size} {mix} "
        f"T{workload.threads}/Q{workload.queue_depth}"
    )


def _block_size(text: str, size: str) -> int:
    try:
        found = parse_size(size)
    except ValueError as error:
        _refuse(text, str(error))
    if found % LEAST_BLOCK_BYTES or not found:
        _refuse(
            text, f"a block of {found} B is not a multiple of {LEAST_BLOCK_BYTES} B"
        )
    if found > MOST_BLOCK_BYTES:
        _refuse(text, f"a block may have at most {MOST_BLOCK_BYTES // MIB} MiB")
    return found


def _count(text: str, name: str, found: tuple[str | None, int, int]) -> int:
    digits, default, most = found
    count = default if digits is None else int(digits)
    if not 1 <= count <= most:
        _refuse(text, f"{name}{count} is not between {name}1 and {name}{most}")
    return count


def _refuse(text: str, reason: str) -> NoReturn:
    raise StimulusError(text=text, reason=reason)
