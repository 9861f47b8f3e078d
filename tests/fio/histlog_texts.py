"""Histogram logs as text, small, in the form that fio writes."""

import random
from collections.abc import Mapping

COLUMNS = 29  # 1856 bins in ns at coarseness 6


def record(
    time_ms: int,
    counts: Mapping[int, int],
    *,
    direction: int = 0,
    columns: int = COLUMNS,
) -> bytes:
    """Return one line: counts by column, the others 0."""
    cells = [counts.get(column, 0) for column in range(columns)]
    return ", ".join(map(str, [time_ms, direction, 4096, *cells])).encode() + b"\n"


def damaged_text(seed: int) -> bytes:
    """Return lines of a log of which some are damaged, the same for a seed."""
    chance = random.Random(seed)
    text = bytearray()
    for number in range(chance.randrange(1, 6)):
        columns = chance.choice((1, 2, 19, 29, 38, 232, 1216, 1856, 1857, 2000))
        counts = {
            chance.randrange(columns): 10 ** chance.randrange(25)
            for _ in range(chance.randrange(40))
        }
        text += record(1001 * number, counts, columns=columns)
    for _ in range(chance.choice((0, 0, 1, 2, 9))):
        place = chance.randrange(len(text))
        insert = bytes(chance.choices(b"0123 ,\n\r\t-x\0\xff", k=chance.randrange(4)))
        text[place : place + chance.randrange(3)] = insert
    return bytes(text)
