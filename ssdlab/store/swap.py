"""Atomic replacement of the tables of a run, never by fewer data.

New tables are written into a new folder. When all of them are durable, two renames put
them in the place of the old ones. After a crash between the two, the old ones have a
name that readers know, and the next writer moves them back.
"""

import re
import secrets
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

import pyarrow as pa

from ssdlab.model.errors import RunFolderError
from ssdlab.model.schema import TABLES
from ssdlab.store.parquet import read_columns
from ssdlab.system.folders import Folder

TABLES_FOLDER: Final = "tables"
_OLD: Final = ".tables.old"
_NUMBERS: Final = ("measurements", "percentiles", "bins", "series")
_NAMES: Final = frozenset(f"{name}.parquet" for name in TABLES)
_UNFINISHED: Final = re.compile(r"\.tables\.[0-9a-f]{16}")
_ABANDONED_NS: Final = 3600 * 10**9
_OF_THE_SYSTEM: Final = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})


def find_tables(run: Path) -> Folder:
    """Return the folder of a run's tables, also after a crash during a replacement."""
    folder = Folder(run)
    is_aside = not folder.has(TABLES_FOLDER) and folder.has(_OLD)
    return folder / (_OLD if is_aside else TABLES_FOLDER)


@contextmanager
def replacing_tables(run: Path) -> Iterator[Folder]:
    """Give a new folder, which at the end takes the place of the tables of a run."""
    folder = Folder(run)
    _put_back(folder)
    if folder.has(TABLES_FOLDER):
        _require_only_tables(folder / TABLES_FOLDER)
    new = f".tables.{secrets.token_hex(8)}"
    made = (folder / new).make_new()
    _sweep(folder, new)
    try:
        yield made
        (folder / _OLD).remove_tree()
        if folder.has(TABLES_FOLDER):
            folder.move(TABLES_FOLDER, folder, _OLD)
        folder.move(new, folder, TABLES_FOLDER)
    except BaseException:
        made.remove_tree()
        with suppress(OSError, RunFolderError):
            _put_back(folder)
        raise
    (folder / _OLD).remove_tree()


def _put_back(folder: Folder) -> None:
    """Undo a replacement that a crash left half done."""
    if folder.has(_OLD) and not folder.has(TABLES_FOLDER):
        folder.move(_OLD, folder, TABLES_FOLDER)


def _sweep(folder: Folder, new: str) -> None:
    """Remove tables that a crash left unfinished, but none that may be in use."""
    for name in filter(_UNFINISHED.fullmatch, folder.names()):
        if folder.changed_ns(new) - folder.changed_ns(name) > _ABANDONED_NS:
            (folder / name).remove_tree()


def _require_only_tables(folder: Folder) -> None:
    """Require that nothing but old tables is removed."""
    for name in folder.names():
        is_ours = name in _NAMES and folder.has_file(name)
        is_leftover = name.startswith(".") and name.endswith(".part")
        if not (is_ours or is_leftover or name in _OF_THE_SYSTEM):
            raise RunFolderError(
                folder=str(folder.root),
                reason=f"{TABLES_FOLDER}/{name} is not a table of this run and would "
                "be removed with the old tables",
                remedy="Move it elsewhere.",
            )


def find_lost(run: Path, ids: Mapping[str, Collection[str]], *, readings: int) -> str:
    """Return what the current tables have and new ones would not, in words, or "".

    The new ones have rows of the steps ``ids`` by table, and so many readings of the
    telemetry. What cannot be read of the current tables does not count as lost.
    """
    place = find_tables(run)
    steps, kinds = _read(place, "steps", ("step_id", "kind"))
    pairs = zip(steps.to_pylist(), kinds.to_pylist(), strict=True)
    held = {step for step, kind in pairs if kind != "purge"}
    lost = held.difference(ids["steps"])
    if lost:
        return f"{len(lost)} of the {len(held)} steps of its tables"
    for name in _NUMBERS:
        (steps,) = _read(place, name, ("step_id",))
        before = set(steps.unique().to_pylist())
        gone = before.difference(ids[name])
        if gone:
            return f"the {name} of {len(gone)} of {len(before)} steps"
    known = len(_read(place, "telemetry", ("name",))[0])
    return f"{known - readings} of {known} telemetry readings" * (known > readings)


def _read(place: Folder, name: str, columns: Sequence[str]) -> list[pa.ChunkedArray]:
    """Return columns of a table of any version, empty if it cannot be read."""
    with (
        suppress(OSError, pa.ArrowException, KeyError, RunFolderError),
        place.opened(f"{name}.parquet") as file,
    ):
        table = read_columns(file, columns)
        return [table[column] for column in columns]
    return [pa.chunked_array([], pa.string())] * len(columns)
