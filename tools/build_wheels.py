"""Build the sdist, the pure wheel, and a wheel with libraries for each machine.

    python -m tools.build_wheels [FOLDER [MACHINE...]]    default: dist, all machines

The pure wheel is built from the sdist. A platform wheel is the pure wheel with the C
kernels and the plugin of the virtual SSD, so that it needs no compiler. Its tag names
the oldest glibc that has every symbol that its libraries need. A machine without its
cross compiler is skipped, and the exit code is 1.
"""

import base64
import hashlib
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from ssdlab.fio.kernels import scanner_names, scanner_sources
from ssdlab.native.prebuilt import LEVELS, library_name
from ssdlab.virtual.build import plugin_sources

ROOT = Path(__file__).resolve().parents[1]
COMPILERS: Mapping[str, str] = {
    "x86_64": "x86_64-linux-gnu-gcc",
    "aarch64": "aarch64-linux-gnu-gcc",
}
PLACE = "ssdlab/native/prebuilt"
_PLUGIN = "ftl"
_HEADERS = "/usr/include"  # of nbdkit: the same text on every machine
_OLDEST_GLIBC = (2, 17)  # that of the oldest manylinux tag
# Without contraction, a level with fused operations computes what the others do.
_FLAGS = ("-std=gnu11", "-shared", "-fPIC", "-g0", "-s", "-Wall", "-ffp-contract=off")
_KERNEL_FLAGS = ("-O3",)
_PLUGIN_FLAGS = ("-O2", "-pthread")
_EPOCH = (2020, 1, 1, 0, 0, 0)  # of every file that is added: builds are repeatable


@dataclass(frozen=True, kw_only=True)
class Library:
    """A library to be built: its name, sources (the first includes the rest), flags."""

    name: str
    sources: Sequence[Path]
    flags: Sequence[str]

    @property
    def file(self) -> str:
        """The file name, which the loader looks for."""
        return library_name(self.name, self.sources)


def libraries() -> list[Library]:
    """Return the kernels and the plugin."""
    kernels = [
        Library(
            name=Path(name).name, sources=scanner_sources(name), flags=_KERNEL_FLAGS
        )
        for name in scanner_names()
    ]
    return [
        *kernels,
        Library(name=_PLUGIN, sources=plugin_sources(), flags=_PLUGIN_FLAGS),
    ]


def build_sdist(folder: Path) -> Path:
    """Build the sdist of this checkout."""
    return folder / _call_backend("build_sdist", folder, source=ROOT)


def build_pure(sdist: Path, folder: Path) -> Path:
    """Build the pure wheel from an sdist."""
    with TemporaryDirectory() as unpacked:
        shutil.unpack_archive(sdist, unpacked)
        (source,) = Path(unpacked).iterdir()
        return folder / _call_backend("build_wheel", folder, source=source)


def _call_backend(name: str, folder: Path, *, source: Path) -> str:
    code = f"import sys; from setuptools import build_meta as b; b.{name}(sys.argv[1])"
    with TemporaryDirectory() as aside:
        command = [sys.executable, "-c", code, aside]
        subprocess.run(command, cwd=source, check=True, stdout=subprocess.DEVNULL)
        (built,) = Path(aside).iterdir()
        shutil.move(built, folder / built.name)
    return built.name


def find_compiler(machine: str) -> str | None:
    """Return the compiler for a machine, if installed; gcc is that of this one."""
    own = ("gcc",) if machine == platform.machine() else ()
    return next(filter(None, map(shutil.which, (COMPILERS[machine], *own))), None)


def compile_libraries(machine: str, compiler: str) -> dict[str, bytes]:
    """Return the libraries of a machine by their path in the wheel."""
    levels = [level.name for level in LEVELS if level.machine == machine]
    with TemporaryDirectory() as aside:
        for header in Path(_HEADERS).glob("nbdkit-*.h"):
            shutil.copy(header, aside)
        return {
            f"{PLACE}/{level}/{library.file}": _compile(
                (compiler, f"-march={level}"), library, Path(aside)
            )
            for level in levels
            for library in libraries()
            # The plugin mostly waits: it needs the level of all processors only.
            if library.name != _PLUGIN or level == levels[-1]
        }


def _compile(compiler: Sequence[str], library: Library, folder: Path) -> bytes:
    built = folder / library.file
    flags = (*_FLAGS, *library.flags, "-I", str(folder))
    command = [*compiler, *flags, "-o", str(built), str(library.sources[0])]
    subprocess.run(command, check=True)
    return built.read_bytes()


def oldest_glibc(built: Iterable[bytes]) -> tuple[int, int]:
    """Return the oldest glibc that has all symbols that libraries need.

    >>> oldest_glibc([b"\\0GLIBC_2.2.5\\0GLIBC_2.34\\0"])
    (2, 34)
    """
    needed = {
        (int(major), int(minor))
        for library in built
        for major, minor in re.findall(rb"GLIBC_(\d+)\.(\d+)", library)
    }
    return max({_OLDEST_GLIBC, *needed})


def add_libraries(pure: Path, machine: str, built: Mapping[str, bytes]) -> Path:
    """Write the platform wheel: the pure one, with libraries and another tag."""
    major, minor = oldest_glibc(built.values())
    tag = f"py3-none-manylinux_{major}_{minor}_{machine}"
    place = pure.with_name(pure.name.replace("py3-none-any", tag))
    with ZipFile(pure) as source:
        files = {item.filename: source.read(item) for item in source.infolist()}
    (info,) = {name.partition("/")[0] for name in files if ".dist-info/" in name}
    files |= built
    files[f"{info}/WHEEL"] = (
        files[f"{info}/WHEEL"]
        .replace(b"Root-Is-Purelib: true", b"Root-Is-Purelib: false")
        .replace(b"Tag: py3-none-any", f"Tag: {tag}".encode())
    )
    record = f"{info}/RECORD"
    del files[record]
    lines = [f"{name},{_hash(data)},{len(data)}\n" for name, data in files.items()]
    files[record] = "".join([*lines, f"{record},,\n"]).encode()
    with ZipFile(place, "w", ZIP_DEFLATED) as target:
        for name, data in files.items():
            entry = ZipInfo(name, date_time=_EPOCH)
            entry.external_attr = 0o100644 << 16
            entry.compress_type = ZIP_DEFLATED
            target.writestr(entry, data)
    return place


def _hash(data: bytes) -> str:
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest())
    return f"sha256={digest.rstrip(b'=').decode()}"


def main(arguments: Sequence[str]) -> int:
    """Build everything into a folder."""
    place, *machines = arguments or (str(ROOT / "dist"),)
    unknown = set(machines) - set(COMPILERS)
    if unknown:
        print(f"unknown machine: {', '.join(sorted(unknown))}", file=sys.stderr)
        return 2
    folder = Path(place).resolve()
    folder.mkdir(parents=True, exist_ok=True)
    sdist = build_sdist(folder)
    pure = build_pure(sdist, folder)
    places, skipped = [sdist, pure], []
    for machine in machines or COMPILERS:
        compiler = find_compiler(machine)
        if compiler is None:
            wanted = COMPILERS[machine]
            skipped.append(f"no wheel for {machine}: {wanted} is not installed")
            continue
        built = compile_libraries(machine, compiler)
        places.append(add_libraries(pure, machine, built))
    for line in skipped:
        print(line, file=sys.stderr)
    print(*places, sep="\n")
    return 1 if skipped else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
