"""How TKperf was called, as a published report prints it, and what its words mean."""

from contextlib import suppress

from ssdlab.model.errors import FioOutputError
from ssdlab.paper.context import Context
from ssdlab.reference.tkperf_form import Setup
from ssdlab.reference.tkperf_reports import parse_tkperf_report
from ssdlab.system.folders import Folder
from ssdlab.text.numbers import or_unknown
from ssdlab.text.table import Table

_MOST_BYTES = 1 << 20
_GLOSSARY = (
    ("-nj, numjobs", "jobs of fio at once: TC of the PTS"),
    ("-iod, iodepth", "outstanding IOs of each job: QD of the PTS"),
    ("-rfb, refill_buffers", "fio writes new random data each time"),
    ("Measurement Window", "the steps between the rounds of the window: one less"),
    ("Round", "counted from 0; the PTS counts from 1"),
    ("Average", "the mean over the rounds of the window"),
    ("MB/s", "KiB/s of fio / 1024, which is MiB/s"),
    ("Latency", "from submission to completion of an IO (fio: lat), in us or ms"),
    ("Maximum latency", "the greatest in the rounds of the window"),
    ("Mixed latency", "0.65 x that of reads + 0.35 x that of writes"),
    ("Write saturation", "IOPS of each minute of 4k random writes, with no window"),
)


def read_setup(context: Context) -> Setup | None:
    """Return what the published report of an import prints of its own setup."""
    source = Folder(context.run.path) / "source"
    for name in source.names():
        if name.endswith(".toml"):
            with suppress(OSError, FioOutputError):
                data = source.read(name, limit=_MOST_BYTES)
                return parse_tkperf_report(data, source=name).setup
    return None


def called_table(setup: Setup) -> Table:
    """Return how TKperf was called, as its report prints it."""
    workers = (f"T{setup.numjobs or '?'}", f"Q{setup.iodepth or '?'}")
    return Table(
        caption="How TKperf was called",
        head=("What", "As printed"),
        rows=(
            ("TKperf", or_unknown(setup.tkperf_version)),
            ("fio", or_unknown(setup.fio_version)),
            ("Options of the command line", or_unknown(setup.options)),
            ("TC/QD", "/".join(workers)),
            ("Device node", or_unknown(setup.device_node)),
            ("Most rounds", str(setup.max_rounds)),
        ),
        words=(1,),
    )


def glossary_table() -> Table:
    """Return what the words of TKperf's report mean."""
    return Table(
        caption="Words of TKperf's report",
        head=("Word", "Meaning"),
        rows=_GLOSSARY,
        words=(0, 1),
        is_folded=True,
    )
