"""``ssdlab run`` and ``resume`` with a modelled fio: the rest is the real thing.

Lock, record, sessions, engine, raw output, resume and ingest are those of ssdlab; what
is left out is the notebook. Every step that is measured is noted in ``MEASURED``.
"""

import os
import sys
import time
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from unittest.mock import patch

from ssdlab.engine import sessions
from ssdlab.engine.engine import Engine
from ssdlab.engine.folders import refuse_taken
from ssdlab.engine.ports import StepOutcome
from ssdlab.engine.sessions import begin_session, end_session
from ssdlab.host.inventory import read_load
from ssdlab.ingest.ingest import ingest_run, plan_inputs, require_plan
from ssdlab.model.errors import UserError
from ssdlab.model.records import RunRecord
from ssdlab.model.step import Step
from ssdlab.plan.phases import plan_suite
from ssdlab.store.lock import locked
from ssdlab.store.raw import finished_steps, put_aside_unfinished, read_record_of
from ssdlab.store.records import (
    RunState,
    read_record,
    read_state,
    write_record,
    write_state,
)
from ssdlab.store.telemetry import Source, recording
from ssdlab.system.folders import Folder
from ssdlab.system.signals import interrupt, stopped_by
from ssdlab.testing.backend import ModelBackend
from ssdlab.testing.carry_out import SilentListener
from ssdlab.testing.made import make_record

MEASURED = "SSDLAB_TEST_MEASURED"
FAILING = "SSDLAB_TEST_FAILS_AT"  # the number of the step at which it fails
STEP_S = "SSDLAB_TEST_STEP_S"  # how long a step takes [s]
_STEP_S = "0.02"


@dataclass(kw_only=True, slots=True)
class SlowBackend(ModelBackend):
    """A modelled drive that takes some real time, and notes what it was asked."""

    def run(
        self, step: Step, folder: Folder, following: Step | None, *, hold: bool
    ) -> StepOutcome:
        """Answer one step after a while."""
        with Path(os.environ[MEASURED]).open("a", encoding="utf-8") as file:
            file.write(f"{step.step_id}\n")
        if step.step_id.startswith(os.environ.get(FAILING, "none")):
            msg = "the drive is on fire"
            raise RuntimeError(msg)
        time.sleep(float(os.environ.get(STEP_S, _STEP_S)))
        return ModelBackend.run(self, step, folder, following, hold=hold)


def main(arguments: list[str]) -> int:
    """Run or resume, with the exit codes of ssdlab."""
    is_new = arguments[0] == "run"
    if arguments[1] == "refused":
        return 2
    place = arguments[arguments.index("--run-folder") + 1] if is_new else arguments[1]
    folder = Path(place)
    try:
        (Folder(folder) / "steps").make()
        with locked(folder, sleep=time.sleep), stopped_by(interrupt):
            if is_new and Folder(folder).has("run.json"):
                refuse_taken(folder)
            if is_new:
                begin(folder)
            if read_state(folder).status != "finished":
                measure(folder)
            ingest_run(folder)
            Folder(folder).write("report.html", b"a report")
    except UserError:
        return 2
    return 0


def begin(folder: Path) -> None:
    write_state(folder, RunState(status="running"))
    write_record(folder, replace(make_record(tests=["lat"]), run_id=folder.name))


def measure(folder: Path) -> None:
    record = read_record(folder)
    Folder(folder).sweep()
    put_aside_unfinished(folder)
    backend = SlowBackend()
    done = finished_steps(folder)
    if done:
        backend.now_s = read_record_of(done[-1]).ended_s + 5
    with patch.object(sessions, "now_text", lambda: text_of(backend.now_s)):
        drive(folder, record, backend)


def text_of(time_s: float) -> str:
    return datetime.fromtimestamp(time_s, tz=UTC).isoformat()


def drive(folder: Path, record: RunRecord, backend: SlowBackend) -> None:
    begin_session(folder)
    engine = Engine(
        run=folder,
        backend=backend,
        listener=SilentListener(),
        max_idle_s=require_plan(record).max_idle_s,
    )
    load = Source(name="host", read=read_load, interval_s=0.01)
    session = f"session-{len(read_state(folder).sessions):03d}.jsonl"
    try:
        with recording(
            Folder(folder) / "telemetry", session, [load], clock=lambda: backend.now_s
        ):
            engine.drive(plan_suite(*plan_inputs(record), lambda _judgement: None))
    except KeyboardInterrupt:
        end_session(folder, "interrupted", "stopped by the user")
        sys.exit(130)
    except RuntimeError as error:
        end_session(folder, "failed", str(error))
        sys.exit(1)
    end_session(folder, "finished", "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
