"""A check as the line-JSON of the Open Compute Project's test and validation (OCPTV).

Each line is an artifact of its specification 2.0, made by the package ``ocptv``: a test
run for the run that was checked, a step for each test, a measurement with its
validators and a diagnosis for each limit.
"""

import math
from typing import TYPE_CHECKING, Final

from ssdlab.limits.bounds import DRIVE_READINGS
from ssdlab.limits.check import Case, LimitCheck
from ssdlab.limits.text import where_text
from ssdlab.model.errors import MissingToolError, UserError
from ssdlab.model.version import VERSION
from ssdlab.qos.halves import Verdict

if TYPE_CHECKING:
    from ocptv.output import TestStep

_NAMES: Final[dict[Verdict, str]] = {
    "met": "limit-met",
    "not met": "limit-not-met",
    "cannot be told": "limit-cannot-be-told",
}
_UNITS: Final = {"iops": "IO/s", "bw": "B/s"}


def check_ocptv(check: LimitCheck, *, is_strict: bool) -> bytes:
    """Return a check of one run as lines of JSON; what cannot be told fails if strict.

    Raises
    ------
    UserError
        If several runs were checked: OCPTV describes one test run.
    MissingToolError
        If ``ocptv`` is not installed: ``pip install 'ssdlab[ocp]'``.
    """
    if len(check.runs) != 1:
        msg = f"OCPTV describes one test run, and {len(check.runs)} runs are checked. "
        msg += "Check them one by one."
        raise UserError(msg)
    try:
        from ocptv import output as tv  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingToolError(
            tool="the package ocptv",
            needed_for="OCP's line-JSON",
            remedy="pip install 'ssdlab[ocp]'",
        ) from None
    lines: list[str] = []

    class _Lines(tv.Writer):
        def write(self, buffer: str) -> None:
            lines.append(buffer)

    tv.config(writer=_Lines())
    (run,) = check.runs
    asked = tv.TestRun(
        name="ssdlab check",
        version=VERSION,
        command_line="ssdlab check",
        parameters={"limits": check.file.title, "source": check.file.source},
    )
    asked.start(dut=tv.Dut(id=run.run_id, name=run.device))
    tests = dict.fromkeys(one.names.get("test", "") for one in check.cases)
    for test in tests:
        step = asked.add_step(test or "not measured")
        step.start()  # type: ignore[no-untyped-call] # of the package
        for case in check.cases:
            if case.names.get("test", "") == test:
                _add(step, case)
        step.end(status=tv.TestStatus.COMPLETE)
    is_open = check.verdict == "cannot be told" and not is_strict
    result = tv.TestResult.PASS if check.verdict == "met" else tv.TestResult.FAIL
    asked.end(
        status=tv.TestStatus.COMPLETE,
        result=tv.TestResult.NOT_APPLICABLE if is_open else result,
    )
    return "".join(f"{line}\n" for line in lines).encode()


def _add(step: "TestStep", case: Case) -> None:
    """Add the measurement of a case, if there is one, and its diagnosis."""
    from ocptv import output as tv  # noqa: PLC0415 - an extra

    name = f"{where_text(case)} {case.limit.metric}"
    kind = tv.ValidatorType
    bounds = zip(
        (kind.GREATER_THAN_OR_EQUAL, kind.LESS_THAN_OR_EQUAL),
        case.limit.range,
        strict=True,
    )
    if case.interval is not None and math.isfinite(case.interval.estimate):
        told = {"low": case.interval.low, "high": case.interval.high}
        step.add_measurement(
            name=name,
            value=case.interval.estimate,
            unit=_unit(case),
            validators=[
                tv.Validator(type=which, value=bound, name=case.limit.text)
                for which, bound in bounds
                if math.isfinite(bound)
            ],
            metadata=tv.Metadata(
                confidence_percent=case.limit.confidence_percent,
                **{name: end for name, end in told.items() if math.isfinite(end)},
            ),
        )
    types = {"met": tv.DiagnosisType.PASS, "not met": tv.DiagnosisType.FAIL}
    why = f" ({case.reason})" if case.reason else ""
    step.add_diagnosis(
        diagnosis_type=types.get(case.verdict, tv.DiagnosisType.UNKNOWN),
        verdict=_NAMES[case.verdict],
        message=f"{name}: {case.limit.text}{why}",
        source_location=None,
    )


def _unit(case: Case) -> str:
    if case.limit.kind == "reading":
        return DRIVE_READINGS[case.limit.metric].unit
    return _UNITS.get(case.limit.metric, "ns")
