"""fio's job files as data: read and written by fio's own rules (``init.c``).

The rules of a line, tried with fio 3.33: a comment begins at ``;`` or ``#`` anywhere
and cannot be escaped; blanks at both ends are dropped, and those before ``=``, but
those after it are part of the value. A name in brackets ends one character before the
end of its line. Each section whose name begins with ``global`` applies to those below
it. Values are text here: ``${NAME}`` and ``$jobname`` are left as written.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

from ssdlab.fio.document import Doubt
from ssdlab.model.errors import FioOutputError

JobOption = tuple[str, str | None]

# Aliases of options, and the names that fio prints: ``fio --cmdhelp=NAME``.
ALIASES = {
    "blockalign": "ba",
    "blocksize": "bs",
    "blocksize_range": "bsrange",
    "blocksize_unaligned": "bs_unaligned",
    "disable_bw": "disable_bw_measurement",
    "fileoffset": "offset",
    "fill_fs": "fill_device",
    "io_limit": "io_size",
    "iodepth_batch_complete": "iodepth_batch_complete_min",
    "iodepth_batch_submit": "iodepth_batch",
    "iomem": "mem",
    "nr_files": "nrfiles",
    "ratecycle": "rate_cycle",
    "ratemin": "rate_min",
    "readwrite": "rw",
    "ss": "steadystate",
    "ss_dur": "steadystate_duration",
    "ss_ramp": "steadystate_ramp_time",
    "timeout": "runtime",
    "wait_for_previous": "stonewall",
}

_INCLUDE = "include"
_GLOBAL = "global"
_ENDS = ";#\0"  # a comment begins, or the text in C ends
_SPACE = " \t\n\v\f\r"  # isspace() in C
_CONTROL = "".join(map(chr, [*range(32), 127]))  # iscntrl() in C
_BLANK = _SPACE + _CONTROL
_MAX_NAME_BYTES = 254
_MAX_VALUE_BYTES = 4096


@dataclass(frozen=True, kw_only=True, slots=True)
class JobSection:
    """One section: its name and options in order, repeated ones included.

    The value of an option without ``=`` is ``None``. An ``include`` is an option whose
    value is the file. ``line`` is the first line of the section, from 1, if known.
    """

    name: str
    options: tuple[JobOption, ...] = ()
    line: int | None = field(default=None, compare=False)

    @property
    def is_global(self) -> bool:
        """Whether it applies to the sections below it and is not a job itself."""
        return self.name.startswith(_GLOBAL)


@dataclass(frozen=True, kw_only=True, slots=True)
class JobFile:
    """A job file: its sections in order; names may repeat."""

    sections: tuple[JobSection, ...]

    @property
    def jobs(self) -> tuple[JobSection, ...]:
        """The sections that are jobs."""
        return tuple(section for section in self.sections if not section.is_global)

    def resolved(self, job: int | str) -> dict[str, str | None]:
        """Return the effective options of a job: its own over the global ones."""
        wanted = self._place(job)
        options: dict[str, str | None] = {}
        for section in self.sections[:wanted]:
            if section.is_global:
                options.update(_canonical(section))
        return options | _canonical(self.sections[wanted])

    def _place(self, job: int | str) -> int:
        places = [at for at, s in enumerate(self.sections) if not s.is_global]
        if isinstance(job, int):
            found = [places[job]] if 0 <= job < len(places) else []
        else:
            found = [at for at in places if self.sections[at].name == job]
        if len(found) != 1:
            msg = f"{len(found)} jobs of the file are {job!r} instead of one"
            raise ValueError(msg)
        return found[0]


def parse_job_file(text: str, *, source: str = "job file") -> JobFile:
    r"""Parse a job file.

    Examples
    --------
    >>> job_file = parse_job_file("[global]\nbs=4k ; small\n[a]\nrw=randread\n")
    >>> job_file.resolved("a")
    {'bs': '4k', 'rw': 'randread'}
    """
    sections: list[tuple[str, int, list[JobOption]]] = []
    for number, line in _lines(text):
        if line.startswith("[") and len(line) > 1:
            sections.append((_section_name(line), number, []))
        elif sections:
            sections[-1][2].append(_option(line))
        else:
            raise FioOutputError(
                source=source,
                reason=f"line {number} is outside of a section: {line[:80]!r}",
                remedy="Use a job file of fio: an ini file whose sections are jobs.",
            )
    return JobFile(
        sections=tuple(
            JobSection(name=name, options=tuple(options), line=number)
            for name, number, options in sections
        )
    )


def render_job_file(job_file: JobFile) -> str:
    """Return the text of a job file."""
    return "\n".join(map(_render_section, job_file.sections))


def find_job_file_doubts(job_file: JobFile) -> tuple[Doubt, ...]:
    """Return what is unknown about the jobs from the file alone."""
    return tuple(
        doubt
        for section in job_file.sections
        for option in section.options
        for doubt in _doubts_of(option, section)
    )


def _lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the lines with content, without blanks and comments."""
    for number, line in enumerate(text.split("\n"), start=1):
        code = min((at for at in map(line.find, _ENDS) if at >= 0), default=None)
        kept = line[:code]
        if kept.strip(_BLANK):
            yield number, kept.lstrip(_SPACE).rstrip(_BLANK)


def _section_name(line: str) -> str:
    """Return the 255 bytes that fio reads after the bracket, without the last one."""
    name, held = line[1:], line[1:].encode("utf-8", "surrogatepass")
    if len(held) > _MAX_NAME_BYTES + 1:
        name = held[: _MAX_NAME_BYTES + 1].decode("utf-8", "ignore")
    return name[:-1]


def _option(line: str) -> JobOption:
    if line.startswith(_INCLUDE):
        return _INCLUDE, line[len(_INCLUDE) + 1 :]
    name, equals, value = line.partition("=")
    return name.rstrip(_BLANK), value if equals else None


def _canonical(section: JobSection) -> dict[str, str | None]:
    return {
        ALIASES.get(name, name): value
        for name, value in section.options
        if name != _INCLUDE
    }


def _render_section(section: JobSection) -> str:
    header = f"[{section.name}]"
    lines = [_render_option(option) for option in section.options]
    is_read_back = (
        list(_lines(header)) == [(1, header)] and _section_name(header) == section.name
    )
    if not is_read_back:
        msg = f"fio cannot read back the section name {section.name!r}"
        raise ValueError(msg)
    return "".join(f"{line}\n" for line in (header, *lines))


@lru_cache(maxsize=1024)  # steps of one run share nearly all options
def _render_option(option: JobOption) -> str:
    name, value = option
    joint = " " if name == _INCLUDE else "="
    line = name if value is None else f"{name}{joint}{value}"
    is_read_back = list(_lines(line)) == [(1, line)] and _option(line) == option
    if not is_read_back or line.startswith("["):
        msg = f"fio cannot read back the option {name!r} with the value {value!r}"
        raise ValueError(msg)
    return line


def _doubts_of(option: JobOption, section: JobSection) -> Iterator[Doubt]:
    name, value = option
    where = "" if section.line is None else f", from line {section.line}"
    place = f"[{section.name}]{where}"
    if name == _INCLUDE:
        meaning = f"{value!r} is not read: its options of the section are unknown"
        yield Doubt(kind="include", place=place, meaning=meaning, is_grave=True)
    elif value is not None and "${" in value:
        meaning = f"{name}={value} depends on the environment"
        yield Doubt(kind="environment", place=place, meaning=meaning)
    if len((value or "").encode("utf-8", "surrogatepass")) > _MAX_VALUE_BYTES:
        meaning = f"fio refuses {name}: it is longer than {_MAX_VALUE_BYTES} bytes"
        yield Doubt(kind="long-value", place=place, meaning=meaning)
