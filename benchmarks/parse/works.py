"""The three tasks, the readers timed on each, and the targets of ssdlab."""

import gzip
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from benchmarks.parse.answers import Answer
from benchmarks.parse.make_documents import FOLDER
from benchmarks.parse.make_histograms import PATTERN
from benchmarks.parse.make_log import HEAD_SHARE, NAME
from benchmarks.parse.peers_documents import clat2csv_answer, document_paths
from benchmarks.parse.peers_histogram import histogram_paths

OURS = "ssdlab"
NO_KERNELS: Mapping[str, str] = {"SSDLAB_NO_KERNELS": "1"}

_WC, _READ = "wc -l", "only read"
_DUCKDB, _POLARS, _LOADTXT = "duckdb", "polars", "numpy loadtxt"
_FIO_PLOT, _OF_DICTS = "fio-plot", "a dict a row, as fio-plot has"
_OUR_FRAME, _POLARS_FRAME = "ssdlab, frame", "polars, frame"
_CLAT2CSV = "fio_jsonplus_clat2csv"
_EACH_CLAT2CSV = "fio_jsonplus_clat2csv, as meant"
_HISTO, _PARSER_HIST = "fio-histo-log-pctiles.py", "fiologparser_hist.py"
_TOOL_FOLDERS = (Path("/usr/share/doc/fio"),)
_DOCUMENTS_A_RUN = 20  # one of so many is read by what starts a process a document
_TOOL_PYTHON = "/usr/bin/python3"  # Debian's tools import Debian's modules

Basis = Literal["process", "work", "warm"]
BASES: Sequence[Basis] = ("process", "work", "warm")
Command = Callable[[Path, Path], Sequence[str]]


@dataclass(frozen=True, kw_only=True)
class Peer:
    """One reader: ``module:function`` of this package, or the command of a tool.

    ``share`` is the share of the data that it reads; its time is scaled. A reader that
    ``is_slow`` runs once. ``reference`` is the reader with the same share; ``check``
    reads the output of a tool from its folder.
    """

    name: str
    reader: str = ""
    command: Command | None = None
    needs: Sequence[str] = ()
    tool: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)
    share: float = 1.0
    is_slow: bool = False
    reference: str = ""
    check: Callable[[Path], Answer] | None = None

    @property
    def is_ours(self) -> bool:
        """Whether it is ssdlab as installed by users."""
        return self.reader.startswith("ours:") and not self.environment


@dataclass(frozen=True, kw_only=True)
class Target:
    """One performance target.

    For times: ``ours`` over ``theirs`` is at most, or the inverse is at least,
    ``limit``, for the whole process, for the work in it, and for the work repeated in a
    warm process. For memory, where ``theirs`` is empty: at most ``limit`` MiB of
    ``ours``.
    """

    ours: str = OURS
    theirs: str = ""
    limit: float
    is_most: bool = True
    counts_file_pages: bool = False


@dataclass(frozen=True, kw_only=True)
class Work:
    """A task with its readers and targets; ``floor`` only reads the bytes."""

    title: str
    floor: str
    peers: Sequence[Peer]
    targets: Sequence[Target]


def find_tool(name: str, scratch: Path) -> Path | None:
    """Return fio's tool: from the path, or unpacked from Debian's package."""
    found = shutil.which(name)
    if found:
        return Path(found)
    for folder in _TOOL_FOLDERS:
        packed = folder / f"{name}.gz"
        if packed.is_file():
            unpacked = scratch / name
            unpacked.write_bytes(gzip.decompress(packed.read_bytes()))
            return unpacked
    return None


def _count_lines(pattern: str) -> Command:
    return lambda folder, _: ["wc", "-l", *map(str, sorted(folder.glob(pattern)))]


def _once(folder: Path, scratch: Path) -> Sequence[str]:
    driver = Path(__file__).parent / "clat2csv.py"
    tool = find_tool(_CLAT2CSV, scratch)
    return [_TOOL_PYTHON, str(driver), str(tool), str(folder / FOLDER), str(scratch)]


def _each(folder: Path, scratch: Path) -> Sequence[str]:
    tool = find_tool(_CLAT2CSV, scratch)
    some = map(str, document_paths(folder)[::_DOCUMENTS_A_RUN])
    loop = 'for f; do "$PYTHON" "$TOOL" "$f" "$TARGET"; done'
    names = [f"PYTHON={_TOOL_PYTHON}", f"TOOL={tool}", f"TARGET={scratch}/each.csv"]
    return ["env", *names, "sh", "-c", loop, "each", *some]


def _on_histograms(name: str, *options: str) -> Command:
    def command(folder: Path, scratch: Path) -> Sequence[str]:
        tool = find_tool(name, scratch)
        paths = map(str, histogram_paths(folder))
        return [sys.executable, str(tool), *options, *paths]

    return command


LOG = Work(
    title="latency log of every IO: percentiles by direction, means a second",
    floor=_WC,
    peers=(
        Peer(name=_WC, command=_count_lines(NAME)),
        Peer(name="cat", command=lambda folder, _: ["cat", str(folder / NAME)]),
        Peer(name=OURS, reader="ours:with_log", needs=["pandas"]),
        Peer(
            name="ssdlab, no kernels",
            reader="ours:with_log",
            needs=["pandas"],
            environment=NO_KERNELS,
        ),
        Peer(name=_POLARS, reader="peers_log:with_polars", needs=["polars"]),
        Peer(name=_DUCKDB, reader="peers_log:with_duckdb", needs=["duckdb"]),
        Peer(name=_LOADTXT, reader="peers_log:with_loadtxt"),
        Peer(name="pyarrow", reader="peers_log:with_pyarrow", needs=["pyarrow.csv"]),
        Peer(
            name="pandas, tuned", reader="peers_log:with_pandas_tuned", needs=["pandas"]
        ),
        Peer(
            name="pandas, as first written",
            reader="peers_log:with_pandas_plainly",
            needs=["pandas"],
        ),
        Peer(name="plain Python", reader="peers_log:with_plain_python", is_slow=True),
        Peer(
            name=_OF_DICTS,
            reader="peers_log:with_rows_of_dicts",
            share=HEAD_SHARE,
            reference="ours:with_head_of_log",
        ),
        Peer(
            name=_FIO_PLOT,
            reader="peers_log:with_fio_plot",
            needs=["fio_plot.fiolib.dataimport"],
            share=HEAD_SHARE,
            is_slow=True,
            reference="ours:with_head_of_log",
        ),
        Peer(name=_OUR_FRAME, reader="ours:frame_of_log", needs=["pandas"]),
        Peer(
            name=_POLARS_FRAME,
            reader="peers_log:frame_with_polars",
            needs=["polars"],
            reference="ours:frame_of_log",
        ),
        Peer(
            name="pandas, frame",
            reader="peers_log:frame_with_pandas",
            needs=["pandas"],
            reference="ours:frame_of_log",
        ),
    ),
    targets=(
        Target(theirs=_WC, limit=10),
        Target(theirs=_DUCKDB, limit=3, is_most=False),
        Target(theirs=_FIO_PLOT, limit=50, is_most=False),
        Target(limit=300),
        Target(ours=_OUR_FRAME, theirs=_POLARS_FRAME, limit=2, is_most=False),
    ),
)

DOCUMENTS = Work(
    title="json+ documents with bins of one IOPS run: to frames",
    floor=_READ,
    peers=(
        Peer(name=_READ, reader="peers_documents:only_read"),
        Peer(name=OURS, reader="ours:with_documents", needs=["pandas"]),
        Peer(
            name="ssdlab, no kernels",
            reader="ours:with_documents",
            needs=["pandas"],
            environment=NO_KERNELS,
        ),
        Peer(
            name="orjson, columns by hand",
            reader="peers_documents:with_orjson_columns",
            needs=["orjson", "pandas"],
        ),
        Peer(
            name="json, columns by hand",
            reader="peers_documents:with_json_columns",
            needs=["pandas"],
        ),
        Peer(
            name="json, a tuple a row",
            reader="peers_documents:with_row_lists",
            needs=["pandas"],
        ),
        Peer(
            name=_DUCKDB,
            reader="peers_documents:with_duckdb",
            needs=["duckdb", "pandas"],
        ),
        Peer(name=_CLAT2CSV, command=_once, tool=_CLAT2CSV, check=clat2csv_answer),
        Peer(
            name=_EACH_CLAT2CSV,
            command=_each,
            tool=_CLAT2CSV,
            share=1 / _DOCUMENTS_A_RUN,
            is_slow=True,
        ),
    ),
    targets=(
        Target(theirs=_CLAT2CSV, limit=10, is_most=False),
        Target(theirs=_EACH_CLAT2CSV, limit=80, is_most=False),
        Target(theirs=_READ, limit=15),
        Target(limit=400, counts_file_pages=True),
    ),
)

HISTOGRAMS = Work(
    title="histogram logs of four jobs: percentiles of each second, pooled",
    floor=_WC,
    peers=(
        Peer(name=_WC, command=_count_lines(PATTERN)),
        Peer(name=OURS, reader="ours:with_histograms", needs=["pandas"]),
        Peer(
            name="ssdlab, no kernels",
            reader="ours:with_histograms",
            needs=["pandas"],
            environment=NO_KERNELS,
        ),
        Peer(name=_POLARS, reader="peers_histogram:with_polars", needs=["polars"]),
        Peer(name=_LOADTXT, reader="peers_histogram:with_loadtxt"),
        Peer(name="pandas", reader="peers_histogram:with_pandas", needs=["pandas"]),
        Peer(name=_DUCKDB, reader="peers_histogram:with_duckdb", needs=["duckdb"]),
        Peer(name="plain Python", reader="peers_histogram:with_plain_python"),
        Peer(name=_HISTO, command=_on_histograms(_HISTO), tool=_HISTO, is_slow=True),
        Peer(
            name=_PARSER_HIST,
            command=_on_histograms(_PARSER_HIST, "--percentiles=50:99:99.9"),
            tool=_PARSER_HIST,
            is_slow=True,
        ),
    ),
    targets=(
        Target(theirs=_WC, limit=10),
        Target(theirs=_LOADTXT, limit=4, is_most=False),
        Target(theirs=_PARSER_HIST, limit=50, is_most=False),
        Target(theirs=_HISTO, limit=50, is_most=False),
    ),
)
