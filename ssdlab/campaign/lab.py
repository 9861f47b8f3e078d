"""A lab: its hosts and the drives in them, as ``lab.toml`` lists them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ssdlab.model.drive import AUTO_PURGE
from ssdlab.system.toml_files import read_toml

EngineName = Literal["local", "slurm", "ssh"]
DriveState = Literal["good", "bad", "maintenance", "retired"]
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.+-]{0,119}")
_MOST_CORES = 100_000


def require_name(name: str, what: str) -> None:
    """Require a name that is safe as that of a file, a job and a licence.

    >>> require_name("nvme-A1", "the serial number")
    >>> require_name("../x", "the campaign")
    Traceback (most recent call last):
        ...
    ValueError: the campaign '../x' must have letters, digits, '_', '.', '+', '-' alone
    """
    if not _NAME.fullmatch(name):
        msg = f"{what} {name!r} must have letters, digits, '_', '.', '+', '-' alone"
        raise ValueError(msg)


def require_one_line(**texts: str) -> None:
    """Require texts that are one printable line each."""
    for name, text in texts.items():
        if not text.isprintable():
            msg = f"{name} {text!r} must be one line of printable text"
            raise ValueError(msg)


@dataclass(frozen=True, kw_only=True, slots=True)
class LabDrive:
    """A drive of a host; its key in the file is its serial number.

    Only drives in the state ``good`` are measured. ``confirm`` is the consent to erase
    it: its serial number, typed. A virtual SSD or a file needs none. Its capacity and
    its rated endurance [B] are for the plan alone; 0 means unknown.
    """

    target: str
    state: DriveState = "good"
    confirm: str = ""
    purge: str = AUTO_PURGE
    model: str = ""
    firmware: str = ""
    capacity_bytes: int = 0
    endurance_bytes: int = 0
    note: str = ""

    def __post_init__(self) -> None:
        """Refuse what no command line could take."""
        require_one_line(
            target=self.target,
            confirm=self.confirm,
            purge=self.purge,
            model=self.model,
            firmware=self.firmware,
        )
        if not self.target or self.target.startswith("-"):
            msg = f"target {self.target!r} is not a target"
            raise ValueError(msg)


@dataclass(frozen=True, kw_only=True, slots=True)
class LabHost:
    """A host: where its runs are kept while they go on, and how many go on at once.

    ``scratch`` is on a local disk of the host. A ``slots`` of 1 measures one drive at a
    time. ``cores`` are the processors that Slurm counts, ``address`` is for ssh, and
    ``ssdlab`` is the program on that host.
    """

    scratch: str
    slots: int = 1
    cores: int = 1
    address: str = ""
    ssdlab: str = "ssdlab"
    drives: dict[str, LabDrive] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse numbers out of range and paths that depend on where one is."""
        require_one_line(scratch=self.scratch, address=self.address, ssdlab=self.ssdlab)
        if not Path(self.scratch).is_absolute():
            msg = f"scratch {self.scratch!r} is not an absolute path"
            raise ValueError(msg)
        for name, count in (("slots", self.slots), ("cores", self.cores)):
            if not 1 <= count <= _MOST_CORES:
                msg = f"{name} is {count} but must be from 1 to {_MOST_CORES}"
                raise ValueError(msg)
        if self.address.startswith("-") or self.ssdlab.startswith("-"):
            msg = "address and ssdlab must not begin with '-'"
            raise ValueError(msg)
        for serial in self.drives:
            require_name(serial, "the serial number")


@dataclass(frozen=True, kw_only=True, slots=True)
class Lab:
    """All hosts by name, and the engine that starts jobs on them.

    ``ssh`` is the command of the engine ssh, such as ``["ssh", "-F", "FILE"]``. With
    ``shared_folder = false`` its hosts do not share the folder of a campaign: each has
    a copy of it in its scratch folder.
    """

    hosts: dict[str, LabHost]
    engine: EngineName = "local"
    ssh: tuple[str, ...] = ("ssh",)
    shared_folder: bool = True

    def __post_init__(self) -> None:
        """Refuse a drive that is in two hosts, and what an engine cannot do."""
        if not self.shared_folder and self.engine != "ssh":
            msg = f"engine {self.engine!r} needs a folder that all hosts share"
            raise ValueError(msg)
        places: dict[str, str] = {}
        for name, host in self.hosts.items():
            require_name(name, "the host")
            for serial in host.drives:
                if serial in places:
                    msg = f"drive {serial} is in {places[serial]} and in {name}"
                    raise ValueError(msg)
                places[serial] = name

    @property
    def drives(self) -> Iterator[tuple[str, str, LabDrive]]:
        """Host, serial number and drive, in the order of the file."""
        for name, host in self.hosts.items():
            for serial, drive in host.drives.items():
                yield name, serial, drive


def read_lab(path: Path) -> Lab:
    """Read ``lab.toml``."""
    return read_toml(path, Lab)
