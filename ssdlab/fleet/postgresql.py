"""Export of a store's runs and cells to PostgreSQL, for dashboards and other tools.

Repeated exports bring the tables up to date: only runs that were added, changed or
removed since are written, in one transaction, so that a reader sees the tables of
before or of after. Columns are added and never dropped, as views may use them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from ssdlab.fleet.store import Store
from ssdlab.fleet.tables import CELLS, FLEET_RUNS
from ssdlab.model.errors import ExportError, MissingToolError
from ssdlab.model.schema import Table
from ssdlab.store.export import row_tuples

if TYPE_CHECKING:
    import pandas as pd

SCHEMES: Final = ("postgresql://", "postgres://")
_TABLES: Final = (FLEET_RUNS, CELLS)
_TYPES: Final = {
    "string": "text",
    "int64": "bigint",
    "float64": "double precision",
    "bool": "boolean",
}
_OURS: Final = "ssdlab store "
_AT_ONCE: Final = 100  # runs whose cells are in memory
_TO_CONNECT_S: Final = 20
_LOCK: Final = 0x5353444C  # of PostgreSQL, for the time of a transaction


@dataclass(frozen=True, kw_only=True, slots=True)
class Exported:
    """What an export did: the runs in the tables now, written, and removed."""

    runs: int
    written: int
    removed: int


def export_to_postgresql(
    store: Store, url: str, *, schema: str, overwrite: bool = False
) -> Exported:
    """Bring the tables ``runs`` and ``cells`` in a database up to date.

    Parameters
    ----------
    store : Store
        The store.
    url : str
        The database, ``postgresql://USER@HOST/NAME``. What it leaves out, libpq takes
        from its variables and files, such as ``~/.pgpass``.
    schema : str
        The schema of the tables; it is made if there is none.
    overwrite : bool, default False
        Whether a schema that holds another store is taken.

    Returns
    -------
    Exported
        What was done.

    Raises
    ------
    ExportError
        If the database cannot be reached or refuses, or the schema is not ours; nothing
        is changed then.
    MissingToolError
        If psycopg is not installed.
    """
    psycopg = _psycopg()
    place = _shown(psycopg, url)
    try:
        with psycopg.connect(
            url, connect_timeout=_TO_CONNECT_S, application_name="ssdlab"
        ) as connection:
            cursor = connection.cursor()
            cursor.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
            made = _Tables(psycopg.sql, cursor, schema)
            _take_schema(made, store, place=place, overwrite=overwrite)
            for table in _TABLES:
                made.make(table)
            return _bring_up_to_date(made, store)
    except psycopg.Error as error:
        said = " ".join(str(error).split()) or type(error).__name__
        raise ExportError(
            place=place,
            reason=f"nothing was exported ({said})",
            remedy="Check the name of the database, and what its user may do.",
        ) from None


def _psycopg() -> Any:
    try:
        import_module("psycopg.sql")
        return import_module("psycopg")
    except ImportError:  # also without libpq
        raise MissingToolError(
            tool="psycopg",
            needed_for="PostgreSQL",
            remedy="pip install 'ssdlab[postgresql]'",
        ) from None


def _shown(psycopg: Any, url: str) -> str:
    """Return the database as it may be shown: without a password."""
    try:
        parts = import_module("psycopg.conninfo").conninfo_to_dict(url)
    except psycopg.Error as error:
        raise ExportError(
            place="the database",
            reason=f"its address is not valid ({' '.join(str(error).split())})",
            remedy="It has the form postgresql://USER@HOST/NAME.",
        ) from None
    host, name = parts.get("host", "localhost"), parts.get("dbname", "")
    return f"postgresql://{host}/{name}"


@dataclass(frozen=True, slots=True)
class _Tables:
    """The tables in a schema, within a transaction."""

    sql: Any
    cursor: Any
    schema: str

    def do(self, text: str, *names: str, values: Sequence[Any] = ()) -> Any:
        """Carry out a statement with names in its ``{}`` and values in its ``%s``."""
        quoted = map(self.sql.Identifier, names)
        self.cursor.execute(self.sql.SQL(text).format(*quoted), values)
        return self.cursor

    def explain(self, what: str, meaning: str, *names: str) -> None:
        """Set the comment on something."""
        quoted = map(self.sql.Identifier, names)
        words = self.sql.SQL(f"comment on {what} is {{}}")
        self.cursor.execute(words.format(*quoted, self.sql.Literal(meaning)))

    def make(self, table: Table) -> None:
        """Make a table, or add the columns that it lacks."""
        name = table.name
        self.do("create table if not exists {}.{} ()", self.schema, name)
        known = {
            row[0]
            for row in self.do(
                "select column_name from information_schema.columns "
                "where table_schema = %s and table_name = %s",
                values=[self.schema, name],
            )
        }
        for column in table.columns:
            if column.name not in known:
                kind = _TYPES[column.dtype]
                add = f"alter table {{}}.{{}} add column {{}} {kind}"
                self.do(add, self.schema, name, column.name)
                what = (self.schema, name, column.name)
                self.explain("column {}.{}.{}", column.meaning, *what)
        if not known:
            self.explain("table {}.{}", table.row, self.schema, name)
            self.do("create index on {}.{} ({})", self.schema, name, "run_id")

    def write(self, table: Table, frame: "pd.DataFrame") -> None:
        """Add rows to a table."""
        columns = self.sql.SQL(", ").join(map(self.sql.Identifier, table.column_names))
        copy = self.sql.SQL("copy {}.{} ({}) from stdin").format(
            self.sql.Identifier(self.schema), self.sql.Identifier(table.name), columns
        )
        with self.cursor.copy(copy) as rows:
            for row in row_tuples(frame[list(table.column_names)]):
                rows.write_row(tuple(map(_storable, row)))


def _storable(value: Any) -> Any:
    """Return a value that a column can hold: PostgreSQL has no NUL in a text."""
    if isinstance(value, str):
        text = value.replace("\0", "\N{REPLACEMENT CHARACTER}")
        return text.encode("utf-8", "replace").decode()
    return value


def _take_schema(made: _Tables, store: Store, *, place: str, overwrite: bool) -> None:
    """Make the schema, or make sure that it holds this store."""
    found = made.do(
        "select obj_description(oid, 'pg_namespace') from pg_namespace "
        "where nspname = %s",
        values=[made.schema],
    ).fetchone()
    comment = f"{_OURS}{store.url}"
    if found is not None and found[0] != comment:
        is_ours = (found[0] or "").startswith(_OURS)
        if not (is_ours and overwrite):
            held = f"another store, {found[0][len(_OURS) :]}" if is_ours else "no store"
            raise ExportError(
                place=place,
                reason=f"the schema {made.schema!r} holds {held}",
                remedy="Name another with --schema"
                + (", or replace it with --overwrite." if is_ours else "."),
            )
    if found is None:
        made.do("create schema {}", made.schema)
    if found is None or found[0] != comment:
        made.explain("schema {}", comment, made.schema)


def _bring_up_to_date(made: _Tables, store: Store) -> Exported:
    runs = store.runs()
    there: Mapping[str, str] = dict(
        made.do("select run_id, ingest_id from {}.{}", made.schema, FLEET_RUNS.name)
    )
    here = dict(zip(runs["run_id"], runs["ingest_id"], strict=True))
    changed = [run for run, ingest in here.items() if there.get(run) != ingest]
    removed = sorted(set(there) - set(here))
    for table in _TABLES:
        delete = "delete from {}.{} where run_id = any(%s)"
        gone = [changed + removed]
        made.do(delete, made.schema, table.name, values=gone)
    for first in range(0, len(changed), _AT_ONCE):
        names = changed[first : first + _AT_ONCE]
        made.write(FLEET_RUNS, runs[runs["run_id"].isin(names)])
        ids = [here[name] for name in names]
        made.write(CELLS, store.cells_of(ids, columns=CELLS.column_names))
    return Exported(runs=len(here), written=len(changed), removed=len(removed))
