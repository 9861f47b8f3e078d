"""A test is added by its own room and one line of the catalog, and nothing else.

A toy is added to a copy of the package, and goes the whole way: it is listed, planned,
run on a virtual SSD, told at the end, reported, and compared.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = pytest.mark.fio
SPEC = '''\
"""TOY: random reads in rounds."""

from dataclasses import dataclass
from typing import ClassVar

from ssdlab.pts.compared import BY_IOPS
from ssdlab.model.spec import Phase, Purge, Rounds, Tracking, Workload
from ssdlab.pts.profile import Profile
from ssdlab.pts.settings import Settings, setting
from ssdlab.pts.shared.settings import Load, MatrixRounds, Wipc
from ssdlab.pts.suite_test import SuiteTest
from ssdlab.pts.shared.phases import precondition


@dataclass(frozen=True, kw_only=True)
class Toy(Settings):
    """Values of TOY."""

    group: ClassVar[str] = "toy"
    prefix: ClassVar[str] = "toy_"

    block_size_bytes: int = setting(8192, "block size of TOY", "99", "size")


def _phases(profile: Profile) -> tuple[Phase, ...]:
    size = profile[Toy].block_size_bytes
    cell = Workload(
        access="rnd",
        block_size_bytes=size,
        read_percent=100,
        threads=profile[Load].threads,
        queue_depth=profile[Load].queue_depth,
    )
    tracking = Tracking(
        access="rnd", block_size_bytes=size, read_percent=100, metric="iops"
    )
    rounds = Rounds(
        phase_id="rounds",
        cells=(cell,),
        cell_seconds=profile[MatrixRounds].cell_s,
        tracking=(tracking,),
        max_rounds=profile[MatrixRounds].max_rounds,
    )
    return (Purge(), precondition(profile), rounds)


TOY = SuiteTest(
    test_id="toy",
    title="Toy reads",
    section="99",
    words="Random reads of one size.",
    uses=(Load, Wipc, MatrixRounds, Toy),
    build=_phases,
    view="ssdlab.pts.toy.pages:VIEW",
    compared=BY_IOPS,
)
'''
PAGES = '''\
"""Toy reads."""

from ssdlab.paper.blocks import Note, Page
from ssdlab.paper.context import Context
from ssdlab.pts.shared.steady import window_pages
from ssdlab.pts.shared.view import View


def toy_pages(context: Context, test: str) -> tuple[Page, ...]:
    first = Page(plot_id="TOY 1", title="A toy", blocks=(Note(text="Toys are read."),))
    return (first, *window_pages(context, test, "TOY 2", phase="rounds"))


VIEW = View(pages=toy_pages)
'''
LINE = "from ssdlab.pts.toy.spec import TOY\n"
TARGET = "virtual:size=48MiB"


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a copy of the package that has the toy."""
    tree = tmp_path_factory.mktemp("toy")
    left_out = shutil.ignore_patterns("__pycache__")
    for name in ("ssdlab", "notebooks"):
        shutil.copytree(ROOT / name, tree / name, ignore=left_out)
    room = tree / "ssdlab" / "pts" / "toy"
    room.mkdir()
    for name, text in (("__init__", ""), ("spec", SPEC), ("pages", PAGES)):
        (room / f"{name}.py").write_text(text, "utf-8")
    with (tree / "ssdlab/pts/catalog.py").open("a", encoding="utf-8") as catalog:
        catalog.write(LINE)
    values = 'based_on = "demo"\ncell_s = 0.2\n[toy]\nblock_size_bytes = "16 KiB"\n'
    (tree / "quick.toml").write_text(values, "utf-8")
    return tree


def ssdlab(tree: Path, *words: str) -> str:
    """Carry a command of the copy out, and return what it printed."""
    done = subprocess.run(
        [sys.executable, "-m", "ssdlab.cli", *words],
        cwd=tree,
        env=os.environ | {"PYTHONPATH": str(tree)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_toy_goes_from_the_catalog_to_a_comparison(tree: Path) -> None:
    assert 'block_size_bytes = "8 KiB"' in ssdlab(tree, "profiles", "show", "demo")
    asked = ("--target", TARGET, "--profile", "quick.toml", "--tests", "toy")
    planned = json.loads(ssdlab(tree, "plan", *asked, "--json"))
    assert "toy" in json.dumps(planned)
    said = ssdlab(tree, "run", *asked)
    assert "\ntoy  " in said
    (run,) = (tree / "data" / "runs").glob("[!.]*")
    report = (run / "report.html").read_text("utf-8")
    for words in ("Toy reads", "PTS section 99", "Toys are read.", "RND 16 KiB 100/0"):
        assert words in report, words
    notebook = (run / "notebook.ipynb").read_text("utf-8")
    assert "Random reads of one size (PTS 2.0.2, section 99)." in notebook
    other = str(ROOT / "data" / "samples" / "virtual-lat")
    compared = json.loads(ssdlab(tree, "compare", str(run), other, "--json"))
    assert {row["test"] for row in compared["differences"]} == {"toy", "lat"}
