"""ATA sanitize: started, then followed until the drive reports its end."""

import re
from typing import Final

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

_CONSENT: Final = "--yes-i-know-what-i-am-doing"
_COMMANDS: Final[dict[PurgeMethod, tuple[str, ...]]] = {
    "ata-sanitize-block": ("--sanitize-block-erase",),
    "ata-sanitize-crypto": ("--sanitize-crypto-scramble",),
    "ata-sanitize-overwrite": (
        *("--sanitize-overwrite-passes", "1"),  # the default is 16
        *("--sanitize-overwrite", "hex:00000000"),
    ),
}
_RUNS: Final = "SD2 "
_SUCCEEDED: Final = "Completed Without Error"
_SILENT_LOOKS: Final = 20


def await_running_sanitize(work: Work) -> Done:
    """Wait for a sanitize in progress, as after a crash: the drive refuses all IO."""
    if _RUNS not in _look(work).stdout:
        return Done()
    work.tell("Waiting for a sanitize that is already in progress.")
    return _follow(work).after("waited for a sanitize that was already in progress")


def sanitize(work: Work) -> Done:
    """Sanitize the drive; it works in the background and reports its progress."""
    command = ("hdparm", _CONSENT, *_COMMANDS[work.method], work.drive.path)
    started = work.ask(command, timeout_s=ASK_S)
    if started.exit_code or "Operation started" not in started.stdout:
        return failed(started, "starting the sanitize")
    return _follow(work).after(line_of(started))


def _look(work: Work) -> Answer:
    command = ("hdparm", "--sanitize-status", work.drive.path)
    return work.ask(command, timeout_s=ASK_S)


def _follow(work: Work) -> Done:
    progress = Progress(work, "sanitize")
    began_s, silent = work.clock.now_s(), 0
    limit_s = longest_s(work.drive, None)
    for pause_s in pauses_s():
        work.clock.wait(pause_s)
        answer = _look(work)
        took_s = work.clock.now_s() - began_s
        if _is_ended(answer):
            return _end(answer, took_s)
        share = re.search(r"Progress: 0x([0-9a-fA-F]+)", answer.stdout)
        silent = 0 if _RUNS in answer.stdout else silent + 1
        if share:
            progress.show(int(share.group(1), 16) / 0xFFFF)
        if silent > _SILENT_LOOKS:
            return failed(answer, "reading the progress of the sanitize")
        if took_s > limit_s:
            break
    fault = (
        f"the sanitize did not end within {duration_label(limit_s)}. The drive "
        "continues it by itself: leave its power on and check again with hdparm "
        "--sanitize-status"
    )
    return Done(fault=fault)


def _is_ended(answer: Answer) -> bool:
    states = ("SD0 ", "SD1 ", "SD3 ", "SD4 ", "error reason")
    return any(state in answer.text for state in states)


def _end(answer: Answer, took_s: float) -> Done:
    state = re.search(r"State:\s*(.*)", answer.stdout)
    said = f"hdparm --sanitize-status after {duration_label(took_s)}: "
    said += state.group(1).strip() if state else words_of(answer)
    if _SUCCEEDED in answer.stdout and not answer.exit_code:
        return Done(said=(f"{said}, completed without error",))
    fault = f"the drive reports that the sanitize failed ({words_of(answer)})"
    return Done(said=(said,), fault=fault)
