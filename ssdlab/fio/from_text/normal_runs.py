"""Split fio's normal text into printings, each of all jobs, in any text."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from ssdlab.fio.from_text.definitions import Definition, parse_definition
from ssdlab.fio.from_text.normal_lines import Line, is_foreign, iterate_lines

# One of these is in any text with a result; searching for them is fast.
_MARKS = (
    *("groupid=", "IOPS=", "io=", "ios=", "min=", "usr=", "issued", "mint=", "run="),
    *("Run status", "Disk stats", "Starting "),
)
_OF_RESULTS = frozenset({"group", "group-side", "old-group-side", "disks", "disk"})
_INTRODUCTIONS = frozenset({"banner", "client", "definition", "start"})
# After the counts of an entry these belong to another entry.
_BEFORE_COUNTS = frozenset({
    "side",
    "old-side",
    "latency",
    "bandwidth",
    "cpu",
    "issued",
})


@dataclass(kw_only=True, slots=True)
class Section:
    """Entries, each as its lines, and what fio printed after them.

    ``is_counted`` says that the last entry has its counts.
    """

    entries: list[list[Line]] = field(default_factory=list)
    is_counted: bool = False
    results: list[Line] = field(default_factory=list)


@dataclass(kw_only=True, slots=True)
class Printing:
    """One printing of all jobs while it is collected.

    Only a client has several sections, one per server. ``said`` is text that is not a
    result of fio, ``after`` what followed the last one; ``definitions`` are the jobs as
    fio introduced them. ``is_interim`` if the run continued after it. ``begins_run`` if
    fio introduced itself or its jobs before it.
    """

    version: str = ""
    is_of_client: bool = False
    is_started: bool = False
    begins_run: bool = False
    is_successor: bool = False
    is_interim: bool = False
    definitions: list[Definition] = field(default_factory=list)
    hosts: set[str] = field(default_factory=set)
    sections: list[Section] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    after: list[str] = field(default_factory=list)

    @property
    def hostname(self) -> str:
        """The host of all jobs, if it is printed."""
        return next(iter(self.hosts)) if len(self.hosts) == 1 else ""

    @property
    def is_closed(self) -> bool:
        """Whether fio has begun to print what follows all entries."""
        return bool(self.sections and self.sections[-1].results)

    @property
    def holds_results(self) -> bool:
        """Whether it is a document: it has results, or should have."""
        return bool(self.sections) or self.is_started

    @property
    def first_line(self) -> int:
        """The first line of its results; 0 if it has no entries."""
        if not self.sections or not self.sections[0].entries:
            return 0
        return self.sections[0].entries[0][0].number

    def successor(self) -> "Printing":
        """Return the next printing of the same run, still empty."""
        return Printing(
            version=self.version,
            is_of_client=self.is_of_client,
            is_successor=True,
            definitions=self.definitions,
            hosts=set(self.hosts),
            said=self.after,
        )


def iterate_printings(text: str) -> Iterator[Printing]:
    """Yield every printing in a text, oldest first."""
    if not any(mark in text for mark in _MARKS):
        return
    current = Printing()
    for line in iterate_lines(text):
        following = _following(current, line)
        if following is not current:
            if current.holds_results:
                current.after = []
                current.is_interim = following.is_successor
                yield current
            current = following
        _add(current, line)
    if current.holds_results:
        yield current


def _following(current: Printing, line: Line) -> Printing:
    """Return the printing of a line: the current one or a new one."""
    if _begins_run(current, line):
        return Printing(said=current.after if current.sections else current.said)
    is_of_entry = line.kind == "entry" or line.kind in _BEFORE_COUNTS
    if is_of_entry and current.is_closed and not current.is_of_client:
        return current.successor()
    return current


def _begins_run(current: Printing, line: Line) -> bool:
    match line.kind:
        case "client" | "banner":
            return bool(current.sections)
        case "start":
            return bool(current.sections) and not current.is_of_client
        case "definition":
            is_later = bool(current.sections) or bool(current.version)
            return is_later and not current.is_of_client
        case _:
            return False


def _add(current: Printing, line: Line) -> None:
    if line.host:
        current.hosts.add(line.host)
    if line.kind in _INTRODUCTIONS:
        current.begins_run = True
    match line.kind:
        case "client":
            current.is_of_client, current.version = True, line.parts[1]
            current.hosts.add(line.parts[0])
        case "banner":
            current.version = line.parts[0]
        case "start":
            current.is_started = True
        case "definition":
            current.definitions.append(parse_definition(line.parts))
        case None:
            _add_text(current, line)
        case _:
            _add_result(current, line)


def _add_text(current: Printing, line: Line) -> None:
    if current.sections and not current.is_closed:
        current.sections[-1].entries[-1].append(line)
    if line.kind is None and is_foreign(line.text):
        place = current.after if current.is_closed else current.said
        place.append(line.text.rstrip())


def _add_result(current: Printing, line: Line) -> None:
    kind = line.parts[0] if line.kind == "damaged" else line.kind
    if kind in _OF_RESULTS:
        if current.sections or line.kind != "damaged":
            _section(current).results.append(line)
    elif kind == "entry" or _is_headless(current, line):
        section = _open_section(current)
        section.entries.append([line])
        section.is_counted = line.kind == "issued"
    elif current.sections and not current.is_closed:
        section = current.sections[-1]
        section.entries[-1].append(line)
        section.is_counted = section.is_counted or line.kind == "issued"


def _is_headless(current: Printing, line: Line) -> bool:
    """Tell whether a line is of an entry whose beginning is missing."""
    if line.kind not in _BEFORE_COUNTS:
        return False
    if not current.sections or current.is_closed:
        return True
    return current.sections[-1].is_counted


def _section(current: Printing) -> Section:
    if not current.sections:
        current.sections.append(Section())
    return current.sections[-1]


def _open_section(current: Printing) -> Section:
    if not current.sections or current.is_closed:
        current.sections.append(Section())
    return current.sections[-1]
