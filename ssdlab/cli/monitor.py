"""What goes on beside a run: metrics in a file, a command, and a meter of its power.

The command is the user's own, given on the command line, never one of a run folder. It
is started without a shell; facts reach it as variables of its environment. It runs
beside the measurement, is ended after a minute, and its failure is said at the end.
"""

import os
import shlex
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

from ssdlab.cli.group import add_options
from ssdlab.model.errors import RunFolderError
from ssdlab.model.telemetry import METER
from ssdlab.text.openmetrics import Sample, gauge_lines, whole_text

if TYPE_CHECKING:
    from ssdlab.cli.dashboard import View
    from ssdlab.host.meters import Meter
    from ssdlab.store.records import RunState

Event = Literal["steady", "hot", "done", "stopped", "failed"]
_MOST_S: Final = 60.0  # of a command
_METERED: Final = "meter-"
_METER_S: Final = 0.5
_FOLDER_S: Final = 0.05
_EVENTS: Final[dict[str, Event]] = {
    "finished": "done",
    "interrupted": "stopped",
    "failed": "failed",
    "running": "failed",  # its process was killed
}
_OPTIONS: Final = (
    click.option(
        "--openmetrics",
        metavar="FILE.prom",
        type=click.Path(path_type=Path, dir_okay=False),
        help="keep its state in FILE for the textfile collector of node_exporter",
    ),
    click.option(
        "--on-event",
        metavar="COMMAND",
        default="",
        help="run COMMAND when a test is steady, the drive hot, and at the end; "
        "SSDLAB_EVENT is steady, hot, done, stopped or failed; also SSDLAB_RUN, "
        "SSDLAB_TEST, SSDLAB_DEVICE, SSDLAB_MESSAGE",
    ),
    click.option(
        "--meter",
        "meters",
        multiple=True,
        metavar="METER",
        help="record the drive's power: sysfs:FILE, several are summed, or "
        "command:PROGRAM that prints watts",
    ),
)


def monitor_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add to a command what tells others of a run."""
    return add_options(command, _OPTIONS)


@dataclass(kw_only=True)
class Monitor:
    """What goes on beside one run, until it ends.

    ``metrics`` is a file, ``command`` words to be run, ``meter`` counts its energy.
    """

    run: Path
    metrics: Path | None = None
    command: tuple[str, ...] = ()
    meter: "Meter | None" = None
    _sessions: int = field(init=False)
    _told: set[tuple[Event, str]] = field(default_factory=set)
    _running: list[threading.Thread] = field(default_factory=list)
    _troubles: list[str] = field(default_factory=list)
    _recorder: threading.Thread | None = None
    _is_over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        """Take note of what an earlier session of the run has told already."""
        from ssdlab.cli.dashboard import read_view

        state = self._read_state()
        self._sessions = -1 if state is None else len(state.sessions)
        before = None if state is None else read_view(self.run, now_s=0.0)
        tests = before.progress.tests if before is not None else ()
        self._told |= {("steady", one.test) for one in tests if one.is_steady}

    def saw(self, view: "View") -> None:
        """Take note of where the run is."""
        for test in view.progress.tests:
            if test.is_steady:
                self._tell("steady", test.test)
        limit = view.temperature_limit_celsius
        now = view.progress.temperature_celsius
        if limit is not None and now is not None and now >= limit:
            self._tell("hot", view.progress.test)
        self._write(_metric_lines(self.run.name, view))

    def begin(self) -> None:
        """Record the power, as soon as the run has a folder for it."""
        if self.meter is not None and not self._is_over.is_set():
            self._recorder = threading.Thread(
                target=self._record, args=(self.meter,), daemon=True
            )
            self._recorder.start()

    def _record(self, meter: "Meter") -> None:
        from ssdlab.store.telemetry import Source, recording
        from ssdlab.system.folders import Folder

        folder = Folder(self.run) / "telemetry"
        source = Source(name=METER, read=meter.read, interval_s=_METER_S)
        try:
            while not folder.is_there():
                if self._is_over.wait(_FOLDER_S):
                    return
            count = sum(name.startswith(_METERED) for name in folder.visible_names())
            name = f"{_METERED}{count + 1:03d}.jsonl"
            clock = time.time  # noqa: TID251 - here clocks are made
            with recording(folder, name, (source,), clock=clock):
                self._is_over.wait()
        except (OSError, RunFolderError) as error:
            self._troubles.append(f"The power is not recorded: {error}")

    def close(self) -> None:
        """End the recording, and let go of the meter."""
        self._is_over.set()
        if self._recorder is not None:
            self._recorder.join(timeout=_MOST_S)
        if self.meter is not None:
            self.meter.close()

    def ended(self) -> None:
        """Tell how the run ended, and wait for the commands."""
        from ssdlab.cli.dashboard import read_view

        self.close()
        state = self._read_state()
        if state is None or len(state.sessions) == self._sessions:  # it never began
            return
        last = read_view(self.run, now_s=time.time())  # noqa: TID251 - here clocks are made
        if last is not None:
            self.saw(last)
        event = _EVENTS[state.status]
        self._tell(event, "", state.message)
        self._write(
            gauge_lines(
                "ssdlab_run_ended",
                "How the run ended.",
                [({"run": self.run.name, "event": event}, 1)],
            )
        )
        for thread in self._running:
            thread.join()
        for words in dict.fromkeys(self._troubles):
            click.echo(words, err=True)

    def _read_state(self) -> "RunState | None":
        from ssdlab.store.records import read_state

        try:
            return read_state(self.run)
        except RunFolderError:
            return None

    def _write(self, lines: Iterator[str]) -> None:
        from ssdlab.system.durable import write_whole

        if self.metrics is None:
            return
        try:
            write_whole(self.metrics, whole_text(lines).encode())
        except OSError as error:
            self._troubles.append(
                f"{self.metrics}: the metrics cannot be written ({error.strerror})"
            )

    def _tell(self, event: Event, test: str, message: str = "") -> None:
        """Run the command, once for an event of a test."""
        if not self.command or (event, test) in self._told:
            return
        self._told.add((event, test))
        facts = {"EVENT": event, "RUN": str(self.run.resolve()), "TEST": test}
        facts |= {"MESSAGE": message, "DEVICE": self._device()}
        thread = threading.Thread(target=self._call, args=(event, facts), daemon=True)
        thread.start()
        self._running.append(thread)

    def _device(self) -> str:
        from ssdlab.store.records import read_record

        try:
            target = read_record(self.run).target
        except RunFolderError:
            return ""
        return f"{target.model} {target.serial}".strip()

    def _call(self, event: Event, facts: dict[str, str]) -> None:
        from ssdlab.system.programs import run_aside
        from ssdlab.text.terminal import printable

        named = {f"SSDLAB_{name}": printable(text) for name, text in facts.items()}
        done = run_aside(
            self.command, timeout_s=_MOST_S, environment={**os.environ, **named}
        )
        if done.exit_code:
            lines = done.stderr.splitlines()
            words = printable(lines[-1]) if lines else f"exit {done.exit_code}"
            self._troubles.append(f"--on-event failed at {event!r}: {words}")


def read_monitor(run: Path, options: dict[str, Any]) -> Monitor | None:
    """Return what tells others of a run, if that was asked for."""
    try:
        words = tuple(shlex.split(options.get("on_event") or ""))
    except ValueError as error:
        msg = f"{options['on_event']!r}: {error}"
        raise click.BadParameter(msg, param_hint="--on-event") from None
    if words and shutil.which(words[0]) is None:
        msg = f"{words[0]!r} is no program that can be run"
        raise click.BadParameter(msg, param_hint="--on-event")
    metrics = options.get("openmetrics")
    if metrics is not None and not metrics.absolute().parent.is_dir():
        msg = f"there is no folder {str(metrics.parent)!r}"
        raise click.BadParameter(msg, param_hint="--openmetrics")
    meters = options.get("meters") or ()
    if not words and metrics is None and not meters:
        return None
    from ssdlab.host.meters import open_meter

    meter = open_meter(meters) if meters else None
    monitor = Monitor(run=run, metrics=metrics, command=words, meter=meter)
    click.get_current_context().call_on_close(monitor.close)
    return monitor


def _metric_lines(run: str, view: "View") -> Iterator[str]:
    """Yield the gauges of a run under way; what is not known has no line."""
    progress, live, labels = view.progress, view.progress.live, {"run": run}
    percent = progress.step_percent
    values: tuple[tuple[str, str, float | None], ...] = (
        ("done_ratio", "Share of the longest time that is over.", view.share),
        ("left_seconds", "Most time that is left.", view.left_s[1]),
        (
            "step_done_ratio",
            "Share of the running step that is done.",
            None if percent is None else percent / 100,
        ),
        ("written_bytes", "Bytes that ended steps wrote.", progress.written_bytes),
        (
            "temperature_celsius",
            "Temperature that the drive reports.",
            view.progress.temperature_celsius,
        ),
        ("power_watts", "Power that a meter reads.", view.progress.power_watts),
        ("read_iops", "Reads per second now.", live.read_iops if live else None),
        ("write_iops", "Writes per second now.", live.write_iops if live else None),
        (
            "read_bytes_per_second",
            "Bytes read per second now.",
            live.read_bytes_per_s if live else None,
        ),
        (
            "write_bytes_per_second",
            "Bytes written per second now.",
            live.write_bytes_per_s if live else None,
        ),
        ("outstanding_ios", "IOs outstanding now.", live.in_flight if live else None),
    )
    place = {**labels, "test": progress.test, "phase": progress.phase}
    yield from gauge_lines("ssdlab_run_info", "What runs.", [(place, 1)])
    for name, words, value in values:
        samples: list[Sample] = [] if value is None else [(labels, value)]
        yield from gauge_lines(f"ssdlab_run_{name}", words, samples)
