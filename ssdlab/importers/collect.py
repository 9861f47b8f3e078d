"""Collects readings from files, and why other files are left out."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ssdlab.importers.progress import Tell, counted, ignore_progress
from ssdlab.importers.readings import OTHER_KINDS, Damaged, Reader, Reading
from ssdlab.importers.sources import (
    LeftOut,
    SourceFile,
    begins_as_result,
    why_not_read,
)
from ssdlab.model.errors import FioOutputError

_NEVER_RESULTS = frozenset(why for kind, why in OTHER_KINDS.items() if kind != "other")

_Taken = Reading | Damaged | LeftOut


@dataclass(frozen=True, kw_only=True, slots=True)
class Collected:
    """The files of an import, sorted.

    ``damaged`` are the left-out files that may belong to the run.
    """

    readings: tuple[Reading, ...]
    left_out: tuple[LeftOut, ...]
    damaged: tuple[Damaged, ...]


def collect(
    sources: Sequence[SourceFile], reader: Reader, tell: Tell = ignore_progress
) -> Collected:
    """Read every file; a damaged one does not affect the others."""
    reported = counted(sources, "reading file", tell)
    taken = [(source, each) for source in reported for each in _take(source, reader)]
    left_out = [each for _, each in taken if isinstance(each, LeftOut)]
    by_content: dict[bytes, Reading] = {}
    for source, each in taken:
        if isinstance(each, Reading):
            first = by_content.setdefault(each.digest, each)
            if first is not each:
                why = f"same content as {first.name}"
                left_out.append(LeftOut(file=str(source.path), why=why))
    readings = list(by_content.values())
    damaged, lost = _damaged(taken, reader, readings)
    left_out += lost
    cells = [reading for reading in readings if reading.kind == "cell"]
    if not cells:
        _refuse_all(sources, reader, (left_out, damaged))
    if any(cell.is_timed for cell in cells):
        readings = [_as_fill(reading) for reading in readings]
    return Collected(
        readings=tuple(readings), left_out=tuple(left_out), damaged=tuple(damaged)
    )


def _damaged(
    taken: Sequence[tuple[SourceFile, _Taken]],
    reader: Reader,
    readings: Sequence[Reading],
) -> tuple[list[Damaged], list[LeftOut]]:
    """Return the damaged files that may belong to the run, and all left-out files."""
    shapes = {_shape(reading.name) for reading in readings}
    damaged: list[Damaged] = []
    lost: list[LeftOut] = []
    for source, each in taken:
        if isinstance(each, Damaged):
            is_like_others = source.is_named or _shape(each.name) in shapes
            is_doubt = _may_be_result(each, is_like_others=is_like_others)
            is_doubt = is_doubt or reader.is_matching(source)
            damaged += [each] if is_doubt else []
            lost.append(LeftOut(file=str(each.path), why=each.why, is_doubt=is_doubt))
    return damaged, lost


def _as_fill(reading: Reading) -> Reading:
    """Treat a write of an amount as preconditioning if cells ran for a time."""
    is_fill = reading.may_fill and reading.round is None
    return replace(reading, kind="precondition") if is_fill else reading


def _take(source: SourceFile, reader: Reader) -> Iterator[_Taken]:
    """Read the results of a file, or yield why it is left out.

    With a pattern, only files that match it are cells; a fill need not match.
    """
    why = why_not_read(source)
    try:
        fields = reader.fields(source)
    except FioOutputError as error:
        name = source.name or source.path.name
        yield Damaged(path=source.path, group=source.group, name=name, why=error.reason)
        return
    if why and (fields is None or reader.pattern is None):
        yield LeftOut(file=str(source.path), why=why)
        return
    for taken in reader.read(source, fields or {}):
        if fields is None and isinstance(taken, Reading) and taken.kind == "cell":
            why = "fio output whose name does not match the pattern"
            yield LeftOut(file=str(source.path), why=why, is_doubt=True)
        else:
            yield taken


def _may_be_result(damaged: Damaged, *, is_like_others: bool) -> bool:
    """Tell whether a damaged file may be a result of the run.

    It may if it contains the keywords of a result, if the user named it, or if its name
    equals that of a file that was read except for the numbers.
    """
    if damaged.why in _NEVER_RESULTS:
        return False
    is_other = damaged.why in OTHER_KINDS.values()
    return is_like_others or (not is_other and begins_as_result(damaged.path))


def _shape(name: str) -> str:
    return re.sub(r"\d+", "0", name)


def _refuse_all(
    sources: Sequence[SourceFile],
    reader: Reader,
    others: tuple[Sequence[LeftOut], Sequence[Damaged]],
) -> None:
    """Refuse the import, with the reason of the first file that may be a result."""
    left_out, damaged = others
    if damaged and len(sources) == 1:
        raise FioOutputError(
            source=str(damaged[0].path),
            reason=damaged[0].why,
            remedy="Give a pattern that matches its name, or measure it again.",
        )
    doubts = [entry for entry in left_out if entry.is_doubt]
    first = next(iter([*doubts, *left_out]), None)
    reason = f"none of {len(sources)} files is a cell measured by fio"
    if reader.pattern is not None:
        reason = f"no fio output matches the pattern {reader.pattern_text}"
    if first is not None:
        reason += f"; {first.file}: {first.why}"
    raise FioOutputError(
        source=str(sources[0].path.parent),
        reason=reason,
        remedy="Give a pattern that matches the names of the files.",
    )
