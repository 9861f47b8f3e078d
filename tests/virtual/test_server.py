"""The server outlives its client, is found again, and is never mistaken for another."""

import json
import os
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from ssdlab.model.errors import MissingToolError, RunFolderError, TargetRefusedError
from ssdlab.virtual.nbd import NbdClient
from ssdlab.virtual.options import MAX_SIZE_BYTES, VirtualSsdOptions
from ssdlab.virtual.process import identify_process
from ssdlab.virtual.record import write_record
from ssdlab.virtual.server import VirtualSsd, attach, start_server
from tests.virtual.conftest import Serve
from tests.virtual.lab import UNTIMED

PARENT = """
import os, signal, sys
from pathlib import Path
from ssdlab.virtual.nbd import NbdClient
from ssdlab.virtual.options import parse_options
from ssdlab.virtual.server import start_server

options = parse_options("size=16MiB,linger=60")
ssd = start_server(options, Path(sys.argv[1]), cache_folder=Path(sys.argv[2]))
with NbdClient(ssd.socket_path) as client:
    client.write(4096, b"kept")
print(ssd.instance_id, flush=True)
os.killpg(0, signal.SIGINT if sys.argv[3] == "SIGINT" else signal.SIGKILL)
"""


def _wait_for_end(ssd: VirtualSsd, seconds: float) -> float:
    began = time.monotonic()
    while ssd.is_alive() and time.monotonic() - began < seconds:
        time.sleep(0.02)
    assert not ssd.is_alive()
    return time.monotonic() - began


@pytest.mark.parametrize("sent", ["SIGKILL", "SIGINT"])
def test_content_is_kept_when_the_parent_and_its_group_are_ended(
    tmp_path: Path, plugin_cache: Path, sent: str
) -> None:
    run = tmp_path / "run"
    command = [sys.executable, "-c", PARENT, str(run), str(plugin_cache), sent]
    done = subprocess.run(
        command, start_new_session=True, capture_output=True, text=True, check=False
    )
    assert done.returncode == -signal.Signals[sent]
    ssd = attach(run)
    try:
        assert ssd.instance_id == done.stdout.strip()
        assert ssd.options == VirtualSsdOptions(size_bytes=16 << 20, linger_s=60)
        with NbdClient(ssd.socket_path) as client:
            assert client.read(4096, 4) == b"kept"
    finally:
        ssd.stop()


def test_stop_ends_the_server_and_leaves_nothing_in_the_temp_folder(
    tmp_path: Path, plugin_cache: Path
) -> None:
    (temp := tmp_path / "t").mkdir()
    ssd = start_server(
        UNTIMED, tmp_path / "run", cache_folder=plugin_cache, temp_folder=temp
    )
    assert stat.S_IMODE(ssd.record.socket_folder.stat().st_mode) == 0o700
    assert ssd.record.socket_folder.parent == temp
    with NbdClient(ssd.socket_path):  # a client that hangs about does not keep it alive
        ssd.stop()
    assert not ssd.is_alive()
    assert list(temp.iterdir()) == []
    ssd.stop()
    assert ssd.counters().connections <= 1


def test_attach_says_that_the_content_is_lost_when_the_server_was_killed(
    tmp_path: Path, plugin_cache: Path
) -> None:
    (temp := tmp_path / "t").mkdir()
    run = tmp_path / "run"
    ssd = start_server(UNTIMED, run, cache_folder=plugin_cache, temp_folder=temp)
    os.kill(ssd.process.pid, signal.SIGKILL)
    _wait_for_end(ssd, 5)
    with pytest.raises(TargetRefusedError, match=r"content is lost. Begin a new run"):
        attach(run)
    assert list(temp.iterdir()) == []
    with pytest.raises(TargetRefusedError, match="the purge failed"):
        ssd.purge()
    again = start_server(UNTIMED, run, cache_folder=plugin_cache)
    try:
        assert again.instance_id != ssd.instance_id
        assert attach(run) == again
    finally:
        again.stop()


def test_attach_refuses_a_folder_that_never_had_a_server(tmp_path: Path) -> None:
    with pytest.raises(TargetRefusedError, match="no server was started for this run"):
        attach(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format_version": 2}',
        '{"format_version": 1, "process": 7, "options": {}}',
        '{"format_version": 1, "process": {"pid": 1}, "options": {"dies": 0}}',
    ],
)
def test_attach_refuses_a_damaged_record(tmp_path: Path, text: str) -> None:
    (tmp_path / "server.json").write_text(text)
    with pytest.raises(RunFolderError, match=r"server.json is damaged or of another"):
        attach(tmp_path)


def test_stop_spares_a_stranger_that_has_the_number_of_the_server(
    serve: Serve, tmp_path: Path
) -> None:
    ssd = serve(UNTIMED)
    stranger = subprocess.Popen(["sleep", "60"])
    try:
        known = identify_process(stranger.pid)
        assert known is not None
        earlier = replace(known, start_ticks=known.start_ticks - 1)
        (forged := tmp_path / "forged").mkdir()
        write_record(forged, replace(ssd.record, process=earlier))
        VirtualSsd(folder=forged, record=replace(ssd.record, process=earlier)).stop()
        assert stranger.poll() is None
        with pytest.raises(TargetRefusedError, match="has ended"):
            attach(forged)
    finally:
        stranger.kill()
        stranger.wait()


def test_stop_spares_a_process_of_ours_that_is_no_server(
    serve: Serve, tmp_path: Path
) -> None:
    """A stranger who knows our processes may name one of them in a record."""
    ssd = serve(UNTIMED)
    (forged := tmp_path / "forged").mkdir()
    (forged / "counters.bin").write_bytes(ssd.counters_path.read_bytes())
    innocent = subprocess.Popen(["sleep", "60"])
    try:
        named = identify_process(innocent.pid)
        assert named is not None
        for process in (named, ssd.process):  # also the server of another run
            record = replace(ssd.record, process=process)
            write_record(forged, record)
            with pytest.raises(TargetRefusedError, match="has ended"):
                attach(forged)
            VirtualSsd(folder=forged, record=record).stop()
        assert innocent.poll() is None
        assert ssd.is_alive()
        assert ssd.socket_path.exists()
    finally:
        innocent.kill()
        innocent.wait()


def test_a_run_folder_that_was_moved_keeps_its_server(
    serve: Serve, tmp_path: Path
) -> None:
    ssd = serve(UNTIMED)
    moved = ssd.folder.rename(tmp_path / "moved")
    again = attach(moved)
    assert again.record == ssd.record
    again.stop()
    assert not identify_process(ssd.process.pid)


def _as_it_was(folder: Path, _pid: int) -> Path:
    return folder


def _behind_a_link(folder: Path, _pid: int) -> Path:
    link = folder.with_name("ssdlab-link")
    link.symlink_to(folder)
    return link


def _open_to_others(folder: Path, _pid: int) -> Path:
    folder.chmod(0o750)
    return folder


def _with_another_name(folder: Path, _pid: int) -> Path:
    return folder.rename(folder.with_name("mine"))


def _with_a_thesis(folder: Path, _pid: int) -> Path:
    (folder / "thesis.tex").write_text("years of work")
    return folder


def _of_another_process(folder: Path, pid: int) -> Path:
    (folder / "pid").write_text(f"{pid + 1}\n")
    return folder


def _of_one_that_runs(folder: Path, _pid: int) -> Path:
    (folder / "pid").write_text(f"{os.getpid()}\n")
    return folder


@pytest.mark.parametrize(
    ("spoil", "pid"),
    [
        (_as_it_was, 0),
        (_behind_a_link, 0),
        (_open_to_others, 0),
        (_with_another_name, 0),
        (_with_a_thesis, 0),
        (_of_another_process, 0),
        pytest.param(_of_one_that_runs, os.getpid(), id="_of_one_that_runs"),
    ],
)
def test_attach_tidies_only_what_a_server_of_ours_left(
    tmp_path: Path,
    plugin_cache: Path,
    spoil: Callable[[Path, int], Path],
    pid: int,
) -> None:
    (temp := tmp_path / "t").mkdir()
    run = tmp_path / "run"
    ssd = start_server(UNTIMED, run, cache_folder=plugin_cache, temp_folder=temp)
    os.kill(ssd.process.pid, signal.SIGKILL)
    _wait_for_end(ssd, 5)
    place = spoil(ssd.record.socket_folder, ssd.process.pid)
    named = replace(ssd.process, pid=pid or ssd.process.pid)
    write_record(run, replace(ssd.record, process=named, socket_folder=place))
    before = {path.name for path in temp.rglob("*")}
    with pytest.raises(TargetRefusedError, match="has ended"):
        attach(run)
    left = {path.name for path in temp.rglob("*")}
    assert left == (set() if spoil is _as_it_was else before)


def test_one_server_is_started_when_many_start_for_one_folder(
    tmp_path: Path, plugin_cache: Path
) -> None:
    def start(_: int) -> VirtualSsd | TargetRefusedError:
        try:
            return start_server(UNTIMED, tmp_path / "run", cache_folder=plugin_cache)
        except TargetRefusedError as error:
            return error

    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(start, range(4)))
    started = [one for one in results if isinstance(one, VirtualSsd)]
    refused = [str(one) for one in results if isinstance(one, TargetRefusedError)]
    try:
        assert len(started) == 1
        assert all("already running" in text for text in refused)
        assert attach(tmp_path / "run") == started[0]
    finally:
        for ssd in started:
            ssd.stop()


def test_server_is_reached_when_the_run_folder_has_a_long_and_odd_name(
    tmp_path: Path, plugin_cache: Path
) -> None:
    folder = tmp_path / ("a long = name, with 'odd' things & \u00fc" * 4) / "run"
    ssd = start_server(UNTIMED, folder, cache_folder=plugin_cache)
    try:
        assert len(os.fsencode(ssd.socket_path)) <= 107 < len(os.fsencode(folder))
        with NbdClient(ssd.socket_path) as client:
            client.write(0, b"x")
        assert ssd.counters().host_written_bytes == 1
    finally:
        ssd.stop()


def test_start_server_refuses_a_temp_folder_whose_path_is_too_long(
    tmp_path: Path, plugin_cache: Path
) -> None:
    (temp := tmp_path / ("t" * 100)).mkdir()
    with pytest.raises(TargetRefusedError, match=r"exceeds 107 bytes.*TMPDIR"):
        start_server(
            UNTIMED, tmp_path / "run", cache_folder=plugin_cache, temp_folder=temp
        )
    assert list(temp.iterdir()) == []


def test_server_ends_by_itself_when_nobody_was_connected_for_its_linger_time(
    tmp_path: Path, plugin_cache: Path
) -> None:
    (temp := tmp_path / "t").mkdir()
    ssd = start_server(
        replace(UNTIMED, linger_s=1),
        tmp_path / "run",
        cache_folder=plugin_cache,
        temp_folder=temp,
    )
    with NbdClient(ssd.socket_path) as client:
        time.sleep(1.3)
        client.write(0, b"still here")
        assert ssd.is_alive()
    assert 0.7 < _wait_for_end(ssd, 5) < 4
    assert list(temp.iterdir()) == []


def test_start_server_shows_what_nbdkit_said_when_it_does_not_start(
    tmp_path: Path, plugin_cache: Path
) -> None:
    (temp := tmp_path / "t").mkdir()
    (programs := tmp_path / "bin").mkdir()
    (programs / "gcc").symlink_to("/usr/bin/gcc")
    (programs / "nbdkit").write_text("#!/bin/sh\necho 'no such filter' >&2; exit 1\n")
    (programs / "nbdkit").chmod(0o755)
    with pytest.raises(TargetRefusedError, match="did not start: no such filter"):
        start_server(
            UNTIMED,
            tmp_path / "run",
            cache_folder=plugin_cache,
            temp_folder=temp,
            search_path=f"{programs}:/usr/bin",
        )
    assert list(temp.iterdir()) == []
    assert not (tmp_path / "run" / "server.json").exists()


def test_start_server_makes_no_folder_when_nbdkit_is_missing(tmp_path: Path) -> None:
    with pytest.raises(MissingToolError, match=r"^nbdkit is needed"):
        start_server(
            UNTIMED, tmp_path / "run", cache_folder=tmp_path / "c", search_path="/none"
        )
    assert list(tmp_path.iterdir()) == []


def test_start_server_refuses_a_drive_that_memory_cannot_hold(tmp_path: Path) -> None:
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if memory_bytes >= 2 * MAX_SIZE_BYTES:
        pytest.skip("this machine's memory holds any virtual SSD")
    huge = VirtualSsdOptions(size_bytes=MAX_SIZE_BYTES)
    with pytest.raises(TargetRefusedError, match="at most half of the memory"):
        start_server(huge, tmp_path / "run", cache_folder=tmp_path / "c")


def test_record_is_readable_json(serve: Serve) -> None:
    ssd = serve(UNTIMED)
    document = json.loads((ssd.folder / "server.json").read_text())
    assert document["process"]["pid"] == ssd.process.pid
    assert document["options"]["dies"] == UNTIMED.dies
    assert ssd.uri.startswith("nbd+unix:///?socket=/")
