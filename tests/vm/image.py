"""The guest's kernel and its first file system, made once and kept.

The kernel is the distribution's, unpacked and never installed. An uncompressed kernel
starts some seconds sooner where every instruction is emulated.
"""

import fcntl
import hashlib
import lzma
import os
import platform
import shutil
import subprocess
import tempfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.paths import ROOT

CACHE_VARIABLE: Final = "SSDLAB_VM_CACHE"
META_PACKAGE: Final = "linux-image-amd64"
PROGRAMS: Final = {
    "qemu-system-x86_64": "qemu-system-x86",
    "busybox": "busybox-static",
    "cpio": "cpio",
    "modprobe": "kmod",
    "depmod": "kmod",
    "setpriv": "util-linux",
    "apt-get": "apt",
    "dpkg": "dpkg",
}
# What stands between the kernel and its root.
EARLY_MODULES: Final = ("virtio_pci", "9pnet_virtio", "9p", "overlay", "virtio_console")
# Loaded here for the drives that a guest has: from its root it takes seconds longer.
DRIVE_MODULES: Final = (
    "nvme",
    "sd_mod",
    "ahci",
    "virtio_scsi",
    "xhci_pci",
    "usb_storage",
    "virtio_blk",
)
DRIVES_VARIABLE: Final = "drives"  # on the kernel's command line
SBIN: Final = "/usr/local/sbin:/usr/sbin:/sbin"
SEARCH_PATH: Final = f"{os.environ.get('PATH', os.defpath)}:{SBIN}"

INIT: Final = f"""#!/bin/busybox sh
b=/bin/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
$b modprobe -a {" ".join(EARLY_MODULES)}
options=trans=virtio,version=9p2000.L,msize=512000
n=/newroot
$b mount -t 9p -o $options,ro,cache=loose root /lower || $b poweroff -f
$b mount -t tmpfs -o mode=755 upper /rw
$b mkdir /rw/upper /rw/work
$b mount -t overlay -o lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work over $n
$b mkdir -p $n/job $n/lib/modules $n/proc $n/sys $n/dev $n/tmp $n/run
$b mount -t 9p -o $options,ro,cache=loose modules $n/lib/modules
$b mount -t 9p -o $options job $n/job
$b mount -t tmpfs -o mode=755 run $n/run
$b mkdir $n/run/guest
$b mount -t 9p -o $options,ro start $n/run/guest
for d in proc sys dev; do $b mount -o move /$d $n/$d; done
$b mkdir -p $n/dev/shm $n/dev/pts
$b mount -t tmpfs shm $n/dev/shm
$b mount -t devpts pts $n/dev/pts
$b ln -sf /proc/self/fd $n/dev/fd
$b ip link set lo up
IFS=,
[ -z "$drives" ] || $b modprobe -a $drives
IFS=' '
exec $b switch_root $n /bin/sh /run/guest/start.sh
"""


class ImageError(Exception):
    """The guest cannot be made here; the text says in one line why."""


@dataclass(frozen=True, kw_only=True, slots=True)
class GuestImage:
    """What a guest starts from."""

    folder: Path

    @property
    def kernel(self) -> Path:
        return self.folder / "vmlinux"

    @property
    def initramfs(self) -> Path:
        return self.folder / "initramfs"

    @property
    def modules(self) -> Path:
        return self.folder / "root" / "lib" / "modules"


def cache_folder() -> Path:
    """Return where images are kept."""
    return Path(os.environ.get(CACHE_VARIABLE) or ROOT / "build" / "vm").resolve()


def missing_program() -> str | None:
    """Return why no guest can run here, in one line; ``None`` if it can."""
    if platform.machine() != "x86_64":
        return f"the guest is made for x86_64, this machine is {platform.machine()}"
    missing = [name for name in PROGRAMS if not find_program(name)]
    if not missing:
        return None
    packages = " ".join(sorted({PROGRAMS[name] for name in missing}))
    return f"{', '.join(missing)} missing (packages {packages}); run make setup-vm"


def find_program(name: str) -> str | None:
    """Return the path of a program, also where only root looks for it."""
    return shutil.which(name, path=SEARCH_PATH)


def prepare_image(cache: Path) -> GuestImage:
    """Return the image in this folder; make it first if it is not there.

    Raises
    ------
    ImageError
        If something it is made of cannot be had.
    """
    reason = missing_program()
    if reason:
        raise ImageError(reason)
    image = GuestImage(folder=cache / f"image-{_recipe()}")
    cache.mkdir(parents=True, exist_ok=True)
    with _locked(cache / "lock"):
        if not image.folder.is_dir():
            for old in cache.glob("image-*"):
                shutil.rmtree(old, ignore_errors=True)
            _make(image.folder)
    return image


def _recipe() -> str:
    return hashlib.sha256(f"{DRIVE_MODULES}{INIT}".encode()).hexdigest()[:12]


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _make(folder: Path) -> None:
    with tempfile.TemporaryDirectory(dir=folder.parent, prefix="new-") as name:
        new = Path(name) / "image"
        new.mkdir()
        package = _download(Path(name))
        root = new / "root"
        _call("dpkg", "-x", str(package), str(root))
        version = next((root / "lib" / "modules").iterdir()).name
        _call("depmod", "-b", str(root), version)
        compressed = (root / "boot" / f"vmlinuz-{version}").read_bytes()
        (new / "vmlinux").write_bytes(unpack_kernel(compressed))
        _write_initramfs(new, Path(name) / "early", version)
        new.rename(folder)


def _download(folder: Path) -> Path:
    """Get the kernel's package, at the second try if the first one fails.

    Raises
    ------
    ImageError
        If neither gets it.
    """
    for attempt in (1, 2):
        if attempt == 2:
            _try("apt-get", "-qq", "update")
        said = _try("apt-cache", "depends", META_PACKAGE).stdout
        names = [line.split()[-1] for line in said.splitlines() if "Depends:" in line]
        if names:
            _try("apt-get", "-qq", "download", names[0], cwd=folder)
        packages = sorted(folder.glob("*.deb"))
        if packages:
            return packages[0]
    reason = f"the kernel package ({META_PACKAGE}) cannot be got by apt-get download"
    raise ImageError(reason)


def unpack_kernel(image: bytes) -> bytes:
    """Return the kernel proper that a bzImage carries.

    Raises
    ------
    ImageError
        If none is found in it.
    """
    for magic, unpack in _UNPACKERS.items():
        start = image.find(magic)
        while start >= 0:
            unpacked = unpack(image[start:])
            if unpacked.startswith(b"\x7fELF"):
                return unpacked
            start = image.find(magic, start + 1)
    reason = "the kernel's image is compressed in no known way"
    raise ImageError(reason)


def _unpack_xz(data: bytes) -> bytes:
    try:
        return lzma.LZMADecompressor().decompress(data)
    except lzma.LZMAError:
        return b""


def _unpack_gzip(data: bytes) -> bytes:
    try:
        return zlib.decompressobj(31).decompress(data)
    except zlib.error:
        return b""


def _unpack_zstd(data: bytes) -> bytes:
    program = find_program("zstd")
    if program is None:
        return b""
    command = [program, "--decompress", "--stdout"]  # it fails at what follows the end
    return subprocess.run(command, input=data, capture_output=True, check=False).stdout


_UNPACKERS: Final[dict[bytes, Callable[[bytes], bytes]]] = {
    b"\xfd7zXZ\0": _unpack_xz,
    b"\x28\xb5\x2f\xfd": _unpack_zstd,
    b"\x1f\x8b\x08": _unpack_gzip,
}


def _write_initramfs(new: Path, early: Path, version: str) -> None:
    folders = ("bin", "dev", "lower", "newroot", "proc", "rw", "sys")
    for name in folders:
        (early / name).mkdir(parents=True)
    busybox = find_program("busybox")
    shutil.copy(str(busybox), early / "bin" / "busybox")
    (early / "init").write_text(INIT)
    (early / "init").chmod(0o755)
    modules = early / "lib" / "modules" / version
    modules.mkdir(parents=True)
    for file in _with_dependencies(new / "root", version):
        shutil.copy(file, modules)
    _call("depmod", "-b", str(early), version)
    names = sorted(str(path.relative_to(early)) for path in early.rglob("*"))
    archive = subprocess.run(
        ["cpio", "--create", "--format=newc", "--quiet"],
        input="\n".join(names).encode(),
        cwd=early,
        capture_output=True,
        check=True,
    )
    (new / "initramfs").write_bytes(archive.stdout)


def _with_dependencies(root: Path, version: str) -> list[Path]:
    files: dict[Path, None] = {}
    for module in (*EARLY_MODULES, *DRIVE_MODULES):
        options = ("-d", str(root), "-S", version, "--show-depends", module)
        for line in _call("modprobe", *options).splitlines():
            if line.startswith("insmod "):
                files[Path(line.split()[1])] = None
    return list(files)


def _try(
    program: str, *arguments: str, cwd: Path | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [find_program(program) or program, *arguments],
        cwd=cwd,
        capture_output=True,
        text=True,
        check=False,
    )


def _call(program: str, *arguments: str) -> str:
    done = _try(program, *arguments)
    if done.returncode:
        reason = f"{program} {' '.join(arguments)} failed: {done.stderr.strip()}"
        raise ImageError(reason)
    return done.stdout
