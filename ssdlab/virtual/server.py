"""Start, reattach, purge and stop the server of a virtual SSD.

Removal of the socket folder that a killed server left.

The path of that folder comes from a file that anybody may have written.
"""

import os
import shutil
import signal
import stat
import subprocess
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final, NoReturn
from urllib.parse import quote

import numpy as np
from numpy.typing import NDArray

from ssdlab.model.errors import RunFolderError, TargetRefusedError
from ssdlab.model.units import capacity_label
from ssdlab.system.folders import Folder
from ssdlab.virtual.build import OpenPlugin, opened_plugin
from ssdlab.virtual.counters import (
    Counters,
    IdleGap,
    RequestRecord,
    read_block_erase_counts,
    read_counters,
    read_idle_gaps,
    read_page_write_counts,
    read_request_record,
)
from ssdlab.virtual.nbd import NbdClient
from ssdlab.virtual.options import VirtualSsdOptions, plugin_arguments, require_usable
from ssdlab.virtual.process import (
    ProcessIdentity,
    has_open,
    identify_process,
    is_running,
    signal_process,
    was_started_with,
)
from ssdlab.virtual.record import (
    PID_NAME,
    SOCKET_NAME,
    ServerRecord,
    locked,
    read_record,
    write_record,
)

FOLDER_PREFIX: Final = "ssdlab-"
_MOST_BYTES: Final = 32  # of a process number
COUNTERS_NAME: Final = "counters.bin"
MAX_SOCKET_PATH_BYTES: Final = 107  # sun_path without its final zero
THREADS: Final = (
    128  # requests that one connection may have outstanding: T4/Q32 by one job
)
_START_PATIENCE_S: Final = 10.0
_STOP_PATIENCE_S: Final = 2.0
_TRIM_BYTES: Final = 1 << 30


def tidy_after(record: ServerRecord) -> None:
    """Remove the socket folder of a server that has ended, if it is one.

    It is one if `tempfile.mkdtemp` made it for this user, if it has only files of a
    server, and if the process noted in it is that of the record and does not run.
    """
    path = record.socket_folder
    with suppress(OSError, ValueError, RunFolderError):
        folder = Folder(path.parent) / path.name
        if _is_private(path) and _is_left_behind(folder, record.process.pid):
            for name in folder.names():
                folder.remove(name)
            path.rmdir()


def _is_private(path: Path) -> bool:
    state = path.lstat()
    is_closed = stat.S_ISDIR(state.st_mode) and stat.S_IMODE(state.st_mode) == 0o700
    is_mine = state.st_uid == os.geteuid()
    return is_closed and is_mine and path.name.startswith(FOLDER_PREFIX)


def _is_left_behind(folder: Folder, pid: int) -> bool:
    names = folder.names()
    if not names:
        return True
    is_all_known = set(names) <= {SOCKET_NAME, PID_NAME}
    noted = int(folder.read(PID_NAME, limit=_MOST_BYTES)) if is_all_known else None
    return noted == pid and identify_process(pid) is None


@dataclass(frozen=True, kw_only=True, slots=True)
class VirtualSsd:
    """A virtual SSD that is or was served."""

    folder: Path
    record: ServerRecord

    @property
    def options(self) -> VirtualSsdOptions:
        """The parameters of the drive."""
        return self.record.options

    @property
    def process(self) -> ProcessIdentity:
        """The process of the server."""
        return self.record.process

    @property
    def instance_id(self) -> str:
        """An identifier of this drive and its content; each server has its own."""
        process = self.process
        return f"{process.boot_id[:8]}-{process.pid}-{process.start_ticks}"

    @property
    def socket_path(self) -> Path:
        """Where the server listens."""
        return self.record.socket_folder / SOCKET_NAME

    @property
    def uri(self) -> str:
        """The ``uri`` for fio's nbd engine."""
        return socket_uri(str(self.socket_path))

    @property
    def counters_path(self) -> Path:
        """The file of live counters; it remains when the server has ended."""
        return self.folder / COUNTERS_NAME

    def is_alive(self) -> bool:
        """Tell whether the server runs, and is the one of this folder.

        The record may have been written by anybody, so it alone is never a reason to
        signal, reach or remove anything. A server of ours has the counters of this
        folder open, and its socket on its command line.
        """
        return (
            is_running(self.process)
            and was_started_with(self.process, str(self.socket_path))
            and has_open(self.process, self.counters_path)
        )

    def counters(self) -> Counters:
        """Return the current counters."""
        return read_counters(self.counters_path)

    def idle_gaps(self) -> tuple[IdleGap, ...]:
        """Return the latest idle gaps, oldest first."""
        return read_idle_gaps(self.counters_path)

    def request_record(self) -> RequestRecord:
        """Return the sizes and places of all requests since the server began."""
        return read_request_record(self.counters_path)

    def page_write_counts(self) -> NDArray[np.uint32]:
        """Return how often the host wrote each 4 KiB page since the last purge."""
        return read_page_write_counts(self.counters_path)

    def block_erase_counts(self) -> NDArray[np.uint32]:
        """Return how often each block was erased since the server began."""
        return read_block_erase_counts(self.counters_path)

    def purge(self) -> None:
        """Trim everything: the drive is FOB when this returns."""
        try:
            with NbdClient(self.socket_path) as client:
                for offset in range(0, client.size_bytes, _TRIM_BYTES):
                    client.trim(offset, min(_TRIM_BYTES, client.size_bytes - offset))
        except OSError as error:
            reason = f"the purge failed ({error})"
            _refuse(self.folder, reason, "Begin a new run.")

    def stop(self) -> None:
        """End the server, if it is this one, and remove its socket folder."""
        signals = (signal.SIGTERM, signal.SIGKILL) if self.is_alive() else ()
        for sent in signals:  # SIGTERM waits for clients
            signal_process(self.process, sent)
            # A process that exits has closed its files and still runs.
            if _wait_until(
                lambda: not is_running(self.process), patience_s=_STOP_PATIENCE_S
            ):
                break
        tidy_after(self.record)


def socket_uri(socket_path: str) -> str:
    """Return the ``uri`` for fio of a drive that is served at a socket."""
    return f"nbd+unix:///?socket={quote(socket_path)}"


def start_server(
    options: VirtualSsdOptions,
    folder: Path,
    *,
    cache_folder: Path | None = None,
    temp_folder: Path | None = None,
    search_path: str | None = None,
) -> VirtualSsd:
    """Serve a new, empty virtual SSD that outlives this process.

    ``folder`` (of the run) gets ``server.json`` and the counters; the plugin is built
    in ``cache_folder`` (the user's, if ``None``); a private folder for the socket,
    whose path must be short, is made in ``temp_folder`` (the system's, if ``None``).
    """
    require_usable(options)
    _require_memory(options)
    with opened_plugin(cache_folder, search_path=search_path) as plugin:
        folder = folder.resolve()
        Folder(folder).make()
        with locked(folder):
            _require_no_server(folder)
            record = _serve(plugin, options, folder=folder, temp_folder=temp_folder)
            write_record(folder, record)
    return VirtualSsd(folder=folder, record=record)


def _serve(
    plugin: OpenPlugin,
    options: VirtualSsdOptions,
    *,
    folder: Path,
    temp_folder: Path | None,
) -> ServerRecord:
    Folder(folder).remove(COUNTERS_NAME)
    socket_folder = _make_socket_folder(temp_folder)
    try:
        process = _launch(plugin, options, folder=folder, socket_folder=socket_folder)
    except BaseException:
        shutil.rmtree(socket_folder, ignore_errors=True)
        raise
    return ServerRecord(process=process, socket_folder=socket_folder, options=options)


def attach(folder: Path) -> VirtualSsd:
    """Return the virtual SSD that was started for this folder and still runs."""
    folder = folder.resolve()
    record = read_record(folder)
    if record is None:
        reason = "no server was started for this run"
        _refuse(folder, reason, "Begin a new run.")
    ssd = VirtualSsd(folder=folder, record=record)
    if not ssd.is_alive():
        tidy_after(record)
        reason = (
            f"its server (process {record.process.pid}) has ended; the content is lost"
        )
        _refuse(folder, reason, "Begin a new run.")
    return ssd


def _launch(
    plugin: OpenPlugin, options: VirtualSsdOptions, *, folder: Path, socket_folder: Path
) -> ProcessIdentity:
    pid_file = socket_folder / PID_NAME
    shared_object = f"/proc/self/fd/{plugin.descriptor}"
    command = [
        *(plugin.nbdkit, "--unix", str(socket_folder / SOCKET_NAME)),
        *("--pidfile", str(pid_file), "--threads", str(THREADS), shared_object),
        *plugin_arguments(options),
        *(f"counters={folder / COUNTERS_NAME}", f"tidy={socket_folder}"),
    ]
    # A pipe would stay open until the daemon ends.
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=said,
            start_new_session=True,
            check=False,
            # Its guard.c must come before the C library.
            env={**os.environ, "LD_PRELOAD": shared_object},
            pass_fds=(plugin.descriptor,),
        )
        said.seek(0)
        text = said.read().decode(errors="replace").strip()
    if done.returncode:
        reason = f"nbdkit did not start: {text or f'exit code {done.returncode}'}"
        _refuse(folder, reason, "Fix that and run again.")
    _wait_until(lambda: pid_file.is_file() and pid_file.read_text().endswith("\n"))
    process = identify_process(int(pid_file.read_text()))
    if process is None:
        reason = "nbdkit ended at once"
        _refuse(folder, reason, "See its messages in syslog.")
    return process


def _make_socket_folder(temp_folder: Path | None) -> Path:
    made = Path(tempfile.mkdtemp(prefix=FOLDER_PREFIX, dir=temp_folder)).resolve()
    if len(os.fsencode(made / SOCKET_NAME)) > MAX_SOCKET_PATH_BYTES:
        made.rmdir()
        reason = f"the path of a socket there exceeds {MAX_SOCKET_PATH_BYTES} bytes"
        _refuse(made.parent, reason, "Set TMPDIR to a shorter folder.")
    return made


def _require_no_server(folder: Path) -> None:
    record = read_record(folder)
    if record is None:
        return
    if VirtualSsd(folder=folder, record=record).is_alive():
        reason = f"its server (process {record.process.pid}) is already running"
        _refuse(folder, reason, "Resume that run, or begin one in another folder.")
    tidy_after(record)


def _require_memory(options: VirtualSsdOptions) -> None:
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    if options.size_bytes <= memory_bytes // 2:
        return
    size, memory = capacity_label(options.size_bytes), capacity_label(memory_bytes)
    raise TargetRefusedError(
        target="virtual",
        reason=f"a drive of {size} is too large for this machine's memory of {memory}",
        remedy="Choose a size of at most half of the memory.",
    )


def _wait_until(
    condition: Callable[[], bool], patience_s: float = _START_PATIENCE_S
) -> bool:
    deadline = time.monotonic() + patience_s
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.005)
    return True


def _refuse(folder: Path, reason: str, remedy: str) -> NoReturn:
    raise TargetRefusedError(
        target=f"virtual SSD of {folder}", reason=reason, remedy=remedy
    )
