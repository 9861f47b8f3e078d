"""`ssdlab purge` on loop devices; what drives do is in ``tests/vm/test_purge.py``."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from ssdlab.model.units import MIB
from tests.cli.called import call
from tests.targets.conftest import MakeLoop, make_loop

__all__ = ["make_loop"]


def backing(device: str) -> Path:
    name = Path(device).name
    text = Path(f"/sys/class/block/{name}/loop/backing_file").read_text()
    return Path(text.strip())


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    return done.stdout.splitlines()[1:]


def fill(device: str) -> bytes:
    Path(device).write_bytes(b"secret!!" * (64 * MIB // 8))
    with Path(device).open("rb+") as file:
        os.fsync(file.fileno())
    return backing(device).read_bytes()


def test_purge_prints_each_fact_and_ends_well_when_it_shows(
    make_loop: MakeLoop,
) -> None:
    device = make_loop(512)
    fill(device)
    done = call("purge", device, "--confirm", backing(device))
    assert done.returncode == 0, done.stderr
    first, why, *facts = done.stdout.splitlines()
    assert first == "discard: discard of all LBAs"
    assert why.startswith("Why: the first method that this drive supports; the drive")
    assert facts[-1] == "64 places read back: 64 zeros"
    assert "64 of 64 sampled places hold data).\n" in done.stderr
    assert not any(backing(device).read_bytes())


def test_list_shows_every_method_and_needs_no_consent(make_loop: MakeLoop) -> None:
    device = make_loop(512)
    before = fill(device)
    done = call("purge", device, "--list")
    assert done.returncode == 0, done.stderr
    rows = [re.split(" {2,}", line[:43].strip()) for line in lines(done)]
    rows = [[*row[0].split(), *row[1:]] for row in rows]
    assert rows == [
        ["discard-secure", "unknown"],
        ["auto", "discard", "yes"],
        ["overwrite", "yes"],
        ["none", "yes"],
    ]
    assert backing(device).read_bytes() == before


def test_list_of_a_drive_in_use_says_that_it_cannot_be_purged_now(
    make_loop: MakeLoop,
) -> None:
    device = make_loop(512)
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    done = call("purge", device, "--list")
    assert done.returncode == 0, done.stderr
    head, reason = done.stdout.splitlines()[-2:]
    assert head == "cannot be purged now:"
    assert "ext4" in reason
    assert reason.startswith("  - ")


def test_help_names_the_texts_by_what_they_are() -> None:
    said = call("purge", "--help").stdout
    assert "--confirm SERIAL" in said
    assert "--method METHOD" in said


@pytest.mark.parametrize("confirm", ["", "yes"])
def test_purge_without_consent_is_refused_and_nothing_written(
    make_loop: MakeLoop, confirm: str
) -> None:
    device = make_loop(512)
    before = fill(device)
    done = call("purge", device, "--confirm", confirm)
    assert done.returncode == 2
    assert str(backing(device)) in done.stderr
    assert backing(device).read_bytes() == before


def test_purge_of_a_drive_in_use_is_refused_and_nothing_written(
    make_loop: MakeLoop,
) -> None:
    device = make_loop(512)
    subprocess.run(["mkfs.ext4", "-q", device], check=True)
    before = backing(device).read_bytes()
    done = call("purge", device, "--confirm", backing(device))
    assert done.returncode == 2
    assert "ext4" in done.stderr
    assert backing(device).read_bytes() == before


def test_failed_purge_ends_with_one_and_says_why(make_loop: MakeLoop) -> None:
    device = make_loop(512)
    done = call(
        "purge", device, "--confirm", backing(device), "--method", "discard-secure"
    )
    assert done.returncode == 1
    assert "ssdlab: The purge of /dev/loop" in done.stderr
    assert "Operation not supported. Choose another method" in done.stderr
    assert "64 places marked" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--method", "trim"), "'trim' is not one of 'auto', 'nvme-format-user-"),
        (("--method", "nvme-format-crypto"), "not one of the methods of its bus, loop"),
    ],
)
def test_method_that_cannot_be_is_refused(
    make_loop: MakeLoop, arguments: tuple[str, ...], words: str
) -> None:
    device = make_loop(512)
    before = fill(device)
    done = call("purge", device, "--confirm", backing(device), *arguments)
    assert done.returncode == 2
    assert words in done.stderr
    assert backing(device).read_bytes() == before


def test_target_that_is_no_drive_is_refused(tmp_path: Path) -> None:
    done = call("purge", tmp_path / "nothing", "--list")
    assert done.returncode == 2
    assert done.stderr.startswith("ssdlab: ")
    assert len(done.stderr.splitlines()) == 1
