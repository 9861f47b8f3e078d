"""Which outputs are of preconditioning: by their names, or by what they were asked."""

import re
from collections.abc import Sequence

from ssdlab.fio.document import FioDocument
from ssdlab.model.spec import Workload

_FILL_NAME = re.compile(r"wipc|precond", re.IGNORECASE)
_AMOUNTS = ("loops", "io_size", "io_limit", "size")


def options_of(document: FioDocument) -> dict[str, str]:
    """Return the options of the first job, those for all of them included."""
    first = next((job.options for job in document.measured if job.options), ())
    return {option.name: option.value for option in (*document.global_options, *first)}


def is_named_fill(names: Sequence[str], workload: Workload) -> bool:
    """Tell whether a file is named as of preconditioning, and wrote as it does."""
    return _is_fill_like(workload) and any(_FILL_NAME.search(name) for name in names)


def writes_an_amount(document: FioDocument, workload: Workload) -> bool:
    """Tell whether a file wrote an amount and not for a time, as fills do."""
    options = options_of(document)
    has_amount = any(name in options for name in _AMOUNTS)
    return _is_fill_like(workload) and has_amount and not is_timed(document)


def is_timed(document: FioDocument) -> bool:
    """Tell whether a file was to run for a time."""
    return "runtime" in options_of(document)


def _is_fill_like(workload: Workload) -> bool:
    return workload.access == "seq" and not workload.read_percent
