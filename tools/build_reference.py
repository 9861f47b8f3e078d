"""Build the pages of reference that follow from the code, and the index of decisions.

Usage: ``python -m tools.build_reference [--check]``
"""

import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from ssdlab.analysis.findings.finding import (
    FINDING_KINDS,
    SEVERITIES,
    SEVERITY_WORDS,
    Answer,
)
from ssdlab.host.checks import CHECKS
from tools import generated

DOCS = Path(__file__).resolve().parents[1] / "docs"
_BUILT = """\
Built by `python -m tools.build_reference` from `{source}`; edit that, not this page.
"""
_FINDINGS = """\
What a run departs in, or what makes its numbers doubtful, is a finding: a row of the
table `findings` with a code, a severity, the test it concerns, words and the clause of
the standard. [Decision 30](../decisions/0030-findings.md) says why, [decision 64][64]
how the answers follow from them.

[64]: ../decisions/0064-three-answers-from-facts.md
"""
_CHECKS = """\
`ssdlab doctor` looks at all of them, and so does each run. Where a check comes from a
guide, its section is named ([decision 36](../decisions/0036-host-checks.md)).
"""
_QUESTIONS: dict[Answer, str] = {
    "procedure": "Is the procedure that of the standard?",
    "steady state": "Did the tests get steady?",
    "numbers": "Can the numbers be trusted?",
}


def render_findings() -> str:
    """Return the page of the codes of findings, by the question that each answers."""
    severities = [(f"{name}", SEVERITY_WORDS[name]) for name in SEVERITIES]
    parts = [
        "# Findings\n",
        _BUILT.format(source="ssdlab/analysis/findings/finding.py"),
        _FINDINGS,
        _table(("Severity", "Meaning"), severities),
    ]
    for answer, question in _QUESTIONS.items():
        rows = [
            (f"`{code}`", kind.severity, kind.meaning, kind.found_when, kind.clause)
            for code, kind in FINDING_KINDS.items()
            if kind.answer == answer
        ]
        head = ("Code", "Severity", "Meaning", "Found when", "Clause")
        parts += [f"## {question}\n", _table(head, rows)]
    return "\n".join(parts)


def render_checks() -> str:
    """Return the page of the checks of the host."""
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
    """Return the index of the decision records, with what became of each."""
    rows = []
    for record in sorted(folder.glob("[0-9]*.md")):
        title, _, status, *_ = record.read_text("utf-8").splitlines()
        number, _, words = title.removeprefix("# ").partition(". ")
        said = status.removeprefix("Status: ")
        rows.append((number, f"[{words}]({record.name})", said))
    return "\n".join([
        "# Decisions\n",
        _BUILT.format(source="docs/decisions"),
        _table(("No.", "Decision", "Status"), rows),
    ])


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
    }


def main(argv: list[str]) -> int:
    """Build or check the pages of this repository."""
    return generated.run(argv, pages(), command="tools.build_reference")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
