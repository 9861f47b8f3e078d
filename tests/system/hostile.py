"""What a stranger may put where a file or a folder of a run belongs."""

import os
import socket
from collections.abc import Callable, Mapping
from pathlib import Path

Plant = Callable[[Path, Path], None]
SECRET = b"precious\n"
HUGE_BYTES = 10_000_000_000


def _link(place: Path, victim: Path) -> None:
    place.symlink_to(victim)


def _endless(place: Path, _victim: Path) -> None:
    place.symlink_to("/dev/zero")


def _pipe(place: Path, _victim: Path) -> None:
    os.mkfifo(place)


def _socket(place: Path, _victim: Path) -> None:
    before = Path.cwd()
    os.chdir(place.parent)  # a socket's path must be short
    try:
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(place.name)
    finally:
        os.chdir(before)


def _folder(place: Path, _victim: Path) -> None:
    place.mkdir()


def _huge(place: Path, _victim: Path) -> None:
    with place.open("wb") as file:
        file.truncate(HUGE_BYTES)


def _nowhere(place: Path, _victim: Path) -> None:
    place.symlink_to("nowhere-at-all")


def _itself(place: Path, _victim: Path) -> None:
    place.symlink_to(place.name)


NO_FILES: Mapping[str, Plant] = {
    "a link to a file": _link,
    "a link to an endless device": _endless,
    "a link to nothing": _nowhere,
    "a link to itself": _itself,
    "a pipe": _pipe,
    "a socket": _socket,
    "a folder": _folder,
}
HUGE: Mapping[str, Plant] = {"10 GB": _huge}
