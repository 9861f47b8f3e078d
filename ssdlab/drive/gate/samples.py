"""Places spread over a device or file: whether they hold data, and of what kind.

They are the same each time, and few enough to be read within a second.
"""

import os
from collections.abc import Iterator
from typing import Final

PLACES: Final = 64
_PLACE_BYTES: Final = 4096


def sample_places(descriptor: int, capacity_bytes: int) -> Iterator[bytes]:
    """Yield what stands at 64 places, the first at the beginning, the last at the end.

    Raises
    ------
    OSError
        If one cannot be read.
    """
    last = max(capacity_bytes - _PLACE_BYTES, 0) // _PLACE_BYTES
    for number in range(PLACES):
        place = last * number // (PLACES - 1) * _PLACE_BYTES
        yield os.pread(descriptor, _PLACE_BYTES, place)
