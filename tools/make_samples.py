"""Record the runs of data/samples again, or only the named ones.

Each is measured with the real fio, then reduced to its records, its tables, and the raw
output of the histograms and of each test's last round. What would identify the machine
is removed, and so is the rest of the raw output, without which the tables cannot be
rebuilt. ``--tables`` measures nothing: it rewrites the existing tables in the current
format.
"""

import argparse
import json
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import ssdlab
from ssdlab.model.schema import TABLES
from ssdlab.store.tables import frame_to_arrow, read_table
from ssdlab.system.folders import Folder

ROOT = Path(__file__).resolve().parents[1]
SAMPLES = ROOT / "data" / "samples"
TESTS = "iops,tp,lat,wsat"
IMAGE = "sample.img"
HOST = {
    "platform": "a test machine",
    "cpu": "a test machine's processor",
    "kernel": "Linux 6",
}


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """One sample: what is measured, and the name of its drive."""

    target: str
    drive: str
    label: str
    seed: int
    tests: str = TESTS


# Slow enough for a busy host of two cores to keep up with the model.
SMALL = "virtual:size=64MiB,command=200"
# Make A has 18 % spare, B 45 % and faster flash, C 10 %, slower flash, half the buffer.
MAKE_A = f"{SMALL},op=18,tprog=900"
MAKE_B = f"{SMALL},op=45,tprog=700,tread=60"
MAKE_C = f"{SMALL},op=10,tprog=1400,tread=160,terase=6000,buffer=32"
RECIPES: Mapping[str, Recipe] = {
    "virtual-a": Recipe(
        target=f"{MAKE_A},seed=11",
        drive="VIRTUAL-A",
        label="make A",
        seed=20261122,
    ),
    "virtual-a-again": Recipe(
        target=f"{MAKE_A},seed=11",
        drive="VIRTUAL-A",
        label="make A",
        seed=20261123,
    ),
    "virtual-b": Recipe(
        target=f"{MAKE_B},seed=13",
        drive="VIRTUAL-B",
        label="make B",
        seed=20261124,
    ),
    "virtual-c": Recipe(
        target=f"{MAKE_C},seed=14",
        drive="VIRTUAL-C",
        label="make C",
        seed=20261125,
    ),
    "virtual-all": Recipe(
        target="virtual",
        drive="VIRTUAL-DEFAULT",
        label="the default virtual SSD, all eight tests",
        seed=627783440,
        tests="all",
    ),
    "file": Recipe(
        target=f"file:{IMAGE},size=64MiB",
        drive="FILE-ON-THE-HOST",
        label="a file on the host's disk, for the method only",
        seed=20261126,
    ),
}
IMPORTS = ("tkperf-crucial-mx200", "tkperf-intel-s3510")


def record(recipe: Recipe, folder: Path) -> ssdlab.Run:
    """Measure, or resume; the file of a file target is next to the run."""
    if (folder / "run.json").exists():
        return ssdlab.resume_run(folder)
    target = recipe.target.replace(IMAGE, str(folder.with_suffix(".img")))
    return ssdlab.run_suite(
        target,
        "demo",
        recipe.tests,
        run_folder=folder,
        label=recipe.label,
        seed=recipe.seed,
    )


def make_small(run: ssdlab.Run, place: Path, recipe: Recipe | None = None) -> None:
    """Write a run as a sample; its folder is recreated."""
    shutil.rmtree(place, ignore_errors=True)
    (place / "tables").mkdir(parents=True)
    for name in TABLES:
        _write_table(run.path / "tables" / f"{name}.parquet", place, recipe)
    paper = json.loads((run.path / "run.json").read_bytes())
    if recipe is not None:
        paper["host"] |= HOST
        paper["label"] = recipe.label
        paper["target"] |= _target(recipe)
    (place / "run.json").write_text(json.dumps(paper, indent=1) + "\n", "utf-8")
    for name in ("state.json", "import.json"):
        if (run.path / name).exists():
            shutil.copyfile(run.path / name, place / name)
    if (run.path / "source").exists():
        shutil.copytree(run.path / "source", place / "source")
    for step in _kept_steps(run) if recipe is not None else ():
        shutil.copytree(run.path / "steps" / step, place / "steps" / step)
    _leave_out_where(run.path.parent, place)


def _leave_out_where(folder: Path, place: Path) -> None:
    """Remove the path of the folder that they were recorded in from all files."""
    for path in place.rglob("*"):
        if path.suffix != ".parquet" and path.is_file():
            content = path.read_bytes()
            shorter = content.replace(f"{folder}/".encode(), b"")
            if shorter != content:
                path.write_bytes(shorter)


def _target(recipe: Recipe) -> dict[str, str]:
    return {"serial": recipe.drive, "spec": recipe.target}


def _write_table(path: Path, place: Path, recipe: Recipe | None) -> None:
    content = pq.read_table(path, partitioning=None)
    if path.stem == "runs" and recipe is not None:
        target = _target(recipe)
        words = HOST | {"device_serial": target["serial"], "target": target["spec"]}
        content = _with_words(content, words | {"label": recipe.label})
    _store(content, place / "tables" / path.name)


def _store(content: pa.Table, path: Path) -> None:
    pq.write_table(content, path, compression="zstd", compression_level=22)


def _with_words(content: pa.Table, words: Mapping[str, str]) -> pa.Table:
    """Return a table of one row with some of its columns replaced."""
    for name, word in words.items():
        column = content.schema.get_field_index(name)
        content = content.set_column(column, content.field(column), [[word]])
    return content


def _kept_steps(run: ssdlab.Run) -> Sequence[str]:
    """Return the steps of purges, histograms and the last round of each test."""
    steps = run.steps[run.steps["test"].isin(TESTS.split(","))]
    last = steps.groupby(["test", "phase"])["round"].transform("max")
    is_kept = steps["round"].isna() | (steps["round"] == last)
    return [str(step) for step in steps.loc[is_kept.fillna(value=True), "step_id"]]


def main(arguments: Sequence[str]) -> int:
    """Record the requested samples."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument(
        "--raw", type=Path, default=ROOT / "build" / "samples", help="full runs"
    )
    parser.add_argument(
        "--tables", action="store_true", help="only update the stored tables"
    )
    asked = parser.parse_args(arguments)
    known = (*RECIPES, *IMPORTS)
    for name in asked.names or known:
        if name not in known:
            parser.error(f"unknown sample {name}; choose from {', '.join(known)}")
        place = SAMPLES / name
        if asked.tables:
            _renew_tables(place)
        else:
            _make(name, asked.raw, place)
        sizes = (path.stat().st_size for path in place.rglob("*") if path.is_file())
        print(f"{name} {sum(sizes) / 1000:.0f} kB")
    return 0


def _renew_tables(place: Path) -> None:
    for name, table in TABLES.items():
        frame = read_table(Folder(place / "tables"), table)
        _store(frame_to_arrow(table, frame), place / "tables" / f"{name}.parquet")


def _make(name: str, raw: Path, place: Path) -> None:
    if name in RECIPES:
        raw.mkdir(parents=True, exist_ok=True)
        make_small(record(RECIPES[name], raw / name), place, RECIPES[name])
    else:
        make_small(ssdlab.import_run(f"reference:{name}", runs=raw / "imported"), place)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
