"""The seven peak jobs as they were handed down, beside which ours are read."""

import csv

from tests.paths import REFERENCE, require_folder

# Their names of options, and ours where they differ.
NAMES = {"readwrite": "rw", "blocksize": "bs", "ramp_time_s": "ramp_time"}
NAMES |= {"runtime_s": "runtime"}
NO_OPTIONS = {"job", "description", "total_outstanding_io", "effective_direction"}


def read_published() -> dict[str, dict[str, str]]:
    """Return the options that each job file sets, by its number.

    What stands there as ``not set`` or only on a command line is not set by the file.
    """
    path = require_folder(REFERENCE) / "hgst_wd_fio_jobs.csv"
    return {
        row["job"]: {
            NAMES.get(name, name): value
            for name, value in row.items()
            if name not in NO_OPTIONS and _is_set(value)
        }
        for row in csv.DictReader(path.read_text("utf-8").splitlines())
    }


def _is_set(value: str) -> bool:
    return bool(value) and "not set" not in value and "absent from" not in value
