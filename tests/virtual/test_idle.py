"""Garbage collection in idle time: when it runs, how far, and what it leaves alone."""

import time
from dataclasses import replace

import pytest

from ssdlab.model.units import MIB
from ssdlab.virtual.nbd import NbdClient
from ssdlab.virtual.server import VirtualSsd
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED, random_writes

PAGE = 4096
SIZE = 32 * MIB
ROOMY = replace(
    UNTIMED, over_provisioning_percent=100, idle_ms=200, idle_free_percent=100
)
"""A drive that may be written twice over before it must collect, and that rests."""
RESTED = replace(ROOMY, idle_duty_percent=100)


def write_twice(client: NbdClient) -> None:
    """Fill the drive and overwrite all of it: half its blocks are wholly invalid."""
    for offset in (*range(0, SIZE, MIB), *range(0, SIZE, MIB)):
        client.write(offset, bytes(MIB))


def idle_erases(ssd: VirtualSsd) -> int:
    return ssd.counters().idle_erases


@pytest.mark.fio
@pytest.mark.parametrize("share_percent", [30, 60])
def test_rest_frees_the_share_of_the_spare_that_was_asked_for(
    serve: Serve, share_percent: int
) -> None:
    ssd = serve(replace(UNTIMED, idle_ms=20, idle_free_percent=share_percent))
    random_writes(ssd, io_size="128m")
    before = ssd.counters()
    time.sleep(0.3)
    with NbdClient(ssd.socket_path) as client:
        client.read(0, 1)
    after = ssd.counters()
    data_blocks = UNTIMED.size_bytes // PAGE // UNTIMED.pages_per_block
    spare_a_die = (after.blocks - data_blocks) // UNTIMED.dies
    asked = spare_a_die * share_percent // 100 * UNTIMED.dies
    assert before.free_blocks < 3 * UNTIMED.dies < asked == after.free_blocks
    moved = after.idle_moved_bytes - before.idle_moved_bytes
    assert moved == after.gc_moved_bytes - before.gc_moved_bytes > 0
    assert moved == after.nand_written_bytes - before.nand_written_bytes
    assert (
        after.idle_erases - before.idle_erases == after.erases - before.erases >= asked
    )
    assert after.mapped_bytes == before.mapped_bytes


def test_content_is_kept_when_it_moves_in_idle_time(serve: Serve) -> None:
    ssd = serve(replace(RESTED, over_provisioning_percent=20, idle_ms=10))
    pages = {at: bytes([at % 251 + 1]) * PAGE for at in range(0, 8192, 3)}
    with NbdClient(ssd.socket_path) as client:
        for offset in range(0, SIZE, MIB):
            client.write(offset, bytes(MIB))
        for at, content in pages.items():
            client.write(at * PAGE, content)
        time.sleep(0.1)
        assert all(client.read(at * PAGE, PAGE) == pages[at] for at in pages)
    assert ssd.counters().idle_moved_bytes > 0


def test_nothing_is_collected_when_every_gap_is_short(serve: Serve) -> None:
    ssd = serve(replace(RESTED, idle_ms=500))
    with NbdClient(ssd.socket_path) as client:
        write_twice(client)
        began = time.monotonic()
        while time.monotonic() - began < 1.2:
            time.sleep(0.01)
            client.read(0, 1)
        assert ssd.counters().idle_gaps > 20
        assert idle_erases(ssd) == 0
        time.sleep(0.6)
        client.read(0, 1)
    assert idle_erases(ssd) > 0


def test_nothing_is_collected_while_a_request_is_outstanding(serve: Serve) -> None:
    ssd = serve(replace(RESTED, read_us=1_000_000))
    with NbdClient(ssd.socket_path) as slow, NbdClient(ssd.socket_path) as other:
        write_twice(slow)
        slow._send(0, count=PAGE)
        while not ssd.counters().in_flight:
            time.sleep(0.001)
        before = idle_erases(ssd)
        time.sleep(0.6)
        other.write(0, bytes(PAGE))
        assert ssd.counters().in_flight == 1
        assert idle_erases(ssd) == before
        slow._require_success()
        slow._receive(PAGE)


def test_nothing_is_collected_when_it_is_switched_off(serve: Serve) -> None:
    ssd = serve(replace(ROOMY, idle_ms=0))
    with NbdClient(ssd.socket_path) as client:
        write_twice(client)
        time.sleep(0.3)
        client.read(0, 1)
    assert idle_erases(ssd) == ssd.counters().erases == 0


# An erase takes 100 ms, +-5 %, and the next begins when the die has rested from it.
@pytest.mark.parametrize("duty_percent", [100, 25])
def test_each_die_erases_for_its_own_time_and_a_request_waits_for_one_erase(
    serve: Serve, duty_percent: int
) -> None:
    ssd = serve(replace(ROOMY, erase_us=100_000, idle_duty_percent=duty_percent))
    with NbdClient(ssd.socket_path) as client:
        write_twice(client)
        answered = time.monotonic()
        time.sleep(2.2)
        asked = time.monotonic()
        client.flush()
        waited_s = time.monotonic() - asked
    turn_s = 0.1 * 100 / duty_percent
    least = int((asked - answered - 0.2) / (1.05 * turn_s))
    most = int((asked - answered - 0.2 + 0.05) / (0.95 * turn_s)) + 1
    assert least <= idle_erases(ssd) / ROOMY.dies <= most
    assert waited_s < 0.105 + 0.09


def test_purge_after_a_rest_leaves_every_block_free(serve: Serve) -> None:
    ssd = serve(replace(RESTED, idle_ms=10, idle_free_percent=50))
    with NbdClient(ssd.socket_path) as client:
        write_twice(client)
    time.sleep(0.1)
    ssd.purge()
    seen = ssd.counters()
    assert seen.idle_erases > 0
    assert (seen.mapped_bytes, seen.free_blocks, seen.full_trims) == (0, seen.blocks, 1)
    time.sleep(0.1)
    ssd.purge()
    assert idle_erases(ssd) == seen.idle_erases
