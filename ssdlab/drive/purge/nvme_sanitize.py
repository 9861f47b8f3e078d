"""NVMe sanitize: started, then followed in the log until the drive reports its end."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from ssdlab.drive.purge.nvme import read_estimate_s, read_sanitize_log, read_whole
from ssdlab.drive.purge.work import (
    ASK_S,
    Done,
    Progress,
    Work,
    failed,
    line_of,
    longest_s,
    pauses_s,
    words_of,
)
from ssdlab.drive.tools import Answer
from ssdlab.model.drive import PurgeMethod
from ssdlab.model.units import duration_label

_ACTIONS: Final[dict[PurgeMethod, int]] = {
    "nvme-sanitize-block": 2,
    "nvme-sanitize-overwrite": 3,
    "nvme-sanitize-crypto": 4,
}
_EXIT_FAILURE: Final = 1
_IN_PROGRESS, _FAILED = 2, 3
_COMPLETED: Final = frozenset({1, 4})
_WHOLE: Final = 65536  # SPROG counts the parts done of so many
_SILENT_LOOKS: Final = 20  # a drive may not answer at first


@dataclass(frozen=True, kw_only=True, slots=True)
class SanitizeLog:
    """The sanitize status log: the last sanitize and its state."""

    status: int
    words: str
    action: int
    done_ratio: float


def parse_sanitize_log(data: Mapping[str, Any]) -> SanitizeLog | None:
    """Return the relevant fields of the log, ``None`` if they are missing."""
    state = data.get("sstat")
    words = state.get("status") if isinstance(state, dict) else None
    match = re.match(r"\(?(0x[0-9a-fA-F]+|\d+)\)?\s*(.*)", str(words))
    progress = read_whole(data, "sprog")
    if match is None or progress is None:
        return None
    return SanitizeLog(
        status=int(match.group(1), 0) & 0b111,
        words=match.group(2).rstrip("."),
        action=(read_whole(data, "cdw10_info") or 0) & 0b111,
        done_ratio=progress / _WHOLE,
    )


def await_running_sanitize(work: Work) -> Done:
    """Wait for a sanitize in progress, as after a crash: the drive refuses all IO."""
    _, data = read_sanitize_log(work.drive, work.ask)
    log = parse_sanitize_log(data)
    if log is None or log.status != _IN_PROGRESS:
        return Done()
    work.tell("Waiting for a sanitize that is already in progress.")
    done = _follow(work)
    return done.after("waited for a sanitize that was already in progress")


def sanitize(work: Work) -> Done:
    """Sanitize the drive, and leave the failure mode if it failed."""
    action = _ACTIONS[work.method]
    # AUSE: the failure mode can be left; otherwise the drive would be lost.
    command = ["nvme", "sanitize", work.drive.path, f"--sanact={action}", "--ause"]
    if work.method == "nvme-sanitize-overwrite":
        command.append("--owpass=1")  # the default is 16 passes
    started = work.ask(command, timeout_s=ASK_S)
    if started.exit_code:
        return failed(started, "starting the sanitize")
    done = _follow(work, action)
    return done.after(line_of(started))


def _follow(work: Work, action: int | None = None) -> Done:
    progress = Progress(work, "sanitize")
    began_s, silent = work.clock.now_s(), 0
    for pause_s in pauses_s():
        work.clock.wait(pause_s)
        answer, data = read_sanitize_log(work.drive, work.ask)
        log = parse_sanitize_log(data)
        silent = 0 if log else silent + 1
        if silent > _SILENT_LOOKS:
            return _lost(answer)
        took_s = work.clock.now_s() - began_s
        if log and log.status != _IN_PROGRESS:
            return _end(work, log, action).after(_log_line(log, took_s))
        if log:
            progress.show(log.done_ratio)
        limit_s = longest_s(work.drive, read_estimate_s(data, work.method))
        if took_s > limit_s:
            break
    fault = (
        f"the sanitize did not end within {duration_label(limit_s)}. The drive "
        "continues it by itself: leave its power on and check again with nvme "
        "sanitize-log"
    )
    return Done(fault=fault)


def _end(work: Work, log: SanitizeLog, action: int | None) -> Done:
    if log.status == _FAILED:
        return _leave_failure(work)
    if log.status not in _COMPLETED:
        return Done(fault=f"by the drive's log no sanitize was run ({log.words})")
    if action is not None and log.action != action:
        fault = (
            "the drive's log has another sanitize than the requested one "
            f"(action {log.action} instead of {action})"
        )
        return Done(fault=fault)
    return Done()


def _leave_failure(work: Work) -> Done:
    command = ("nvme", "sanitize", work.drive.path, f"--sanact={_EXIT_FAILURE}")
    left = work.ask(command, timeout_s=ASK_S)
    state = (
        f"it is still in its failure mode ({words_of(left)}) and may refuse IO until "
        "a sanitize succeeds"
        if left.exit_code
        else "it left its failure mode and accepts IO again"
    )
    fault = f"by the drive's log the sanitize failed; {state}. Try another method"
    return Done(said=(line_of(left),), fault=fault)


def _lost(answer: Answer | str) -> Done:
    words = answer if isinstance(answer, str) else words_of(answer)
    fault = (
        "the drive no longer reports the progress of its sanitize (nvme sanitize-log: "
        f"{words}). Leave its power on, and check whether lsblk still lists it"
    )
    return Done(fault=fault)


def _log_line(log: SanitizeLog, took_s: float) -> str:
    return f"sanitize log after {duration_label(took_s)}: {log.words}"
