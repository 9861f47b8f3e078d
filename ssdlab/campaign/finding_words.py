"""What a run's record says in words, as findings: code, severity, test.

The record keeps its departures as it always did, each in words. Those of older runs
and of other versions must be told as well; words that are not known are findings too.
"""

import re
from collections.abc import Iterator

from ssdlab.analysis.findings.finding import Finding, make_finding
from ssdlab.model.records import RunRecord
from ssdlab.pts.departures import concerned_tests
from ssdlab.pts.profile_values import VALUES
from ssdlab.pts.profiles import PROFILES
from ssdlab.pts.suite import LOOPED_TESTS, SUITE

_UNKNOWN = "departure"
_ALL = tuple(SUITE)
_VALUE_NAMES = {value.words: name for name, value in VALUES.items()}
_SHAPES = (  # how words begin, and their code
    (r"the target is a virtual SSD\b", "virtual-target"),
    (r"the target is a file\b", "file-target"),
    (r"the target is a loop device\b", "loop-target"),
    (r"no purge\b", "purge-none"),
    (r"write cache: ", "write-cache"),
    (r"segments of the active range: ", "segments"),
    (r"cells below the sector of ", "cells-left-out"),
    (r"composite blocks of (?P<test>\S+) ", "composite-changed"),
    (r"active range AR\S+: left out", "ranges-left-out"),
    (r"test (?P<test>\S+): not known ", "test-of-another-edition"),
    (r".*: a procedure of its own\b", "procedure"),
)
_IMPORT_SHAPES = (
    (r"imported: ", "imported"),
    (r"test: these workloads ", "import-cells"),
    (
        r"(order|cells|access|rounds|tracking variables) of (?P<test>[^\s:]+): ",
        "import-cells",
    ),
    (r"missing rounds of (?P<test>[^\s:]+): ", "import-rounds-missing"),
    (r"time of a cell of (?P<test>[^\s:]+): ", "time-scaled"),
    (r"times: ", "import-times"),
    (r"gaps: ", "idle-gap"),
    (r"(devices|hosts): ", "import-mixed"),
    (r"left out: ", "import-left-out"),
    (
        r"(versions of fio|percentiles|numbers|values|mixed latencies|raw output): ",
        "import-numbers",
    ),
)
# Values that make a test shorter or longer, besides those in seconds.
_LENGTHS = {
    "hir_cycles",
    "hir_baseline_cycles",
    "wsat_capacity_multiple",
    "wsat_sample_every_rounds",
    "wdpc_sample_every_rounds",
}
_CODES = {
    "max_rounds": "rounds-allowed",
    "wdpc_max_samples": "rounds-allowed",
    "write_cache": "write-cache",
    "wipc_threads": "wipc-threads",
}
_FILLS = {"wipc_capacity_multiple", "tp_has_wipc"}


def recorded_findings(record: RunRecord) -> tuple[Finding, ...]:
    """Return the departures in a record as findings, in their order.

    Parameters
    ----------
    record : RunRecord
        The record of a run, a procedure or an import.

    Returns
    -------
    tuple of Finding
        At least one for each departure: one a test that it concerns, or one for the
        whole run.
    """
    return tuple(
        found for words in record.departures for found in _findings_of(words, record)
    )


def _findings_of(words: str, record: RunRecord) -> Iterator[Finding]:
    name = _VALUE_NAMES.get(words.partition(": ")[0], "")
    if name and not record.is_imported:
        tests = _tests_of_value(name, record)
        code = _code_of_value(name, record)
    else:
        code, tests = _by_shape(words, record)
    for test in tests or ("",):
        yield make_finding(code, words, test=test)


def _code_of_value(name: str, record: RunRecord) -> str:
    if name in _CODES:
        return _CODES[name]
    if name in _FILLS and _is_less(name, record):
        return "fill-short"
    is_length = VALUES[name].kind == "seconds" or name in _LENGTHS
    return "time-scaled" if is_length else "profile-value"


def _is_less(name: str, record: RunRecord) -> bool:
    """Tell whether a number, or a yes or no, is less than the nominal one."""
    nominal = PROFILES.get(str(record.profile.get("nominal")))
    value = record.profile.get(name)
    if nominal is None or not isinstance(value, int | float):
        return False
    return float(value) < float(getattr(nominal, name))


def _tests_of_value(name: str, record: RunRecord) -> tuple[str, ...]:
    """Return the tests that a value is about; none if it is about all."""
    has_wipc = record.profile.get("tp_has_wipc") is True
    if concerned_tests(name, _ALL, tp_has_wipc=has_wipc) == _ALL:
        return ()
    return concerned_tests(name, record.tests, tp_has_wipc=has_wipc)


def _by_shape(words: str, record: RunRecord) -> tuple[str, tuple[str, ...]]:
    """Return code and tests of words that are of no value of a profile."""
    for shape, code in _IMPORT_SHAPES if record.is_imported else _SHAPES:
        match = re.match(shape, words, re.DOTALL)
        if match:
            named = match.groupdict().get("test", "").lower()
            tests = (named,) if named in record.tests else ()
            return code, tests or _tests_of_code(code, record)
    return _UNKNOWN, ()


def _tests_of_code(code: str, record: RunRecord) -> tuple[str, ...]:
    if code in {"segments", "ranges-left-out"}:
        return tuple(test for test in record.tests if test in LOOPED_TESTS)
    if code == "cells-left-out":
        return tuple(test for test in record.tests if _has_small_cells(test, record))
    return ()


def _has_small_cells(test: str, record: RunRecord) -> bool:
    sizes = record.profile.get(f"{test}_block_sizes")
    sector = record.target.sector_bytes
    return isinstance(sizes, list | tuple) and any(size % sector for size in sizes)
