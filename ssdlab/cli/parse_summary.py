"""``parse --summary``: histograms and seconds of logs of any size, in parts."""

import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ssdlab.cli.group import EXIT_INTERRUPTED, fail
from ssdlab.text.terminal import printable

if TYPE_CHECKING:
    import pandas as pd

    from ssdlab.campaign.log_parts import PartEngine
    from ssdlab.fio.logs.choice import Adder
    from ssdlab.fio.logs.files import LogFile
    from ssdlab.fio.logs.parts import PartsAsked
    from ssdlab.fio.logs.read import FioLog
    from ssdlab.fio.read_logs import LogsRead


@contextmanager
def parts_folder(
    named: Path | None, output: Path | None, engine: str
) -> Iterator[Path]:
    """Yield the folder for parts: the named one, that beside the output, or none.

    Parts beside the output are removed when that is written. Those of a named folder
    stay: another table of the same logs takes no time.
    """
    from ssdlab.campaign.log_parts import remove_parts

    if named is None and output is None:
        if engine == "slurm":
            fail("Slurm needs a shared folder: name one with --parts-folder.", 2)
        with tempfile.TemporaryDirectory(prefix="ssdlab-parts-") as made:
            yield Path(made)
        return
    folder = named or output.with_name(f"{output.name}.parts")  # type: ignore[union-attr]
    try:
        yield folder
    except KeyboardInterrupt:
        words = "The same command goes on with the parts that are missing"
        fail(f"Stopped. {words}: {printable(str(folder))}", EXIT_INTERRUPTED)
    if named is None:
        remove_parts(folder)


@dataclass(frozen=True, kw_only=True)
class Summaries:
    """Who sums up each log: threads of this process, or an engine of parts."""

    folder: Path
    engine: str
    parts: int | None
    node: str
    tell: Callable[[str], None]

    def adder(self, file: "LogFile") -> "Adder":
        """Return who sums up a log; what is not one file is read here, in memory."""
        from ssdlab.campaign.log_parts import InParts
        from ssdlab.fio.logs.choice import THREADS
        from ssdlab.fio.logs.parts import count_parts
        from ssdlab.fio.logs.scan import processors

        parts = self.parts or count_parts(file.size, cores=processors())
        is_small = self.parts is None and parts == 1 and self.engine == "local"
        if file.path is None or is_small:
            return THREADS
        return InParts(
            file=file,
            folder=self.folder,
            parts=parts,
            engine=self._engine(),
            tell=self._progress,
        )

    def _engine(self) -> "PartEngine":
        from ssdlab.campaign.log_parts import LocalParts, SlurmParts
        from ssdlab.fio.logs.scan import processors

        if self.engine == "slurm":
            return SlurmParts(sleep=time.sleep, node=self.node)
        return LocalParts(processes=processors())

    def _progress(
        self, asked: "PartsAsked", missing: Sequence[int]
    ) -> Callable[[int, int], object]:
        """Return what shows how many parts are done, and the time left."""
        name, count = Path(asked.path).name, len(asked.spans)
        sizes = {place: asked.spans[place] for place in missing}
        whole = {place: end - begin for place, (begin, end) in sizes.items()}
        done = dict.fromkeys(missing, 0)
        clock: Callable[[], float] = time.monotonic
        begun_s = clock()

        def tell(place: int, read: int) -> None:
            done[place] = read
            made = count - sum(done[one] < whole[one] for one in whole)
            share = sum(done.values()) / sum(whole.values())
            left_s = (clock() - begun_s) * (1 - share) / share if share else None
            self.tell(progress_line(name, made, count, share=share, left_s=left_s))

        return tell


def progress_line(
    name: str, made: int, count: int, *, share: float, left_s: float | None
) -> str:
    """Return how far the parts of a log are.

    >>> progress_line("a_lat.1.log", 3, 12, share=0.254, left_s=61.0)
    'a_lat.1.log: 3 of 12 parts, 25 % of the rest, 1 min 1 s left'
    """
    from ssdlab.model.units import duration_label

    left = f", {duration_label(round(left_s))} left" if left_s is not None else ""
    return f"{name}: {made} of {count} parts, {share:.0%} of the rest{left}".replace(
        "%", " %"
    )


def summary_frame(
    logs: "LogsRead", table: str, tell: Callable[[str], None]
) -> "pd.DataFrame":
    """Return one table of all logs; a log that has no such numbers is a doubt."""
    import pandas as pd

    from ssdlab.fio.document import Doubt
    from ssdlab.fio.logs.read import FioLog

    frames: list[pd.DataFrame] = []
    for named, log in logs.logs():
        tell(printable(named.name))
        if table == "issues" or not isinstance(log, FioLog):
            continue
        try:
            frame = _frame(log, table)
        except ValueError as error:
            doubt = Doubt(kind="no-latencies", place="file", meaning=str(error))
            logs.doubts.append((named.name, doubt))
            continue
        frame.insert(0, "file", named.name)
        frames.append(frame)
    logs.require_logs()
    if table == "issues":
        names = ("kind", "place", "meaning", "is_grave")
        rows = [
            [file, *(getattr(one, name) for name in names)] for file, one in logs.doubts
        ]
        return pd.DataFrame(rows, columns=["file", *names])
    if not frames:
        fail(f"{logs.read_count} logs have no latencies. See --table seconds.", 2)
    return pd.concat(frames, ignore_index=True)


def _frame(log: "FioLog", table: str) -> "pd.DataFrame":
    makers: Mapping[str, Callable[[], pd.DataFrame]] = {
        "percentiles": log.percentiles,
        "bins": log.bins,
        "seconds": log.seconds,
    }
    frame = makers[table]()
    frame["direction"] = frame["direction"].astype(str)
    frame.insert(0, "kind", log.kind)
    return frame
