"""The command that imports published reports, and names those that ship."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from ssdlab.cli import import_results
from ssdlab.cli.group import main
from ssdlab.store.run import open_tables

MX200 = "reference:tkperf-crucial-mx200"
S3510 = "reference:tkperf-intel-s3510"
COMMAND = import_results.import_results.name or ""


def run_import(*words: str) -> Result:
    return CliRunner().invoke(main, [COMMAND, *words], catch_exceptions=False)


def test_command_names_the_references_and_imports_one(tmp_path: Path) -> None:
    listed = run_import("--list-references")
    assert listed.exit_code == 0
    named = [line.split()[0] for line in listed.stdout.splitlines()]
    assert named == [MX200, S3510]
    done = run_import(named[1], "--runs", str(tmp_path), "--json")
    said = json.loads(done.stdout)
    assert said["tests"] == ["iops", "tp", "lat"]
    assert said["outcome"][:3] == [
        "iops         steady in rounds 2 - 6",
        "tp 1024 KiB  steady in rounds 1 - 5",
        "lat          steady in rounds 4 - 8",
    ]
    label = open_tables(Path(said["run"])).record.label
    assert label == "Intel DC S3510 80 GB, TKperf report of 2015-06-01"


def test_command_names_the_references_as_json(tmp_path: Path) -> None:
    for words in (("--list-references", "--json"), ("--json", "--list-references")):
        listed = json.loads(run_import(*words).stdout)
        assert [entry["name"] for entry in listed] == [MX200, S3510]
        assert listed[1]["title"].startswith("Intel DC S3510 80 GB")
    nothing = run_import("--runs", str(tmp_path))
    assert nothing.exit_code == 2
    assert "Missing argument 'PATHS...'" in nothing.stderr


def test_command_refuses_an_unknown_reference_in_one_line() -> None:
    done = run_import("reference:none")
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert "Choose from: tkperf-crucial-mx200" in done.stderr
