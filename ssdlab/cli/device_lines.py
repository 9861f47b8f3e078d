"""What `ssdlab devices` prints about one drive."""

import shlex
from collections.abc import Iterator

from ssdlab.cli.group import terminal_width
from ssdlab.drive.survey import DriveSurvey
from ssdlab.model.drive import Bus, Drive, PcieLink, Use
from ssdlab.model.units import KIB, block_size_label, capacity_label
from ssdlab.text.terminal import printable, wrapped

_LONGEST = 60
_INDENT = "  "
_BUSES: dict[Bus, str] = {
    "nvme": "NVMe",
    "ata": "ATA",
    "scsi": "SCSI",
    "usb": "USB",
    "virtio": "virtio",
    "loop": "loop",
    "other": "another bus",
}
_WITH_HEALTH = ("nvme", "ata", "scsi", "usb")


def device_lines(survey: DriveSurvey) -> tuple[str, ...]:
    """Return the lines, at most 100 columns wide unless a name is longer."""
    drive = survey.drive
    if drive is None:
        return (survey.path, *_indented(f"cannot be tested: {survey.trouble}"))
    model = _short(drive.model) or "no model name"
    stable = [f"  {printable(path)}" for path in drive.stable_paths[:1]]
    return (
        *_wrapped(f"{drive.path}  {model}, {_capacity(drive)}", rest=_INDENT),
        *_indented(", ".join(_identity(survey, drive))),
        *_indented(", ".join(_state(survey, drive))),
        *stable,
        *_verdict(survey),
    )


def link_words(link: PcieLink) -> str:
    """Return a link in words: its state, and its maximum where that is more."""
    now, most = _lanes(link.speed_gt_s, link.width), None
    if (link.speed_gt_s_max, link.width_max) != (link.speed_gt_s, link.width):
        most = _lanes(link.speed_gt_s_max, link.width_max)
    return f"PCIe {now} (max {most})" if most else f"PCIe {now}"


def _lanes(speed_gt_s: float | None, width: int | None) -> str:
    speed = "unknown speed" if speed_gt_s is None else f"{speed_gt_s:g} GT/s"
    return f"{speed} x{'?' if width is None else width}"


def _capacity(drive: Drive) -> str:
    if not drive.capacity_bytes:
        return "capacity unknown"
    logical, physical = drive.logical_sector_bytes, drive.physical_sector_bytes
    capacity = capacity_label(drive.capacity_bytes)
    if physical == logical:
        return f"{capacity}, {_size(logical)} sectors"
    return f"{capacity}, {_size(logical)} logical / {_size(physical)} physical sectors"


def _size(sector_bytes: int) -> str:
    """Return a size of sectors: 512 B, 4 KiB."""
    return f"{sector_bytes} B" if sector_bytes < KIB else block_size_label(sector_bytes)


def _identity(survey: DriveSurvey, drive: Drive) -> Iterator[str]:
    yield _BUSES[drive.bus]
    if drive.bus == "loop":
        yield f"on the file {_short(drive.serial)}"
    else:
        yield (
            f"serial number {_short(drive.serial)}"
            if drive.serial
            else ("no serial number")
        )
        yield (
            f"firmware {_short(drive.firmware)}"
            if drive.firmware
            else ("firmware unknown")
        )
    if survey.twins:
        yield f"same serial number as {' and '.join(survey.twins)}"
    if drive.controller:
        yield f"namespace {drive.namespace_id} of {drive.controller}"


def _state(survey: DriveSurvey, drive: Drive) -> Iterator[str]:
    if drive.pcie:
        words = link_words(drive.pcie)
        yield words if drive.bus == "nvme" else f"adapter on {words}"
    if drive.numa_node is not None:
        yield f"NUMA node {drive.numa_node}"
    if survey.queues:
        count, depth = survey.queues.count, survey.queues.depth
        each = f"{count} queues of {depth:,} IOs" if count > 1 else ""
        yield each or f"queue depth up to {depth:,}"
    if drive.is_rotational and drive.bus in {"ata", "scsi"}:
        yield "rotational"
    if drive.bus in _WITH_HEALTH:
        yield {
            "enabled": "write cache on",
            "disabled": "write cache off",
        }.get(survey.write_cache or "", "write cache unknown")
        yield from _health(survey)


def _health(survey: DriveSurvey) -> Iterator[str]:
    celsius, wear = survey.health.temperature_celsius, survey.health.wear_percent
    yield "temperature unknown" if celsius is None else f"{celsius:.0f} °C"
    yield "wear unknown" if wear is None else f"{wear:g} % worn"
    yield from survey.health.warnings
    if survey.health.is_failing:
        yield "the drive reports that it is failing"
    if survey.health_trouble:
        yield survey.health_trouble


def _verdict(survey: DriveSurvey) -> Iterator[str]:
    match survey.can_be_tested:
        case True:
            yield "  can be tested, which erases all data on it:"
            yield f"    {_how(survey)}"
            yield from _unseen(survey)
        case False:
            yield "  cannot be tested:"
        case None:
            yield "  unknown whether it can be tested:"
    for use in survey.uses:
        yield from _reason(use)


def _unseen(survey: DriveSurvey) -> list[str]:
    if not survey.unseen:
        return []
    return _indented(
        f"not checked: {survey.unseen} processes whose open files this user may not "
        "see; one of them may write to it"
    )


def _how(survey: DriveSurvey) -> str:
    """Return the arguments that name the drive and give consent."""
    text = shlex.quote(survey.consent.text) if survey.consent else "SERIAL"
    sign = "=" if text.startswith("-") else " "
    return f"{shlex.quote(printable(survey.named))} --confirm{sign}{text}"


def _reason(use: Use) -> list[str]:
    text = f"- {use.reason}. {use.remedy}" if use.remedy else f"- {use.reason}"
    return _wrapped(text, first=_INDENT, rest=2 * _INDENT)


def _wrapped(text: str, *, first: str = "", rest: str) -> list[str]:
    return wrapped(text, width=terminal_width(), first=first, rest=rest)


def _indented(text: str) -> list[str]:
    return _wrapped(text, first=_INDENT, rest=_INDENT)


def _short(text: str) -> str:
    whole = printable(text)
    return whole if len(whole) <= _LONGEST else f"{whole[:_LONGEST]}…"
