"""Which rows are of one cell, when what is missing equals what is missing."""

import pytest

from ssdlab.analysis.cells import is_of_cell
from tests.analysis.frames import Row, measured, measurements, window, windows

CELLS = measurements([
    measured("a", block_size_bytes=None, read_percent=40, threads=32, queue_depth=32),
    measured("b", block_size_bytes=None, read_percent=40, threads=32, queue_depth=16),
    measured("c", block_size_bytes=None, read_percent=0, threads=32, queue_depth=32),
    measured("d", block_size_bytes=4096, read_percent=40, threads=32, queue_depth=32),
    measured("e", block_size_bytes=4096, read_percent=40, threads=None),
    measured("f", block_size_bytes=4096, read_percent=40, access="seq", threads=32),
])


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ({"block_size_bytes": None, "threads": 32, "queue_depth": 32}, "a"),
        ({"block_size_bytes": None, "threads": 32, "queue_depth": 16}, "b"),
        ({"block_size_bytes": None}, "ab"),
        ({"block_size_bytes": None, "read_percent": 0}, "c"),
        ({"block_size_bytes": 4096}, "de"),
        ({"block_size_bytes": 4096, "threads": 32}, "d"),
        ({"block_size_bytes": 8192}, ""),
    ],
    ids=["tc and qd", "other qd", "any tc", "writes", "any", "known tc", "none"],
)
def test_cell_is_found_by_what_its_judgement_tells(asked: Row, found: str) -> None:
    told = {"access": "rnd", "read_percent": 40} | asked
    verdict = windows([window("demand", 1, 5, **told)]).iloc[0]
    same = is_of_cell(CELLS, verdict)
    assert same.dtype == bool
    assert "".join(CELLS[same]["step_id"]) == found


def test_no_row_is_of_a_cell_when_there_is_none() -> None:
    verdict = windows([window("demand", 1, 5, access="rnd")]).iloc[0]
    assert is_of_cell(CELLS.iloc[:0], verdict).empty
