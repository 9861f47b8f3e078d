"""A store of runs as users see it: frames, quantiles of merged bins, SQL."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from importlib import import_module
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ssdlab.fio.bins import BIN_COUNT, bin_edges, bin_value
from ssdlab.fleet.add import add_run
from ssdlab.fleet.delta import (
    OpenTable,
    Writer,
    create_tables,
    open_table,
    schema_of,
)
from ssdlab.fleet.place import Place, missing, place_of, told
from ssdlab.fleet.tables import CELLS, FLEET_RUNS, FLEET_TABLES, HISTOGRAMS
from ssdlab.model.errors import ParameterError, StoreError, UnknownNameError
from ssdlab.stats.cells import named_like
from ssdlab.stats.latency import (
    hold_within,
    is_supported,
    places_reached,
)
from ssdlab.store.tables import arrow_to_frame

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow.dataset as ds

    from ssdlab.store.run import Run

MEMORY_LIMIT: Final = "400MiB"  # of a query in SQL, beside what Python itself holds
_PATTERN = frozenset("*?[]")  # what DuckDB reads as more than a name
_NAMES = ["cell", "test", "workload", "direction"]
_OF_BINS = ["ingest_id", "cell", "lat_min_ns", "lat_max_ns", "bin", "count"]


@dataclass(frozen=True)
class Store:
    """A store of runs as it was when it was opened, as `ssdlab.open_store` returns it.

    Attributes
    ----------
    url : str
        The folder, or the prefix in S3.
    """

    url: str
    _tables: Mapping[str, OpenTable] = field(repr=False, compare=False)

    @property
    def _place(self) -> Place:
        return Place(self.url)

    @cached_property
    def _rows(self) -> "Mapping[str, ds.Dataset]":
        """The rows of each table, whose files stay open."""
        return {name: table.rows() for name, table in self._tables.items()}

    @cached_property
    def _visible(self) -> pa.Array:
        """What of the other tables belongs to a run, the oldest run first."""
        return self._of_runs(["ingest_id"])["ingest_id"].combine_chunks()

    def _of_runs(self, columns: Sequence[str]) -> pa.Table:
        """Return columns of the runs, the oldest first."""
        read = list(dict.fromkeys([*columns, "started_at", "run_id"]))
        with told(self._place):
            held = self._rows[FLEET_RUNS.name].to_table(columns=read)
        order = [("started_at", "ascending"), ("run_id", "ascending")]
        return held.sort_by(order).select(list(columns))

    @cached_property
    def _names(self) -> "pd.DataFrame":
        """Every cell once, with its names; read in parts, as there may be millions."""
        import pyarrow.dataset as ds  # noqa: PLC0415 - imports pandas

        texts = ds.ParquetReadOptions(dictionary_columns=set(_NAMES))
        rows = self._tables[CELLS.name].rows(parquet_read_options=texts)
        schema = pa.schema([(name, pa.string()) for name in _NAMES])
        found = schema.empty_table()
        with told(self._place):
            for batch in rows.to_batches(columns=_NAMES):
                part = pa.Table.from_batches([batch]).group_by(_NAMES).aggregate([])
                whole = pa.concat_tables([found, part.select(_NAMES).cast(schema)])
                found = whole.group_by(_NAMES).aggregate([]).select(_NAMES)
        return arrow_to_frame(found.sort_by("cell"))

    def add(self, run: "str | Path | Run") -> "Store":
        """Add a run that has ended, and return the store as it then is.

        Adding it again changes nothing, unless the run or ssdlab has changed.

        Parameters
        ----------
        run : str, Path or Run
            The run, as `ssdlab.open_run` takes it.

        Returns
        -------
        Store
            The store with the run.

        Raises
        ------
        RunFolderError
            If there is no such run, or it is under way.
        StoreFailedError
            If the store cannot be written; nothing is half in it.
        """
        add_run(Writer(self._place), run, now_s=datetime.now(tz=UTC).timestamp())
        return open_store(self.url)

    def runs(self) -> "pd.DataFrame":
        """Return the table ``runs``: one row per run, the oldest first.

        Returns
        -------
        pandas.DataFrame
            The columns of the data dictionary.
        """
        return arrow_to_frame(self._of_runs(self._rows[FLEET_RUNS.name].schema.names))

    def cells(
        self, cell: str = "", *, test: str = "", direction: str = ""
    ) -> "pd.DataFrame":
        """Return the table ``cells``, or some of its rows.

        Parameters
        ----------
        cell : str, default ""
            The first words of a workload, such as ``RND 4KiB 0/100``; blanks and case
            do not matter. By default all.
        test : str, default ""
            The test; by default all.
        direction : {"", "total", "read", "write", "trim"}, default ""
            Which IOs; by default all.

        Returns
        -------
        pandas.DataFrame
            One row per run, phase, workload and direction.

        Raises
        ------
        UnknownNameError
            If the store has no such workload, test or direction.
        """
        return arrow_to_frame(
            self._chosen(CELLS.name, cell, test=test, direction=direction)
        )

    def cells_of(
        self, ingest_ids: Iterable[str], *, columns: Sequence[str]
    ) -> "pd.DataFrame":
        """Return columns of ``cells`` of some runs.

        Parameters
        ----------
        ingest_ids : iterable of str
            The runs, by what was added of them.
        columns : sequence of str
            The columns.

        Returns
        -------
        pandas.DataFrame
            One row per run, phase, workload and direction.
        """
        wanted = pc.field("ingest_id").isin(list(ingest_ids))
        with told(self._place):
            found = self._rows[CELLS.name].to_table(
                columns=list(columns), filter=wanted
            )
        return arrow_to_frame(found)

    def histograms(
        self, cell: str = "", *, test: str = "", direction: str = ""
    ) -> "pd.DataFrame":
        """Return the table ``histograms``, or some of its rows.

        Parameters
        ----------
        cell : str, default ""
            The first words of a workload, as of `cells`.
        test : str, default ""
            The test; by default all.
        direction : {"", "total", "read", "write", "trim"}, default ""
            Which IOs; by default all.

        Returns
        -------
        pandas.DataFrame
            One row per row of ``cells`` that has bins.

        Raises
        ------
        UnknownNameError
            If the store has no such workload, test or direction.
        """
        return arrow_to_frame(
            self._chosen(HISTOGRAMS.name, cell, test=test, direction=direction)
        )

    def quantile(
        self,
        cell: str,
        q: float,
        *,
        by: str | Sequence[str] = "device_serial",
        test: str = "",
        direction: str = "total",
    ) -> "pd.DataFrame":
        """Return a quantile of latency over runs, from their merged bins.

        Parameters
        ----------
        cell : str
            The first words of a workload, such as ``RND 4KiB 0/100``.
        q : float
            The quantile, such as 0.9999: more than 0 and at most 1.
        by : str or sequence of str, default "device_serial"
            Columns of ``runs``: the runs that are equal in them are merged. With none,
            all runs are.
        test : str, default ""
            The test; by default all that have such a workload, each by itself.
        direction : {"total", "read", "write", "trim"}, default "total"
            Which IOs.

        Returns
        -------
        pandas.DataFrame
            One row per cell and group: ``cell``, the columns of ``by``, ``runs``,
            ``total_ios`` in the bins, ``lat_ns`` [ns], and ``is_supported``: there are
            enough IOs to bound the quantile from above if they were independent.

        Raises
        ------
        ParameterError
            If ``q`` is no quantile, or ``by`` names no column of ``runs``.
        UnknownNameError
            If the store has no such workload, test or direction.

        Notes
        -----
        Bins are added and the quantile is read from their sum by fio's own rule; it is
        never an average of quantiles.
        """
        if not 0 < q <= 1:
            raise ParameterError(name="q", value=q, asked="more than 0 and at most 1")
        names = [by] if isinstance(by, str) else list(by)
        unknown = [one for one in names if one not in FLEET_RUNS.column_names]
        if unknown:
            raise ParameterError(
                name="by", value=unknown[0], asked="a column of the table runs"
            )
        keys = self._cells_like(cell, test, direction)
        with told(self._place):
            held = self._rows[HISTOGRAMS.name].to_table(
                columns=_OF_BINS, filter=pc.field("cell").isin(keys)
            )
        return self._merged(held, keys, names, level=round(q * 100, 10))

    def _merged(
        self, held: pa.Table, keys: Sequence[str], by: list[str], *, level: float
    ) -> "pd.DataFrame":
        """Return a percentile of each cell and group of runs."""
        import pandas as pd  # noqa: PLC0415 - slow

        runs = arrow_to_frame(self._of_runs(by))
        groups: NDArray[np.int64] = np.zeros(len(self._visible), np.int64)
        if by:
            grouped = runs.groupby(by, dropna=False, sort=True)
            groups = np.asarray(grouped.ngroup(), np.int64)
        labels = runs.assign(group=groups).drop_duplicates("group")
        labels = labels.set_index("group")[by]
        place = pc.index_in(held["ingest_id"], value_set=self._visible)
        frames = []
        for key in keys:
            is_own = pc.and_(pc.equal(held["cell"], key), pc.is_valid(place))
            own = held if pc.all(is_own).as_py() else held.filter(is_own)
            of_rows = groups[place.filter(is_own).to_numpy().astype(np.int64)]
            if own.num_rows:
                merged = _merge_bins(own, of_rows, level)
                named = labels.loc[merged.pop("group")].reset_index(drop=True)
                frames.append(pd.concat([named, merged], axis=1).assign(cell=key))
        columns = ["cell", *by, "runs", "total_ios", "lat_ns", "is_supported"]
        if not frames:
            return pd.DataFrame(columns=columns)
        return pd.concat(frames, ignore_index=True)[columns]

    def sql(self, text: str) -> "pd.DataFrame":
        """Return the rows of a question in SQL, asked by DuckDB.

        Parameters
        ----------
        text : str
            One ``select`` over ``runs``, ``cells`` and ``histograms``. No other file
            is read, and none is written.

        Returns
        -------
        pandas.DataFrame
            Its rows.

        Raises
        ------
        StoreError
            If it is not valid.
        MissingToolError
            If DuckDB is not installed.
        """
        duckdb = _duckdb()
        try:
            statements = duckdb.extract_statements(text)
            if [one.type for one in statements] != [duckdb.StatementType.SELECT]:
                raise StoreError(
                    store=self.url,
                    reason="that is not one select",
                    remedy="A store is asked, and not changed, in SQL.",
                )
            frame: pd.DataFrame = self._connection.execute(text).df()
        except duckdb.Error as error:
            raise StoreError(
                store=self.url,
                reason=f"it cannot be asked that ({' '.join(str(error).split())})",
                remedy="The tables are runs, cells and histograms.",
            ) from None
        return frame

    @cached_property
    def _connection(self) -> Any:
        """A database whose views are the tables of the store, and nothing else."""
        connection = _duckdb().connect(
            ":memory:",
            config={
                "memory_limit": MEMORY_LIMIT,
                "autoinstall_known_extensions": "false",
                "temp_directory": "",
            },
        )
        connection.execute("create schema stored")
        for name, table in self._tables.items():
            source = self._source(connection, name, table)
            connection.execute(f"create view stored.{name} as select * from {source}")  # noqa: S608 - names and files are ours
        for name in self._tables:
            is_seen = "where ingest_id in (select ingest_id from stored.runs)"
            connection.execute(
                f"create view {name} as select * from stored.{name} "  # noqa: S608 - as above
                + ("" if name == FLEET_RUNS.name else is_seen)
            )
        if self._place.is_local:
            folder = _quoted(self.url)
            connection.execute(f"set allowed_directories = [{folder}]")
        connection.execute("set enable_external_access = false")
        connection.execute("set lock_configuration = true")
        return connection

    def _source(self, connection: Any, name: str, table: OpenTable) -> str:
        """Return what a view reads: files, if these have all of it, else Arrow."""
        folder = self._place.table(name)
        files = [f"{folder}/{path}" for path in table.paths()]
        is_readable = self._place.is_local and not _PATTERN & set(folder)
        if files and is_readable and not table.missing:
            listed = ", ".join(map(_quoted, files))
            return f"read_parquet([{listed}], union_by_name = true)"
        rows = self._rows[name] if files else _no_rows(name)
        connection.register(f"arrow_{name}", rows)
        return f"arrow_{name}"

    def _cells_like(self, cell: str, test: str, direction: str) -> list[str]:
        """Return the cells that a workload, a test and a direction mean."""
        names = self._names
        for column, wanted in (("test", test), ("direction", direction)):
            known = sorted(set(names[column]))
            if wanted and wanted not in known:
                raise UnknownNameError(kind=column, name=wanted, known=known)
            names = names[names[column] == wanted] if wanted else names
        is_wanted = named_like(names["workload"], cell)
        found = list(compress(names["cell"], is_wanted))
        if not found:
            known = sorted(set(names["workload"]))
            raise UnknownNameError(kind="workload", name=cell, known=known)
        return found

    def _chosen(self, name: str, cell: str, *, test: str, direction: str) -> pa.Table:
        """Return rows of the runs of the store, ordered by run and cell."""
        wanted = pc.field("ingest_id").isin(self._visible)
        if cell or test or direction:
            keys = self._cells_like(cell, test, direction)
            wanted &= pc.field("cell").isin(keys)
        with told(self._place):
            found = self._rows[name].to_table(filter=wanted)
        at = pc.index_in(found["ingest_id"], value_set=self._visible)
        ordered = found.append_column("place", at).sort_by([
            ("place", "ascending"),
            ("cell", "ascending"),
        ])
        return ordered.drop_columns(["place"])


def _merge_bins(
    rows: pa.Table, groups: NDArray[np.int64], level: float
) -> "pd.DataFrame":
    """Return a percentile of the bins of each group, as `bin_rounds` holds them."""
    import pandas as pd  # noqa: PLC0415 - slow

    order, codes = np.unique(groups, return_inverse=True)
    bins = rows["bin"].combine_chunks()
    flat = np.repeat(codes, pc.list_value_length(bins).to_numpy()) * BIN_COUNT
    sums = np.bincount(  # in doubles, which are exact up to 9e15 IOs
        flat + pc.list_flatten(bins).to_numpy(),
        weights=pc.list_flatten(rows["count"].combine_chunks()).to_numpy(),
        minlength=order.size * BIN_COUNT,
    )
    reached = sums.astype(np.int64).reshape(-1, BIN_COUNT).cumsum(axis=1)
    totals = reached[:, -1]
    least, greatest = np.full((2, order.size), [[np.inf], [-np.inf]])
    np.minimum.at(least, codes, rows["lat_min_ns"].to_numpy().astype(float))
    np.maximum.at(greatest, codes, rows["lat_max_ns"].to_numpy().astype(float))
    lower, upper = bin_edges(bin_value((reached < totals[:, None]).sum(axis=1)))
    told_apart = np.where(greatest > upper, lower, greatest)
    places = np.array([places_reached(one, [level])[0] for one in reached])
    return pd.DataFrame({
        "group": order,
        "runs": np.bincount(codes),
        "total_ios": totals,
        "lat_ns": hold_within(bin_value(places), (least, told_apart)),
        "is_supported": [bool(is_supported([level], int(n))[0]) for n in totals],
    })


def _duckdb() -> Any:
    try:
        return import_module("duckdb")
    except ModuleNotFoundError:
        error = missing("duckdb")
        raise error from None


def _quoted(text: str) -> str:
    """Return a text as SQL writes it."""
    doubled = text.replace("'", "''")
    return f"'{doubled}'"


def _no_rows(name: str) -> pa.Table:
    return schema_of(FLEET_TABLES[name]).empty_table()


def open_store(url: str | Path, *, create: bool = False) -> Store:
    """Open a store of runs, to ask about many runs at once.

    A store is an index over run folders, which it never changes: one row per run, and
    one per workload with its rates, latencies and merged bins. It can be made anew from
    the folders at any time. What was added after it was opened is seen when it is
    opened again.

    Parameters
    ----------
    url : str or Path
        A folder, or ``s3://BUCKET/PREFIX`` with the usual variables ``AWS_…`` in the
        environment. A relative folder that is not here is searched in the folders
        above.
    create : bool, default False
        Whether to make the store if there is none.

    Returns
    -------
    Store
        The store, with ``runs()``, ``cells()`` and ``histograms()`` as frames,
        ``quantile()`` of merged bins, ``sql()``, and ``add()``.

    Raises
    ------
    StoreError
        If there is no store, or it is damaged.
    StoreFailedError
        If it cannot be read.
    MissingToolError
        If deltalake is not installed: ``pip install 'ssdlab[fleet]'``.

    Examples
    --------
    >>> import ssdlab
    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     store = ssdlab.open_store(f"{folder}/store", create=True)
    ...     store = store.add("data/samples/virtual-b")
    ...     found = store.quantile("RND 4KiB 0/100", 0.99, test="lat")
    >>> found["device_serial"].unique().tolist(), found["runs"].tolist()
    (['VIRTUAL-B'], [1, 1])
    """
    place = place_of(url, is_new=create)
    if create:
        create_tables(place)
    with told(place):
        tables = {name: open_table(place, name) for name in FLEET_TABLES}
    return Store(place.url, tables)
