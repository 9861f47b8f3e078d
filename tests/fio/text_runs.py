"""Runs of the real fio that say the same thing in every form, and what JSON says."""

import json
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.quick_fio import CLOCK

_SECOND = ("--time_based", "--runtime=1")
_NULL = ("--ioengine=null", "--size=1g", "--rate_iops=2000", *_SECOND)
_FILE = ("--size=2m", *_SECOND)
_NUMJOBS = ("--rw=randread", "--bs=4k", "--numjobs=3", "--status-interval=400ms")

# What each run is asked for; its form and its terse version come first.
RUNS: Mapping[str, tuple[str, ...]] = {
    **{
        f"randrw-v{version}": (
            f"--terse-version={version}",
            "--name=rw",
            *_FILE,
            "--rw=randrw",
            "--bs=4k",
            "--fsync=16",
        )
        for version in (2, 3, 4, 5)
    },
    "mixed": (
        *("--terse-version=4", "--name=un", *_FILE, "--rw=randrw", "--bs=8k"),
        *("--ioengine=libaio", "--iodepth=4", "--unified_rw_reporting=1"),
    ),
    "both": (
        *("--terse-version=3", "--name=un", *_FILE, "--rw=randrw", "--bs=8k"),
        *("--ioengine=libaio", "--iodepth=4", "--unified_rw_reporting=both"),
        *("--slat_percentiles=1", "--percentile_list=50:99.9"),
    ),
    "groups": (
        *("--terse-version=5", *_FILE, "--description=a ; b", "--group_reporting"),
        *("--continue_on_error=all", "--name=g1;x", "--numjobs=2", "--rw=write"),
        *("--bs=8k", "--name=g2", "--stonewall", "--numjobs=1", "--rw=read"),
        *("--bs=1k", "--name=g3", "--new_group", "--rw=randwrite", "--kb_base=1000"),
    ),
    "trim": ("--terse-version=5", "--name=tr", *_NULL, "--rw=randtrimwrite"),
    "decimal": ("--name=kb", *_NULL, "--rw=write", "--bs=1m", "--kb_base=1000"),
    "bits": ("--name=b", *_NULL, "--rw=write", "--bs=1m", "--unit_base=1"),
    "gtod_reduce": ("--name=g", *_NULL, "--rw=read", "--gtod_reduce=1"),
    "slow": (
        *("--name=s", *_NULL, "--rw=randrw", "--bs=512", "--rate_iops=20"),
        *("--kb_base=1000", "--terse-version=4"),
    ),
    "status-file": ("--name=si", *_FILE, *_NUMJOBS),
    "status-null": ("--name=si", *_NULL, *_NUMJOBS),
}


def run_all(folder: Path) -> dict[str, str]:
    """Return what fio writes in all forms for each run, as one text each."""
    fio = shutil.which("fio")
    if fio is None:
        pytest.skip("fio is not installed")
    forms = "--output-format=json,terse,normal"
    running = {
        name: subprocess.Popen(
            [
                fio,
                CLOCK,
                forms,
                f"--directory={folder}",
                f"--output={folder}/{name}",
                *wanted,
            ],
            cwd=folder,
            stdout=subprocess.DEVNULL,
        )
        for name, wanted in RUNS.items()
    }
    codes = {name: process.wait(timeout=120) for name, process in running.items()}
    assert set(codes.values()) == {0}
    return {name: (folder / name).read_text("utf-8") for name in RUNS}


def json_documents(text: str) -> list[dict[str, Any]]:
    """Return what fio said in JSON in the midst of other forms."""
    decoder = json.JSONDecoder()
    documents: list[dict[str, Any]] = []
    at = text.find("{\n")
    while at >= 0:
        document, end = decoder.raw_decode(text, at)
        documents.append(document)
        at = text.find("\n{\n", end)
        at = at + 1 if at >= 0 else at
    return documents
