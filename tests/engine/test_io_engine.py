"""A run by another IO engine: asked by its profile, done by fio, told by the report."""

from pathlib import Path

import pytest

import ssdlab
from ssdlab.compare.runs import compare_runs
from ssdlab.engine.request import RunChoices, ask_for_suite, check_request
from ssdlab.engine.suite import run_suite
from ssdlab.fleet.rows import rows_of_run
from ssdlab.model.asked import Suite
from ssdlab.model.errors import ProfileError, SsdlabError, TargetRefusedError
from ssdlab.model.plain import from_plain, to_plain
from ssdlab.pts.departures import find_departures
from ssdlab.pts.profiles import find_profile
from ssdlab.targets.shape import Shape

SHORT = """\
based_on = "demo"
cell_s = 0.2
max_rounds = 5
lat_mixes = [100, 0]
lat_block_sizes = ["4 KiB"]
wipc_capacity_multiple = 1
histogram_s = 0.5
"""


def profile(folder: Path, engine: str) -> str:
    path = folder / "mine.toml"
    path.write_text(f'{SHORT}io_engine = "{engine}"\n')
    return str(path)


def file_target(folder: Path) -> str:
    return f"file:{folder / 'drive.bin'},size=32MiB"


@pytest.mark.fio
@pytest.mark.parametrize("engine", ["io_uring, fixedbufs", "psync"])
def test_run_by_an_engine_says_so_everywhere(engine: str, tmp_path: Path) -> None:
    name = engine.replace(",", "")
    run = run_suite(
        file_target(tmp_path),
        profile(tmp_path, engine),
        "lat",
        runs=tmp_path / "runs",
    )
    assert isinstance(run.record.asked, Suite)
    assert run.record.asked.io_engine == name
    cells = run.steps[run.steps["kind"] == "cell"]["step_id"]
    jobs = [run.job_file(one) for one in cells]
    assert jobs
    for flag in name.split()[1:]:
        assert all(f"\n{flag}=1\n" in job for job in jobs)
    assert all(f"\nioengine={name.split()[0]}\n" in job for job in jobs)
    shown = ssdlab.write_report(run).read_text("utf-8")
    assert "IO engine" in shown
    assert name in shown
    assert "IOPS per core" in shown
    found = rows_of_run(run, record_sha256="a", manifest_sha256="", added_s=1.0)
    assert found.rows["runs"][0]["io_engine"] == name
    totals = [one for one in found.rows["cells"] if one["direction"] == "total"]
    assert all(one["cpu_us_per_io"] > 0 for one in totals)


@pytest.mark.fio
def test_runs_of_two_engines_are_not_compared_unless_asked(tmp_path: Path) -> None:
    for engine in ("libaio", "io_uring"):
        run_suite(
            file_target(tmp_path),
            profile(tmp_path, engine),
            "lat",
            runs=tmp_path / "runs",
            label=engine,
        )
    runs = tmp_path / "runs"
    compared = compare_runs(runs)
    rows = compared.conditions[compared.conditions["condition"] == "engine"]
    assert set(rows["value"]) == {"libaio", "io_uring"}
    assert set(rows["standing"]) == {"differs"}
    assert rows["is_barring"].all()


def test_virtual_ssd_has_but_one_path(tmp_path: Path) -> None:
    with pytest.raises(TargetRefusedError, match="fio reaches it by nbd, not by io_ur"):
        ask_for_suite("virtual", profile(tmp_path, "io_uring"), "lat")


def test_queue_depth_that_an_engine_ignores_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="psync has one IO outstanding per thread"):
        ask_for_suite(file_target(tmp_path), profile(tmp_path, "psync"), "iops")
    asked = ask_for_suite(file_target(tmp_path), profile(tmp_path, "psync"), "lat")
    assert asked.io_engine == "psync"


def test_polling_needs_poll_queues(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drive = Shape(
        capacity_bytes=2**36,
        sector_bytes=512,
        kind="block",
        fio_options={"ioengine": "libaio"},
        has_poll_queues=False,
    )
    monkeypatch.setattr("ssdlab.engine.request.read_shape", lambda _: drive)
    named = profile(tmp_path, "io_uring hipri")
    with pytest.raises(TargetRefusedError, match="it has no poll queues"):
        ask_for_suite("/dev/nvme9n1", named, "lat")


def test_flag_that_the_installed_fio_lacks_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = profile(tmp_path, "io_uring hipri")
    monkeypatch.setattr(
        "ssdlab.engine.request.list_options", lambda *_: frozenset({"fixedbufs"})
    )
    with pytest.raises(ProfileError, match="does not know the option hipri"):
        check_request(file_target(tmp_path), named, "lat", choices=RunChoices())


@pytest.mark.parametrize("engine", ["http", "libaio hipri", "io_uring\\nfilename=/x"])
def test_profile_with_another_engine_is_refused(engine: str, tmp_path: Path) -> None:
    with pytest.raises(ProfileError, match="names no path to a device"):
        ask_for_suite(file_target(tmp_path), profile(tmp_path, engine), "lat")


def test_record_with_another_engine_is_refused(tmp_path: Path) -> None:
    plain = to_plain(ask_for_suite(file_target(tmp_path), "demo", "lat"))
    assert from_plain(Suite, plain).io_engine == "auto"
    for engine in ("http", "libaio\nexec_prerun=reboot"):
        with pytest.raises(ValueError, match=r"io_engine|IO engine|no flag"):
            from_plain(Suite, plain | {"io_engine": engine})


def test_record_of_before_there_was_a_choice_has_that_of_the_target(
    tmp_path: Path,
) -> None:
    plain = to_plain(ask_for_suite(file_target(tmp_path), "demo", "lat"))
    del plain["io_engine"]
    assert from_plain(Suite, plain).io_engine == "auto"


def test_engine_is_no_departure_from_the_standard() -> None:
    usual = find_profile("pts-2.0-enterprise")
    assert find_departures(usual.having(io_engine="io_uring hipri"), ("lat",)) == ()


@pytest.mark.fio
def test_engine_of_a_run_folder_cannot_be_one_that_loads_code(tmp_path: Path) -> None:
    run = run_suite(
        file_target(tmp_path), profile(tmp_path, "libaio"), "lat", runs=tmp_path / "r"
    )
    record = run.path / "run.json"
    record.write_text(record.read_text().replace('"libaio"', '"external:/x.so"'))
    with pytest.raises(SsdlabError, match=r"run\.json"):
        ssdlab.open_run(run.path)
