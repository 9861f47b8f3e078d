"""Imports results of other tools: identifies them, and writes them as a run."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ssdlab.engine.folders import new_run_id
from ssdlab.importers.arrange import TITLES, ArrangedTest, arrange
from ssdlab.importers.collect import collect
from ssdlab.importers.detect import CUSTOM, find_test, require_test
from ssdlab.importers.progress import Tell, ignore_progress
from ssdlab.importers.published import arrange_published, find_published
from ssdlab.importers.readings import Damaged, Reading, make_reader
from ssdlab.importers.record import find_same_import, take_fingerprint
from ssdlab.importers.rounds import Series, make_series
from ssdlab.importers.sources import find_sources
from ssdlab.importers.tkperf import find_tkperf, read_tkperf
from ssdlab.importers.write import Found, write_import
from ssdlab.model.errors import AlreadyImportedError, FioOutputError, RunFolderError
from ssdlab.model.spec import Access
from ssdlab.pts.shared.settings import RND_4K_WRITE
from ssdlab.store.run import Run, open_tables
from ssdlab.system.folders import Folder
from ssdlab.system.unpack import MAX_INPUT_BYTES

_ROUND_FOLDER = re.compile(
    r"(?:round|rnd|run|loop|pass|cycle|rep|repeat|iter|iteration)?[-_. ]?\d+",
    re.IGNORECASE,
)
_UNNAMED = "an unnamed device"
_ACCESS: dict[str, Access] = {
    "iops": "rnd",
    "lat": "rnd",
    "wsat": "rnd",
    "tp": "seq",
}


def import_run(  # noqa: PLR0913 - each is an option of the user
    paths: Sequence[str | Path] | str | Path,
    *,
    pattern: str | None = None,
    test: str | None = None,
    device_label: str = "",
    label: str = "",
    runs: str | Path = "data/runs",
    max_input_bytes: int = MAX_INPUT_BYTES,
    again: bool = False,
    tell: Tell = ignore_progress,
) -> Run:
    """Import results of other tools as a run, with its tables and report.

    Parameters
    ----------
    paths : path or sequence of paths
        fio output files, folders of them, one TKperf XML file, or one published
        report: a TOML file of its numbers, or ``reference:NAME`` for one that comes
        with ssdlab (`ssdlab.reference.tkperf_reports`).
    pattern : str, optional
        Pattern of the file names, such as
        ``wdpc_bs{block_size}_read{read_percent}_round{round}.json``; other fields are
        ``access``, ``threads``, ``queue_depth`` and ``label``, and ``*`` matches any
        text. By default the job options count, or names as bench-fio writes them.
    test : {"iops", "tp", "lat", "wsat", "custom"}, optional
        The test. By default inferred from the cells.
    device_label : str, default ""
        Name of the device. It also asserts that all files are from one device.
    label : str, default ""
        The user's name for the run.
    runs : str or Path, default "data/runs"
        The folder in which the run's folder is created.
    max_input_bytes : int, default 512 MiB
        The most that is read from one file, after decompression [B].
    again : bool, default False
        Import even if the same import made a run in that folder before.
    tell : callable, optional
        Called with progress as text.

    Returns
    -------
    Run
        The imported run. It never conforms: its departures list what is unknown, and
        the files that could not be read.

    Raises
    ------
    UserError
        If no file is a result, or rounds are duplicated or from several devices; then
        no run was made.
    AlreadyImportedError
        If the same import made a run before.
    RunFolderError
        If the folder of runs cannot be written.

    Examples
    --------
    >>> run = ssdlab.import_run("results/*.json", test="iops")  # doctest: +SKIP
    """
    given = [paths] if isinstance(paths, str | Path) else list(paths)
    found = _find(
        given, pattern=pattern, test=test, max_bytes=max_input_bytes, tell=tell
    )
    readings = [reading for each in found.tests for _, reading in each.steps]
    name = device_label or _device_name(found, readings)
    if found.published is not None:
        label = label or found.published.report.title
    steps = [pair for each in found.tests for pair in each.steps]
    found = replace(found, fingerprint=take_fingerprint(steps, name, label))
    twin = None if again else find_same_import(Path(runs), found.fingerprint)
    if twin is not None:
        raise AlreadyImportedError(run=str(twin))
    folder = Path(runs) / new_run_id("imported")
    try:
        (Folder(folder) / "steps").make()
        write_import(folder, found, given, name=name, label=label, tell=tell)
        return open_tables(folder)
    except OSError as error:
        raise RunFolderError(
            folder=str(folder),
            reason=f"the run cannot be written ({error.strerror})",
            remedy="Name another folder for runs.",
        ) from error
    finally:
        if not Folder(folder).has("report.html"):
            Folder(folder).remove_tree()


def _find(
    paths: Sequence[str | Path],
    *,
    pattern: str | None,
    test: str | None,
    max_bytes: int,
    tell: Tell,
) -> Found:
    published = find_published(paths)
    if published is not None:
        return Found(tests=arrange_published(published), published=published)
    sources = find_sources(paths)
    xml = find_tkperf(sources)
    if xml is not None:
        tkperf = read_tkperf(xml)
        tests = tuple(
            arrange(test_id, make_series(readings), iops_tracking=(RND_4K_WRITE,))
            for test_id, readings in tkperf.readings.items()
        )
        return Found(tests=tests, tkperf=tkperf)
    reader = make_reader(pattern, _ACCESS.get(test or ""), max_bytes=max_bytes)
    taken = collect(sources, reader, tell)
    return Found(
        tests=tuple(_tests(taken.readings, taken.damaged, test)),
        left_out=taken.left_out,
    )


def _tests(
    readings: Sequence[Reading], damaged: Sequence[Damaged], test: str | None
) -> Iterator[ArrangedTest]:
    """Yield the tests of the files: one per path if the paths are different tests."""
    apart = {} if test is not None else _tests_apart(readings, damaged)
    if apart:
        for test_id in TITLES:
            if test_id in apart:
                group, series = apart[test_id]
                of_path = [reading for reading in readings if reading.group == group]
                yield arrange(test_id, series, _fills(of_path))
        return
    series = make_series(_cells(readings), damaged)
    test_id = test or find_test(series)
    require_test(test_id, series.cells)
    yield arrange(test_id, series, _fills(readings))


def _tests_apart(
    readings: Sequence[Reading], damaged: Sequence[Damaged]
) -> dict[str, tuple[int, Series]]:
    """Return each path and its cells by test, if the paths are different tests."""
    groups = {reading.group for reading in readings}
    cells = {
        group: [r for r in _cells(readings) if r.group == group] for group in groups
    }
    found: dict[str, tuple[int, Series]] = {}
    for group in groups:
        if cells[group]:
            of_path = [each for each in damaged if each.group == group]
            series = make_series(cells[group], of_path)
            found[find_test(series)] = group, series
    is_apart = len(found) == len(groups) > 1 and CUSTOM not in found
    return found if is_apart else {}


def _cells(readings: Iterable[Reading]) -> list[Reading]:
    return [reading for reading in readings if reading.kind == "cell"]


def _fills(readings: Iterable[Reading]) -> list[Reading]:
    return [reading for reading in readings if reading.kind == "precondition"]


def _device_name(found: Found, readings: Sequence[Reading]) -> str:
    """Return the device named in the files; the name may change after a reboot."""
    if found.tkperf is not None:
        return found.tkperf.device
    if found.published is not None:
        return found.published.report.setup.device_model
    _require_one_home(found.tests)
    first: dict[object, Reading] = {}
    for reading in readings:
        before = first.setdefault((reading.kind, reading.workload), reading)
        name, other = (_origin(each) or _UNNAMED for each in (reading, before))
        if reading.kind == "cell" and name != other:
            raise FioOutputError(
                source=str(reading.path),
                reason=f"it is from {name}, but {before.path} of the same cell is "
                f"from {other}",
                remedy="Import each device by itself; if it is one device, name it "
                "with --device-label.",
            )
    return ", ".join(sorted({_origin(reading) for reading in readings} - {""}))


def _require_one_home(tests: Sequence[ArrangedTest]) -> None:
    """Require that files of one cell in different folders are known to be rounds.

    Two drives, or two sessions with one, may use the same names in two folders.
    """
    for arranged in tests:
        first: dict[object, Reading] = {}
        for step, reading in arranged.steps:
            if step.kind != "cell" or reading.round is not None:
                continue
            before = first.setdefault(reading.workload, reading)
            if _home(reading) != _home(before) or reading.hostnames != before.hostnames:
                raise FioOutputError(
                    source=str(reading.path),
                    reason=f"it is the same cell as {before.path}, in another folder "
                    "or on another host, and may be from another device",
                    remedy="Import each folder by itself; if it is one device, name "
                    "it with --device-label.",
                )


def _home(reading: Reading) -> tuple[str, ...]:
    """Return the folders of a file, without those that name rounds."""
    parts = reading.path.absolute().parent.parts
    return tuple(part for part in parts if not _ROUND_FOLDER.fullmatch(part))


def _origin(reading: Reading) -> str:
    return reading.label or reading.device
