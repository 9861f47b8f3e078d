"""Every failure a user can meet.

::

    SsdlabError
    ├── UserError                    the request cannot be carried out: exit code 2
    │   ├── UnknownNameError         no such profile, test, target, parameter
    │   ├── ParameterError           a wrong parameter of a notebook or function
    │   ├── RepeatedNameError        a name that may appear once appears twice
    │   ├── ProfileError             a profile that is not valid, or not for this device
    │   ├── StimulusError            a text that is not a valid stimulus
    │   ├── TargetRefusedError       this target must not or cannot be used so
    │   │   ├── DriveInUseError      destroying this drive would destroy something else
    │   │   ├── ConsentError         the erasure of this drive was not confirmed
    │   │   └── PrivilegeError       this user lacks a group, a capability or a right
    │   ├── RunFolderError           damaged, of another version, or in use
    │   ├── SeriesError              a user's table that cannot be judged
    │   ├── NoHistogramError         a run whose latency histograms were not kept
    │   ├── EmptyLogError            a latency log that counts no IO
    │   ├── QosTargetError           a text that is not a valid QoS target
    │   ├── UserFileError            a file of a lab, campaign, job or limits
    │   ├── CampaignError            a campaign that cannot do what is asked of it
    │   ├── CaptureError             a capture of IO streams that cannot be used
    │   ├── FioOutputError           a file that is not what fio writes
    │   │   └── LargeInputError      a file that is larger than the limit
    │   ├── AlreadyImportedError     results that were imported before
    │   ├── NotebookFileError        a file that is not an executed notebook
    │   ├── DescriptorLimitError     this process may open too few files
    │   ├── ExportError              an output that cannot be written as requested
    │   ├── StoreError               no store of runs, a damaged one, a wrong question
    │   └── MissingToolError         fio, nbdkit or a compiler is not installed
    ├── StoreFailedError             a store that did not take or give: exit code 1
    ├── ShortageError                a full disk, or too little memory: exit code 1
    ├── BrowserFailedError           a browser that did not draw a page: exit code 1
    └── RunFailedError               a run that could not continue: exit code 1
        ├── FioFailedError           fio ended with an error or did no IO
        ├── FioKilledError           fio was ended by a signal that ssdlab did not send
        ├── FioHungError             fio outlived its watchdog
        ├── TargetGoneError          the target stopped answering
        ├── TargetAlarmError         the target must not be measured any longer
        ├── PurgeFailedError         a purge failed, or cannot have worked
        ├── DiskFullError            the run folder's disk is full
        └── PlanMismatchError        recorded steps differ from the plan
"""

import re
from collections.abc import Sequence
from html import escape
from textwrap import fill

from ssdlab.model.drive import Use

_OPTIONS = re.compile(r"[\[:=]")  # where those of a target begin
_BOLD, _PLAIN = "\033[1m", "\033[0m"
_BOX = """<div style="border-left: 4px solid #c98500; background: #fff6e0;
 color: #5c3d00; padding: 0.5em 0.9em"><b>Stopped.</b> {purge} Completed steps are kept.
 To resume, set <code style="background: none; color: inherit">resume = {folder}</code>
 in the cell of parameters and run the notebook again; or in a terminal:
 <code style="background: none; color: inherit">ssdlab resume {word}</code></div>"""


class SsdlabError(Exception):
    """What happened, to what, and what to do now."""

    exit_code = 1

    def _render_traceback_(self) -> list[str]:
        """Return what IPython shows in place of a traceback: the message alone."""
        words = f"{type(self).__name__}: {_safe(str(self))}"
        lines = [
            fill(line, 80, break_long_words=False, break_on_hyphens=False)
            for line in words.split("\n")  # JupyterLab itself breaks within words
        ]
        name = type(self).__name__
        return ["\n".join(lines).replace(name, f"{_BOLD}{name}{_PLAIN}", 1)]


def _safe(text: str) -> str:
    """Return text, of a folder or drive perhaps, without signs that are not printed."""
    return "".join(sign if sign.isprintable() or sign == "\n" else "�" for sign in text)


class UserError(SsdlabError):
    """A request that cannot be carried out."""

    exit_code = 2


class UnknownNameError(UserError):
    """An unknown name; ``guess`` is the known one that was probably meant, if any."""

    def __init__(self, *, kind: str, name: str, known: Sequence[str]) -> None:
        self.kind, self.name, self.known = kind, name, tuple(known)
        self.guess = guess_name(name, known)
        meant = f"Did you mean {self.guess!r}? " if self.guess else ""
        super().__init__(
            f"Unknown {kind} {name!r}. {meant}"
            + (f"Choose from: {', '.join(known)}." if known else "None exists.")
        )


def guess_name(name: str, known: Sequence[str]) -> str:
    """Return the known name that is most like an unknown one; "" if none is.

    Only what precedes options counts: ``virtual`` of ``virtual[:size=256MiB,op=12]``.

    >>> guess_name("vitual", ["virtual[:size=256MiB,op=12]", "/dev/NAME"])
    'virtual'
    """
    from difflib import get_close_matches  # noqa: PLC0415 - of errors alone

    heads = [_OPTIONS.split(one)[0] for one in known]
    asked = _OPTIONS.split(name)[0].lower()
    return next(iter(get_close_matches(asked, heads, n=1)), "")


class ParameterError(UserError):
    """A parameter whose value is not valid."""

    def __init__(self, *, name: str, value: object, asked: str) -> None:
        self.name, self.value, self.asked = name, value, asked
        super().__init__(f"{name} is {value!r} but must be {asked}.")


class RepeatedNameError(UserError):
    """A name that may appear once appears twice."""

    def __init__(self, *, kind: str, name: str, text: str) -> None:
        self.kind, self.name, self.text = kind, name, text
        super().__init__(
            f"The {kind} {name!r} appears twice in {text!r}. Name it once."
        )


class ProfileError(UserError):
    """A profile that cannot be used: ``key`` is the wrong value, if there is one."""

    def __init__(self, *, source: str, key: str, reason: str, remedy: str) -> None:
        self.source, self.key, self.reason, self.remedy = source, key, reason, remedy
        place = f"{source}: {key}" if key else source
        super().__init__(f"{place}: {reason}. {remedy}")


class StimulusError(UserError):
    """A text that is not a valid stimulus."""

    def __init__(self, *, text: str, reason: str) -> None:
        self.text, self.reason = text, reason
        shown = repr(text if len(text) <= 80 else f"{text[:80]}…")
        super().__init__(
            f"{shown} is not a valid stimulus: {reason}. Write access, block size, R/W "
            "mix and optionally threads and queue depth: 'RND 4KiB 0/100 T1/Q32'."
        )


class TargetRefusedError(UserError):
    """A target that must not or cannot be used as asked."""

    def __init__(self, *, target: str, reason: str, remedy: str) -> None:
        self.target, self.reason, self.remedy = target, reason, remedy
        super().__init__(f"{target}: {reason}. {remedy}")


class DriveInUseError(TargetRefusedError):
    """A drive that something uses: destroying it would destroy that.

    Several uses are listed one per line, each with its own remedy.
    """

    def __init__(self, *, target: str, uses: Sequence[Use]) -> None:
        self.uses = tuple(uses)
        reason = "; ".join(use.reason for use in self.uses)
        remedies = dict.fromkeys(use.remedy for use in self.uses)
        super().__init__(target=target, reason=reason, remedy=" ".join(remedies))
        self.args = (_uses_text(target, self.uses),)


def _uses_text(target: str, uses: Sequence[Use]) -> str:
    sentences = tuple(dict.fromkeys(_with_remedy(u.reason, u.remedy) for u in uses))
    if len(sentences) > 1:
        lines = (f"{target} cannot be used for {len(sentences)} reasons:", *sentences)
        return "\n  - ".join(lines)
    is_named = re.search(rf"(?<![\w/-]){re.escape(target)}(?![\w-])", uses[0].reason)
    return sentences[0] if is_named else f"{target}: {sentences[0]}"


def _with_remedy(reason: str, remedy: str) -> str:
    """Return both as sentences; a reason of several lines keeps its own end."""
    if "\n" in reason:
        return f"{reason}\n{remedy}"
    return f"{reason.removesuffix('.')}. {remedy}".rstrip()


class ConsentError(TargetRefusedError):
    """A drive whose erasure the user did not confirm by its serial number."""


class PrivilegeError(TargetRefusedError):
    """A step that this user may not do; the remedy is the command that grants it."""


class RunFolderError(UserError):
    """A run folder that is damaged, of another version, or in use."""

    def __init__(self, *, folder: str, reason: str, remedy: str) -> None:
        self.folder, self.reason, self.remedy = folder, reason, remedy
        super().__init__(f"{folder}: {reason}. {remedy}")


class SeriesError(UserError):
    """A series of numbers that cannot be judged."""

    def __init__(self, *, source: str, reason: str, remedy: str) -> None:
        self.source, self.reason, self.remedy = source, reason, remedy
        super().__init__(f"{source}: {reason}. {remedy}")


class NoHistogramError(UserError):
    """A run without the latency histograms that were asked for."""

    def __init__(self, *, direction: str = "total") -> None:
        self.direction = direction
        of_what = "" if direction == "total" else f" of {direction}s"
        super().__init__(
            f"The run has no latency histogram{of_what}, so percentiles are unknown. "
            "Choose a run whose fio wrote json+ (--output-format=json+), as those of "
            "ssdlab do, or another direction."
        )


class EmptyLogError(UserError):
    """A latency log that counts no IO of a direction."""

    def __init__(self, *, direction: str = "total") -> None:
        self.direction = direction
        of_what = "" if direction == "total" else f" of {direction}s"
        super().__init__(
            f"The log counts no IO{of_what}, so no map over time can be drawn. Give a "
            "log of this load; fio fills a histogram log only where it counts "
            "completion latencies too (clat_percentiles=1)."
        )


class QosTargetError(UserError):
    """A text that is not a valid QoS target."""

    def __init__(self, *, text: str, reason: str) -> None:
        self.text, self.reason = text, reason
        shown = repr(text if len(text) <= 80 else f"{text[:80]}…")
        super().__init__(
            f"{shown} is not a valid target: {reason}. Write a percentile, mean or "
            "max, a limit with its unit and optionally a rate: "
            "'p99.99 <= 1 ms at >= 20k IOPS'."
        )


class UserFileError(UserError):
    """A file of a user, such as of a lab, a campaign or limits, that is not valid."""

    def __init__(self, *, source: str, reason: str, remedy: str = "") -> None:
        self.source, self.reason, self.remedy = source, reason, remedy
        super().__init__(f"{source}: {reason}. {remedy}".rstrip())


class CampaignError(UserError):
    """A campaign that cannot do what is asked of it."""

    def __init__(self, *, folder: str, reason: str, remedy: str) -> None:
        self.folder, self.reason, self.remedy = folder, reason, remedy
        super().__init__(f"{folder}: {reason}. {remedy}")


class CaptureError(UserError):
    """A capture of IO streams that cannot be used; ``line`` is 0 if unknown."""

    def __init__(self, *, source: str, line: int, reason: str, remedy: str) -> None:
        self.source, self.line, self.reason, self.remedy = source, line, reason, remedy
        place = f"{source}, line {line}" if line else source
        super().__init__(f"{place}: {reason}. {remedy}")


class FioOutputError(UserError):
    """Output that is not what fio writes, or not all of it."""

    def __init__(self, *, source: str, reason: str, remedy: str) -> None:
        self.source, self.reason, self.remedy = source, reason, remedy
        super().__init__(f"{source}: {reason}. {remedy}")


class PartsMissingError(SsdlabError):
    """A log whose parts were not all summed up; ``places`` are those, from 1."""

    def __init__(
        self, *, source: str, places: Sequence[int], count: int, reason: str
    ) -> None:
        self.source, self.places = source, tuple(places)
        self.count, self.reason = count, reason
        numbers = ", ".join(map(str, self.places))
        super().__init__(
            f"{source}: of its {count} parts these are missing: {numbers}. "
            f"{reason}{'. ' if reason else ''}The same command makes only those."
        )


class AlreadyImportedError(UserError):
    """Results that were imported before: a second run would count them twice."""

    def __init__(self, *, run: str) -> None:
        self.run = run
        super().__init__(
            f"These results were imported before: {run}. Open that run, or import them "
            "again: --again on the command line, again=True in Python."
        )


class LargeInputError(FioOutputError):
    """A file that is, once unpacked, larger than the limit."""

    REMEDY = "If you trust the file, raise the limit."


class NotebookFileError(UserError):
    """A file that cannot be read as an executed notebook."""

    def __init__(self, *, notebook: str, reason: str) -> None:
        self.notebook, self.reason = notebook, reason
        super().__init__(
            f"{notebook} cannot be read as a page: {reason}. Name a notebook that "
            "was run and saved, in JupyterLab or by papermill."
        )


class ExportError(UserError):
    """Tables, figures or pages that cannot be written as requested."""

    def __init__(self, *, place: str, reason: str, remedy: str) -> None:
        self.place, self.reason, self.remedy = place, reason, remedy
        super().__init__(f"{place}: {reason}. {remedy}")


class StoreError(UserError):
    """A store of runs that is none, is damaged, or cannot be asked that."""

    def __init__(self, *, store: str, reason: str, remedy: str) -> None:
        self.store, self.reason, self.remedy = store, reason, remedy
        super().__init__(f"{store}: {reason}. {remedy}")


class NoRunLeftError(StoreError):
    """A condition that holds for no run of a store."""


class StoreFailedError(SsdlabError):
    """A store of runs that could not be read or written; nothing is half in it."""

    def __init__(self, *, store: str, reason: str, remedy: str) -> None:
        self.store, self.reason, self.remedy = store, reason, remedy
        super().__init__(f"{store}: {reason}. {remedy}")


class MissingToolError(UserError):
    """A program that ssdlab needs and that is not installed."""

    def __init__(self, *, tool: str, needed_for: str, remedy: str) -> None:
        self.tool, self.needed_for, self.remedy = tool, needed_for, remedy
        super().__init__(
            f"{tool} is needed for {needed_for} and was not found. {remedy}"
        )


class DescriptorLimitError(UserError):
    """A process that may open too few files at once."""

    def __init__(self) -> None:
        super().__init__(
            "The limit of open files is too low (file descriptors: ulimit -n). Raise "
            "it in this shell, ulimit -n 1024, and try again."
        )


class ShortageError(SsdlabError):
    """A machine that ran out of something."""

    def __init__(self, *, lack: str, remedy: str) -> None:
        self.lack, self.remedy = lack, remedy
        super().__init__(f"{lack}. {remedy}")


class BrowserFailedError(SsdlabError):
    """A browser that failed to draw a page."""

    def __init__(self, *, reason: str) -> None:
        self.reason = reason
        super().__init__(
            f"The browser did not draw the page: {reason}. Name another browser in "
            "BROWSER_PATH, or open the HTML page and print or save it from there."
        )


class RunFailedError(SsdlabError):
    """A run that began and could not continue; what was measured is kept."""


class StepError(RunFailedError):
    """A step that failed: which, why, and what to do now."""

    def __init__(self, *, step_id: str, reason: str, remedy: str) -> None:
        self.step_id, self.reason, self.remedy = step_id, reason, remedy
        super().__init__(f"Step {step_id}: {_with_remedy(reason, remedy)}")


class FioFailedError(StepError):
    """Fio ended with an error, or reported success and did no IO."""


class FioKilledError(StepError):
    """Fio was ended by a signal that ssdlab did not send."""


class FioHungError(StepError):
    """Fio outlived the generous time limit of its watchdog."""


class TargetGoneError(StepError):
    """The target stopped answering."""


class TargetAlarmError(RunFailedError):
    """The drive must not be measured any longer: read-only, failing, too hot."""

    def __init__(self, *, target: str, reason: str, remedy: str) -> None:
        self.target, self.reason, self.remedy = target, reason, remedy
        super().__init__(f"{target}: {reason}; the run was stopped. {remedy}")


class PurgeFailedError(StepError):
    """A purge failed, or had no effect."""


class DiskFullError(StepError):
    """The disk that holds the run folder is full."""


class PlanMismatchError(RunFailedError):
    """The recorded steps differ from those of the plan."""

    def __init__(self, *, step_id: str, recorded: str, asked: str) -> None:
        self.step_id, self.recorded, self.asked = step_id, recorded, asked
        super().__init__(
            f"Step {step_id} was recorded with other content ({recorded}) than this "
            f"version of ssdlab plans ({asked}); continuing would mix two procedures. "
            "Resume with the version that began the run, or begin a new run."
        )


class RunInterruptedError(SsdlabError):
    """The user stopped the run; finished steps are kept.

    ``purge`` says what happens to the purge in progress, if there was one, and
    ``waits`` what waits for the run to be resumed.
    """

    exit_code = 130
    _is_shown = False

    def __init__(self, *, folder: str, purge: str = "", waits: str = "") -> None:
        self.folder, self.purge, self.waits = folder, purge, waits
        where = f" during a purge. {purge}" if purge else "."
        below = f"\n{waits}" if waits else ""
        super().__init__(
            f"Stopped{where} What was measured is kept; resume with: "
            f"ssdlab resume {folder}{below}"
        )

    def _render_traceback_(self) -> list[str]:
        """Show once how to resume; return the line that remains of the traceback."""
        left = [f"{_BOLD}{type(self).__name__}{_PLAIN}: stopped by the user"]
        if self._is_shown:  # IPython asks again, for the reply to JupyterLab
            return left
        self._is_shown = True
        from shlex import quote  # noqa: PLC0415 - of a notebook alone

        from IPython.display import display  # noqa: PLC0415 - it is IPython that calls

        words = {
            "purge": escape(self.purge),
            "folder": escape(repr(self.folder), quote=False),
            "word": escape(quote(self.folder), quote=False),
        }
        shown = {"text/html": _BOX.format(**words), "text/plain": _safe(str(self))}
        display(shown, raw=True)  # type: ignore[no-untyped-call] # it has no types
        return left
