"""Every test is in exactly one lane, and what a lane needs is there."""

import subprocess
import sys
import tomllib
from itertools import compress, product
from pathlib import Path

import pytest

from tests.paths import ROOT
from tools.bare_path import PROGRAMS, bare_path
from tools.changes import Change, find_changes, touched_tests
from tools.lanes import (
    FIO,
    LANES,
    PAGES,
    PURE,
    SIMULATIONS,
    SLURM,
    TIMED,
    Duration,
    render_slowest,
)

SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
PYTEST = SETTINGS["tool"]["pytest"]["ini_options"]
MARKERS = [line.partition(":")[0] for line in PYTEST["markers"]]


def lanes_of(*markers: str) -> list[str]:
    """Return the lanes of a test with these markers, as pytest reads expressions."""
    names = {name: name in markers for name in MARKERS}
    return [lane.name for lane in LANES if eval(lane.selection, dict(names))]


def test_test_is_in_one_lane_whatever_its_markers() -> None:
    for chosen in product([False, True], repeat=len(MARKERS)):
        markers = list(compress(MARKERS, chosen))
        is_apart = {"device", "vm", "lab"} & set(markers)
        assert len(lanes_of(*markers)) == (0 if is_apart else 1), markers


def test_lane_is_that_of_what_a_test_needs() -> None:
    assert lanes_of() == [PURE.name]
    assert lanes_of("fio", "notebook") == [FIO.name]
    assert lanes_of("fio", "timed") == [TIMED.name]
    assert lanes_of("fio", "slurm") == [SLURM.name]
    assert lanes_of("browser") == lanes_of("notebook", "browser") == [PAGES.name]
    assert lanes_of("simulation") == [SIMULATIONS.name]


def test_every_lane_looks_for_tests_where_tests_may_lie() -> None:
    assert PYTEST["testpaths"] == ["tests"]
    lost = [path for path in ROOT.glob("*/**/test_*.py") if is_ours(path)]
    assert [path for path in lost if ROOT / "tests" not in path.parents] == []
    assert PURE.paths == ("--doctest-modules", "tests", "ssdlab")
    assert "tests/test_coverage.py" in SIMULATIONS.paths
    assert "tests/test_lanes.py" in PAGES.paths  # it names every marker
    assert "tests/model/test_units.py" not in {*FIO.paths, *PAGES.paths}


def is_ours(path: Path) -> bool:
    return path.relative_to(ROOT).parts[0] not in {".venv", "build"}


MARKED = """\
import pytest

def test_plain() -> None: ...
@pytest.mark.fio
def test_fio() -> None: ...
@pytest.mark.fio
@pytest.mark.notebook
def test_fio_notebook() -> None: ...
@pytest.mark.fio
@pytest.mark.timed
def test_timed() -> None: ...
@pytest.mark.fio
@pytest.mark.slurm
def test_slurm() -> None: ...
@pytest.mark.browser
def test_browser() -> None: ...
@pytest.mark.simulation
def test_simulation() -> None: ...
@pytest.mark.device
def test_device() -> None: ...
"""


def test_pytest_itself_chooses_each_test_for_one_lane(tmp_path: Path) -> None:
    (tmp_path / "test_marked.py").write_text(MARKED)
    assert collected(tmp_path) == {
        "simulations": ["test_simulation"],
        "pure": ["test_plain"],
        "pages": ["test_browser"],
        "fio": ["test_fio", "test_fio_notebook"],
        "timed": ["test_timed"],
        "slurm": ["test_slurm"],
    }


# One process for all lanes: to start pytest takes longer than to collect.
_COLLECT = """\
import sys
import pytest

end = sys.argv.index("--")
settings, selections = sys.argv[1:end], sys.argv[end + 1 :]
for selection in selections:
    print(f"lane {selection}")
    pytest.main([*settings, "-m", selection])
"""


def collected(folder: Path) -> dict[str, list[str]]:
    """Return the tests of a folder that pytest chooses for each lane."""
    settings = ("-c", str(ROOT / "pyproject.toml"), "-p", "no:cacheprovider")
    selections = {lane.selection: lane.name for lane in LANES}
    done = subprocess.run(
        [
            *(sys.executable, "-c", _COLLECT, "--collect-only", "-q"),
            *(*settings, str(folder), "--", *selections),
        ],
        cwd=folder,
        capture_output=True,
        text=True,
        check=True,
    )
    _, *parts = done.stdout.split("lane ")
    return {
        selections[lines[0]]: [
            line.partition("::")[2] for line in lines if "::" in line
        ]
        for lines in (part.splitlines() for part in parts)
    }


def test_lane_fails_where_pytest_does_but_not_where_others_were_asked_for() -> None:
    assert FIO.has_failed(1, [])
    assert FIO.has_failed(5, [])
    assert not FIO.has_failed(5, ["-k", "steady"])
    assert not FIO.has_failed(0, [])


def test_slowest_tests_are_listed_with_their_lane() -> None:
    durations = [Duration(lane="a", test=f"t{n}", seconds=n) for n in range(50)]
    text = render_slowest([*durations, Duration(lane="b", test="x", seconds=45.5)])
    lines = text.splitlines()
    assert lines[0] == "The 40 slowest tests:"
    assert [line.split() for line in lines[4:6]] == [
        ["46.00", "s", "a", "t46"],
        ["45.50", "s", "b", "x"],
    ]
    assert [line.split() for line in lines[-2:]] == [
        ["1225", "s", "a", "total"],
        ["46", "s", "b", "total"],
    ]


def test_bare_path_has_the_base_system_and_what_the_set_up_gets(tmp_path: Path) -> None:
    here = tmp_path / "here"
    here.mkdir()
    for name in ("fio", "nvme"):
        (here / name).touch()
        (here / name).chmod(0o755)
    links = tmp_path / "bare"
    path = bare_path(links, f"{here}:/usr/bin:/bin")
    if path == f"{here}:/usr/bin:/bin":
        pytest.skip("there is no dpkg here to ask for the base system")
    assert path == f"{Path(sys.executable).parent}:{links}"
    names = {link.name for link in links.iterdir()}
    assert {"sh", "cat", "awk", "mount", "losetup", "dpkg", "fio"} <= names
    assert {"nvme", "sudo", "hdparm", "curl", "smartctl"}.isdisjoint(names)
    assert (links / "fio").resolve() == here / "fio"
    assert all(link.exists() for link in links.iterdir())


def test_bare_path_is_that_of_the_machine_where_there_is_no_dpkg(
    tmp_path: Path,
) -> None:
    assert bare_path(tmp_path / "bare", str(tmp_path)) == str(tmp_path)
    assert not (tmp_path / "bare").exists()


@pytest.mark.parametrize("program", sorted({*PROGRAMS} - {"git", "as", "ld", "make"}))
def test_program_of_the_bare_path_is_one_that_the_set_up_looks_for(
    program: str,
) -> None:
    assert program in (ROOT / "tools" / "setup.sh").read_text("utf-8")


def git(folder: Path, *words: str) -> None:
    identity = ("-c", "user.name=a", "-c", "user.email=a@b")
    subprocess.run(["git", *identity, *words], cwd=folder, check=True)


def test_changes_are_those_since_the_main_branch_was_left(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "-b", "main")
    for name in ("kept.py", "gone.py", "mended.py"):
        (tmp_path / name).touch()
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "a")
    assert find_changes(tmp_path).files == ()
    git(tmp_path, "checkout", "-q", "-b", "mine")
    (tmp_path / "committed.md").touch()
    (tmp_path / "gone.py").unlink()
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "-q", "-m", "b")
    (tmp_path / "mended.py").write_text("1")
    (tmp_path / "new.ipynb").touch()
    found = find_changes(tmp_path)
    assert [file.name for file in found.files] == [
        "committed.md",
        "mended.py",
        "new.ipynb",
    ]
    assert [file.name for file in found.python] == ["mended.py", "new.ipynb"]


def chosen_for(*files: str, budget_s: float = 1e9) -> list[str]:
    change = Change(base="x", files=tuple(map(Path, files)))
    return [str(path) for path in touched_tests(change, budget_s=budget_s).chosen]


def test_tests_that_import_what_changed_come_first() -> None:
    nearest, *others = chosen_for("ssdlab/stats/autoregressive.py")
    assert nearest == "tests/stats/test_autoregressive.py"
    assert "tests/stats/test_trend.py" in others
    assert "tests/fio/test_bins.py" not in others


def test_change_of_a_test_runs_it_whatever_it_takes() -> None:
    changed = "tests/model/test_units.py"
    assert chosen_for(changed, budget_s=0) == [changed]
    assert chosen_for("ssdlab/model/units.py", budget_s=0) == []


def test_time_is_spent_by_what_each_module_took_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tools.lanes.RESULTS", tmp_path)
    nearest = "tests/stats/test_autoregressive.py"
    case = '<t><testcase classname="{}" name="a" time="{}"/></t>'
    name = nearest.removesuffix(".py").replace("/", ".")
    (tmp_path / "pure.xml").write_text(case.format(name, 30))
    changed = "ssdlab/stats/autoregressive.py"
    assert chosen_for(changed, budget_s=20) == []
    (tmp_path / "quick.xml").write_text(case.format(name, 10))
    assert chosen_for(changed, budget_s=20)[0] == nearest


def test_lazily_loaded_name_leads_to_those_who_use_it() -> None:
    assert "tests/test_public_names.py" in chosen_for("ssdlab/stats/matrix.py")


def test_file_that_is_no_module_is_looked_for_by_its_name() -> None:
    chosen = chosen_for("tests/data/capture-made-shop.csv")
    assert {"tests/streams/test_capture.py", "tests/test_house.py"} <= set(chosen)


def test_conftest_touches_the_tests_of_its_folder() -> None:
    chosen = chosen_for("tests/steadiness/conftest.py")
    assert "tests/steadiness/test_windows.py" in chosen
    assert "tests/fio/test_bins.py" not in chosen
