"""No command reads, writes or waits for anything outside a run that was handed on."""

import json
import os
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.warm import Ended, Warm, warmed
from tests.paths import ROOT
from tests.system.hostile import HUGE, NO_FILES, SECRET, Plant

SAMPLE = ROOT / "data" / "samples" / "virtual-lat"
STEP = "steps/00003-lat-rounds-r001-rnd-8KiB-r100"
PURGE = "steps/00001-lat-purge"
MOST_MIB = 2048

COMMANDS: Mapping[str, tuple[str, ...]] = {
    "report": ("report", "RUN"),
    "ingest": ("ingest", "RUN"),
    "resume": ("resume", "RUN"),
    "export": ("export", "RUN", "--format", "csv"),
    "parquet": ("export", "RUN", "--format", "parquet", "-o", "OUT"),
    "qos": ("qos", "RUN"),
    "compare": ("compare", "RUN", "OTHER", "--json"),
    "classes": ("classes", "RUN", "-o", "OUT"),
    "explore": ("explore", "RUN"),
}
# What each command looks at, and has to refuse where it is not what it should be.
FILES: Mapping[str, tuple[str, ...]] = {
    "report": ("run.json", "state.json", "lock", "tables/steps.parquet",
               f"{STEP}/job.fio", f"{STEP}/command.txt", f"{PURGE}/purge.txt"),
    "ingest": ("run.json", f"{STEP}/step.json", f"{STEP}/fio.json.gz",
               "telemetry/session-001.jsonl", "tables/bins.parquet"),
    "resume": ("run.json", "state.json", "lock"),
    "export": ("run.json", "tables/series.parquet", "export/csv/runs.csv"),
    "parquet": ("tables/runs.parquet",),
    "qos": ("state.json", "tables/bins.parquet"),
    "compare": ("run.json", "tables/measurements.parquet", f"{STEP}/job.fio"),
    "classes": ("state.json", "tables/steps.parquet"),
    "explore": ("tables/percentiles.parquet",),
}  # fmt: skip
FOLDERS: Mapping[str, tuple[str, ...]] = {
    "report": ("tables", STEP, "steps"),
    "ingest": ("tables", STEP, "steps", "telemetry"),
    "export": ("export", "export/csv", "tables"),
    "qos": ("tables",),
    "compare": ("tables",),
    "explore": ("tables",),
}
KINDS = (
    "a link to a file",
    "a link to an endless device",
    "a pipe",
    "a folder",
    "10 GB",
)
# What is only written may be 10 GB long before, and is not read.
WRITTEN = {"lock", "export/csv/runs.csv", "report.html"}


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warm]:
    with warmed(tmp_path_factory.mktemp("warm")) as worker:
        yield worker


@pytest.fixture(scope="module")
def base(warm: Warm, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a run with its tables, which was interrupted as far as it tells."""
    place = tmp_path_factory.mktemp("base") / "run"
    shutil.copytree(SAMPLE, place)
    ended = warm.run(("ingest", place))
    assert ended.exit_code == 0, ended.said
    return place


class Stranger:
    """A run folder, and beside it what nobody may touch."""

    def __init__(self, base: Path, place: Path) -> None:
        self.run, self.out, self.other = place / "run", place / "out", place / "other"
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
        if command == "compare":
            shutil.copytree(SAMPLE, self.other)
            record = json.loads((self.other / "run.json").read_bytes())
            record["run_id"] += "-other"
            (self.other / "run.json").write_text(json.dumps(record))
        if command == "resume":
            self._interrupt()
        named = {"RUN": self.run, "OUT": self.out, "OTHER": self.other}
        words = [named.get(word, word) for word in COMMANDS[command]]
        return warm.run(words)

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
