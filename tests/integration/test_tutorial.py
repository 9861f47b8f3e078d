"""The tutorial works as it is written, with shorter times."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

pytestmark = [pytest.mark.fio, pytest.mark.notebook]

SHORT = """
based_on = "demo"
cell_s = 0.1
max_rounds = 5
histogram_s = 0.5
[iops]
mixes = [0]
block_sizes = ["4 KiB"]
tracking = ["RND 4 KiB 0/100"]
[lat]
mixes = [0]
block_sizes = ["4 KiB"]
"""
_BLOCK = re.compile(r"```(shell|python)\n(.*?)```", re.DOTALL)
# A server that a person stops, and a page whose notebook other tests execute.
_LEFT_OUT = ("ssdlab lab ", "ssdlab compare ")


def test_tutorial_runs_from_the_first_block_to_the_last(tmp_path: Path) -> None:
    (tmp_path / "short.toml").write_text(SHORT)
    ssdlab = f'"{sys.executable}" -m ssdlab'
    count = 0
    page = (ROOT / "docs" / "tutorial.md").read_text("utf-8")
    for language, block in _BLOCK.findall(page):
        if language == "python":
            command = [sys.executable, "-c", block]
        elif block.startswith(_LEFT_OUT):
            continue
        else:
            short = block.replace("--profile demo", "--profile short.toml")
            small = short.replace("virtual:op", "virtual:size=32MiB,op")
            small = small.replace("virtual ", "virtual:size=32MiB ")
            command = [
                "sh",
                "-euc",
                re.sub(r"^ssdlab\b", ssdlab, small, flags=re.MULTILINE),
            ]
        done = subprocess.run(
            command, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
        count += 1
    assert count >= 5
    runs = sorted((tmp_path / "data" / "runs").iterdir())
    assert [(run / "report.html").is_file() for run in runs] == [True, True]
