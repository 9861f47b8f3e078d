"""What reads and shows results needs nothing that only Unix has."""

import subprocess
import sys

import pytest

from tests.paths import ROOT

WITHOUT_UNIX = """
import sys
for name in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[name] = None
import ssdlab
getattr(ssdlab, sys.argv[1])
"""


@pytest.mark.parametrize(
    "name",
    ["assess_steady_state", "import_run", "list_runs", "read_fio", "write_report"],
)
def test_name_is_there_on_a_system_that_is_no_unix(name: str) -> None:
    subprocess.run([sys.executable, "-c", WITHOUT_UNIX, name], cwd=ROOT, check=True)
