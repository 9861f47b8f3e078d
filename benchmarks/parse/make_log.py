"""A latency log of every IO, as ``log_offset=1 log_prio=1`` makes fio write it."""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

NAME = "every_io_lat.1.log"
HEAD_NAME = "every_io_head_lat.1.log"
ROWS = 20_000_000
HEAD_SHARE = 0.05  # for what would take minutes on all of it

_ROWS_PER_S = 25_000
_CHUNK_ROWS = 500_000
_BLOCK_SIZE_BYTES = 4096
_BLOCKS = 1 << 28
_READ_SHARE = 0.7
_MEDIAN_NS = np.array([85_000.0, 24_000.0])
_SIGMA = np.array([0.25, 0.45])
_STALLED_SHARE = 0.004  # IOs that wait for the garbage collection
_TIME_DIGITS, _VALUE_DIGITS, _OFFSET_DIGITS = 7, 9, 13

_Text = NDArray[np.uint8]


def write_log(folder: Path, scale: float) -> None:
    """Write the log and, next to it, its first twentieth."""
    rows = max(1000, round(ROWS * scale))
    head_rows = round(rows * HEAD_SHARE)
    random = np.random.default_rng(20261121)
    with (folder / NAME).open("wb") as whole, (folder / HEAD_NAME).open("wb") as head:
        for start in range(0, rows, _CHUNK_ROWS):
            count = min(_CHUNK_ROWS, rows - start)
            text, ends = _chunk(random, start, count)
            whole.write(text)
            if start < head_rows:
                inside = min(count, head_rows - start)
                head.write(text[: ends[inside - 1]])


def _chunk(
    random: np.random.Generator, start: int, count: int
) -> tuple[bytes, NDArray[np.int64]]:
    """Return the text of some rows, and the end of each row in it."""
    time_ms = np.arange(start, start + count, dtype=np.int64) * 1000 // _ROWS_PER_S
    directions = (random.random(count) >= _READ_SHARE).astype(np.int64)
    stalled = random.random(count) < _STALLED_SHARE
    spread = np.exp(_SIGMA[directions] * random.standard_normal(count))
    stall = np.where(stalled, 1 + 20 * random.pareto(1.6, count).clip(0, 50), 1.0)
    lat_ns = np.rint(_MEDIAN_NS[directions] * spread * stall).astype(np.int64)
    offset = random.integers(0, _BLOCKS, count) * _BLOCK_SIZE_BYTES
    cells = np.hstack([
        _digits(time_ms, _TIME_DIGITS),
        _constant(", ", count),
        _digits(lat_ns, _VALUE_DIGITS),
        _constant(", ", count),
        _digits(directions, 1),
        _constant(f", {_BLOCK_SIZE_BYTES}, ", count),
        _digits(offset, _OFFSET_DIGITS),
        _constant(", 0x0000\n", count),
    ])
    is_text = cells > 0
    return cells[is_text].tobytes(), np.cumsum(is_text.sum(axis=1))


def _digits(values: NDArray[np.int64], width: int) -> _Text:
    """Return numbers as rows of characters, leading zeros as 0."""
    cells = np.zeros((len(values), width), np.uint8)
    rest = values
    for place in range(width - 1, -1, -1):
        shorter = rest // 10
        is_there = (rest > 0) | (place == width - 1)
        cells[:, place] = np.where(is_there, rest - shorter * 10 + ord("0"), 0)
        rest = shorter
    return cells


def _constant(text: str, count: int) -> _Text:
    return np.broadcast_to(np.frombuffer(text.encode(), np.uint8), (count, len(text)))
