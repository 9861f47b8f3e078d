"""Make a run of foreign results: find what they are, then write it as ours."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ssdlab.campaign.folders import new_run_id
from ssdlab.importers.arrange import TITLES, ArrangedTest, arrange
from ssdlab.importers.collect import collect
from ssdlab.importers.detect import CUSTOM, find_test, require_test
from ssdlab.importers.published import arrange_published, find_published
from ssdlab.importers.readings import Damaged, Reading, make_reader
from ssdlab.importers.record import find_twin, take_fingerprint
from ssdlab.importers.rounds import Series, make_series
from ssdlab.importers.sources import find_sources
from ssdlab.importers.telling import Tell, be_silent
from ssdlab.importers.tkperf import find_tkperf, read_tkperf
from ssdlab.importers.write import Found, write_import
from ssdlab.model.errors import AlreadyImportedError, FioOutputError, RunFolderError
from ssdlab.model.spec import Access
from ssdlab.pts.shared import RND_4K_WRITE
from ssdlab.store.run import Run, open_tables
from ssdlab.system.folders import Folder
from ssdlab.system.unpack import MAX_INPUT_BYTES

_ROUND_FOLDER = re.compile(
    r"(?:round|rnd|run|loop|pass|cycle|rep|repeat|iter|iteration)?[-_. ]?\d+",
    re.IGNORECASE,
)
_UNNAMED = "a device that it does not name"
_ACCESS: dict[str, Access] = {
    "iops": "rnd",
    "lat": "rnd",
    "wsat": "rnd",
    "tp": "seq",
}


def import_run(  # noqa: PLR0913 - each is a choice of the user's, by name
    paths: Sequence[str | Path] | str | Path,
    *,
    pattern: str | None = None,
    test: str | None = None,
    device_label: str = "",
    label: str = "",
    runs: str | Path = "data/runs",
    max_input_bytes: int = MAX_INPUT_BYTES,
    again: bool = False,
    tell: Tell = be_silent,
) -> Run:
    """Turn foreign results into a run like ours, its tables and report written.

    Parameters
    ----------
    paths : path or sequence of paths
        Outputs of fio, folders of them, one XML file of TKperf's, or one published
        report: a TOML file of its numbers, or ``reference:NAME`` for one that ships
        with ssdlab (`ssdlab.reference.tkperf_reports`).
    pattern : str, optional
        The names of the outputs, such as
        ``wdpc_bs{block_size}_read{read_percent}_round{round}.json``; further fields
        are ``access``, ``threads``, ``queue_depth`` and ``label``, and ``*`` is any
        text. Without it their job options tell, or names as bench-fio gives them.
    test : {"iops", "tp", "lat", "wsat", "custom"}, optional
        The test; without it the one that the cells look like.
    device_label : str, default ""
        What to call the device. It also says that all files are of one device.
    label : str, default ""
        A name of the user's own for the run.
    runs : str or Path, default "data/runs"
        The folder that gets the run's folder.
    max_input_bytes : int, default 512 MiB
        The most that is read of one file, once it is unpacked [B].
    again : bool, default False
        Make a run even if the same import made one in that folder before.
    tell : callable, optional
        Is told in words how far it is; without it nothing is told.

    Returns
    -------
    Run
        The imported run. It is never conformant: its departures say what is unknown.
        A file that cannot be read costs none of the others; it is named there too.

    Raises
    ------
    UserError
        If no file is a result, or rounds stand twice or are of several devices; no run
        was made then.
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
    twin = None if again else find_twin(Path(runs), found.fingerprint)
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
            remedy="Name another folder of runs.",
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
    """Yield the tests of the files: each path its own if each is another test."""
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
    """Return each path and its cells by its test, if each path is another test."""
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
    """Return what the files call the device; a name may change with a restart.

    Raises
    ------
    FioOutputError
        If the rounds of one cell are of several devices, or may be.
    """
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
                reason=f"it is of {name}, and {before.path} of the same cell is of "
                f"{other}",
                remedy="Import each device by itself; if they are one, name it: "
                "--device-label.",
            )
    return ", ".join(sorted({_origin(reading) for reading in readings} - {""}))


def _require_one_home(tests: Sequence[ArrangedTest]) -> None:
    """Require that no rounds were made of files of one cell that lie far apart.

    Two drives, or two sessions with one, have the same names in two folders.

    Raises
    ------
    FioOutputError
        If files of a cell that give no round lie in folders that are none of rounds.
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
                    reason=f"it is of the same cell as {before.path}, of another "
                    "folder or host, and nothing says that both are of one device",
                    remedy="Import each folder by itself; if they are one device, "
                    "name it: --device-label.",
                )


def _home(reading: Reading) -> tuple[str, ...]:
    """Return the folders of a file without those that are named as of rounds."""
    parts = reading.path.absolute().parent.parts
    return tuple(part for part in parts if not _ROUND_FOLDER.fullmatch(part))


def _origin(reading: Reading) -> str:
    return reading.label or reading.device
