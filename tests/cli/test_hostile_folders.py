"""No command reads, writes or waits for anything outside a run that was handed on."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from ssdlab.model.errors import RunFolderError
from ssdlab.notebook import ReportedError, execute_notebook, find_notebook
from ssdlab.report.images import run_figures
from ssdlab.store.run import open_tables
from ssdlab.store.telemetry import recording
from ssdlab.system.folders import Folder
from tests.cli.warm import Ended, Warm, warmed
from tests.paths import ROOT
from tests.system.hostile import HUGE, NO_FILES, SECRET, Plant

SAMPLE = ROOT / "data" / "samples" / "virtual-lat"
STEP = "steps/00003-lat-rounds-r001-rnd-8KiB-r100"
BEHIND_THE_FIRST_ROUND = shutil.ignore_patterns("*-r00[2-9]-*", "*-histogram")
PURGE = "steps/00001-lat-purge"
MOST_MIB = 2048

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "report": ("report", "RUN"),
    "ingest": ("ingest", "RUN"),
    "resume": ("resume", "RUN"),
    "export": ("export", "RUN", "--format", "csv"),
    "parquet": ("export", "RUN", "--format", "parquet", "-o", "OUT"),
    "qos": ("qos", "RUN"),
    "budget": ("budget", "RUN", "-o", "OUT"),
    "check": ("check", "RUN", "--limits", "reference:intel-s3510", "-o", "OUT"),
    "compare": ("compare", "RUN", "OTHER", "--json"),
    "classes": ("classes", "RUN", "-o", "OUT"),
    "explore": ("explore", "RUN"),
    "report -o": ("report", "RUN", "-o", "RUN/report.html", "--overwrite"),
    "report -o below": ("report", "RUN", "-o", "RUN/export/a.html", "--overwrite"),
    "export -o": ("export", "RUN", "--format", "csv", "-o", "RUN/export/mine"),
    "figures": ("figures", "RUN"),
}
# What each command looks at, and has to refuse where it is not what it should be.
FILES: Mapping[str, tuple[str, ...]] = {
    "report": ("run.json", "state.json", "lock", "tables/steps.parquet",
               f"{STEP}/job.fio", f"{STEP}/command.txt", f"{PURGE}/purge.txt"),
    "ingest": ("run.json", f"{STEP}/step.json", f"{STEP}/fio.json.gz",
               "telemetry/session-001.jsonl", "tables/bins.parquet"),
    "resume": ("run.json", "state.json", "lock", "progress.json"),
    "export": ("run.json", "tables/series.parquet", "export/csv/runs.csv"),
    "parquet": ("tables/runs.parquet",),
    "qos": ("state.json", "tables/bins.parquet"),
    "budget": ("run.json", "tables/windows.parquet"),
    "check": ("tables/bins.parquet",),
    "compare": ("run.json", "tables/measurements.parquet", f"{STEP}/job.fio"),
    "classes": ("state.json", "tables/steps.parquet"),
    "explore": ("tables/percentiles.parquet",),
    "report -o": ("report.html",),
}  # fmt: skip
FOLDERS: Mapping[str, tuple[str, ...]] = {
    "report": ("tables", STEP, "steps"),
    "ingest": ("tables", STEP, "steps", "telemetry"),
    "export": ("export", "export/csv", "tables"),
    "qos": ("tables",),
    "compare": ("tables",),
    "explore": ("tables",),
    "resume": ("steps", "tables", "telemetry", "target"),
    "report -o below": ("export",),
    "export -o": ("export", "export/mine"),
    "figures": ("export/figures",),
}
KINDS = (
    "a link to a file",
    "a link to an endless device",
    "a pipe",
    "a folder",
    "10 GB",
)
# What is only written may be 10 GB long before, and is not read.
WRITTEN = {"lock", "export/csv/runs.csv", "report.html", "progress.json"}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    with warmed(tmp_path_factory.mktemp("warm")) as worker:
        yield worker


@pytest.fixture(scope="module")
def base(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run with its tables; beside it lies ``other``, to be compared with.

    It is the begin of a run, of which each test copies the files.
    """
    folder = tmp_path_factory.mktemp("base")
    for name in ("run", "other"):
        shutil.copytree(SAMPLE, folder / name, ignore=BEHIND_THE_FIRST_ROUND)
    record = json.loads((SAMPLE / "run.json").read_bytes())
    record["run_id"] += "-other"
    (folder / "other" / "run.json").write_text(json.dumps(record))
    for name in ("run", "other"):
        ended = warm.run(("ingest", folder / name))
        assert ended.exit_code == 0, ended.said
    return folder / "run"


class Stranger:
    """A run folder, and beside it what nobody may touch."""

    def __init__(self, base: Path, place: Path) -> None:
        self.run, self.out = place / "run", place / "out"
        self.other = base.with_name("other")
        shutil.copytree(base, self.run, copy_function=os.link)  # written to by nobody
        self.theirs = place / "theirs"
        self.theirs.mkdir()
        self.victim = self.theirs / "victim"
        self.victim.write_bytes(SECRET)

    def plant(self, name: str, plant: Plant, target: Path) -> None:
        place = self.run / name
        if place.is_dir():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        plant(place, target)

    def carry_out(self, warm: Warm, command: str) -> Ended:
        if command == "resume":
            self._interrupt()
        named = {"RUN": self.run, "OUT": self.out, "OTHER": self.other}
        heads = [word.partition("/") for word in COMMANDS[command]]
        return warm.run([
            named[head] / rest if head in named else head for head, _, rest in heads
        ])

    def _interrupt(self) -> None:
        """Let the run be one to go on with, unless something else stands there."""
        state = self.run / "state.json"
        if not state.is_symlink() and state.is_file() and state.stat().st_nlink > 1:
            text = state.read_text()
            state.unlink()
            state.write_text(text.replace('"finished"', '"interrupted"', 1))

    def require_untouched(self) -> None:
        assert [path.name for path in self.theirs.iterdir()] == ["victim"]
        assert self.victim.read_bytes() == SECRET
        written = (self.out, self.run / "report.html", *self.out.rglob("*"))
        for place in written:
            if place.is_file() and not place.is_symlink():
                assert SECRET not in place.read_bytes()


def require_refused(ended: Ended, name: str) -> None:
    assert "Traceback" not in ended.said, ended.said
    assert SECRET.decode() not in ended.said
    assert ended.exit_code == 2, (ended.exit_code, ended.said[-500:])
    assert name.rpartition("/")[2] in ended.said, ended.said[-500:]
    assert ended.most_mib < MOST_MIB


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("command", "name"), [(c, name) for c, names in FILES.items() for name in names]
)
def test_what_is_no_file_of_the_run_is_refused(
    warm: Warm, base: Path, tmp_path: Path, *, command: str, name: str, kind: str
) -> None:
    if kind in HUGE and (name in WRITTEN or name.startswith("tables/")):
        pytest.skip("it is not read, or as a file that is none of its kind")
    stranger = Stranger(base, tmp_path)
    stranger.plant(name, {**NO_FILES, **HUGE}[kind], stranger.victim)
    ended = stranger.carry_out(warm, command)
    require_refused(ended, name)
    stranger.require_untouched()


@pytest.mark.parametrize("kind", ["a link to a file", "a link to itself", "a pipe"])
@pytest.mark.parametrize(
    ("command", "name"), [(c, name) for c, names in FOLDERS.items() for name in names]
)
def test_what_is_no_folder_of_the_run_is_refused(
    warm: Warm, base: Path, tmp_path: Path, *, command: str, name: str, kind: str
) -> None:
    stranger = Stranger(base, tmp_path)
    stranger.plant(name, NO_FILES[kind], stranger.theirs)
    ended = stranger.carry_out(warm, command)
    require_refused(ended, name)
    stranger.require_untouched()


@pytest.mark.parametrize("kind", NO_FILES)
def test_report_replaces_nothing_but_a_report(
    warm: Warm, base: Path, tmp_path: Path, kind: str
) -> None:
    stranger = Stranger(base, tmp_path)
    stranger.plant("report.html", NO_FILES[kind], stranger.victim)
    require_refused(stranger.carry_out(warm, "report"), "report.html")
    stranger.require_untouched()


def _say_running(run: Path) -> None:
    """Let the run seem to be worked on, so that its lock is looked at."""
    state = json.loads((run / "state.json").read_bytes())
    (run / "state.json").unlink()  # it has a second name
    (run / "state.json").write_text(json.dumps({**state, "status": "running"}))


@pytest.mark.parametrize("kind", NO_FILES)
@pytest.mark.parametrize("name", ["run.json", "state.json", "lock", "steps"])
def test_a_bad_run_is_listed_and_costs_no_other(
    warm: Warm, base: Path, tmp_path: Path, *, name: str, kind: str
) -> None:
    if (name, kind) == ("steps", "a folder"):
        pytest.skip("it is one")
    runs = tmp_path / "runs"
    stranger = Stranger(base, runs / "one")
    shutil.copytree(stranger.run, runs / "two", copy_function=os.link)
    shutil.move(stranger.run, runs / "bad")
    stranger.run = runs / "bad"
    _say_running(stranger.run)
    stranger.plant(name, NO_FILES[kind], stranger.victim)
    ended = warm.run(("runs", "--runs", runs))
    assert ended.exit_code == 0, ended.said
    assert "Traceback" not in ended.said
    (bad,) = (line for line in ended.said.splitlines() if str(stranger.run) in line)
    assert name in bad
    assert any(line.startswith("two ") for line in ended.said.splitlines())
    stranger.require_untouched()


HARD = "has a second name (a hard link)"


@pytest.mark.parametrize("command", ["resume", "runs"])
def test_a_lock_with_a_second_name_is_not_written(
    warm: Warm, base: Path, tmp_path: Path, command: str
) -> None:
    stranger = Stranger(base, tmp_path)
    stranger.plant(
        "lock", lambda place, victim: os.link(victim, place), stranger.victim
    )
    if command == "resume":
        ended = stranger.carry_out(warm, "resume")
        require_refused(ended, "lock")
    else:
        _say_running(stranger.run)
        ended = warm.run(("runs", "--runs", tmp_path))
        assert ended.exit_code == 0, ended.said
    assert HARD in ended.said
    stranger.require_untouched()


def test_telemetry_with_a_second_name_is_not_appended_to(
    base: Path, tmp_path: Path
) -> None:
    stranger = Stranger(base, tmp_path)
    name = "session-002.jsonl"
    os.link(stranger.victim, stranger.run / "telemetry" / name)
    folder = Folder(stranger.run) / "telemetry"
    with (
        pytest.raises(RunFolderError, match="hard link"),
        recording(folder, name, (), clock=lambda: 0.0),
    ):
        pass
    stranger.require_untouched()


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _empty(_content: bytes) -> bytes:
    return b""


def _flip(content: bytes) -> bytes:
    """Flip a bit in each of 16 places."""
    flipped = bytearray(content)
    for place in range(8, len(content), max(1, len(content) // 16)):
        flipped[place] ^= 1 << (place % 8)
    return bytes(flipped)


DAMAGED = (
    ("report", "run.json"),
    ("resume", "run.json"),
    ("report", "state.json"),
    ("ingest", f"{STEP}/step.json"),
    ("ingest", f"{STEP}/fio.json.gz"),
    ("ingest", "telemetry/session-001.jsonl"),
    ("qos", "tables/bins.parquet"),
    ("budget", "tables/windows.parquet"),
    ("check", "tables/bins.parquet"),
)


@pytest.mark.parametrize("damage", [_cut, _empty, _flip])
@pytest.mark.parametrize(("command", "name"), DAMAGED)
def test_what_is_damaged_is_told_and_the_tables_are_kept(
    warm: Warm,
    base: Path,
    tmp_path: Path,
    *,
    command: str,
    name: str,
    damage: Callable[[bytes], bytes],
) -> None:
    stranger = Stranger(base, tmp_path)
    place = stranger.run / name
    content = damage(place.read_bytes())
    place.unlink()  # it has a second name
    place.write_bytes(content)
    tables = {path: path.read_bytes() for path in (stranger.run / "tables").iterdir()}
    ended = stranger.carry_out(warm, command)
    assert ended.exit_code == 2, (ended.exit_code, ended.said[-500:])
    assert "Traceback" not in ended.said
    assert ended.said.count("\n") <= 3
    what = "telemetry" if name.startswith("telemetry") else name.rpartition("/")[2]
    assert what in ended.said
    for path, before in tables.items():
        assert path.read_bytes() == before


@pytest.mark.browser
def test_figures_replace_no_link(base: Path, tmp_path: Path) -> None:
    stranger = Stranger(base, tmp_path)
    drawn = next(
        iter(run_figures(open_tables(stranger.run)))
    )  # the first that is drawn
    place = f"export/figures/{drawn}.svg"
    stranger.plant(place, NO_FILES["a link to a file"], stranger.victim)
    words = [sys.executable, "-m", "ssdlab.cli", "figures", str(stranger.run)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert f"{drawn}.svg" in done.stderr
    assert "Traceback" not in done.stderr
    stranger.require_untouched()


@pytest.mark.notebook
@pytest.mark.parametrize(
    ("name", "kind"),
    [("tables/measurements.parquet", "a link to a file"), ("state.json", "a pipe")],
)
def test_a_notebook_refuses_what_is_no_file_of_the_run(
    base: Path, tmp_path: Path, *, name: str, kind: str
) -> None:
    stranger = Stranger(base, tmp_path)
    stranger.plant(name, NO_FILES[kind], stranger.victim)
    with pytest.raises(ReportedError, match=name.rpartition("/")[2]) as told:
        execute_notebook(
            find_notebook("02_steady_state.ipynb"),
            tmp_path / "executed.ipynb",
            {"run": str(stranger.run), "test": "lat"},
            keeps_saving=False,
        )
    assert told.value.exit_code == 2
    assert SECRET not in (tmp_path / "executed.ipynb").read_bytes()
    stranger.require_untouched()
