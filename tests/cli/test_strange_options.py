"""A run folder that was handed on runs no command and names no file to fio."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from ssdlab.cli import main
from ssdlab.fio.jobs.jobfile import render_job
from ssdlab.model.errors import RunFolderError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.model.records import RunRecord
from ssdlab.model.step import StepResult
from ssdlab.procedures.peak.spec import peak
from ssdlab.store.records import read_record, to_json
from tests.made_procedure import measure_made, plan_of

REACH = {"ioengine": "libaio", "filename": "/nowhere"}
Plain = dict[str, Any]
EVIL = (
    ("exec_prerun", "touch PWNED"),
    ("exec_postrun", "touch PWNED"),
    ("filename", "/dev/null"),
    ("directory", "/"),
    ("include", "/etc/passwd"),
    ("ioengine", "external:/tmp/evil.so"),
    ("write_iolog", "/tmp/PWNED"),
    ("bs", "4k\nexec_prerun=touch PWNED"),
    ("name] exec_prerun=touch PWNED\n[x", "1"),
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("peak") / "run"
    return measure_made(folder, peak(), lambda _: 100.0, status="interrupted").path


def options_in(data: object) -> Iterator[list[Any]]:
    """Yield the options of each job in a record, to be changed in place."""
    if isinstance(data, dict):
        if data.get("fio_options"):
            yield data["fio_options"]
        data = list(data.values())
    if isinstance(data, list):
        for value in data:
            yield from options_in(value)


def record_with(made: Path, change: Callable[[Plain], None]) -> RunRecord:
    record = read_record(made)
    data: Plain = json.loads(to_json(to_plain(record)))
    change(data["asked"])
    return from_plain(RunRecord, data)


@pytest.mark.parametrize("pair", EVIL)
def test_resume_refuses_an_option_that_is_none_of_a_published_job(
    made: Path, pair: tuple[str, str]
) -> None:
    path = made / "run.json"
    before = path.read_bytes()
    data = json.loads(before)
    for options in options_in(data):
        options.append(list(pair))
    try:
        path.write_text(json.dumps(data))
        result = CliRunner().invoke(main, ["resume", str(made)])
    finally:
        path.write_bytes(before)
    assert result.exit_code == 2
    assert "fio option" in result.stderr
    assert result.stderr.count("\n") == 1
    assert not list(made.rglob("PWNED"))


@given(name=st.text(), value=st.text())
def test_no_random_option_of_a_record_reaches_a_job(
    made: Path, name: str, value: str
) -> None:
    def add(asked: Plain) -> None:
        for options in options_in(asked):
            options.append([name, value])

    with pytest.raises(ValueError, match="fio option"):
        record_with(made, add)


NAMES = st.sampled_from(["test_id", "phase_id"])
BAD_NAMES = st.text("./\\\n\0", min_size=1).filter(lambda name: name[0] != " ")


@given(key=NAMES, name=BAD_NAMES)
def test_no_name_of_a_record_leads_out_of_its_folder(
    made: Path, key: str, name: str
) -> None:
    def rename(asked: Plain) -> None:
        test = asked["tests"][0]
        (test if key == "test_id" else test["phases"][0])[key] = name

    with pytest.raises(ValueError, match="is not a valid name of a test or phase"):
        record_with(made, rename)


@pytest.mark.parametrize("number", ["Infinity", "-Infinity", "NaN", "1e999"])
def test_a_number_that_is_none_makes_a_record_damaged(made: Path, number: str) -> None:
    path = made / "run.json"
    before = path.read_bytes()
    text = before.decode().replace('"seconds": 30', f'"seconds": {number}')
    assert text != before.decode()
    try:
        path.write_text(text)
        with pytest.raises(RunFolderError, match=r"not a valid number|infinite"):
            read_record(made)
    finally:
        path.write_bytes(before)


def test_what_the_shipped_jobs_say_is_what_fio_is_told(made: Path) -> None:
    tests = read_record(made).asked.tests
    assert tests == peak().tests
    batches, _ = plan_of(peak(), lambda step: StepResult(step_id=step.step_id))
    jobs = [
        render_job(step, REACH)
        for batch in batches
        for step in batch.steps
        if step.workload is not None
    ]
    assert len(jobs) == 7
    assert all("exec" not in job for job in jobs)
