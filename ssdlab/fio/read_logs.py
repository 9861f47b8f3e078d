"""Logs among files of any kind, read one after the other into one table."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import numpy as np

from ssdlab.fio.document import Doubt
from ssdlab.fio.histlogs.read import FioHistogramLog, read_fio_histogram_log
from ssdlab.fio.logs.choice import THREADS, Adder
from ssdlab.fio.logs.files import LogFile, find_log, require_unpacked
from ssdlab.fio.logs.frames import value_name
from ssdlab.fio.logs.layout import LogColumn
from ssdlab.fio.logs.read import FioLog, LogKind, read_log_file
from ssdlab.fio.sources import (
    FioSource,
    FioSources,
    NamedSource,
    doubt_unread,
    identify_source,
    list_sources,
)
from ssdlab.model.errors import FioOutputError
from ssdlab.system.unpack import MAX_INPUT_BYTES, read_held

if TYPE_CHECKING:
    import pandas as pd

LogFileKind = Literal["log", "histogram-log"]

_WORDS: Mapping[LogFileKind, str] = {
    "log": "bandwidth, IOPS or latency log",
    "histogram-log": "histogram log",
}
_REMEDY: Final = "Use a log made by write_bw_log, write_lat_log or write_hist_log."
_HEAD_BYTES: Final = 8
_COLUMNS: Mapping[LogColumn, Mapping[str, str]] = {
    "block size": {"block_size_bytes": "Int64"},
    "offset": {"offset_bytes": "Int64"},
    "priority flag": {"is_high_priority": "boolean"},
    "priority": {
        "priority_class": "str",
        "priority_level": "Int64",
        "priority_hint": "Int64",
    },
    "issue time": {"issue_time_ns": "Int64"},
}


class LogsRead:
    """The frames of all logs of a kind, each released before the next is read.

    All have the columns of any. ``doubts`` come with the name of their file, ``count``
    is that of all files. What logs do not state may be given: what they log, and the
    version of fio that wrote them. ``adder`` chooses who sums up the parts of a log.
    """

    def __init__(
        self,
        source: FioSources,
        kind: LogFileKind,
        *,
        log_kind: LogKind | None = None,
        fio_version: str | None = None,
        max_input_bytes: int = MAX_INPUT_BYTES,
        adder: Callable[[LogFile], Adder] = lambda _file: THREADS,
    ) -> None:
        self._adder = adder
        self._source, self._kind = source, kind
        self._log_kind, self._fio_version = log_kind, fio_version
        self._max_bytes = max_input_bytes
        self.doubts: list[tuple[str, Doubt]] = []
        self.count = self.read_count = 0

    def __iter__(self) -> Iterator["pd.DataFrame"]:
        if self._kind == "histogram-log":
            for named, log in self.logs():
                yield log.frame.assign(file=named.name)
            return
        found: list[NamedSource] = []
        columns: dict[str, str] = {}
        for named, log in self.logs():
            if isinstance(log, FioLog):
                found.append(named)
                columns |= _columns(log)
        for named in found:
            yield _as_table(self._read_log(named.given), named.name, columns)

    def logs(self) -> Iterator[tuple[NamedSource, FioLog | FioHistogramLog]]:
        """Yield each log of the kind; what cannot be read is a doubt."""
        for given in list_sources(self._source, max_bytes=self._max_bytes):
            self.count += 1
            try:
                named = _rereadable(given)
                if identify_source(named) != self._kind:
                    _require_unpacked(named)
                    continue
                log = self._read(named.given)
            except FioOutputError as error:
                self.doubts.append((given.name, doubt_unread(error)))
                continue
            self.read_count += 1
            self.doubts += ((named.name, doubt) for doubt in log.issues)
            yield named, log

    def _read(self, source: FioSource) -> FioLog | FioHistogramLog:
        match self._kind:
            case "log":
                return self._read_log(source)
            case "histogram-log":
                return read_fio_histogram_log(source, max_input_bytes=self._max_bytes)

    def _read_log(self, source: FioSource) -> FioLog:
        file = find_log(source, max_bytes=self._max_bytes)
        return read_log_file(
            file,
            kind=self._log_kind,
            fio_version=self._fio_version,
            adder=self._adder(file),
        )

    def require_logs(self) -> None:
        """Require that something was read."""
        if self.read_count:
            return
        name, reason = f"{self.count} files", f"there is no {_WORDS[self._kind]} of fio"
        if self.doubts:
            name, doubt = self.doubts[0]
            reason = doubt.meaning
        raise FioOutputError(source=name, reason=reason, remedy=_REMEDY)


def _rereadable(named: NamedSource) -> NamedSource:
    """Return a source that can be opened again: a plain file, or its content."""
    given = named.given
    if isinstance(given, bytes) or (isinstance(given, Path) and given.is_file()):
        return named
    with named.open() as file:
        return replace(named, given=read_held(file, max_bytes=named.max_bytes))


def _require_unpacked(named: NamedSource) -> None:
    """Require that it is not a log that fio packed itself."""
    with named.open() as file:
        require_unpacked(named.name, file.read(_HEAD_BYTES))


def _columns(log: FioLog) -> dict[str, str]:
    """Return the optional columns of a log, each with its type."""
    value = {value_name(log.kind): "Int64"}
    if "maximum" in log.layout:
        value[value_name(log.kind, "max")] = "Int64"
    others = (_COLUMNS.get(name, {}) for name in log.layout)
    return {name: dtype for part in (value, *others) for name, dtype in part.items()}


def _as_table(log: FioLog, name: str, columns: Mapping[str, str]) -> "pd.DataFrame":
    import pandas as pd  # noqa: PLC0415 - 0.3 s that a fio run need not pay

    rows = log.frame
    zeros = np.zeros(len(rows), np.int8)
    found: dict[str, Any] = {
        "file": pd.Categorical.from_codes(zeros, pd.Index([name])),
        "kind": pd.Categorical.from_codes(zeros, pd.Index([log.kind])),
        "time_ms": rows["time_ms"],
        "direction": rows["direction"],
    }
    for column in sorted(columns, key=_place):
        absent = pd.Series(pd.NA, index=rows.index, dtype=columns[column])
        found[column] = rows.get(column, absent)
    return pd.DataFrame(found, copy=False)


def _place(column: str) -> int:
    """Return the position of a column: values come first."""
    others = [name for names in _COLUMNS.values() for name in names]
    return others.index(column) if column in others else -1
