"""Build the reference pages that follow from the code, and the index of decisions.

Usage: ``python -m tools.build_reference [--check]``

Some pages are generated as a whole. Others are written by hand and contain generated
tables between ``<!-- built: NAME -->`` and ``<!-- end -->``.
"""

import re
import sys
import tomllib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import get_args

from ssdlab.drive.purge.methods import PURGE_WORDS, methods_of
from ssdlab.host.checks import CHECKS
from ssdlab.model.drive import PURGE_METHODS, Bus
from ssdlab.model.finding import (
    FINDING_KINDS,
    SEVERITIES,
    SEVERITY_NAMES,
    SEVERITY_WORDS,
    Answer,
)
from ssdlab.model.telemetry import READINGS
from ssdlab.pts.profile import Profile
from ssdlab.pts.profile_file import render_profile
from ssdlab.pts.profiles import PROFILES
from tools import generated

DOCS = Path(__file__).resolve().parents[1] / "docs"
_BUILT = """\
Built by `python -m tools.build_reference` from `{source}`; edit that, not this page.
"""
_FINDINGS = """\
What a run departs in, or what makes its numbers doubtful, is a finding: a row of the
table `findings` with a code, a severity, the test it concerns, words and the clause of
the standard. How the answers follow from them is described under
[conformance](conformance.md); [decision 30](../decisions/0030-findings.md) says why.
"""
_CHECKS = """\
`ssdlab doctor` looks at all of them, and so does each run. Where a check comes from a
guide, its section is named. Limits, and what `--apply` sets, are on
[a page of their own](host-settings.md).
"""
_DECISIONS = """\
What was chosen, and why. How a number is made is in the
[methods](../methods/README.md), what the software does in the
[reference](../reference/README.md).
"""
_QUESTIONS: dict[Answer, str] = {
    "procedure": "Is the procedure that of the standard?",
    "steady state": "Did the tests get steady?",
    "numbers": "Can the numbers be trusted?",
}


def render_findings() -> str:
    """Return the page of finding codes, grouped by the question they answer."""
    severities = [
        (SEVERITY_NAMES[name], f"`{name}`", SEVERITY_WORDS[name]) for name in SEVERITIES
    ]
    parts = [
        "# Findings\n",
        _BUILT.format(source="ssdlab/model/finding.py"),
        _FINDINGS,
        _table(("Severity", "Code", "Meaning"), severities),
    ]
    for answer, question in _QUESTIONS.items():
        rows = [
            (
                f"`{code}`",
                SEVERITY_NAMES[kind.severity],
                kind.meaning,
                kind.found_when,
                kind.clause,
            )
            for code, kind in FINDING_KINDS.items()
            if kind.answer == answer
        ]
        head = ("Code", "Severity", "Meaning", "Found when", "Clause")
        parts += [f"## {question}\n", _table(head, rows)]
    return "\n".join(parts)


def render_checks() -> str:
    """Return the page of host checks."""
    rows = [
        (f"`{check.check_id}`", check.title, check.why, check.source)
        for check in CHECKS
    ]
    return "\n".join([
        "# Checks of the host\n",
        _BUILT.format(source="ssdlab/host/checks/"),
        _CHECKS,
        _table(("Check", "What is looked at", "Why it matters", "Source"), rows),
    ])


def render_decisions(folder: Path) -> str:
    """Return the index of the decision records, with their status."""
    records = sorted(folder.glob("[0-9]*.md"))
    names = {int(record.name[:4]): record.name for record in records}
    rows = []
    for record in records:
        text = record.read_text("utf-8")
        title, _, status, *_ = text.splitlines()
        number, _, words = title.removeprefix("# ").partition(". ")
        said = _NUMBER.sub(
            lambda found: f"[{found[0]}]({names[int(found[0])]})",
            status.removeprefix("Status: "),
        )
        rows.append((number, f"[{words}]({record.name})", said, _details(text)))
    return "\n".join([
        "# Decisions\n",
        _BUILT.format(source="docs/decisions"),
        _DECISIONS,
        _table(("No.", "Decision", "Status", "Details"), rows),
    ])


def _details(record: str) -> str:
    """Return the methods and reference pages that a record links to, once each."""
    links = re.findall(r"\]\((\.\./(?:methods|reference)/([a-z-]+)\.md)", record)
    return ", ".join(f"[{name}]({path})" for path, name in dict.fromkeys(links))


def render_purge_methods() -> str:
    """Return the table of purge methods, the preferred first."""
    head = ("Order", "Method", "What it is", "Drives")
    buses = {bus: methods_of(bus) for bus in get_args(Bus)}
    rows = []
    for place, method in enumerate(PURGE_METHODS, start=1):
        having = [bus for bus, methods in buses.items() if method in methods]
        drives = "all" if len(having) == len(buses) else ", ".join(having)
        rows.append((str(place), f"`{method}`", PURGE_WORDS[method], drives))
    return _table(head, rows)


def render_telemetry() -> str:
    """Return the table of telemetry readings."""
    head = ("Reading", "What it is", "Unit", "Kind", "Source", "Reported by")
    return _table(
        head,
        (
            (f"`{one.name}`", one.words, one.unit, one.kind, one.source, one.origin)
            for one in READINGS
        ),
    )


def render_profile_values() -> str:
    """Return the table of profile values, and how the profiles differ."""
    (first, base), *others = PROFILES.items()
    written = {name: _written(profile) for name, profile in PROFILES.items()}
    rows = []
    for key, place in base.places.items():
        value = place.value
        unlike = [
            f"`{name}`: {written[name][key]}"
            for name, _ in others
            if written[name][key] != written[first][key]
        ]
        rows.append((
            f"`{key}`",
            f"{value.words} [{value.unit}]" if value.unit else value.words,
            written[first][key],
            "; ".join(unlike),
            "choice" if value.is_choice else f"`{value.code}`",
        ))
    head = ("Key", "What it is", f"`{first}`", "Others", "Finding")
    return _table(head, rows)


def _written(profile: Profile) -> Mapping[str, str]:
    """Return the values of a profile by key, as written to a file."""
    file = tomllib.loads(render_profile(profile))
    found = {}
    for key, place in profile.places.items():
        held = file if key in file else file[place.kind.group]
        value = held[key if key in file else place.field]
        items = value if isinstance(value, list) else [value]
        found[key] = ", ".join(
            str(item).lower() if isinstance(item, bool) else str(item) for item in items
        )
    return found


_NUMBER = re.compile(r"\d+")
_BLOCK = re.compile(r"(<!-- built: ([\w-]+) -->\n).*?(<!-- end -->)", re.DOTALL)
BLOCKS: Mapping[str, Callable[[], str]] = {
    "purge-methods": render_purge_methods,
    "telemetry": render_telemetry,
    "profile-values": render_profile_values,
}


def fill_blocks(text: str) -> str:
    """Return a page with the tables between its marks regenerated.


    >>> fill_blocks("No marks, no tables.")
    'No marks, no tables.'
    """
    return _BLOCK.sub(lambda found: f"{found[1]}{BLOCKS[found[2]]()}{found[3]}", text)


def _filled() -> dict[Path, str]:
    """Return the handwritten pages that contain generated tables."""
    texts = {
        path: path.read_text("utf-8") for path in (DOCS / "reference").glob("*.md")
    }
    return {
        path: fill_blocks(text) for path, text in texts.items() if _BLOCK.search(text)
    }


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = (head, ["---"] * len(head), *rows)
    shown = ([cell.replace("|", "\\|") for cell in line] for line in lines)
    return "".join(f"| {' | '.join(cells)} |\n" for cells in shown)


def pages() -> dict[Path, str]:
    """Return every page by its path."""
    return {
        DOCS / "reference" / "findings.md": render_findings(),
        DOCS / "reference" / "host-checks.md": render_checks(),
        DOCS / "decisions" / "README.md": render_decisions(DOCS / "decisions"),
        **_filled(),
    }


def main(argv: list[str]) -> int:
    """Build or check the pages of this repository."""
    return generated.run(argv, pages(), command="tools.build_reference")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
