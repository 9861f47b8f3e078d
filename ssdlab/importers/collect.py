"""From paths to readings: what is taken, and what is left out and why."""

from collections.abc import Sequence
from dataclasses import replace

from ssdlab.importers.readings import OTHER_KINDS, Reader, Reading
from ssdlab.importers.sources import (
    LeftOut,
    SourceFile,
    begins_as_result,
    why_not_read,
)
from ssdlab.model.errors import FioOutputError


def collect(
    sources: Sequence[SourceFile], reader: Reader
) -> tuple[tuple[Reading, ...], tuple[LeftOut, ...]]:
    """Read every file that is one; a damaged one that was named is an error.

    Raises
    ------
    FioOutputError
        If a file that was named, or is named like the pattern, cannot be taken, or
        if none can.
    """
    readings: list[Reading] = []
    left_out: list[LeftOut] = []
    seen: dict[bytes, Reading] = {}
    for source in sources:
        taken = _take(source, reader)
        if isinstance(taken, Reading) and taken.digest in seen:
            twin = seen[taken.digest].name
            taken = LeftOut(file=str(source.path), why=f"the same as {twin}")
        if isinstance(taken, LeftOut):
            left_out.append(taken)
            continue
        seen[taken.digest] = taken
        readings.append(taken)
    cells = [reading for reading in readings if reading.kind == "cell"]
    if not cells:
        _refuse_all(sources, reader, left_out)
    if any(cell.is_timed for cell in cells):
        readings = [_as_fill(reading) for reading in readings]
    return tuple(readings), tuple(left_out)


def _as_fill(reading: Reading) -> Reading:
    """Take a write of an amount among cells that ran for a time as preconditioning."""
    is_fill = reading.may_fill and reading.round is None
    return replace(reading, kind="precondition") if is_fill else reading


def _take(source: SourceFile, reader: Reader) -> Reading | LeftOut:
    """Read a file, or say why it is left out.

    With a pattern only files of its names are cells; a fill may be named otherwise.

    Raises
    ------
    FioOutputError
        If it was meant and cannot be taken.
    """
    why = why_not_read(source)
    said = reader.fields(source)
    if why and (said is None or reader.pattern is None):
        return LeftOut(file=str(source.path), why=why)
    is_meant = source.is_named or (reader.pattern is not None and said is not None)
    try:
        reading = reader.read(source, said or {})
    except FioOutputError as error:
        if is_meant:
            raise
        is_other = error.reason in OTHER_KINDS.values()
        is_foreign = is_other or not begins_as_result(source.path)
        return LeftOut(file=str(source.path), why=error.reason, is_doubt=not is_foreign)
    if said is None and reading.kind == "cell":
        why = "an output of fio whose name does not follow the pattern"
        return LeftOut(file=str(source.path), why=why, is_doubt=True)
    return reading


def _refuse_all(
    sources: Sequence[SourceFile], reader: Reader, left_out: Sequence[LeftOut]
) -> None:
    """Say that nothing can be imported, and why not the first of the files.

    Raises
    ------
    FioOutputError
        Always.
    """
    first = left_out[0] if left_out else None
    reason = f"none of its {len(sources)} files is a cell that fio measured"
    if reader.pattern is not None:
        reason = f"no output of fio in it is named like {reader.pattern_text}"
    if first is not None:
        reason += f"; {first.file}: {first.why}"
    raise FioOutputError(
        source=str(sources[0].path.parent),
        reason=reason,
        remedy="Look at the names, and give the pattern that they follow.",
    )
