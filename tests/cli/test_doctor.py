"""`ssdlab doctor` on this machine, which it must not change, and what it says."""

import json
import re
from pathlib import Path
from typing import Any

import click
import pytest

from ssdlab.cli.doctor_lines import report_lines, summary_line, tuned_lines
from ssdlab.host.checks import CHECKS
from ssdlab.host.tuning import Tuned
from ssdlab.model.host_checks import CheckVerdict, HostCheck
from tests.cli.called import call


def made(verdict: CheckVerdict, read: str = "5 (/sys/x)", **changes: Any) -> HostCheck:
    told = {
        "check_id": "x",
        "title": f"A {verdict} thing",
        "verdict": verdict,
        "read": read,
        "why": "It matters.",
        "remedy": "" if verdict == "good" else "mend it",
        "source": "ssdlab",
    }
    return HostCheck(**{**told, **changes})


def lines_of(*checks: HostCheck) -> list[str]:
    lines = report_lines(checks, apply_command="sudo ssdlab doctor --apply")
    return [click.unstyle(line) for line in lines]


def test_host_is_told_with_what_why_and_what_to_do() -> None:
    done = call(
        "doctor",
    )
    assert done.returncode == 0, done.stderr
    assert "Not applicable here: " in done.stdout
    last = done.stdout.splitlines()[-1]
    counts = re.fullmatch(
        r"(\d+) bad, (\d+) warnings?, (\d+) good, (\d+) unknown, (\d+) not applicable",
        last,
    )
    assert counts is not None, last
    assert sum(map(int, counts.groups())) == len(CHECKS)
    assert "\x1b" not in done.stdout


def test_json_lists_every_check_with_its_fields() -> None:
    done = call("doctor", "--json", "--target", "virtual:size=64MiB")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert [check["check_id"] for check in found] == [c.check_id for c in CHECKS]
    assert {frozenset(check) for check in found} == {
        frozenset(HostCheck.__dataclass_fields__)
    }
    by_id = {check["check_id"]: check for check in found}
    assert "ioengine=nbd" in by_id["async_io"]["read"]
    assert by_id["io_scheduler"]["read"].startswith("does not apply")


def test_file_is_told_that_it_cannot_be_purged(tmp_path: Path) -> None:
    target = tmp_path / "file"
    done = call("doctor", "--json", "--target", f"file:{target},size=64MiB")
    assert done.returncode == 0, done.stderr
    by_id = {check["check_id"]: check for check in json.loads(done.stdout)}
    assert by_id["format_before_write"]["verdict"] == "warn"
    assert not target.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--target", "nonsense"), "Unknown target 'nonsense'"),
        (("--target", "/dev/ssdlab-none"), "/dev/ssdlab-none"),
        (("--target", "virtual:size=7x"), "size"),
        (("--apply", "--revert"), "exclude each other"),
        (("--revert", "--journal", "/proc/no/such.json"), "cannot be written"),
        (("--apply", "--journal", "/proc/no/such.json"), "cannot be written"),
    ],
)
def test_wrong_request_is_one_line_and_exit_code_2(
    arguments: tuple[str, ...], words: str
) -> None:
    done = call("doctor", *arguments)
    assert (done.returncode, done.stdout) == (2, "")
    assert words in done.stderr
    assert done.stderr.startswith("ssdlab: ")
    assert done.stderr.count("\n") == 1


def test_revert_without_changes_says_so(tmp_path: Path) -> None:
    done = call("doctor", "--revert", XDG_STATE_HOME=str(tmp_path))
    assert done.returncode == 0, done.stderr
    journal = tmp_path / "ssdlab/host-tuning.json"
    assert f"Nothing to revert: {journal}" in done.stdout
    assert (
        json.loads(call("doctor", "--revert", "--json", "--journal", journal).stdout)
        == []
    )


def test_bad_comes_first_and_is_told_in_full() -> None:
    lines = lines_of(made("good"), made("warn"), made("bad", is_appliable=True))
    assert lines[0] == "✗ bad     A bad thing"
    assert lines[1:6] == [
        "  read    5 (/sys/x)",
        "  why     It matters. (ssdlab)",
        "  do      mend it",
        "  or      let ssdlab change it, until --revert or a reboot",
        "",
    ]
    assert lines[6] == "! warning A warn thing"
    assert "✓ good    A good thing: 5 (/sys/x)" in lines
    assert lines[-3].startswith("ssdlab can change 1 of these")
    assert lines[-2] == "          sudo ssdlab doctor --apply"
    assert lines[-1] == "1 bad, 1 warning, 1 good, 0 unknown"


def test_what_does_not_apply_is_counted_apart() -> None:
    absent = made("unknown", "does not apply: the target is not a drive", title="Queue")
    checks = (made("unknown"), absent)
    assert (
        summary_line(checks) == "0 bad, 0 warnings, 0 good, 1 unknown, 1 not applicable"
    )
    lines = lines_of(*checks)
    assert "          Not applicable here: Queue." in lines
    assert "? unknown A unknown thing: 5 (/sys/x)" in lines
    assert not any(
        "ssdlab can change" in line or "let ssdlab" in line for line in lines
    )


def test_names_of_processes_cannot_steer_the_terminal() -> None:
    lines = lines_of(made("bad", "evil\x1b[2Jname", remedy="kill \x07"))
    assert not any("\x1b" in line or "\x07" in line for line in lines)
    assert any("evil�[2Jname" in line for line in lines)


def test_commands_are_in_one_line_to_be_copied() -> None:
    command = f"echo performance | sudo tee {'/sys/devices/system/cpu' * 9}"
    assert f"  do      {command}" in lines_of(made("warn", remedy=command))


def test_words_of_a_remedy_are_wrapped_and_its_commands_are_not() -> None:
    first = "echo performance | sudo tee /sys/module/pcie_aspm/parameters/policy"
    second = "sudo sdparm --set=WCE /dev/sda"
    words = "one two three four five six seven eight nine ten " * 3
    remedy = f"{words}: {first}; {words} (ATA), {second} (SCSI)"
    told = lines_of(made("warn", remedy=remedy))
    at = next(at for at, line in enumerate(told) if line.startswith("  do"))
    shown = told[at : told.index("", at)]
    assert max(map(len, shown)) <= 100
    assert len(shown) > 3
    assert sum(first in line for line in shown) == 1
    assert sum(second in line for line in shown) == 1
    assert " ".join(line[10:] for line in shown).split() == remedy.split()


@pytest.mark.parametrize("verdict", ["bad", "warn", "unknown", "good"])
def test_sign_is_coloured_and_the_word_tells_the_same(verdict: CheckVerdict) -> None:
    first = next(
        line for line in report_lines((made(verdict),), apply_command="x") if line
    )
    assert first.startswith("\x1b[3")
    assert "A " in click.unstyle(first)


def test_equal_changes_of_many_cpus_are_one_line() -> None:
    tuned = [
        Tuned(
            path=f"/sys/cpu/cpu{cpu}/governor", before="powersave", after="performance"
        )
        for cpu in (0, 1, 2, 5)
    ]
    one = Tuned(path="/sys/cpu/cpu7/disable", before="0", after="1")
    fault = Tuned(path="/sys/x", before="0", after="0", fault="not permitted")
    assert list(tuned_lines((*tuned, one, fault))) == [
        "/sys/cpu/cpu[0-2,5]/governor: powersave → performance",
        "/sys/cpu/cpu7/disable: 0 → 1",
        "/sys/x: 0, not permitted",
    ]
