"""Export of the tables of a run for other programs: CSV, Parquet, a workbook."""

import csv
import io
import re
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

from ssdlab.model.errors import ExportError, MissingToolError
from ssdlab.model.schema import TABLES, Table
from ssdlab.store.run import Run
from ssdlab.system.folders import Folder
from ssdlab.system.outputs import ZIP_MARK, exporting, output_folder, write_output

if TYPE_CHECKING:
    import pandas as pd

ExportFormat = Literal["csv", "parquet", "xlsx"]

_WORKBOOK = "tables.xlsx"
SHEET_ROWS: Final = 1_048_576  # of Excel and LibreOffice, including the header
_CELL_LETTERS: Final = 32_767
_EXACT_INTEGER: Final = 2**53  # a spreadsheet's numbers are doubles
_NOT_IN_XML = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
# A spreadsheet treats text that begins with these as a formula.
_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_VIRTUAL = "a virtual SSD or a file: a model, not the numbers of a drive"


def export_run(run: Run, file_format: ExportFormat, place: Path | None = None) -> Path:
    """Write the tables of a run for other programs."""
    own = run.folder / "export"
    if file_format == "xlsx" and place and place.suffix.lower() != ".xlsx":
        raise ExportError(
            place=str(place),
            reason="the name of a workbook ends in .xlsx",
            remedy="Use that name, or choose another format.",
        )
    frames = {name: getattr(run, name) for name in TABLES}
    with exporting(place or own.path, remedy="Name another place with -o."):
        if file_format != "xlsx":
            folder = output_folder(place) if place else own / file_format
            write_frames(frames, TABLES, folder.make(), file_format=file_format)
            return folder.path
        packed = _pack_workbook(run, frames)
        if place is None:
            own.make().write(_WORKBOOK, packed)
            return own.path / _WORKBOOK
        output_folder(place.parent).make()
        write_output(place, packed)
    return place


def write_frames(
    frames: "Mapping[str, pd.DataFrame]",
    tables: Mapping[str, Table],
    place: Folder,
    *,
    file_format: str,
) -> None:
    """Write frames with the columns of tables into a folder, a file each."""
    for name, frame in frames.items():
        if file_format == "parquet":
            content = _to_parquet(tables[name], frame)
        else:
            content = _to_csv(frame).encode()
        place.write(f"{name}.{file_format}", content)


def _to_parquet(table: Table, frame: "pd.DataFrame") -> bytes:
    import pyarrow.parquet as pq  # noqa: PLC0415 - slow, and not needed for text

    from ssdlab.store.tables import frame_to_arrow  # noqa: PLC0415 - as above

    file = io.BytesIO()
    pq.write_table(frame_to_arrow(table, frame), file, compression="zstd")
    return file.getvalue()


def _to_csv(frame: "pd.DataFrame") -> str:
    """Return a frame as CSV; text that looks like a formula gets an apostrophe."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(frame.columns)
    writer.writerows(tuple(map(_disarmed, row)) for row in row_tuples(frame))
    return text.getvalue()


def _disarmed(value: object) -> object:
    if isinstance(value, str) and value.startswith(_FORMULA):
        return f"'{value}"
    return value


def row_tuples(frame: "pd.DataFrame") -> Iterator[tuple[Any, ...]]:
    """Yield the rows as plain values, missing ones as None."""
    columns = [frame[name].astype(object) for name in frame.columns]
    clean = [column.where(column.notna(), None).tolist() for column in columns]
    return zip(*clean, strict=True)


def _pack_workbook(run: Run, frames: "dict[str, pd.DataFrame]") -> bytes:
    for name, frame in frames.items():
        if len(frame) >= SHEET_ROWS:
            raise ExportError(
                place=_WORKBOOK,
                reason=f"the table {name} has {len(frame):,} rows; a sheet holds "
                f"{SHEET_ROWS - 1:,}",
                remedy="Export it as csv or parquet.",
            )
    try:
        import openpyxl  # noqa: PLC0415 - an extra, and slow
    except ModuleNotFoundError:
        raise MissingToolError(
            tool="openpyxl",
            needed_for="xlsx",
            remedy="pip install 'ssdlab[export]', or export csv or parquet.",
        ) from None
    book = openpyxl.Workbook(write_only=True)
    _fill(book.create_sheet("about"), _about(run))
    for name, frame in frames.items():
        rows = [tuple(frame.columns), *row_tuples(frame)]
        _fill(book.create_sheet(name), rows, frozen="A2")
    _fill(book.create_sheet("columns"), _dictionary(), frozen="A2")
    packed = io.BytesIO()
    book.save(packed)
    with zipfile.ZipFile(packed, "a") as archive:
        archive.comment = ZIP_MARK
    return packed.getvalue()


def _about(run: Run) -> list[tuple[str, str]]:
    record = run.record
    facts = [
        ("run", record.run_id),
        ("label", record.label),
        ("device", f"{record.target.model} {record.target.serial}".strip()),
        ("began", record.started_at),
        ("made by", f"ssdlab {record.host.ssdlab_version}, {record.host.fio_version}"),
        ("columns", "their meaning is in the last sheet"),
    ]
    note = [("note", _VIRTUAL)] if record.target.is_virtual else []
    return facts + note


def _dictionary() -> list[tuple[str, ...]]:
    rows = [
        (table.name, column.name, column.dtype, column.meaning)
        for table in TABLES.values()
        for column in table.columns
    ]
    return [("table", "column", "type", "meaning"), *rows]


def _fill(sheet: Any, rows: Any, *, frozen: str | None = None) -> None:
    """Write rows into a sheet; text stays text even if it looks like a formula."""
    from openpyxl.cell import WriteOnlyCell  # noqa: PLC0415 - an extra, and slow

    sheet.freeze_panes = frozen
    for row in rows:
        cells = []
        for value in map(_in_a_cell, row):
            if isinstance(value, str):
                cell = WriteOnlyCell(sheet, value)
                cell.data_type = "s"
                cells.append(cell)
            else:
                cells.append(value)
        sheet.append(cells)


def _in_a_cell(value: object) -> object:
    """Return a value that a cell can hold, exact or as text."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int) and abs(value) > _EXACT_INTEGER:
        return str(value)
    if isinstance(value, float) and value in {float("inf"), float("-inf")}:
        return str(value)
    if isinstance(value, str):
        text = _NOT_IN_XML.sub("�", value)
        end = " (cut: a cell can hold no more)"
        fits = len(text) <= _CELL_LETTERS
        return text if fits else text[: _CELL_LETTERS - len(end)] + end
    return value
