"""What fuzzing starts from: real output of fio, read in place, and small texts of ours.

The files of ``tests/data`` are always there; the fio samples are taken too where they
lie beside the checkout.
"""

import gzip
import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final

from tests.paths import FIO_SAMPLES, ROOT

_FOLDERS: Final = (ROOT / "tests" / "data", FIO_SAMPLES)
_MAX_BYTES: Final = 48 << 10
_FILES_A_FOLDER: Final = 24


def find_seeds(patterns: Sequence[str], texts: Iterable[bytes] = ()) -> list[bytes]:
    """Return the beginnings of all files with such names, small ones first.

    Where a folder holds many files alike, every so manieth is taken.
    """
    by_folder: dict[Path, list[Path]] = defaultdict(list)
    for folder in _FOLDERS:
        for pattern in patterns:
            for path in filter(Path.is_file, sorted(folder.rglob(pattern))):
                by_folder[path.parent].append(path)
    found = {bytes(text) for text in texts}
    for paths in by_folder.values():
        for path in paths[:: max(1, len(paths) // _FILES_A_FOLDER)]:
            found |= _parts(path)
    return sorted(found, key=lambda seed: (len(seed), seed))


def _parts(path: Path) -> set[bytes]:
    data = path.read_bytes()
    plain = gzip.decompress(data) if path.suffix == ".gz" else data
    return {plain[:_MAX_BYTES]} | ({data} if plain != data else set())


def write_seeds(folder: Path, seeds: Iterable[bytes]) -> None:
    """Write each seed into a file that is named by its content."""
    folder.mkdir(parents=True, exist_ok=True)
    for seed in seeds:
        name = hashlib.sha256(seed).hexdigest()[:16]
        (folder / name).write_bytes(seed)


def dictionary(seeds: Iterable[bytes]) -> list[bytes]:
    """Return the words that stand in quotes or before ``=`` or ``:`` in the seeds."""
    words: set[bytes] = set()
    for seed in seeds:
        for part in seed.replace(b"=", b'"').replace(b":", b'"').split(b'"'):
            word = part.strip()
            if 2 <= len(word) <= 24 and word.isascii() and b"\n" not in word:
                words.add(word)
    return sorted(words)[:1500]
