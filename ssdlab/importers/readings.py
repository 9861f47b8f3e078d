"""Reads one fio file: its workload, round, times and numbers."""

import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NoReturn

from ssdlab.engine.patterns import compile_pattern, fields_of
from ssdlab.fio.document import Doubt, FioDocument, FioJob, Form
from ssdlab.fio.doubts import find_doubts
from ssdlab.fio.faults import find_faults
from ssdlab.fio.identify import FileKind
from ssdlab.fio.sources import Content, name_source, read_content
from ssdlab.importers.fills import (
    begun_options,
    is_named_fill,
    is_timed,
    options_of,
    writes_an_amount,
)
from ssdlab.importers.sources import SourceFile
from ssdlab.importers.workloads import (
    NO_FACTS,
    WorkloadFacts,
    combine,
    facts_from_fields,
    facts_from_jobs,
    facts_from_numbers,
    facts_from_options,
    facts_from_path,
    find_other_mix,
    missing_names,
    round_in_name,
)
from ssdlab.ingest.imported import has_completion_levels
from ssdlab.ingest.parts import Part, ResultPart, read_results
from ssdlab.ingest.results import summarise_step
from ssdlab.model.errors import FioOutputError
from ssdlab.model.spec import Access, Workload
from ssdlab.model.step import Step, StepKind, StepResult
from ssdlab.system.unpack import MAX_INPUT_BYTES

OTHER_KINDS: Mapping[FileKind, str] = {
    "log": "a fio log, not a result",
    "histogram-log": "a fio histogram log, not a result",
    "job-file": "a fio job file, not a result",
    "other": "not fio output",
}
_ROUNDED_RATIO = 0.005  # fio's text gives three digits of the bytes or more
_OF_VALUES = frozenset({"bad-value", "missing-value", "unreadable-line"})
_SIGNAL = re.compile(r"terminating on signal \d+")
_END_OF_TIME_S = 2.5e11
_AT_LEAST_OUTSTANDING = 4  # fio 2.x counts whole KiB: two blocks of 512 B


@dataclass(frozen=True, kw_only=True, slots=True)
class Reading:
    """The result of one step from one file.

    ``rows`` are the numbers of a step without fio output. Unknown times are ``None``.
    ``may_fill`` means that it wrote an amount, not for a time, as fills do;
    ``is_timed`` that it has a runtime; ``has_clat_levels`` that its percentiles are of
    completion latency only. ``doubts`` are about impossible values, which no result
    uses. ``part`` identifies the result in a file with several, and ``is_order_told``
    tells whether these are known to have run one after another; ``order_s`` orders
    files by a clock of unknown time zone where ``ended_s`` is unknown.
    """

    path: Path
    group: int
    name: str
    kind: StepKind
    workload: Workload
    result: StepResult
    round: int | None = None
    label: str = ""
    ended_s: float | None = None
    runtime_s: float | None = None
    fio_version: str = ""
    form: Form = "json"
    device: str = ""
    hostnames: tuple[str, ...] = ()
    said: str = ""
    may_fill: bool = False
    is_timed: bool = False
    has_clat_levels: bool = False
    digest: bytes = b""
    doubts: tuple[Doubt, ...] = ()
    part: Part | None = None
    order_s: float | None = None
    is_order_told: bool = True
    rows: tuple[Mapping[str, Any], ...] = ()
    test: str = ""

    @property
    def when_s(self) -> float | None:
        """The time that orders it, if known."""
        return self.ended_s if self.order_s is None else self.order_s

    @property
    def started_s(self) -> float | None:
        """When its IO began: fio writes its report right after the last IO."""
        if self.ended_s is None or self.runtime_s is None:
            return None
        return self.ended_s - self.runtime_s


@dataclass(frozen=True, kw_only=True, slots=True)
class Damaged:
    """A file that cannot be used, with its cell and round as far as known."""

    path: Path
    group: int
    name: str
    why: str
    facts: WorkloadFacts = NO_FACTS
    round: int | None = None
    ended_s: float | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Reader:
    """Reads files with or without a pattern of their names.

    ``access`` is the default for files that do not specify it; at most ``max_bytes``
    are read from one file.
    """

    pattern: re.Pattern[str] | None
    pattern_text: str = ""
    access: Access | None = None
    max_bytes: int = MAX_INPUT_BYTES

    def fields(self, source: SourceFile) -> Mapping[str, str] | None:
        """Return the fields of a file's name, or ``None`` if it does not match.

        Raises `FioOutputError` if a field has no valid value.
        """
        if self.pattern is None:
            return {}
        match = self._match(source)
        if match is None:
            return None
        try:
            return fields_of(match)
        except ValueError as error:
            _refuse(source, str(error))

    def is_matching(self, source: SourceFile) -> bool:
        """Tell whether there is a pattern and the name of a file matches it."""
        return self._match(source) is not None

    def _match(self, source: SourceFile) -> re.Match[str] | None:
        if self.pattern is None:
            return None
        depth = self.pattern_text.count("/") + 1
        return self.pattern.fullmatch("/".join(source.path.absolute().parts[-depth:]))

    def read(
        self, source: SourceFile, name_fields: Mapping[str, str]
    ) -> "tuple[Reading | Damaged, ...]":
        """Read all results of a file whose name gave these fields.

        It is damaged if it is not fio output, is incomplete, or does not identify its
        cell.
        """
        content: Content | None = None
        try:
            content = read_content(name_source(source.path, max_bytes=self.max_bytes))
            if content.kind != "output":
                _refuse(source, OTHER_KINDS[content.kind])
            results = read_results(content.data, source=str(source.path))
        except FioOutputError as error:
            return (self._damaged(source, name_fields, error.reason, content=content),)
        return tuple(self._result(source, name_fields, (r, content)) for r in results)

    def _result(
        self,
        source: SourceFile,
        name_fields: Mapping[str, str],
        read: tuple[ResultPart, Content],
    ) -> "Reading | Damaged":
        result, content = read
        try:
            return self._reading(source, name_fields, read)
        except FioOutputError as error:
            is_only = result.part is None
            return self._damaged(
                source,
                name_fields,
                error.reason,
                content=content if is_only else None,
                document=result.document,
            )

    def _damaged(
        self,
        source: SourceFile,
        name_fields: Mapping[str, str],
        why: str,
        *,
        content: Content | None,
        document: FioDocument | None = None,
    ) -> "Damaged":
        name = source.name or source.path.name
        jobs = document.measured if document is not None else ()
        if content is None and jobs:
            why = f"{_names_of(jobs)}: {why}"
        return Damaged(
            path=source.path,
            group=source.group,
            name=name,
            why=why,
            facts=self._facts_if_any(
                source, name_fields, document if jobs else content
            ),
            round=self._round(source, name_fields),
            ended_s=None if document is None else _order_s(document),
        )

    def _reading(
        self,
        source: SourceFile,
        name_fields: Mapping[str, str],
        read: tuple[ResultPart, Content],
    ) -> Reading:
        found, content = read
        document = found.document
        if not document.is_whole:
            _refuse(source, "cut short or damaged")
        if found.ran_together:
            _refuse(source, "its job groups ran together, so none is a cell")
        try:
            facts = self._facts(document, source, name_fields)
        except ValueError as error:
            _refuse(source, str(error))
        workload = _workload(source, facts)
        _require_whole(source, document, workload, before=content.doubts)
        names = (source.path.name, *(job.name for job in document.measured))
        is_fill = not name_fields.get("round") and is_named_fill(names, workload)
        kind: StepKind = "precondition" if is_fill else "cell"
        blank = Step(step_id="", test_id="", phase_id="", kind=kind, workload=workload)
        result, runtime_s = summarise_step(blank, document)
        name = source.name or source.path.name
        if found.part is not None:
            name += f": {_names_of(document.measured)}"
        return Reading(
            path=source.path,
            group=source.group,
            name=name,
            kind=kind,
            workload=workload,
            result=result,
            round=None if is_fill else self._round(source, name_fields),
            label=name_fields.get("label", ""),
            ended_s=_moment_s(document) if found.is_last else None,
            order_s=found.order_s(_order_s(document)),
            runtime_s=runtime_s or None,
            fio_version=document.fio_version,
            form=document.form,
            device=_device(document),
            hostnames=tuple(sorted({j.hostname for j in document.measured} - {""})),
            said=document.prefix,
            may_fill=writes_an_amount(document, workload),
            is_timed=is_timed(document),
            has_clat_levels=has_completion_levels(document),
            digest=hashlib.sha256(content.data + repr(found.part).encode()).digest(),
            doubts=tuple(_aside(document)),
            part=found.part,
            is_order_told=found.is_order_told,
        )

    def _facts_if_any(
        self,
        source: SourceFile,
        name_fields: Mapping[str, str],
        held: FioDocument | Content | None,
    ) -> WorkloadFacts:
        """Return the facts of a damaged file, none if they contradict each other."""
        data = held.data if isinstance(held, Content) else b""
        try:
            if isinstance(held, FioDocument):
                return self._facts(held, source, name_fields)
            return combine({
                "name": facts_from_fields(name_fields),
                "place": facts_from_path(source.name or source.path.name),
                "job options": facts_from_options(begun_options(data)),
            })
        except ValueError:
            return NO_FACTS

    def _round(self, source: SourceFile, name_fields: Mapping[str, str]) -> int | None:
        if self.pattern is None:
            return round_in_name(source.name or source.path.name)
        return int(name_fields["round"]) if "round" in name_fields else None

    def _facts(
        self, document: FioDocument, source: SourceFile, name_fields: Mapping[str, str]
    ) -> WorkloadFacts:
        by_jobs = facts_from_jobs(document)
        facts = combine({
            "name": facts_from_fields(name_fields),
            "job options": by_jobs,
        })
        by_numbers = facts_from_numbers(document)
        by_name = facts_from_path(source.name or source.path.name)
        if by_jobs != NO_FACTS:  # what options leave open has no single value
            if document.form != "normal":
                return facts
            mix = WorkloadFacts(
                read_percent=by_name.read_percent
            )  # never in normal output
            mix = _fill_in(mix, WorkloadFacts(read_percent=by_numbers.read_percent))
            return _fill_in(facts, mix)
        if self.pattern is None:
            facts = _fill_in(facts, by_name)
        facts = _fill_in(facts, by_numbers)
        return _fill_in(facts, WorkloadFacts(access=self.access))


def make_reader(
    pattern: str | None,
    access: Access | None,
    *,
    max_bytes: int = MAX_INPUT_BYTES,
) -> Reader:
    """Return the reader of an import."""
    if pattern is None:
        return Reader(pattern=None, access=access, max_bytes=max_bytes)
    try:
        shape = compile_pattern(pattern)
    except ValueError as error:
        raise FioOutputError(
            source=pattern,
            reason=str(error),
            remedy="Write it like wdpc_bs{block_size}_read{read_percent}.json.",
        ) from error
    return Reader(
        pattern=shape, pattern_text=pattern, access=access, max_bytes=max_bytes
    )


def _refuse(source: SourceFile, reason: str) -> NoReturn:
    raise FioOutputError(
        source=str(source.path),
        reason=reason,
        remedy="Give a pattern that matches its name, or leave the file out.",
    )


def _fill_in(facts: WorkloadFacts, more: WorkloadFacts) -> WorkloadFacts:
    """Complete facts with those of another source."""
    unknown = {
        name: getattr(more, name)
        for name in WorkloadFacts.__dataclass_fields__
        if getattr(facts, name) is None
    }
    return replace(facts, **unknown)


def _workload(source: SourceFile, facts: WorkloadFacts) -> Workload:
    missing = ", ".join(missing_names(facts))
    if missing or facts.access is None:
        raise FioOutputError(
            source=str(source.path),
            reason=f"neither its options nor its name specify its {missing}",
            remedy="Give a name pattern with the fields {access}, {block_size} and "
            "{read_percent}, or name its test.",
        )
    return Workload(
        access=facts.access,
        block_size_bytes=facts.block_size_bytes or 0,
        read_percent=facts.read_percent or 0,
        threads=facts.threads or 0,
        queue_depth=facts.queue_depth or 0,
    )


def _require_whole(
    source: SourceFile,
    document: FioDocument,
    workload: Workload,
    *,
    before: Sequence[Doubt] = (),
) -> None:
    """Require a complete measurement of the workload."""
    outstanding = max(
        workload.threads * workload.queue_depth,
        _AT_LEAST_OUTSTANDING,
        *_unsure_ios(document),
    )
    faults = [
        *(
            f"{doubt.place}: {doubt.meaning}"
            for doubt in (*before, *find_doubts(document))
            if doubt.is_grave
        ),
        *find_faults(
            document,
            exit_code=0,
            block_sizes_bytes=workload.block_range_bytes,
            outstanding=outstanding,
            runtime_s=_runtime_asked_s(document),
        ),
        find_other_mix(document, workload.read_percent),
        *_SIGNAL.findall(f"{document.prefix}\n{document.suffix}")[:1],
    ]
    why = "; ".join(dict.fromkeys(fault for fault in faults if fault))
    if why:
        raise FioOutputError(
            source=str(source.path),
            reason=f"not a complete measurement of {workload.label}: {why}",
            remedy="Leave it out, or measure it again.",
        )


def _unsure_ios(document: FioDocument) -> Iterator[int]:
    """Yield by how many IOs the rounded bytes of each direction are uncertain."""
    if any(d.kind == "rounded" and "io_bytes" in d.place for d in document.doubts):
        for side in (side for job in document.measured for side in job.parts):
            yield math.ceil(_ROUNDED_RATIO * (side.total_ios or 0))


def _aside(document: FioDocument) -> Iterator[Doubt]:
    """Yield the impossible values of an output, which no result uses."""
    for doubt in document.doubts:
        if doubt.kind in _OF_VALUES and not doubt.is_grave:
            yield doubt


def _moment_s(document: FioDocument) -> float | None:
    """Return when fio wrote; None for a time before 1970 or after 9999."""
    moment_s = document.timestamp_s
    return moment_s if moment_s and 0 < moment_s < _END_OF_TIME_S else None


def _order_s(document: FioDocument) -> float | None:
    """Return when fio wrote, possibly by a clock of unknown time zone."""
    moment_s = _moment_s(document)
    return document.printed_s if moment_s is None else moment_s


def _names_of(jobs: Sequence[FioJob]) -> str:
    names = dict.fromkeys(job.name for job in jobs)
    return f"job {', '.join(names)}" if len(names) == 1 else f"jobs {', '.join(names)}"


def _runtime_asked_s(document: FioDocument) -> float | None:
    """Return the fixed runtime of a job, if given in seconds."""
    options = options_of(document)
    match = re.fullmatch(r"(\d{1,9})s?", options.get("runtime", ""))
    return float(match[1]) if match and "time_based" in options else None


def _device(document: FioDocument) -> str:
    """Return the device by the name in its jobs, or by that of the kernel."""
    named = options_of(document).get("filename", "")
    own = [disk.name for disk in document.disks if not disk.is_of_members]
    return named or (own[0] if own else "")
