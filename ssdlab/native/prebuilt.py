"""Libraries that a platform wheel brings along, so that no compiler is needed.

A library is ``prebuilt/LEVEL/NAME-DIGEST.so`` below this folder, where the digest is
that of its C sources: one of other sources is not found. A checkout and the pure wheel
have none. `tools/build_wheels.py` builds them.
"""

import hashlib
import platform
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).with_name("prebuilt")
_CPU_BYTES: Final = 8192  # of /proc/cpuinfo: the first processor stands for all


@dataclass(frozen=True, kw_only=True, slots=True)
class Level:
    """A set of instructions, by its name for ``-march``, and the flags that show it."""

    name: str
    machine: str
    flags: frozenset[str] = frozenset()


_V2: Final = frozenset({
    "cx16",
    "lahf_lm",
    "popcnt",
    "pni",
    "sse4_1",
    "sse4_2",
    "ssse3",
})
_V3: Final = frozenset({"abm", "avx", "avx2", "bmi1", "bmi2", "f16c", "fma", "movbe"})
LEVELS: Final = (  # the fastest of a machine first
    Level(name="x86-64-v3", machine="x86_64", flags=_V2 | _V3),
    Level(name="x86-64-v2", machine="x86_64", flags=_V2),
    Level(name="armv8-a", machine="aarch64"),
)


def find_prebuilt(name: str, sources: Sequence[Path]) -> Path | None:
    """Return the fastest library for this processor that was built from these sources.

    >>> find_prebuilt("unknown", []) is None
    True
    """
    if not FOLDER.is_dir():
        return None
    file = library_name(name, sources)
    places = (FOLDER / level.name / file for level in _usable_levels())
    return next(filter(Path.is_file, places), None)


def library_name(name: str, sources: Sequence[Path]) -> str:
    """Return the file name of a library, which holds the digest of its sources."""
    digest = hashlib.sha256()
    for source in sources:
        digest.update(hashlib.sha256(source.read_bytes()).digest())
    return f"{name}-{digest.hexdigest()[:16]}.so"


def _usable_levels() -> Iterator[Level]:
    machine, flags = platform.machine(), _cpu_flags()
    for level in LEVELS:
        if level.machine == machine and level.flags <= flags:
            yield level


def _cpu_flags() -> frozenset[str]:
    with suppress(OSError), Path("/proc/cpuinfo").open("rb") as file:
        for line in file.read(_CPU_BYTES).decode(errors="replace").splitlines():
            key, _, value = line.partition(":")
            if key.strip() == "flags":
                return frozenset(value.split())
    return frozenset()
