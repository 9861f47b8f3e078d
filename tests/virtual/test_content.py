"""Data read back is what was written, whatever the size and place of the requests."""

import random
import threading

import pytest

from ssdlab.model.units import MIB
from ssdlab.virtual.nbd import NbdClient
from ssdlab.virtual.options import VirtualSsdOptions
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED, run_fio

SMALL = VirtualSsdOptions(
    size_bytes=2 * MIB,
    over_provisioning_percent=7,
    dies=3,
    pages_per_block=8,
    read_us=0,
    program_us=0,
    erase_us=0,
    command_us=0,
    link_mb_per_s=0,
    linger_s=60,
)


def _whole_pages(offset: int, count: int) -> slice:
    return slice(-(-offset // 4096) * 4096, (offset + count) // 4096 * 4096)


def _do_one(client: NbdClient, oracle: bytearray, choose: random.Random) -> None:
    offset = choose.randrange(len(oracle))
    count = min(choose.choice((1, 511, 512, 4096, 5000, 70_000)), len(oracle) - offset)
    match choose.choice("wwwrrt"):
        case "w":
            data = choose.randbytes(count)
            client.write(offset, data)
            oracle[offset : offset + count] = data
        case "t":
            client.trim(offset, count)
            pages = _whole_pages(offset, count)
            if pages.start < pages.stop:
                oracle[pages] = bytes(pages.stop - pages.start)
        case _:
            assert client.read(offset, count) == oracle[offset : offset + count]


def test_content_is_that_of_plain_memory_after_random_requests(serve: Serve) -> None:
    ssd, choose = serve(SMALL), random.Random(5)
    oracle = bytearray(SMALL.size_bytes)
    with NbdClient(ssd.socket_path) as client:
        assert client.size_bytes == SMALL.size_bytes
        for _ in range(4000):
            _do_one(client, oracle, choose)
        assert client.read(0, len(oracle)) == oracle
    seen = ssd.counters()
    assert seen.gc_moved_bytes > 0
    assert seen.erases > seen.blocks


def test_content_is_right_when_many_clients_write_side_by_side(serve: Serve) -> None:
    ssd, clients = serve(SMALL), 8
    stripe = SMALL.size_bytes // clients
    failed: list[int] = []

    def work(number: int) -> None:
        data = b""
        with NbdClient(ssd.socket_path) as client:
            for turn in range(12):
                data = random.Random(100 * number + turn).randbytes(stripe)
                for at in range(0, stripe, 5000):
                    client.write(number * stripe + at, data[at : at + 5000])
            if client.read(number * stripe, stripe) != data:
                failed.append(number)

    threads = [threading.Thread(target=work, args=(n,)) for n in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []


def test_server_refuses_requests_beyond_the_end_and_lives_on(serve: Serve) -> None:
    ssd = serve(SMALL)
    with NbdClient(ssd.socket_path) as client:
        with pytest.raises(OSError, match="refused"):
            client.write(SMALL.size_bytes - 1, b"ab")
        with pytest.raises(OSError, match="refused"):
            client.read(SMALL.size_bytes, 1)
        client.write(SMALL.size_bytes - 1, b"z")
        assert client.read(SMALL.size_bytes - 1, 1) == b"z"


@pytest.mark.fio
def test_fio_verifies_random_writes_of_many_sizes(serve: Serve) -> None:
    ssd = serve(UNTIMED)
    job = run_fio(
        ssd,
        "--rw=randwrite",
        "--bsrange=512-256k",
        "--blockalign=512",
        "--size=32m",
        "--io_size=128m",
        "--iodepth=16",
        "--verify=crc32c",
        "--verify_fatal=1",
        "--do_verify=1",
        "--verify_state_save=0",
    )
    assert job["read"]["io_bytes"] > 0
    seen = ssd.counters()
    assert seen.host_read_bytes >= job["read"]["io_bytes"]
    assert seen.nand_written_bytes > seen.host_written_bytes
