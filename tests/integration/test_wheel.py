"""A wheel brings its libraries along: the virtual SSD runs where no compiler is."""

import os
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from zipfile import ZipFile

import pytest

from ssdlab.native.prebuilt import LEVELS
from tools import build_wheels
from tools.build_wheels import PLACE, compile_libraries, libraries, oldest_glibc

pytestmark = pytest.mark.fio

MACHINES = ("x86_64", "aarch64")
PROBE = """
import pathlib, ssdlab
from ssdlab.fio.kernels import load_scanner, scanner_names
from ssdlab.native.prebuilt import FOLDER
kernels = [load_scanner(name, work_bytes=1) for name in scanner_names()]
assert all(pathlib.Path(one._name).is_relative_to(FOLDER) for one in kernels), kernels
print(pathlib.Path(ssdlab.__file__).parent)
"""


@pytest.fixture(scope="module")
def sdist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_wheels.build_sdist(tmp_path_factory.mktemp("dist"))


@pytest.fixture(scope="module")
def pure(sdist: Path) -> Path:
    return build_wheels.build_pure(sdist, sdist.parent)


@pytest.fixture(scope="module")
def wheel(pure: Path) -> Path:
    compiler = build_wheels.find_compiler("x86_64")
    if compiler is None or os.uname().machine != "x86_64":
        pytest.skip("no compiler for x86-64 is installed")
    built = compile_libraries("x86_64", compiler)
    return build_wheels.add_libraries(pure, "x86_64", built)


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Return the environment of a machine that has the wheel and no compiler."""
    place = tmp_path_factory.mktemp("installed")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
    subprocess.run([*pip, "--target", str(place / "lib"), str(wheel)], check=True)
    (place / "bin").mkdir()
    for name in ("nbdkit", "fio"):
        program = shutil.which(name)
        assert program is not None
        (place / "bin" / name).symlink_to(program)
    return {
        "PATH": str(place / "bin"),
        "PYTHONPATH": str(place / "lib"),
        "HOME": str(place),
        "XDG_STATE_HOME": str(place / "state"),
    }


def call(installed: dict[str, str], *arguments: str) -> str:
    command = [sys.executable, *arguments]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env=installed,
        cwd=installed["HOME"],
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_every_kernel_is_that_of_the_wheel_without_a_compiler(
    installed: dict[str, str],
) -> None:
    place = call(installed, "-c", PROBE).strip()
    assert Path(place).is_relative_to(installed["PYTHONPATH"])


def test_virtual_ssd_is_measured_without_a_compiler(installed: dict[str, str]) -> None:
    small = ("--target", "virtual:size=32MiB", "--stimulus", "RND 4KiB 0/100")
    times = ("--iterations", "5", "--minutes", "0.01")
    call(installed, "-m", "ssdlab", "saturate", *small, *times, "--runs", "runs")
    assert not list(Path(installed["HOME"], ".cache").rglob("*.so"))
    (report,) = Path(installed["HOME"], "runs").glob("*/report.html")
    assert report.stat().st_size > 100_000


def test_notebooks_and_samples_come_with_the_wheel(installed: dict[str, str]) -> None:
    call(installed, "-m", "ssdlab", "notebooks", "mine")
    mine = Path(installed["HOME"], "mine")
    assert (mine / "01_run_pts.ipynb").is_file()
    samples = {path.parent.name for path in mine.glob("data/samples/*/run.json")}
    assert {"virtual-all", "virtual-a", "virtual-b"} <= samples


def test_sdist_and_pure_wheel_have_the_same_package(sdist: Path, pure: Path) -> None:
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    with ZipFile(pure) as zipped:
        packed = [name for name in zipped.namelist() if name.endswith((".py", ".c"))]
    homes = {
        "ssdlab/installed_notebooks/": "notebooks/",
        "ssdlab/installed_samples/": "data/samples/",
    }
    for name in packed:
        home = next((one for one in homes if name.startswith(one)), "")
        assert name.replace(home, homes.get(home, ""), 1) in names


@pytest.mark.parametrize("machine", MACHINES)
def test_platform_wheel_has_each_library_for_each_level(machine: str) -> None:
    compiler = build_wheels.find_compiler(machine)
    if compiler is None:
        pytest.skip(f"no compiler for {machine} is installed")
    built = compile_libraries(machine, compiler)
    levels = {one.name for one in LEVELS if one.machine == machine}
    assert {Path(name).parent.name for name in built} == levels
    for library in libraries():
        assert any(name.endswith(library.file) for name in built)
    assert all(name.startswith(f"{PLACE}/") for name in built)
    assert (2, 17) <= oldest_glibc(built.values()) <= (2, 36)


def test_platform_wheel_is_the_same_when_it_is_built_again(
    wheel: Path, pure: Path
) -> None:
    compiler = build_wheels.find_compiler("x86_64")
    assert compiler is not None
    before = wheel.read_bytes()
    built = compile_libraries("x86_64", compiler)
    assert build_wheels.add_libraries(pure, "x86_64", built).read_bytes() == before
