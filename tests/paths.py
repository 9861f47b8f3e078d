"""What may be missing here: material beside the repository, and programs."""

import shutil
from pathlib import Path

import pytest

MADE_RUNS = "SSDLAB_TESTS_MADE_RUNS"  # names the folder that all workers share
ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
FIO_SAMPLES = SHARED / "fio_samples"
REFERENCE = SHARED / "reference"


def require_program(name: str) -> None:
    """Skip the test with a plain reason where a program is not installed."""
    if shutil.which(name) is None:
        pytest.skip(f"{name} is not installed")


def require_folder(folder: Path) -> Path:
    """Return the folder, or skip the test with a plain reason."""
    if not folder.is_dir():
        pytest.skip(f"{folder.name}/ is not beside this checkout")
    return folder
