"""What QEMU is told of a guest, and what the guest does first."""

import json
import os
import shlex
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tests.paths import ROOT
from tests.vm.agent import PORT_NAME
from tests.vm.devices import Device, Properties
from tests.vm.image import DRIVES_VARIABLE, SEARCH_PATH, GuestImage, find_program

AGENT_NAME: Final = "agent"
MONITOR_NAME: Final = "monitor"
CONSOLE_NAME: Final = "console.log"
KERNEL_ARGUMENTS: Final = (
    "console=ttyS0 quiet panic=-1 mitigations=off nokaslr tsc=reliable no_timer_check"
    " cryptomgr.notests random.trust_cpu=on raid=noautodetect"
)
START: Final = """\
export PATH={path} HOME={home} PYTHONPATH={root} LC_ALL=C.UTF-8
export PYTHONDONTWRITEBYTECODE=1 OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add --subsystem-match=block
cd /job
{python} -E -S -c 'import sys
sys.path.append(sys.argv[1])
from tests.vm.agent import main
main()' {root} >/dev/console 2>&1
busybox poweroff -f
"""


@dataclass(frozen=True, kw_only=True, slots=True)
class MachinePlan:
    """What a guest is made of; ``folder`` is its own, ``shared`` becomes ``/job``."""

    folder: Path
    shared: Path
    devices: tuple[Device, ...]
    memory_mib: int
    kernel_args: str
    machine_args: tuple[str, ...] = ()


def qemu_command(image: GuestImage, plan: MachinePlan) -> list[str]:
    """Return the command that starts the guest, after writing its start script.

    QEMU ends when the thread that started it does, whatever ends that.
    """
    folder, start = plan.folder, plan.folder / "start"
    start.mkdir()
    (start / "start.sh").write_text(_start_script())
    agent = f"socket,id=agent,path={folder / AGENT_NAME},server=on,wait=off"
    kernel = f"{KERNEL_ARGUMENTS} {_drives(plan.devices)} {plan.kernel_args}"
    return [
        *(str(find_program("setpriv")), "--pdeathsig", "KILL"),
        str(find_program("qemu-system-x86_64")),
        *("-M", "q35", "-accel", "tcg,thread=multi", "-cpu", "Nehalem"),
        *("-smp", "2", "-m", str(plan.memory_mib)),
        *("-nodefaults", "-no-user-config", "-display", "none", "-no-reboot"),
        *("-kernel", str(image.kernel), "-initrd", str(image.initramfs)),
        *("-append", kernel, "-serial", f"file:{folder / CONSOLE_NAME}"),
        *("-device", "virtio-serial-pci", "-chardev", agent),
        *("-device", f"virtserialport,chardev=agent,name={PORT_NAME}"),
        *("-qmp", f"unix:{folder / MONITOR_NAME},server=on,wait=off"),
        *_shared_folder("root", Path("/"), ",readonly=on,multidevs=remap"),
        *_shared_folder("modules", image.modules, ",readonly=on"),
        *_shared_folder("start", start, ",readonly=on"),
        *_shared_folder("job", plan.shared),
        *plan.machine_args,
        *device_arguments(plan.devices),
    ]


def device_arguments(devices: Sequence[Device]) -> list[str]:
    """Return QEMU's arguments for these drives, each shared part once."""
    objects: dict[str, Properties] = {}
    nodes: dict[str, Properties] = {}
    buses: dict[str, Properties] = {}
    for device in devices:
        for backend in device.backends:
            objects |= {str(item["id"]): item for item in backend.objects}
            nodes |= {str(item["node-name"]): item for item in backend.nodes}
        buses |= {str(item["id"]): item for item in device.needs}
    parts = [part for device in devices for part in device.parts]
    return [
        *_options("-object", objects.values()),
        *_options("-blockdev", nodes.values()),
        *_options("-device", _numbered(buses.values())),
        *_options("-device", _placed(parts)),
    ]


def _options(name: str, items: Iterable[Properties]) -> list[str]:
    return [word for item in items for word in (name, json.dumps(dict(item)))]


def _numbered(buses: Iterable[Properties]) -> list[Properties]:
    return [
        {**bus, "chassis": number} if bus["driver"] == "pcie-root-port" else bus
        for number, bus in enumerate(buses, start=1)
    ]


def _placed(parts: Iterable[Properties]) -> list[Properties]:
    placed: list[Properties] = []
    free_port = 0
    for part in parts:
        if part["bus"] != "ide.?":
            placed.append(part)
            continue
        placed.append({**part, "bus": f"ide.{free_port}"})
        free_port += 1
    return placed


def _shared_folder(tag: str, path: Path, options: str = "") -> tuple[str, str]:
    escaped = str(path).replace(",", ",,")
    shared = f"local,path={escaped},mount_tag={tag},security_model=none{options}"
    return ("-virtfs", shared)


def _drives(devices: Sequence[Device]) -> str:
    modules = dict.fromkeys(name for device in devices for name in device.modules)
    return f"{DRIVES_VARIABLE}={','.join(modules)}"


def _start_script() -> str:
    values = {
        "path": f"{Path(sys.executable).parent}:{SEARCH_PATH}",
        "home": os.environ.get("HOME", "/root"),
        "root": str(ROOT),
        "python": sys.executable,
    }
    quoted = {name: shlex.quote(value) for name, value in values.items()}
    return START.format(**quoted)
