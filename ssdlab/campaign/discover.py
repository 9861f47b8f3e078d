"""Writing ``lab.toml`` from what the hosts say of their drives."""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ssdlab.campaign.lab import Lab, LabDrive, LabHost
from ssdlab.model.plain import to_plain

_UNSAFE = re.compile(r"[^A-Za-z0-9_.+-]+")


def make_host(
    drives: Iterable[Mapping[str, Any]], *, scratch: str, cores: int, address: str = ""
) -> LabHost:
    """Return a host from what ``ssdlab devices --json`` prints there.

    A drive that cannot be tested now is in maintenance, with the reason as its note: it
    is in use, or carries the system.
    """
    found: dict[str, LabDrive] = {}
    for drive in drives:
        serial = _UNSAFE.sub("_", str(drive.get("serial") or "")).strip("_.+-")
        target = drive.get("target") or drive.get("path")
        if serial and target and serial not in found:
            found[serial] = _drive(drive, str(target))
    return LabHost(scratch=scratch, cores=cores, address=address, drives=found)


def _drive(drive: Mapping[str, Any], target: str) -> LabDrive:
    is_free = bool(drive.get("can_be_tested"))
    uses = drive.get("uses") or []
    reason = str(uses[0].get("reason", "")) if uses else ""
    return LabDrive(
        target=_one_line(target),
        state="good" if is_free else "maintenance",
        confirm=_one_line(str(drive.get("confirm") or "")),
        model=_one_line(str(drive.get("model") or "")),
        firmware=_one_line(str(drive.get("firmware") or "")),
        capacity_bytes=int(drive.get("capacity_bytes") or 0),
        note="" if is_free else _one_line(reason),
    )


def _one_line(text: str) -> str:
    return "".join(sign for sign in text if sign.isprintable()).strip()


def lab_text(lab: Lab) -> str:
    """Return a lab as the text of ``lab.toml``.

    >>> print(lab_text(Lab(hosts={"h": LabHost(scratch="/srv", slots=2)})))
    engine = "local"
    <BLANKLINE>
    [hosts.h]
    scratch = "/srv"
    slots = 2
    cores = 1
    ssdlab = "ssdlab"
    <BLANKLINE>
    """
    return "\n".join((*_lines(lab), ""))


def _lines(lab: Lab) -> Iterator[str]:
    yield f"engine = {json.dumps(lab.engine)}"
    for name, host in lab.hosts.items():
        plain = to_plain(host)
        drives = plain.pop("drives")
        yield ""
        yield f"[hosts.{_key(name)}]"
        yield from _pairs(plain)
        for serial, drive in drives.items():
            yield ""
            yield f"[hosts.{_key(name)}.drives.{_key(serial)}]"
            yield from _pairs(drive)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name) else json.dumps(name)


def _pairs(plain: Mapping[str, Any]) -> Iterator[str]:
    """Yield the values that say something."""
    for name, value in plain.items():
        if value not in {"", 0}:
            yield f"{name} = {json.dumps(value, ensure_ascii=False)}"
