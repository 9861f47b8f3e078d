"""Which processors are near a drive."""

from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.host.affinity import list_nodes, local_cpus
from tests.host.made_host import DRIVE, write_files

NODES = "sys/devices/system/node"
TWO = {
    f"{NODES}/node0/cpulist": "0-3,8-11",
    f"{NODES}/node1/cpulist": "4-7,12-15",
    f"{NODES}/online": "0-1",
}


@pytest.mark.parametrize(
    ("node", "allowed", "expected"),
    [
        (1, range(16), (4, 5, 6, 7, 12, 13, 14, 15)),
        (0, range(16), (0, 1, 2, 3, 8, 9, 10, 11)),
        (1, (3, 4, 15), (4, 15)),
        (1, (0, 1), ()),
        (None, range(16), ()),
        (-1, range(16), ()),
        (7, range(16), ()),
    ],
)
def test_local_cpus_are_those_of_the_node_that_may_be_used(
    node: int | None, allowed: range, expected: tuple[int, ...], tmp_path: Path
) -> None:
    write_files(tmp_path, TWO)
    drive = replace(DRIVE, numa_node=node)
    assert local_cpus(drive, tmp_path, allowed=allowed) == expected


def test_no_cpus_are_preferred_where_there_is_one_node(tmp_path: Path) -> None:
    write_files(tmp_path, {f"{NODES}/node0/cpulist": "0-3"})
    assert local_cpus(DRIVE, tmp_path, allowed=range(4)) == ()


def test_node_that_has_memory_alone_is_no_choice(tmp_path: Path) -> None:
    files = {f"{NODES}/node0/cpulist": "0-3", f"{NODES}/node1/cpulist": ""}
    write_files(tmp_path, files)
    assert list_nodes(tmp_path) == (0,)
    assert local_cpus(DRIVE, tmp_path, allowed=range(4)) == ()


def test_no_cpus_are_preferred_without_a_drive_or_without_nodes(
    tmp_path: Path,
) -> None:
    assert local_cpus(DRIVE, tmp_path, allowed=range(4)) == ()
    write_files(tmp_path, TWO)
    assert local_cpus(None, tmp_path, allowed=range(16)) == ()
    assert local_cpus(None) == ()
