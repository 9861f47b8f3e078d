"""What the commands of procedures share."""

import subprocess
import sys
from pathlib import Path

import pytest

from ssdlab.store.run import open_tables
from tests.paths import ROOT

SATURATE = (
    *("saturate", "--target", "virtual:size=64MiB", "--stimulus", "RND 4KiB 0/100"),
    *("--iterations", "5", "--minutes", "0.005", "--seed", "7"),
)


@pytest.mark.fio
def test_procedure_goes_on_when_nobody_reads_its_progress_any_more(
    tmp_path: Path,
) -> None:
    asked = [sys.executable, "-m", "ssdlab.cli", *SATURATE, "--runs", str(tmp_path)]
    with subprocess.Popen(
        asked, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as started:
        assert started.stderr is not None
        assert started.stderr.readline()
        started.stderr.close()
        assert started.wait(120) == 0
    (folder,) = tmp_path.glob("[!.]*")
    assert open_tables(folder).state.status == "finished"
    assert (folder / "report.html").is_file()
