"""A run under way, read by observers while its folder grows."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from ssdlab.ingest.ingest import (
    PlanInputs,
    judge_steps,
    plan_inputs,
    read_ingested_step,
    tabulate_windows,
)
from ssdlab.ingest.ingested import (
    NUMBERS,
    Columns,
    IngestedStep,
    stack_steps,
    tabulate_steps,
)
from ssdlab.model.schema import TABLES
from ssdlab.store.lock import read_holder
from ssdlab.store.raw import finished_steps, read_record_of, steps_folder
from ssdlab.store.records import read_record, read_state
from ssdlab.store.tables import columns_to_frame
from ssdlab.system.folders import Folder

_STEPS_AT_ONCE = 16


@dataclass(frozen=True, kw_only=True, slots=True)
class LiveNews:
    """What one look at a run found.

    ``tables`` has the frames of all steps read so far, or is empty if there is no new
    one. ``is_behind``: there are more steps than were read in this look.
    """

    line: str
    is_running: bool
    steps: int
    is_behind: bool
    tables: Mapping[str, pd.DataFrame] | None = None


class RunWatcher:
    """Reads each finished step of a run once; writes and starts nothing."""

    def __init__(self, run: Path) -> None:
        self.run = run
        self._record = read_record(run)
        self._steps: dict[str, IngestedStep] = {}
        self._tables: dict[str, pd.DataFrame] = {}

    def look(self) -> LiveNews:
        """Read some of the steps that are new since the last look."""
        is_running = read_state(self.run).status == "running"
        is_held = read_holder(self.run) is not None
        found = sorted(
            folder.name
            for folder in finished_steps(self.run)
            if folder.name not in self._steps
        )
        if found:
            self._read(found[:_STEPS_AT_ONCE])
        return LiveNews(
            line=self._line(is_held=is_held),
            is_running=is_running and is_held,
            steps=len(self._steps),
            is_behind=len(found) > _STEPS_AT_ONCE,
            tables=dict(self._tables) if found else None,
        )

    def _line(self, *, is_held: bool) -> str:
        """Return where the run is, by its own account."""
        if not is_held:
            status = read_state(self.run).status
            return "no process is working on it" if status == "running" else status
        try:
            content = Folder(self.run).read("progress.json")
            said: Mapping[str, Any] = json.loads(content)
            return str(said["line"])
        except (OSError, ValueError, KeyError, TypeError):
            return "it has started"

    def _plan(self) -> PlanInputs | None:
        """Return the current plan of the run: rounds may have been added."""
        if self._record.is_imported:
            return None
        return plan_inputs(self._record, read_state(self.run).extensions)

    def _read(self, names: Sequence[str]) -> None:
        steps = []
        for name in names:
            kept = read_record_of(steps_folder(self.run) / name)
            steps.append(read_ingested_step(self.run, self._record, kept))
        for table in NUMBERS:
            parts = [step.rows[table] for step in steps]
            self._add(table, stack_steps(TABLES[table], parts, self._record.run_id))
        # Rows of steps and windows depend on earlier ones: they are built together.
        bare = {"measurements": {"io_bytes": [None]}}
        for step in steps:
            rows = step.rows if self._record.is_imported else bare
            self._steps[step.record.step.step_id] = replace(step, rows=rows)
        ordered = [self._steps[name] for name in sorted(self._steps)]
        judgements, _ = judge_steps(self._record, self._plan(), ordered)
        whole = {
            "steps": tabulate_steps(self._record, ordered),
            "windows": tabulate_windows(self._record, judgements),
        }
        for table, columns in whole.items():
            self._tables[table] = columns_to_frame(TABLES[table], columns)

    def _add(self, table: str, columns: Columns) -> None:
        frame = columns_to_frame(TABLES[table], columns)
        before = self._tables.get(table)
        if before is not None and len(before):
            frame = pd.concat([before, frame], ignore_index=True)
        self._tables[table] = frame
