"""What the kernel changes along with a setting is undone with it."""

import errno
from pathlib import Path

import pytest

from ssdlab.host import tuning
from ssdlab.host.tuning import revert_tuning
from tests.host.made_host import CPUS, Case, make_scene, write_files
from tests.host.wrong_host import apply, read, snapshot

PREFERENCE = "energy_performance_preference"
INTEL = Case(
    check="",
    verdict="",
    says="",
    files={
        f"{CPUS}/cpu{cpu}/cpufreq/{name}": text
        for cpu in (0, 1)
        for name, text in (
            ("scaling_driver", "intel_pstate"),
            ("scaling_governor", "powersave"),
            (PREFERENCE, "balance_power"),
        )
    }
    | {"proc/sys/fs/aio-max-nr": "65536"},
)


def test_preference_is_put_back_after_the_governor_that_forces_it(
    tmp_path: Path, journal: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As intel_pstate does: with the governor performance it takes no other."""
    root = tmp_path / "intel"
    make_scene(root, INTEL)
    write = tuning._write

    def like_a_kernel(path: str, value: str, of: Path) -> int:
        if path.endswith("/scaling_governor"):
            folder = path.rpartition("/")[0].lstrip("/")
            write_files(of, {f"{folder}/{PREFERENCE}": "performance"})
        elif path.endswith(PREFERENCE):
            governor = path.replace(PREFERENCE, "scaling_governor").lstrip("/")
            if read(of, governor) == "performance":
                return errno.EBUSY
        return write(path, value, of)

    monkeypatch.setattr(tuning, "_write", like_a_kernel)
    before = snapshot(root)
    tuned = apply(root, journal)
    assert {one.path.rpartition("/")[2]: one.after for one in tuned} == {
        PREFERENCE: "performance",
        "scaling_governor": "performance",
    }
    assert len(tuned) == 4
    assert not any(one.fault for one in tuned)
    undone = revert_tuning(journal=journal, root=root)
    assert not any(one.fault for one in undone)
    assert snapshot(root) == before
    assert not journal.exists()
