"""The choice of a purge method for a drive."""

from collections.abc import Sequence
from itertools import groupby
from pathlib import Path
from typing import NoReturn

from ssdlab.drive.purge.methods import PURGE_WORDS, methods_of
from ssdlab.drive.purge.nvme_format import FORMATS, read_lba_formats
from ssdlab.drive.purge.options import list_purge_options
from ssdlab.drive.tools import Ask, ask_tool
from ssdlab.model.drive import (
    AUTO_PURGE,
    PURGE_METHODS,
    Drive,
    FormatChoice,
    PurgeChoice,
    PurgeMethod,
    PurgeOption,
)
from ssdlab.model.errors import TargetRefusedError, UnknownNameError
from ssdlab.system.files import ROOT


def choose_purge(
    drive: Drive, wanted: str, *, ask: Ask = ask_tool, root: Path = ROOT
) -> PurgeChoice:
    """Return the purge method of a drive, as worded in the report, and why."""
    return choose_option(drive, wanted, list_purge_options(drive, ask=ask, root=root))


def choose_option(
    drive: Drive, wanted: str, options: Sequence[PurgeOption]
) -> PurgeChoice:
    """Return the choice among options of `list_purge_options`; see `choose_purge`."""
    names = (AUTO_PURGE, *PURGE_METHODS)
    if wanted not in names:
        raise UnknownNameError(kind="purge method", name=wanted, known=names)
    if wanted == AUTO_PURGE:
        return _choose_first(options)
    for option in options:
        if option.method == wanted and (option.is_possible or option.is_unknown):
            return PurgeChoice(
                method=option.method,
                words=PURGE_WORDS[option.method],
                why=f"requested by name; {option.reason}",
            )
    raise TargetRefusedError(
        target=drive.path,
        reason=f"it cannot be purged by {wanted}: {_why_not(drive, wanted, options)}",
        remedy=f"Its methods are: {', '.join(_possible(options))}.",
    )


def _choose_first(options: Sequence[PurgeOption]) -> PurgeChoice:
    at = next(at for at, option in enumerate(options) if option.is_possible)
    chosen = options[at]
    passed_over = "; ".join(
        f"{', '.join(PURGE_WORDS[option.method] for option in group)}: {reason}"
        for reason, group in groupby(options[:at], lambda option: option.reason)
    )
    why = f"the first method that this drive supports; {chosen.reason}"
    if passed_over:
        why += f". Skipped: {passed_over}"
    return PurgeChoice(method=chosen.method, words=PURGE_WORDS[chosen.method], why=why)


def _why_not(drive: Drive, wanted: str, options: Sequence[PurgeOption]) -> str:
    for option in options:
        if option.method == wanted:
            return option.reason
    known: Sequence[PurgeMethod] = methods_of(drive.bus)
    return f"it is not one of the methods of its bus, {drive.bus}: {', '.join(known)}"


def _possible(options: Sequence[PurgeOption]) -> list[str]:
    return [option.method for option in options if option.is_possible]


def choose_format(
    drive: Drive,
    wanted: str,
    sector_bytes: int,
    *,
    ask: Ask = ask_tool,
    root: Path = ROOT,
) -> FormatChoice:
    """Return the NVMe format that purges a drive and gives it sectors of a size."""
    if wanted not in (AUTO_PURGE, *FORMATS):
        _refuse(
            drive,
            f"its sectors cannot be changed by {wanted}",
            f"Leave the method out, or use one of: {', '.join(FORMATS)}.",
        )
    sizes = dict.fromkeys(one.sector_bytes for one in read_lba_formats(drive, ask))
    if not sizes:
        _refuse(
            drive,
            "it reports no LBA formats",
            "Only NVMe drives have them, and tell them to a privileged user.",
        )
    if sector_bytes not in sizes:
        _refuse(
            drive,
            f"it has no LBA format with sectors of {sector_bytes} B and no metadata",
            f"It has sectors of: {', '.join(f'{size} B' for size in sizes)}.",
        )
    method = FORMATS[0] if wanted == AUTO_PURGE else wanted
    choice = choose_purge(drive, method, ask=ask, root=root)
    old = drive.logical_sector_bytes
    return FormatChoice(
        method=choice.method,
        words=f"{choice.words}, to sectors of {sector_bytes} B instead of {old} B",
        why=choice.why,
        sector_bytes=sector_bytes,
    )


def _refuse(drive: Drive, reason: str, remedy: str) -> NoReturn:
    raise TargetRefusedError(target=drive.path, reason=reason, remedy=remedy)
