"""Suites in FioSynth's format: JSON that names templates of job files, and values.

The values of a suite are per TB of capacity, if it says so: rates and queue depths grow
with it, think times shrink. Each workload is one long run, as FioSynth makes it, unless
rounds until steady are asked for. Format: FioSynth 3.7, README.md.
"""

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, NoReturn

from ssdlab.fio.jobs.jobspec import parse_job_file
from ssdlab.fio.jobs.workload import parse_seconds, parse_size
from ssdlab.model.errors import FioOutputError, UserFileError
from ssdlab.model.spec import Phase, Precondition, Purge, Stimulus, Workload
from ssdlab.procedures.jobs.spec import JobChoices, JobEntry, plain_name

PREFIX: Final = "fiosynth:"  # of a file that a user names
ReadTemplate = Callable[[str], str]

_TB: Final = 1e12
_LEAST_FACTOR: Final = 0.1
_GROWING: Final = ("RRATE", "DEPTH")
_OFFSET: Final = "OFFSET2"  # MiB per TB, also in a suite that is not scaled
_SHRINKING: Final = ("W1THINK", "W2THINK", "W3THINK", "W4THINK", "W5THINK")
_USUAL: Final = {"JOBS": "1", "IOENGINE": "io_uring"}
_VARIABLE: Final = re.compile(r"\$\{(\w+)\}")
_OF_TARGET: Final = re.compile(r"(?m)^\s*filename\s*=\s*\$\{DEV\}\s*$")
_RULE: Final = re.compile(r"(?m)^\s*(?:ss|steadystate)\s*=\s*(bw|iops).*$")
_OF_RULE: Final = re.compile(r"(?m)^\s*(?:ss|steadystate|loops)\w*\s*=.*$")
_NAME: Final = re.compile(r"[\w.+-]{1,200}")
_PLAIN_VALUE: Final = re.compile(r"[\w.%/:, -]{0,4000}")
_RULE_SECONDS: Final = 60.0
_METRICS: Final = ("throughput", "iops", "latency")
_DIRECTIONS: Final = ("read", "write", "trim")
_MOST_CYCLES: Final = 100
_FILL_SECONDS: Final = 60.0
_MOST_FILL_SECONDS: Final = 24 * 3600.0


@dataclass(frozen=True, kw_only=True, slots=True)
class FioSynthSuite:
    """The job files of a suite for a drive, and what a report must say of them."""

    entries: tuple[JobEntry, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, slots=True)
class Target:
    """What a suite asks of a workload: a bound of a test, named by a pattern.

    ``metric`` is throughput [MiB/s], iops or latency [us]; ``level`` MIN, or of a
    latency MAX or a percentile such as P99.9. With ``is_per_tb`` it is per TB.
    """

    test: str
    metric: str
    direction: str
    level: str
    value: float
    is_per_tb: bool


@dataclass(frozen=True, kw_only=True, slots=True)
class _Wanted:
    """One workload of a suite: the job file of its template, with its values.

    ``options`` are those of its only job, or of the first; ``rule`` is what fio's own
    rule of steady state tracks, if the template has one.
    """

    alias: str
    source: str
    text: str
    options: Mapping[str, str | None]
    rule: str


def scale_of(capacity_bytes: int) -> float:
    """Return the capacity in TB, to one decimal and at least 0.1.

    >>> scale_of(1_920_383_410_176), scale_of(10**9)
    (1.9, 0.1)
    """
    return max(round(capacity_bytes / _TB, 1), _LEAST_FACTOR)


def read_fiosynth(
    text: str,
    *,
    source: str,
    capacity_bytes: int,
    read_template: ReadTemplate,
    choices: JobChoices | None = None,
) -> FioSynthSuite:
    """Return a suite of FioSynth for a drive of a capacity.

    Parameters
    ----------
    text : str
        The suite.
    source : str
        Its name, for errors.
    capacity_bytes : int
        The user capacity of the drive.
    read_template : callable
        Returns the text of a template, by its name.
    choices : JobChoices, optional
        Rounds until steady in place of one long run, or other seconds.

    Raises
    ------
    UserFileError
        If it is no suite, or asks for what a run does not do.
    """
    data = _read(source, text)
    factor = 1.0 if data.get("scale_by_capacity") == "N" else scale_of(capacity_bytes)
    read = _Reader(
        source=source,
        factor=factor,
        offset_factor=scale_of(capacity_bytes),
        is_listed=data.get("devices_in_global") == "N",
        read_template=read_template,
    )
    before, workloads = (tuple(read.workloads(data, key)) for key in ("pre", "def"))
    if not workloads:
        _refuse(source, "it has no workload: the list def")
    before *= _count(source, data, "precondition_cycles")
    cycles = _count(source, data, "run_cycles") or 1
    entries: list[JobEntry] = []
    pending: list[Phase] = []
    for cycle in range(1, cycles + 1):
        is_prepared = cycle == 1 or data.get("precondition_first_cycle_only") != "Y"
        after = f", cycle {cycle}" if cycles > 1 else ""
        roles = [(one, ", preconditioning") for one in before if is_prepared]
        for wanted, role in (*roles, *((one, "") for one in workloads)):
            if role:
                pending.append(Purge(phase_id=f"purge-{len(pending) + 1}"))
            if "time_based" not in wanted.options and not wanted.rule:
                pending.append(_fill(wanted, number=len(pending) + 1))
                continue
            entries.append(
                JobEntry(
                    source=wanted.source,
                    text=wanted.text,
                    choices=_choose(wanted, None if role else choices),
                    name=f"{wanted.alias}{role}{after}",
                    before=tuple(pending),
                )
            )
            pending = []
    if pending:
        _refuse(source, "its last workload fills or trims, and measures nothing")
    return FioSynthSuite(
        entries=tuple(entries), notes=tuple(_notes(read, before, workloads))
    )


def read_targets(text: str, *, source: str) -> Iterator[Target]:
    """Yield the targets of the workloads of a suite.

    Raises
    ------
    UserFileError
        If it is no suite, or a target is not valid.
    """
    data = _read(source, text)
    several = _count(source, data, "run_cycles") > 1
    workloads = data.get("def")
    for one in workloads if isinstance(workloads, list) else ():
        targets = one.get("targets", {}) if isinstance(one, dict) else {}
        alias = one.get("alias") if isinstance(one, dict) else None
        if not (isinstance(targets, dict) and isinstance(alias, str)):
            _refuse(source, "the targets of a workload cannot be read")
        test = f"{plain_name(alias)}{'-cycle-*' * several}"
        yield from _targets(f"{source}: {alias}", test, targets)


def _targets(source: str, test: str, targets: Mapping[str, Any]) -> Iterator[Target]:
    for metric, of_metric in targets.items():
        if metric not in _METRICS or not isinstance(of_metric, dict):
            _refuse(source, f"the target {str(metric)[:40]!r} is none of {_METRICS}")
        scaling = of_metric.get("scale_by_TB", {})
        is_scaled = isinstance(scaling, dict) and scaling.get("value") is True
        for direction, level, value in _bounds(source, of_metric):
            yield Target(
                test=test,
                metric=metric,
                direction=direction,
                level=level,
                value=value,
                is_per_tb=is_scaled and metric != "latency",
            )


def _bounds(
    source: str, of_metric: Mapping[str, Any]
) -> Iterator[tuple[str, str, float]]:
    """Yield direction, level and value of each bound of a metric."""
    for direction, bounds in of_metric.items():
        if direction == "scale_by_TB":
            continue
        if direction not in _DIRECTIONS or not isinstance(bounds, dict):
            _refuse(source, f"{str(direction)[:40]!r} is none of {_DIRECTIONS}")
        for level, value in bounds.items():
            if type(value) not in {int, float} or not 0 <= value < _TB:
                _refuse(source, f"the target {level!r} of {direction} is no number")
            yield direction, str(level), float(value)


@dataclass(frozen=True, kw_only=True, slots=True)
class _Reader:
    """Fills the values of workloads into their templates."""

    source: str
    factor: float
    offset_factor: float
    is_listed: bool
    read_template: ReadTemplate

    def workloads(self, data: Mapping[str, Any], key: str) -> Iterator[_Wanted]:
        """Yield the workloads of a list of the suite."""
        found = data.get(key, [])
        if not isinstance(found, list):
            _refuse(self.source, f"{key} is no list of workloads")
        for one in found:
            alias, template, values = (
                one.get(name) if isinstance(one, dict) else None
                for name in ("alias", "template", "values")
            )
            if not (isinstance(alias, str) and isinstance(template, str)):
                _refuse(self.source, f"a workload of {key} has no alias or template")
            if not isinstance(values, dict):
                _refuse(self.source, f"the workload {alias!r} has no values")
            if not _NAME.fullmatch(alias) or not _NAME.fullmatch(template):
                _refuse(self.source, f"{alias!r} or {template!r} is not a plain name")
            yield self._fill_in(alias, template, values)

    def _fill_in(
        self, alias: str, template: str, values: Mapping[str, object]
    ) -> _Wanted:
        source = f"{self.source}: {alias} ({template})"
        known = {
            **_USUAL,
            **{name: self._scale(source, name, values) for name in values},
        }

        def value_of(found: "re.Match[str]") -> str:
            if found[1] not in known:
                _refuse(source, f"its template needs the value {found[1]}")
            return known[found[1]]

        whole = _OF_TARGET.sub("", self.read_template(template))
        text = _VARIABLE.sub(value_of, whole)
        rule = _RULE.search(text)
        if rule:
            text = _OF_RULE.sub("", text)
        if self.is_listed:
            text += "\n[job0]\n"
        return _Wanted(
            alias=alias,
            source=source,
            text=text,
            options=_first_job(source, text),
            rule=rule[1] if rule else "",
        )

    def _scale(self, source: str, name: str, values: Mapping[str, object]) -> str:
        value = values[name]
        if name in _GROWING or name == _OFFSET or name in _SHRINKING:
            try:
                number = float(str(value))
            except ValueError:
                _refuse(source, f"{name} is {value!r} and not a number")
            if not 0 <= number < _TB * _TB:
                _refuse(source, f"{name} is {value!r}, which is out of range")
            factor = self.offset_factor if name == _OFFSET else self.factor
            scaled = number / factor if name in _SHRINKING else number * factor
            return str(max(int(scaled), 1))
        if not isinstance(value, str | int | float) or not _PLAIN_VALUE.fullmatch(
            str(value)
        ):
            _refuse(source, f"{name} is not a plain value")
        return str(value)


def _first_job(source: str, text: str) -> dict[str, str | None]:
    try:
        return parse_job_file(text, source=source).resolved(0)
    except (FioOutputError, IndexError):
        _refuse(source, "its template is no job file with a job")


def _read(source: str, text: str) -> dict[str, Any]:
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        _refuse(source, "it is not JSON")
    if not isinstance(data, dict):
        _refuse(source, "it is not a suite of FioSynth")
    return data


def _count(source: str, data: Mapping[str, Any], key: str) -> int:
    value = data.get(key, 1)
    if type(value) is not int or not 0 <= value <= _MOST_CYCLES:
        _refuse(source, f"{key} is {value!r}, not a number up to {_MOST_CYCLES}")
    return value


def _choose(wanted: _Wanted, asked: JobChoices | None) -> JobChoices:
    """Return how a workload is measured: as the suite says, or as was asked."""
    given = asked or JobChoices(tracked=())
    runtime_s = parse_seconds(wanted.options.get("runtime") or "")
    if wanted.rule:
        usual = (wanted.rule,)
        return JobChoices(
            fill="reuse",
            seconds=given.seconds or _RULE_SECONDS,
            tracked=given.tracked or usual,
            max_rounds=given.max_rounds,
        )
    if not runtime_s:
        _refuse(wanted.source, "its runtime cannot be read")
    seconds = given.seconds or runtime_s
    if given.tracked:
        return replace(given, fill="reuse", seconds=seconds)
    return JobChoices(fill="reuse", tracked=(), max_rounds=0, long_seconds=seconds)


def _fill(wanted: _Wanted, *, number: int) -> Phase:
    """Return what a job that ends by amount does: a fill, or a trim of all."""
    options = wanted.options
    kind, size = options.get("rw"), options.get("size") or "100%"
    block = parse_size(options.get("bs") or "4k")
    depth, loops = (options.get(name) or "1" for name in ("iodepth", "loops"))
    if not (depth.isdecimal() and loops.isdecimal() and block and int(loops)):
        _refuse(wanted.source, "its block size, iodepth or loops cannot be read")
    if kind == "trim":
        return Purge(phase_id=f"purge-{number}")
    if size != "100%" or kind not in {"write", "randwrite"}:
        _refuse(
            wanted.source,
            "it ends neither by time nor as a write or trim of the whole device",
        )
    if kind == "write":
        return Precondition(
            phase_id=f"fill-{number}",
            block_size_bytes=block,
            queue_depth=max(int(depth), 1),
            capacity_multiple=float(loops),
        )
    return Stimulus(
        phase_id=f"random-fill-{number}",
        workload=Workload(
            access="rnd",
            block_size_bytes=block,
            read_percent=0,
            threads=1,
            queue_depth=max(int(depth), 1),
        ),
        round_seconds=_FILL_SECONDS,
        time_limit_s=_MOST_FILL_SECONDS,
        capacity_multiple=float(loops),
    )


def _notes(
    read: _Reader, before: tuple[_Wanted, ...], workloads: tuple[_Wanted, ...]
) -> Iterator[str]:
    scaled = f"values per TB times {read.factor:g}"
    yield f"Workloads of a suite in FioSynth's format; {scaled}."
    if before:
        yield "A purge takes the place of FioSynth's trim before each preconditioning."
    ruled = dict.fromkeys(one.alias for one in (*before, *workloads) if one.rule)
    if ruled:
        yield (
            f"{', '.join(ruled)}: the steady state of the PTS takes the place of fio's "
            "own rule."
        )


def _refuse(source: str, reason: str) -> NoReturn:
    raise UserFileError(source=source, reason=reason) from None
