"""Whether everything that a run measured still exists: no silent omissions."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import fields, is_dataclass
from pathlib import Path
from typing import Any, NoReturn

from ssdlab.findings.conformance import missing_numbers
from ssdlab.model.errors import RunFolderError
from ssdlab.model.finding import Finding
from ssdlab.model.spec import PtsTest
from ssdlab.plan.context import PlanContext


def hash_plan(tests: Sequence[PtsTest], context: PlanContext) -> str:
    """Return a hash that distinguishes plans."""
    plan = [_said(test) for test in (*tests, context)]
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def _said(value: Any) -> Any:
    """Return data without empty fields, so that a field added later changes nothing."""
    if isinstance(value, tuple):
        return [_said(item) for item in value]
    if not is_dataclass(value):
        return value
    said = (
        (field, getattr(value, field.name))
        for field in fields(value)
        if field.metadata.get("is_of_plan", True)
    )
    told = {field.name: _said(item) for field, item in said if item != field.default}
    return {"": type(value).__name__, **told}


def require_consecutive(run: Path, step_ids: Collection[str]) -> None:
    """Require that no step is missing before another: they are numbered from 1."""
    missing = missing_numbers(step_ids)
    if missing:
        count = len(missing) + len(step_ids)
        refuse_loss(run, f"{len(missing)} of the {count} steps that were carried out")


def require_telemetry(run: Path, found: Iterable[Finding]) -> None:
    """Require that no session lacks readings that were taken in it."""
    sessions = sum(finding.code == "telemetry-missing" for finding in found)
    if sessions:
        plural = "s" if sessions > 1 else ""
        refuse_loss(run, f"telemetry readings of {sessions} session{plural}")


def refuse_loss(run: Path, lost: str) -> NoReturn:
    """Refuse to write tables without what was measured."""
    raise RunFolderError(
        folder=str(run),
        reason=f"its raw output is incomplete: {lost} would be lost",
        remedy="Restore the folder from a copy. To write the tables of what remains: "
        f"ssdlab ingest {run} --drop-missing",
    )
