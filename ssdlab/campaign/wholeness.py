"""Whether all that a run measured is still there: nothing is left out in silence."""

import hashlib
import json
import re
from collections.abc import Collection, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import NoReturn

from ssdlab.model.errors import RunFolderError
from ssdlab.model.spec import PtsTest
from ssdlab.plan.context import PlanContext

_NUMBER = re.compile(r"(\d{5,9})-")


def hash_plan(tests: Sequence[PtsTest], context: PlanContext) -> str:
    """Return what tells two plans apart."""
    plan = [[asdict(test) for test in tests], asdict(context)]
    return hashlib.sha256(json.dumps(plan, sort_keys=True).encode()).hexdigest()


def require_consecutive(run: Path, step_ids: Collection[str]) -> None:
    """Require that no step is missing before another one: they are numbered from 1.

    Raises
    ------
    RunFolderError
        If one is.
    """
    matches = [_NUMBER.match(step_id) for step_id in step_ids]
    numbers = {int(match[1]) for match in matches if match}
    if numbers and max(numbers) > len(numbers):
        lost = max(numbers) - len(numbers)
        refuse_loss(run, f"{lost} of the {max(numbers)} steps that were carried out")


def refuse_loss(run: Path, lost: str) -> NoReturn:
    """Refuse to write tables without what was measured.

    Raises
    ------
    RunFolderError
        Always.
    """
    raise RunFolderError(
        folder=str(run),
        reason=f"its raw output is not complete, and without it {lost} would be lost",
        remedy="Restore the folder from a copy. To write the tables of what is left: "
        f"ssdlab ingest {run} --drop-missing",
    )
