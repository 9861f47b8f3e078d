"""Where the material that is not part of the repository lies, if it is there."""

from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"
FIO_SAMPLES = SHARED / "fio_samples"
REFERENCE = SHARED / "reference"


def require_folder(folder: Path) -> Path:
    """Return the folder, or skip the test with a plain reason."""
    if not folder.is_dir():
        pytest.skip(f"{folder.name}/ is not beside this checkout")
    return folder
