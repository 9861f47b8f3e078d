"""The job options of an output, and whether it is preconditioning."""

import json
import re
from collections.abc import Sequence

from ssdlab.fio.document import FioDocument
from ssdlab.model.spec import Workload

_FILL_NAME = re.compile(r"wipc|precond", re.IGNORECASE)
_OPTIONS = re.compile(rb'"(?:global|job) options"\s*:\s*(\{[^{}]{0,65536}\})')
_AMOUNTS = ("loops", "io_size", "io_limit", "size")


def options_of(document: FioDocument) -> dict[str, str]:
    """Return the options of the first job, including the global options."""
    first = next((job.options for job in document.measured if job.options), ())
    return {option.name: option.value for option in (*document.global_options, *first)}


def begun_options(data: bytes) -> dict[str, str]:
    """Return the job options found in JSON, even if its numbers are missing.

    They identify the cell of an output that was cut short; empty if jobs differ.
    """
    found = [_plain(text) for text in _OPTIONS.findall(data)]
    shared = found[0] if data.find(b'"global options"') >= 0 and found else {}
    jobs = [options for options in found if options is not shared] or found
    together = [shared | options for options in jobs]
    is_one = all(options == together[0] for options in together)
    return together[0] if together and is_one else {}


def _plain(text: bytes) -> dict[str, str]:
    try:
        options = json.loads(text)
    except ValueError:
        return {}
    return {str(name): str(value) for name, value in options.items()}


def is_named_fill(names: Sequence[str], workload: Workload) -> bool:
    """Tell whether the name and workload of a file are those of preconditioning."""
    return _is_fill_like(workload) and any(_FILL_NAME.search(name) for name in names)


def writes_an_amount(document: FioDocument, workload: Workload) -> bool:
    """Tell whether a file wrote an amount, not for a time, as fills do."""
    options = options_of(document)
    has_amount = any(name in options for name in _AMOUNTS)
    return _is_fill_like(workload) and has_amount and not is_timed(document)


def is_timed(document: FioDocument) -> bool:
    """Tell whether a file has a runtime."""
    return "runtime" in options_of(document)


def _is_fill_like(workload: Workload) -> bool:
    return workload.access == "seq" and not workload.read_percent
