"""What ``run.json`` holds of a target, as it is read back."""

import json
from dataclasses import replace
from pathlib import Path

from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.records import RunRecord, TargetIdentity
from ssdlab.store.records import read_record, to_json
from ssdlab.targets import Target
from tests.engine.plans import write_papers


def stored_record(
    folder: Path, target: Target, identity: TargetIdentity | None = None
) -> RunRecord:
    """Return the record of a run on a target, or on one of another identity."""
    write_papers(folder / "run")
    made = replace(
        read_record(folder / "run"),
        target=identity or target.identity,
        purge_choice=target.purge_choice,
        drive=target.drive,
        consent=target.consent,
        write_cache=target.write_cache,
    )
    return from_plain(RunRecord, json.loads(to_json(to_plain(made))))
