"""Purge methods of an NVMe drive, by identify controller and its namespaces."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ssdlab.drive.grants import find_missing_right
from ssdlab.drive.purge.methods import methods_of
from ssdlab.drive.purge.work import ask_quietly, words_of
from ssdlab.drive.sysfs import block_folder
from ssdlab.drive.tools import Answer, Ask
from ssdlab.model.drive import Drive, PurgeMethod, PurgeOption
from ssdlab.system.files import ROOT, list_names, read_number

_JSON = "--output-format=json"
_NONE_TOLD_S = 0xFFFFFFFF  # of an estimate: the drive gives none
_SANICAP_BITS: Mapping[PurgeMethod, int] = {
    "nvme-sanitize-crypto": 0,
    "nvme-sanitize-block": 1,
    "nvme-sanitize-overwrite": 2,
}
_ESTIMATES: Mapping[PurgeMethod, str] = {
    "nvme-sanitize-crypto": "time_crypto_erase",
    "nvme-sanitize-block": "time_block_erase",
    "nvme-sanitize-overwrite": "time_over_write",
}


@dataclass(frozen=True, kw_only=True, slots=True)
class NvmeTalents:
    """The fields of identify controller that matter for a purge."""

    oacs: int
    fna: int
    sanicap: int

    @property
    def formats(self) -> bool:
        """Whether it has the format command: OACS bit 1."""
        return bool(self.oacs & 0b10)

    @property
    def crypto_erases(self) -> bool:
        """Whether a format can erase cryptographically: FNA bit 2."""
        return bool(self.fna & 0b100)

    @property
    def formats_all(self) -> bool:
        """Whether a format or its erasure affects all namespaces: FNA bits 0 and 1."""
        return bool(self.fna & 0b11)

    def sanitizes(self, method: PurgeMethod) -> bool:
        """Whether it has this kind of sanitize: SANICAP bits 0 to 2."""
        return bool(self.sanicap >> _SANICAP_BITS[method] & 1)


@dataclass(frozen=True, kw_only=True, slots=True)
class Siblings:
    """The other namespaces of a drive; some are unknown if nothing lists them.

    Those without a device here may be in use elsewhere: they cannot be checked.
    """

    devices: tuple[str, ...] = ()
    unseen: tuple[int, ...] = ()
    is_complete: bool = True

    @property
    def obstacle(self) -> str:
        """Why a method that erases all namespaces is forbidden, or an empty text."""
        if self.unseen:
            numbers = ", ".join(map(str, self.unseen))
            return (
                f"it would also erase namespace {numbers}, which has no device here "
                "and may be in use elsewhere; delete it, or attach it to this host"
            )
        if not self.is_complete:
            return "it would erase all namespaces, and the drive does not list them"
        return ""


def parse_json(text: str) -> Mapping[str, Any]:
    """Parse the JSON of nvme; empty if it is not JSON."""
    try:
        data = json.loads(text)
    except ValueError:
        return {}
    return data if isinstance(data, dict) else {}


def read_whole(data: Mapping[str, Any], key: str) -> int | None:
    """Return a whole number from the output of nvme, ``None`` if there is none."""
    value = data.get(key)
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def parse_talents(text: str) -> NvmeTalents | None:
    """Parse the relevant fields of ``nvme id-ctrl``, ``None`` if they are missing."""
    data = parse_json(text)
    oacs, fna, sanicap = (read_whole(data, key) for key in ("oacs", "fna", "sanicap"))
    if oacs is None or fna is None or sanicap is None:
        return None
    return NvmeTalents(oacs=oacs, fna=fna, sanicap=sanicap)


def list_nvme_options(
    drive: Drive, ask: Ask, root: Path = ROOT
) -> tuple[PurgeOption, ...]:
    """Return the NVMe purge methods, and whether the drive supports each."""
    methods = tuple(m for m in methods_of("nvme") if m.startswith("nvme-"))
    answer = ask_quietly(ask, "nvme", "id-ctrl", drive.path, _JSON)
    if isinstance(answer, str):
        return _impossible(methods, answer)
    talents = parse_talents(answer.stdout)
    missing = find_missing_right("CAP_SYS_ADMIN", ("nvme",), ask=ask, root=root)
    if talents is None:
        return _impossible(methods, missing or _silence(answer))
    siblings = _find_siblings(drive, ask, root)
    options = (
        *_format_options(talents, siblings),
        *_sanitize_options(talents, siblings, _read_estimates(drive, talents, ask)),
    )
    if not missing:
        return options
    return tuple(
        PurgeOption(method=option.method, is_possible=False, reason=missing)
        if option.is_possible
        else option
        for option in options
    )


def _silence(answer: Answer) -> str:
    return f"the drive did not report its features (nvme id-ctrl: {words_of(answer)})"


def _impossible(
    methods: tuple[PurgeMethod, ...], reason: str
) -> tuple[PurgeOption, ...]:
    return tuple(
        PurgeOption(method=method, is_possible=False, reason=reason)
        for method in methods
    )


def _format_options(talents: NvmeTalents, siblings: Siblings) -> Iterator[PurgeOption]:
    can: tuple[tuple[PurgeMethod, bool, str, str], ...] = (
        (
            "nvme-format-user-data",
            talents.formats,
            f"OACS {talents.oacs:#x} has bit 1",
            f"it has no format command: OACS {talents.oacs:#x} lacks bit 1",
        ),
        (
            "nvme-format-crypto",
            talents.formats and talents.crypto_erases,
            f"FNA {talents.fna:#x} has bit 2",
            f"its format has no crypto erase: FNA {talents.fna:#x} lacks bit 2"
            if talents.formats
            else f"it has no format command: OACS {talents.oacs:#x} lacks bit 1",
        ),
    )
    erased = siblings if talents.formats_all else Siblings()
    for method, is_possible, why, why_not in can:
        if is_possible:
            yield _possible(method, why, erased)
        else:
            reason = f"the drive reports that {why_not}"
            yield PurgeOption(method=method, is_possible=False, reason=reason)


def _sanitize_options(
    talents: NvmeTalents, siblings: Siblings, estimates: Mapping[str, Any]
) -> Iterator[PurgeOption]:
    for method, bit in _SANICAP_BITS.items():
        if not talents.sanitizes(method):
            reason = (
                "the drive reports that it cannot: SANICAP "
                f"{talents.sanicap:#x} lacks bit {bit}"
            )
            yield PurgeOption(method=method, is_possible=False, reason=reason)
            continue
        why = f"SANICAP {talents.sanicap:#x} has bit {bit}"
        expected_s = read_estimate_s(estimates, method)
        yield _possible(method, why, siblings, expected_s=expected_s)


def _possible(
    method: PurgeMethod,
    why: str,
    erased: Siblings,
    *,
    expected_s: float | None = None,
) -> PurgeOption:
    """Return an option of the drive; impossible if it erases what cannot be checked."""
    reason = f"the drive reports support: {why}"
    if erased.obstacle:
        return PurgeOption(
            method=method, is_possible=False, reason=f"{reason}, but {erased.obstacle}"
        )
    return PurgeOption(
        method=method,
        is_possible=True,
        reason=f"{reason}{_with(erased.devices)}",
        expected_s=expected_s,
        erases=erased.devices,
    )


def _with(erases: tuple[str, ...]) -> str:
    return f"; it also erases {', '.join(erases)}" if erases else ""


def _read_estimates(drive: Drive, talents: NvmeTalents, ask: Ask) -> Mapping[str, Any]:
    # A drive without sanitize would count the query as an error.
    if not any(map(talents.sanitizes, _SANICAP_BITS)):
        return {}
    return read_sanitize_log(drive, ask)[1]


def read_sanitize_log(drive: Drive, ask: Ask) -> tuple[Answer | str, Mapping[str, Any]]:
    """Return the answer of nvme about the last sanitize, and its fields."""
    answer = ask_quietly(ask, "nvme", "sanitize-log", drive.path, _JSON)
    if isinstance(answer, str) or answer.exit_code:
        return answer, {}
    inner: object = next(iter(parse_json(answer.stdout).values()), {})
    return answer, inner if isinstance(inner, dict) else {}


def read_estimate_s(data: Mapping[str, Any], method: PurgeMethod) -> float | None:
    """Return the log's estimate for a kind of sanitize [s], if it has one."""
    raw = read_whole(data, _ESTIMATES[method])
    return None if raw is None or raw == _NONE_TOLD_S else float(raw)


def _find_siblings(drive: Drive, ask: Ask, root: Path) -> Siblings:
    """Return the other namespaces, also those that have no device here."""
    own = drive.namespace_id or read_number(block_folder(drive.name, root) / "nsid")
    names = dict(_named_namespaces(drive, root))
    listed = _list_namespace_ids(drive, ask)
    others = sorted((set(names) | (listed or set())) - {own})
    return Siblings(
        devices=tuple(f"/dev/{names[number]}" for number in others if number in names),
        unseen=tuple(number for number in others if number not in names),
        is_complete=listed is not None,
    )


def _list_namespace_ids(drive: Drive, ask: Ask) -> set[int] | None:
    """Return the numbers of all namespaces, ``None`` if unknown."""
    for choice in (("--all",), ()):
        answer = ask_quietly(ask, "nvme", "list-ns", drive.path, *choice, _JSON)
        if isinstance(answer, str) or answer.exit_code:
            continue
        rows = parse_json(answer.stdout).get("nsid_list")
        if isinstance(rows, list):
            numbers = {read_whole(row, "nsid") for row in rows if isinstance(row, dict)}
            return {number for number in numbers if number}
    return None


def _named_namespaces(drive: Drive, root: Path) -> Iterator[tuple[int, str]]:
    family = re.match(r"nvme\d+", drive.name)
    if not family:
        return
    for name in list_names(root / "sys/class/block"):
        if re.fullmatch(rf"{family.group()}n\d+", name):
            number = read_number(block_folder(name, root) / "nsid")
            if number is not None:
                yield number, name
