"""SCSI sanitize and format unit: queried, started, followed by request sense."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from ssdlab.drive.grants import find_missing_right
from ssdlab.drive.purge.work import (
    ASK_S,
    Done,
    Progress,
    Work,
    ask_quietly,
    failed,
    line_of,
    longest_s,
    pauses_s,
    words_of,
)
from ssdlab.drive.sysfs import block_folder
from ssdlab.drive.tools import Answer, Ask
from ssdlab.model.drive import Drive, PurgeMethod, PurgeOption
from ssdlab.model.units import duration_label
from ssdlab.system.files import ROOT, list_names, read_text


@dataclass(frozen=True, kw_only=True, slots=True)
class _Command:
    """A command: its operation code, and how it is started."""

    opcode: str
    start: tuple[str, ...]


_COMMANDS: Final[Mapping[PurgeMethod, _Command]] = {
    "scsi-sanitize-block": _Command(
        opcode="0x48,0x2",
        start=("sg_sanitize", "--block", "--ause", "--quick", "--early"),
    ),
    "scsi-sanitize-crypto": _Command(
        opcode="0x48,0x3",
        start=("sg_sanitize", "--crypto", "--ause", "--quick", "--early"),
    ),
    "scsi-sanitize-overwrite": _Command(
        opcode="0x48,0x1",
        start=(
            *("sg_sanitize", "--overwrite", "--zero", "--count=1"),
            *("--ause", "--quick", "--early"),
        ),
    ),
    "scsi-format-unit": _Command(
        opcode="0x4",
        start=("sg_format", "--format", "--quick", "--early"),
    ),
}
_TOOLS: Final = ("sg_opcodes", "sg_sanitize", "sg_format", "sg_requests")
_LOOKS: Final = 20  # request sense may fail, or report attentions, for a while
_ATTENTION: Final = 6
_UNKNOWN: Final = (
    "the drive does not report its commands, so this one is tried only if requested "
    "by name"
)


def list_scsi_options(
    drive: Drive, ask: Ask, root: Path = ROOT
) -> tuple[PurgeOption, ...]:
    """Return the SCSI purge methods, and whether the drive supports each."""
    missing = find_missing_right("CAP_SYS_RAWIO", _TOOLS, ask=ask, root=root)
    return tuple(
        PurgeOption(method=option.method, is_possible=False, reason=missing)
        if (option.is_possible or option.is_unknown) and missing
        else option
        for option in _ask_for_options(drive, ask, root)
    )


def _ask_for_options(drive: Drive, ask: Ask, root: Path) -> Iterator[PurgeOption]:
    protection = _read_protection(drive, root)
    for method in _COMMANDS:
        if method == "scsi-format-unit" and protection not in {"", "0"}:
            reason = (
                f"it is formatted with protection information of type {protection}, "
                "which the format would remove"
            )
            yield PurgeOption(method=method, is_possible=False, reason=reason)
        else:
            yield _ask_for(method, drive.path, ask)


def _ask_for(method: PurgeMethod, path: str, ask: Ask) -> PurgeOption:
    words = ("sg_opcodes", f"--opcode={_COMMANDS[method].opcode}", "--rctd", path)
    answer = ask_quietly(ask, *words)
    if isinstance(answer, str):
        return PurgeOption(method=method, is_possible=False, reason=answer)
    state = re.search(r"Command is (.*)", answer.stdout)
    if answer.exit_code or state is None:
        reason = f"{_UNKNOWN} (sg_opcodes: {words_of(answer)})"
        return PurgeOption(
            method=method, is_possible=False, reason=reason, is_unknown=True
        )
    is_possible = state.group(1).startswith("supported")
    reason = f"the drive reports of this command: {state.group(1).strip()}"
    return PurgeOption(
        method=method,
        is_possible=is_possible,
        reason=reason,
        expected_s=_parse_expected_s(answer.stdout) if is_possible else None,
    )


def _parse_expected_s(text: str) -> float | None:
    match = re.search(r"recommended timeout: (\d+) secs", text)
    return float(match.group(1)) if match else None


def _read_protection(drive: Drive, root: Path) -> str:
    disks = block_folder(drive.name, root) / "device/scsi_disk"
    types = (read_text(disks / name / "protection_type") for name in list_names(disks))
    return next((kind for kind in types if kind), "")


def await_running(work: Work) -> Done:
    """Wait for a sanitize or format in progress: the drive refuses all IO."""
    share, words = _look(work)
    if share is None and "in progress" not in words.text:
        return Done()
    work.tell("Waiting for a sanitize or format that is already in progress.")
    done = _follow(work, longest_s(work.drive, None))
    return done.after("waited for a sanitize or format that was already in progress")


def erase(work: Work) -> Done:
    """Sanitize or format the drive, which reports its progress when queried."""
    command = _COMMANDS[work.method]
    option = _ask_for(work.method, work.drive.path, work.ask)
    started = work.ask((*command.start, work.drive.path), timeout_s=2 * ASK_S)
    if started.exit_code:
        return failed(started, "starting it")
    done = _follow(work, longest_s(work.drive, option.expected_s))
    if done.fault and command.start[0] == "sg_sanitize":
        done = _leave_failure(work, done)
    return done.after(line_of(started))


def _look(work: Work) -> tuple[float | None, Answer]:
    """Return the progress of the drive, if it is busy, and its last answer."""
    path = work.drive.path
    answer = work.ask(("sg_requests", "--progress", path), timeout_s=ASK_S)
    match = re.search(r"Progress indication: (\d+(?:\.\d+)?)%", answer.stdout)
    if match:
        return float(match.group(1)) / 100, answer
    return None, work.ask(("sg_requests", "--status", path), timeout_s=ASK_S)


def _follow(work: Work, limit_s: float) -> Done:
    progress = Progress(work, "the drive's own erasure")
    began_s, odd = work.clock.now_s(), 0
    for pause_s in pauses_s():
        work.clock.wait(pause_s)
        share, answer = _look(work)
        took_s = work.clock.now_s() - began_s
        if share is not None:
            progress.show(share)
        elif "in progress" not in answer.text:
            if answer.exit_code != _ATTENTION or odd >= _LOOKS:
                return _end(answer, took_s)
            odd += 1
        if took_s > limit_s:
            break
    fault = (
        f"it did not end within {duration_label(limit_s)}. The drive continues it "
        "by itself: leave its power on and check again with sg_requests --progress"
    )
    return Done(fault=fault)


def _end(answer: Answer, took_s: float) -> Done:
    said = f"{line_of(answer)}, {duration_label(took_s)} after the start"
    if answer.exit_code or "failed" in answer.stdout:
        fault = f"the drive reports that it failed (sg_requests: {words_of(answer)})"
        return Done(said=(said,), fault=fault)
    return Done(said=(said,))


def _leave_failure(work: Work, done: Done) -> Done:
    command = ("sg_sanitize", "--fail", "--quick", work.drive.path)
    left = work.ask(command, timeout_s=ASK_S)
    return Done(said=(*done.said, line_of(left)), fault=done.fault)
